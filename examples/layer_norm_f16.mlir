// Y = layer norm of each row of X, times W, plus B, for matrices of f16, computed in f32.
//
// One program takes a row, 4096 columns at a time, and walks along it three times: for the mean,
// for the variance, which is the mean of the squares of what differs from it, and for the results.
// X is in the cache by then. The mean of the squares of X would save a walk, but where rows are
// far from 0, the variance would be what is left of two large numbers.
//
//   tile-run examples/layer_norm_f16.mlir --args "M=8192 N=4096" --check --time

tile.kernel @layer_norm_f16(%X: !tile.ptr<f16> {tile.divisibility = 16},
                            %W: !tile.ptr<f16> {tile.divisibility = 16},
                            %B: !tile.ptr<f16> {tile.divisibility = 16},
                            %Y: !tile.ptr<f16> {tile.divisibility = 16},
                            %M: index, %N: index {tile.divisibility = 8})
    shapes ["X[M, N]", "W[N]", "B[N]", "Y[M, N]"]
    grid ["M"]
    reference ["Y[m, n] = (X[m, n] - sum(k, X[m, k]) / N) / sqrt(sum(k, (X[m, k] - sum(l, X[m, l]) / N) * (X[m, k] - sum(l, X[m, l]) / N)) / N + 0.00001) * W[n] + B[n]"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %epsilon = arith.constant 0.00001 : f32
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %iota = tile.iota 0 : tensor<4096xindex>
  %m = tile.program_id 0
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %w = tile.view %W, shape [%N], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %b = tile.view %B, shape [%N], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %length = arith.index_cast %N : index to i32
  %count = arith.sitofp %length : i32 to f32

  // Elements outside of the matrix are zeros: a sum may have them.
  %totals = scf.for %n = %c0 to %N step %c4096 iter_args(%so_far = %zeros) -> tensor<4096xf32> {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %next = arith.addf %so_far, %v : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %total = tile.reduce %totals axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tile.yield %d : f32
  }
  %mean = arith.divf %total, %count : f32
  %means = tile.splat %mean : f32 -> tensor<4096xf32>

  // But these zeros differ from the mean, and are no part of the variance.
  %squares = scf.for %n = %c0 to %N step %c4096 iter_args(%so_far = %zeros) -> tensor<4096xf32> {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %difference = arith.subf %v, %means : tensor<4096xf32>
    %left = arith.subi %N, %n : index
    %lefts = tile.splat %left : index -> tensor<4096xindex>
    %inside = arith.cmpi slt, %iota, %lefts : tensor<4096xindex>
    %d = arith.select %inside, %difference, %zeros : tensor<4096xi1>, tensor<4096xf32>
    %next = math.fma %d, %d, %so_far : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %square = tile.reduce %squares axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tile.yield %d : f32
  }
  %variance = arith.divf %square, %count : f32
  %raised = arith.addf %variance, %epsilon : f32
  %factor = math.rsqrt %raised : f32
  %factors = tile.splat %factor : f32 -> tensor<4096xf32>

  scf.for %n = %c0 to %N step %c4096 {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %u = tile.load_view %w[%n] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    %weights = arith.extf %u : tensor<4096xf16> to tensor<4096xf32>
    %s = tile.load_view %b[%n] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    %biases = arith.extf %s : tensor<4096xf16> to tensor<4096xf32>
    %difference = arith.subf %v, %means : tensor<4096xf32>
    %normal = arith.mulf %difference, %factors : tensor<4096xf32>
    %q = math.fma %normal, %weights, %biases : tensor<4096xf32>
    %r = arith.truncf %q : tensor<4096xf32> to tensor<4096xf16>
    %out = tile.reshape %r : tensor<4096xf16> -> tensor<1x4096xf16>
    tile.store_view %out, %y[%m, %n] : tensor<1x4096xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}
