// Loops whose products are under way over iterations: trip counts around the number of stages, two products that share an
// operand, and sums that begin with values. The wait of the loop is needed: without it the simulator reports a
// race.

// RUN: split-file %s %t
// DEFINE: %{k} =
// DEFINE: %{run} = tile-run %t/plain.mlir --device=sim --check --args "M=70 N=136 K=%{k}"
// DEFINE: %{runs} = %{run} --num-stages=2 && %{run} --num-stages=3 && %{run} --num-stages=4
// REDEFINE: %{k} = 0
// RUN: %{runs}
// REDEFINE: %{k} = 1
// RUN: %{runs}
// REDEFINE: %{k} = 64
// RUN: %{runs}
// REDEFINE: %{k} = 96
// RUN: %{runs}
// REDEFINE: %{k} = 160
// RUN: %{runs}
// RUN: tile-compile %t/plain.mlir --emit=placed | FileCheck %s --check-prefix=PLACED --implicit-check-not=dot_wait
// PLACED: warpgroup_dot {{.*}} {a_transposed, async}
// PLACED-NEXT: dot_wait 1
// PLACED: dot_wait 0, %

// RUN: tile-run %t/pair.mlir --device=sim --check --args "M=70 N=40 K=152"
// RUN: tile-compile %t/pair.mlir --emit=placed | FileCheck %s --check-prefix=PAIR
// PAIR: warpgroup_dot {{.*}} {async}
// PAIR-NEXT: warpgroup_dot {{.*}} {async, joined}
// PAIR-NEXT: dot_wait 2
// PAIR: dot_wait 0, %{{.*}}, %{{.*}} :

// Known to make one step: the loop is gone, and so is the release of a slot before the first.
// RUN: tile-run %t/step.mlir --device=sim --check --args "M=70 N=40"

// RUN: tile-compile %t/plain.mlir --emit=placed --tensor-maps=false -o %t/right.mlir
// RUN: tile-run %t/right.mlir --device=sim --check --args "M=70 N=136 K=200"
// RUN: sed 's/dot_wait 1/dot_wait 2/' %t/right.mlir > %t/waits.mlir
// RUN: not tile-run %t/waits.mlir --device=sim --check --args "M=70 N=136 K=200" 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race

//--- plain.mlir
tile.kernel @plain(%A: !tile.ptr<f16> {tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.divisibility = 16}, %C: !tile.ptr<f32>, %M: index, %N: index {tile.divisibility = 8}, %K: index)
    shapes ["A[K, 72]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[k, m] * B[k, n]) + 1"] attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c72 = arith.constant 72 : index
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  %a = tile.view %A, shape [%K, 72], strides [72, 1] : !tile.ptr<f16> -> !tile.view<?x72xf16, [72, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %one) -> tensor<64x64xf32> {
    %ta = tile.load_view %a[%k, %m] : !tile.view<?x72xf16, [72, 1]> -> tensor<32x64xf16>
    %tr = tile.trans %ta [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x64xf16>
    %next = tile.dot %tr, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

//--- pair.mlir
tile.kernel @pair(%A: !tile.ptr<f16> {tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.divisibility = 16}, %G: !tile.ptr<f16> {tile.divisibility = 16}, %C: !tile.ptr<f32>, %M: index, %N: index {tile.divisibility = 8}, %K: index {tile.divisibility = 8})
    shapes ["A[M, K]", "B[K, N]", "G[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 32)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) - sum(k, A[m, k] * G[k, n])"] attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c32 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %g = tile.view %G, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %c64 iter_args(%x = %zero, %y = %zero) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %tg = tile.load_view %g[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %d = tile.dot %ta, %tb, %x : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    %e = tile.dot %ta, %tg, %y : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    scf.yield %d, %e : tensor<64x32xf32>, tensor<64x32xf32>
  }
  %difference = arith.subf %sums#0, %sums#1 : tensor<64x32xf32>
  tile.store_view %difference, %c[%m, %n] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

//--- step.mlir
tile.kernel @step(%A: !tile.ptr<f16> {tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.divisibility = 16}, %C: !tile.ptr<f32>, %M: index, %N: index {tile.divisibility = 8})
    shapes ["A[M, 64]", "B[64, N]", "C[M, N]"]
    grid ["ceildiv(N, 32)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c32 : index
  %a = tile.view %A, shape [%M, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  %b = tile.view %B, shape [64, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<64x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %c64 step %c64 iter_args(%x = %zero) -> (tensor<64x32xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x64xf16, [64, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x32xf16>
    %d = tile.dot %ta, %tb, %x : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
