// In a branch, and in a loop of products, loads that only computation stands between follow one another.

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

// Straight code, and loops without products, are left to ptxas.
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

#s = #tile.shared_layout<16x64, order [1,0]>
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#l = #tile.register_layout<register[1,8] lane[8,4] register[2,2]>
// What is written to shared memory waits for its load; the loads behind it do not. What is read there stays behind what was written.
// CHECK-LABEL: tile.kernel @operands
// CHECK: scf.for
// CHECK: %[[A:.*]] = tile.load
// CHECK-NEXT: %[[B:.*]] = tile.load
// CHECK: tile.local_store %[[A]]
// CHECK: %[[R:.*]] = tile.local_load
// CHECK: tile.local_store %[[B]]
// CHECK: tile.load
tile.kernel @operands(%X: !tile.ptr<f32>, %n: index, %out: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %x = tile.splat %X : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>, #l>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %zeros) -> (tensor<16x16xf32, #acc>) {
    %u = tile.load %x : tensor<16x64x!tile.ptr<f32>, #l>
    %s = tile.alloc_shared : !tile.shared<16x64xf32, #s>
    tile.local_store %u, %s : tensor<16x64xf32, #l>, !tile.shared<16x64xf32, #s>
    %v = tile.load %x : tensor<16x64x!tile.ptr<f32>, #l>
    %w = tile.local_load %s : !tile.shared<16x64xf32, #s> -> tensor<16x64xf32, #l>
    tile.local_store %v, %s : tensor<16x64xf32, #l>, !tile.shared<16x64xf32, #s>
    %z = tile.load %x : tensor<16x64x!tile.ptr<f32>, #l>
    tile.store %x, %w : tensor<16x64x!tile.ptr<f32>, #l>
    tile.store %x, %z : tensor<16x64x!tile.ptr<f32>, #l>
    %a = arith.constant dense<1.0> : tensor<16x16xf16, #a>
    %b = arith.constant dense<1.0> : tensor<16x16xf16, #b>
    %d = tile.dot %a, %b, %c : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  tile.return
}
