// In a branch, loads that only computation stands between follow one another.

// RUN: tile-opt --tile-load-together %s | FileCheck %s --implicit-check-not=blocks_per_sm

// CHECK-LABEL: tile.kernel @sums
// CHECK: scf.if
// CHECK-NEXT: %[[A:.*]] = tile.load
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: %[[B:.*]] = tile.load
// CHECK-NEXT: arith.addf %{{.*}}, %[[A]]
// CHECK-NEXT: arith.addf %{{.*}}, %[[B]]
tile.kernel @sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %is = arith.cmpi sgt, %n, %zero : i32
  %r:2 = scf.if %is -> (f32, f32) {
    %a = tile.load %X : !tile.ptr<f32>
    %c = arith.addf %one, %a : f32
    %p = tile.addptr %Y, %n : !tile.ptr<f32>, i32
    %b = tile.load %p : !tile.ptr<f32>
    %d = arith.addf %one, %b : f32
    scf.yield %c, %d : f32, f32
  } else {
    scf.yield %one, %one : f32, f32
  }
  tile.store %X, %r#0 : !tile.ptr<f32>
  tile.store %Y, %r#1 : !tile.ptr<f32>
  tile.return
}

// Not across a store, which it may read.
// CHECK-LABEL: tile.kernel @behind_store
// CHECK: scf.if
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load
tile.kernel @behind_store(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %is = arith.cmpi sgt, %n, %zero : i32
  scf.if %is {
    %a = tile.load %X : !tile.ptr<f32>
    tile.store %Y, %a : !tile.ptr<f32>
    %b = tile.load %Y : !tile.ptr<f32>
    %c = arith.addf %a, %b : f32
    tile.store %X, %c : !tile.ptr<f32>
  }
  tile.return
}

// Where the place is loaded it stays, and those behind it follow it.
// CHECK-LABEL: tile.kernel @by_what_was_loaded
// CHECK: scf.if
// CHECK-NEXT: %[[I:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]]
// CHECK-NEXT: tile.addptr %{{.*}}, %[[J]]
// CHECK-NEXT: %[[A:.*]] = tile.load
// CHECK-NEXT: %[[B:.*]] = tile.load
// CHECK-NEXT: arith.addf %[[A]], %[[A]]
tile.kernel @by_what_was_loaded(%X: !tile.ptr<f32>, %Y: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %is = arith.cmpi sgt, %n, %zero : i32
  scf.if %is {
    %i = tile.load %Y : !tile.ptr<i32>
    %j = arith.addi %i, %n : i32
    %p = tile.addptr %X, %j : !tile.ptr<f32>, i32
    %a = tile.load %p : !tile.ptr<f32>
    %c = arith.addf %a, %a : f32
    %b = tile.load %X : !tile.ptr<f32>
    %d = arith.addf %c, %b : f32
    tile.store %X, %d : !tile.ptr<f32>
  }
  tile.return
}

// Straight code, and loops, are left to ptxas.
// CHECK-LABEL: tile.kernel @straight
// CHECK: load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: load
tile.kernel @straight(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %a = tile.load %X : !tile.ptr<f32>
  %c = arith.addf %a, %a : f32
  %b = tile.load %Y : !tile.ptr<f32>
  %d = arith.addf %c, %b : f32
  tile.store %X, %d : !tile.ptr<f32>
  tile.return
}

// Who holds a lock is waited for: registers are for its loads. Others are not asked.
// CHECK: tile.kernel @under_lock
// CHECK-SAME: tile.blocks_per_sm = 1 : i32
tile.kernel @under_lock(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %L: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %held = tile.atomic_cas %L, %zero, %one : !tile.ptr<i32>
    %again = arith.cmpi eq, %held, %one : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
  %is = arith.cmpi sgt, %n, %zero : i32
  scf.if %is {
    %a = tile.load %X : !tile.ptr<f32>
    %c = arith.addf %a, %a : f32
    %b = tile.load %Y : !tile.ptr<f32>
    %d = arith.addf %c, %b : f32
    tile.store %X, %d : !tile.ptr<f32>
  }
  %old = tile.atomic_rmw xchg %L, %zero : !tile.ptr<i32>
  tile.return
}
