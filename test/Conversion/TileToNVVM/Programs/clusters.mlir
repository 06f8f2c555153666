// Programs that several blocks run: warps of all of them, tiles of each, results that mbarriers count.

// RUN: tile-opt --tile-set-target=target=sm_90a --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#flat = #tile.shared_layout<8>
// Its threads are those of a block, and its numbers those of clusters.
// CHECK-LABEL: llvm.func @sum
// CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
// CHECK-SAME: nvvm.reqntid = array<i32: 64>
// CHECK: mbarrier.init.shared::cta.b64 [$1], 1;
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.read.ptx.sreg.clusterid.x
// CHECK: nvvm.read.ptx.sreg.nclusterid.x
// The warp's number among those of the program.
// CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
// The first time the blocks wait for each other, later until what was there is read.
// CHECK: scf.if
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: scf.if
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: nvvm.bar.warp.sync
// Lanes 0 to 3 have the result of their warp, and tell one block each.
// CHECK: nvvm.mapa
// CHECK: nvvm.mapa
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $2, [$1];
// 8 warps, 4 bytes.
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 32;
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: llvm.mlir.global internal @sum$exchange0() {addr_space = 3 : i32, alignment = 8 : i64} : i64
tile.kernel @sum(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %x: f32) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 32 : i64} {
  %p = tile.program_id 0
  %n = tile.num_programs 0
  %q = arith.addi %p, %n : index
  %t = tile.splat %x : f32 -> tensor<8xf32, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
  tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
  tile.barrier
  %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
  %sum = tile.reduce %u axis 0 : tensor<8xf32, #all> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.addptr %Y, %q : !tile.ptr<f32>, index
  tile.store %y, %sum : !tile.ptr<f32>
  tile.return
}

// -----

// Too short to be counted: a barrier of the cluster.
#line = #tile.register_layout<lane*32 warp[4]>
#flat = #tile.shared_layout<4>
// CHECK-LABEL: llvm.func @short
// CHECK-NOT: st.async
// CHECK: @$0 st.shared::cluster.b16 [$1], $2;
// CHECK-NOT: st.async
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
tile.kernel @short(%x: f16) attributes {cluster_blocks = 2 : i32, num_warps = 4 : i32, shared_bytes = 16 : i64} {
  %t = tile.splat %x : f16 -> tensor<4xf16, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4xf16, #flat>
  tile.local_store %t, %s {vector_width = 1 : i64} : tensor<4xf16, #line>, !tile.shared<4xf16, #flat>
  tile.barrier
  tile.return
}

// -----

// One program after the other: who has read says so to each block, and nobody waits at a barrier of the cluster, or fences memory, before the end.
#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#flat = #tile.shared_layout<8>
// CHECK-LABEL: llvm.func @sums
// Of the 8 warps.
// CHECK: mbarrier.init.shared::cta.b64 [$1], 1;
// CHECK: mbarrier.init.shared::cta.b64 [$1], 8;
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.read.ptx.sreg.clusterid.x
// CHECK: nvvm.read.ptx.sreg.nclusterid.x
// CHECK: scf.for
// CHECK-NOT: nvvm.cluster.arrive
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $2, [$1];
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 32;
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xi32>
// Nobody arrives before the warp has what it read.
// CHECK: %[[READ:.*]] = nvvm.shfl.sync idx
// CHECK: arith.cmpi ne, %[[READ]]
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mapa
// CHECK: @$0 mbarrier.arrive.shared::cluster.b64 _, [$1];
// CHECK-NOT: nvvm.cluster.arrive
// CHECK: nvvm.shfl.sync
// CHECK-NOT: nvvm.cluster.arrive
// No block leaves before the others.
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
// CHECK: @sums$exchange0()
// CHECK: @sums$readers()
tile.kernel @sums(%Y: !tile.ptr<f32>, %x: f32) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 32 : i64, persistent} {
  %first = tile.block_id
  %step = tile.num_blocks
  %n = tile.num_programs 0
  scf.for %p = %first to %n step %step {
    %t = tile.splat %x : f32 -> tensor<8xf32, #line>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
    tile.barrier
    tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %sum = tile.reduce %u axis 0 : tensor<8xf32, #all> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
    tile.store %y, %sum : !tile.ptr<f32>
  } {tile.programs}
  tile.return
}

// -----

// Of two exchanges the first one waits for the readers, and the last load tells.
#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#flat = #tile.shared_layout<8>
// CHECK-LABEL: llvm.func @two
// CHECK: scf.for
// CHECK: mbarrier.try_wait
// CHECK: st.async
// CHECK: mbarrier.arrive.expect_tx
// CHECK: mbarrier.try_wait
// CHECK-NOT: mbarrier.arrive.shared::cluster
// CHECK-NOT: mbarrier.try_wait
// CHECK: st.async
// CHECK: mbarrier.arrive.expect_tx
// CHECK: mbarrier.try_wait
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: mbarrier.arrive.shared::cluster
// CHECK: nvvm.cluster.arrive {aligned}
tile.kernel @two(%Y: !tile.ptr<f32>, %x: f32) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 64 : i64, persistent} {
  %first = tile.block_id
  %step = tile.num_blocks
  %n = tile.num_programs 0
  scf.for %p = %first to %n step %step {
    %t = tile.splat %x : f32 -> tensor<8xf32, #line>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
    tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %max = tile.reduce %u axis 0 : tensor<8xf32, #all> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
    %v = tile.splat %max : f32 -> tensor<8xf32, #line>
    %r = tile.alloc_shared {offset = 32 : i64} : !tile.shared<8xf32, #flat>
    tile.local_store %v, %r {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %w = tile.local_load %r {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %sum = tile.reduce %w axis 0 : tensor<8xf32, #all> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
    tile.store %y, %sum : !tile.ptr<f32>
  } {tile.programs}
  tile.return
}

// -----

// One that is made once, before the loop, waits for nobody, and nobody is told that it was read.
#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#flat = #tile.shared_layout<8>
// CHECK-LABEL: llvm.func @before_loop
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NOT: mbarrier.try_wait
// CHECK: st.async
// CHECK: mbarrier.arrive.expect_tx
// CHECK: mbarrier.try_wait
// CHECK-NOT: mbarrier.arrive.shared::cluster
// CHECK: scf.for
// CHECK: mbarrier.try_wait
// CHECK: st.async
// CHECK: mbarrier.arrive.expect_tx
// CHECK: mbarrier.try_wait
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: mbarrier.arrive.shared::cluster
// CHECK: nvvm.cluster.arrive {aligned}
tile.kernel @before_loop(%Y: !tile.ptr<f32>, %x: f32) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 64 : i64, persistent} {
  %first = tile.block_id
  %step = tile.num_blocks
  %n = tile.num_programs 0
  %t = tile.splat %x : f32 -> tensor<8xf32, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
  tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
  tile.barrier
  %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
  %max = tile.reduce %u axis 0 : tensor<8xf32, #all> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  scf.for %p = %first to %n step %step {
    %v = tile.splat %max : f32 -> tensor<8xf32, #line>
    %r = tile.alloc_shared {offset = 32 : i64} : !tile.shared<8xf32, #flat>
    tile.local_store %v, %r {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %w = tile.local_load %r {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %sum = tile.reduce %w axis 0 : tensor<8xf32, #all> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
    tile.store %y, %sum : !tile.ptr<f32>
  } {tile.programs}
  tile.return
}

// -----

// In a loop over anything else a barrier of the cluster orders what iterations do to memory.
#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#flat = #tile.shared_layout<8>
// CHECK-LABEL: llvm.func @in_order
// CHECK: scf.for
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NOT: $readers
tile.kernel @in_order(%Y: !tile.ptr<f32>, %x: f32, %n: index) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 32 : i64} {
  %first = tile.program_id 0
  %step = tile.num_programs 0
  scf.for %p = %first to %n step %step {
    %t = tile.splat %x : f32 -> tensor<8xf32, #line>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
    tile.barrier
    tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %sum = tile.reduce %u axis 0 : tensor<8xf32, #all> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
    tile.store %y, %sum : !tile.ptr<f32>
  }
  tile.return
}

// -----

// Of 16 blocks, each has warps that fill a vector: they store to their own block's tile, meet, and a
// thread sends the vector to each other block. Then the block says that all of its warps have read.
#line = #tile.register_layout<lane*32 warp[64]>
#all = #tile.register_layout<register[4] lane[16] lane*2 warp*64>
#flat = #tile.shared_layout<64>
// CHECK-LABEL: llvm.func @by_blocks
// CHECK: mbarrier.init.shared::cta.b64 [$1], 1;
// Of the 16 blocks.
// CHECK: mbarrier.init.shared::cta.b64 [$1], 16;
// CHECK: scf.for
// CHECK: mbarrier.try_wait
// CHECK-NOT: st.async
// CHECK: st.shared.b32
// CHECK: nvvm.barrier0
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK: arith.andi %{{.*}}, %[[OTHER]] : i1
// CHECK: ld.shared.v4.b32
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
// Of 15 other blocks.
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 240;
// CHECK: mbarrier.try_wait
// CHECK: nvvm.shfl.sync idx
// CHECK: nvvm.barrier #nvvm.reduction<and>
// CHECK: mbarrier.arrive.shared::cluster
tile.kernel @by_blocks(%Y: !tile.ptr<f32>, %x: f32) attributes {cluster_blocks = 16 : i32, num_warps = 64 : i32, shared_bytes = 256 : i64, persistent} {
  %first = tile.block_id
  %step = tile.num_blocks
  %n = tile.num_programs 0
  scf.for %p = %first to %n step %step {
    %t = tile.splat %x : f32 -> tensor<64xf32, #line>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64xf32, #flat>
    tile.local_store %t, %s {vector_width = 1 : i64} : tensor<64xf32, #line>, !tile.shared<64xf32, #flat>
    tile.barrier
    %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<64xf32, #flat> -> tensor<64xf32, #all>
    %sum = tile.reduce %u axis 0 : tensor<64xf32, #all> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
    tile.store %y, %sum : !tile.ptr<f32>
  } {tile.programs}
  tile.return
}

// -----

// Rows that are stored in their places are told apart by programs: threads load and store the same elements, and exchanges order nothing else.
#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#row = #tile.register_layout<lane[32] warp[8]>
#flat = #tile.shared_layout<8>
// CHECK-LABEL: llvm.func @in_place
// CHECK: st.async
tile.kernel @in_place(%X: !tile.ptr<f32> {tile.disjoint}, %x: f32) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 32 : i64, persistent} {
  %c0 = arith.constant 0 : index
  %n = tile.num_programs 0
  %first = tile.block_id
  %step = tile.num_blocks
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #row>
  %last = scf.for %p = %first to %n step %step iter_args(%now = %zeros) -> (tensor<256xf32, #row>) {
    %q = arith.addi %p, %step : index
    %qp = tile.addptr %X, %q : !tile.ptr<f32>, index
    %qv = tile.view %qp, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
    %next = tile.load_view %qv[%c0] {tile.in_place, vector_width = 1 : i64} : !tile.view<256xf32, [1]> -> tensor<256xf32, #row>
    %t = tile.splat %x : f32 -> tensor<8xf32, #line>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
    tile.barrier
    tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %pp = tile.addptr %X, %p : !tile.ptr<f32>, index
    %pv = tile.view %pp, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
    tile.store_view %now, %pv[%c0] {vector_width = 1 : i64} : tensor<256xf32, #row>, !tile.view<256xf32, [1]>
    scf.yield %next : tensor<256xf32, #row>
  } {tile.programs}
  tile.return
}

// -----

// Where threads store other elements than they load, barriers order them.
#line = #tile.register_layout<lane*32 warp[8]>
#all = #tile.register_layout<register[4] lane[2] lane*16 warp*8>
#row = #tile.register_layout<lane[32] warp[8]>
#other = #tile.register_layout<lane[16] warp[8] lane[2]>
#flat = #tile.shared_layout<8>
// CHECK-LABEL: llvm.func @by_others
// CHECK-NOT: st.async
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NOT: st.async
tile.kernel @by_others(%X: !tile.ptr<f32> {tile.disjoint}, %x: f32) attributes {cluster_blocks = 4 : i32, num_warps = 8 : i32, shared_bytes = 32 : i64, persistent} {
  %c0 = arith.constant 0 : index
  %n = tile.num_programs 0
  %first = tile.block_id
  %step = tile.num_blocks
  %other = arith.constant dense<0.0> : tensor<256xf32, #other>
  scf.for %p = %first to %n step %step {
    %q = arith.addi %p, %step : index
    %qp = tile.addptr %X, %q : !tile.ptr<f32>, index
    %qv = tile.view %qp, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
    %next = tile.load_view %qv[%c0] {tile.in_place, vector_width = 1 : i64} : !tile.view<256xf32, [1]> -> tensor<256xf32, #row>
    %t = tile.splat %x : f32 -> tensor<8xf32, #line>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<8xf32, #flat>
    tile.barrier
    tile.local_store %t, %s {vector_width = 1 : i64} : tensor<8xf32, #line>, !tile.shared<8xf32, #flat>
    tile.barrier
    %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<8xf32, #flat> -> tensor<8xf32, #all>
    %pp = tile.addptr %X, %p : !tile.ptr<f32>, index
    %pv = tile.view %pp, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
    tile.store_view %other, %pv[%c0] {vector_width = 1 : i64} : tensor<256xf32, #other>, !tile.view<256xf32, [1]>
  } {tile.programs}
  tile.return
}
