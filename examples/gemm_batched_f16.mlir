// C[b] = A[b] * B[b] for a batch of f16 matrices, summed in f32. The programs of one product follow
// one another; each finds its matrices by pointer arithmetic.
//
//   tile-run examples/gemm_batched_f16.mlir --args "batch=16 M=512 N=512 K=512" --check --time

tile.kernel @gemm_batched_f16(%A: !tile.ptr<f16> {tile.divisibility = 16},
                              %B: !tile.ptr<f16> {tile.divisibility = 16},
                              %C: !tile.ptr<f16> {tile.divisibility = 16},
                              %batch: index,
                              %M: index {tile.divisibility = 8},
                              %N: index {tile.divisibility = 8},
                              %K: index {tile.divisibility = 8})
    shapes ["A[batch, M, K]", "B[batch, K, N]", "C[batch, M, N]"]
    grid ["batch * ceildiv(M, 128) * ceildiv(N, 128)"]
    reference ["C[i, m, n] = sum(k, A[i, m, k] * B[i, k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %program = tile.program_id 0
  %tiles_m = arith.ceildivui %M, %c128 : index
  %tiles_n = arith.ceildivui %N, %c128 : index
  %tiles = arith.muli %tiles_m, %tiles_n : index
  %i = arith.divui %program, %tiles : index
  %in_product = arith.remui %program, %tiles : index
  %tile_m = arith.remui %in_product, %tiles_m : index
  %tile_n = arith.divui %in_product, %tiles_m : index
  %m = arith.muli %tile_m, %c128 : index
  %n = arith.muli %tile_n, %c128 : index

  %size_a = arith.muli %M, %K : index
  %size_b = arith.muli %K, %N : index
  %size_c = arith.muli %M, %N : index
  %before_a = arith.muli %i, %size_a : index
  %before_b = arith.muli %i, %size_b : index
  %before_c = arith.muli %i, %size_c : index
  %Ai = tile.addptr %A, %before_a : !tile.ptr<f16>, index
  %Bi = tile.addptr %B, %before_b : !tile.ptr<f16>, index
  %Ci = tile.addptr %C, %before_c : !tile.ptr<f16>, index
  %a = tile.view %Ai, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %Bi, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %Ci, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>

  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store_view %result, %c[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
