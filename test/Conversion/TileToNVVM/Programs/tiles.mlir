// Tiles become the registers of one thread.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: tile-opt --convert-tile-to-nvvm --split-input-file %s | FileCheck %s --check-prefix=RAW

// Numbers of iota from the lane and the warp: register 1 of a pair is one more.
#line = #tile.register_layout<register[2] lane[32] warp[4]>
// CHECK-LABEL: llvm.func @iota
// CHECK: %[[LANE:.*]] = arith.shli %{{.*}}, %c1_i32 : i32
// CHECK: %[[WARP:.*]] = arith.shli %{{.*}}, %c6_i32 : i32
// CHECK: %[[FIRST:.*]] = arith.ori %[[LANE]], %[[WARP]] : i32
// CHECK: %[[A:.*]] = arith.addi %[[FIRST]], %c1000_i32 : i32
// CHECK: %[[B:.*]] = arith.addi %[[FIRST]], %c1001_i32 : i32
// CHECK: arith.muli %[[A]], %[[A]] : i32
// CHECK: arith.muli %[[B]], %[[B]] : i32
tile.kernel @iota(%P: !tile.ptr<i32>) {
  %i = tile.iota 1000 : tensor<256xi32, #line>
  %j = arith.muli %i, %i : tensor<256xi32, #line>
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #line>
  tile.store %ps, %j {vector_width = 1 : i64} : tensor<256x!tile.ptr<i32>, #line>
  tile.return
}

// -----

// Narrow, wide and index numbers.
#line = #tile.register_layout<lane[32] warp*4>
// CHECK-LABEL: llvm.func @iota_types
// CHECK-DAG: arith.trunci %{{.*}} : i32 to i8
// CHECK-DAG: arith.extui %{{.*}} : i32 to i64
// CHECK-DAG: arith.index_castui %{{.*}} : i32 to index
tile.kernel @iota_types(%P: !tile.ptr<i8>, %Q: !tile.ptr<i64>) {
  %i = tile.iota 0 : tensor<32xi8, #line>
  %j = tile.iota 0 : tensor<32xi64, #line>
  %k = tile.iota 0 : tensor<32xindex, #line>
  %l = arith.index_cast %k : tensor<32xindex, #line> to tensor<32xi64, #line>
  %m = arith.addi %l, %j : tensor<32xi64, #line>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<32x!tile.ptr<i8>, #line>
  %qs = tile.splat %Q : !tile.ptr<i64> -> tensor<32x!tile.ptr<i64>, #line>
  tile.store %ps, %i {vector_width = 1 : i64} : tensor<32x!tile.ptr<i8>, #line>
  tile.store %qs, %m {vector_width = 1 : i64} : tensor<32x!tile.ptr<i64>, #line>
  tile.return
}

// -----

// Splats, constants and arithmetic, register by register; attributes of ops stay.
#line = #tile.register_layout<register[2] lane[32] warp*4>
// RAW-LABEL: llvm.func @elementwise
// RAW: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// RAW: %[[A:.*]] = arith.addf %arg1, %[[TWO]] fastmath<fast> : f32
// RAW: %[[B:.*]] = arith.addf %arg1, %[[TWO]] fastmath<fast> : f32
// RAW: math.sqrt %[[A]] : f32
// RAW: math.sqrt %[[B]] : f32
// RAW: arith.select %arg2
// RAW: arith.select %arg2
tile.kernel @elementwise(%P: !tile.ptr<f32>, %x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<64xf32, #line>
  %two = arith.constant dense<2.0> : tensor<64xf32, #line>
  %u = arith.addf %t, %two fastmath<fast> : tensor<64xf32, #line>
  %v = math.sqrt %u : tensor<64xf32, #line>
  %w = arith.select %c, %v, %u : tensor<64xf32, #line>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #line>
  tile.store %ps, %w {vector_width = 1 : i64} : tensor<64x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// A transpose, a reshape and an expansion rename registers; a broadcast repeats them; a conversion within
// threads changes their order. None is an instruction. (All loads are of one address, and volatile: else there would be one.)
#a = #tile.register_layout<lane[32,1] warp*4 register[1,2]>
#at = #tile.register_layout<lane[1,32] warp*4 register[2,1]>
#flat = #tile.register_layout<lane[32] warp*4 register[2]>
#flat2 = #tile.register_layout<lane[32,1] warp*4 register[2,1]>
#wide = #tile.register_layout<lane[32,1] warp*4 register[2,4]>
// RAW-LABEL: llvm.func @moves
// RAW: %[[X:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// RAW: %[[Y:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// RAW-NOT: arith.addf
// The tile is 2 x 32 by rows; registers are its rows, repeated along the last dimension.
// RAW: llvm.bitcast %[[X]] : f32 to i32
// RAW: llvm.bitcast %[[X]] : f32 to i32
// RAW: llvm.bitcast %[[X]] : f32 to i32
// RAW: llvm.bitcast %[[X]] : f32 to i32
// RAW: llvm.bitcast %[[Y]] : f32 to i32
tile.kernel @moves(%P: !tile.ptr<f32>, %Q: !tile.ptr<f32>, %n: index) {
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<32x2x!tile.ptr<f32>, #a>
  %t = tile.load %ps volatile {vector_width = 1 : i64} : tensor<32x2x!tile.ptr<f32>, #a>
  %u = tile.trans %t [1, 0] : tensor<32x2xf32, #a> -> tensor<2x32xf32, #at>
  %v = tile.reshape %u : tensor<2x32xf32, #at> -> tensor<64xf32, #flat>
  %w = tile.expand_dims %v {axis = 1 : i32} : tensor<64xf32, #flat> -> tensor<64x1xf32, #flat2>
  %x = tile.broadcast %w : tensor<64x1xf32, #flat2> -> tensor<64x4xf32, #wide>
  %q = tile.view %Q, shape [64, 4], strides [4, 1] : !tile.ptr<f32> -> !tile.view<64x4xf32, [4, 1]>
  tile.store_view %x, %q[%n, %n] {vector_width = 1 : i64} : tensor<64x4xf32, #wide>, !tile.view<64x4xf32, [4, 1]>
  tile.return
}

// -----

#a = #tile.register_layout<lane[32,1] warp*4 register[1,4]>
#b = #tile.register_layout<32x4, register = [[0, 2], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]]>
// The stores, by rows, take registers 0, 2, 1, 3 of the loads.
// RAW-LABEL: llvm.func @convert_within_threads
// RAW: %[[R0:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// RAW: %[[R1:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// RAW: %[[R2:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// RAW: %[[R3:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// RAW: %[[N0:.*]] = arith.negf %[[R0]]
// RAW: %[[N1:.*]] = arith.negf %[[R2]]
// RAW: %[[N2:.*]] = arith.negf %[[R1]]
// RAW: %[[N3:.*]] = arith.negf %[[R3]]
tile.kernel @convert_within_threads(%P: !tile.ptr<f32>) {
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<32x4x!tile.ptr<f32>, #a>
  %t = tile.load %ps volatile {vector_width = 1 : i64} : tensor<32x4x!tile.ptr<f32>, #a>
  %u = tile.convert_layout %t : tensor<32x4xf32, #a> -> tensor<32x4xf32, #b>
  %v = arith.negf %u : tensor<32x4xf32, #b>
  %qs = tile.splat %P : !tile.ptr<f32> -> tensor<32x4x!tile.ptr<f32>, #b>
  tile.store %qs, %v {vector_width = 1 : i64} : tensor<32x4x!tile.ptr<f32>, #b>
  tile.return
}

// -----

// Loops and branches carry registers.
#line = #tile.register_layout<register[2] lane[32] warp*4>
// CHECK-LABEL: llvm.func @control_flow
// CHECK: scf.for {{.*}} -> (f32, f32)
// CHECK: scf.if
tile.kernel @control_flow(%P: !tile.ptr<f32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #line>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<64x!tile.ptr<f32>, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> tensor<64xf32, #line> {
    %y = arith.addf %x, %t : tensor<64xf32, #line>
    scf.yield %y : tensor<64xf32, #line>
  }
  scf.if %c {
    tile.store %ps, %r {vector_width = 1 : i64} : tensor<64x!tile.ptr<f32>, #line>
  }
  tile.return
}

// -----

// A row of a multiple of 8 elements ends with a vector: there is one comparison for all of its elements.
#row = #tile.register_layout<register[8] lane[32] warp*4>
// CHECK-LABEL: llvm.func @masks
// CHECK-COUNT-1: arith.cmpi slt
// CHECK-NOT: arith.cmpi slt
// Of any other one each has its own.
// CHECK-LABEL: llvm.func @masks_of_any
// CHECK-COUNT-8: arith.cmpi slt
tile.kernel @masks(%P: !tile.ptr<f32>, %n: i32 {tile.divisibility = 8 : i64}) {
  %places = tile.iota 0 : tensor<256xi32, #row>
  %end = tile.splat %n : i32 -> tensor<256xi32, #row>
  %inside = arith.cmpi slt, %places, %end : tensor<256xi32, #row>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #row>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<256x!tile.ptr<f32>, #row>
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #row>
  %u = arith.select %inside, %t, %zeros : tensor<256xi1, #row>, tensor<256xf32, #row>
  tile.store %ps, %u {vector_width = 1 : i64} : tensor<256x!tile.ptr<f32>, #row>
  tile.return
}
tile.kernel @masks_of_any(%P: !tile.ptr<f32>, %n: i32) {
  %places = tile.iota 0 : tensor<256xi32, #row>
  %end = tile.splat %n : i32 -> tensor<256xi32, #row>
  %inside = arith.cmpi slt, %places, %end : tensor<256xi32, #row>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #row>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<256x!tile.ptr<f32>, #row>
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #row>
  %u = arith.select %inside, %t, %zeros : tensor<256xi1, #row>, tensor<256xf32, #row>
  tile.store %ps, %u {vector_width = 1 : i64} : tensor<256x!tile.ptr<f32>, #row>
  tile.return
}

// -----

// Places have other names, and registers stay; both halves of words are compared at once.
#in_turns = #tile.register_layout<lane[32] register[2] warp*4>
#neighbours = #tile.register_layout<register[2] lane[32] warp*4>
// CHECK-LABEL: llvm.func @sorted
// CHECK-DAG: %[[A:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xi16>
// CHECK-DAG: %[[X:.*]] = llvm.bitcast %arg1 : i32 to vector<2xi16>
// CHECK: %[[LEAST:.*]] = llvm.intr.smin(%[[A]], %[[X]])
// CHECK: %[[MOST:.*]] = llvm.intr.smax(%[[LEAST]], %[[A]])
// CHECK: llvm.bitcast %[[MOST]] : vector<2xi16> to i32
tile.kernel @sorted(%P: !tile.ptr<i32>, %x: i32) {
  %i = tile.iota 0 : tensor<64xi32, #in_turns>
  %t = tile.any_order %i : tensor<64xi32, #in_turns> -> tensor<64xi32, #neighbours>
  %xs = tile.splat %x : i32 -> tensor<64xi32, #neighbours>
  %u = tile.pair_min %t, %xs : tensor<64xi32, #neighbours>
  %v = tile.pair_max %u, %t : tensor<64xi32, #neighbours>
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #neighbours>
  tile.store %ps, %v {vector_width = 1 : i64} : tensor<64x!tile.ptr<i32>, #neighbours>
  tile.return
}

// -----

// Four neighbours are in one row of 64: its number is computed once.
#vectors = #tile.register_layout<register[4] lane[32] warp[4]>
// RAW-LABEL: llvm.func @rows
// RAW: %[[ROW:.*]] = arith.divui
// RAW-NOT: arith.divui
// RAW-COUNT-4: llvm.bitcast %[[ROW]] : i32 to i32
// RAW-NOT: arith.divui
tile.kernel @rows(%P: !tile.ptr<i32>) {
  %i = tile.iota 0 : tensor<512xi32, #vectors>
  %columns = arith.constant dense<64> : tensor<512xi32, #vectors>
  %row = arith.divui %i, %columns : tensor<512xi32, #vectors>
  %p = tile.splat %P : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>, #vectors>
  tile.store %p, %row {vector_width = 1 : i64} : tensor<512x!tile.ptr<i32>, #vectors>
  tile.return
}
