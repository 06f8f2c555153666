// Blocks of a cluster that make parts of a program's products: each has all warps of the program.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

#threads = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[1,2]>
#accumulators = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#a = #tile.shared_layout<64x32, swizzle<2,3,3>>
#b = #tile.shared_layout<32x32, swizzle<2,3,3>>
module attributes {tile.target = "sm_90a"} {
  // CHECK-LABEL: llvm.func @parts
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
  // CHECK-SAME: nvvm.reqntid = array<i32: 128>
  tile.kernel @parts(%out: !tile.ptr<f32>) attributes {num_warps = 4 : i32, shared_bytes = 4096 : i64, tile.product_parts = 2 : i32} {
    %c1 = arith.constant 1 : index
    // The number of the program is that of its cluster.
    // CHECK: nvvm.read.ptx.sreg.clusterid.x
    %program = tile.program_id 0
    // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
    %part = tile.part_id
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #sums>
    %mine = tile.rename_registers %zero : tensor<64x16xf32, #sums> -> tensor<1024xf32, #threads>
    // A store is to this block's tile alone.
    // CHECK-NOT: cluster.ctaid
    // CHECK-NOT: mapa
    // CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1024xf32, #tile.shared_layout<1024>>
    tile.local_store %mine, %s {vector_width = 4 : i64} : tensor<1024xf32, #threads>, !tile.shared<1024xf32, #tile.shared_layout<1024>>
    // CHECK: nvvm.cluster.arrive {aligned}
    // CHECK-NEXT: nvvm.cluster.wait {aligned}
    tile.part_barrier
    // CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: llvm.load %{{.*}} : !llvm.ptr<7> -> vector<4xi32>
    %other = tile.load_part %s of %c1 {vector_width = 4 : i64} : !tile.shared<1024xf32, #tile.shared_layout<1024>> -> tensor<1024xf32, #threads>
    %both = arith.addf %mine, %other : tensor<1024xf32, #threads>
    %p = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #threads>
    tile.store %p, %both {vector_width = 1 : i64} : tensor<1024x!tile.ptr<f32>, #threads>
    tile.return
  }

  // Threads of three blocks take 16 bytes each, in turn: 4096 bytes are less than 3 x 2048.
  // CHECK-LABEL: llvm.func @slices
  tile.kernel @slices() attributes {num_warps = 4 : i32, shared_bytes = 4096 : i64, tile.product_parts = 3 : i32} {
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1024xf32, #tile.shared_layout<1024>>
    // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
    // CHECK-COUNT-3: nvvm.mapa
    // CHECK: arith.cmpi slt
    // CHECK-COUNT-3: ld.shared::cluster.v4.b32
    // CHECK-COUNT-8: arith.addf
    // CHECK-NOT: arith.addf
    // CHECK: st.shared::cluster.v4.b32
    // CHECK-NOT: st.shared
    tile.add_parts %s by 4 : !tile.shared<1024xf32, #tile.shared_layout<1024>>
    tile.return
  }

  // Two have a turn and no more, of which all threads have a part.
  // CHECK-LABEL: llvm.func @halves
  tile.kernel @halves() attributes {num_warps = 4 : i32, shared_bytes = 4096 : i64, tile.product_parts = 2 : i32} {
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1024xi32, #tile.shared_layout<1024>>
    // CHECK-NOT: cmpi
    // CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<7> -> vector<4xi32>
    // CHECK-COUNT-4: arith.addi
    // CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<7>
    tile.add_parts %s by 4 : !tile.shared<1024xi32, #tile.shared_layout<1024>>
    tile.return
  }

  // The address of shared memory has the number of the block above its 18 bits; descriptors have other fields there.
  // CHECK-LABEL: llvm.func @descriptors
  // CHECK: %[[BITS:.*]] = arith.constant 262143 : i32
  // CHECK-NEXT: arith.andi %{{.*}}, %[[BITS]] : i32
  // CHECK: %[[BITS:.*]] = arith.constant 262143 : i32
  // CHECK-NEXT: arith.andi %{{.*}}, %[[BITS]] : i32
  // CHECK: nvvm.wgmma.mma_async
  tile.kernel @descriptors(%x: f32) attributes {num_warps = 4 : i32, shared_bytes = 6144 : i64, tile.product_parts = 2 : i32} {
    %c = tile.splat %x : f32 -> tensor<64x32xf32, #accumulators>
    %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xf16, #a>
    %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<32x32xf16, #b>
    %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x32xf16, #a>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #accumulators>
    tile.return
  }

  // CHECK-LABEL: llvm.func @of_one_block
  // CHECK-NOT: 262143
  tile.kernel @of_one_block(%x: f32) attributes {num_warps = 4 : i32, shared_bytes = 6144 : i64} {
    %c = tile.splat %x : f32 -> tensor<64x32xf32, #accumulators>
    %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xf16, #a>
    %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<32x32xf16, #b>
    %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x32xf16, #a>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #accumulators>
    tile.return
  }
}
