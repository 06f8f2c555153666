// What an epilogue reads comes by bulk copies in a slot of its own, asked for in the order of the program; and what does not.

// RUN: split-file %s %t
// RUN: tile-opt --tile-select-tma-loads %t/loads.mlir | FileCheck %s
// RUN: tile-opt --tile-select-tma-loads=enable=false %t/loads.mlir | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-select-tma-loads --tile-allocate-shared --tile-insert-barriers --tile-split-roles %t/loads.mlir | FileCheck %s --check-prefix=ROLES
// RUN: tile-opt --tile-select-tma-loads --split-input-file --verify-diagnostics %t/declined.mlir -o /dev/null
// RUN: tile-opt --tile-select-tma-loads --split-input-file %t/declined.mlir | FileCheck %s --check-prefix=WHY

// The result has the slot when the residual was read, and keeps it until the hardware has read it.
// CHECK-LABEL: tile.kernel @programs
// CHECK: %[[S:.*]] = alloc_shared {tile.layout_reason = "128B, which bulk copies write, costs 64 wavefronts (the ideal)"} : !tile.shared<1x64x64xf16, #[[SLOT:.*]]>
// CHECK-NEXT: %[[BARS:.*]] = alloc_shared : !tile.shared<1x2xi64, #{{.*}}>
// CHECK-NEXT: %[[C:.*]] = channel %[[S]] mbarriers %[[BARS]]
// CHECK: %[[R:.*]] = view %R
// CHECK-NEXT: %[[MAP:.*]] = tensor_map %[[R]] {box = array<i64: 64, 64>, row_bytes = 128 : i64}
// CHECK: scf.for %[[M:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[N:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: scf.for
// CHECK-NOT: load_view
// CHECK: %[[F:.*]] = tile.acquire %[[C]][%[[N]]]
// CHECK-NEXT: tile.copy_tma %[[MAP]][%[[M]], %{{.*}}], %[[F]]
// CHECK-NEXT: tile.commit %[[C]][%[[N]]]
// CHECK-NEXT: %[[W:.*]] = tile.wait %[[C]][%[[N]]]
// CHECK-NEXT: local_load %[[W]] {vector_width = 2 : i64} : !tile.shared<64x64xf16, #[[SLOT]]>
// CHECK: tile.store_tma_wait{{$}}
// CHECK-NEXT: tile.local_store %{{.*}}, %[[W]]
// CHECK-NEXT: tile.store_tma %[[W]], %
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %c1{{.*}} : i32
// CHECK-NEXT: tile.store_tma_wait {read}
// CHECK-NEXT: tile.release %[[C]][%[[N]]]
// CHECK-NEXT: scf.yield %{{.*}}, %[[NEXT]]

// A kernel that is one program has one hand-over.
// CHECK-LABEL: tile.kernel @once
// CHECK: scf.for
// CHECK: %[[W:.*]] = wait %{{.*}}[%c0_i32{{.*}}] : !tile.channel<1>
// CHECK-NEXT: local_load %[[W]]
// CHECK: store_tma %[[W]]
// CHECK-NEXT: store_tma_wait {read}
// CHECK-NEXT: store_tma_wait {read}
// CHECK-NEXT: release %{{.*}}[%c0_i32{{.*}}] : !tile.channel<1>
// CHECK-NEXT: return

// Where threads store the result, the slot is free when it was read.
// CHECK-LABEL: tile.kernel @apart
// CHECK: %[[W:.*]] = tile.wait %{{.*}} : !tile.channel<1>
// CHECK-NEXT: local_load %[[W]]
// CHECK-NEXT: tile.release %{{.*}} : !tile.channel<1>
// CHECK: store_view
// CHECK-NOT: store_tma_wait

// OFF-NOT: channel<1>
// OFF: load_view {{.*}} {tile.copy_reason = "bulk copies are turned off, or their layouts are"}

// Who copies is told of the residual behind the slots of the loop.
// The hand-over orders what threads do to the slot: the one barrier of the others is that in front of the store.
// ROLES-LABEL: tile.kernel @programs
// ROLES: roles main {
// ROLES-NOT: copy_tma
// ROLES-NOT: barrier
// ROLES: tile.local_store
// ROLES-NEXT: tile.barrier {async_proxy
// ROLES-NEXT: tile.store_tma
// ROLES-NOT: copy_tma
// ROLES-NOT: barrier
// ROLES: } copy {
// ROLES: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[N:.*]] = %{{.*}})
// ROLES: scf.for
// ROLES: copy_tma
// ROLES: }
// ROLES: acquire %{{.*}}[%[[N]]] : !tile.channel<1>
// ROLES-NEXT: copy_tma
// ROLES-NEXT: commit %{{.*}}[%[[N]]] : !tile.channel<1>
// ROLES: }
// ROLES-LABEL: tile.kernel @once

// WHY-LABEL: @rows
// WHY: load_view {{.*}}tile.copy_reason = "a launch can make no tensor map of what is loaded: it is no block of a view, or base and strides are not known to be multiples of 16 bytes"
// WHY-LABEL: @written
// WHY: load_view {{.*}}tile.copy_reason = "the kernel may write what the copies read"
// WHY-LABEL: @branch
// WHY: load_view {{.*}}tile.copy_reason = "it is in loops or branches of its own"
// WHY-LABEL: @room
// WHY: load_view {{.*}}tile.copy_reason = "shared memory has no room for it beside what the loop reads"
// WHY-NOT: channel<1>

//--- loads.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#bars = #tile.shared_layout<2>
#any = #tile.shared_layout<64x64>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @programs(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %count = scf.for %m = %c0 to %M step %c64 iter_args(%first = %n0) -> (i32) {
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %first) -> (tensor<64x64xf32, #sums>, i32) {
        %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %amap[%m, %k], %f : !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n] : !tile.channel<2>
        %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.release %c[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      %t = tile.load_view %r[%m, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
      %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
      tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
      %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
      %h = arith.truncf %sum#0 : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
      tile.store_tma_wait
      %p = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
      tile.local_store %v, %p {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
      tile.store_tma %p, %cmap[%m, %c0] : !tile.shared<64x64xf16, #slot>
      scf.yield %sum#1 : i32
    }
    tile.store_tma_wait {read}
    tile.return
  }

  tile.kernel @once(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<8x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<8x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<8x64x64xf16, #slot> mbarriers !tile.shared<8x2xi64, #bars> -> !tile.channel<8>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<8>
      %w = tile.wait %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.release %c[%n] : !tile.channel<8>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
    %t = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
    %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
    tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
    %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
    %h = arith.truncf %total : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
    %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
    %p = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
    tile.local_store %v, %p {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
    tile.store_tma %p, %cmap[%c0, %c0] : !tile.shared<64x64xf16, #slot>
    tile.store_tma_wait {read}
    tile.return
  }

  tile.kernel @apart(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %count = scf.for %m = %c0 to %M step %c64 iter_args(%first = %n0) -> (i32) {
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %first) -> (tensor<64x64xf32, #sums>, i32) {
        %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %amap[%m, %k], %f : !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n] : !tile.channel<2>
        %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.release %c[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      %t = tile.load_view %r[%m, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
      %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
      tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
      %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
      %h = arith.truncf %sum#0 : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
      tile.store_view %v, %to[%m, %c0] {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.view<?x?xf16, [?, 1]>
      scf.yield %sum#1 : i32
    }
    tile.return
  }
}

//--- declined.mlir
// Rows that begin anywhere.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#bars = #tile.shared_layout<2>
#any = #tile.shared_layout<64x64>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @rows(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 4}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<8x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<8x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<8x64x64xf16, #slot> mbarriers !tile.shared<8x2xi64, #bars> -> !tile.channel<8>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<8>
      %w = tile.wait %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.release %c[%n] : !tile.channel<8>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    // expected-remark@+1 {{is not fetched by bulk copies: a launch can make no tensor map of what is loaded: it is no block of a view, or base and strides are not known to be multiples of 16 bytes}}
    %t = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
    %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
    tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
    %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
    %h = arith.truncf %sum#0 : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
    %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
    %p = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
    tile.local_store %v, %p {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
    tile.store_tma %p, %cmap[%c0, %c0] : !tile.shared<64x64xf16, #slot>
    tile.store_tma_wait {read}
    tile.return
  }
}

// -----

// What the kernel may write.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#bars = #tile.shared_layout<2>
#any = #tile.shared_layout<64x64>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @written(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<8x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<8x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<8x64x64xf16, #slot> mbarriers !tile.shared<8x2xi64, #bars> -> !tile.channel<8>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<8>
      %w = tile.wait %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.release %c[%n] : !tile.channel<8>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    // expected-remark@+1 {{is not fetched by bulk copies: the kernel may write what the copies read}}
    %t = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
    %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
    tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
    %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
    %h = arith.truncf %sum#0 : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
    %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
    %p = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
    tile.local_store %v, %p {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
    tile.store_tma %p, %cmap[%c0, %c0] : !tile.shared<64x64xf16, #slot>
    tile.store_tma_wait {read}
    tile.return
  }
}

// -----

// A branch.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#bars = #tile.shared_layout<2>
#any = #tile.shared_layout<64x64>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @branch(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}, %flag: i1) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<8x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<8x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<8x64x64xf16, #slot> mbarriers !tile.shared<8x2xi64, #bars> -> !tile.channel<8>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    scf.if %flag {
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
        %f = tile.acquire %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n] : !tile.channel<8>
        %w = tile.wait %c[%n] : !tile.channel<8> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.release %c[%n] : !tile.channel<8>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      // expected-remark@+1 {{is not fetched by bulk copies: it is in loops or branches of its own}}
      %t = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
      %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
      tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
      %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
      %h = arith.truncf %sum#0 : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
      %p = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
      tile.local_store %v, %p {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
      tile.store_tma %p, %cmap[%c0, %c0] : !tile.shared<64x64xf16, #slot>
    }
    tile.store_tma_wait {read}
    tile.return
  }
}

// -----

// Behind the loop the residual had the bytes of its slots: fewer blocks would run.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#bars = #tile.shared_layout<2>
#any = #tile.shared_layout<64x64>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @room(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %w, %w, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.release %c[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    // expected-remark@+1 {{is not fetched by bulk copies: shared memory has no room for it beside what the loop reads}}
    %t = tile.load_view %r[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
    %o = tile.alloc_shared : !tile.shared<64x64xf16, #any>
    tile.local_store %t, %o {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #any>
    %u = tile.local_load %o {vector_width = 2 : i64} : !tile.shared<64x64xf16, #any> -> tensor<64x64xf16, #sums>
    %h = arith.truncf %sum#0 : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
    %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
    %p = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
    tile.local_store %v, %p {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
    tile.store_tma %p, %cmap[%c0, %c0] : !tile.shared<64x64xf16, #slot>
    tile.store_tma_wait {read}
    tile.return
  }
}
