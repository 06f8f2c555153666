// Sums of all that stand before: nothing else is computed.
tile.kernel @sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [64, 128], strides [128, 1] : !tile.ptr<f32> -> !tile.view<64x128xf32, [128, 1]>
  %y = tile.view %Y, shape [64, 128], strides [128, 1] : !tile.ptr<f32> -> !tile.view<64x128xf32, [128, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<64x128xf32, [128, 1]> -> tensor<64x128xf32>
  %s = tile.scan %t axis 1 : tensor<64x128xf32> -> tensor<64x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store_view %s, %y[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32, [128, 1]>
  tile.return
}
