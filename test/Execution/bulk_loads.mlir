// What an epilogue reads comes by bulk copies while the loop in front still runs: one block and several a program, ragged, in place of
// the result and beside it, two in one program, and in one whose author wrote the loop over tiles.

// DEFINE: %{kernel} =
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=sm_90a --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = residual
// RUN: tile-compile %s --kernel=residual --target=sm_90a --args "M=72 N=136 K=96" --emit=placed -o - | FileCheck %s --check-prefix=RESIDUAL
// RESIDUAL-NOT: load_view
// RESIDUAL: local_store %{{.*}}, %[[SLOT:[^ ]*]]
// RESIDUAL: store_tma %[[SLOT]], %
// RESIDUAL: } copy {
// RESIDUAL-COUNT-11: copy_tma
// RESIDUAL-NOT: copy_tma
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=8 N=8 K=8" && %{run} "M=200 N=392 K=40" && %{run} "M=1032 N=264 K=320" && %{run} "M=130 N=136 K=0"
// RUN: %{run} "M=0 N=136 K=96"
// In loops of many steps its boxes are asked for before: two, of which a loop of ten steps asks for one.
// RUN: tile-compile %s --kernel=residual --target=sm_90a --args "M=72 N=136 K=1096" --emit=ptx -o - | FileCheck %s --check-prefix=ASKED
// ASKED-COUNT-2: cp.async.bulk.prefetch.tensor.2d.L2.global.tile
// ASKED-NOT: cp.async.bulk.prefetch
// RUN: %{run} "M=72 N=136 K=1096" && %{run} "M=136 N=264 K=640" && %{run} "M=72 N=136 K=712"
// REDEFINE: %{options} = --sim-seed=7 --optimize=0
// RUN: %{run} "M=200 N=264 K=96"
// REDEFINE: %{options} = --sim-seed=3 --num-stages=2
// RUN: %{run} "M=200 N=264 K=360"
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{run} "M=200 N=264 K=96"
// REDEFINE: %{options} =
// RUN: %{run} "M=71 N=133 K=37"

// A result of another type has a tile of its own.
// REDEFINE: %{kernel} = narrow
// RUN: tile-compile %s --kernel=narrow --target=sm_90a --args "M=72 N=144 K=96" --emit=placed -o - | FileCheck %s --check-prefix=NARROW
// NARROW-NOT: load_view
// NARROW: tile.local_load %[[SLOT:[^ ]*]]
// NARROW: tile.release
// NARROW-NOT: local_store %{{.*}}, %[[SLOT]] :
// NARROW: } copy {
// RUN: %{run} "M=72 N=144 K=96" && %{run} "M=200 N=272 K=40" && %{run} "M=1032 N=272 K=320" && %{run} "M=130 N=144 K=0"

// Two of them in one program.
// REDEFINE: %{kernel} = two
// RUN: tile-compile %s --kernel=two --target=sm_90a --args "M=72 N=104 K=64" --emit=placed -o - | FileCheck %s --check-prefix=TWO
// TWO-COUNT-2: !tile.shared<1x64x{{32|64}}xf16
// TWO-NOT: load_view
// TWO: } copy {
// RUN: %{run} "M=72 N=104 K=64" && %{run} "M=8 N=8 K=8" && %{run} "M=130 N=200 K=0" && %{run} "M=256 N=56 K=40"
// REDEFINE: %{options} = --sim-seed=5 --optimize=0
// RUN: %{run} "M=200 N=104 K=40"
// REDEFINE: %{options} =

// REDEFINE: %{kernel} = rest
// RUN: tile-compile %s --kernel=rest --target=sm_90a --args "M=72 N=200 K=96" --emit=placed -o - | FileCheck %s --check-prefix=REST
// REST: persistent
// REST-COUNT-2: !tile.shared<1x64x{{64|128}}xf16
// REST-NOT: load_view
// REST: } copy {
// RUN: %{run} "M=72 N=200 K=96" && %{run} "M=8 N=8 K=8" && %{run} "M=200 N=392 K=0" && %{run} "M=520 N=392 K=264"

// What is added to itself is read by threads: the block that is read is written too.
// REDEFINE: %{kernel} = itself
// RUN: tile-compile %s --kernel=itself --target=sm_90a --args "M=72 N=136 K=96" --emit=placed -o - | FileCheck %s --check-prefix=ITSELF
// ITSELF: load_view {{.*}}tile.copy_reason = "the kernel may write what the copies read"
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=200 N=392 K=40"

tile.kernel @residual(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %R: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "R[M, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + R[m, n]"]
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
  %r = tile.view %R, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %tr = tile.load_view %r[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
  %wide = arith.extf %tr : tensor<64x128xf16> to tensor<64x128xf32>
  %all = arith.addf %sum, %wide : tensor<64x128xf32>
  %half = arith.truncf %all : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store_view %half, %c[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

tile.kernel @narrow(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %R: !tile.ptr<f16>, %C: !tile.ptr<bf16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "R[M, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + R[m, n]"]
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
  %r = tile.view %R, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %tr = tile.load_view %r[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
  %wide = arith.extf %tr : tensor<64x128xf16> to tensor<64x128xf32>
  %all = arith.addf %sum, %wide : tensor<64x128xf32>
  %half = arith.truncf %all : tensor<64x128xf32> to tensor<64x128xbf16>
  tile.store_view %half, %c[%m, %n] : tensor<64x128xbf16>, !tile.view<?x?xbf16, [?, 1]>
  tile.return
}

// The loop over tiles is the author's; two results next to one another.
tile.kernel @two(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %R: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "R[M, N]", "C[M, N]"]
    grid ["2"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + R[m, n]"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %zero0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<64x32xf32>
  %program = tile.program_id 0
  %programs = tile.num_programs 0
  %tiles_m = arith.ceildivui %M, %c64 : index
  %tiles_n = arith.ceildivui %N, %c96 : index
  %tiles = arith.muli %tiles_m, %tiles_n : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %r = tile.view %R, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %tile = %program to %tiles step %programs {
    %tile_m = arith.remui %tile, %tiles_m : index
    %tile_n = arith.divui %tile, %tiles_m : index
    %m = arith.muli %tile_m, %c64 : index
    %n = arith.muli %tile_n, %c96 : index
    %next = arith.addi %n, %c64 : index
    %sums:2 = scf.for %k = %c0 to %K step %c32 iter_args(%acc0 = %zero0, %acc1 = %zero1) -> (tensor<64x64xf32>, tensor<64x32xf32>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
      %t0 = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x64xf16>
      %t1 = tile.load_view %b[%k, %next] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x32xf16>
      %d0 = tile.dot %ta, %t0, %acc0 : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %d1 = tile.dot %ta, %t1, %acc1 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
      scf.yield %d0, %d1 : tensor<64x64xf32>, tensor<64x32xf32>
    }
    %x0 = tile.load_view %r[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %w0 = arith.extf %x0 : tensor<64x64xf16> to tensor<64x64xf32>
    %s0 = arith.addf %sums#0, %w0 : tensor<64x64xf32>
    %r0 = arith.truncf %s0 : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store_view %r0, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
    %x1 = tile.load_view %r[%m, %next] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %w1 = arith.extf %x1 : tensor<64x32xf16> to tensor<64x32xf32>
    %s1 = arith.addf %sums#1, %w1 : tensor<64x32xf32>
    %r1 = arith.truncf %s1 : tensor<64x32xf32> to tensor<64x32xf16>
    tile.store_view %r1, %c[%m, %next] : tensor<64x32xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}

// Two results, for each of which there is room once only.
tile.kernel @rest(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %R: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "R[M, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 192)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + R[m, n]"]
    attributes {num_warps = 4 : i32, num_stages = 6 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %zero0 = arith.constant dense<0.0> : tensor<64x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c192 : index
  %next = arith.addi %n, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %r = tile.view %R, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %c64 iter_args(%acc0 = %zero0, %acc1 = %zero1) -> (tensor<64x128xf32>, tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %t0 = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %t1 = tile.load_view %b[%k, %next] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %d0 = tile.dot %ta, %t0, %acc0 : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %d1 = tile.dot %ta, %t1, %acc1 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d0, %d1 : tensor<64x128xf32>, tensor<64x64xf32>
  }
  %x0 = tile.load_view %r[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
  %w0 = arith.extf %x0 : tensor<64x128xf16> to tensor<64x128xf32>
  %s0 = arith.addf %sums#0, %w0 : tensor<64x128xf32>
  %r0 = arith.truncf %s0 : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store_view %r0, %c[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  %x1 = tile.load_view %r[%m, %next] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
  %w1 = arith.extf %x1 : tensor<64x64xf16> to tensor<64x64xf32>
  %s1 = arith.addf %sums#1, %w1 : tensor<64x64xf32>
  %r1 = arith.truncf %s1 : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store_view %r1, %c[%m, %next] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

tile.kernel @itself(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + C[m, n]"]
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
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %tr = tile.load_view %c[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
  %wide = arith.extf %tr : tensor<64x128xf16> to tensor<64x128xf32>
  %all = arith.addf %sum, %wide : tensor<64x128xf32>
  %half = arith.truncf %all : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store_view %half, %c[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
