// Y = softmax of each row of X, for matrices of f16, computed in f32.
//
// One program takes a row, 4096 columns at a time. It walks along the row once for the largest
// element and the sum of all exp(x - largest), where a larger element that comes later scales
// what was summed up before, and once more for the quotients: X is in the cache by then. Powers
// of 2 cost less than those of e: exp(x - largest) is 2^(log2(e) x - log2(e) largest).
//
//   tile-run examples/softmax_f16.mlir --args "M=8192 N=4096" --check --time

tile.kernel @softmax_f16(%X: !tile.ptr<f16> {tile.divisibility = 16},
                         %Y: !tile.ptr<f16> {tile.divisibility = 16},
                         %M: index, %N: index {tile.divisibility = 8})
    shapes ["X[M, N]", "Y[M, N]"]
    grid ["M"]
    reference ["Y[m, n] = exp(X[m, n] - max(k, X[m, k])) / sum(k, exp(X[m, k] - max(l, X[m, l])))"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %lowest = tile.constant -inf : f16 // of which exp makes 0
  %start = tile.constant -inf : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %log2e = arith.constant dense<1.44269504> : tensor<4096xf32>
  %m = tile.program_id 0
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>

  // Everything in units of log2(e).
  %max, %sum = scf.for %n = %c0 to %N step %c4096 iter_args(%max = %start, %sum = %zero) -> (f32, f32) {
    %t = tile.load_view %x[%m, %n] else %lowest : f16 : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %s = arith.mulf %v, %log2e : tensor<4096xf32>
    %block_max = tile.reduce %s axis 0 : tensor<4096xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
    %new_max = arith.maximumf %max, %block_max : f32
    %maxes = tile.splat %new_max : f32 -> tensor<4096xf32>
    %d = arith.subf %s, %maxes : tensor<4096xf32>
    %e = math.exp2 %d : tensor<4096xf32>
    %block_sum = tile.reduce %e axis 0 : tensor<4096xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %less = arith.subf %max, %new_max : f32
    %scale = math.exp2 %less : f32
    %new_sum = math.fma %sum, %scale, %block_sum : f32
    scf.yield %new_max, %new_sum : f32, f32
  }
  %factor = arith.divf %one, %sum : f32
  %maxes = tile.splat %max : f32 -> tensor<4096xf32>
  %factors = tile.splat %factor : f32 -> tensor<4096xf32>
  scf.for %n = %c0 to %N step %c4096 {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x4096xf16>
    %row = tile.reshape %t : tensor<1x4096xf16> -> tensor<4096xf16>
    %v = arith.extf %row : tensor<4096xf16> to tensor<4096xf32>
    %s = arith.mulf %v, %log2e : tensor<4096xf32>
    %d = arith.subf %s, %maxes : tensor<4096xf32>
    %e = math.exp2 %d : tensor<4096xf32>
    %q = arith.mulf %e, %factors : tensor<4096xf32>
    %r = arith.truncf %q : tensor<4096xf32> to tensor<4096xf16>
    %out = tile.reshape %r : tensor<4096xf16> -> tensor<1x4096xf16>
    tile.store_view %out, %y[%m, %n] : tensor<1x4096xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}
