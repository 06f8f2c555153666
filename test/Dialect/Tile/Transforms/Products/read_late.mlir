// What is read from shared memory to be added to sums, behind loads that leave no registers for it, and what stays.

// RUN: tile-opt --tile-read-late %s | FileCheck %s

// 128 sums, 32 words of a row, and 64 of the residual.
// CHECK-LABEL: tile.kernel @row_and_residual
// CHECK: %[[TOTAL:.*]] = dot_wait 0
// CHECK-NEXT: %[[R:.*]] = load_view
// CHECK-NEXT: local_store %[[R]], %[[T:.*]] :
// CHECK-NEXT: %[[B:.*]] = local_load
// CHECK-NEXT: %[[WIDE:.*]] = broadcast %[[B]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[TOTAL]], %[[WIDE]]
// CHECK-NEXT: local_load %[[T]]

// It would be another row by then.
// CHECK-LABEL: tile.kernel @written_meanwhile
// CHECK: dot_wait 0
// CHECK-NEXT: local_load
// CHECK-NEXT: broadcast
// CHECK-NEXT: arith.addf
// CHECK-NEXT: load_view

// What is loaded hangs on it.
// CHECK-LABEL: tile.kernel @read_for_the_load
// CHECK: dot_wait 0
// CHECK-NEXT: local_load
// CHECK: load %

// There are registers for all of it.
// CHECK-LABEL: tile.kernel @few_sums
// CHECK: dot_wait 0
// CHECK-NEXT: local_load
// CHECK-NEXT: broadcast
// CHECK-NEXT: arith.addf
// CHECK-NEXT: load_view

#left = #tile.shared_layout<128x64, swizzle<3,3,3>>
#right = #tile.shared_layout<64x128, bits [c0..2, c3..5+r0..2, r0..5, c6]>
#small = #tile.shared_layout<64x64, swizzle<3,3,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[2,16]>
#row = #tile.register_layout<register[1,2] lane[1,4] register[1,16] lane*8 warp*4>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[8,1] register[1,2]>
#few = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#fewRow = #tile.register_layout<register[1,2] lane[1,4] register[1,8] lane*8 warp*4>
#fewRows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @row_and_residual(%R: !tile.ptr<f16>, %C: !tile.ptr<f32> {tile.disjoint}, %M: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
    %a = tile.alloc_shared : !tile.shared<128x64xf16, #left>
    %b = tile.alloc_shared : !tile.shared<64x128xf16, #right>
    %s = tile.alloc_shared : !tile.shared<1x128xf32>
    %t = tile.alloc_shared : !tile.shared<128x128xf16>
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #sums>) {
      %d = tile.warpgroup_dot %a, %b, %acc {async} : !tile.shared<128x64xf16, #left>, !tile.shared<64x128xf16, #right>, tensor<128x128xf32, #sums>
      scf.yield %d : tensor<128x128xf32, #sums>
    }
    %total = tile.dot_wait 0, %sum : tensor<128x128xf32, #sums>
    %u = tile.local_load %s : !tile.shared<1x128xf32> -> tensor<1x128xf32, #row>
    %g = tile.broadcast %u : tensor<1x128xf32, #row> -> tensor<128x128xf32, #sums>
    %v = arith.addf %total, %g : tensor<128x128xf32, #sums>
    %h = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x128xf16, #rows>
    tile.local_store %h, %t : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16>
    %x = tile.local_load %t : !tile.shared<128x128xf16> -> tensor<128x128xf16, #sums>
    %e = arith.extf %x : tensor<128x128xf16, #sums> to tensor<128x128xf32, #sums>
    %w = arith.addf %v, %e : tensor<128x128xf32, #sums>
    tile.store_view %w, %to[%c0, %c0] : tensor<128x128xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
  tile.kernel @written_meanwhile(%R: !tile.ptr<f16>, %C: !tile.ptr<f32> {tile.disjoint}, %M: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
    %ones = arith.constant dense<1.0> : tensor<1x128xf32, #row>
    %a = tile.alloc_shared : !tile.shared<128x64xf16, #left>
    %b = tile.alloc_shared : !tile.shared<64x128xf16, #right>
    %s = tile.alloc_shared : !tile.shared<1x128xf32>
    %t = tile.alloc_shared : !tile.shared<128x128xf16>
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #sums>) {
      %d = tile.warpgroup_dot %a, %b, %acc {async} : !tile.shared<128x64xf16, #left>, !tile.shared<64x128xf16, #right>, tensor<128x128xf32, #sums>
      scf.yield %d : tensor<128x128xf32, #sums>
    }
    %total = tile.dot_wait 0, %sum : tensor<128x128xf32, #sums>
    %u = tile.local_load %s : !tile.shared<1x128xf32> -> tensor<1x128xf32, #row>
    %g = tile.broadcast %u : tensor<1x128xf32, #row> -> tensor<128x128xf32, #sums>
    %v = arith.addf %total, %g : tensor<128x128xf32, #sums>
    %h = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x128xf16, #rows>
    tile.local_store %ones, %s : tensor<1x128xf32, #row>, !tile.shared<1x128xf32>
    tile.local_store %h, %t : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16>
    %x = tile.local_load %t : !tile.shared<128x128xf16> -> tensor<128x128xf16, #sums>
    %e = arith.extf %x : tensor<128x128xf16, #sums> to tensor<128x128xf32, #sums>
    %w = arith.addf %v, %e : tensor<128x128xf32, #sums>
    tile.store_view %w, %to[%c0, %c0] : tensor<128x128xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
  tile.kernel @read_for_the_load(%R: !tile.ptr<f16>, %C: !tile.ptr<f32> {tile.disjoint}, %M: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
    %a = tile.alloc_shared : !tile.shared<128x64xf16, #left>
    %b = tile.alloc_shared : !tile.shared<64x128xf16, #right>
    %s = tile.alloc_shared : !tile.shared<128x128xi32>
    %t = tile.alloc_shared : !tile.shared<128x128xf16>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %base = tile.splat %R : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>, #rows>
    %sum = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #sums>) {
      %d = tile.warpgroup_dot %a, %b, %acc {async} : !tile.shared<128x64xf16, #left>, !tile.shared<64x128xf16, #right>, tensor<128x128xf32, #sums>
      scf.yield %d : tensor<128x128xf32, #sums>
    }
    %total = tile.dot_wait 0, %sum : tensor<128x128xf32, #sums>
    %u = tile.local_load %s : !tile.shared<128x128xi32> -> tensor<128x128xi32, #rows>
    %p = tile.addptr %base, %u : tensor<128x128x!tile.ptr<f16>, #rows>, tensor<128x128xi32, #rows>
    %h = tile.load %p : tensor<128x128x!tile.ptr<f16>, #rows>
    tile.local_store %h, %t : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16>
    %x = tile.local_load %t : !tile.shared<128x128xf16> -> tensor<128x128xf16, #sums>
    %e = arith.extf %x : tensor<128x128xf16, #sums> to tensor<128x128xf32, #sums>
    %w = arith.addf %total, %e : tensor<128x128xf32, #sums>
    tile.store_view %w, %to[%c0, %c0] : tensor<128x128xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
  tile.kernel @few_sums(%R: !tile.ptr<f16>, %C: !tile.ptr<f32> {tile.disjoint}, %M: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #few>
    %a = tile.alloc_shared : !tile.shared<64x64xf16, #small>
    %s = tile.alloc_shared : !tile.shared<1x64xf32>
    %t = tile.alloc_shared : !tile.shared<64x64xf16>
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #few>) {
      %d = tile.warpgroup_dot %a, %a, %acc {async} : !tile.shared<64x64xf16, #small>, !tile.shared<64x64xf16, #small>, tensor<64x64xf32, #few>
      scf.yield %d : tensor<64x64xf32, #few>
    }
    %total = tile.dot_wait 0, %sum : tensor<64x64xf32, #few>
    %u = tile.local_load %s : !tile.shared<1x64xf32> -> tensor<1x64xf32, #fewRow>
    %g = tile.broadcast %u : tensor<1x64xf32, #fewRow> -> tensor<64x64xf32, #few>
    %v = arith.addf %total, %g : tensor<64x64xf32, #few>
    %h = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #fewRows>
    tile.local_store %h, %t : tensor<64x64xf16, #fewRows>, !tile.shared<64x64xf16>
    %x = tile.local_load %t : !tile.shared<64x64xf16> -> tensor<64x64xf16, #few>
    %e = arith.extf %x : tensor<64x64xf16, #few> to tensor<64x64xf32, #few>
    %w = arith.addf %v, %e : tensor<64x64xf32, #few>
    tile.store_view %w, %to[%c0, %c0] : tensor<64x64xf32, #few>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}
