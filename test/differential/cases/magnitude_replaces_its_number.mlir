// all targets: wrong
// Y0: 24 of 64 elements of i16 are wrong
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! array X0 i16: 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 FFF9 FFFA FFFF 8001 44CB FED4 FF00 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 FFF9 FFFA FFFF 8001 44CB FED4 FF00 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 FFF9 FFFA FFFF 8001 44CB FED4 FF00 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 FFF9 FFFA FFFF 8001 44CB FED4 FF00
//! array Y0 i16: 0000*64
//! result Y0 i16: 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 0007 0006 0001 7FFF 44CB 012C 0100 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 0007 0006 0001 7FFF 44CB 012C 0100 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 0007 0006 0001 7FFF 44CB 012C 0100 0000 0001 0002 0007 00FF 0100 012C 7FFF 8000 0007 0006 0001 7FFF 44CB 012C 0100
tile.kernel @random(%X0: !tile.ptr<i16>, %Y0: !tile.ptr<i16>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = tile.num_programs 0
  %v1 = arith.addi %v0, %c1 : index
  %v2 = tile.view %X0, shape [64], strides [1] : !tile.ptr<i16> -> !tile.view<64xi16, [1]>
  %v3 = tile.load_view %v2[%c0] : !tile.view<64xi16, [1]> -> tensor<64xi16>
  %v4 = arith.constant dense<0> : tensor<64xi16>
  %v5 = scf.for %i = %c0 to %v1 step %c1 iter_args(%v6 = %v3) -> (tensor<64xi16>) {
    %v7 = arith.subi %v4, %v6 : tensor<64xi16>
    %v8 = arith.cmpi slt, %v6, %v4 : tensor<64xi16>
    %v9 = arith.select %v8, %v7, %v6 : tensor<64xi1>, tensor<64xi16>
    scf.yield %v9 : tensor<64xi16>
  }
  %v10 = tile.view %Y0, shape [64], strides [1] : !tile.ptr<i16> -> !tile.view<64xi16, [1]>
  tile.store_view %v5, %v10[%c0] : tensor<64xi16>, !tile.view<64xi16, [1]>
  tile.return
}
