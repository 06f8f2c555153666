// Whether this ends is the program's affair: with go=1 it does not.
tile.kernel @endless_while(%Y: !tile.ptr<i32>, %go: i1) shapes ["Y[32]"] grid ["1"] {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : tensor<32xi32>
  %r = scf.while (%x = %one) : (tensor<32xi32>) -> tensor<32xi32> {
    scf.condition(%go) %x : tensor<32xi32>
  } do {
  ^bb0(%x: tensor<32xi32>):
    %y = arith.addi %x, %one : tensor<32xi32>
    scf.yield %y : tensor<32xi32>
  }
  %v = tile.view %Y, shape [32], strides [1] : !tile.ptr<i32> -> !tile.view<32xi32, [1]>
  tile.store_view %r, %v[%c0] : tensor<32xi32>, !tile.view<32xi32, [1]>
  tile.return
}
