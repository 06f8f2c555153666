// Y = RMS norm of each row of X, times W, for matrices of f16, computed in f32.
//
// One program takes a row, 4096 columns at a time, and walks along it twice: once for the sum of
// the squares, and once more for the results. X is in the cache by then.
//
//   tile-run examples/rms_norm_f16.mlir --args "M=8192 N=4096" --check --time

tile.kernel @rms_norm_f16(%X: !tile.ptr<f16> {tile.divisibility = 16},
                          %W: !tile.ptr<f16> {tile.divisibility = 16},
                          %Y: !tile.ptr<f16> {tile.divisibility = 16},
                          %M: index, %N: index {tile.divisibility = 8})
    shapes ["X[M, N]", "W[N]", "Y[M, N]"]
    grid ["M"]
    reference ["Y[m, n] = X[m, n] / sqrt(sum(k, X[m, k] * X[m, k]) / N + 0.000001) * W[n]"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 0.000001 : f32
  %m = tile.program_id 0
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %w = tile.view %W, shape [%N], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>

  // Elements outside of the matrix are zeros.
  %sum = scf.for %n = %c0 to %N step %c4096 iter_args(%total = %zero) -> f32 {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %squares = arith.mulf %v, %v : tensor<4096xf32>
    %part = tile.reduce %squares axis 0 : tensor<4096xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %total, %part : f32
    scf.yield %next : f32
  }
  %length = arith.index_cast %N : index to i32
  %count = arith.sitofp %length : i32 to f32
  %mean = arith.divf %sum, %count : f32
  %raised = arith.addf %mean, %epsilon : f32
  %factor = math.rsqrt %raised : f32
  %factors = tile.splat %factor : f32 -> tensor<4096xf32>
  scf.for %n = %c0 to %N step %c4096 {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %u = tile.load_view %w[%n] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    %weights = arith.extf %u : tensor<4096xf16> to tensor<4096xf32>
    %s = arith.mulf %v, %factors : tensor<4096xf32>
    %q = arith.mulf %s, %weights : tensor<4096xf32>
    %r = arith.truncf %q : tensor<4096xf32> to tensor<4096xf16>
    %out = tile.reshape %r : tensor<4096xf16> -> tensor<1x4096xf16>
    tile.store_view %out, %y[%m, %n] : tensor<1x4096xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}
