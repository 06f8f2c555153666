// Copies get a warp of their own, with the scalars that they hang on and nothing else.

// RUN: tile-opt --tile-split-roles %s | FileCheck %s
// RUN: tile-opt --tile-split-roles %s 2>&1 >%t | FileCheck %s --check-prefix=REMARK
// A kernel that has its roles keeps them.
// RUN: tile-opt --tile-split-roles %s | tile-opt --tile-split-roles | FileCheck %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.shared_layout<256x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>

// CHECK-LABEL: tile.kernel @split
// CHECK-SAME: copy_warps = 1 : i32
// What the roles share stands in front.
// CHECK-NEXT: %[[S:.*]] = alloc_shared
// CHECK-NEXT: %[[BARS:.*]] = alloc_shared
// CHECK-NEXT: %[[C:.*]] = channel %[[S]] mbarriers %[[BARS]]
// CHECK-NEXT: roles main {
// CHECK-NOT: tensor_map
// CHECK-NOT: acquire
// CHECK: barrier {warps = 4 : i32}
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[N:.*]] = %{{.*}}) -> (tensor<64x64xf32{{.*}}>, i32)
// CHECK-NEXT: tile.wait %[[C]][%[[N]]]
// CHECK-NEXT: tile.warpgroup_dot
// CHECK-NEXT: tile.release %[[C]][%[[N]]]
// CHECK-NOT: scf.if
// CHECK: } copy {
// CHECK-NOT: tensor<
// CHECK: %[[AT:.*]] = arith.divui
// CHECK: %[[MAP:.*]] = tile.tensor_map
// The branch gives what the loop goes on with, and no tile.
// CHECK: %[[FROM:.*]] = scf.if %{{.*}} -> (index) {
// CHECK: scf.for %[[K:.*]] = %[[FROM]] to %K step %{{.*}} iter_args(%[[M:.*]] = %{{.*}}) -> (i32)
// CHECK-NEXT: tile.acquire %[[C]][%[[M]]]
// CHECK-NEXT: tile.copy_tma %[[MAP]][%[[AT]], %[[K]]]
// CHECK-NEXT: tile.commit %[[C]][%[[M]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[M]]
// CHECK-NEXT: scf.yield %[[NEXT]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
tile.kernel @split(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %one = arith.constant dense<1.0> : tensor<64x64xf32, #sums>
  %p = tile.program_id 0
  // It may not be speculated; the role has it where the program has.
  %m = arith.divui %p, %M : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.barrier
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %late = arith.cmpi sgt, %K, %c64 : index
  %from, %start = scf.if %late -> (index, tensor<64x64xf32, #sums>) {
    scf.yield %c64, %one : index, tensor<64x64xf32, #sums>
  } else {
    scf.yield %c0, %zero : index, tensor<64x64xf32, #sums>
  }
  %sum:2 = scf.for %k = %from to %K step %c64 iter_args(%acc = %start, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
    %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_tma %map[%m, %k], %f : !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n] : !tile.channel<2>
    %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    %d = tile.warpgroup_dot %r, %r, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
    tile.release %c[%n] : !tile.channel<2>
    %next = arith.addi %n, %n1 : i32
    scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
  }
  tile.return
}

// Where threads make something of each product, more blocks are worth more than a warp that copies: that costs the registers of four.
// ptxas is told how many were counted on, but no more than leave 128 registers for a thread.
// CHECK-LABEL: tile.kernel @stays
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
// CHECK-SAME: tile.roles_reason = "without them 5 blocks have room on a multiprocessor, with them fewer; one multiplies while another one goes on with its results"
// CHECK-NOT: copy_warps
// CHECK-NOT: roles
// CHECK: scf.for
// CHECK: tile.acquire
// CHECK-NEXT: tile.copy_tma
tile.kernel @stays(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) attributes {shared_bytes = 16512 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %sum:2 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
    %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_tma %map[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n] : !tile.channel<2>
    %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    %d = tile.warpgroup_dot %r, %r, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
    tile.release %c[%n] : !tile.channel<2>
    %e = math.exp2 %d : tensor<64x64xf32, #sums>
    %next = arith.addi %n, %n1 : i32
    scf.yield %e, %next : tensor<64x64xf32, #sums>, i32
  }
  tile.return
}

// A block has no 33rd warp.
// CHECK-LABEL: tile.kernel @all_compute
// CHECK-SAME: tile.roles_reason = "all 32 warps that a block can have compute; use fewer (num_warps)"
// CHECK-NOT: roles
// CHECK: acquire
// CHECK-NEXT: copy_tma
// REMARK: remark: no warps of it only copy: all 32 warps that a block can have compute; use fewer (num_warps)
// REMARK-NEXT: tile.kernel @all_compute
tile.kernel @all_compute(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) attributes {num_warps = 32 : i32} {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
  tile.commit %c[%n0] : !tile.channel<2>
  %r = tile.wait %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
  tile.release %c[%n0] : !tile.channel<2>
  tile.return
}

// Sixteen warps have 128 registers a thread, with one more 96, and an instruction of 256 columns needs 154.
// CHECK-LABEL: tile.kernel @many_sums
// CHECK-SAME: tile.roles_reason = "with a warp more, threads would have fewer registers than their products need; use smaller tiles or fewer warps"
// CHECK-NOT: roles
// CHECK: copy_tma
// REMARK: remark: no warps of it only copy: with a warp more, threads would have fewer registers than their products need; use smaller tiles or fewer warps
// REMARK-NEXT: tile.kernel @many_sums
tile.kernel @many_sums(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<256x256xf32>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 256, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x256x64xf16, #rows>
  %b = tile.alloc_shared : !tile.shared<64x256xf16>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x256x64xf16, #rows> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<256x64xf16, #rows>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<256x64xf16, #rows>
  tile.commit %c[%n0] : !tile.channel<2>
  %r = tile.wait %c[%n0] : !tile.channel<2> -> !tile.shared<256x64xf16, #rows>
  %sums = tile.warpgroup_dot %r, %b, %zeros : !tile.shared<256x64xf16, #rows>, !tile.shared<64x256xf16>, tensor<256x256xf32>
  tile.release %c[%n0] : !tile.channel<2>
  tile.return
}

// Nothing fills the channel: no warp has anything to copy.
// CHECK-LABEL: tile.kernel @never_filled()
// CHECK-NOT: copy_warps
// CHECK-NOT: roles
// CHECK: release
tile.kernel @never_filled() {
  %before = arith.constant -1 : i32
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.release %c[%before] : !tile.channel<2>
  tile.return
}
