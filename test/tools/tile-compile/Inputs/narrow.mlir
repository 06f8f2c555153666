// Sums of five arrays that are not known to be aligned, the first by pointers that are not consecutive.
tile.kernel @narrow(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %C: !tile.ptr<f32>, %D: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2> : tensor<1024xindex>
  %iota = tile.iota 0 : tensor<1024xindex>
  %i = arith.muli %iota, %two : tensor<1024xindex>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %as, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %a = tile.load %pa : tensor<1024x!tile.ptr<f32>>
  %vb = tile.view %B, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %vc = tile.view %C, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %vd = tile.view %D, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %vy = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %b = tile.load_view %vb[%c0] : !tile.view<1024xf32, [1]> -> tensor<1024xf32>
  %c = tile.load_view %vc[%c0] : !tile.view<1024xf32, [1]> -> tensor<1024xf32>
  %d = tile.load_view %vd[%c0] : !tile.view<1024xf32, [1]> -> tensor<1024xf32>
  %ab = arith.addf %a, %b : tensor<1024xf32>
  %abc = arith.addf %ab, %c : tensor<1024xf32>
  %abcd = arith.addf %abc, %d : tensor<1024xf32>
  tile.store_view %abcd, %vy[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}
