// sm_80, not optimized: wrong
// Y13: 1 of 1 elements of i64 are wrong
//   [0] is 9007199254740992 (0x0020000000000000), not 0 (0x0000000000000000)
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array Y13 i64: FFFFFFFFFFFFFFBF
//! result Y13 i64: 0000000000000000
//! array L14_0 i64: 0040000000000001
tile.kernel @random(%Y13: !tile.ptr<i64>, %L14_0: !tile.ptr<i64>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = tile.view %L14_0, shape [1], strides [1] : !tile.ptr<i64> -> !tile.view<1xi64, [1]>
  %v1 = tile.load_view %v0[%c0] : !tile.view<1xi64, [1]> -> tensor<1xi64>
  %v2 = arith.shrui %v1, %v1 : tensor<1xi64>
  %v3 = tile.view %Y13, shape [1], strides [1] : !tile.ptr<i64> -> !tile.view<1xi64, [1]>
  tile.store_view %v2, %v3[%c0] : tensor<1xi64>, !tile.view<1xi64, [1]>
  tile.return
}
