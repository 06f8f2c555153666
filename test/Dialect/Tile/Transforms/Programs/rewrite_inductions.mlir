// What loops add up becomes a function of their counter, which counts trips.

// RUN: tile-opt %s --tile-rewrite-inductions | FileCheck %s

// A tile of pointers that moves by a splat, which the body makes.
// CHECK-LABEL: tile.kernel @pointers
tile.kernel @pointers(%x: !tile.ptr<f32>, %n: i32, %stride: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %iota = tile.iota 0 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // CHECK: %[[FIRST:.*]] = addptr %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %first = tile.addptr %xs, %iota : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: %[[STEP32:.*]] = arith.muli %stride, %c64_i32 : i32
  // CHECK: %[[STEP:.*]] = arith.index_cast %[[STEP32]] : i32 to index
  // CHECK: %[[TRIPS:.*]] = arith.index_cast %n : i32 to index
  // CHECK: scf.for %[[TRIP:.*]] = %{{.*}} to %[[TRIPS]] step %{{.*}} {
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%ps = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    // CHECK: %[[COUNT:.*]] = arith.muli %[[TRIP]], %[[STEP]] : index
    // CHECK: %[[SPLAT:.*]] = tile.splat %[[COUNT]] : index -> tensor<64xindex>
    // CHECK: %[[PS:.*]] = tile.addptr %[[FIRST]], %[[SPLAT]] : tensor<64x!tile.ptr<f32>>, tensor<64xindex>
    // CHECK: load %[[PS]]
    %t = tile.load %ps : tensor<64x!tile.ptr<f32>>
    tile.store %ps, %t : tensor<64x!tile.ptr<f32>>
    %move = arith.muli %stride, %c64 : i32
    %step = tile.splat %move : i32 -> tensor<64xi32>
    %next = tile.addptr %ps, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  // CHECK: } {tile.num_stages = 2 : i32}
  } {tile.num_stages = 2 : i32}
  // What comes out of a loop that may not have run.
  // CHECK: %[[RAN:.*]] = arith.maxsi %[[TRIPS]], %{{.*}} : index
  // CHECK: %[[END:.*]] = arith.muli %[[RAN]], %[[STEP]] : index
  // CHECK: %[[ENDS:.*]] = splat %[[END]]
  // CHECK: addptr %[[FIRST]], %[[ENDS]]
  %t = tile.load %last : tensor<64x!tile.ptr<f32>>
  tile.store %first, %t : tensor<64x!tile.ptr<f32>>
  tile.return
}

// Integers keep their bits; another counter is made of trips.
// CHECK-LABEL: tile.kernel @integers
tile.kernel @integers(%x: !tile.ptr<i8>, %lower: i32, %upper: i32, %step: i32) {
  %one = arith.constant 1 : i8
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %lower, %upper : i32
  // CHECK: %[[RANGE:.*]] = arith.subi %upper, %lower : i32
  // CHECK: %[[BY:.*]] = arith.maxui %step, %{{.*}} : i32
  // CHECK: %[[COUNT:.*]] = arith.ceildivui %[[RANGE]], %[[BY]] : i32
  // CHECK: %[[WIDE:.*]] = arith.index_castui %[[COUNT]] : i32 to index
  // CHECK: %[[STAYS:.*]] = arith.cmpi eq, %step, %{{.*}} : i32
  // CHECK: %[[MANY:.*]] = arith.select %[[STAYS]], %{{.*}}, %[[WIDE]] : index
  // CHECK: %[[TRIPS:.*]] = arith.select %[[SOME]], %[[MANY]], %{{.*}} : index
  // CHECK: scf.for %[[TRIP:.*]] = %{{.*}} to %[[TRIPS]] step
  %last = scf.for %k = %lower to %upper step %step iter_args(%i = %one) -> (i8) : i32 {
    // CHECK: %[[TRIP32:.*]] = arith.index_cast %[[TRIP]] : index to i32
    // CHECK: %[[FAR:.*]] = arith.muli %[[TRIP32]], %step : i32
    // CHECK: %[[K:.*]] = arith.addi %lower, %[[FAR]] : i32
    // CHECK: %[[TRIP8:.*]] = arith.index_cast %[[TRIP]] : index to i8
    // CHECK: arith.muli %[[TRIP8]], %{{.*}} : i8
    %k8 = arith.trunci %k : i32 to i8
    %p = tile.addptr %x, %k : !tile.ptr<i8>, i32
    %q = tile.splat %p : !tile.ptr<i8> -> tensor<32x!tile.ptr<i8>>
    %is = tile.splat %i : i8 -> tensor<32xi8>
    tile.store %q, %is : tensor<32x!tile.ptr<i8>>
    %two = arith.constant 2 : i8
    %next = arith.subi %i, %two : i8
    scf.yield %next : i8
  }
  tile.return
}

// A sum of what is loaded, and a step that changes, are no inductions.
// CHECK-LABEL: tile.kernel @others
tile.kernel @others(%x: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0> : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<64xi32>, i32, i32)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros, %a = %one, %b = %one) -> (tensor<64xi32>, i32, i32) {
    %t = tile.load %xs : tensor<64x!tile.ptr<i32>>
    %more = arith.addi %sum, %t : tensor<64xi32>
    %fib = arith.addi %a, %b : i32
    scf.yield %more, %b, %fib : tensor<64xi32>, i32, i32
  }
  tile.store %xs, %r#0 : tensor<64x!tile.ptr<i32>>
  tile.return
}

// A loop whose counter might wrap around counts trips, though it carries nothing: it ends, and what runs ahead of it stays behind its end.
// CHECK-LABEL: tile.kernel @far
tile.kernel @far(%x: !tile.ptr<i32>, %low: i64, %high: i64, %end: i32, %end8: i8, %step: i32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %value = arith.constant 7 : i32
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %low, %high : i64
  // CHECK: %[[RANGE:.*]] = arith.subi %high, %low : i64
  // CHECK: %[[COUNT:.*]] = arith.ceildivui %[[RANGE]], %{{.*}} : i64
  // CHECK: %[[WIDE:.*]] = arith.index_castui %[[COUNT]] : i64 to index
  // CHECK: %[[TRIPS:.*]] = arith.select %[[SOME]], %[[WIDE]], %{{.*}} : index
  // CHECK: scf.for %[[TRIP:.*]] = %{{.*}} to %[[TRIPS]] step %{{.*}} {
  scf.for %k = %low to %high step %c32 : i64 {
    // CHECK: arith.addi %low, %{{.*}} : i64
    %p = tile.addptr %x, %k : !tile.ptr<i32>, i64
    tile.store %p, %value : !tile.ptr<i32>
  }
  // More trips than numbers are not taken for none.
  // CHECK: %[[MOST:.*]] = arith.constant 4611686018427387904 : index
  // CHECK: arith.minui %{{.*}}, %[[MOST]] : index
  scf.for %k = %low to %high step %c1 : i64 {
    tile.store %x, %value : !tile.ptr<i32>
  }
  // Nobody counts through 64 bits.
  // CHECK: scf.for %{{.*}} = %{{.*}} to %high step %{{.*}} : i64 {
  scf.for %k = %c0 to %high step %c32 : i64 {
    tile.store %x, %value : !tile.ptr<i32>
  }
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK-NEXT: arith.index_cast
  scf.for %k = %i0 to %end step %i1 : i32 {
    %p = tile.addptr %x, %k : !tile.ptr<i32>, i32
    tile.store %p, %value : !tile.ptr<i32>
  }
  // A step that may be 0, with which no loop ends, and by which nothing is divided.
  // CHECK: %[[BY:.*]] = arith.maxui %step, %{{.*}} : i32
  // CHECK: arith.ceildivui %{{.*}}, %[[BY]] : i32
  // CHECK: %[[COUNT32:.*]] = arith.index_castui %{{.*}} : i32 to index
  // CHECK: %[[STAYS:.*]] = arith.cmpi eq, %step, %{{.*}} : i32
  // CHECK: arith.select %[[STAYS]], %{{.*}}, %[[COUNT32]] : index
  scf.for %k = %i0 to %end step %step : i32 {
    tile.store %x, %value : !tile.ptr<i32>
  }
  // Programs are numbered.
  // CHECK: scf.for %{{.*}} = %low to %high step %{{.*}} : i64 {
  scf.for %k = %low to %high step %c1 : i64 {
    tile.store %x, %value : !tile.ptr<i32>
  } {tile.programs}
  // An end of fewer bits.
  %end32 = arith.extsi %end8 : i8 to i32
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
  scf.for %k = %i0 to %end32 step %i1 : i32 {
    tile.store %x, %value : !tile.ptr<i32>
  }
  tile.return
}

// A tile from which threads read elements by number tells nothing of loops.
// CHECK-LABEL: tile.kernel @beside_numbers
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
tile.kernel @beside_numbers(%x: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %iota = tile.iota 0 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %first = tile.addptr %xs, %iota : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %all = tile.load %first : tensor<64x!tile.ptr<f32>>
  %shared = tile.alloc_shared : !tile.shared<64xf32>
  tile.local_store %all, %shared : tensor<64xf32>, !tile.shared<64xf32>
  %some = tile.local_gather %shared[%iota] : !tile.shared<64xf32>, tensor<64xi32> -> tensor<64xf32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%ps = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    tile.store %ps, %some : tensor<64x!tile.ptr<f32>>
    %next = tile.addptr %ps, %c64 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  tile.return
}

// What is promised of a number is no step.
// CHECK-LABEL: tile.kernel @promised
// CHECK: scf.for %[[TRIP:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[PS:.*]] = tile.addptr
// CHECK: %[[PROMISED:.*]] = tile.assume %[[PS]] divisibility [16]
// CHECK: tile.load %[[PROMISED]]
tile.kernel @promised(%x: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %iota = tile.iota 0 : tensor<64xi32>
  %steps = arith.constant dense<64> : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %first = tile.addptr %xs, %iota : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%ps = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %promised = tile.assume %ps divisibility [16] : tensor<64x!tile.ptr<f32>>
    %t = tile.load %promised : tensor<64x!tile.ptr<f32>>
    tile.store %promised, %t : tensor<64x!tile.ptr<f32>>
    %next = tile.addptr %promised, %steps : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  tile.return
}
