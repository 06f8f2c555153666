// Blocks that stay, and run programs with long rows in turn.

// RUN: split-file %s %t
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-persist-rows --tile-canonicalize --cse %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-persist-rows %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: persistent

// With 32 elements a thread they are taken in turn, as they come, by two warps and more.
// DEFINE: %{rows} = sed -n '/kernel @shorter/,$p' %t/kernels.mlir | sed 's/8192/2048/g; s/8191/2047/; s/tile.divisibility = 16/tile.disjoint, &/g; s/%%Y: !tile.ptr<f16>/& {tile.disjoint}/'
// DEFINE: %{pass} = tile-opt --tile-set-target=target=sm_90a --tile-persist-rows --tile-canonicalize --cse
// RUN: %{rows} | sed 's/num_warps = 4/num_warps = 2/' | %{pass} | FileCheck %s --check-prefix=TURN
// TURN: persistent
// TURN: %[[BLOCKS:.*]] = num_blocks
// TURN: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[BLOCKS]]
// TURN-NOT: scf.for
// TURN: {{^ *}}return
// Long ones beside two tiles of weights begin alike by sectors, and are rotated so; 65536 is the least tile.
// DEFINE: %{long} = sed -n '/kernel @shorter/,$p' %t/kernels.mlir | sed 's/8192/65536/g; s/8191/65001/; s/num_warps = 4/cluster_blocks = 4 : i32, num_warps = 16/'
// RUN: %{long} | %{pass} | FileCheck %s --check-prefix=SECTOR
// SECTOR-DAG: arith.constant 16 : index
// SECTOR: scf.for
// SECTOR: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16
// RUN: %{long} | sed 's/65536/32768/g; s/65001/32001/' | %{pass} | FileCheck %s --check-prefix=VECTOR
// VECTOR: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
// RUN: %{rows} | sed 's/num_warps = 4/num_warps = 1/; s/2048/1024/g; s/2047/1023/' | %{pass} | FileCheck %s --check-prefix=OFF

//--- kernels.mlir

// A row a program: clusters take one after the other.
// CHECK-LABEL: tile.kernel @distances
// CHECK-SAME: cluster_blocks = 4 : i32, num_warps = 32 : i32, persistent
// CHECK-DAG: %[[PROGRAMS:.*]] = num_programs 0
// CHECK-DAG: %[[FIRST:.*]] = block_id
// CHECK-DAG: %[[STEP:.*]] = num_blocks
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[PROGRAMS]] step %[[STEP]] {
// CHECK: arith.muli %[[ROW]]
// CHECK: tile.reduce
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
tile.kernel @distances(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 32 : i32, cluster_blocks = 4 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 32768 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<32768xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<32768x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<32768x!tile.ptr<f16>>, tensor<32768xi32>
  %v = tile.load %xp : tensor<32768x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<32768xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %y = tile.addptr %Y, %row : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<32768x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<32768x!tile.ptr<f16>>, tensor<32768xi32>
  %maxes = tile.splat %max : f16 -> tensor<32768xf16>
  %r = arith.subf %v, %maxes : tensor<32768xf16>
  tile.store %yp, %r : tensor<32768x!tile.ptr<f16>>
  tile.return
}

// Rows that begin anywhere, and nothing else.
// CHECK-LABEL: tile.kernel @odd
// CHECK-SAME: persistent
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: scf.for
// CHECK: {{^ *}}return
tile.kernel @odd(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 16385 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  tile.store %yp, %v : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// And weights, which are rotated with them: those that begin alike one after the other.
// CHECK-LABEL: tile.kernel @weighted
// CHECK-SAME: persistent
// CHECK-DAG: %[[PHASES:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[PHASE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[PLACE:.*]] = arith.muli %{{.*}}, %[[PHASES]]
// CHECK: %[[BEGIN:.*]] = arith.addi %[[PHASE]], %[[PLACE]]
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN]] to %{{.*}} step %[[PHASES]] {
// CHECK: arith.muli %[[ROW]]
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
tile.kernel @weighted(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 16385 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %w = tile.load %wp : tensor<16384x!tile.ptr<f16>>
  %maxes = tile.splat %max : f16 -> tensor<16384xf16>
  %d = arith.subf %v, %maxes : tensor<16384xf16>
  %r = arith.mulf %d, %w : tensor<16384xf16>
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  tile.store %yp, %r : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// Shorter ones, with as many weights as rows, where a thread has 64 elements.
// CHECK-LABEL: tile.kernel @shorter
// CHECK-SAME: persistent
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
// CHECK: {{^ *}}return
tile.kernel @shorter(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 4 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 8191 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<8192xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %v = tile.load %xp : tensor<8192x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<8192xf16> -> f16 {
  ^bb0(%a: f16, %c: f16):
    %d = arith.maximumf %a, %c : f16
    tile.yield %d : f16
  }
  %maxes = tile.splat %max : f16 -> tensor<8192xf16>
  %less = arith.subf %v, %maxes : tensor<8192xf16>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %w = tile.load %wp : tensor<8192x!tile.ptr<f16>>
  %m = arith.mulf %less, %w : tensor<8192xf16>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %b = tile.load %bp : tensor<8192x!tile.ptr<f16>>
  %r = arith.addf %m, %b : tensor<8192xf16>
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  tile.store %yp, %r : tensor<8192x!tile.ptr<f16>>
  tile.return
}

//--- declined.mlir

// A thread has 16 elements.
tile.kernel @many_warps(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 8191 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<8192xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %v = tile.load %xp : tensor<8192x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<8192xf16> -> f16 {
  ^bb0(%a: f16, %c: f16):
    %d = arith.maximumf %a, %c : f16
    tile.yield %d : f16
  }
  %maxes = tile.splat %max : f16 -> tensor<8192xf16>
  %less = arith.subf %v, %maxes : tensor<8192xf16>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %w = tile.load %wp : tensor<8192x!tile.ptr<f16>>
  %m = arith.mulf %less, %w : tensor<8192xf16>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %b = tile.load %bp : tensor<8192x!tile.ptr<f16>>
  %r = arith.addf %m, %b : tensor<8192xf16>
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  tile.store %yp, %r : tensor<8192x!tile.ptr<f16>>
  tile.return
}

// Rows are rotated, and weights with them.
tile.kernel @few_weights(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 4 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 8191 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<8192xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %v = tile.load %xp : tensor<8192x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<8192xf16> -> f16 {
  ^bb0(%a: f16, %c: f16):
    %d = arith.maximumf %a, %c : f16
    tile.yield %d : f16
  }
  %maxes = tile.splat %max : f16 -> tensor<8192xf16>
  %less = arith.subf %v, %maxes : tensor<8192xf16>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %w = tile.load %wp : tensor<8192x!tile.ptr<f16>>
  %m = arith.mulf %less, %w : tensor<8192xf16>
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  tile.store %yp, %m : tensor<8192x!tile.ptr<f16>>
  tile.return
}

// Two warps have many blocks beside theirs.
tile.kernel @one_warp_group(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 2 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 8191 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<8192xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %v = tile.load %xp : tensor<8192x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<8192xf16> -> f16 {
  ^bb0(%a: f16, %c: f16):
    %d = arith.maximumf %a, %c : f16
    tile.yield %d : f16
  }
  %maxes = tile.splat %max : f16 -> tensor<8192xf16>
  %less = arith.subf %v, %maxes : tensor<8192xf16>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %w = tile.load %wp : tensor<8192x!tile.ptr<f16>>
  %m = arith.mulf %less, %w : tensor<8192xf16>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %b = tile.load %bp : tensor<8192x!tile.ptr<f16>>
  %r = arith.addf %m, %b : tensor<8192xf16>
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  tile.store %yp, %r : tensor<8192x!tile.ptr<f16>>
  tile.return
}

// A row that leaves a third of its tile, of 10240 columns at the most, is a short one.
tile.kernel @leaves_a_part(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 9217, 10240>, tile.divisibility = 16 : i64}) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %columns = arith.index_cast %n : i32 to index
  %place = arith.muli %row, %columns : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %end = tile.splat %n : i32 -> tensor<16384xi32>
  %inside = arith.cmpi slt, %i, %end : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp mask %inside : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %maxes = tile.splat %max : f16 -> tensor<16384xf16>
  %r = arith.subf %v, %maxes : tensor<16384xf16>
  tile.store %yp, %r mask %inside : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// Rows of which a multiprocessor has many.
tile.kernel @short(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) {
  %row = tile.program_id 0
  %elements = arith.constant 8192 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<8192xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %v = tile.load %xp : tensor<8192x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<8192xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %maxes = tile.splat %max : f16 -> tensor<8192xf16>
  %r = arith.subf %v, %maxes : tensor<8192xf16>
  tile.store %yp, %r : tensor<8192x!tile.ptr<f16>>
  tile.return
}

// What is loaded is the same for all programs.
tile.kernel @one_row(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %y = tile.addptr %Y, %row : !tile.ptr<f16>, index
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %maxes = tile.splat %max : f16 -> tensor<16384xf16>
  %r = arith.subf %v, %maxes : tensor<16384xf16>
  tile.store %yp, %r : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// A program that goes along rows itself has its own order.
tile.kernel @rows(%X: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16> {tile.disjoint}, %n: i32, %stride: i64 {tile.divisibility = 8 : i64}) attributes {num_warps = 16 : i32} {
  %p = tile.program_id 0
  %c = tile.num_programs 0
  %first = arith.index_cast %p : index to i32
  %step = arith.index_cast %c : index to i32
  %zero = arith.constant 0 : i32
  %counts = arith.cmpi sgt, %step, %zero : i32
  tile.assert %counts, "a step" : i1
  %l = arith.index_cast %first : i32 to index
  %u = arith.index_cast %n : i32 to index
  %s = arith.index_cast %step : i32 to index
  %i = tile.iota 0 : tensor<16384xi32>
  scf.for %row = %l to %u step %s {
    %number = arith.index_cast %row : index to i64
    %offset = arith.muli %number, %stride : i64
    %x = tile.addptr %X, %offset : !tile.ptr<f16>, i64
    %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
    %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
    %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
    %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %y = tile.addptr %Y, %offset : !tile.ptr<f16>, i64
    %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
    %yp = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
    %maxes = tile.splat %max : f16 -> tensor<16384xf16>
    %r = arith.subf %v, %maxes : tensor<16384xf16>
    tile.store %yp, %r : tensor<16384x!tile.ptr<f16>>
  }
  tile.return
}

// Others see it while it runs.
tile.kernel @counts(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32>) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 16384 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %old = tile.load %Y volatile : !tile.ptr<i32>
  tile.store %xp, %v : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// Who prints says which program it is.
tile.kernel @prints(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 16384 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  tile.print " a row"
  tile.store %xp, %v : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// One warp would have the row twice: there are no registers for another one.
tile.kernel @few_warps(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 1 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 16384 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %maxes = tile.splat %max : f16 -> tensor<16384xf16>
  %r = arith.subf %v, %maxes : tensor<16384xf16>
  tile.store %yp, %r : tensor<16384x!tile.ptr<f16>>
  tile.return
}

// Rows are only read.
tile.kernel @highest(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>) attributes {num_warps = 16 : i32} {
  %row = tile.program_id 0
  %elements = arith.constant 16384 : index
  %place = arith.muli %row, %elements : index
  %x = tile.addptr %X, %place : !tile.ptr<f16>, index
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f16>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f16>>
  %max = tile.reduce %v axis 0 : tensor<16384xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %max : !tile.ptr<f16>
  tile.return
}
