// RUN: tile-opt --split-input-file --verify-diagnostics %s

#whole = #tile.register_layout<register[1,2] lane[4,8] register[2,1] warp[1,4]>
#half = #tile.register_layout<register[1,2] lane[4,8] warp[1,4]>
tile.kernel @axis(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x64xf32, #whole>
  // expected-error@+1 {{axis 2 of a tile of 2 dimensions}}
  %a, %b = tile.split %t axis 2 stride 4 : tensor<8x64xf32, #whole> -> tensor<4x64xf32, #half>
  tile.return
}

// -----

#whole = #tile.register_layout<register[1,2] lane[4,8] register[2,1] warp[1,4]>
#half = #tile.register_layout<register[1,2] lane[4,8] warp[1,4]>
tile.kernel @stride(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x64xf32, #whole>
  // expected-error@+1 {{the stride is a power of two below 8, the extent of the axis, not 8}}
  %a, %b = tile.split %t axis 0 stride 8 : tensor<8x64xf32, #whole> -> tensor<4x64xf32, #half>
  tile.return
}

// -----

#whole = #tile.register_layout<register[1,2] lane[4,8] register[2,1] warp[1,4]>
#half = #tile.register_layout<register[1,2] lane[4,8] warp[1,4]>
tile.kernel @odd(%x: f32) {
  %h = tile.splat %x : f32 -> tensor<4x64xf32, #half>
  // expected-error@+1 {{the stride is a power of two below 8, the extent of the axis, not 3}}
  %t = tile.join %h, %h axis 0 stride 3 : tensor<4x64xf32, #half> -> tensor<8x64xf32, #whole>
  tile.return
}

// -----

tile.kernel @unplaced(%x: f32) {
  %h = tile.splat %x : f32 -> tensor<4x64xf32>
  // expected-error@+1 {{belongs to placed programs, in which tiles have a register layout}}
  %t = tile.join %h, %h axis 0 stride 4 : tensor<4x64xf32> -> tensor<8x64xf32>
  tile.return
}

// -----

tile.kernel @long(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x64xf32>
  // expected-error@+1 {{a half is a 'tensor<4x64xf32>', not a 'tensor<8x32xf32>'}}
  %a, %b = tile.split %t axis 0 stride 4 : tensor<8x64xf32> -> tensor<8x32xf32>
  tile.return
}

// -----

#whole = #tile.register_layout<register[1,2] lane[4,8] register[2,1] warp[1,4]>
#half = #tile.register_layout<register[1,2] lane[4,8] warp[1,4]>
tile.kernel @lanes(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x64xf32, #whole>
  // expected-error@+1 {{threads do not have both halves: one bit of the registers would have to step by 2 along axis 0}}
  %a, %b = tile.split %t axis 0 stride 2 : tensor<8x64xf32, #whole> -> tensor<4x64xf32, #half>
  tile.return
}

// -----

#whole = #tile.register_layout<register[1,2] lane[4,8] register[2,1] warp[1,4]>
#half = #tile.register_layout<register[2,1] lane[2,16] warp[1,4]>
tile.kernel @other(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x64xf32, #whole>
  // expected-error@+1 {{a half is a 'tensor<4x64xf32, #tile.register_layout<register[1,2] lane[4,8] warp[1,4]>>', not a}}
  %a, %b = tile.split %t axis 0 stride 4 : tensor<8x64xf32, #whole> -> tensor<4x64xf32, #half>
  tile.return
}
