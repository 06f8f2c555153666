// Blocks that run several programs: the same results as one block a program, for grids of one to three axes.

// DEFINE: %{kernel} =
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=sm_90a --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = planes
// RUN: tile-compile %s --kernel=planes --target=sm_90a --args "L=2 M=72 N=136 K=96" --emit=placed -o - | FileCheck %s
// CHECK: persistent
// CHECK: tile.num_programs 2
// CHECK: } {{{.*}}tile.programs}
// CHECK: } copy {
// CHECK: } {{{.*}}tile.programs}
// RUN: tile-compile %s --kernel=planes --target=sm_90a --args "L=2 M=72 N=136 K=96" --report=json -o /dev/null --emit=ptx --report-file=%t.json
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file=%t.json
// LAUNCH: "persistent": true
// RUN: %{run} "L=1 M=72 N=136 K=96" && %{run} "L=3 M=200 N=264 K=40" && %{run} "L=2 M=1032 N=8 K=8" && %{run} "L=2 M=8 N=392 K=0"
// RUN: %{run} "L=0 M=72 N=136 K=96"
// REDEFINE: %{options} = --sim-seed=11 --optimize=0
// RUN: %{run} "L=2 M=200 N=136 K=96"
// REDEFINE: %{options} = --num-stages=5
// RUN: %{run} "L=2 M=200 N=136 K=136"

// Where a launch can have no maps, and on request, a block is a program.
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{run} "L=2 M=200 N=136 K=96"
// RUN: tile-compile %s --kernel=planes --target=sm_90a --tensor-maps=false --args "L=2 M=72 N=136 K=96" --emit=placed -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: persistent
// REDEFINE: %{options} =
// RUN: %{run} "L=2 M=71 N=133 K=37"

// How many programs there are, a program is told as before; a bias and a residual are read by threads.
// REDEFINE: %{kernel} = counted
// RUN: tile-compile %s --kernel=counted --target=sm_90a --args "M=72 N=136 K=96" --emit=placed -o - | FileCheck %s --check-prefix=COUNTED
// COUNTED: persistent
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=520 N=264 K=200"

// Two results that have no room beside the slots in whole: the larger one goes in pieces.
// REDEFINE: %{kernel} = both
// RUN: tile-compile %s --kernel=both --target=sm_90a --args "M=136 N=264 K=96" --emit=placed -o - | FileCheck %s --check-prefix=BOTH
// BOTH: persistent
// BOTH: roles main
// RUN: %{run} "M=136 N=264 K=96"

// Products of 3 dimensions, whose numbers of programs are along three axes.
tile.kernel @planes(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %L: index, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[L, M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)", "L"]
    reference ["C[l, m, n] = sum(k, A[m, k] * B[k, n]) + 0 * l"]
    attributes {num_warps = 4 : i32, num_stages = 5 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %l = tile.program_id 2
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %size = arith.muli %M, %N : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%L, %M, %N], strides [%size, %N, 1] : !tile.ptr<f16> -> !tile.view<?x?x?xf16, [?, ?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %half = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
  %r = tile.reshape %half : tensor<64x128xf16> -> tensor<1x64x128xf16>
  tile.store_view %r, %c[%l, %m, %n] : tensor<1x64x128xf16>, !tile.view<?x?x?xf16, [?, ?, 1]>
  tile.return
}

tile.kernel @counted(%A: !tile.ptr<bf16>, %B: !tile.ptr<bf16>, %R: !tile.ptr<f32>, %bias: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[N, K]", "R[M, N]", "bias[N]", "C[M, N]"]
    grid ["ceildiv(N, 128)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[n, k]) + R[m, n] + bias[n] + ceildiv(N, 128) * ceildiv(M, 64)"]
    attributes {num_warps = 4 : i32, num_stages = 5 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %pn = tile.program_id 0
  %pm = tile.program_id 1
  %px = tile.num_programs 0
  %py = tile.num_programs 1
  %programs = arith.muli %px, %py : index
  %count = arith.index_cast %programs : index to i32
  %number = arith.sitofp %count : i32 to f32
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %b = tile.view %B, shape [%N, %K], strides [%K, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %res = tile.view %R, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %row = tile.view %bias, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xbf16, [?, 1]> -> tensor<64x64xbf16>
    %tbt = tile.load_view %b[%n, %k] : !tile.view<?x?xbf16, [?, 1]> -> tensor<128x64xbf16>
    %tb = tile.trans %tbt [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %tr = tile.load_view %res[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x128xf32>
  %tbias = tile.load_view %row[%n] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %one = tile.expand_dims %tbias {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %all = tile.broadcast %one : tensor<1x128xf32> -> tensor<64x128xf32>
  %numbers = tile.splat %number : f32 -> tensor<64x128xf32>
  %s0 = arith.addf %sum, %tr : tensor<64x128xf32>
  %s1 = arith.addf %s0, %all : tensor<64x128xf32>
  %s2 = arith.addf %s1, %numbers : tensor<64x128xf32>
  tile.store_view %s2, %c[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

tile.kernel @both(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %D: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]", "D[M, N]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 256)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])", "D[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 8 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c256 : index
  %vA = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %vB = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %vC = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %vD = tile.view %D, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
    %ta = tile.load_view %vA[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16>
    %tb = tile.load_view %vB[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x256xf16>
    %nx = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %nx : tensor<128x256xf32>
  }
  %h = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store_view %sum, %vD[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.store_view %h, %vC[%m, %n] : tensor<128x256xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
