// sm_90a on cuda: launch
// ptxas 13.0 ends with a segmentation fault
//! blocks 1
//! option shared_layout swizzle
//! option warpgroup_dots True
//! option specialize False
//! array X2 i32: 000000FF 00000092 FFFFFF23 000000EB FFFFFFF8 0000009D 000000A8 FFFFFFB1 00000077 0000007F FFFFFF58 000000C1 FFFFFF6E FFFFFFA7 00000092 0000007B
//! array Y6 i8: 07*64
//! result Y6 i8: 00*32 01*8 00*24
//! array Y7 bf16: 0000*108
//! result Y7 bf16: C100*32 0000*4 42EE*32 0000*4 C312*32 0000*4
tile.kernel @random(%X2: !tile.ptr<i32>, %Y6: !tile.ptr<i8>, %Y7: !tile.ptr<bf16>) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %c_1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c36 = arith.constant 36 : index
  %v9 = tile.iota 60 : tensor<8xindex>
  %v10 = arith.index_cast %v9 : tensor<8xindex> to tensor<8xi32>
  %v11 = tile.expand_dims %v10 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %v12 = tile.broadcast %v11 : tensor<8x1xi32> -> tensor<8x8xi32>
  %v13 = arith.constant dense<1> : tensor<8x8xi32>
  %v14 = arith.addi %v12, %v13 : tensor<8x8xi32>
  %v15 = arith.constant dense<1> : tensor<8x8xi32>
  %v16 = arith.addi %v14, %v15 : tensor<8x8xi32>
  %v17 = arith.minui %v16, %v15 : tensor<8x8xi32>
  %v18 = tile.view %X2, shape [%c4, %c4], strides [%c4, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %v19 = tile.load_view %v18[%c0, %c0] : !tile.view<?x?xi32, [?, 1]> -> tensor<8x1xi32>
  %v20 = tile.broadcast %v19 : tensor<8x1xi32> -> tensor<8x32xi32>
  %v24 = arith.trunci %v17 : tensor<8x8xi32> to tensor<8x8xi8>
  %v25 = tile.iota 60 : tensor<8xi32>
  %v26 = tile.expand_dims %v25 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %v27 = tile.broadcast %v26 : tensor<1x8xi32> -> tensor<8x8xi32>
  %v28 = arith.trunci %v27 : tensor<8x8xi32> to tensor<8x8xi8>
  %v29 = arith.constant dense<100> : tensor<8x8xi8>
  %v30 = arith.muli %v28, %v29 : tensor<8x8xi8>
  %v31 = arith.divui %v24, %v30 : tensor<8x8xi8>
  %v32 = arith.sitofp %v20 : tensor<8x32xi32> to tensor<8x32xbf16>
  %v33 = tile.trans %v32 [0, 1] : tensor<8x32xbf16> -> tensor<8x32xbf16>
  %v44 = tile.view %Y6, shape [%c8, %c8], strides [1, %c8] : !tile.ptr<i8> -> !tile.view<?x?xi8, [1, ?]>
  %v45 = arith.muli %program, %c8 : index
  tile.store_view %v31, %v44[%v45, %c0] : tensor<8x8xi8>, !tile.view<?x?xi8, [1, ?]>
  %v46 = tile.view %Y7, shape [%c3, %c36], strides [%c36, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %v47 = arith.muli %program, %c8 : index
  %v48 = arith.addi %v47, %c_1 : index
  tile.store_view %v33, %v46[%v48, %c0] : tensor<8x32xbf16>, !tile.view<?x?xbf16, [?, 1]>
  tile.return
}
