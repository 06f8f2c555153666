// A width that only sm_90 has.

#eight = #tile.register_layout<register[8] lane[32] warp[4]>

tile.kernel @written(%P: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xindex, #eight>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #eight>
  %p = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>, #eight>, tensor<1024xindex, #eight>
  %one = arith.constant dense<1.0> : tensor<1024xf32, #eight>
  %a = tile.atomic_rmw add %p, %one {vector_width = 4 : i64} : tensor<1024x!tile.ptr<f32>, #eight>
  tile.return
}
