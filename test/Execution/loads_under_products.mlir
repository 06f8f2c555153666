// What threads load behind a loop of products comes while the last of them run: a row for each column and one for each row, of one
// block and of several a program, ragged, without a step of K, and where the rows may be what is written.

// DEFINE: %{kernel} =
// DEFINE: %{target} = sm_90a
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=%{target} --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = scaled
// RUN: tile-compile %s --kernel=scaled --target=sm_90a --args "M=72 N=136 K=96" --emit=placed -o - | FileCheck %s
// CHECK: roles main
// CHECK: warpgroup_dot {{.*}} {async}
// CHECK-NOT: dot_wait 0
// CHECK-COUNT-2: load_view
// CHECK: dot_wait 0
// CHECK-NOT: load_view
// CHECK: store_tma
// CHECK: } copy {
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=8 N=8 K=8" && %{run} "M=200 N=392 K=40" && %{run} "M=1032 N=264 K=320" && %{run} "M=130 N=136 K=0"
// REDEFINE: %{options} = --sim-seed=7 --optimize=0
// RUN: %{run} "M=200 N=264 K=96"
// REDEFINE: %{options} = --sim-seed=3 --num-stages=2
// RUN: %{run} "M=200 N=264 K=360"
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{run} "M=200 N=264 K=96"
// REDEFINE: %{options} =
// RUN: %{run} "M=71 N=133 K=37"
// REDEFINE: %{target} = sm_80
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=130 N=136 K=0"
// REDEFINE: %{options} = --num-stages=2
// REDEFINE: %{target} = sm_86
// RUN: %{run} "M=72 N=136 K=96"
// REDEFINE: %{target} = sm_89
// RUN: %{run} "M=72 N=136 K=96"
// REDEFINE: %{target} = sm_100a
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=130 N=136 K=0"
// REDEFINE: %{target} = sm_120a
// RUN: %{run} "M=72 N=136 K=96"

// Each program stores a row before it loads that row: it has to see what it stored.
// REDEFINE: %{options} =
// REDEFINE: %{target} = sm_90a
// REDEFINE: %{kernel} = seen
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=200 N=264 K=160"
tile.kernel @scaled(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "X[N]", "Y[M]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) * Y[m] + X[n]"]
    attributes {num_warps = 4 : i32, num_stages = 5 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %x = tile.view %X, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %ty = tile.load_view %y[%m] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %ey = tile.expand_dims %ty {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %by = tile.broadcast %ey : tensor<64x1xf32> -> tensor<64x128xf32>
  %scaled = arith.mulf %sum, %by : tensor<64x128xf32>
  %tx = tile.load_view %x[%n] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %ex = tile.expand_dims %tx {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %bx = tile.broadcast %ex : tensor<1x128xf32> -> tensor<64x128xf32>
  %all = arith.addf %scaled, %bx : tensor<64x128xf32>
  %half = arith.truncf %all : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store_view %half, %c[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

tile.kernel @seen(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "X[M]", "Y[M]", "C[M, N]"]
    grid ["ceildiv(M, 64)"]
    reference ["X[m] = Y[m] + 1.0", "C[m, n] = select(n < 128, sum(k, A[m, k] * B[k, n]) + (Y[m] + 1.0), C[m, n])"]
    attributes {num_warps = 4 : i32, num_stages = 5 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %x = tile.view %X, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %ty = tile.load_view %y[%m] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %more = arith.addf %ty, %one : tensor<64xf32>
  tile.store_view %more, %x[%m] : tensor<64xf32>, !tile.view<?xf32, [1]>
  %tx = tile.load_view %x[%m] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %ex = tile.expand_dims %tx {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %bx = tile.broadcast %ex : tensor<64x1xf32> -> tensor<64x128xf32>
  %all = arith.addf %sum, %bx : tensor<64x128xf32>
  %half = arith.truncf %all : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store_view %half, %c[%m, %c0] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
