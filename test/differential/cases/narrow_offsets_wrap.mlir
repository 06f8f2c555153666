// Offsets of 8 bits that wrap were extended as if they did not: elements behind the array were read.
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! scalar i8 EC
//! array X8 f16: 0000*256
//! array Y22 f16: 0000*512
tile.kernel @random(%X8: !tile.ptr<f16>, %Y22: !tile.ptr<f16>, %s0: i8) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c127 = arith.constant 127 : index
  %c512 = arith.constant 512 : index
  %v1 = tile.iota 33 : tensor<512xindex>
  %v2 = arith.index_castui %v1 : tensor<512xindex> to tensor<512xi8>
  %v3 = tile.splat %s0 : i8 -> tensor<512xi8>
  %v4 = arith.subi %v2, %v3 : tensor<512xi8>
  %v5 = arith.extsi %v4 : tensor<512xi8> to tensor<512xi64>
  %v6 = arith.constant dense<1> : tensor<512xi64>
  %v7 = arith.addi %v5, %v6 : tensor<512xi64>
  %v8 = tile.addptr %X8, %c127 : !tile.ptr<f16>, index
  %v9 = tile.splat %v8 : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %v10 = tile.addptr %v9, %v7 : tensor<512x!tile.ptr<f16>>, tensor<512xi64>
  %v11 = tile.load %v10 : tensor<512x!tile.ptr<f16>>
  %v12 = tile.view %Y22, shape [512], strides [1] : !tile.ptr<f16> -> !tile.view<512xf16, [1]>
  tile.store_view %v11, %v12[%c0] : tensor<512xf16>, !tile.view<512xf16, [1]>
  tile.return
}
