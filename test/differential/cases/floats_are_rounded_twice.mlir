// Two roundings in a row, of which the first was left out.
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array Y8 bf16: 0000
//! result Y8 bf16: 5580
//! array L9_0 i64: 00000FF7FFFFFFFF
tile.kernel @random(%Y8: !tile.ptr<bf16>, %L9_0: !tile.ptr<i64>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = tile.view %L9_0, shape [1], strides [1] : !tile.ptr<i64> -> !tile.view<1xi64, [1]>
  %v1 = tile.load_view %v0[%c0] : !tile.view<1xi64, [1]> -> tensor<1xi64>
  %v2 = arith.uitofp %v1 : tensor<1xi64> to tensor<1xf64>
  %v3 = arith.truncf %v2 : tensor<1xf64> to tensor<1xf32>
  %v4 = arith.truncf %v3 : tensor<1xf32> to tensor<1xbf16>
  %v5 = tile.view %Y8, shape [1], strides [1] : !tile.ptr<bf16> -> !tile.view<1xbf16, [1]>
  tile.store_view %v4, %v5[%c0] : tensor<1xbf16>, !tile.view<1xbf16, [1]>
  tile.return
}
