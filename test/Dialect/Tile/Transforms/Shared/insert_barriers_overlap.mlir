// Two arguments may reach the same bytes, unless one of them is disjoint from all others.
//
// RUN: tile-opt --tile-placement --split-input-file %s 2>/dev/null | FileCheck %s
// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{disjoint=X}),tile-placement)" --split-input-file %s 2>/dev/null | FileCheck %s --check-prefix=DISJOINT

// Pointers promise nothing: what one thread stores, another one may still have to load.
// CHECK-LABEL: tile.kernel @pointers(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>)
// CHECK: load
// CHECK: barrier
// CHECK: store
// A launch that knows better says so.
// DISJOINT-LABEL: tile.kernel @pointers(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32>)
// DISJOINT-NOT: barrier
tile.kernel @pointers(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %y = tile.addptr %ys, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %t = tile.load %x : tensor<128x!tile.ptr<f32>>
  tile.store %y, %t : tensor<128x!tile.ptr<f32>>
  tile.return
}

// -----

// One that promises is enough: what views reach is reached by nothing else.
// CHECK-LABEL: tile.kernel @view_and_pointers(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32>)
// CHECK-NOT: barrier
// DISJOINT-LABEL: tile.kernel @view_and_pointers
// DISJOINT-NOT: barrier
tile.kernel @view_and_pointers(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.view %X, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %i = tile.iota 0 : tensor<128xi32>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %y = tile.addptr %ys, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %t = tile.load_view %a[%c0] : !tile.view<128xf32, [1]> -> tensor<128xf32>
  tile.store %y, %t : tensor<128x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @views_that_may_overlap(%X: !tile.ptr<f32> {tile.may_overlap}, %Y: !tile.ptr<f32> {tile.may_overlap})
// CHECK: load_view
// CHECK: barrier
// CHECK: store_view
// DISJOINT-LABEL: tile.kernel @views_that_may_overlap(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.may_overlap})
// DISJOINT-NOT: barrier
tile.kernel @views_that_may_overlap(%X: !tile.ptr<f32> {tile.may_overlap}, %Y: !tile.ptr<f32> {tile.may_overlap}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %X, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %b = tile.view %Y, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<128xf32, [1]> -> tensor<128xf32>
  tile.store_view %t, %b[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.return
}

// -----

// Two loads of the same place stay two where a store stands between them, of
// whatever argument: no load moves over a store.
// CHECK-LABEL: tile.kernel @load_store_load
// CHECK: load_view %
// CHECK: store_view
// CHECK: load_view %
// CHECK: store_view
// DISJOINT-LABEL: tile.kernel @load_store_load
tile.kernel @load_store_load(%X: !tile.ptr<f32> {tile.may_overlap}, %Y: !tile.ptr<f32> {tile.may_overlap}, %Z: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.view %X, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %b = tile.view %Y, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %c = tile.view %Z, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<128xf32, [1]> -> tensor<128xf32>
  %u = arith.addf %t, %t : tensor<128xf32>
  tile.store_view %u, %b[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  %v = tile.load_view %a[%c0] : !tile.view<128xf32, [1]> -> tensor<128xf32>
  %w = arith.mulf %t, %v : tensor<128xf32>
  tile.store_view %w, %c[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.return
}

// -----

// Pointers that a loop hands on, and those that are chosen of one argument's, are known.
// CHECK-LABEL: tile.kernel @carried
// CHECK-NOT: barrier
// DISJOINT-LABEL: tile.kernel @carried
tile.kernel @carried(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = tile.constant 0 : tensor<128xf32>
  %i = tile.iota 0 : tensor<128xi32>
  %far = tile.constant 128 : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %sum, %end = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %x) -> (tensor<128xf32>, tensor<128x!tile.ptr<f32>>) {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %t : tensor<128xf32>
    %q = tile.addptr %p, %far : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    scf.yield %next, %q : tensor<128xf32>, tensor<128x!tile.ptr<f32>>
  }
  %one = arith.select %c, %end, %x : tensor<128x!tile.ptr<f32>>
  %u = tile.load %one : tensor<128x!tile.ptr<f32>>
  %v = arith.addf %sum, %u : tensor<128xf32>
  %y = tile.view %Y, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  tile.store_view %v, %y[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.return
}

// -----

// Of two arguments, either may be meant.
// CHECK-LABEL: tile.kernel @chosen
// CHECK: load_view %
// CHECK: barrier
// CHECK: store_view
// DISJOINT-LABEL: tile.kernel @chosen
// DISJOINT: barrier
tile.kernel @chosen(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %Z: !tile.ptr<f32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<128xi32>
  %p = arith.select %c, %X, %Y : !tile.ptr<f32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %x = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %t = tile.load %x : tensor<128x!tile.ptr<f32>>
  %z = tile.view %Z, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  tile.store_view %t, %z[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.return
}
