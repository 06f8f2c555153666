// Blocks that are only moved, whose rows begin anywhere, where the next program has what is behind them: each stores the sectors that begin in it.

// DEFINE: %{kernel} =
// DEFINE: %{target} = sm_90a
// DEFINE: %{args} =
// DEFINE: %{run} = tile-run %s --device=sim --check --kernel=%{kernel} --target=%{target} --args %{args}

// RUN: tile-compile %s --kernel=bytes --target=sm_90a --emit=placed --args "M=257 N=193" -o - | FileCheck %s
// CHECK: copy_sectors
// CHECK: barrier
// CHECK: store_sectors
// RUN: tile-compile %s --kernel=bytes --target=sm_90a --args "M=257 N=193" --report -o /dev/null | FileCheck %s --check-prefix=REPORT
// REPORT: tile.copy_sectors
// REPORT: tile.store_sectors
// REPORT-NEXT: vector of 4 (4 bytes)
// REPORT-NEXT: 512 wavefronts, ideal 512, {{.*}} 512 sectors, ideal 512

// REDEFINE: %{kernel} = bytes
// REDEFINE: %{args} = "M=513 N=67"
// RUN: %{run}
// REDEFINE: %{args} = "M=511 N=193"
// RUN: %{run}
// REDEFINE: %{args} = "M=257 N=65"
// RUN: %{run}
// REDEFINE: %{args} = "M=256 N=3"
// RUN: %{run}
// REDEFINE: %{args} = "M=1 N=1"
// RUN: %{run}
// REDEFINE: %{args} = "M=5 N=0"
// RUN: %{run}
// REDEFINE: %{args} = "M=0 N=5"
// RUN: %{run}

// REDEFINE: %{kernel} = halves
// REDEFINE: %{args} = "M=643 N=33"
// RUN: %{run}
// REDEFINE: %{args} = "M=259 N=67"
// RUN: %{run}

// REDEFINE: %{kernel} = words
// REDEFINE: %{args} = "M=203 N=65"
// RUN: %{run}
// REDEFINE: %{args} = "M=67 N=131"
// RUN: %{run}

// REDEFINE: %{kernel} = walk
// REDEFINE: %{args} = "M=550 N=131"
// RUN: %{run}

// REDEFINE: %{kernel} = shifted
// REDEFINE: %{args} = "M=523 N=137"
// RUN: %{run}

// REDEFINE: %{target} = sm_80
// REDEFINE: %{args} = "M=523 N=137"
// RUN: %{run}
// REDEFINE: %{target} = sm_86
// RUN: %{run}
// REDEFINE: %{target} = sm_89
// RUN: %{run}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}

tile.kernel @bytes(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 256)", "ceildiv(N, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 4 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c256 : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%n, %m] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

tile.kernel @halves(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 32)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 2 : i32} {
  %c128 = arith.constant 128 : index
  %c32 = arith.constant 32 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c32 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x32xf16>
  %u = tile.trans %t [1, 0] : tensor<128x32xf16> -> tensor<32x128xf16>
  tile.store_view %u, %b[%n, %m] : tensor<32x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

tile.kernel @words(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 4 : i32} {
  %rows = arith.constant 64 : index
  %c64 = arith.constant 64 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %rows : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %u = tile.trans %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store_view %u, %b[%n, %m] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

tile.kernel @walk(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 256) * ceildiv(N, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 4 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %in_row = arith.ceildivui %M, %c256 : index
  %pm = arith.remui %p, %in_row : index
  %pn = arith.divui %p, %in_row : index
  %m = arith.muli %pm, %c256 : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%n, %m] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Blocks begin 13 and 7 elements in front of the matrix.
tile.kernel @shifted(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M + 13, 256)", "ceildiv(N + 7, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 8 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %c13 = arith.constant 13 : index
  %c7 = arith.constant 7 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %c256 : index
  %n0 = arith.muli %pn, %c64 : index
  %m = arith.subi %m0, %c13 : index
  %n = arith.subi %n0, %c7 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%n, %m] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
