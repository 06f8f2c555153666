// Transpose of an M x N matrix of f16: B[n, m] = A[m, n].
//
// As transpose_f32.mlir, with tiles of 128 x 128. A thread has 8 numbers of a row in 16 bytes and
// needs 8 of a column: it reads 8 x 8 numbers.
//
//   tile-run examples/transpose_f16.mlir --args "M=4096 N=4096" --check --time

tile.kernel @transpose_f16(%A: !tile.ptr<f16> {tile.divisibility = 16},
                           %B: !tile.ptr<f16> {tile.divisibility = 16},
                           %M: index {tile.divisibility = 8},
                           %N: index {tile.divisibility = 8})
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 128) * ceildiv(N, 128)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 8 : i32} {
  // Which tile is ours: programs walk down the columns of A, along the rows of B.
  %c128 = arith.constant 128 : index
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c128 : index
  %tile_n = arith.divui %program, %tiles_m : index
  %tile_m = arith.remui %program, %tiles_m : index
  %m = arith.muli %tile_m, %c128 : index
  %n = arith.muli %tile_n, %c128 : index

  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>

  // Tiles at the edge reach beyond the matrix: what is outside reads as zero and is not written.
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x128xf16>
  %tt = tile.trans %t [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
  tile.store_view %tt, %b[%n, %m] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
