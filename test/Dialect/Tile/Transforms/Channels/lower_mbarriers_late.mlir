// A slot whose tile is stored is given back by the next program, behind its first products, which are under way while a thread waits for the
// hardware.

// RUN: tile-opt --tile-lower-mbarriers %s | FileCheck %s
// RUN: sed 's/{tile.programs}//' %s | tile-opt --tile-lower-mbarriers | FileCheck %s --check-prefix=ANY

#left = #tile.shared_layout<128x64, swizzle<3,3,3>>
#right = #tile.shared_layout<64x256, bits [c0..2, c3..5+r0..2, r0..5, c6..7]>
#slot = #tile.shared_layout<128x256, bits [c0..2, c3..5+r0..2, r0..6, c6..7]>
#pair = #tile.shared_layout<2>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,32] warp[8,1]>

// CHECK-LABEL: tile.kernel @one_team
// CHECK: %[[BARS:.*]] = alloc_shared {offset = 213120 : i64}
// CHECK: roles main {
// CHECK: %[[BLOCK:.*]] = tile.block_id
// CHECK: scf.for %[[PROGRAM:.*]] = %[[BLOCK]] to
// CHECK: %[[SECOND:.*]] = arith.addi %[[C0:.*]], %[[C64:.*]] : index
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[SECOND]], %[[K:.*]] : index
// CHECK-NEXT: %[[FIRST:.*]]:{{.*}} = scf.for %{{.*}} = %[[C0]] to %[[END]] step %[[C64]]
// CHECK: tile.warpgroup_dot {{.*}} {async}
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.store_tma_wait {read}
// CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[PROGRAM]], %[[BLOCK]] : index
// CHECK: %[[BAR:.*]] = tile.subview %[[BARS]][%{{.*}}]
// CHECK-NEXT: tile.mbarrier_arrive %[[BAR]] empty if %[[LATER]] {each_warp}
// CHECK-NEXT: scf.for %{{.*}} = %[[SECOND]] to %[[K]] step %[[C64]] iter_args({{.*}} = %[[FIRST]]#0, {{.*}} = %[[FIRST]]#1
// CHECK: tile.warpgroup_dot {{.*}} {async}
// CHECK: tile.mbarrier_wait %{{.*}} full
// CHECK: tile.store_tma
// CHECK-NOT: mbarrier_arrive
// CHECK-NOT: store_tma_wait
// CHECK: tile.programs}
// CHECK-NEXT: tile.store_tma_wait {read}

// Other loops are left as they are.
// ANY-LABEL: tile.kernel @one_team
// ANY: roles main {
// ANY: scf.for
// ANY: scf.for
// ANY-NOT: scf.for
// ANY: tile.store_tma %
// ANY: tile.store_tma_wait {read}
// ANY: tile.mbarrier_arrive %{{[0-9]+}} empty {each_warp}
// ANY: scf.yield
// ANY: } copy {
tile.kernel @one_team(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %c: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %r: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %M: index, %N: index, %K: index) attributes {copy_warps = 4 : i32, num_warps = 8 : i32, persistent, shared_bytes = 213136 : i64} {
  %s = tile.alloc_shared {offset = 98304 : i64} : !tile.shared<1x128x256xf16, #slot>
  %sbars = tile.alloc_shared {offset = 213120 : i64} : !tile.shared<1x2xi64, #pair>
  %added = tile.channel %s mbarriers %sbars : !tile.shared<1x128x256xf16, #slot> mbarriers !tile.shared<1x2xi64, #pair> -> !tile.channel<1>
  %x = tile.alloc_shared {offset = 163840 : i64} : !tile.shared<3x128x64xf16, #left>
  %y = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x256xf16, #right>
  %bars = tile.alloc_shared {offset = 212992 : i64} : !tile.shared<3x2xi64, #pair>
  %factors = tile.channel %x, %y mbarriers %bars : !tile.shared<3x128x64xf16, #left>, !tile.shared<3x64x256xf16, #right> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %before = arith.constant -1 : i32
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %programs = tile.num_programs 0
    %block = tile.block_id
    %blocks = tile.num_blocks
    %view = tile.view %c, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %counts:2 = scf.for %program = %block to %programs step %blocks iter_args(%n = %n0, %m = %n0) -> (i32, i32) {
      %sums:2 = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %none, %at = %n) -> (tensor<128x256xf32, #sums>, i32) {
        %slots:2 = tile.wait %factors[%at] : !tile.channel<3> -> !tile.shared<128x64xf16, #left>, !tile.shared<64x256xf16, #right>
        %next = tile.warpgroup_dot %slots#0, %slots#1, %sum {async} : !tile.shared<128x64xf16, #left>, !tile.shared<64x256xf16, #right>, tensor<128x256xf32, #sums>
        tile.dot_wait 1
        %last = arith.addi %at, %before : i32
        tile.release %factors[%last] : !tile.channel<3>
        %then = arith.addi %at, %n1 : i32
        scf.yield %next, %then : tensor<128x256xf32, #sums>, i32
      }
      %row = arith.muli %program, %c128 : index
      %slot = tile.wait %added[%m] : !tile.channel<1> -> !tile.shared<128x256xf16, #slot>
      %residual = tile.local_load %slot {vector_width = 2 : i64} : !tile.shared<128x256xf16, #slot> -> tensor<128x256xf16, #sums>
      %total = tile.dot_wait 0, %sums#0 : tensor<128x256xf32, #sums>
      %wide = arith.extf %residual : tensor<128x256xf16, #sums> to tensor<128x256xf32, #sums>
      %all = arith.addf %total, %wide : tensor<128x256xf32, #sums>
      %result = arith.truncf %all : tensor<128x256xf32, #sums> to tensor<128x256xf16, #sums>
      tile.local_store %result, %slot {vector_width = 2 : i64} : tensor<128x256xf16, #sums>, !tile.shared<128x256xf16, #slot>
      tile.barrier {async_proxy, each_warpgroup}
      tile.store_tma %slot, %map[%row, %c0] {warpgroups = 2 : i64} : !tile.shared<128x256xf16, #slot>
      %more = arith.addi %m, %n1 : i32
      tile.store_tma_wait {read}
      tile.release %added[%m] : !tile.channel<1>
      scf.yield %sums#1, %more : i32, i32
    } {tile.programs}
    %last = arith.addi %counts#0, %before : i32
    tile.release %factors[%last] : !tile.channel<3>
  } copy {
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %programs = tile.num_programs 0
    %block = tile.block_id
    %blocks = tile.num_blocks
    %va = tile.view %a, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %vb = tile.view %b, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %vr = tile.view %r, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %ma = tile.tensor_map %va {box = array<i64: 128, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %mb = tile.tensor_map %vb {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %mr = tile.tensor_map %vr {box = array<i64: 128, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %counts:2 = scf.for %program = %block to %programs step %blocks iter_args(%n = %n0, %m = %n0) -> (i32, i32) {
      %row = arith.muli %program, %c128 : index
      %end = scf.for %k = %c0 to %K step %c64 iter_args(%at = %n) -> (i32) {
        %slots:2 = tile.acquire %factors[%at] : !tile.channel<3> -> !tile.shared<128x64xf16, #left>, !tile.shared<64x256xf16, #right>
        tile.copy_tma %ma[%row, %k], %slots#0 : !tile.shared<128x64xf16, #left>
        tile.copy_tma %mb[%k, %c0], %slots#1 : !tile.shared<64x256xf16, #right>
        tile.commit %factors[%at] : !tile.channel<3>
        %then = arith.addi %at, %n1 : i32
        scf.yield %then : i32
      }
      %slot = tile.acquire %added[%m] : !tile.channel<1> -> !tile.shared<128x256xf16, #slot>
      tile.copy_tma %mr[%row, %c0], %slot : !tile.shared<128x256xf16, #slot>
      tile.commit %added[%m] : !tile.channel<1>
      %more = arith.addi %m, %n1 : i32
      scf.yield %end, %more : i32, i32
    } {tile.programs}
  }
  tile.return
}
