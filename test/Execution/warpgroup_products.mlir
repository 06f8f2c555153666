// Products by wgmma whose sums are constants, or used later: nothing comes between the fence and the product. And a tile
// that one product reads twice.

// RUN: tile-run %s --kernel=from_zero --device=sim --check --args "M=71 N=72 K=150"
// RUN: tile-run %s --kernel=once --device=sim --check --args "M=71 N=72 K=37"
// RUN: tile-run %s --kernel=kept --device=sim --check --args "M=71 N=72 K=64"
// RUN: tile-run %s --kernel=gram --device=sim --check --args "M=64 K=200"
// RUN: tile-compile %s --kernel=from_zero --report | FileCheck %s
// RUN: tile-compile %s --kernel=once --report | FileCheck %s
// RUN: tile-compile %s --kernel=kept --report | FileCheck %s
// CHECK: f16 into f32, by wgmma

// Each product begins with zeros, and is added by the threads.
tile.kernel @from_zero(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %p = tile.dot %ta, %tb, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = arith.addf %acc, %p : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// No loop: K is at most 64.
tile.kernel @once(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %ta = tile.load_view %a[%m, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
  %tb = tile.load_view %b[%c0, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
  %sum = tile.dot %ta, %tb, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// The sum before the product is subtracted from the sum after it: with K of 64, both steps are the product.
tile.kernel @kept(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sums:2 = scf.for %step = %c0 to %c2 step %c1 iter_args(%acc = %zero, %last = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%c0, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %difference = arith.subf %next, %acc : tensor<64x64xf32>
    scf.yield %next, %difference : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store_view %sums#1, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// A times its own transpose.
tile.kernel @gram(%A: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %K: index)
    shapes ["A[M, K]", "C[M, M]"]
    grid ["1"]
    reference ["C[m, n] = sum(k, A[m, k] * A[n, k])"] {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.trans %ta [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
