// Rows backward, of which a program has the end: longer than 32 bits count, they are no run of memory, and begin far before the array.

// RUN: tile-run %s --device=sim --check --target=sm_90a --args "L=4" && tile-run %s --device=sim --check --target=sm_80 --args "L=3"
// RUN: tile-run %s --device=sim --check --target=sm_90a --args "L=4" --optimize=false

#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[2] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#line = #tile.register_layout<lane[1,32] register[1,2] warp*2>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>
#padded = #tile.shared_layout<4x64, pad 16 every 64>

tile.kernel @backward(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %L: i64)
    shapes ["X[L, 64]", "Y[L, 64]"]
    grid ["1"]
    reference ["Y[i, j] = X[i, 63 - j]"]
    attributes {num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %L : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %columns = arith.constant dense<64> : tensor<4xi64, #rows>
  %before = arith.constant dense<2147483648> : tensor<4xi64, #rows>
  %row = arith.muli %i, %columns : tensor<4xi64, #rows>
  %at = arith.subi %row, %before : tensor<4xi64, #rows>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %xs, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x64x!tile.ptr<f16>, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x64xi1, #all>
  %inside = arith.constant dense<true> : tensor<4x64xi1, #all>
  %zeros = arith.constant dense<0.0> : tensor<4x64xf16, #all>
  %count = arith.constant 2147483712 : index
  %through = tile.alloc_shared : !tile.shared<4x64xf16, #padded>
  %x = tile.load_run %ps mask %active, %inside else %zeros count %count through %through {least = 37 : i64, most = 40 : i64, reversed} : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded> -> tensor<4x64xf16, #all>
  %ml = arith.index_cast %L : i64 to index
  %y = tile.view %Y, shape [%ml, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  tile.store_view %x, %y[%c0, %c0] : tensor<4x64xf16, #all>, !tile.view<?x64xf16, [64, 1]>
  tile.return
}
