// Blocks that lie partly or wholly outside of their view.

// DEFINE: %{run} = tile-run %s --device=sim --check --specials

// Shifted by four rows and three columns: blocks at the edges begin at negative
// coordinates, and what comes from outside is 7.
// RUN: %{run} --kernel=shift --args "M=6 N=11"
// RUN: %{run} --kernel=shift --args "M=1 N=1"
// RUN: %{run} --kernel=shift --args "M=40 N=3" --num-warps=32
// RUN: %{run} --kernel=shift --args "M=33 N=130" --num-warps=1
tile.kernel @shift(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[M, N]"]
    grid ["ceildiv(N, 16)", "ceildiv(M, 4)"]
    reference ["Y[i, j] = min(1, i / 4) * min(1, j / 3) * X[max(0, i - 4), max(0, j - 3)] + 7 * (1 - min(1, i / 4) * min(1, j / 3))"] {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i32
  %pj = tile.program_id 0
  %pi = tile.program_id 1
  %i = arith.muli %pi, %c4 : index
  %j = arith.muli %pj, %c16 : index
  %xi = arith.subi %i, %c4 : index
  %xj = arith.subi %j, %c3 : index
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %t = tile.load_view %x[%xi, %xj] else %seven : i32 : !tile.view<?x?xi32, [?, 1]> -> tensor<4x16xi32>
  tile.store_view %t, %y[%i, %j] : tensor<4x16xi32>, !tile.view<?x?xi32, [?, 1]>
  tile.return
}

// The same of numbers that have 32 bits, which are compared in as many.
// RUN: %{run} --kernel=shift_narrow --args "M=6 N=11"
// RUN: %{run} --kernel=shift_narrow --args "M=1 N=1"
// RUN: %{run} --kernel=shift_narrow --args "M=40 N=3" --num-warps=32
// RUN: %{run} --kernel=shift_narrow --args "M=33 N=130" --num-warps=1
tile.kernel @shift_narrow(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %M: i32, %N: i32)
    shapes ["X[M, N]", "Y[M, N]"]
    grid ["ceildiv(N, 16)", "ceildiv(M, 4)"]
    reference ["Y[i, j] = min(1, i / 4) * min(1, j / 3) * X[max(0, i - 4), max(0, j - 3)] + 7 * (1 - min(1, i / 4) * min(1, j / 3))"] {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %seven = arith.constant 7 : i32
  %pj = tile.program_id 0
  %pi = tile.program_id 1
  %nj = arith.index_cast %pj : index to i32
  %ni = arith.index_cast %pi : index to i32
  %i = arith.muli %ni, %c4 : i32
  %j = arith.muli %nj, %c16 : i32
  %xi = arith.subi %i, %c4 : i32
  %xj = arith.subi %j, %c3 : i32
  %wi = arith.index_cast %i : i32 to index
  %wj = arith.index_cast %j : i32 to index
  %wxi = arith.index_cast %xi : i32 to index
  %longj = arith.extsi %xj : i32 to i64
  %wxj = arith.index_cast %longj : i64 to index
  %height = arith.index_cast %M : i32 to index
  %width = arith.index_cast %N : i32 to index
  %x = tile.view %X, shape [%height, %width], strides [%width, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %y = tile.view %Y, shape [%height, %width], strides [%width, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %t = tile.load_view %x[%wxi, %wxj] else %seven : i32 : !tile.view<?x?xi32, [?, 1]> -> tensor<4x16xi32>
  tile.store_view %t, %y[%wi, %wj] : tensor<4x16xi32>, !tile.view<?x?xi32, [?, 1]>
  tile.return
}
