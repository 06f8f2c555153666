// Blocks of a cluster whose programs are neighbours, and copy together.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
module attributes {tile.target = "sm_90a"} {
  // CHECK-LABEL: llvm.func @neighbours
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
  tile.kernel @neighbours(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index, %K: index) attributes {num_warps = 4 : i32, shared_bytes = 8208 : i64, tile.cluster_programs = array<i32: 2, 2, 1>} {
    %c0 = arith.constant 0 : index
    // The number is that of the first program of the cluster, along each axis.
    // CHECK: %[[CLUSTER:.*]] = nvvm.read.ptx.sreg.clusterid.x
    // CHECK: arith.muli %[[CLUSTER]], %c2
    %i = tile.program_id 0
    // CHECK: nvvm.read.ptx.sreg.ctaid.y
    %j = tile.program_id 1
    // Of block 3 along the first axis 1, and along the second one.
    // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
    // CHECK: %[[FIRST:.*]] = arith.shrui %[[RANK]], %c0
    // CHECK: arith.andi %[[FIRST]], %c1
    %x = tile.place_in_cluster 0
    // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
    // CHECK: %[[SECOND:.*]] = arith.shrui %[[RANK]], %c1
    // CHECK: arith.andi %[[SECOND]], %c1
    %y = tile.place_in_cluster 1
    // CHECK: nvvm.cluster.arrive {aligned}
    // CHECK-NEXT: nvvm.cluster.wait {aligned}
    tile.cluster_barrier
    %v = tile.view %A, shape [%N, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %m = tile.tensor_map %v {box = array<i64: 32, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
    %bar = tile.alloc_shared {offset = 8192 : i64} : !tile.shared<2xi64, #pair>
    %row = arith.addi %i, %x : index
    // 32 of 64 rows of 128 bytes, to this block and to the one whose program differs along the second axis.
    // CHECK: %[[BLOCKS:.*]] = arith.trunci %{{.*}} : i32 to i16
    // CHECK: llvm.inline_asm {{.*}}.multicast::cluster [$0], [$1, {$4, $5}], [$2], $3;", "r,l,r,h,r,r,~{memory}" %{{.*}}, %{{.*}}, %{{.*}}, %[[BLOCKS]],
    tile.copy_tma %m[%row, %c0], %s on %bar {shared_along = 1 : i64} : !tile.shared<64x64xf16, #slot> on !tile.shared<2xi64, #pair>
    // A lane for each block.
    // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
    // CHECK: arith.cmpi ult, %[[LANE]], %c4
    // CHECK: %[[BLOCK:.*]] = arith.andi %{{.*}}, %c3
    // CHECK: nvvm.mapa %{{.*}}, %[[BLOCK]] : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: llvm.inline_asm {{.*}}mbarrier.arrive.shared::cluster.b64 _, [$1];
    tile.mbarrier_arrive %bar empty {each_warp, of_cluster} : !tile.shared<2xi64, #pair>
    tile.return
  }
}
