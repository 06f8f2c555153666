// Elements that change threads before a cast makes them wider: the bits are the same, and half the bytes or fewer go
// through shared memory.

// DEFINE: %{from} =
// DEFINE: %{to} =
// DEFINE: %{cast} =
// DEFINE: %{bytes} =
// DEFINE: %{fill} = sed -e "s/FROM/%{from}/g; s/TO/%{to}/g; s/CAST/%{cast}/" %s
// DEFINE: %{run} = %{fill} | tile-run - --device=sim --check --specials --args "M=70 N=45"
// DEFINE: %{report} = %{fill} | tile-compile - -o /dev/null --report | FileCheck %s -DBYTES=%{bytes}
// CHECK: kernel transpose_cast for sm_90a: 4 warps, [[BYTES]] bytes of shared memory

// REDEFINE: %{from} = f16
// REDEFINE: %{to} = f32
// REDEFINE: %{cast} = arith.extf
// REDEFINE: %{bytes} = 2048
// RUN: %{run}
// RUN: %{report}

// REDEFINE: %{from} = bf16
// REDEFINE: %{to} = f64
// RUN: %{run}
// RUN: %{report}

// REDEFINE: %{from} = f32
// REDEFINE: %{bytes} = 4096
// RUN: %{run}
// RUN: %{report}

// REDEFINE: %{from} = i8
// REDEFINE: %{to} = i64
// REDEFINE: %{cast} = arith.extsi
// REDEFINE: %{bytes} = 1024
// RUN: %{fill} | tile-run - --device=sim --check --args "M=70 N=45"
// RUN: %{report}

// REDEFINE: %{to} = f32
// REDEFINE: %{cast} = arith.sitofp
// RUN: %{fill} | tile-run - --device=sim --check --args "M=70 N=45"
// RUN: %{report}

tile.kernel @transpose_cast(%A: !tile.ptr<FROM>, %B: !tile.ptr<TO>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 32)", "ceildiv(N, 32)"]
    reference ["B[n, m] = A[m, n]"] {
  %c32 = arith.constant 32 : index
  %tile_m = tile.program_id 0
  %tile_n = tile.program_id 1
  %m = arith.muli %tile_m, %c32 : index
  %n = arith.muli %tile_n, %c32 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<FROM> -> !tile.view<?x?xFROM, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<TO> -> !tile.view<?x?xTO, [?, 1]>
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xFROM, [?, 1]> -> tensor<32x32xFROM>
  %w = CAST %t : tensor<32x32xFROM> to tensor<32x32xTO>
  %u = tile.trans %w [1, 0] : tensor<32x32xTO> -> tensor<32x32xTO>
  tile.store_view %u, %b[%n, %m] : tensor<32x32xTO>, !tile.view<?x?xTO, [?, 1]>
  tile.return
}
