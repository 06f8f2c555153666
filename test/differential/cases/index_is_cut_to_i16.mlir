// index -> i16 -> index was folded to nothing.
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! scalar i64 0
//! array X3 i64: 0000000000000000*93 0000008000000000 0000000000000000*2
//! array Y21 i64: 0000000000000000*64
tile.kernel @random(%X3: !tile.ptr<i64>, %Y21: !tile.ptr<i64>, %s0: i64) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %v1 = tile.view %X3, shape [%c4, %c8, %c2], strides [1, %c12, %c6] : !tile.ptr<i64> -> !tile.view<?x?x?xi64, [1, ?, ?]>
  %v2 = tile.load_view %v1[%c0, %c0, %c0] else %s0 : i64 : !tile.view<?x?x?xi64, [1, ?, ?]> -> tensor<4x8x2xi64>
  %v3 = arith.index_cast %v2 : tensor<4x8x2xi64> to tensor<4x8x2xindex>
  %v4 = arith.index_cast %v3 : tensor<4x8x2xindex> to tensor<4x8x2xi16>
  %v5 = arith.index_cast %v4 : tensor<4x8x2xi16> to tensor<4x8x2xindex>
  %v6 = arith.index_cast %v5 : tensor<4x8x2xindex> to tensor<4x8x2xi64>
  %v7 = tile.view %Y21, shape [4, 8, 2], strides [16, 2, 1] : !tile.ptr<i64> -> !tile.view<4x8x2xi64, [16, 2, 1]>
  tile.store_view %v6, %v7[%c0, %c0, %c0] : tensor<4x8x2xi64>, !tile.view<4x8x2xi64, [16, 2, 1]>
  tile.return
}
