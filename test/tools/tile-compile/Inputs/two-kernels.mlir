tile.kernel @first(%X: !tile.ptr<f32>, %n: index)
    shapes ["X[n]"] grid ["ceildiv(n, 64)"] reference ["X[i] = 1"] {
  %c64 = arith.constant 64 : index
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %one, %x[%start] : tensor<64xf32>, !tile.view<?xf32, [1]>
  tile.return
}

tile.kernel @second(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, 64)"] reference ["Y[i] = 2 * X[i]"] {
  %c64 = arith.constant 64 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xi32, [1]> -> tensor<64xi32>
  %u = arith.addi %t, %t : tensor<64xi32>
  tile.store_view %u, %y[%start] : tensor<64xi32>, !tile.view<?xi32, [1]>
  tile.return
}
