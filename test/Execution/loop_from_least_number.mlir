// A loop that counts from the least number of 32 bits. The last iteration of its FMAs stands behind it (read-across-barriers):
// the end less a step is no number of 32 bits where there is one iteration alone.

// RUN: tile-run %s --device=sim --target=sm_86 --check --args "M=64 N=64 K=8"
// RUN: tile-run %s --device=sim --target=sm_90a --check --args "M=64 N=64 K=16"
// RUN: tile-run %s --device=sim --target=sm_90a --check --args "M=64 N=64 K=40"
// RUN: tile-run %s --device=sim --target=sm_90a --check --args "M=64 N=64 K=0"

tile.kernel @product(%A: !tile.ptr<f32> {tile.divisibility = 16},
                         %B: !tile.ptr<f32> {tile.divisibility = 16},
                         %C: !tile.ptr<f32> {tile.divisibility = 16},
                         %M: index {tile.divisibility = 4},
                         %N: index {tile.divisibility = 4},
                         %K: index {tile.divisibility = 4})
    shapes ["A[M, K]", "B[N, K]", "C[M, N]"]
    grid ["ceildiv(M, 64) * ceildiv(N, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[n, k])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c16 = arith.constant 16 : index
  %first = arith.constant -2147483648 : i32
  %step = arith.constant 16 : i32
  %depth = arith.index_cast %K : index to i32
  %last = arith.addi %first, %depth : i32
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>

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

  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>

  %sum = scf.for %count = %first to %last step %step iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %along = arith.subi %count, %first : i32
    %k = arith.index_castui %along : i32 to index
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x16xf32>
    %rb = tile.load_view %b[%n, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x16xf32>
    %tb = tile.trans %rb [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<64x16xf32>, tensor<16x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
