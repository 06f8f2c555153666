// What is loaded by what was loaded is under way before a row is combined.

// RUN: tile-opt --tile-issue-loads-first %s | FileCheck %s

// CHECK-LABEL: tile.kernel @logit
// CHECK: load %{{.*}} {tile.in_order} : !tile.ptr<i64>
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<f32>>
// CHECK-NEXT: = addptr
// CHECK-NEXT: = load %{{.*}} {tile.in_order} : !tile.ptr<f32>
// CHECK-NEXT: = reduce
tile.kernel @logit(%X: !tile.ptr<f32> {tile.disjoint}, %L: !tile.ptr<i64> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}) {
  %label = tile.load %L : !tile.ptr<i64>
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %max = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %p = tile.addptr %X, %label : !tile.ptr<f32>, i64
  %logit = tile.load %p : !tile.ptr<f32>
  %loss = arith.subf %max, %logit : f32
  tile.store %Y, %loss : !tile.ptr<f32>
  tile.return
}

// Behind a store that it may read, it stays; and what waits for no load, does.
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT: in_order
// CHECK: {{^ *}}return
tile.kernel @stays(%X: !tile.ptr<f32>, %L: !tile.ptr<i64>, %Y: !tile.ptr<f32>) {
  %label = tile.load %L : !tile.ptr<i64>
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %max = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %max : !tile.ptr<f32>
  %p = tile.addptr %X, %label : !tile.ptr<f32>, i64
  %logit = tile.load %p : !tile.ptr<f32>
  %other = tile.load %L : !tile.ptr<i64>
  %number = arith.sitofp %other : i64 to f32
  %loss = arith.addf %number, %logit : f32
  tile.store %Y, %loss : !tile.ptr<f32>
  tile.return
}

// Nor does it come in front of an assertion, on which it may hang whether there is such a place, or such a row.
// CHECK-LABEL: tile.kernel @asserted
// CHECK: = reduce
// CHECK: assert
// CHECK: = load %{{.*}} : !tile.ptr<f32>
tile.kernel @asserted(%X: !tile.ptr<f32> {tile.disjoint}, %L: !tile.ptr<i64> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}) {
  %none = arith.constant 0 : i64
  %label = tile.load %L : !tile.ptr<i64>
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %max = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %known = arith.cmpi sge, %label, %none : i64
  tile.assert %known, "a label" : i1
  %p = tile.addptr %X, %label : !tile.ptr<f32>, i64
  %logit = tile.load %p : !tile.ptr<f32>
  %loss = arith.subf %max, %logit : f32
  tile.store %Y, %loss : !tile.ptr<f32>
  tile.return
}

// CHECK-LABEL: tile.kernel @asserted_rows
// CHECK: arith.cmpi
// CHECK: assert
// CHECK: = load %{{.*}} : tensor<1024x!tile.ptr<f32>>
tile.kernel @asserted_rows(%X: !tile.ptr<f32> {tile.disjoint}, %L: !tile.ptr<i64> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}) {
  %none = arith.constant 0 : i64
  %label = tile.load %L : !tile.ptr<i64>
  %known = arith.cmpi sge, %label, %none : i64
  tile.assert %known, "a label" : i1
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %x : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// Nothing is combined: what waits for no load does not stand behind what does.
// CHECK-LABEL: tile.kernel @free
// CHECK: = load %{{.*}} : !tile.ptr<i64>
// CHECK: = load %{{.*}} {tile.in_order} : !tile.ptr<f32>
// CHECK: = load %{{.*}} : tensor<1024x!tile.ptr<f32>>
// CHECK: arith.cmpi
// CHECK: = load %{{.*}} mask
// CHECK: store
tile.kernel @free(%X: !tile.ptr<f32> {tile.disjoint}, %L: !tile.ptr<i64> {tile.disjoint}, %G: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}) {
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f32
  %label = tile.load %L : !tile.ptr<i64>
  %known = arith.cmpi sge, %label, %zero : i64
  %factor = tile.load %G mask %known else %none : !tile.ptr<f32>
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %one = arith.constant 1 : i64
  %q = tile.addptr %G, %one : !tile.ptr<f32>, i64
  %other = tile.load %q : !tile.ptr<f32>
  %sum = arith.addf %factor, %other : f32
  %fs = tile.splat %sum : f32 -> tensor<1024xf32>
  %y = arith.mulf %x, %fs : tensor<1024xf32>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %y : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// A row that a store in front of it may have written.
// CHECK-LABEL: tile.kernel @written
// CHECK: arith.addi
// CHECK: store
// CHECK: = load %{{.*}} : tensor<1024x!tile.ptr<f32>>
tile.kernel @written(%X: !tile.ptr<f32>, %L: !tile.ptr<i64>, %Y: !tile.ptr<f32>) {
  %label = tile.load %L : !tile.ptr<i64>
  %one = arith.constant 1 : i64
  %next = arith.addi %label, %one : i64
  tile.store %L, %next : !tile.ptr<i64>
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %x : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// A run of rows is waited for where it is loaded: a row that waits for nothing comes in front of it.
// CHECK-LABEL: tile.kernel @in_front_of_runs
// CHECK: = load %{{.*}} {tile.in_order
// CHECK: = load_run
// CHECK: arith.addf
tile.kernel @in_front_of_runs(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %b: i1, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %X : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %none = arith.constant dense<0.0> : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  %x = tile.load_run %ps mask %m, %m else %none count %n through %s {most = 64 : i64} : tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>> -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %c = tile.iota 0 : tensor<64xi32, #tile.register_layout<lane[32] register[2] warp*2>>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>, #tile.register_layout<lane[32] register[2] warp*2>>
  %yp = tile.addptr %ys, %c : tensor<64x!tile.ptr<f16>, #tile.register_layout<lane[32] register[2] warp*2>>, tensor<64xi32, #tile.register_layout<lane[32] register[2] warp*2>>
  %y = tile.load %yp {vector_width = 1 : i64} : tensor<64x!tile.ptr<f16>, #tile.register_layout<lane[32] register[2] warp*2>>
  %line = tile.expand_dims %y {axis = 0 : i32} : tensor<64xf16, #tile.register_layout<lane[32] register[2] warp*2>> -> tensor<1x64xf16, #tile.register_layout<lane[1,32] register[1,2] warp*2>>
  %all = tile.broadcast %line : tensor<1x64xf16, #tile.register_layout<lane[1,32] register[1,2] warp*2>> -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %sum = arith.addf %x, %all : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %t = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.store_run %sum, %ps mask %m, %m count %n through %t {most = 64 : i64} : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}

// A row that is used behind a function of a number that is loaded stays in front of it. A number that is an argument is there.
// CHECK-LABEL: tile.kernel @beside_numbers
// CHECK: %[[ROW:.*]] = load %{{.*}} {tile.in_order} : tensor<1024x!tile.ptr<f32>>
// CHECK: math.exp
// CHECK: arith.mulf %[[ROW]]
tile.kernel @beside_numbers(%X: !tile.ptr<f32> {tile.disjoint}, %N: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %row = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %n = tile.load %N : !tile.ptr<f32>
  %f = math.exp %n : f32
  %fs = tile.splat %f : f32 -> tensor<1024xf32>
  %y = arith.mulf %row, %fs : tensor<1024xf32>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %y : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: tile.kernel @beside_arguments
// CHECK-NOT: in_order
tile.kernel @beside_arguments(%X: !tile.ptr<f32> {tile.disjoint}, %n: f32, %Y: !tile.ptr<f32> {tile.disjoint}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %row = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %f = math.exp %n : f32
  %fs = tile.splat %f : f32 -> tensor<1024xf32>
  %y = arith.mulf %row, %fs : tensor<1024xf32>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %y : tensor<1024x!tile.ptr<f32>>
  tile.return
}
