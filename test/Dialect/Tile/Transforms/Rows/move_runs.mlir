// Short rows of several programs, moved by what each warp has of them in one run of memory.

// RUN: tile-opt --tile-move-runs --split-input-file %s | FileCheck %s

#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[8] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,8] warp[2,1]>
// CHECK-LABEL: tile.kernel @rows(
// CHECK: %[[ROWS:.*]] = broadcast %{{.*}} -> tensor<4x256x!tile.ptr<f16>
// CHECK: %[[ACTIVE:.*]] = broadcast %{{.*}} : tensor<4x1xi1
// CHECK: %[[INSIDE:.*]] = broadcast %{{.*}} : tensor<1x256xi1
// CHECK: %[[S:.*]] = alloc_shared : !tile.shared<4x256xf16, #tile.shared_layout<4x256, pad 16 every 256>>
// CHECK: %[[N:.*]] = arith.index_cast %n : i32 to index
// CHECK: %[[X:.*]] = load_run %[[ROWS]] mask %[[ACTIVE]], %[[INSIDE]] else %{{.*}} count %[[N]] through %[[S]] {least = 193 : i64, most = 208 : i64}
// CHECK: %[[T:.*]] = alloc_shared
// CHECK: store_run %[[X]], %[[ROWS]] mask %[[ACTIVE]], %[[INSIDE]] count %{{.*}} through %[[T]] {least = 193 : i64, most = 208 : i64}
// CHECK-NOT: = load %
// CHECK-NOT: store %
tile.kernel @rows(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 193, 208>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x256x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<256xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32, #columns> -> tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %cs = tile.broadcast %ce : tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x256x!tile.ptr<f16>, #all>, tensor<4x256xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x256xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1, #columns> -> tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %inside = tile.broadcast %ie : tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x256xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.return
}

// -----

// Columns from a scalar on: a run has what is left of the rows, which is the whole of them from column 0 on.
#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[8] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,8] warp[2,1]>
// CHECK-LABEL: tile.kernel @part(
// CHECK: %[[ROWS:.*]] = broadcast %{{.*}} -> tensor<4x256x!tile.ptr<f16>
// CHECK: %[[FIRST:.*]] = arith.minsi %start, %n : i32
// CHECK: %[[LEFT:.*]] = arith.subi %n, %[[FIRST]] : i32
// CHECK: %[[STARTS:.*]] = splat %start : i32 -> tensor<4x256xi32
// CHECK: %[[PARTS:.*]] = addptr %[[ROWS]], %[[STARTS]]
// CHECK: %[[N:.*]] = arith.index_cast %[[LEFT]] : i32 to index
// CHECK: %[[X:.*]] = load_run %[[PARTS]] mask %{{.*}}, %{{.*}} else %{{.*}} count %[[N]] through %{{.*}} {least = 193 : i64, most = 208 : i64}
// CHECK: store_run %[[X]], %{{.*}} mask
tile.kernel @part(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 193, 208>}, %left: i64, %start: i32) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x256x!tile.ptr<f16>, #all>
  %steps = tile.iota 0 : tensor<256xi32, #columns>
  %firsts = tile.splat %start : i32 -> tensor<256xi32, #columns>
  %c = arith.addi %firsts, %steps : tensor<256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<256xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32, #columns> -> tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %cs = tile.broadcast %ce : tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x256x!tile.ptr<f16>, #all>, tensor<4x256xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x256xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1, #columns> -> tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %inside = tile.broadcast %ie : tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x256xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.return
}

// -----

// The mask is of other columns than the addresses.
#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[8] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,8] warp[2,1]>
// CHECK-LABEL: tile.kernel @others(
// CHECK-NOT: _run
tile.kernel @others(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 193, 208>}, %left: i64, %start: i32) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x256x!tile.ptr<f16>, #all>
  %steps = tile.iota 0 : tensor<256xi32, #columns>
  %firsts = tile.splat %start : i32 -> tensor<256xi32, #columns>
  %c = arith.addi %firsts, %steps : tensor<256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<256xi32, #columns>
  %in = arith.cmpi slt, %steps, %end : tensor<256xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32, #columns> -> tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %cs = tile.broadcast %ce : tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x256x!tile.ptr<f16>, #all>, tensor<4x256xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x256xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1, #columns> -> tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %inside = tile.broadcast %ie : tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x256xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.return
}

// -----

// Words that rows do not begin a line with are stored in parts of sectors; rows of a lane's words in whole ones.
#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[8] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,8] warp[2,1]>
// CHECK-LABEL: tile.kernel @words(
// CHECK: = load_run %{{.*}} {least = 193 : i64, most = 208 : i64}
// CHECK: store_run %{{.*}} {least = 193 : i64, most = 208 : i64}
tile.kernel @words(%A: !tile.ptr<f32>, %stride: i64, %n: i32 {tile.bounds = array<i64: 193, 208>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f32>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f32>, #rows> -> tensor<4x1x!tile.ptr<f32>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f32>, #one> -> tensor<4x256x!tile.ptr<f32>, #all>
  %c = tile.iota 0 : tensor<256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<256xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32, #columns> -> tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %cs = tile.broadcast %ce : tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x256x!tile.ptr<f32>, #all>, tensor<4x256xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x256xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1, #columns> -> tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %inside = tile.broadcast %ie : tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x256xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f32>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f32>, #all>
  tile.return
}

// -----

// Of longer rows few sectors are not whole.
#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[16] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,16] warp[2,1]>
// CHECK-LABEL: tile.kernel @wide_words(
// CHECK-NOT: _run
// CHECK: = load %
// CHECK: store %
tile.kernel @wide_words(%A: !tile.ptr<f32>, %stride: i64, %n: i32 {tile.bounds = array<i64: 321, 352>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f32>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f32>, #rows> -> tensor<4x1x!tile.ptr<f32>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f32>, #one> -> tensor<4x512x!tile.ptr<f32>, #all>
  %c = tile.iota 0 : tensor<512xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<512xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<512xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32, #columns> -> tensor<1x512xi32, #tile.register_layout<lane[1,32] register[1,16] warp*2>>
  %cs = tile.broadcast %ce : tensor<1x512xi32, #tile.register_layout<lane[1,32] register[1,16] warp*2>> -> tensor<4x512xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x512x!tile.ptr<f32>, #all>, tensor<4x512xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x512xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<512xi1, #columns> -> tensor<1x512xi1, #tile.register_layout<lane[1,32] register[1,16] warp*2>>
  %inside = tile.broadcast %ie : tensor<1x512xi1, #tile.register_layout<lane[1,32] register[1,16] warp*2>> -> tensor<4x512xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x512xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x512x!tile.ptr<f32>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x512x!tile.ptr<f32>, #all>
  tile.return
}

// -----

// Of rows of few columns lanes would be without any.
#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[8] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,8] warp[2,1]>
// CHECK-LABEL: tile.kernel @short_words(
// CHECK: load_run %{{.*}} {least = 33 : i64, most = 36 : i64}
// CHECK: store_run %{{.*}} {least = 33 : i64, most = 36 : i64}
tile.kernel @short_words(%A: !tile.ptr<f32>, %stride: i64, %n: i32 {tile.bounds = array<i64: 33, 36>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f32>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f32>, #rows> -> tensor<4x1x!tile.ptr<f32>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f32>, #one> -> tensor<4x256x!tile.ptr<f32>, #all>
  %c = tile.iota 0 : tensor<256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<256xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32, #columns> -> tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %cs = tile.broadcast %ce : tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x256x!tile.ptr<f32>, #all>, tensor<4x256xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x256xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1, #columns> -> tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>>
  %inside = tile.broadcast %ie : tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,8] warp*2>> -> tensor<4x256xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x256xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f32>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f32>, #all>
  tile.return
}


// -----

// What takes from one row to the next is a multiple of 8, and a row is of any length: they are no run.
#rows = #tile.register_layout<lane*4 lane[8] warp[2]>
#columns = #tile.register_layout<lane[4] register[16] lane*8 warp*2>
#one = #tile.register_layout<lane*4 lane[8,1] warp[2,1]>
#line = #tile.register_layout<lane[1,4] register[1,16] lane*8 warp*2>
#all = #tile.register_layout<lane[1,4] register[1,16] lane[8,1] warp[2,1]>
// CHECK-LABEL: tile.kernel @known_apart(
// CHECK: load_run %{{.*}} {apart, least = 33 : i64, most = 36 : i64}
// CHECK: store_run %{{.*}} {apart, least = 33 : i64, most = 36 : i64}
tile.kernel @known_apart(%A: !tile.ptr<f16>, %stride: i64 {tile.divisibility = 8}, %n: i32 {tile.bounds = array<i64: 33, 36>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 16, 1, 1>} {
  %i = tile.iota 0 : tensor<16xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<16xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<16xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<16xi64, #rows>
  %at = arith.muli %i, %s : tensor<16xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<16x!tile.ptr<f16>, #rows>, tensor<16xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<16x!tile.ptr<f16>, #rows> -> tensor<16x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<16x1x!tile.ptr<f16>, #one> -> tensor<16x64x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<64xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<64xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #line>
  %cs = tile.broadcast %ce : tensor<1x64xi32, #line> -> tensor<16x64xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<16x64x!tile.ptr<f16>, #all>, tensor<16x64xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<16xi1, #rows> -> tensor<16x1xi1, #one>
  %active = tile.broadcast %se : tensor<16x1xi1, #one> -> tensor<16x64xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1, #columns> -> tensor<1x64xi1, #line>
  %inside = tile.broadcast %ie : tensor<1x64xi1, #line> -> tensor<16x64xi1, #all>
  %mask = arith.andi %active, %inside : tensor<16x64xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<16x64x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<16x64x!tile.ptr<f16>, #all>
  tile.return
}

// -----

#rows = #tile.register_layout<lane*4 lane[8] warp[2]>
#columns = #tile.register_layout<lane[4] register[16] lane*8 warp*2>
#one = #tile.register_layout<lane*4 lane[8,1] warp[2,1]>
#line = #tile.register_layout<lane[1,4] register[1,16] lane*8 warp*2>
#all = #tile.register_layout<lane[1,4] register[1,16] lane[8,1] warp[2,1]>
// CHECK-LABEL: tile.kernel @may_be_a_run(
// CHECK: load_run %{{.*}} {least = 33 : i64, most = 36 : i64}
// CHECK: store_run %{{.*}} {least = 33 : i64, most = 36 : i64}
tile.kernel @may_be_a_run(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 33, 36>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 16, 1, 1>} {
  %i = tile.iota 0 : tensor<16xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<16xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<16xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<16xi64, #rows>
  %at = arith.muli %i, %s : tensor<16xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<16x!tile.ptr<f16>, #rows>, tensor<16xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<16x!tile.ptr<f16>, #rows> -> tensor<16x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<16x1x!tile.ptr<f16>, #one> -> tensor<16x64x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<64xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<64xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #line>
  %cs = tile.broadcast %ce : tensor<1x64xi32, #line> -> tensor<16x64xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<16x64x!tile.ptr<f16>, #all>, tensor<16x64xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<16xi1, #rows> -> tensor<16x1xi1, #one>
  %active = tile.broadcast %se : tensor<16x1xi1, #one> -> tensor<16x64xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1, #columns> -> tensor<1x64xi1, #line>
  %inside = tile.broadcast %ie : tensor<1x64xi1, #line> -> tensor<16x64xi1, #all>
  %mask = arith.andi %active, %inside : tensor<16x64xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<16x64x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<16x64x!tile.ptr<f16>, #all>
  tile.return
}

// -----

// No warp has whole rows.
#rows = #tile.register_layout<register[4] lane*32 warp*2>
#columns = #tile.register_layout<lane[32] register[4] warp[2]>
#one = #tile.register_layout<register[4,1] lane*32 warp*2>
#all = #tile.register_layout<register[4,1] lane[1,32] register[1,4] warp[1,2]>
// CHECK-LABEL: tile.kernel @parts(
// CHECK-NOT: _run
// CHECK: = load %
tile.kernel @parts(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 193, 208>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x256x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<256xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<256xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<256xi32, #columns> -> tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,4] warp[1,2]>>
  %cs = tile.broadcast %ce : tensor<1x256xi32, #tile.register_layout<lane[1,32] register[1,4] warp[1,2]>> -> tensor<4x256xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x256x!tile.ptr<f16>, #all>, tensor<4x256xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x256xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<256xi1, #columns> -> tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,4] warp[1,2]>>
  %inside = tile.broadcast %ie : tensor<1x256xi1, #tile.register_layout<lane[1,32] register[1,4] warp[1,2]>> -> tensor<4x256xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x256xi1, #all>
  %x = tile.load %p mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x256x!tile.ptr<f16>, #all>
  tile.return
}

// -----

// A program's own rows, which go down through memory where they are loaded: from where the last column is.
#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[2] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#line = #tile.register_layout<lane[1,32] register[1,2] warp*2>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>
// CHECK-LABEL: tile.kernel @turned(
// CHECK: %[[ROWS:.*]] = broadcast %{{.*}} -> tensor<4x64x!tile.ptr<f16>
// CHECK: %[[MORE:.*]] = arith.subi %n, %{{.*}} : i32
// CHECK: %[[LAST:.*]] = arith.subi %last, %[[MORE]] : i32
// CHECK: %[[BY:.*]] = splat %[[LAST]] : i32
// CHECK: %[[BEGIN:.*]] = addptr %[[ROWS]], %[[BY]]
// CHECK: load_run %[[BEGIN]] mask {{.*}} {least = 33 : i64, most = 36 : i64, reversed}
// CHECK: store_run %{{.*}}, %[[ROWS]] mask {{.*}} {least = 33 : i64, most = 36 : i64} :
tile.kernel @turned(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 33, 36>}, %last: i32 {tile.bounds = array<i64: 32, 35>}, %left: i64) attributes {num_warps = 2 : i32} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x64x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<64xi32, #columns>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #line>
  %end = tile.splat %n : i32 -> tensor<1x64xi32, #line>
  %in = arith.cmpi slt, %ce, %end : tensor<1x64xi32, #line>
  %from = tile.splat %last : i32 -> tensor<1x64xi32, #line>
  %back = arith.subi %from, %ce : tensor<1x64xi32, #line>
  %cs = tile.broadcast %ce : tensor<1x64xi32, #line> -> tensor<4x64xi32, #all>
  %bs = tile.broadcast %back : tensor<1x64xi32, #line> -> tensor<4x64xi32, #all>
  %p = tile.addptr %ps, %cs : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi32, #all>
  %q = tile.addptr %ps, %bs : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi32, #all>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x64xi1, #all>
  %inside = tile.broadcast %in : tensor<1x64xi1, #line> -> tensor<4x64xi1, #all>
  %mask = arith.andi %active, %inside : tensor<4x64xi1, #all>
  %x = tile.load %q mask %mask {vector_width = 1 : i64} : tensor<4x64x!tile.ptr<f16>, #all>
  tile.store %p, %x mask %mask {vector_width = 1 : i64} : tensor<4x64x!tile.ptr<f16>, #all>
  tile.return
}
