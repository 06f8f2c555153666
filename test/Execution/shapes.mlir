// Ops that give elements another place or another name, one kernel each, run
// and checked. Numbers of warps from one to 32: tiles smaller than a warp are
// held several times over.

// DEFINE: %{run} = tile-run %s --device=sim --check --specials

// RUN: %{run} --kernel=trans3d --args "A=5 B=9 C=17"
// RUN: %{run} --kernel=trans3d --args "A=1 B=1 C=1" --num-warps=1
// RUN: %{run} --kernel=trans3d --args "A=8 B=16 C=8" --num-warps=32
tile.kernel @trans3d(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %A: index, %B: index, %C: index)
    shapes ["X[A, B, C]", "Y[C, A, B]"]
    grid ["ceildiv(A, 4)", "ceildiv(B, 8)", "ceildiv(C, 8)"]
    reference ["Y[k, i, j] = X[i, j, k]"] {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %pi = tile.program_id 0
  %pj = tile.program_id 1
  %pk = tile.program_id 2
  %i = arith.muli %pi, %c4 : index
  %j = arith.muli %pj, %c8 : index
  %k = arith.muli %pk, %c8 : index
  %bc = arith.muli %B, %C : index
  %ab = arith.muli %A, %B : index
  %x = tile.view %X, shape [%A, %B, %C], strides [%bc, %C, 1] : !tile.ptr<f32> -> !tile.view<?x?x?xf32, [?, ?, 1]>
  %y = tile.view %Y, shape [%C, %A, %B], strides [%ab, %B, 1] : !tile.ptr<f32> -> !tile.view<?x?x?xf32, [?, ?, 1]>
  %t = tile.load_view %x[%i, %j, %k] : !tile.view<?x?x?xf32, [?, ?, 1]> -> tensor<4x8x8xf32>
  %u = tile.trans %t [2, 0, 1] : tensor<4x8x8xf32> -> tensor<8x4x8xf32>
  tile.store_view %u, %y[%k, %i, %j] : tensor<8x4x8xf32>, !tile.view<?x?x?xf32, [?, ?, 1]>
  tile.return
}

// An outer product: a column and a row, each repeated.
// RUN: %{run} --kernel=outer --args "M=1 N=1"
// RUN: %{run} --kernel=outer --args "M=70 N=33" --num-warps=2
// RUN: %{run} --kernel=outer --args "M=32 N=131" --num-warps=16
tile.kernel @outer(%U: !tile.ptr<f64>, %V: !tile.ptr<f64>, %Y: !tile.ptr<f64>, %M: index, %N: index)
    shapes ["U[M]", "V[N]", "Y[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, 16)"]
    reference ["Y[i, j] = U[i] * V[j]"] {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pj = tile.program_id 0
  %pi = tile.program_id 1
  %i = arith.muli %pi, %c16 : index
  %j = arith.muli %pj, %c64 : index
  %u = tile.view %U, shape [%M], strides [1] : !tile.ptr<f64> -> !tile.view<?xf64, [1]>
  %v = tile.view %V, shape [%N], strides [1] : !tile.ptr<f64> -> !tile.view<?xf64, [1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %a = tile.load_view %u[%i] : !tile.view<?xf64, [1]> -> tensor<16xf64>
  %b = tile.load_view %v[%j] : !tile.view<?xf64, [1]> -> tensor<64xf64>
  %column = tile.expand_dims %a {axis = 1 : i32} : tensor<16xf64> -> tensor<16x1xf64>
  %row = tile.expand_dims %b {axis = 0 : i32} : tensor<64xf64> -> tensor<1x64xf64>
  %columns = tile.broadcast %column : tensor<16x1xf64> -> tensor<16x64xf64>
  %rows = tile.broadcast %row : tensor<1x64xf64> -> tensor<16x64xf64>
  %t = arith.mulf %columns, %rows : tensor<16x64xf64>
  tile.store_view %t, %y[%i, %j] : tensor<16x64xf64>, !tile.view<?x?xf64, [?, 1]>
  tile.return
}

// A transpose whose tile is reshaped on the way: rows of 8 become rows of 32.
// RUN: %{run} --kernel=reshape --args "R=3" --num-warps=1
// RUN: %{run} --kernel=reshape --args "R=50" --num-warps=8
tile.kernel @reshape(%X: !tile.ptr<i16>, %Y: !tile.ptr<i16>, %R: index)
    shapes ["X[32 * R]", "Y[32, R]"]
    grid ["ceildiv(R, 16)"]
    reference ["Y[c, r] = X[32 * r + c]"] {
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %program = tile.program_id 0
  %r = arith.muli %program, %c16 : index
  %start = arith.muli %program, %c512 : index
  %count = arith.muli %R, %c32 : index
  %x = tile.view %X, shape [%count], strides [1] : !tile.ptr<i16> -> !tile.view<?xi16, [1]>
  %y = tile.view %Y, shape [32, %R], strides [%R, 1] : !tile.ptr<i16> -> !tile.view<32x?xi16, [?, 1]>
  %t = tile.load_view %x[%start] : !tile.view<?xi16, [1]> -> tensor<512xi16>
  %m = tile.reshape %t : tensor<512xi16> -> tensor<16x32xi16>
  %u = tile.trans %m [1, 0] : tensor<16x32xi16> -> tensor<32x16xi16>
  tile.store_view %u, %y[%c0, %r] : tensor<32x16xi16>, !tile.view<32x?xi16, [?, 1]>
  tile.return
}

// Tiles of one element to 32 elements, on up to 1024 threads: no element is
// read or written by two threads in a way that the simulator calls a race.
// RUN: %{run} --kernel=small --args "n=5" --num-warps=1
// RUN: %{run} --kernel=small --args "n=5" --num-warps=32
tile.kernel @small(%X: !tile.ptr<i64>, %Y: !tile.ptr<i64>, %n: index)
    shapes ["X[n, 2]", "Y[2, n]"] grid ["n"] reference ["Y[j, i] = 2 * X[i, j]"] {
  %c0 = arith.constant 0 : index
  %i = tile.program_id 0
  %x = tile.view %X, shape [%n, 2], strides [2, 1] : !tile.ptr<i64> -> !tile.view<?x2xi64, [2, 1]>
  %y = tile.view %Y, shape [2, %n], strides [%n, 1] : !tile.ptr<i64> -> !tile.view<2x?xi64, [?, 1]>
  %t = tile.load_view %x[%i, %c0] : !tile.view<?x2xi64, [2, 1]> -> tensor<1x2xi64>
  %s = arith.addi %t, %t : tensor<1x2xi64>
  %u = tile.trans %s [1, 0] : tensor<1x2xi64> -> tensor<2x1xi64>
  tile.store_view %u, %y[%c0, %i] : tensor<2x1xi64>, !tile.view<2x?xi64, [?, 1]>
  tile.return
}

// Masks, indices and pointers that are computed from loaded tiles in one order
// of dimensions, and used in the other: X[i, j] goes to Y[j, i] where X is
// positive; elsewhere Y keeps what it had.
// RUN: %{run} --kernel=masks --args "n=7"
// RUN: %{run} --kernel=masks --args "n=64" --num-warps=1
tile.kernel @masks(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index)
    shapes ["X[n, 32]", "Y[32, n]"] grid ["ceildiv(n, 16)"]
    reference ["Y[j, i] = max(X[i, j], 0) + Y[j, i] * (1 - min(1, max(X[i, j], 0)))"] {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0> : tensor<16x32xi32>
  %program = tile.program_id 0
  %i = arith.muli %program, %c16 : index
  %x = tile.view %X, shape [%n, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<?x32xi32, [32, 1]>
  %t = tile.load_view %x[%i, %c0] : !tile.view<?x32xi32, [32, 1]> -> tensor<16x32xi32>
  %positive = arith.cmpi sgt, %t, %zero : tensor<16x32xi32>
  %rows = tile.iota 0 : tensor<32xindex>
  %columns = tile.iota 0 : tensor<16xindex>
  %starts = tile.splat %i : index -> tensor<16xindex>
  %places = arith.addi %columns, %starts : tensor<16xindex>
  %ns = tile.splat %n : index -> tensor<32xindex>
  %offsets = arith.muli %rows, %ns : tensor<32xindex>
  %row = tile.expand_dims %offsets {axis = 0 : i32} : tensor<32xindex> -> tensor<1x32xindex>
  %column = tile.expand_dims %places {axis = 1 : i32} : tensor<16xindex> -> tensor<16x1xindex>
  %r = tile.broadcast %row : tensor<1x32xindex> -> tensor<16x32xindex>
  %c = tile.broadcast %column : tensor<16x1xindex> -> tensor<16x32xindex>
  %offset = arith.addi %r, %c : tensor<16x32xindex>
  %base = tile.splat %Y : !tile.ptr<i32> -> tensor<16x32x!tile.ptr<i32>>
  %y = tile.addptr %base, %offset : tensor<16x32x!tile.ptr<i32>>, tensor<16x32xindex>
  %yt = tile.trans %y [1, 0] : tensor<16x32x!tile.ptr<i32>> -> tensor<32x16x!tile.ptr<i32>>
  %tt = tile.trans %t [1, 0] : tensor<16x32xi32> -> tensor<32x16xi32>
  %pt = tile.trans %positive [1, 0] : tensor<16x32xi1> -> tensor<32x16xi1>
  tile.store %yt, %tt mask %pt : tensor<32x16x!tile.ptr<i32>>
  tile.return
}
