// Blocks of a cluster that make parts of a program's products: each has all warps of the program.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

#threads = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[1,2]>
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
}
