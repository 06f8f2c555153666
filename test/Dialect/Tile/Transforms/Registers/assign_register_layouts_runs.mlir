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

// Two lanes would meet in banks with those of other rows. Four have rows two apart, and meet less.
// CHECK-LABEL: tile.kernel @pairs
// CHECK: load %{{.*}} #tile.register_layout<register[2,1] lane[8,4] register[1,16] warp[2,1]>>
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

// -----

// Four rows of a warp: of 321 elements, nearly a multiple of 64, eight lanes of each would meet in banks.
// CHECK-LABEL: tile.kernel @four
// CHECK: = load %{{.*}} #tile.register_layout<lane[2,16] register[2,1] register[1,32] warp[2,1]>>
tile.kernel @four(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 321, 352>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 8, 1, 1>} {
  %i = tile.iota 0 : tensor<8xi64>
  %l = tile.splat %left : i64 -> tensor<8xi64>
  %some = arith.cmpi slt, %i, %l : tensor<8xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<8xi64>
  %at = arith.muli %i, %s : tensor<8xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<8x!tile.ptr<f16>> -> tensor<8x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<8x1x!tile.ptr<f16>> -> tensor<8x512x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<512xi32>
  %end = tile.splat %n : i32 -> tensor<512xi32>
  %in = arith.cmpi slt, %c, %end : tensor<512xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %cs = tile.broadcast %ce : tensor<1x512xi32> -> tensor<8x512xi32>
  %p = tile.addptr %ps, %cs : tensor<8x512x!tile.ptr<f16>>, tensor<8x512xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %active = tile.broadcast %se : tensor<8x1xi1> -> tensor<8x512xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<512xi1> -> tensor<1x512xi1>
  %inside = tile.broadcast %ie : tensor<1x512xi1> -> tensor<8x512xi1>
  %mask = arith.andi %active, %inside : tensor<8x512xi1>
  %x = tile.load %p mask %mask : tensor<8x512x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<8x512x!tile.ptr<f16>>
  tile.return
}

// -----

// What is combined in order takes a step more for twice the lanes: as few as a warp has for each row.
// CHECK-LABEL: tile.kernel @in_order
// CHECK: = load %{{.*}} #tile.register_layout<lane[4,8] register[1,64] warp[2,1]>>
tile.kernel @in_order(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 321, 352>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 8, 1, 1>} {
  %i = tile.iota 0 : tensor<8xi64>
  %l = tile.splat %left : i64 -> tensor<8xi64>
  %some = arith.cmpi slt, %i, %l : tensor<8xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<8xi64>
  %at = arith.muli %i, %s : tensor<8xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<8x!tile.ptr<f16>> -> tensor<8x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<8x1x!tile.ptr<f16>> -> tensor<8x512x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<512xi32>
  %end = tile.splat %n : i32 -> tensor<512xi32>
  %in = arith.cmpi slt, %c, %end : tensor<512xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %cs = tile.broadcast %ce : tensor<1x512xi32> -> tensor<8x512xi32>
  %p = tile.addptr %ps, %cs : tensor<8x512x!tile.ptr<f16>>, tensor<8x512xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %active = tile.broadcast %se : tensor<8x1xi1> -> tensor<8x512xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<512xi1> -> tensor<1x512xi1>
  %inside = tile.broadcast %ie : tensor<1x512xi1> -> tensor<8x512xi1>
  %mask = arith.andi %active, %inside : tensor<8x512xi1>
  %x = tile.load %p mask %mask : tensor<8x512x!tile.ptr<f16>>
  %sums = tile.scan %x axis 1 : tensor<8x512xf16> -> tensor<8x512xf16> {
  ^bb0(%a: f16, %b: f16):
    %sum = arith.addf %a, %b : f16
    tile.yield %sum : f16
  }
  tile.store %p, %sums mask %mask : tensor<8x512x!tile.ptr<f16>>
  tile.return
}

// -----

// Of 255 elements, too.
// CHECK-LABEL: tile.kernel @few
// CHECK: = load %{{.*}} #tile.register_layout<register[2,1] lane[2,16] register[1,16] warp[2,1]>>
tile.kernel @few(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 241, 256>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 8, 1, 1>} {
  %i = tile.iota 0 : tensor<8xi64>
  %l = tile.splat %left : i64 -> tensor<8xi64>
  %some = arith.cmpi slt, %i, %l : tensor<8xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<8xi64>
  %at = arith.muli %i, %s : tensor<8xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<8x!tile.ptr<f16>> -> tensor<8x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<8x1x!tile.ptr<f16>> -> tensor<8x256x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<256xi32>
  %end = tile.splat %n : i32 -> tensor<256xi32>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %cs = tile.broadcast %ce : tensor<1x256xi32> -> tensor<8x256xi32>
  %p = tile.addptr %ps, %cs : tensor<8x256x!tile.ptr<f16>>, tensor<8x256xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %active = tile.broadcast %se : tensor<8x1xi1> -> tensor<8x256xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1> -> tensor<1x256xi1>
  %inside = tile.broadcast %ie : tensor<1x256xi1> -> tensor<8x256xi1>
  %mask = arith.andi %active, %inside : tensor<8x256xi1>
  %x = tile.load %p mask %mask : tensor<8x256x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<8x256x!tile.ptr<f16>>
  tile.return
}

// -----

// Rows that are only loaded are combined in few steps: eight lanes of each.
// CHECK-LABEL: tile.kernel @loaded
// CHECK: = load %{{.*}} #tile.register_layout<lane[4,8] register[1,64] warp[2,1]>>
tile.kernel @loaded(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 321, 352>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 8, 1, 1>} {
  %i = tile.iota 0 : tensor<8xi64>
  %l = tile.splat %left : i64 -> tensor<8xi64>
  %some = arith.cmpi slt, %i, %l : tensor<8xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<8xi64>
  %at = arith.muli %i, %s : tensor<8xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<8x!tile.ptr<f16>> -> tensor<8x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<8x1x!tile.ptr<f16>> -> tensor<8x512x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<512xi32>
  %end = tile.splat %n : i32 -> tensor<512xi32>
  %in = arith.cmpi slt, %c, %end : tensor<512xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %cs = tile.broadcast %ce : tensor<1x512xi32> -> tensor<8x512xi32>
  %p = tile.addptr %ps, %cs : tensor<8x512x!tile.ptr<f16>>, tensor<8x512xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %active = tile.broadcast %se : tensor<8x1xi1> -> tensor<8x512xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<512xi1> -> tensor<1x512xi1>
  %inside = tile.broadcast %ie : tensor<1x512xi1> -> tensor<8x512xi1>
  %mask = arith.andi %active, %inside : tensor<8x512xi1>
  %x = tile.load %p mask %mask : tensor<8x512x!tile.ptr<f16>>
  %sum = tile.reduce %x axis 1 : tensor<8x512xf16> -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    %most = arith.maximumf %a, %b : f16
    tile.yield %most : f16
  }
  %to = tile.addptr %as, %i : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  tile.store %to, %sum mask %some : tensor<8x!tile.ptr<f16>>
  tile.return
}

// -----

// Twice as many, where these have few elements.
// CHECK-LABEL: tile.kernel @loaded_few
// CHECK: = load %{{.*}} #tile.register_layout<lane[2,16] register[2,1] register[1,16] warp[2,1]>>
tile.kernel @loaded_few(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 241, 256>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 8, 1, 1>} {
  %i = tile.iota 0 : tensor<8xi64>
  %l = tile.splat %left : i64 -> tensor<8xi64>
  %some = arith.cmpi slt, %i, %l : tensor<8xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<8xi64>
  %at = arith.muli %i, %s : tensor<8xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<8x!tile.ptr<f16>> -> tensor<8x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<8x1x!tile.ptr<f16>> -> tensor<8x256x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<256xi32>
  %end = tile.splat %n : i32 -> tensor<256xi32>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %cs = tile.broadcast %ce : tensor<1x256xi32> -> tensor<8x256xi32>
  %p = tile.addptr %ps, %cs : tensor<8x256x!tile.ptr<f16>>, tensor<8x256xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %active = tile.broadcast %se : tensor<8x1xi1> -> tensor<8x256xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1> -> tensor<1x256xi1>
  %inside = tile.broadcast %ie : tensor<1x256xi1> -> tensor<8x256xi1>
  %mask = arith.andi %active, %inside : tensor<8x256xi1>
  %x = tile.load %p mask %mask : tensor<8x256x!tile.ptr<f16>>
  %sum = tile.reduce %x axis 1 : tensor<8x256xf16> -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    %most = arith.maximumf %a, %b : f16
    tile.yield %most : f16
  }
  %to = tile.addptr %as, %i : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  tile.store %to, %sum mask %some : tensor<8x!tile.ptr<f16>>
  tile.return
}

// -----

// Weights that all rows share: twice as many lanes, each with two rows side by side; four times as many where a warp has fewer rows.
// CHECK-LABEL: tile.kernel @weights
// CHECK: = load %{{.*}} #tile.register_layout<register[2,1] lane[8,4] register[1,32] warp[2,1]>>
// CHECK: = load %{{.*}} #tile.register_layout<lane[4] register[32] lane*8 warp*2>>
tile.kernel @weights(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 97, 112>}, %left: i64)
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
  %ps = tile.broadcast %re : tensor<32x1x!tile.ptr<f16>> -> tensor<32x128x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<128xi32>
  %end = tile.splat %n : i32 -> tensor<128xi32>
  %in = arith.cmpi slt, %c, %end : tensor<128xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %cs = tile.broadcast %ce : tensor<1x128xi32> -> tensor<32x128xi32>
  %p = tile.addptr %ps, %cs : tensor<32x128x!tile.ptr<f16>>, tensor<32x128xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %active = tile.broadcast %se : tensor<32x1xi1> -> tensor<32x128xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<128xi1> -> tensor<1x128xi1>
  %inside = tile.broadcast %ie : tensor<1x128xi1> -> tensor<32x128xi1>
  %mask = arith.andi %active, %inside : tensor<32x128xi1>
  %x = tile.load %p mask %mask : tensor<32x128x!tile.ptr<f16>>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %w = tile.addptr %ws, %c : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %weights = tile.load %w mask %in : tensor<128x!tile.ptr<f16>>
  %we = tile.expand_dims %weights {axis = 0 : i32} : tensor<128xf16> -> tensor<1x128xf16>
  %wb = tile.broadcast %we : tensor<1x128xf16> -> tensor<32x128xf16>
  %y = arith.mulf %x, %wb : tensor<32x128xf16>
  tile.store %p, %y mask %mask : tensor<32x128x!tile.ptr<f16>>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @fewer
// CHECK: = load %{{.*}} #tile.register_layout<lane[2,16] register[4,1] register[1,16] warp[2,1]>>
// CHECK: = load %{{.*}} #tile.register_layout<lane[16] register[16] lane*2 warp*2>>
tile.kernel @fewer(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 193, 208>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 16, 1, 1>} {
  %i = tile.iota 0 : tensor<16xi64>
  %l = tile.splat %left : i64 -> tensor<16xi64>
  %some = arith.cmpi slt, %i, %l : tensor<16xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<16xi64>
  %at = arith.muli %i, %s : tensor<16xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<16x!tile.ptr<f16>>, tensor<16xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<16x!tile.ptr<f16>> -> tensor<16x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<16x1x!tile.ptr<f16>> -> tensor<16x256x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<256xi32>
  %end = tile.splat %n : i32 -> tensor<256xi32>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %cs = tile.broadcast %ce : tensor<1x256xi32> -> tensor<16x256xi32>
  %p = tile.addptr %ps, %cs : tensor<16x256x!tile.ptr<f16>>, tensor<16x256xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %active = tile.broadcast %se : tensor<16x1xi1> -> tensor<16x256xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1> -> tensor<1x256xi1>
  %inside = tile.broadcast %ie : tensor<1x256xi1> -> tensor<16x256xi1>
  %mask = arith.andi %active, %inside : tensor<16x256xi1>
  %x = tile.load %p mask %mask : tensor<16x256x!tile.ptr<f16>>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %w = tile.addptr %ws, %c : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %weights = tile.load %w mask %in : tensor<256x!tile.ptr<f16>>
  %we = tile.expand_dims %weights {axis = 0 : i32} : tensor<256xf16> -> tensor<1x256xf16>
  %wb = tile.broadcast %we : tensor<1x256xf16> -> tensor<16x256xf16>
  %y = arith.mulf %x, %wb : tensor<16x256xf16>
  tile.store %p, %y mask %mask : tensor<16x256x!tile.ptr<f16>>
  tile.return
}

// -----

// All lanes, and two elements side by side.
// CHECK-LABEL: tile.kernel @all
// CHECK: = load %{{.*}} #tile.register_layout<register[4,2] lane[1,32] register[1,8] warp[2,1]>>
// CHECK: = load %{{.*}} #tile.register_layout<register[2] lane[32] register[8] warp*2>>
tile.kernel @all(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 321, 352>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 8, 1, 1>} {
  %i = tile.iota 0 : tensor<8xi64>
  %l = tile.splat %left : i64 -> tensor<8xi64>
  %some = arith.cmpi slt, %i, %l : tensor<8xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<8xi64>
  %at = arith.muli %i, %s : tensor<8xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<8x!tile.ptr<f16>>, tensor<8xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<8x!tile.ptr<f16>> -> tensor<8x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<8x1x!tile.ptr<f16>> -> tensor<8x512x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<512xi32>
  %end = tile.splat %n : i32 -> tensor<512xi32>
  %in = arith.cmpi slt, %c, %end : tensor<512xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %cs = tile.broadcast %ce : tensor<1x512xi32> -> tensor<8x512xi32>
  %p = tile.addptr %ps, %cs : tensor<8x512x!tile.ptr<f16>>, tensor<8x512xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %active = tile.broadcast %se : tensor<8x1xi1> -> tensor<8x512xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<512xi1> -> tensor<1x512xi1>
  %inside = tile.broadcast %ie : tensor<1x512xi1> -> tensor<8x512xi1>
  %mask = arith.andi %active, %inside : tensor<8x512xi1>
  %x = tile.load %p mask %mask : tensor<8x512x!tile.ptr<f16>>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %w = tile.addptr %ws, %c : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  %weights = tile.load %w mask %in : tensor<512x!tile.ptr<f16>>
  %we = tile.expand_dims %weights {axis = 0 : i32} : tensor<512xf16> -> tensor<1x512xf16>
  %wb = tile.broadcast %we : tensor<1x512xf16> -> tensor<8x512xf16>
  %y = arith.mulf %x, %wb : tensor<8x512xf16>
  tile.store %p, %y mask %mask : tensor<8x512x!tile.ptr<f16>>
  tile.return
}

// -----

// All lanes have a row of a wide tile.
// CHECK-LABEL: tile.kernel @wide
// CHECK: = load %{{.*}} #tile.register_layout<register[2,1] lane[1,32] register[1,32] warp[2,1]>>
tile.kernel @wide(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.bounds = array<i64: 769, 832>}, %left: i64)
    attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64>
  %l = tile.splat %left : i64 -> tensor<4xi64>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64>
  %wide = arith.extsi %n : i32 to i64
  %s = tile.splat %wide : i64 -> tensor<4xi64>
  %at = arith.muli %i, %s : tensor<4xi64>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>>, tensor<4xi64>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>> -> tensor<4x1x!tile.ptr<f16>>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>> -> tensor<4x1024x!tile.ptr<f16>>
  %c = tile.iota 0 : tensor<1024xi32>
  %end = tile.splat %n : i32 -> tensor<1024xi32>
  %in = arith.cmpi slt, %c, %end : tensor<1024xi32>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %cs = tile.broadcast %ce : tensor<1x1024xi32> -> tensor<4x1024xi32>
  %p = tile.addptr %ps, %cs : tensor<4x1024x!tile.ptr<f16>>, tensor<4x1024xi32>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1> -> tensor<4x1xi1>
  %active = tile.broadcast %se : tensor<4x1xi1> -> tensor<4x1024xi1>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<1024xi1> -> tensor<1x1024xi1>
  %inside = tile.broadcast %ie : tensor<1x1024xi1> -> tensor<4x1024xi1>
  %mask = arith.andi %active, %inside : tensor<4x1024xi1>
  %x = tile.load %p mask %mask : tensor<4x1024x!tile.ptr<f16>>
  tile.store %p, %x mask %mask : tensor<4x1024x!tile.ptr<f16>>
  tile.return
}
