// Two teams of four warps, each of which does every other program of a block: no program for the second one, an odd number of them, K of no step, one, and as many as
// there are slots, more or less; a residual, a bias, and what is left of rows and columns.

// DEFINE: %{kernel} =
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=sm_90a --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = product
// RUN: tile-compile %s --kernel=product --target=sm_90a --args "M=72 N=136 K=96" --emit=placed -o - | FileCheck %s
// CHECK: copy_warps = 4 : i32
// CHECK: roles main {
// CHECK: %[[TEAM:.*]] = tile.team
// CHECK: } {{{.*}}tile.programs}
// CHECK: } copy {
// CHECK-NOT: tile.team
// CHECK: } {{{.*}}tile.programs}
// CHECK: {blocks = 1 : i32, copy_registers = 24 : i32, main_registers = 240 : i32, tile.teams = 2 : i32}
// RUN: tile-compile %s --kernel=product --target=sm_90a --args "M=72 N=136 K=96" --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX: .reqntid 384
// PTX: setmaxnreg.inc.sync.aligned.u32 240
// PTX-COUNT-2: bar.arrive %{{.*}}, 256
// PTX: setmaxnreg.dec.sync.aligned.u32 24
// RUN: %{run} "M=8 N=8 K=8" && %{run} "M=8 N=8 K=0" && %{run} "M=128 N=128 K=64" && %{run} "M=0 N=128 K=64"
// RUN: %{run} "M=72 N=904 K=192" && %{run} "M=256 N=520 K=256" && %{run} "M=136 N=648 K=320" && %{run} "M=264 N=392 K=0"
// REDEFINE: %{options} = --sim-seed=5 --num-stages=2
// RUN: %{run} "M=264 N=1032 K=8" && %{run} "M=136 N=904 K=136"
// REDEFINE: %{options} = --sim-seed=9 --optimize=0
// RUN: %{run} "M=136 N=904 K=328"
// REDEFINE: %{options} = --num-stages=3 --sim-seed=2
// RUN: %{run} "M=72 N=1160 K=264"
// REDEFINE: %{options} =
// RUN: %{run} "M=71 N=133 K=37"

// REDEFINE: %{kernel} = residual
// RUN: %{run} "M=8 N=8 K=8" && %{run} "M=72 N=904 K=192" && %{run} "M=264 N=392 K=0"
// REDEFINE: %{options} = --sim-seed=3
// RUN: %{run} "M=136 N=904 K=328"
// REDEFINE: %{options} = --sim-seed=4 --num-stages=2
// RUN: %{run} "M=136 N=1160 K=136"

// Eight warps make one tile together.
// RUN: tile-compile %s --kernel=product --num-warps=8 --target=sm_90a --args "M=136 N=136 K=64" --emit=placed -o - | FileCheck %s --check-prefix=ONE --implicit-check-not=tile.team
// ONE: persistent

// Where 32 warps compute, one of their threads begins the copies: a block has no warp more.
// RUN: tile-compile %s --kernel=product --num-warps=32 --target=sm_90a --args "M=136 N=136 K=64" -o - | FileCheck %s --check-prefix=FULL
// FULL: .reqntid 1024
// FULL: cp.async.bulk.tensor.2d.shared::cluster.global
// REDEFINE: %{options} = --num-warps=32
// REDEFINE: %{kernel} = product
// RUN: %{run} "M=136 N=136 K=0" && %{run} "M=136 N=136 K=64" && %{run} "M=264 N=392 K=192" && %{run} "M=136 N=136 K=256" && %{run} "M=8 N=648 K=320"

tile.kernel @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %half = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store_view %half, %c[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

tile.kernel @residual(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %R: !tile.ptr<f16>, %bias: !tile.ptr<f32>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "R[M, N]", "bias[N]", "C[M, N]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + R[m, n] + bias[n]"]
    attributes {num_warps = 4 : i32, num_stages = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %r = tile.view %R, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %v = tile.view %bias, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %other = tile.load_view %r[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x128xf16>
  %wide = arith.extf %other : tensor<128x128xf16> to tensor<128x128xf32>
  %with = arith.addf %sum, %wide : tensor<128x128xf32>
  %row = tile.load_view %v[%n] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %line = tile.reshape %row : tensor<128xf32> -> tensor<1x128xf32>
  %rows = tile.broadcast %line : tensor<1x128xf32> -> tensor<128x128xf32>
  %total = arith.addf %with, %rows : tensor<128x128xf32>
  %half = arith.truncf %total : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store_view %half, %c[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
