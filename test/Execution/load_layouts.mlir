// Loads in the layout in which their tile is needed, and stores that have the tile converted: sizes that fit and that do not, with
// NaN and infinities.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --target=%{target} --device=sim --check --specials --kernel=bias --args m=70 --args n=200 && \
// DEFINE:   tile-run %s --target=%{target} --device=sim --check --specials --kernel=bias --args m=33 --args n=75 && \
// DEFINE:   tile-run %s --target=%{target} --device=sim --check --specials --kernel=widen --args n=4096 && \
// DEFINE:   tile-run %s --target=%{target} --device=sim --check --specials --kernel=widen --args n=1533

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
// REDEFINE: %{target} = sm_120a
// RUN: %{run}
// RUN: tile-compile %s --kernel=bias --emit=placed | FileCheck %s --check-prefix=BIAS

// A row is loaded by all threads that need it; a column, of which each needs eight numbers, is sent between them.
// BIAS: load_view {{.*}} -> tensor<64xf32
// BIAS-NOT: convert_layout
// BIAS: broadcast {{.*}} tensor<1x64xf32
// BIAS-NOT: alloc_shared
tile.kernel @bias(%X: !tile.ptr<f32>, %B: !tile.ptr<f32>, %S: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %m: index, %n: index)
    shapes ["X[m, n]", "B[n]", "S[m]", "Y[m, n]"]
    grid ["ceildiv(m, 32)", "ceildiv(n, 64)"]
    reference ["Y[i, j] = X[i, j] * S[i] + B[j]"] {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %program = tile.program_id 0
  %column = tile.program_id 1
  %i = arith.muli %program, %c32 : index
  %j = arith.muli %column, %c64 : index
  %x = tile.view %X, shape [%m, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%m, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %s = tile.view %S, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x64xf32>
  %bs = tile.load_view %b[%j] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %row = tile.expand_dims %bs {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %rows = tile.broadcast %row : tensor<1x64xf32> -> tensor<32x64xf32>
  %ss = tile.load_view %s[%i] : !tile.view<?xf32, [1]> -> tensor<32xf32>
  %scale = tile.expand_dims %ss {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
  %scales = tile.broadcast %scale : tensor<32x1xf32> -> tensor<32x64xf32>
  %product = arith.mulf %t, %scales : tensor<32x64xf32>
  %sum = arith.addf %product, %rows : tensor<32x64xf32>
  tile.store_view %sum, %y[%i, %j] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// Both results are of one tile, which is of the narrower type: the other one is converted.
tile.kernel @widen(%X: !tile.ptr<f16>, %A: !tile.ptr<f32>, %Y: !tile.ptr<f16>, %Z: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "A[n]", "Y[n]", "Z[n]"]
    grid ["ceildiv(n, 1024)"]
    reference ["Y[i] = X[i]", "Z[i] = X[i] + A[i]"] {
  %c1024 = arith.constant 1024 : index
  %program = tile.program_id 0
  %i = arith.muli %program, %c1024 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %z = tile.view %Z, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%i] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  tile.store_view %t, %y[%i] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %wide = arith.extf %t : tensor<1024xf16> to tensor<1024xf32>
  %more = tile.load_view %a[%i] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
  %sum = arith.addf %wide, %more : tensor<1024xf32>
  tile.store_view %sum, %z[%i] : tensor<1024xf32>, !tile.view<?xf32, [1]>
  tile.return
}
