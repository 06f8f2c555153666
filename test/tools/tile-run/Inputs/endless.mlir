// With step=0 the inner loop never ends.
tile.kernel @endless(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index, %step: index)
    shapes ["X[n]", "Y[n]"] grid ["2"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %j = %c0 to %n step %c1 iter_args(%r = %zeros) -> tensor<8xf32> {
    %inner = scf.for %i = %j to %n step %step iter_args(%s = %r) -> tensor<8xf32> {
      %t = tile.load_view %x[%i] : !tile.view<?xf32, [1]> -> tensor<8xf32>
      %next = arith.addf %s, %t : tensor<8xf32>
      scf.yield %next : tensor<8xf32>
    }
    scf.yield %inner : tensor<8xf32>
  }
  %c8 = arith.constant 8 : index
  %p = tile.program_id 0
  %at = arith.muli %p, %c8 : index
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %sum, %y[%at] : tensor<8xf32>, !tile.view<?xf32, [1]>
  tile.return
}
