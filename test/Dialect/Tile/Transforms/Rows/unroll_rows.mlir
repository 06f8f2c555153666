// Loops along rows of few parts, written out.

// RUN: split-file %s %t
// RUN: tile-opt --tile-unroll-rows="trips=n:128:1" %t/rows.mlir | FileCheck %s --check-prefix=ONE
// RUN: tile-opt --tile-unroll-rows="trips=n:128:2" %t/rows.mlir | FileCheck %s --check-prefix=TWO
// RUN: tile-opt --tile-unroll-rows="trips=n:128:2" --tile-canonicalize --cse --tile-reuse-loads %t/rows.mlir | FileCheck %s --check-prefix=KEPT
// RUN: tile-opt --tile-unroll-rows="trips=n:128:17" %t/rows.mlir | FileCheck %s --check-prefix=NONE
// RUN: tile-opt --tile-unroll-rows %t/rows.mlir | FileCheck %s --check-prefix=NONE
// RUN: tile-opt --tile-unroll-rows="trips=n:128:1" %t/others.mlir | FileCheck %s --check-prefix=OTHERS
// RUN: tile-opt --tile-unroll-rows="trips=n:256:11" %t/halves.mlir | FileCheck %s --check-prefix=FEW
// RUN: tile-opt --tile-unroll-rows="trips=n:256:12" %t/halves.mlir | FileCheck %s --check-prefix=MANY
// RUN: not tile-opt --pass-pipeline="builtin.module(tile.kernel(tile-unroll-rows{trips=k:128:1}))" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not tile-opt --pass-pipeline="builtin.module(tile.kernel(tile-unroll-rows{trips=n:128}))" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tile-opt --pass-pipeline="builtin.module(tile.kernel(tile-unroll-rows{trips=n:0:1}))" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tile-opt --pass-pipeline="builtin.module(tile.kernel(tile-unroll-rows{trips=n:128:0}))" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=TEXT

// NOBODY: error: 'k', which loops end at, is no argument of 'twice'
// TEXT: error: trips are NAME:STEP:TRIPS with numbers from 1 on, not 'n:

//--- rows.mlir

// ONE-LABEL: tile.kernel @twice
// ONE-NOT: scf.for
// ONE: {{^ *}}return

// All loads of what is kept come first.
// TWO-LABEL: tile.kernel @twice
// TWO-NOT: scf.for
// TWO: %[[A:.*]] = load
// TWO: %[[B:.*]] = load
// TWO: %[[S:.*]] = arith.addf %{{.*}}, %[[A]]
// TWO: arith.addf %[[S]], %[[B]]
// TWO: reduce
// TWO-COUNT-2: load
// TWO: store
// TWO: store
// TWO-NOT: scf.for

// KEPT-LABEL: tile.kernel @twice
// KEPT-COUNT-2: = load
// KEPT-NOT: = load
// KEPT: {{^ *}}return

// NONE-LABEL: tile.kernel @twice
// NONE-COUNT-2: scf.for
tile.kernel @twice(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: i32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %end = arith.index_cast %n : i32 to index
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  %i = tile.iota 0 : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %total = scf.for %k = %c0 to %end step %c128 iter_args(%t = %zeros) -> (tensor<128xf32>) {
    %start = arith.index_cast %k : index to i32
    %starts = tile.splat %start : i32 -> tensor<128xi32>
    %places = arith.addi %starts, %i : tensor<128xi32>
    %inside = arith.cmpi slt, %places, %ns : tensor<128xi32>
    %xp = tile.addptr %xs, %places : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %x = tile.load %xp mask %inside : tensor<128x!tile.ptr<f32>>
    %u = arith.addf %t, %x : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  %sum = tile.reduce %total axis 0 : tensor<128xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<128xf32>
  scf.for %k = %c0 to %end step %c128 {
    %start = arith.index_cast %k : index to i32
    %starts = tile.splat %start : i32 -> tensor<128xi32>
    %places = arith.addi %starts, %i : tensor<128xi32>
    %inside = arith.cmpi slt, %places, %ns : tensor<128xi32>
    %xp = tile.addptr %xs, %places : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %x = tile.load %xp mask %inside : tensor<128x!tile.ptr<f32>>
    %d = arith.divf %x, %sums : tensor<128xf32>
    %yp = tile.addptr %ys, %places : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %yp, %d mask %inside : tensor<128x!tile.ptr<f32>>
  }
  tile.return
}

// Two trips of a loop whose row is read once: one is written out, two are not. (A loop of a constant end is one of so many trips.)
// ONE-LABEL: tile.kernel @once
// ONE-NOT: scf.for
// ONE: {{^ *}}return
// TWO-LABEL: tile.kernel @once
// TWO: scf.for
tile.kernel @once(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %total = scf.for %k = %c0 to %n step %c128 iter_args(%t = %zeros) -> (tensor<128xf32>) {
    %v = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
    %u = arith.addf %t, %v : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  %sum = tile.reduce %total axis 0 : tensor<128xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// ONE-LABEL: tile.kernel @constant_end
// ONE-NOT: scf.for
// ONE: {{^ *}}return
// NONE-LABEL: tile.kernel @constant_end
// NONE-NOT: scf.for
// NONE: {{^ *}}return
tile.kernel @constant_end(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  %x = tile.view %X, shape [100], strides [1] : !tile.ptr<f32> -> !tile.view<100xf32, [1]>
  %total = scf.for %k = %c0 to %c100 step %c128 iter_args(%t = %zeros) -> (tensor<128xf32>) {
    %v = tile.load_view %x[%k] : !tile.view<100xf32, [1]> -> tensor<128xf32>
    %u = arith.addf %t, %v : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  %sum = tile.reduce %total axis 0 : tensor<128xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

//--- others.mlir

// What is no loop along a row of this length: from elsewhere, by another step, to another number; of programs that combine nothing.
// OTHERS-LABEL: tile.kernel @bounds
// OTHERS-COUNT-3: scf.for
// OTHERS: {{^ *}}return
tile.kernel @bounds(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  scf.for %k = %c1 to %n step %c128 {
    %v = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
    tile.store_view %v, %y[%k] : tensor<128xf32>, !tile.view<?xf32, [1]>
  }
  scf.for %k = %c0 to %n step %c64 {
    %v = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
    tile.store_view %v, %y[%k] : tensor<128xf32>, !tile.view<?xf32, [1]>
  }
  scf.for %k = %c0 to %m step %c128 {
    %v = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
    %sum = tile.reduce %v axis 0 : tensor<128xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.store %Y, %sum : !tile.ptr<f32>
  }
  tile.return
}

// OTHERS-LABEL: tile.kernel @no_combine
// OTHERS: scf.for
tile.kernel @no_combine(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  scf.for %k = %c0 to %n step %c128 {
    %v = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
    tile.store_view %v, %y[%k] : tensor<128xf32>, !tile.view<?xf32, [1]>
  }
  tile.return
}

// Nor where a loop has a loop, an atomic access or a barrier in it.
// OTHERS-LABEL: tile.kernel @bodies
// OTHERS-COUNT-4: scf.for
tile.kernel @bodies(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index, %one: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  scf.for %k = %c0 to %n step %c128 {
    %v = tile.load_view %x[%k] : !tile.view<?xi32, [1]> -> tensor<128xi32>
    scf.for %j = %c0 to %k step %c1 {
      tile.store_view %v, %x[%j] : tensor<128xi32>, !tile.view<?xi32, [1]>
    }
  }
  scf.for %k = %c0 to %n step %c128 {
    %v = tile.load_view %x[%k] : !tile.view<?xi32, [1]> -> tensor<128xi32>
    %old = tile.atomic_rmw add %Y, %one : !tile.ptr<i32>
    tile.store_view %v, %x[%c0] : tensor<128xi32>, !tile.view<?xi32, [1]>
  }
  scf.for %k = %c0 to %n step %c128 {
    %v = tile.load_view %x[%k] : !tile.view<?xi32, [1]> -> tensor<128xi32>
    %sum = tile.reduce %v axis 0 : tensor<128xi32> -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    tile.barrier
    tile.store %Y, %sum : !tile.ptr<i32>
  }
  tile.return
}

//--- halves.mlir

// 8 elements a thread of a conversion, a sum, a conversion, a function and a
// quotient are 184 instructions in a trip.
// FEW-LABEL: tile.kernel @halves
// FEW-NOT: scf.for
// FEW: {{^ *}}return
// MANY-LABEL: tile.kernel @halves
// MANY-COUNT-2: scf.for
tile.kernel @halves(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %zeros = arith.constant dense<0.0> : tensor<256xf32>
  %i = tile.iota 0 : tensor<256xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %total = scf.for %k = %c0 to %n step %c256 iter_args(%t = %zeros) -> (tensor<256xf32>) : i32 {
    %starts = tile.splat %k : i32 -> tensor<256xi32>
    %places = arith.addi %starts, %i : tensor<256xi32>
    %xp = tile.addptr %xs, %places : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
    %x = tile.load %xp : tensor<256x!tile.ptr<f16>>
    %f = arith.extf %x : tensor<256xf16> to tensor<256xf32>
    %u = arith.addf %t, %f : tensor<256xf32>
    scf.yield %u : tensor<256xf32>
  }
  %sum = tile.reduce %total axis 0 : tensor<256xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  scf.for %k = %c0 to %n step %c256 : i32 {
    %starts = tile.splat %k : i32 -> tensor<256xi32>
    %places = arith.addi %starts, %i : tensor<256xi32>
    %xp = tile.addptr %xs, %places : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
    %x = tile.load %xp : tensor<256x!tile.ptr<f16>>
    %f = arith.extf %x : tensor<256xf16> to tensor<256xf32>
    %means = tile.splat %sum : f32 -> tensor<256xf32>
    %e = math.exp %f : tensor<256xf32>
    %z = arith.divf %e, %means : tensor<256xf32>
    %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
    %yp = tile.addptr %ys, %places : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    tile.store %yp, %z : tensor<256x!tile.ptr<f32>>
  }
  tile.return
}
