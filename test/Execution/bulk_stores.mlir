// Results that bulk copies store: one block and several a program, in pieces, of three dimensions, ragged, from programs that
// store one block after the other, and with stores by threads beside them.

// DEFINE: %{kernel} =
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=sm_90a --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = two
// RUN: tile-compile %s --kernel=two --target=sm_90a --args "M=72 N=104 K=64" -o - | FileCheck %s --check-prefix=TWO
// TWO-NOT: st.global
// TWO: cp.async.bulk.tensor.2d.global.shared::cta
// TWO-NOT: st.global
// TWO: cp.async.bulk.wait_group.read 0;
// RUN: %{run} "M=72 N=104 K=64" && %{run} "M=8 N=8 K=8" && %{run} "M=130 N=200 K=0" && %{run} "M=256 N=56 K=40" && %{run} "M=0 N=56 K=40"
// REDEFINE: %{options} = --sim-seed=5 --optimize=0
// RUN: %{run} "M=72 N=104 K=64" && %{run} "M=200 N=104 K=40"

// Rows that begin anywhere are stored by threads.
// REDEFINE: %{options} =
// RUN: %{run} "M=72 N=101 K=64"

// REDEFINE: %{kernel} = pieces
// RUN: tile-compile %s --kernel=pieces --target=sm_90a --args "M=136 N=264 K=72" --emit=placed -o - | FileCheck %s --check-prefix=PIECES
// PIECES-COUNT-2: store_tma %
// RUN: %{run} "M=136 N=264 K=72" && %{run} "M=264 N=520 K=8" && %{run} "M=8 N=392 K=0"

// REDEFINE: %{kernel} = batched
// RUN: tile-compile %s --kernel=batched --target=sm_90a --args "L=3 M=72 N=40" -o - | FileCheck %s --check-prefix=BATCHED
// BATCHED: cp.async.bulk.tensor.3d.global.shared::cta
// RUN: %{run} "L=3 M=72 N=40" && %{run} "L=1 M=8 N=8" && %{run} "L=2 M=64 N=136"

// What is read again, or stored by threads too, is stored by threads. Other stores of the kernel need not be.
// REDEFINE: %{kernel} = beside
// RUN: tile-compile %s --kernel=beside --target=sm_90a --args "M=72 N=40" --emit=placed -o - | FileCheck %s --check-prefix=BESIDE
// BESIDE: store_tma %
// BESIDE-NOT: store_tma %
// BESIDE: store_view
// RUN: %{run} "M=72 N=40" && %{run} "M=200 N=136"

// Two products with one left operand; their results are next to one another.
tile.kernel @two(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["2"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
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
    %r0 = arith.truncf %sums#0 : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store_view %r0, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
    %r1 = arith.truncf %sums#1 : tensor<64x32xf32> to tensor<64x32xf16>
    tile.store_view %r1, %c[%m, %next] : tensor<64x32xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}

// Beside four slots there is room for half of the result.
tile.kernel @pieces(%A: !tile.ptr<bf16>, %B: !tile.ptr<bf16>, %C: !tile.ptr<bf16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["2"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 8 : i32, num_stages = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %program = tile.program_id 0
  %programs = tile.num_programs 0
  %tiles_m = arith.ceildivui %M, %c128 : index
  %tiles_n = arith.ceildivui %N, %c256 : index
  %tiles = arith.muli %tiles_m, %tiles_n : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  scf.for %tile = %program to %tiles step %programs {
    %tile_m = arith.remui %tile, %tiles_m : index
    %tile_n = arith.divui %tile, %tiles_m : index
    %m = arith.muli %tile_m, %c128 : index
    %n = arith.muli %tile_n, %c256 : index
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xbf16, [?, 1]> -> tensor<128x64xbf16>
      %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xbf16, [?, 1]> -> tensor<64x256xbf16>
      %d = tile.dot %ta, %tb, %acc : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    %r = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store_view %r, %c[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16, [?, 1]>
  }
  tile.return
}

// Blocks of one matrix of several.
tile.kernel @batched(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %L: index, %M: index, %N: index)
    shapes ["A[L, M, 32]", "B[L, 32, N]", "C[L, M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)", "L"]
    reference ["C[l, m, n] = sum(k, A[l, m, k] * B[l, k, n])"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %l = tile.program_id 2
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %rows = arith.muli %M, %c32 : index
  %columns = arith.muli %N, %c32 : index
  %size = arith.muli %M, %N : index
  %a = tile.view %A, shape [%L, %M, 32], strides [%rows, 32, 1] : !tile.ptr<f16> -> !tile.view<?x?x32xf16, [?, 32, 1]>
  %b = tile.view %B, shape [%L, 32, %N], strides [%columns, %N, 1] : !tile.ptr<f16> -> !tile.view<?x32x?xf16, [?, ?, 1]>
  %c = tile.view %C, shape [%L, %M, %N], strides [%size, %N, 1] : !tile.ptr<f32> -> !tile.view<?x?x?xf32, [?, ?, 1]>
  %ta = tile.load_view %a[%l, %m, %c0] : !tile.view<?x?x32xf16, [?, 32, 1]> -> tensor<1x64x32xf16>
  %tb = tile.load_view %b[%l, %c0, %n] : !tile.view<?x32x?xf16, [?, ?, 1]> -> tensor<1x32x64xf16>
  %left = tile.reshape %ta : tensor<1x64x32xf16> -> tensor<64x32xf16>
  %right = tile.reshape %tb : tensor<1x32x64xf16> -> tensor<32x64xf16>
  %sum = tile.dot %left, %right, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %r = tile.reshape %sum : tensor<64x64xf32> -> tensor<1x64x64xf32>
  tile.store_view %r, %c[%l, %m, %n] : tensor<1x64x64xf32>, !tile.view<?x?x?xf32, [?, ?, 1]>
  tile.return
}

// D is stored twice, the second time as it was read.
tile.kernel @beside(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %D: !tile.ptr<f16>, %M: index, %N: index)
    shapes ["A[M, 32]", "B[32, N]", "C[M, N]", "D[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)"]
    reference ["C[m, n] = -sum(k, A[m, k] * B[k, n])", "D[m, n] = 2 * f16(sum(k, A[m, k] * B[k, n]))"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [%M, 32], strides [32, 1] : !tile.ptr<f16> -> !tile.view<?x32xf16, [32, 1]>
  %b = tile.view %B, shape [32, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<32x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %d = tile.view %D, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %ta = tile.load_view %a[%m, %c0] : !tile.view<?x32xf16, [32, 1]> -> tensor<64x32xf16>
  %tb = tile.load_view %b[%c0, %n] : !tile.view<32x?xf16, [?, 1]> -> tensor<32x64xf16>
  %sum = tile.dot %ta, %tb, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  %minus = arith.negf %r : tensor<64x64xf16>
  tile.store_view %minus, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.store_view %r, %d[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  %again = tile.load_view %d[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
  %double = arith.addf %again, %again : tensor<64x64xf16>
  tile.store_view %double, %d[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
