// Sums of rows of lanes.

tile.kernel @sums(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xindex>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %y = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %v = tile.load %x : tensor<1024x!tile.ptr<f32>>
  %old = tile.atomic_rmw add %y, %v order relaxed : tensor<1024x!tile.ptr<f32>>
  tile.return
}
