// Sums of the columns of a matrix of f32: Y[n] = sum of X[m, n] over m.
//
// One program takes 128 columns and walks down along them, 32 rows at a time: warps read whole
// lines of memory. It adds tiles up element by element, and combines their rows once, at the end.
//
//   tile-run examples/column_sums_f32.mlir --args "M=8192 N=32768" --check --time

tile.kernel @column_sums_f32(%X: !tile.ptr<f32> {tile.divisibility = 16},
                             %Y: !tile.ptr<f32> {tile.divisibility = 16},
                             %M: index, %N: index {tile.divisibility = 4})
    shapes ["X[M, N]", "Y[N]"]
    grid ["ceildiv(N, 128)"]
    reference ["Y[n] = sum(m, X[m, n])"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
  %program = tile.program_id 0
  %n = arith.muli %program, %c128 : index
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>

  // Elements outside of the matrix are zeros.
  %sums = scf.for %m = %c0 to %M step %c32 iter_args(%so_far = %zeros) -> tensor<32x128xf32> {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x128xf32>
    %next = arith.addf %so_far, %t : tensor<32x128xf32>
    scf.yield %next : tensor<32x128xf32>
  }
  %sum = tile.reduce %sums axis 0 : tensor<32x128xf32> -> tensor<128xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store_view %sum, %y[%n] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}
