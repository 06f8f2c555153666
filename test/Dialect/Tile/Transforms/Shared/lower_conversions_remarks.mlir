// Where shuffles are possible, a remark has both costs.

// RUN: tile-opt --tile-lower-conversions --verify-diagnostics --split-input-file %s

#a = #tile.register_layout<register[4] lane[32] warp[4]>
#b = #tile.register_layout<register[2] lane[32] register[2] warp[4]>
tile.kernel @shuffles(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<512xf32, #a>
  // expected-remark@+1 {{4 shuffles, 8 selects and 0 moves a warp are 32.0 cycles; shared memory would be 32 wavefronts and a barrier, 52.0 cycles}}
  %u = tile.convert_layout %t : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tile.return
}

// -----

#a = #tile.register_layout<register[1,32] lane[32,1] warp[1,4]>
#b = #tile.register_layout<register[32,1] lane[1,32] warp[1,4]>
tile.kernel @pointers(%A: !tile.ptr<f32>) {
  %t = tile.splat %A : !tile.ptr<f32> -> tensor<32x128x!tile.ptr<f32>, #a>
  // expected-remark@+1 {{62 shuffles, 640 selects and 0 moves a warp are 1528.0 cycles; shared memory cannot hold the tile}}
  %u = tile.convert_layout %t : tensor<32x128x!tile.ptr<f32>, #a> -> tensor<32x128x!tile.ptr<f32>, #b>
  tile.return
}
