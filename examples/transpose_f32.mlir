// Transpose of an M x N matrix of f32: B[n, m] = A[m, n].
//
// One program moves one 128 x 64 tile. The tile is read by rows and written by rows, so both
// sides of global memory are coalesced; on the way between, it passes through shared memory, in
// the layout that the compiler finds (--report says which, and why).
//
//   tile-run examples/transpose_f32.mlir --args "M=4096 N=4096" --check --time

tile.kernel @transpose_f32(%A: !tile.ptr<f32> {tile.divisibility = 16},
                           %B: !tile.ptr<f32> {tile.divisibility = 16},
                           %M: index {tile.divisibility = 4},
                           %N: index {tile.divisibility = 4})
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(M, 128) * ceildiv(N, 64)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 8 : i32} {
  // Which tile is ours: programs walk down the columns of A, so that those that run together write
  // neighbours in the rows of B. A sector at the seam of two is then completed in the cache.
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c128 : index
  %tile_n = arith.divui %program, %tiles_m : index
  %tile_m = arith.remui %program, %tiles_m : index
  %m = arith.muli %tile_m, %c128 : index
  %n = arith.muli %tile_n, %c64 : index

  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>

  // Tiles at the edge reach beyond the matrix: what is outside reads as zero and is not written.
  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<128x64xf32>
  %tt = tile.trans %t [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  tile.store_view %tt, %b[%n, %m] : tensor<64x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
