// Programs that only compute numbers, and load and store them, one thread runs alone.

// RUN: tile-opt --tile-run-in-first-thread %s | FileCheck %s

// CHECK-LABEL: tile.kernel @totals
// CHECK-SAME: tile.first_thread
tile.kernel @totals(%P: !tile.ptr<i32>, %n: index, %m: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (i32) {
    %at = arith.index_cast %i : index to i32
    %p = tile.addptr %P, %at : !tile.ptr<i32>, i32
    // CHECK: load %{{.*}} unshared
    %x = tile.load %p : !tile.ptr<i32>
    %next = arith.addi %last, %x : i32
    %is = arith.cmpi sgt, %next, %m : i32
    scf.if %is {
      // CHECK: atomic_rmw add {{.*}} unshared
      %old = tile.atomic_rmw add %P, %next : !tile.ptr<i32>
      tile.store %p, %old : !tile.ptr<i32>
    }
    scf.yield %next : i32
  }
  tile.return
}

// A tile is of all threads.
// CHECK-LABEL: tile.kernel @tiles
// CHECK-NOT: tile.first_thread
// CHECK: load %P : !tile.ptr<i32>
tile.kernel @tiles(%P: !tile.ptr<i32>) {
  %x = tile.load %P : !tile.ptr<i32>
  %xs = tile.splat %x : i32 -> tensor<128xi32>
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  tile.store %ps, %xs : tensor<128x!tile.ptr<i32>>
  tile.return
}

// The user's PTX may ask other threads.
// CHECK-LABEL: tile.kernel @assembled
// CHECK-NOT: tile.first_thread
// CHECK: load %P : !tile.ptr<i32>
tile.kernel @assembled(%P: !tile.ptr<i32>) {
  %x = tile.load %P : !tile.ptr<i32>
  %y = tile.inline_asm "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;" constraints "=r,r" pure (%x) : (i32) -> i32
  tile.store %P, %y : !tile.ptr<i32>
  tile.return
}

// Who waits does so for others.
// CHECK-LABEL: tile.kernel @waits
// CHECK-NOT: tile.first_thread
// CHECK: load %P : !tile.ptr<i32>
tile.kernel @waits(%P: !tile.ptr<i32>) {
  %x = tile.load %P : !tile.ptr<i32>
  tile.barrier
  tile.store %P, %x : !tile.ptr<i32>
  tile.return
}
