// Operands of FMAs that lie along K are turned on their way to shared memory: each lane has an element of a sector, 8 lanes a sector. Where
// layouts of shared tiles are pinned, and for operands that lie along N, threads load vectors.

// RUN: tile-opt --tile-assign-register-layouts %s | FileCheck %s --check-prefixes=CHECK,TURNED
// RUN: tile-opt --tile-assign-register-layouts=turn-operands=false %s | FileCheck %s --check-prefixes=CHECK,PINNED

// CHECK-LABEL: tile.kernel @along_k
// TURNED: load_view %{{.*}} -> tensor<64x16xf32, #tile.register_layout<lane[4,8] warp[4,1] register[4,1] register[1,2]>>
// PINNED: load_view %{{.*}} -> tensor<64x16xf32, #tile.register_layout<register[1,4] lane[8,4] warp[4,1] register[2,1]>>
// CHECK: load_view %{{.*}} -> tensor<16x64xf32, #tile.register_layout<register[1,4] lane[4,8] register[1,2] warp[4,1]>>
tile.kernel @along_k(%A: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 16}, %C: !tile.ptr<f32> {tile.disjoint},
    %M: index {tile.divisibility = 16}, %N: index {tile.divisibility = 16}, %K: index {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c16 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x16xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x64xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<64x16xf32>, tensor<16x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
