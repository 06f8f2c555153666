// sm_90a: wrong
// Y3: 1 of 1 elements of f32 are wrong
//   [0] is nan (0x7FC00001), not 24.0 (0x41C00000)
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array Y3 f32: 00000000
//! result Y3 f32: 41C00000
tile.kernel @random(%Y3: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = arith.constant dense<24> : tensor<1xi32>
  %v1 = arith.constant dense<0x7F800001> : tensor<1xf32>
  %v2 = arith.sitofp %v0 : tensor<1xi32> to tensor<1xf32>
  %v3 = arith.maxnumf %v1, %v2 : tensor<1xf32>
  %v4 = tile.view %Y3, shape [1], strides [1] : !tile.ptr<f32> -> !tile.view<1xf32, [1]>
  tile.store_view %v3, %v4[%c0] : tensor<1xf32>, !tile.view<1xf32, [1]>
  tile.return
}
