// Products of sm_90a whose left operand is in registers, placed by hand: all types, rows of the right operand along N and along K,
// more rows than a warpgroup's 64, two warpgroups below each other and side by side, and odd sizes.

// DEFINE: %{in} =
// DEFINE: %{sum} =
// DEFINE: %{zero} = 0.0
// DEFINE: %{left} =
// DEFINE: %{columns} = 8
// DEFINE: %{m} = 64
// DEFINE: %{warps} = 4
// DEFINE: %{rest} = 8
// DEFINE: %{split} = warp[4,1]
// DEFINE: %{swizzle} =
// DEFINE: %{file} =
// DEFINE: %{run} = sed -e "s/IN/%{in}/g; s/SUM/%{sum}/g; s/ZERO/%{zero}/g; s/LEFT/%{left}/; s/COLUMNS/%{columns}/; s/ROWS/%{m}/g" \
// DEFINE:     -e "s/WARPS/%{warps}/g; s/REST/%{rest}/; s/SPLIT/%{split}/g; s/SWIZZLE/%{swizzle}/" %t/%{file}.mlir | \
// DEFINE:     tile-run - --device=sim --target=sm_90a --check --specials --args "M=131 N=70 K=97"

// RUN: split-file %s %t

// REDEFINE: %{in} = f16
// REDEFINE: %{sum} = f32
// REDEFINE: %{left} = register[1,2] lane[8,4] register[2,1] register[1,4]
// REDEFINE: %{swizzle} = 3,3,3
// REDEFINE: %{file} = along_n
// RUN: %{run}
// REDEFINE: %{m} = 128
// REDEFINE: %{split} = warp[4,1] register[2,1]
// RUN: %{run}
// REDEFINE: %{warps} = 8
// REDEFINE: %{rest} = 4
// REDEFINE: %{split} = warp[8,1]
// RUN: %{run}
// REDEFINE: %{in} = bf16
// RUN: %{run}
// REDEFINE: %{file} = along_k
// REDEFINE: %{swizzle} = 2,3,3
// RUN: %{run}

// REDEFINE: %{in} = f32
// REDEFINE: %{left} = lane[8,4] register[2,1] register[1,8]
// REDEFINE: %{swizzle} = 3,2,3
// RUN: sed -i "s/A\[m, k\] \* B\[n, k\]/tf32(A[m, k]) * tf32(B[n, k])/" %t/along_k.mlir
// RUN: %{run}
// REDEFINE: %{warps} = 4
// REDEFINE: %{rest} = 8
// REDEFINE: %{split} = warp[4,1] register[2,1]
// RUN: %{run}
// RUN: sed -i "s/tf32(A\[m, k\]) \* tf32(B\[n, k\])/A[m, k] * B[n, k]/" %t/along_k.mlir

// REDEFINE: %{in} = i8
// REDEFINE: %{sum} = i32
// REDEFINE: %{zero} = 0
// REDEFINE: %{left} = register[1,4] lane[8,4] register[2,1] register[1,2]
// REDEFINE: %{swizzle} = 1,4,3
// RUN: %{run}
// REDEFINE: %{m} = 64
// REDEFINE: %{split} = warp[4,1]
// RUN: %{run}

// What is computed from a product goes into the next one as it is, as the weights of attention do.
// RUN: tile-compile %t/chain.mlir --target=sm_90a --emit=placed | FileCheck %s
// CHECK: warpgroup_dot {{.*}} : !tile.shared<
// CHECK-NOT: convert_layout
// CHECK-NOT: local_load
// CHECK: warpgroup_dot {{.*}} : tensor<
// DEFINE: %{chain} = tile-run %t/chain.mlir --device=sim --check --args "M=131 N=40" --target
// RUN: %{chain}=sm_80 && %{chain}=sm_86 && %{chain}=sm_89 && %{chain}=sm_90a && %{chain}=sm_100a && %{chain}=sm_120a
// RUN: tile-run %t/chain.mlir --device=sim --check --args "M=131 N=40" --target=sm_90a --specials

//--- along_n.mlir
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,COLUMNS] SPLIT>
#left = #tile.register_layout<LEFT SPLIT>
#right = #tile.register_layout<register[1,2] lane[1,32] warp[WARPS,1] register[REST,1]>
!right = !tile.shared<32x64xIN, #tile.shared_layout<32x64, swizzle<SWIZZLE>>>
tile.kernel @along_n(%A: !tile.ptr<IN>, %B: !tile.ptr<IN>, %C: !tile.ptr<SUM>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, ROWS)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] attributes {num_warps = WARPS : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %rows = arith.constant ROWS : index
  %zero = arith.constant dense<ZERO> : tensor<ROWSx64xSUM, #sums>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %rows : index
  %n = arith.muli %j, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<SUM> -> !tile.view<?x?xSUM, [?, 1]>
  %s = tile.alloc_shared : !right
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> tensor<ROWSx64xSUM, #sums> {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<ROWSx32xIN, #left>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xIN, [?, 1]> -> tensor<32x64xIN, #right>
    tile.local_store %tb, %s : tensor<32x64xIN, #right>, !right
    %next = tile.warpgroup_dot %ta, %s, %acc : tensor<ROWSx32xIN, #left>, !right, tensor<ROWSx64xSUM, #sums>
    scf.yield %next : tensor<ROWSx64xSUM, #sums>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<ROWSx64xSUM, #sums>, !tile.view<?x?xSUM, [?, 1]>
  tile.return
}

//--- along_k.mlir
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,COLUMNS] SPLIT>
#left = #tile.register_layout<LEFT SPLIT>
#right = #tile.register_layout<lane[1,32] warp[WARPS,1] register[REST,1] register[2,1]>
!right = !tile.shared<64x32xIN, #tile.shared_layout<64x32, swizzle<SWIZZLE>>>
tile.kernel @along_k(%A: !tile.ptr<IN>, %B: !tile.ptr<IN>, %C: !tile.ptr<SUM>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[N, K]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, ROWS)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[n, k])"] attributes {num_warps = WARPS : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %rows = arith.constant ROWS : index
  %zero = arith.constant dense<ZERO> : tensor<ROWSx64xSUM, #sums>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %rows : index
  %n = arith.muli %j, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %b = tile.view %B, shape [%N, %K], strides [%K, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<SUM> -> !tile.view<?x?xSUM, [?, 1]>
  %s = tile.alloc_shared : !right
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> tensor<ROWSx64xSUM, #sums> {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<ROWSx32xIN, #left>
    %tb = tile.load_view %b[%n, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<64x32xIN, #right>
    tile.local_store %tb, %s : tensor<64x32xIN, #right>, !right
    %next = tile.warpgroup_dot %ta, %s, %acc {b_transposed} : tensor<ROWSx32xIN, #left>, !right, tensor<ROWSx64xSUM, #sums>
    scf.yield %next : tensor<ROWSx64xSUM, #sums>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<ROWSx64xSUM, #sums>, !tile.view<?x?xSUM, [?, 1]>
  tile.return
}

//--- chain.mlir
tile.kernel @chain(%Q: !tile.ptr<f16> {tile.divisibility = 16}, %K: !tile.ptr<f16> {tile.divisibility = 16}, %V: !tile.ptr<f16> {tile.divisibility = 16}, %O: !tile.ptr<f32>, %M: index, %N: index {tile.divisibility = 8})
    shapes ["Q[M, 64]", "K[N, 64]", "V[N, 64]", "O[M, 64]"]
    grid ["ceildiv(M, 64)"]
    reference ["O[m, d] = sum(n, f16(sum(k, Q[m, k] * K[n, k])) * V[n, d])"] attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %q = tile.view %Q, shape [%M, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  %k = tile.view %K, shape [%N, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  %v = tile.view %V, shape [%N, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  %o = tile.view %O, shape [%M, 64], strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x64xf32, [64, 1]>
  %tq = tile.load_view %q[%m, %c0] : !tile.view<?x64xf16, [64, 1]> -> tensor<64x64xf16>
  %sum = scf.for %n = %c0 to %N step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %tk = tile.load_view %k[%n, %c0] : !tile.view<?x64xf16, [64, 1]> -> tensor<64x64xf16>
    %tv = tile.load_view %v[%n, %c0] : !tile.view<?x64xf16, [64, 1]> -> tensor<64x64xf16>
    %turned = tile.trans %tk [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %scores = tile.dot %tq, %turned, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %weights = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %next = tile.dot %weights, %tv, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %o[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32, [64, 1]>
  tile.return
}
