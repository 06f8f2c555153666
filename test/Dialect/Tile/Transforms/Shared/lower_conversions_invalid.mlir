// RUN: tile-opt --tile-lower-conversions --verify-diagnostics %s

#a = #tile.register_layout<lane[32] warp[4]>
#b = #tile.register_layout<warp[4] lane[32]>
tile.kernel @pointers(%A: !tile.ptr<f32>) {
  %t = tile.splat %A : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #a>
  // expected-error@+1 {{pointers cannot change warps: convert what they are made of, and add it to the base after}}
  %u = tile.convert_layout %t : tensor<128x!tile.ptr<f32>, #a> -> tensor<128x!tile.ptr<f32>, #b>
  tile.return
}
