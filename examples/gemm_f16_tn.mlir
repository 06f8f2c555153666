// C = A^T * B, with A stored as K x M, for matrices of f16, summed in f32.
//
// One program makes one 128 x 128 tile of C and walks along K in steps of 64. The compiler lets
// the loads of later steps run ahead (num_stages), through shared memory without bank conflicts.
// A transposed operand costs nothing: tile.trans only renames, and ldmatrix can read columns.
//
//   tile-run examples/gemm_f16_tn.mlir --args "M=512 N=512 K=512" --check --time

tile.kernel @gemm_f16_tn(%A: !tile.ptr<f16> {tile.divisibility = 16},
                       %B: !tile.ptr<f16> {tile.divisibility = 16},
                       %C: !tile.ptr<f16> {tile.divisibility = 16},
                       %M: index {tile.divisibility = 8},
                       %N: index {tile.divisibility = 8},
                       %K: index {tile.divisibility = 8})
    shapes ["A[K, M]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 128) * ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[k, m] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>

  // Programs that run at one time share rows of A and columns of B in the L2 cache: they walk
  // down groups of 16 rows of tiles.
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c128 : index
  %tiles_n = arith.ceildivui %N, %c128 : index
  %group_size = arith.muli %tiles_n, %c16 : index
  %group = arith.divui %program, %group_size : index
  %in_group = arith.remui %program, %group_size : index
  %first_m = arith.muli %group, %c16 : index
  %rows_left = arith.subi %tiles_m, %first_m : index
  %rows = arith.minui %rows_left, %c16 : index
  %row = arith.remui %in_group, %rows : index
  %tile_m = arith.addi %first_m, %row : index
  %tile_n = arith.divui %in_group, %rows : index
  %m = arith.muli %tile_m, %c128 : index
  %n = arith.muli %tile_n, %c128 : index

  %a = tile.view %A, shape [%K, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>

  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ra = tile.load_view %a[%k, %m] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %ta = tile.trans %ra [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store_view %result, %c[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
