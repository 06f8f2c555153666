// As many barriers as order all accesses to the same bytes, and no more.

// RUN: tile-opt --tile-insert-barriers --split-input-file %s | FileCheck %s

#l = #tile.register_layout<register[8] lane[32] warp[4]>
#m = #tile.register_layout<warp[4] lane[32] register[8]>
#s = #tile.shared_layout<1024>
!shared = !tile.shared<1024xf32, #s>

// Written in one layout, read in another: threads read what others wrote.
// CHECK-LABEL: tile.kernel @between_threads
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
tile.kernel @between_threads(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// What was written before a loop needs no barrier in each of its iterations, nor do loops in it.
// CHECK-LABEL: tile.kernel @before_loop
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: barrier
tile.kernel @before_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
    }
  }
  tile.return
}

// A loop that needs a barrier of its own has no other one in front.
// CHECK-LABEL: tile.kernel @within_loop
// CHECK: local_store
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_store
tile.kernel @within_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
    tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  }
  tile.return
}

// Each thread reads what it wrote itself.
// CHECK-LABEL: tile.kernel @within_threads
// CHECK-NOT: barrier
tile.kernel @within_threads(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #l>
  tile.local_store %u, %s : tensor<1024xf32, #l>, !shared
  tile.return
}

// One thread stores what several hold, and all of them read.
#copies = #tile.register_layout<register[32] lane[32] warp*4>
// CHECK-LABEL: tile.kernel @copies
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @copies(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #copies>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #copies>, !shared
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #copies>
  tile.return
}

// Reads need no order among them.
// CHECK-LABEL: tile.kernel @reads
// CHECK-NOT: barrier
tile.kernel @reads() {
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  %t = tile.local_load %s : !shared -> tensor<1024xf32, #l>
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// Disjoint bytes need none; the last byte of one is next to the first of the other.
// CHECK-LABEL: tile.kernel @disjoint
// CHECK-NOT: barrier
tile.kernel @disjoint(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared {offset = 0 : i64} : !shared
  %b = tile.alloc_shared {offset = 4096 : i64} : !shared
  tile.local_store %t, %a : tensor<1024xf32, #l>, !shared
  %u = tile.local_load %b : !shared -> tensor<1024xf32, #m>
  tile.return
}

// Two tiles on the same bytes, as tile-allocate-shared makes them: read, then written by others.
// CHECK-LABEL: tile.kernel @reused_bytes
// CHECK: local_load
// CHECK-NEXT: barrier
// CHECK-NEXT: local_store
// CHECK-NOT: barrier
tile.kernel @reused_bytes(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared {offset = 0 : i64} : !shared
  %b = tile.alloc_shared {offset = 4080 : i64} : !shared
  %u = tile.local_load %a : !shared -> tensor<1024xf32, #l>
  tile.local_store %t, %b : tensor<1024xf32, #l>, !shared
  tile.return
}

// One barrier orders two pairs.
// CHECK-LABEL: tile.kernel @one_for_two
// CHECK: local_store
// CHECK-NEXT: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
tile.kernel @one_for_two(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared {offset = 0 : i64} : !shared
  %b = tile.alloc_shared {offset = 4096 : i64} : !shared
  tile.local_store %t, %a : tensor<1024xf32, #l>, !shared
  tile.local_store %t, %b : tensor<1024xf32, #l>, !shared
  %u = tile.local_load %a : !shared -> tensor<1024xf32, #m>
  %v = tile.local_load %b : !shared -> tensor<1024xf32, #m>
  tile.return
}

// One that is written by hand is kept, and does the work.
// CHECK-LABEL: tile.kernel @by_hand
// CHECK-COUNT-1: barrier
// CHECK-NEXT: arith.constant
// CHECK-NEXT: local_load
// CHECK-NEXT: barrier
// CHECK-NEXT: return
tile.kernel @by_hand(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  tile.barrier
  %c = arith.constant 0 : index
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.barrier
  tile.return
}

// A loop that stores and loads: a barrier between the two, and one before the next store.
// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: }
// CHECK-NOT: barrier
tile.kernel @loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  scf.for %i = %c0 to %n step %c1 {
    tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
    %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  }
  tile.return
}

// A loop may run not at all: what was pending before it is pending after it.
// CHECK-LABEL: tile.kernel @around_loop
// CHECK: local_store
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.barrier
// CHECK: }
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @around_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %i : index
  }
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// A barrier at the end of a loop does not help a loop that does not run.
// CHECK-LABEL: tile.kernel @barrier_in_loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @barrier_in_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier
  }
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// A branch runs once: its load is not followed by its own store.
// CHECK-LABEL: tile.kernel @branch
// CHECK: scf.if
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: }
// One store or the other is pending here.
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @branch(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  scf.if %c {
    tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
    %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  } else {
    tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  }
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// A branch without else hands on what came before it.
// CHECK-LABEL: tile.kernel @branch_without_else
// CHECK: local_store
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @branch_without_else(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.if %c {
    tile.barrier
  }
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// A barrier on both sides is one on every way.
// CHECK-LABEL: tile.kernel @branch_with_two_barriers
// CHECK-COUNT-2: barrier
// CHECK-NOT: barrier
tile.kernel @branch_with_two_barriers(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.if %c {
    tile.barrier
  } else {
    tile.barrier
  }
  %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// Other stages are other bytes; a stage that is not a constant may be any.
// CHECK-LABEL: tile.kernel @stages
// CHECK: local_store
// CHECK-NEXT: local_load %{{.*}}
// CHECK-NEXT: subview
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @stages(%x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x1024xf32, #s>
  %s0 = tile.subview %s[%c0] : !tile.shared<2x1024xf32, #s> -> !shared
  %s1 = tile.subview %s[%c1] : !tile.shared<2x1024xf32, #s> -> !shared
  tile.local_store %t, %s0 : tensor<1024xf32, #l>, !shared
  %u = tile.local_load %s1 : !shared -> tensor<1024xf32, #m>
  %si = tile.subview %s[%i] : !tile.shared<2x1024xf32, #s> -> !shared
  %v = tile.local_load %si : !shared -> tensor<1024xf32, #m>
  tile.return
}

// scf.while: its condition and its body run in turn.
// CHECK-LABEL: tile.kernel @while
// CHECK: scf.while
// CHECK: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: } do {
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_store
tile.kernel @while(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  scf.while : () -> () {
    %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
    scf.condition(%c)
  } do {
    tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
    scf.yield
  }
  tile.return
}

// A loop ends after its first region, which has a barrier behind what the second one wrote: what comes after the loop
// needs none for that, and one for what the first one wrote itself.
// CHECK-LABEL: tile.kernel @after_while
// CHECK: scf.while
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: } do {
// CHECK: tile.local_store
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: local_load
tile.kernel @after_while(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.while : () -> () {
    %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
    scf.condition(%c)
  } do {
    tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
    scf.yield
  }
  %v = tile.local_load %s : !shared -> tensor<1024xf32, #l>
  tile.return
}

// A choice that is not taken leaves pending what was before it.
// CHECK-LABEL: tile.kernel @choice
// CHECK: scf.if
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: }
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @choice(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<1024xf32, #l>, !shared
  scf.if %c {
    %u = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  }
  %v = tile.local_load %s : !shared -> tensor<1024xf32, #m>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>
#a = #tile.shared_layout<64x16, swizzle<1,3,3>>
#b = #tile.shared_layout<16x32, swizzle<2,3,3>>

// A product reads shared memory by another way than threads write it, so the barrier behind what they have written orders that
// way, too; its reads are over when the op is, and what comes after may overwrite the bytes.
// CHECK-LABEL: tile.kernel @product
// CHECK: local_store
// CHECK-NEXT: barrier {async_proxy}
// CHECK-NEXT: warpgroup_dot
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_store
tile.kernel @product(%x: f32, %h: f16) attributes {shared_bytes = 4096 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %h : f16 -> tensor<64x16xf16, #rows>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x16xf16, #a>
  %sb = tile.alloc_shared {offset = 2048 : i64} : !tile.shared<16x32xf16, #b>
  tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16, #a>
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x16xf16, #a>, !tile.shared<16x32xf16, #b>, tensor<64x32xf32, #sums>
  tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16, #a>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>
#a = #tile.shared_layout<64x16, swizzle<1,3,3>>
#b = #tile.shared_layout<16x32, swizzle<2,3,3>>

// A product under way has read its operands once it is waited for: no barrier before can say so.
// CHECK-LABEL: tile.kernel @product_under_way
// CHECK: local_store
// CHECK-NEXT: barrier {async_proxy}
// CHECK-NEXT: warpgroup_dot
// CHECK-NEXT: dot_wait 0
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_store
tile.kernel @product_under_way(%x: f32, %h: f16) attributes {shared_bytes = 4096 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %h : f16 -> tensor<64x16xf16, #rows>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x16xf16, #a>
  %sb = tile.alloc_shared {offset = 2048 : i64} : !tile.shared<16x32xf16, #b>
  tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16, #a>
  %d = tile.warpgroup_dot %sa, %sb, %c {async} : !tile.shared<64x16xf16, #a>, !tile.shared<16x32xf16, #b>, tensor<64x32xf32, #sums>
  tile.dot_wait 0
  tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16, #a>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>
#a = #tile.shared_layout<64x16, swizzle<1,3,3>>
#b = #tile.shared_layout<16x32, swizzle<2,3,3>>

// The wait leaves the second product under way, which reads other bytes.
// CHECK-LABEL: tile.kernel @second_is_left
// CHECK: warpgroup_dot
// CHECK: warpgroup_dot
// CHECK-NEXT: dot_wait 1
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_store
tile.kernel @second_is_left(%x: f32, %h: f16) attributes {shared_bytes = 8192 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %h : f16 -> tensor<64x16xf16, #rows>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x16xf16, #a>
  %sb = tile.alloc_shared {offset = 2048 : i64} : !tile.shared<16x32xf16, #b>
  %sc = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<64x16xf16, #a>
  %d = tile.warpgroup_dot %sa, %sb, %c {async} : !tile.shared<64x16xf16, #a>, !tile.shared<16x32xf16, #b>, tensor<64x32xf32, #sums>
  %e = tile.warpgroup_dot %sc, %sb, %c {async} : !tile.shared<64x16xf16, #a>, !tile.shared<16x32xf16, #b>, tensor<64x32xf32, #sums>
  tile.dot_wait 1
  tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16, #a>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>
#a = #tile.shared_layout<64x16, swizzle<1,3,3>>
#b = #tile.shared_layout<16x32, swizzle<2,3,3>>

// What was written in the iteration before, or before the loop, comes to the barrier in front of the product; to the one behind
// it comes nothing.
// CHECK-LABEL: tile.kernel @written_in_the_iteration_before
// CHECK: scf.for
// CHECK-NEXT: tile.barrier {async_proxy}
// CHECK-NEXT: tile.warpgroup_dot
// CHECK-NEXT: tile.dot_wait 0
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.local_store
tile.kernel @written_in_the_iteration_before(%x: f32, %h: f16, %n: index) attributes {shared_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %h : f16 -> tensor<64x16xf16, #rows>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x16xf16, #a>
  %sb = tile.alloc_shared {offset = 2048 : i64} : !tile.shared<16x32xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> tensor<64x32xf32, #sums> {
    %d = tile.warpgroup_dot %sa, %sb, %s {async} : !tile.shared<64x16xf16, #a>, !tile.shared<16x32xf16, #b>, tensor<64x32xf32, #sums>
    tile.dot_wait 0
    tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16, #a>
    scf.yield %d : tensor<64x32xf32, #sums>
  }
  tile.return
}

// -----

#l = #tile.register_layout<register[8] lane[32] warp[4]>
#rows = #tile.register_layout<register[1,8] lane[32,1] warp[4,1]>
!counts = !tile.shared<128x8xi32, #tile.shared_layout<128x8>>

// Counters are 0 before anybody counts, and have counted all before anybody reads them.
// CHECK-LABEL: tile.kernel @counted
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_count
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
tile.kernel @counted() {
  %i = tile.iota 0 : tensor<1024xi32, #l>
  %zero = arith.constant dense<0> : tensor<128x8xi32, #rows>
  %s = tile.alloc_shared {offset = 0 : i64} : !counts
  tile.local_store %zero, %s : tensor<128x8xi32, #rows>, !counts
  tile.local_count %i, %s : tensor<1024xi32, #l>, !counts
  %u = tile.local_load %s : !counts -> tensor<128x8xi32, #rows>
  tile.return
}
