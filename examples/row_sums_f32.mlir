// Sums of the rows of a matrix of f32: Y[m] = sum of X[m, n] over n.
//
// One program takes a row, 4096 columns at a time. It adds them up element by element, which no
// thread needs another one for, and combines what threads have once, at the end.
//
//   tile-run examples/row_sums_f32.mlir --args "M=8192 N=4096" --check --time

tile.kernel @row_sums_f32(%X: !tile.ptr<f32> {tile.divisibility = 16},
                          %Y: !tile.ptr<f32>,
                          %M: index, %N: index {tile.divisibility = 4})
    shapes ["X[M, N]", "Y[M]"]
    grid ["M"]
    reference ["Y[m] = sum(n, X[m, n])"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %m = tile.program_id 0
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>

  // Elements outside of the matrix are zeros.
  %sums = scf.for %n = %c0 to %N step %c4096 iter_args(%so_far = %zeros) -> tensor<4096xf32> {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<1x4096xf32>
    %row = tile.reshape %t : tensor<1x4096xf32> -> tensor<4096xf32>
    %next = arith.addf %so_far, %row : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %sum = tile.reduce %sums axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.addptr %Y, %m : !tile.ptr<f32>, index
  tile.store %y, %sum : !tile.ptr<f32>
  tile.return
}
