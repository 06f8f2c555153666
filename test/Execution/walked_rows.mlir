// Blocks that walk along rows which begin anywhere, a granule of each ahead of the columns that are stored.

// DEFINE: %{kernel} =
// DEFINE: %{target} = sm_90a
// DEFINE: %{args} =
// DEFINE: %{run} = tile-run %s --device=sim --check --kernel=%{kernel} --target=%{target} --args %{args}

// RUN: tile-compile %s --kernel=bytes --target=sm_90a --emit=placed --args "M=257 N=193" -o - | FileCheck %s
// CHECK: scf.for
// CHECK: scf.for
// CHECK: barrier
// CHECK: walk_rows
// RUN: tile-compile %s --kernel=bytes --target=sm_86 --emit=placed --args "M=257 N=193" -o - | FileCheck %s --check-prefix=SMALL
// SMALL: copy_sectors
// RUN: tile-compile %s --kernel=bytes --target=sm_90a --args "M=257 N=193" --report -o /dev/null | FileCheck %s --check-prefix=REPORT
// REPORT: tile.walk_rows
// REPORT: tile.walk_rows

// REDEFINE: %{kernel} = bytes
// REDEFINE: %{args} = "M=513 N=667"
// RUN: %{run}
// REDEFINE: %{args} = "M=511 N=1193"
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

// REDEFINE: %{args} = "M=523 N=637"
// REDEFINE: %{target} = sm_80
// RUN: %{run}
// REDEFINE: %{target} = sm_86
// RUN: %{run}
// REDEFINE: %{target} = sm_89
// RUN: %{run}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}

// REDEFINE: %{kernel} = pair
// REDEFINE: %{args} = "M=550 N=331"
// RUN: %{run}
// REDEFINE: %{target} = sm_80
// RUN: %{run}
// REDEFINE: %{target} = sm_86
// RUN: %{run}
// REDEFINE: %{target} = sm_89
// RUN: %{run}
// REDEFINE: %{target} = sm_90a
// RUN: %{run}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}

// REDEFINE: %{kernel} = small_rings
// REDEFINE: %{target} = sm_86
// REDEFINE: %{args} = "M=301 N=403"
// RUN: %{run}
// REDEFINE: %{args} = "M=130 N=61"
// RUN: %{run}

tile.kernel @bytes(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 256)", "ceildiv(N, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 16 : i32} {
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

#ring = #tile.shared_layout<128x256, pad 34 every 256>

// What is placed already: two walks of halves, one after the other, through one ring.
tile.kernel @pair(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 128)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %half = arith.divui %N, %c2 : index
  %rest = arith.subi %N, %half : index
  %p = tile.program_id 0
  %programs = tile.num_programs 0
  %m = arith.muli %p, %c128 : index
  %next = arith.addi %p, %c1 : index
  %continued = arith.cmpi slt, %next, %programs : index
  %continues = arith.cmpi ne, %p, %c0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xf16, #ring>
  tile.walk_rows %a[%m, %c0] within [%M, %N] of %A : !tile.ptr<f16>, %b[%c0, %m] through %s for %half if %continues, %continued {order = array<i64: 1, 0>}
      : !tile.view<?x?xf16, [?, 1]>, !tile.view<?x?xf16, [?, 1]>, !tile.shared<128x256xf16, #ring>
  tile.walk_rows %a[%m, %half] within [%M, %N], %b[%half, %m] through %s for %rest if %continues, %continued {order = array<i64: 1, 0>}
      : !tile.view<?x?xf16, [?, 1]>, !tile.view<?x?xf16, [?, 1]>, !tile.shared<128x256xf16, #ring>
  tile.return
}

#small = #tile.shared_layout<128x256, pad 66 every 256>

// Granules of 64 bytes.
tile.kernel @small_rings(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 128)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %p = tile.program_id 0
  %programs = tile.num_programs 0
  %m = arith.muli %p, %c128 : index
  %next = arith.addi %p, %c1 : index
  %continued = arith.cmpi slt, %next, %programs : index
  %continues = arith.cmpi ne, %p, %c0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #small>
  tile.walk_rows %a[%m, %c0] within [%M, %N] of %A : !tile.ptr<i8>, %b[%c0, %m] through %s for %N if %continues, %continued {order = array<i64: 1, 0>}
      : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #small>
  tile.return
}
