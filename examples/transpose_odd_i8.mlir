// Transpose of an M x N matrix of i8 whose rows begin anywhere: B[n, m] = A[m, n].
//
// As transpose_i8.mlir, for M and N that are multiples of no vector. Rows of A are copied into shared memory by 16
// bytes, wherever they begin, and words are put together of what lies there (docs/decisions/0043-moved-rows.md). Each
// program stores the sectors of memory that begin in its block (docs/decisions/0071-sectors-by-the-numbers-of-programs.md).
//
//   tile-run examples/transpose_odd_i8.mlir --args "M=8191 N=8193" --check --time

tile.kernel @transpose_odd_i8(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 256) * ceildiv(N, 128)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 16 : i32} {
  // Programs walk down the columns of A, along the rows of B.
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c256 : index
  %tile_n = arith.divui %program, %tiles_m : index
  %tile_m = arith.remui %program, %tiles_m : index
  %m = arith.muli %tile_m, %c256 : index
  %n = arith.muli %tile_n, %c128 : index

  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>

  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x128xi8>
  %tt = tile.trans %t [1, 0] : tensor<256x128xi8> -> tensor<128x256xi8>
  tile.store_view %tt, %b[%n, %m] : tensor<128x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
