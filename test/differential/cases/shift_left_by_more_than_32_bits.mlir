// sm_80: wrong
// Y9: 1 of 128 elements of i64 are wrong
//   [119] is 5 (0x0000000000000005), not 0 (0x0000000000000000)
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array X2 i64: 0000000000000000*119 0F60000000000000 0000000000000000*4
//! array Y9 i64: 0000000000000000*128
//! result Y9 i64: 0000000000000000*118 7B991D17DA6BD6E2 0000000000000000*9
//! array L10_0 i64: 0000000000000000*118 7B991D17DA6BD6E2 0000000000000005 0000000000000000*8
tile.kernel @random(%X2: !tile.ptr<i64>, %Y9: !tile.ptr<i64>, %L10_0: !tile.ptr<i64>) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %c0 = arith.constant 0 : index
  %c124 = arith.constant 124 : index
  %c128 = arith.constant 128 : index
  %v0 = tile.view %L10_0, shape [128], strides [1] : !tile.ptr<i64> -> !tile.view<128xi64, [1]>
  %v1 = tile.load_view %v0[%c0] : !tile.view<128xi64, [1]> -> tensor<128xi64>
  %v2 = arith.index_castui %v1 : tensor<128xi64> to tensor<128xindex>
  %v3 = tile.view %X2, shape [124], strides [1] : !tile.ptr<i64> -> !tile.view<124xi64, [1]>
  %v4 = arith.muli %program, %c128 : index
  %v5 = tile.load_view %v3[%v4] : !tile.view<124xi64, [1]> -> tensor<128xi64>
  %v6 = arith.index_cast %v5 : tensor<128xi64> to tensor<128xindex>
  %v7 = arith.shli %v2, %v6 : tensor<128xindex>
  %v8 = arith.index_cast %v7 : tensor<128xindex> to tensor<128xi64>
  %v9 = tile.view %Y9, shape [128], strides [1] : !tile.ptr<i64> -> !tile.view<128xi64, [1]>
  tile.store_view %v8, %v9[%c0] : tensor<128xi64>, !tile.view<128xi64, [1]>
  tile.return
}
