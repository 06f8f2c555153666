// Many sums over many warps: each is combined by one thread, stored from there, or handed out again.

// RUN: tile-run %s --kernel=sums --device=sim --check --args "M=50 N=301"
// RUN: tile-compile %s --kernel=sums --emit=placed -o - | FileCheck %s --check-prefix=SUMS
// SUMS: reduce {{.*}} axis 1 per_warp
// SUMS: local_load {{.*}} -> tensor<128x8xf32, #tile.register_layout<register[1,8] lane[32,1] warp[4,1] warp*2>>
// SUMS: reduce
// SUMS-NOT: local_load
// SUMS: store_view

// RUN: tile-run %s --kernel=two_tiles --device=sim --check --args "M=64 N=256"

// RUN: tile-run %s --kernel=differences --device=sim --check --args "M=64 N=301"
// RUN: tile-compile %s --kernel=differences --emit=placed -o - | FileCheck %s --check-prefix=DIFFERENCES
// DIFFERENCES: reduce {{.*}} axis 0 per_warp
// DIFFERENCES: local_load {{.*}} -> tensor<8x128xf32, #tile.register_layout<register[8,1] lane[1,32] warp[1,4] warp*2>>
// DIFFERENCES: reduce
// DIFFERENCES: local_load {{.*}} -> tensor<128xf32
// DIFFERENCES: expand_dims

tile.kernel @sums(%A: !tile.ptr<f32> {tile.divisibility = 16}, %Y: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["A[M, N]", "Y[N]"] grid ["ceildiv(N, 128)"] reference ["Y[n] = sum(m, A[m, n])"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %p = tile.program_id 0
  %n = arith.muli %p, %c128 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %a[%c0, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x128xf32>
  %u = tile.trans %t [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  %s = tile.reduce %u axis 1 : tensor<128x64xf32> -> tensor<128xf32> {
  ^bb0(%p0: f32, %q0: f32):
    %r0 = arith.addf %p0, %q0 : f32
    tile.yield %r0 : f32
  }
  tile.store_view %s, %y[%n] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// Two tiles at once, of different widths.
tile.kernel @two_tiles(%A: !tile.ptr<f32>, %P: !tile.ptr<i64>, %Y: !tile.ptr<f32>, %Q: !tile.ptr<i64>,
                               %M: index, %N: index)
    shapes ["A[M, N]", "P[M, N]", "Y[N]", "Q[N]"] grid ["ceildiv(N, 128)"]
    reference ["Y[n] = max(m, A[m, n])", "Q[n] = max(m, P[m, n])"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %p = tile.program_id 0
  %n = arith.muli %p, %c128 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %P, shape [%M, %N], strides [%N, 1] : !tile.ptr<i64> -> !tile.view<?x?xi64, [?, 1]>
  %y = tile.view %Y, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %q = tile.view %Q, shape [%N], strides [1] : !tile.ptr<i64> -> !tile.view<?xi64, [1]>
  %t = tile.load_view %a[%c0, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x128xf32>
  %u = tile.load_view %b[%c0, %n] : !tile.view<?x?xi64, [?, 1]> -> tensor<64x128xi64>
  %s:2 = tile.reduce %t, %u axis 0 : tensor<64x128xf32>, tensor<64x128xi64> -> tensor<128xf32>, tensor<128xi64> {
  ^bb0(%p0: f32, %p1: i64, %q0: f32, %q1: i64):
    %r0 = arith.maximumf %p0, %q0 : f32
    %r1 = arith.maxsi %p1, %q1 : i64
    tile.yield %r0, %r1 : f32, i64
  }
  tile.store_view %s#0, %y[%n] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.store_view %s#1, %q[%n] : tensor<128xi64>, !tile.view<?xi64, [1]>
  tile.return
}

tile.kernel @differences(%A: !tile.ptr<f32> {tile.divisibility = 16}, %Y: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["A[M, N]", "Y[M, N]"] grid ["ceildiv(N, 128)"] reference ["Y[m, n] = A[m, n] - max(k, A[k, n])"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %lowest = tile.constant -inf : f32
  %p = tile.program_id 0
  %n = arith.muli %p, %c128 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %n] else %lowest : f32 : !tile.view<?x?xf32, [?, 1]> -> tensor<64x128xf32>
  %s = tile.reduce %t axis 0 : tensor<64x128xf32> -> tensor<128xf32> {
  ^bb0(%p0: f32, %q0: f32):
    %r0 = arith.maximumf %p0, %q0 : f32
    tile.yield %r0 : f32
  }
  %e = tile.expand_dims %s {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %b = tile.broadcast %e : tensor<1x128xf32> -> tensor<64x128xf32>
  %d = arith.subf %t, %b : tensor<64x128xf32>
  tile.store_view %d, %y[%c0, %n] : tensor<64x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
