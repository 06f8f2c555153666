// What is loaded to be stored again, or to say where, the first thread alone
// needs, which stores through one pointer.

// RUN: tile-opt --tile-load-in-first-thread %s | FileCheck %s

// A count, the place that it says, and running totals.
// CHECK-LABEL: tile.kernel @counts
tile.kernel @counts(%Counts: !tile.ptr<i32>, %Places: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  // CHECK: scf.for
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (i32) {
    %at = arith.index_cast %i : index to i32
    %p = tile.addptr %Counts, %at : !tile.ptr<i32>, i32
    // CHECK: load %{{.*}} unshared : !tile.ptr<i32>
    %count = tile.load %p : !tile.ptr<i32>
    %next = arith.addi %last, %count : i32
    tile.store %p, %next : !tile.ptr<i32>
    %q = tile.addptr %Places, %count : !tile.ptr<i32>, i32
    tile.store %q, %at : !tile.ptr<i32>
    scf.yield %next : i32
  }
  tile.store %Places, %sum : !tile.ptr<i32>
  tile.return
}

// All threads branch, by what came around the loop.
// CHECK-LABEL: tile.kernel @decides
tile.kernel @decides(%P: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (i32) {
    // CHECK: load %P : !tile.ptr<i32>
    %x = tile.load %P : !tile.ptr<i32>
    %next = arith.addi %last, %x : i32
    scf.yield %next : i32
  }
  %is = arith.cmpi sgt, %sum, %zero : i32
  scf.if %is {
    // CHECK: load %P unshared
    %y = tile.load %P : !tile.ptr<i32>
    tile.store %P, %y : !tile.ptr<i32>
  }
  tile.return
}

// All threads fill a tile with it; what says where it stands they need, too.
// CHECK-LABEL: tile.kernel @fills
tile.kernel @fills(%P: !tile.ptr<i32>, %Q: !tile.ptr<i32>) {
  // CHECK: load %P : !tile.ptr<i32>
  %at = tile.load %P : !tile.ptr<i32>
  %p = tile.addptr %P, %at : !tile.ptr<i32>, i32
  // CHECK: load %{{.*}} : !tile.ptr<i32>
  %x = tile.load %p : !tile.ptr<i32>
  %xs = tile.splat %x : i32 -> tensor<128xi32>
  %ps = tile.splat %Q : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  tile.store %ps, %xs : tensor<128x!tile.ptr<i32>>
  tile.store %P, %at : !tile.ptr<i32>
  tile.return
}

// What an atomic access finds is told to all, and its operands are not.
// CHECK-LABEL: tile.kernel @tells
tile.kernel @tells(%P: !tile.ptr<i32>, %Q: !tile.ptr<i32>) {
  // CHECK: load %P unshared
  %x = tile.load %P : !tile.ptr<i32>
  // CHECK: load %P volatile unshared
  %y = tile.load %P volatile : !tile.ptr<i32>
  %z = arith.addi %x, %y : i32
  %old = tile.atomic_rmw add %Q, %z : !tile.ptr<i32>
  %is = arith.cmpi eq, %old, %old : i32
  scf.if %is {
    tile.store %P, %z : !tile.ptr<i32>
  }
  tile.return
}

// No store changes it.
// CHECK-LABEL: tile.kernel @reads
tile.kernel @reads(%P: !tile.ptr<i32> {tile.disjoint}, %Q: !tile.ptr<i32> {tile.disjoint}) {
  // CHECK: load %P : !tile.ptr<i32>
  %x = tile.load %P : !tile.ptr<i32>
  tile.store %Q, %x : !tile.ptr<i32>
  tile.return
}

// All threads load what is on top of a stack, which no store changes.
// CHECK-LABEL: tile.kernel @tops
tile.kernel @tops(%P: !tile.ptr<i32> {tile.disjoint}, %Q: !tile.ptr<i32> {tile.disjoint}, %R: !tile.ptr<i32> {tile.disjoint}) {
  // CHECK: load %P : !tile.ptr<i32>
  %count = tile.load %P : !tile.ptr<i32>
  %q = tile.addptr %Q, %count : !tile.ptr<i32>, i32
  // CHECK: load %{{.*}} : !tile.ptr<i32>
  %top = tile.load %q : !tile.ptr<i32>
  tile.store %R, %top : !tile.ptr<i32>
  tile.store %P, %top : !tile.ptr<i32>
  tile.return
}

// The same where a store may change it: the first thread alone finds it.
// CHECK-LABEL: tile.kernel @tops_of_any
tile.kernel @tops_of_any(%P: !tile.ptr<i32>, %Q: !tile.ptr<i32>) {
  // CHECK: load %P unshared
  %count = tile.load %P : !tile.ptr<i32>
  %q = tile.addptr %Q, %count : !tile.ptr<i32>, i32
  // CHECK: load %{{.*}} unshared
  %top = tile.load %q : !tile.ptr<i32>
  tile.store %P, %top : !tile.ptr<i32>
  tile.return
}
