// sm_90a: wrong
// Y10: 384 of 1536 elements of bf16 are wrong
//   [96] is 1.0 (0x3F80), not -1.0 (0xBF80)
//   [97] is 1.0 (0x3F80), not -1.0 (0xBF80)
//   [98] is 1.0 (0x3F80), not -1.0 (0xBF80)
//   [99] is 1.0 (0x3F80), not -1.0 (0xBF80)
//! blocks 3
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array X0 f64: 0000000000000000*1536
//! array Y10 bf16: 0000*1536
//! result Y10 bf16: BF80*1536
tile.kernel @random(%X0: !tile.ptr<f64>, %Y10: !tile.ptr<bf16>) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %v0 = tile.view %X0, shape [48, 32], strides [1, 48] : !tile.ptr<f64> -> !tile.view<48x32xf64, [1, 48]>
  %v1 = arith.muli %program, %c16 : index
  %v2 = tile.load_view %v0[%v1, %c0] : !tile.view<48x32xf64, [1, 48]> -> tensor<16x32xf64>
  %v3 = arith.cmpf ole, %v2, %v2 : tensor<16x32xf64>
  %v4 = arith.sitofp %v3 : tensor<16x32xi1> to tensor<16x32xbf16>
  %v5 = tile.view %Y10, shape [48, 32], strides [32, 1] : !tile.ptr<bf16> -> !tile.view<48x32xbf16, [32, 1]>
  %v6 = arith.muli %program, %c16 : index
  tile.store_view %v4, %v5[%v6, %c0] : tensor<16x32xbf16>, !tile.view<48x32xbf16, [32, 1]>
  tile.return
}
