// Accesses to global memory of 32 bytes a thread: 8 f32, 16 f16, 32 i8 or 4 f64 by one instruction, at lengths that
// allow them and at lengths that do not.

// DEFINE: %{type} =
// DEFINE: %{wide} =
// DEFINE: %{fill} = sed -e "s/TYPE/%{type}/g" %s
// DEFINE: %{run} = %{fill} | tile-run - --device=sim --check --specials --target=sm_100a --args
// DEFINE: %{ptx} = %{fill} | tile-compile - -o - --target=sm_100a --args "n=4096 M=64 N=256" | FileCheck %s -DWIDE=%{wide}
// DEFINE: %{old} = %{fill} | tile-compile - -o - --target=sm_90a --args "n=4096 M=64 N=256" | FileCheck %s --check-prefix=OLD
// CHECK: .version 8.8
// CHECK: .target sm_100a
// CHECK: ld.global.[[WIDE]]
// CHECK: st.global.[[WIDE]]
// OLD-NOT: .v8.
// OLD-NOT: .v4.b64

// REDEFINE: %{type} = f32
// REDEFINE: %{wide} = v8.b32
// RUN: %{ptx}
// RUN: %{old}
// RUN: %{run} "n=4096 M=64 N=256"
// RUN: %{run} "n=4097 M=3 N=77"
// RUN: %{run} "n=1000 M=33 N=264"
// RUN: %{run} "n=12 M=1 N=4"
// RUN: %{run} "n=1 M=1 N=1"

// REDEFINE: %{type} = f16
// RUN: %{ptx}
// RUN: %{old}
// RUN: %{run} "n=4096 M=64 N=256"
// RUN: %{run} "n=1000 M=33 N=272"
// RUN: %{run} "n=777 M=5 N=24"

// REDEFINE: %{type} = f64
// REDEFINE: %{wide} = v4.b64
// RUN: %{ptx}
// RUN: %{old}
// RUN: %{run} "n=4096 M=64 N=256"
// RUN: %{run} "n=1002 M=33 N=68"
// RUN: %{run} "n=777 M=5 N=3"

// REDEFINE: %{type} = i8
// REDEFINE: %{wide} = v8.b32
// RUN: %{ptx}
// RUN: %{old}
// RUN: %{fill} | tile-run - --device=sim --check --target=sm_100a --args "n=4096 M=64 N=256"
// RUN: %{fill} | tile-run - --device=sim --check --target=sm_100a --args "n=1056 M=7 N=288"
// RUN: %{fill} | tile-run - --device=sim --check --target=sm_100a --args "n=777 M=5 N=48"

// The report says of both kinds of targets why accesses are as wide as they are.
// RUN: sed -e "s/TYPE/f32/g" %s | tile-compile - -o /dev/null --report --target=sm_100a --args "n=4096 M=64 N=260" | FileCheck %s --check-prefix=REPORT
// RUN: sed -e "s/TYPE/f32/g" %s | tile-compile - -o /dev/null --report --target=sm_90a --args "n=4096 M=64 N=260" | FileCheck %s --check-prefix=REPORT90
// REPORT: tile.load_view
// REPORT-NEXT: vector of 8 (32 bytes){{$}}
// REPORT-NEXT: 512 sectors, ideal 512, by 16 warp instructions
// REPORT: tile.load_view
// REPORT-NEXT: vector of 4 (16 bytes): the stride N is only known to be a multiple of 4
// REPORT90: tile.load_view
// REPORT90-NEXT: vector of 4 (16 bytes){{$}}
// REPORT90-NEXT: 512 sectors, ideal 512, by 32 warp instructions
// REPORT90: tile.load_view
// REPORT90-NEXT: vector of 4 (16 bytes){{$}}

// One line of X, and a block of a matrix beside it.
tile.kernel @copies(%X: !tile.ptr<TYPE>, %Y: !tile.ptr<TYPE>, %A: !tile.ptr<TYPE>, %B: !tile.ptr<TYPE>,
                    %n: index, %M: index, %N: index)
    shapes ["X[n]", "Y[n]", "A[M, N]", "B[M, N]"] grid ["max(ceildiv(n, 4096), ceildiv(M, 16) * ceildiv(N, 256))"]
    reference ["Y[i] = X[i]", "B[m, k] = A[m, k]"] {
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %p = tile.program_id 0
  %start = arith.muli %p, %c4096 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<TYPE> -> !tile.view<?xTYPE, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<TYPE> -> !tile.view<?xTYPE, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xTYPE, [1]> -> tensor<4096xTYPE>
  tile.store_view %t, %y[%start] : tensor<4096xTYPE>, !tile.view<?xTYPE, [1]>

  %tiles_n = arith.ceildivui %N, %c256 : index
  %tile_m = arith.divui %p, %tiles_n : index
  %tile_n = arith.remui %p, %tiles_n : index
  %m = arith.muli %tile_m, %c16 : index
  %k = arith.muli %tile_n, %c256 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<TYPE> -> !tile.view<?x?xTYPE, [?, 1]>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<TYPE> -> !tile.view<?x?xTYPE, [?, 1]>
  %u = tile.load_view %a[%m, %k] : !tile.view<?x?xTYPE, [?, 1]> -> tensor<16x256xTYPE>
  tile.store_view %u, %b[%m, %k] : tensor<16x256xTYPE>, !tile.view<?x?xTYPE, [?, 1]>
  tile.return
}
