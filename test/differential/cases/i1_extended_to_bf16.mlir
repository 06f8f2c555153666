// sm_90a: wrong
// Y8: 1 of 1 elements of bf16 are wrong
//   [0] is 1.0 (0x3F80), not -1.0 (0xBF80)
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array Y8 bf16: 0000
//! result Y8 bf16: BF80
//! array L9_0 f64: 42D9089000000001
tile.kernel @random(%Y8: !tile.ptr<bf16>, %L9_0: !tile.ptr<f64>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = tile.view %L9_0, shape [1], strides [1] : !tile.ptr<f64> -> !tile.view<1xf64, [1]>
  %v1 = tile.load_view %v0[%c0] : !tile.view<1xf64, [1]> -> tensor<1xf64>
  %v2 = arith.fptoui %v1 : tensor<1xf64> to tensor<1xi1>
  %v3 = arith.extsi %v2 : tensor<1xi1> to tensor<1xi8>
  %v4 = arith.sitofp %v3 : tensor<1xi8> to tensor<1xbf16>
  %v5 = tile.view %Y8, shape [1], strides [1] : !tile.ptr<bf16> -> !tile.view<1xbf16, [1]>
  tile.store_view %v4, %v5[%c0] : tensor<1xbf16>, !tile.view<1xbf16, [1]>
  tile.return
}
