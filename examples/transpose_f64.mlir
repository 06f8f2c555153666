// Transpose of an M x N matrix of f64: B[n, m] = A[m, n].
//
// As transpose_f32.mlir, with tiles of 64 x 32: a row that is read has 256 bytes there too, a row
// that is written 512, which counts where rows begin at odd places.
//
//   tile-run examples/transpose_f64.mlir --args "M=4096 N=4096" --check --time

tile.kernel @transpose_f64(%A: !tile.ptr<f64> {tile.divisibility = 16},
                           %B: !tile.ptr<f64> {tile.divisibility = 16},
                           %M: index {tile.divisibility = 2},
                           %N: index {tile.divisibility = 2})
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 64) * ceildiv(N, 32)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 8 : i32} {
  // Which tile is ours: programs walk down the columns of A, along the rows of B.
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c64 : index
  %tile_n = arith.divui %program, %tiles_m : index
  %tile_m = arith.remui %program, %tiles_m : index
  %m = arith.muli %tile_m, %c64 : index
  %n = arith.muli %tile_n, %c32 : index

  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>

  // Tiles at the edge reach beyond the matrix: what is outside reads as zero and is not written.
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf64, [?, 1]> -> tensor<64x32xf64>
  %tt = tile.trans %t [1, 0] : tensor<64x32xf64> -> tensor<32x64xf64>
  tile.store_view %tt, %b[%n, %m] : tensor<32x64xf64>, !tile.view<?x?xf64, [?, 1]>
  tile.return
}
