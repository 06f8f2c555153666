// Atomic accesses order what all threads of the program do.

// RUN: tile-opt --tile-placement --split-input-file %s 2>/dev/null | FileCheck %s

// What stands before it, of other arguments too, and what stands behind it.
// CHECK-LABEL: tile.kernel @acq_rel
// CHECK: store
// CHECK: barrier
// CHECK: atomic_rmw
// CHECK: barrier
// CHECK: load
tile.kernel @acq_rel(%L: !tile.ptr<i32> {tile.disjoint}, %X: !tile.ptr<i32> {tile.disjoint}, %Y: !tile.ptr<i32> {tile.disjoint}) {
  %i = tile.iota 0 : tensor<128xi32>
  %one = arith.constant 1 : i32
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %y = tile.addptr %ys, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %x, %i : tensor<128x!tile.ptr<i32>>
  %a = tile.atomic_rmw add %L, %one : !tile.ptr<i32>
  %b = tile.load %y : tensor<128x!tile.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<128xi32>
  %ok = arith.cmpi sge, %b, %zero : tensor<128xi32>
  tile.assert %ok, "they are not negative" : tensor<128xi1>
  tile.return
}

// -----

// Of disjoint arguments nothing is ordered where nothing is asked for.
// CHECK-LABEL: tile.kernel @relaxed
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @relaxed(%L: !tile.ptr<i32> {tile.disjoint}, %X: !tile.ptr<i32> {tile.disjoint}) {
  %i = tile.iota 0 : tensor<128xi32>
  %one = arith.constant 1 : i32
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %x, %i : tensor<128x!tile.ptr<i32>>
  %a = tile.atomic_rmw add %L, %one order relaxed : !tile.ptr<i32>
  tile.store %x, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}

// -----

// The same argument is ordered in any case.
// CHECK-LABEL: tile.kernel @same
// CHECK: store
// CHECK: barrier
// CHECK: atomic_rmw
// CHECK: barrier
// CHECK: store
tile.kernel @same(%X: !tile.ptr<i32>) {
  %i = tile.iota 0 : tensor<128xi32>
  %one = arith.constant 1 : i32
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %x, %i : tensor<128x!tile.ptr<i32>>
  %a = tile.atomic_rmw add %X, %one order relaxed : !tile.ptr<i32>
  tile.store %x, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}
