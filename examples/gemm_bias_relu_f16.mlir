// C = max(0, A * B + bias), a layer of a network: f16 matrices, summed in f32, and a bias for each
// column that is added, with the cut at zero, before the tile leaves the registers.
//
//   tile-run examples/gemm_bias_relu_f16.mlir --args "M=512 N=512 K=512" --check --time

tile.kernel @gemm_bias_relu_f16(%A: !tile.ptr<f16> {tile.divisibility = 16},
                                %B: !tile.ptr<f16> {tile.divisibility = 16},
                                %bias: !tile.ptr<f16> {tile.divisibility = 16},
                                %C: !tile.ptr<f16> {tile.divisibility = 16},
                                %M: index {tile.divisibility = 8},
                                %N: index {tile.divisibility = 8},
                                %K: index {tile.divisibility = 8})
    shapes ["A[M, K]", "B[K, N]", "bias[N]", "C[M, N]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 128)"]
    reference ["C[m, n] = max(0, sum(k, A[m, k] * B[k, n]) + bias[n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %tile_m = tile.program_id 0
  %tile_n = tile.program_id 1
  %m = arith.muli %tile_m, %c128 : index
  %n = arith.muli %tile_n, %c128 : index

  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %v = tile.view %bias, shape [%N], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>

  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %tv = tile.load_view %v[%n] : !tile.view<?xf16, [1]> -> tensor<128xf16>
  %wide = arith.extf %tv : tensor<128xf16> to tensor<128xf32>
  %row = tile.expand_dims %wide {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %rows = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
  %biased = arith.addf %sum, %rows : tensor<128x128xf32>
  %cut = arith.maximumf %biased, %zero : tensor<128x128xf32>
  %result = arith.truncf %cut : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store_view %result, %c[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
