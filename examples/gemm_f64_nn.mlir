// C = A * B, for matrices of f64, on tensor cores.
//
// One program makes one 64 x 64 tile of C and walks along K in steps of 16. The compiler lets
// the loads of later steps run ahead (num_stages), through shared memory without bank conflicts.
//
//   tile-run examples/gemm_f64_nn.mlir --args "M=512 N=512 K=512" --check --time

tile.kernel @gemm_f64_nn(%A: !tile.ptr<f64> {tile.divisibility = 16},
                         %B: !tile.ptr<f64> {tile.divisibility = 16},
                         %C: !tile.ptr<f64> {tile.divisibility = 16},
                         %M: index {tile.divisibility = 2},
                         %N: index {tile.divisibility = 2},
                         %K: index {tile.divisibility = 2})
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 64) * ceildiv(N, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf64>

  // Programs that run at one time share rows of A and columns of B in the L2 cache: they walk
  // down groups of 16 rows of tiles.
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c64 : index
  %tiles_n = arith.ceildivui %N, %c64 : index
  %group_size = arith.muli %tiles_n, %c16 : index
  %group = arith.divui %program, %group_size : index
  %in_group = arith.remui %program, %group_size : index
  %first_m = arith.muli %group, %c16 : index
  %rows_left = arith.subi %tiles_m, %first_m : index
  %rows = arith.minui %rows_left, %c16 : index
  %row = arith.remui %in_group, %rows : index
  %tile_m = arith.addi %first_m, %row : index
  %tile_n = arith.divui %in_group, %rows : index
  %m = arith.muli %tile_m, %c64 : index
  %n = arith.muli %tile_n, %c64 : index

  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>

  %sum = scf.for %k = %c0 to %K step %c16 iter_args(%acc = %zero) -> (tensor<64x64xf64>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf64, [?, 1]> -> tensor<64x16xf64>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf64, [?, 1]> -> tensor<16x64xf64>
    %next = tile.dot %ta, %tb, %acc : tensor<64x16xf64>, tensor<16x64xf64>, tensor<64x64xf64>
    scf.yield %next : tensor<64x64xf64>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf64>, !tile.view<?x?xf64, [?, 1]>
  tile.return
}
