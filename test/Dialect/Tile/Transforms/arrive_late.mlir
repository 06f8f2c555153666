// A slot that a result is stored from is released while the products of the next program run, and when it is not.

// RUN: tile-opt --tile-lower-mbarriers --tile-arrive-late %s | FileCheck %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#plain = #tile.shared_layout<64x64>
#bars = #tile.shared_layout<2>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
// In the second iteration, or behind a loop that has none; in the first program there is nothing to release.
// CHECK-LABEL: tile.kernel @late
// CHECK: %[[RBARS:.*]] = alloc_shared {offset = 98336 : i64}
// CHECK: roles main {
// CHECK: %[[FIRST:.*]] = tile.block_id
// CHECK: scf.for %[[P:.*]] = %[[FIRST]] to
// CHECK: %[[NEXT:.*]] = arith.cmpi ne, %[[P]], %[[FIRST]]
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %M step
// CHECK: tile.warpgroup_dot
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[K]], %[[C64:.*]] : index
// CHECK: %[[BOTH:.*]] = arith.andi %[[NEXT]], %[[IS]]
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: tile.store_tma_wait {read}
// CHECK: %[[BAR:.*]] = tile.subview %[[RBARS]]
// CHECK-NEXT: tile.mbarrier_arrive %[[BAR]] empty {each_warp}
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield
// CHECK: %[[NONE:.*]] = arith.cmpi sle, %M, %[[C64]]
// CHECK: %[[BEHIND:.*]] = arith.andi %[[NEXT]], %[[NONE]]
// CHECK: scf.if %[[BEHIND]] {
// CHECK-NEXT: tile.store_tma_wait {read}
// CHECK: tile.mbarrier_arrive %{{.*}} empty {each_warp}
// CHECK: tile.mbarrier_wait %{{.*}} full
// CHECK: tile.store_tma %
// CHECK-NOT: store_tma_wait
// CHECK-NOT: mbarrier_arrive
// CHECK: {tile.programs}
// CHECK-NEXT: tile.store_tma_wait {read}
tile.kernel @late(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8})
    attributes {num_warps = 4 : i32, copy_warps = 1 : i32, persistent} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 98304 : i64} : !tile.shared<2x2xi64, #bars>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
  %rs = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<1x64x64xf16, #slot>
  %rbars = tile.alloc_shared {offset = 98336 : i64} : !tile.shared<1x2xi64, #bars>
  %rc = tile.channel %rs mbarriers %rbars : !tile.shared<1x64x64xf16, #slot> mbarriers !tile.shared<1x2xi64, #bars> -> !tile.channel<1>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %id = tile.block_id
    %blocks = tile.num_blocks
    %count:2 = scf.for %m = %id to %M step %blocks iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %first) -> (tensor<64x64xf32, #sums>, i32) {
        %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %w, %w, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.dot_wait 1
        %last = arith.addi %n, %minus : i32
        tile.release %c[%last] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      %r = tile.wait %rc[%p] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      %u = tile.local_load %r {vector_width = 2 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #sums>
      tile.store_tma_wait {read}
      %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
      %h = arith.truncf %total : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
      tile.local_store %v, %r {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
      tile.barrier {async_proxy, each_warpgroup}
      tile.store_tma %r, %cmap[%m, %c0] : !tile.shared<64x64xf16, #slot>
      %pnext = arith.addi %p, %n1 : i32
      tile.store_tma_wait {read}
      tile.release %rc[%p] : !tile.channel<1>
      scf.yield %sum#1, %pnext : i32, i32
    } {tile.programs}
    %end = arith.addi %count#0, %minus : i32
    tile.release %c[%end] : !tile.channel<2>
    tile.store_tma_wait {read}
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %id = tile.block_id
    %blocks = tile.num_blocks
    %count:2 = scf.for %m = %id to %M step %blocks iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %last = scf.for %k = %c0 to %M step %c64 iter_args(%n = %first) -> (i32) {
        %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %amap[%m, %k], %f : !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      %g = tile.acquire %rc[%p] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%m, %c0], %g : !tile.shared<64x64xf16, #slot>
      tile.commit %rc[%p] : !tile.channel<1>
      %pnext = arith.addi %p, %n1 : i32
      scf.yield %last, %pnext : i32, i32
    } {tile.programs}
  }
  tile.return
}

// Who fills the slot in front of the loop would wait for what the loop releases.
// CHECK-LABEL: tile.kernel @before
// CHECK-NOT: scf.if
// CHECK: tile.store_tma %
// CHECK: tile.store_tma_wait {read}
// CHECK: tile.mbarrier_arrive %{{.*}} empty {each_warp}
// CHECK: {tile.programs}
tile.kernel @before(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8})
    attributes {num_warps = 4 : i32, copy_warps = 1 : i32, persistent} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 98304 : i64} : !tile.shared<2x2xi64, #bars>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
  %rs = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<1x64x64xf16, #slot>
  %rbars = tile.alloc_shared {offset = 98336 : i64} : !tile.shared<1x2xi64, #bars>
  %rc = tile.channel %rs mbarriers %rbars : !tile.shared<1x64x64xf16, #slot> mbarriers !tile.shared<1x2xi64, #bars> -> !tile.channel<1>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %id = tile.block_id
    %blocks = tile.num_blocks
    %count:2 = scf.for %m = %id to %M step %blocks iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %first) -> (tensor<64x64xf32, #sums>, i32) {
        %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %w, %w, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.dot_wait 1
        %last = arith.addi %n, %minus : i32
        tile.release %c[%last] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      %r = tile.wait %rc[%p] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      %u = tile.local_load %r {vector_width = 2 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #sums>
      tile.store_tma_wait {read}
      %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
      %h = arith.truncf %total : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
      tile.local_store %v, %r {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
      tile.barrier {async_proxy, each_warpgroup}
      tile.store_tma %r, %cmap[%m, %c0] : !tile.shared<64x64xf16, #slot>
      %pnext = arith.addi %p, %n1 : i32
      tile.store_tma_wait {read}
      tile.release %rc[%p] : !tile.channel<1>
      scf.yield %sum#1, %pnext : i32, i32
    } {tile.programs}
    %end = arith.addi %count#0, %minus : i32
    tile.release %c[%end] : !tile.channel<2>
    tile.store_tma_wait {read}
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %id = tile.block_id
    %blocks = tile.num_blocks
    %count:2 = scf.for %m = %id to %M step %blocks iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %g = tile.acquire %rc[%p] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%m, %c0], %g : !tile.shared<64x64xf16, #slot>
      tile.commit %rc[%p] : !tile.channel<1>
      %last = scf.for %k = %c0 to %M step %c64 iter_args(%n = %first) -> (i32) {
        %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %amap[%m, %k], %f : !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      %pnext = arith.addi %p, %n1 : i32
      scf.yield %last, %pnext : i32, i32
    } {tile.programs}
  }
  tile.return
}

// A tile that is filled in front of the loop may have the bytes of what is stored.
// CHECK-LABEL: tile.kernel @filled
// CHECK-NOT: scf.if
// CHECK: tile.store_tma %
// CHECK: tile.store_tma_wait {read}
// CHECK: tile.mbarrier_arrive %{{.*}} empty {each_warp}
// CHECK: {tile.programs}
tile.kernel @filled(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8})
    attributes {num_warps = 4 : i32, copy_warps = 1 : i32, persistent} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 98304 : i64} : !tile.shared<2x2xi64, #bars>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
  %rs = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<1x64x64xf16, #slot>
  %rbars = tile.alloc_shared {offset = 98336 : i64} : !tile.shared<1x2xi64, #bars>
  %rc = tile.channel %rs mbarriers %rbars : !tile.shared<1x64x64xf16, #slot> mbarriers !tile.shared<1x2xi64, #bars> -> !tile.channel<1>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %id = tile.block_id
    %blocks = tile.num_blocks
    %count:2 = scf.for %m = %id to %M step %blocks iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %own = tile.alloc_shared {offset = 106496 : i64} : !tile.shared<64x64xf32, #plain>
      tile.local_store %zero, %own {vector_width = 2 : i64} : tensor<64x64xf32, #sums>, !tile.shared<64x64xf32, #plain>
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %first) -> (tensor<64x64xf32, #sums>, i32) {
        %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %w, %w, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.dot_wait 1
        %last = arith.addi %n, %minus : i32
        tile.release %c[%last] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      %r = tile.wait %rc[%p] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      %u = tile.local_load %r {vector_width = 2 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #sums>
      tile.store_tma_wait {read}
      %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
      %h = arith.truncf %total : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x64xf16, #sums>
      tile.local_store %v, %r {vector_width = 2 : i64} : tensor<64x64xf16, #sums>, !tile.shared<64x64xf16, #slot>
      tile.barrier {async_proxy, each_warpgroup}
      tile.store_tma %r, %cmap[%m, %c0] : !tile.shared<64x64xf16, #slot>
      %pnext = arith.addi %p, %n1 : i32
      tile.store_tma_wait {read}
      tile.release %rc[%p] : !tile.channel<1>
      scf.yield %sum#1, %pnext : i32, i32
    } {tile.programs}
    %end = arith.addi %count#0, %minus : i32
    tile.release %c[%end] : !tile.channel<2>
    tile.store_tma_wait {read}
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %id = tile.block_id
    %blocks = tile.num_blocks
    %count:2 = scf.for %m = %id to %M step %blocks iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %last = scf.for %k = %c0 to %M step %c64 iter_args(%n = %first) -> (i32) {
        %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %amap[%m, %k], %f : !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      %g = tile.acquire %rc[%p] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%m, %c0], %g : !tile.shared<64x64xf16, #slot>
      tile.commit %rc[%p] : !tile.channel<1>
      %pnext = arith.addi %p, %n1 : i32
      scf.yield %last, %pnext : i32, i32
    } {tile.programs}
  }
  tile.return
}
}
