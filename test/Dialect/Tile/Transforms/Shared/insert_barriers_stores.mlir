// Stores of shared tiles by bulk copies: threads write the tile behind a wait and a barrier, and it is stored behind another one, which
// hands it on. What they only exchange with each other is handed on by the last one.

// RUN: split-file %s %t
// RUN: tile-opt --tile-insert-barriers %t/order.mlir | FileCheck %s
// RUN: tile-opt --tile-insert-barriers --split-input-file --verify-diagnostics %t/invalid.mlir

// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for
// CHECK: store_tma_wait
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.barrier {async_proxy}
// CHECK-NEXT: tile.store_tma
// CHECK: }
// CHECK-NEXT: store_tma_wait {read}

// Two blocks that have no element in common, from two tiles: nothing is between the stores.
// CHECK-LABEL: tile.kernel @apart
// CHECK: local_store
// CHECK-NEXT: local_store
// CHECK-NEXT: barrier {async_proxy}
// CHECK-NEXT: store_tma
// CHECK-NEXT: store_tma
// CHECK-NOT: barrier

// CHECK-LABEL: tile.kernel @exchanged
// CHECK: local_store
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_load
// CHECK: scf.for
// CHECK: barrier{{$}}
// CHECK-NEXT: local_store
// CHECK-NEXT: barrier{{$}}
// CHECK: local_load
// CHECK: }
// CHECK: local_store
// CHECK-NEXT: barrier {async_proxy}
// CHECK-NEXT: store_tma

// One of each warpgroup does not wait for what the other one fences: that is handed on in front of the barrier of all.
// CHECK-LABEL: tile.kernel @other_warpgroup
// CHECK: local_store
// CHECK-NEXT: barrier {async_proxy}
// CHECK-NEXT: barrier {each_warpgroup}
// CHECK-NEXT: store_tma

//--- order.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
tile.kernel @loop(%C: !tile.ptr<f16> {tile.disjoint}, %x: f16, %M: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %t = tile.splat %x : f16 -> tensor<64x64xf16, #sums>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
  scf.for %m = %c0 to %M step %c64 {
    tile.store_tma_wait
    tile.local_store %t, %s {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
    tile.store_tma %s, %map[%m, %c0] : !tile.shared<64x64xf16, #slot>
  }
  tile.store_tma_wait {read}
  tile.return
}

tile.kernel @apart(%C: !tile.ptr<f16> {tile.disjoint}, %x: f16, %M: index) {
  %c64 = arith.constant 64 : index
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %t = tile.splat %x : f16 -> tensor<64x64xf16, #sums>
  %next = arith.addi %M, %c64 : index
  %s0 = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
  %s1 = tile.alloc_shared {offset = 8192 : i64} : !tile.shared<64x64xf16, #slot>
  tile.local_store %t, %s0 {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
  tile.local_store %t, %s1 {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
  tile.store_tma %s0, %map[%M, %M] : !tile.shared<64x64xf16, #slot>
  tile.store_tma %s1, %map[%M, %next] : !tile.shared<64x64xf16, #slot>
  tile.return
}

tile.kernel @exchanged(%C: !tile.ptr<f16> {tile.disjoint}, %x: f16, %M: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %t = tile.splat %x : f16 -> tensor<64x64xf16, #sums>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
  tile.local_store %t, %s {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
  %u = tile.local_load %s {vector_width = 8 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #rows>
  %last = scf.for %m = %c0 to %M step %c64 iter_args(%v = %u) -> (tensor<64x64xf16, #rows>) {
    tile.local_store %v, %s {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #slot>
    %w = tile.local_load %s {vector_width = 2 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #sums>
    %next = arith.addf %t, %w : tensor<64x64xf16, #sums>
    %n = tile.local_load %s {vector_width = 8 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #rows>
    scf.yield %n : tensor<64x64xf16, #rows>
  }
  tile.local_store %last, %s {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16, #slot>
  tile.store_tma %s, %map[%c0, %c0] : !tile.shared<64x64xf16, #slot>
  tile.return
}

#tile_of_warpgroups = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[8,1]>
tile.kernel @other_warpgroup(%C: !tile.ptr<f16> {tile.disjoint}, %x: f16, %M: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 128, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %t = tile.splat %x : f16 -> tensor<128x64xf16, #tile_of_warpgroups>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128x64xf16, #tile.shared_layout<128x64, swizzle<3,3,3>>>
  tile.local_store %t, %s {vector_width = 2 : i64} : tensor<128x64xf16, #tile_of_warpgroups>, !tile.shared<128x64xf16, #tile.shared_layout<128x64, swizzle<3,3,3>>>
  tile.barrier
  tile.barrier {each_warpgroup}
  tile.store_tma %s, %map[%c0, %c0] : !tile.shared<128x64xf16, #tile.shared_layout<128x64, swizzle<3,3,3>>>
  tile.return
}

//--- invalid.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
tile.kernel @tile_under_store(%C: !tile.ptr<f16> {tile.disjoint}, %x: f16, %M: index) {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %t = tile.splat %x : f16 -> tensor<64x64xf16, #sums>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
  tile.store_tma %s, %map[%c0, %c0] : !tile.shared<64x64xf16, #slot>
  // expected-error@+1 {{uses bytes that a copy or a product under way may still touch}}
  tile.local_store %t, %s {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
// That the tile was read does not say that the block is written.
tile.kernel @block_under_store(%C: !tile.ptr<f16> {tile.disjoint}, %M: index) {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
  tile.store_tma %s, %map[%c0, %c0] : !tile.shared<64x64xf16, #slot>
  tile.store_tma_wait {read}
  // expected-error@+1 {{uses global memory that a copy under way may still touch}}
  %u = tile.load_view %c[%c0, %c0] {vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #rows>
  tile.return
}
