// Blocks that are only moved, whose rows begin anywhere: through shared memory by 16 bytes, and out by words, on all targets. Extents that
// leave one element, or none; rows shorter than a word; blocks that begin in front of a view. Programs go backwards along the rows that are
// stored, so that none of them is known to have the block behind another one's (moved_sectors.mlir).

// DEFINE: %{kernel} =
// DEFINE: %{target} =
// DEFINE: %{args} =
// DEFINE: %{run} = tile-run %s --device=sim --check --kernel=%{kernel} --target=%{target} --args %{args}

// REDEFINE: %{kernel} = bytes
// RUN: tile-compile %s --kernel=bytes --target=sm_80 --args "M=257 N=193" -o - | FileCheck %s
// CHECK: cp.async.cg.shared.global
// CHECK: bar.sync
// CHECK: prmt.b32
// CHECK: st.global.b32
// Where rows begin with vectors, threads load these.
// RUN: tile-compile %s --kernel=bytes --target=sm_80 --args "M=257 N=192" -o - | FileCheck %s --check-prefix=VECTORS
// VECTORS-NOT: cp.async.cg
// RUN: tile-compile %s --kernel=bytes --target=sm_80 --args "M=257 N=193" --report -o /dev/null | FileCheck %s --check-prefix=REPORT
// REPORT: narrow accesses {{.*}} stores: 4 bytes a lane, not 16, since rows begin anywhere
// REPORT: tile.copy_rows
// REPORT-NEXT: vector of 16 (16 bytes)
// REPORT-NEXT: 310 wavefronts, ideal 160, by 40 warp instructions; 768 sectors, ideal 512
// REPORT: tile.store_rows
// REPORT-NEXT: vector of 4 (4 bytes): rows begin anywhere
// REPORT-NEXT: 720 wavefronts, ideal 512, by 128 warp instructions; 576 sectors, ideal 512
// REDEFINE: %{target} = sm_80
// REDEFINE: %{args} = "M=257 N=193"
// RUN: %{run}
// REDEFINE: %{target} = sm_86
// RUN: %{run}
// REDEFINE: %{target} = sm_89
// RUN: %{run}
// REDEFINE: %{target} = sm_90a
// RUN: %{run}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}
// REDEFINE: %{args} = "M=511 N=67"
// RUN: %{run}
// REDEFINE: %{args} = "M=3 N=70"
// RUN: %{run}
// REDEFINE: %{args} = "M=1 N=1"
// RUN: %{run}
// REDEFINE: %{args} = "M=5 N=0"
// RUN: %{run}
// REDEFINE: %{args} = "M=0 N=5"
// RUN: %{run}
// REDEFINE: %{args} = "M=258 N=126"
// RUN: %{run}

// REDEFINE: %{kernel} = halves
// REDEFINE: %{args} = "M=259 N=67"
// RUN: %{run}
// REDEFINE: %{target} = sm_80
// RUN: %{run}
// REDEFINE: %{args} = "M=1 N=65"
// RUN: %{run}

// Rows of a length that the kernel knows: lanes in front of a row add constants to addresses below 0.
// REDEFINE: %{kernel} = known
// REDEFINE: %{args} = "M=515"
// RUN: %{run}

// REDEFINE: %{kernel} = shifted
// REDEFINE: %{args} = "M=260 N=137"
// RUN: %{run}
// REDEFINE: %{target} = sm_90a
// RUN: %{run}

// Short rows, in one run and, of more than four elements, apart. Blocks that begin behind the first element, or before it.
// REDEFINE: %{kernel} = pixels
// REDEFINE: %{args} = "M=600 N=3"
// RUN: %{run}
// REDEFINE: %{args} = "M=257 N=4"
// RUN: %{run}
// REDEFINE: %{args} = "M=300 N=1"
// RUN: %{run}
// REDEFINE: %{args} = "M=263 N=7"
// RUN: %{run}
// REDEFINE: %{args} = "M=0 N=3"
// RUN: %{run}
// REDEFINE: %{args} = "M=3 N=0"
// RUN: %{run}
// REDEFINE: %{target} = sm_80
// REDEFINE: %{args} = "M=1 N=3"
// RUN: %{run}
// REDEFINE: %{args} = "M=513 N=2"
// RUN: %{run}

// REDEFINE: %{kernel} = gathered
// REDEFINE: %{args} = "M=9 N=21 K=67"
// RUN: %{run}
// REDEFINE: %{args} = "M=8 N=3 K=65"
// RUN: %{run}

tile.kernel @bytes(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 256)", "ceildiv(N, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 4 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %forward = tile.program_id 0
  %programs = tile.num_programs 0
  %last = arith.subi %programs, %c1 : index
  %pm = arith.subi %last, %forward : index
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
    grid ["ceildiv(M, 256)", "ceildiv(N, 32)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 1 : i32} {
  %c256 = arith.constant 256 : index
  %c32 = arith.constant 32 : index
  %c1 = arith.constant 1 : index
  %forward = tile.program_id 0
  %programs = tile.num_programs 0
  %last = arith.subi %programs, %c1 : index
  %pm = arith.subi %last, %forward : index
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c256 : index
  %n = arith.muli %pn, %c32 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<256x32xf16>
  %u = tile.trans %t [1, 0] : tensor<256x32xf16> -> tensor<32x256xf16>
  tile.store_view %u, %b[%n, %m] : tensor<32x256xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

tile.kernel @known(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index)
    shapes ["A[M, 97]", "B[97, M]"]
    grid ["ceildiv(M, 256)", "4"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 1 : i32} {
  %c256 = arith.constant 256 : index
  %c32 = arith.constant 32 : index
  %c1 = arith.constant 1 : index
  %forward = tile.program_id 0
  %programs = tile.num_programs 0
  %last = arith.subi %programs, %c1 : index
  %pm = arith.subi %last, %forward : index
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c256 : index
  %n = arith.muli %pn, %c32 : index
  %a = tile.view %A, shape [%M, 97], strides [97, 1] : !tile.ptr<f16> -> !tile.view<?x97xf16, [97, 1]>
  %b = tile.view %B, shape [97, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<97x?xf16, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x97xf16, [97, 1]> -> tensor<256x32xf16>
  %u = tile.trans %t [1, 0] : tensor<256x32xf16> -> tensor<32x256xf16>
  tile.store_view %u, %b[%n, %m] : tensor<32x256xf16>, !tile.view<97x?xf16, [?, 1]>
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
  %c1 = arith.constant 1 : index
  %forward = tile.program_id 0
  %programs = tile.num_programs 0
  %last = arith.subi %programs, %c1 : index
  %pm = arith.subi %last, %forward : index
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

tile.kernel @pixels(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M + 5, 256)", "ceildiv(N, 4)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 2 : i32} {
  %c256 = arith.constant 256 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %c256 : index
  %m = arith.subi %m0, %c5 : index
  %n = arith.muli %pn, %c4 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x4xi8>
  %u = tile.trans %t [1, 0] : tensor<256x4xi8> -> tensor<4x256xi8>
  tile.store_view %u, %b[%n, %m] : tensor<4x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows that stay rows, of a block of three dimensions, as somebody has written it.
#room = #tile.shared_layout<4x8x64, pad 40 every 64>
tile.kernel @gathered(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, N, K]", "B[N, M, K]"]
    grid ["ceildiv(M, 4)", "ceildiv(N, 8)", "ceildiv(K, 64)"]
    reference ["B[n, m, k] = A[m, n, k]"]
    attributes {num_warps = 2 : i32} {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %pk = tile.program_id 2
  %m = arith.muli %pm, %c4 : index
  %n = arith.muli %pn, %c8 : index
  %k = arith.muli %pk, %c64 : index
  %plane = arith.muli %N, %K : index
  %other = arith.muli %M, %K : index
  %a = tile.view %A, shape [%M, %N, %K], strides [%plane, %K, 1] : !tile.ptr<f16> -> !tile.view<?x?x?xf16, [?, ?, 1]>
  %b = tile.view %B, shape [%N, %M, %K], strides [%other, %K, 1] : !tile.ptr<f16> -> !tile.view<?x?x?xf16, [?, ?, 1]>
  %s = tile.alloc_shared : !tile.shared<4x8x64xf16, #room>
  tile.copy_rows %a[%m, %n, %k], %s : !tile.view<?x?x?xf16, [?, ?, 1]>, !tile.shared<4x8x64xf16, #room>
  tile.store_rows %s from %a[%m, %n, %k], %b[%n, %m, %k] {order = array<i64: 1, 0, 2>}
      : !tile.shared<4x8x64xf16, #room>, !tile.view<?x?x?xf16, [?, ?, 1]>, !tile.view<?x?x?xf16, [?, ?, 1]>
  tile.return
}
