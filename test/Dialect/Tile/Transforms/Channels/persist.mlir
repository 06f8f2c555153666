// Kernels of large products become persistent: their blocks run one program after the other.

// RUN: split-file %s %t
// RUN: tile-opt --tile-persist %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-persist=enable=false %t/kernels.mlir | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-specialize=num-stages=1 --tile-persist %t/kernels.mlir | FileCheck %s --check-prefix=OFF
// RUN: sed -e "s/sm_90a/sm_89/" %t/kernels.mlir | tile-opt --tile-persist | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-persist %t/declined.mlir | FileCheck %s --check-prefixes=OFF,WHY

// OFF-NOT: persistent
// OFF-NOT: block_id

// WHY: @unaligned({{.*}} tile.persist_reason = "bulk copies cannot fetch all that is multiplied"
// WHY: @counted({{.*}} tile.persist_reason = "programs print, check, or have atomic or volatile accesses"
// WHY: @flagged({{.*}} tile.persist_reason = "programs print, check, or have atomic or volatile accesses"
// WHY: @nested({{.*}} tile.persist_reason = "a product stands in no loop, or in a loop in another one or in a branch"
// WHY: @mixed({{.*}} tile.persist_reason = "one of its products is not made by wgmma"
// WHY: @unnumbered({{.*}} tile.persist_reason = "programs do not ask for their numbers (tile.program_id)"

// Numbers along two axes: groups of 16 rows, or of 4 where all run at once. What all programs have alike is in front of the loop.
// CHECK-LABEL: tile.kernel @rows_and_columns
// CHECK-SAME: persistent
// CHECK-DAG: %[[X:.*]] = num_programs 0
// CHECK-DAG: %[[Y:.*]] = num_programs 1
// CHECK-DAG: %[[ALL:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK-DAG: %[[BLOCK:.*]] = block_id
// CHECK-DAG: %[[BLOCKS:.*]] = num_blocks
// CHECK-DAG: %[[AT_ONCE:.*]] = arith.cmpi ule, %{{.*}}, %{{.*}} : index
// CHECK-DAG: %[[HEIGHT:.*]] = arith.select %[[AT_ONCE]], %c4{{.*}}, %c16
// CHECK-DAG: %[[SIZE:.*]] = arith.muli %[[HEIGHT]], %[[Y]]
// CHECK-NOT: num_programs
// CHECK: scf.for %[[P:.*]] = %[[BLOCK]] to %[[ALL]] step %[[BLOCKS]] {
// CHECK: %[[GROUP:.*]] = arith.divui %[[P]], %[[SIZE]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[GROUP]], %[[HEIGHT]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[X]], %[[FIRST]]
// CHECK-NEXT: %[[ROWS:.*]] = arith.minui %[[LEFT]], %[[HEIGHT]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.remui %[[P]], %[[SIZE]]
// CHECK-NEXT: %[[ROW:.*]] = arith.remui %[[NUMBER]], %[[ROWS]]
// CHECK-NEXT: %[[M:.*]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK-NEXT: %[[N:.*]] = arith.divui %[[NUMBER]], %[[ROWS]]
// CHECK-NOT: program_id
// CHECK: scf.for
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
// CHECK-NEXT: return

// Along one axis they stay in their order.
// CHECK-LABEL: tile.kernel @one_axis
// CHECK-SAME: persistent
// CHECK: %[[X:.*]] = num_programs 0
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[X]] step
// CHECK-NEXT: arith.muli %[[P]], %c128

// A box may be narrower than what a thread of the block would move.
// CHECK-LABEL: tile.kernel @eight_columns
// CHECK-SAME: persistent

//--- kernels.mlir
#a = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[4,1]>
#b = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[2,1] register[1,4]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[8,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,32] warp*8>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,32] warp[8,1]>
#b8 = #tile.register_layout<register[1,2] lane[8,4] warp[8,1]>
#right8 = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] warp*8>
#sums8 = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[8,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @rows_and_columns(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index {tile.divisibility = 8}, %K: index {tile.divisibility = 8})
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %pm, %c128 : index
    %n = arith.muli %pn, %c256 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    tile.store_view %sum, %c[%m, %n] : tensor<128x256xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }

  tile.kernel @one_axis(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8})
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %pm, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    tile.return
  }

  tile.kernel @eight_columns(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8})
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %zero8 = arith.constant dense<0.0> : tensor<128x8xf32, #sums8>
    %m = arith.muli %pm, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 264], strides [264, 1] : !tile.ptr<f16> -> !tile.view<?x264xf16, [264, 1]>
    %c = tile.view %C, shape [%M, 264], strides [264, 1] : !tile.ptr<f32> -> !tile.view<?x264xf32, [264, 1]>
    %sum, %sum8 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %acc8 = %zero8) -> (tensor<128x256xf32, #sums>, tensor<128x8xf32, #sums8>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x264xf16, [264, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      %tb8 = tile.load_view %b[%k, %c256] : !tile.view<?x264xf16, [264, 1]> -> tensor<64x8xf16, #b8>
      %lb8 = tile.convert_layout %tb8 : tensor<64x8xf16, #b8> -> tensor<64x8xf16, #right8>
      %next8 = tile.dot %la, %lb8, %acc8 by wgmma : tensor<128x64xf16, #left>, tensor<64x8xf16, #right8>, tensor<128x8xf32, #sums8>
      scf.yield %next, %next8 : tensor<128x256xf32, #sums>, tensor<128x8xf32, #sums8>
    }
    tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x264xf32, [264, 1]>
    tile.store_view %sum8, %c[%m, %c256] : tensor<128x8xf32, #sums8>, !tile.view<?x264xf32, [264, 1]>
    tile.return
  }
}

//--- declined.mlir
#a = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[4,1]>
#b = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[2,1] register[1,4]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[8,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,32] warp*8>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,32] warp[8,1]>
module attributes {tile.target = "sm_90a"} {
  // Rows of A begin anywhere.
  tile.kernel @unaligned(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index)
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %pm, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    tile.return
  }

  // Programs tell one another how far they are.
  tile.kernel @counted(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %D: !tile.ptr<i32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8}, %one: i32)
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %pm, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    %old = tile.atomic_rmw add %D, %one : !tile.ptr<i32>
    tile.return
  }

  // They set flags that others watch.
  tile.kernel @flagged(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %D: !tile.ptr<i32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8}, %one: i32)
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %pm, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    tile.store %D, %one volatile : !tile.ptr<i32>
    tile.return
  }

  // The author has a loop over tiles.
  tile.kernel @nested(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8})
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    scf.for %m = %pm to %M step %c128 {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
        %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
        %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
        %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
        %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
        %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
        scf.yield %next : tensor<128x256xf32, #sums>
      }
      tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    }
    tile.return
  }

  // Other instructions make another product.
  tile.kernel @mixed(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8})
      attributes {num_warps = 8 : i32} {
    %pm = tile.program_id 0
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %pm, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    %la = arith.constant dense<1.0> : tensor<128x64xf16, #left>
    %lb = arith.constant dense<1.0> : tensor<64x256xf16, #right>
    %more = tile.dot %la, %lb, %sum by mma.sync : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
    tile.store_view %more, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    tile.return
  }

  // There is one program.
  tile.kernel @unnumbered(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
      %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8})
      attributes {num_warps = 8 : i32} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
    %m = arith.muli %c0, %c128 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
    %c = tile.view %C, shape [%M, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<?x256xf32, [256, 1]>
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #sums>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #a>
      %la = tile.convert_layout %ta : tensor<128x64xf16, #a> -> tensor<128x64xf16, #left>
      %tb = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x256xf16, #b>
      %lb = tile.convert_layout %tb : tensor<64x256xf16, #b> -> tensor<64x256xf16, #right>
      %next = tile.dot %la, %lb, %acc by wgmma : tensor<128x64xf16, #left>, tensor<64x256xf16, #right>, tensor<128x256xf32, #sums>
      scf.yield %next : tensor<128x256xf32, #sums>
    }
    tile.store_view %sum, %c[%m, %c0] : tensor<128x256xf32, #sums>, !tile.view<?x256xf32, [256, 1]>
    tile.return
  }
}
