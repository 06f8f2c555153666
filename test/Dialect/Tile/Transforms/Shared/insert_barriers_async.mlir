// Barriers among asynchronous copies: waits order them, barriers make them seen.

// RUN: tile-opt --tile-insert-barriers %s | FileCheck %s

// A loop over stages has one barrier in its body: between the wait for the
// stage to read and the copy into the one that was read last.
#rows = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#h = #tile.shared_layout<64x16>
!view = !tile.view<?x?xf16, [?, 1]>
!stages = !tile.shared<3x64x16xf16, #h>
!stage = !tile.shared<64x16xf16, #h>
// CHECK-LABEL: tile.kernel @stages
// CHECK-NOT: barrier
// CHECK: scf.for
// CHECK-NEXT: async_wait 1
// CHECK-NOT: copy_async
// CHECK: barrier
// CHECK: copy_async
// CHECK-NEXT: async_commit
// CHECK-NOT: barrier
// CHECK: local_load
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @stages(%A: !tile.ptr<f16>, %K: index, %inside: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !view
  %s = tile.alloc_shared {offset = 0 : i64} : !stages
  %s0 = tile.subview %s[%c0] : !stages -> !stage
  tile.copy_async %v[%c0, %c0], %s0 {registers = #rows} : !view, !stage
  tile.async_commit
  %s1 = tile.subview %s[%c1] : !stages -> !stage
  tile.copy_async %v[%c0, %c16], %s1 {registers = #rows} : !view, !stage
  tile.async_commit
  scf.for %k = %c0 to %K step %c16 iter_args(%read = %c0, %write = %c2) -> (index, index) {
    tile.async_wait 1
    %w = tile.subview %s[%write] : !stages -> !stage
    tile.copy_async %v[%c0, %k] mask %inside, %w {registers = #rows} : !view, !stage
    tile.async_commit
    %r = tile.subview %s[%read] : !stages -> !stage
    %t = tile.local_load %r : !stage -> tensor<64x16xf16, #a>
    %read1 = arith.addi %read, %c1 : index
    %next_read = arith.remui %read1, %c3 : index
    %write1 = arith.addi %write, %c1 : index
    %next_write = arith.remui %write1, %c3 : index
    scf.yield %next_read, %next_write : index, index
  }
  tile.return
}

// A wait that leaves a group under way does not make its data readable: the barrier that counts is
// the one after the wait that covers it.
// CHECK-LABEL: tile.kernel @groups
// CHECK: async_wait 1
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: async_wait 0
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @groups(%A: !tile.ptr<f16>, %K: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !view
  %s = tile.alloc_shared {offset = 0 : i64} : !stage
  %t = tile.alloc_shared {offset = 2048 : i64} : !stage
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !view, !stage
  tile.async_commit
  tile.copy_async %v[%c0, %c0], %t {registers = #rows} : !view, !stage
  tile.async_commit
  tile.async_wait 1
  %x = tile.local_load %s : !stage -> tensor<64x16xf16, #a>
  tile.async_wait 0
  %y = tile.local_load %t : !stage -> tensor<64x16xf16, #a>
  tile.return
}

// A copy that no commit has closed is in no group that a wait covers.
// CHECK-LABEL: tile.kernel @open_group
// CHECK: async_wait 0
// CHECK-NEXT: async_commit
// CHECK-NEXT: async_wait 0
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @open_group(%A: !tile.ptr<f16>, %K: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !view
  %s = tile.alloc_shared {offset = 0 : i64} : !stage
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !view, !stage
  tile.async_wait 0
  tile.async_commit
  tile.async_wait 0
  %x = tile.local_load %s : !stage -> tensor<64x16xf16, #a>
  tile.return
}

// What was read must have been read by all before a copy overwrites it; each thread may read what
// it copied itself.
// CHECK-LABEL: tile.kernel @overwrite
// CHECK: local_load
// CHECK-NEXT: barrier
// CHECK-NEXT: copy_async
// CHECK-NEXT: async_commit
// CHECK-NEXT: async_wait 0
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @overwrite(%A: !tile.ptr<f16>, %K: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !view
  %s = tile.alloc_shared {offset = 0 : i64} : !stage
  %x = tile.local_load %s : !stage -> tensor<64x16xf16, #a>
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !view, !stage
  tile.async_commit
  tile.async_wait 0
  %y = tile.local_load %s : !stage -> tensor<64x16xf16, #rows>
  tile.return
}
