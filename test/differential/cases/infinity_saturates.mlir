// sm_89: wrong
// Y8: 1 of 1 elements of f8E5M2 are wrong
//   [0] is -inf (0xFC), not -57344.0 (0xFB)
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! float8
//! unaligned
//! array Y8 f8E5M2: 00
//! result Y8 f8E5M2: FB
//! array L9_0 f8E5M2: FC
tile.kernel @random(%Y8: !tile.ptr<f8E5M2>, %L9_0: !tile.ptr<f8E5M2>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = tile.view %L9_0, shape [1], strides [1] : !tile.ptr<f8E5M2> -> !tile.view<1xf8E5M2, [1]>
  %v1 = tile.load_view %v0[%c0] : !tile.view<1xf8E5M2, [1]> -> tensor<1xf8E5M2>
  %v2 = arith.extf %v1 : tensor<1xf8E5M2> to tensor<1xf32>
  %v3 = arith.truncf %v2 : tensor<1xf32> to tensor<1xf8E5M2>
  %v4 = tile.view %Y8, shape [1], strides [1] : !tile.ptr<f8E5M2> -> !tile.view<1xf8E5M2, [1]>
  tile.store_view %v3, %v4[%c0] : tensor<1xf8E5M2>, !tile.view<1xf8E5M2, [1]>
  tile.return
}
