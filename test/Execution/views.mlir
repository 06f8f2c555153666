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
