// Short rows that warps move as runs of memory: as few lanes have one as a warp has rows for.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// One lane a row.
// CHECK-LABEL: tile.kernel @whole
// CHECK: load %{{.*}} #tile.register_layout<register[1,64] lane[32,1] warp[2,1]>>
tile.kernel @whole(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 33, 36>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 64, 1, 1>} {
  %i = tile.iota 0 : tensor<64xi64>
  %l = tile.splat %left : i64 -> tensor<64xi64>
  %some = arith.cmpi slt, %i, %l : tensor<64xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<64xi64>
  %at = arith.muli %i, %s : tensor<64xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<64x!tile.ptr<f16>>, tensor<64xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tile.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %ps, %cs : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %active = tile.broadcast %se : tensor<64x1xi1> -> tensor<64x64xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %inside = tile.broadcast %ie : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %active, %inside : tensor<64x64xi1>
  %x = tile.load %p mask %mask : tensor<64x64x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Two lanes.
// CHECK-LABEL: tile.kernel @pairs
// CHECK: load %{{.*}} #tile.register_layout<lane[16,2] register[1,32] warp[2,1]>>
tile.kernel @pairs(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 49, 52>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 32, 1, 1>} {
  %i = tile.iota 0 : tensor<32xi64>
  %l = tile.splat %left : i64 -> tensor<32xi64>
  %some = arith.cmpi slt, %i, %l : tensor<32xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<32xi64>
  %at = arith.muli %i, %s : tensor<32xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<32x!tile.ptr<f16>>, tensor<32xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<32x1x!tile.ptr<f16>> -> tensor<32x64x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tile.broadcast %ce : tensor<1x64xi32> -> tensor<32x64xi32>
  %p = tile.addptr %ps, %cs : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %active = tile.broadcast %se : tensor<32x1xi1> -> tensor<32x64xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %inside = tile.broadcast %ie : tensor<1x64xi1> -> tensor<32x64xi1>
  %mask = arith.andi %active, %inside : tensor<32x64xi1>
  %x = tile.load %p mask %mask : tensor<32x64x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<32x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Vectors of two elements are no reason for more lanes.
// CHECK-LABEL: tile.kernel @even
// CHECK: load %{{.*}} #tile.register_layout<register[1,64] lane[32,1] warp[2,1]>>
tile.kernel @even(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 33, 36>, tile.divisibility = 2 : i64}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 64, 1, 1>} {
  %i = tile.iota 0 : tensor<64xi64>
  %l = tile.splat %left : i64 -> tensor<64xi64>
  %some = arith.cmpi slt, %i, %l : tensor<64xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<64xi64>
  %at = arith.muli %i, %s : tensor<64xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<64x!tile.ptr<f16>>, tensor<64xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tile.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %ps, %cs : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %active = tile.broadcast %se : tensor<64x1xi1> -> tensor<64x64xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %inside = tile.broadcast %ie : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %active, %inside : tensor<64x64xi1>
  %x = tile.load %p mask %mask : tensor<64x64x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Vectors of four are.
// CHECK-LABEL: tile.kernel @vectors
// CHECK: load %{{.*}} #tile.register_layout<register[1,4] lane[2,16] register[16,1] warp[2,1]>>
tile.kernel @vectors(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 33, 36>, tile.divisibility = 4 : i64}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 64, 1, 1>} {
  %i = tile.iota 0 : tensor<64xi64>
  %l = tile.splat %left : i64 -> tensor<64xi64>
  %some = arith.cmpi slt, %i, %l : tensor<64xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<64xi64>
  %at = arith.muli %i, %s : tensor<64xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<64x!tile.ptr<f16>>, tensor<64xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tile.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %ps, %cs : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %active = tile.broadcast %se : tensor<64x1xi1> -> tensor<64x64xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %inside = tile.broadcast %ie : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %active, %inside : tensor<64x64xi1>
  %x = tile.load %p mask %mask : tensor<64x64x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<64x64x!tile.ptr<f16>>
  tile.return
}
