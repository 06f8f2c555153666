#from = #tile.register_layout<register[4] lane[32] warp[4]>
#to = #tile.register_layout<register[2] lane[32] register[2] warp[4]>

tile.kernel @conversion(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, 512)"] reference ["Y[i] = X[i]"] {
  %size = arith.constant 512 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %size : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xf32, [1]> -> tensor<512xf32, #from>
  %u = tile.convert_layout %t : tensor<512xf32, #from> -> tensor<512xf32, #to>
  tile.store_view %u, %y[%start] : tensor<512xf32, #to>, !tile.view<?xf32, [1]>
  tile.return
}
