// One broken op for each constraint of the ops on tiles in TileOps.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.iota, C1: one dimension of integers.
tile.kernel @k() {
  // expected-error@+1 {{makes a tile of one dimension, not 2; tile.expand_dims adds dimensions}}
  %i = tile.iota 0 : tensor<4x4xi32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{of integers, but got 'tensor<4xf32>'}}
  %i = tile.iota 0 : tensor<4xf32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{of integers, but got 'tensor<4xi0>'}}
  %i = tile.iota 0 : tensor<4xi0>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{of integers, but got 'tensor<4xi128>'}}
  %i = tile.iota 0 : tensor<4xi128>
  tile.return
}

// -----
// C2: every number fits.
tile.kernel @k() {
  // expected-error@+1 {{numbers from 0 to 0 + 255 do not fit 'i8'}}
  %i = tile.iota 0 : tensor<256xi8>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{numbers from 9223372036854775807 to 9223372036854775807 + 1 do not fit 'i64'}}
  %i = tile.iota 9223372036854775807 : tensor<2xi64>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{numbers from -129 to -129 + 3 do not fit 'i8'}}
  %i = tile.iota -129 : tensor<4xi8>
  tile.return
}

// -----
// tile.splat, C1.
tile.kernel @k(%x: f32) {
  // expected-error@+1 {{a tile of a scalar has elements of its type, 'f32'}}
  %t = tile.splat %x : f32 -> tensor<4xf16>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{operand #0 must be a scalar, but got 'tensor<4xf32>'}}
  %u = tile.splat %t : tensor<4xf32> -> tensor<4xf32>
  tile.return
}

// -----
// tile.expand_dims, C1: the shape.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{the result has the source's shape with a 1 at axis 0}}
  %u = tile.expand_dims %t {axis = 0 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{axis 2 is outside of a result of rank 2}}
  %u = tile.expand_dims %t {axis = 2 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{axis 2147483647 is outside of a result of rank 2}}
  %u = tile.expand_dims %t {axis = 2147483647 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint: the number of a dimension, such as 1 : i32}}
  %u = tile.expand_dims %t {axis = -1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tile.return
}

// -----
// C2: the element type.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{source and result have one element type}}
  %u = tile.expand_dims %t {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf16>
  tile.return
}

// -----
// C3: the layouts.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32>
  // expected-error@+1 {{source and result both have a layout, or neither has}}
  %u = tile.expand_dims %t {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32, #tile.register_layout<lane[32,1] warp*4>>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32, #tile.register_layout<register[2] lane[16] lane*2 warp*4>>
  // expected-error@+1 {{the result's layout needs the source in #tile.register_layout<lane[32] warp*4>}}
  %u = tile.expand_dims %t {axis = 1 : i32} : tensor<32xf32, #tile.register_layout<register[2] lane[16] lane*2 warp*4>> -> tensor<32x1xf32, #tile.register_layout<lane[32,1] warp*4>>
  tile.return
}

// -----
// tile.broadcast, C1 to C3.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{keeps the rank, and repeats only dimensions of extent 1}}
  %u = tile.broadcast %t : tensor<4x2xf32> -> tensor<4x4xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{keeps the rank, and repeats only dimensions of extent 1}}
  %u = tile.broadcast %t : tensor<4xf32> -> tensor<4x4xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x1xf32>
  // expected-error@+1 {{source and result have one element type}}
  %u = tile.broadcast %t : tensor<4x1xf32> -> tensor<4x4xi32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x1xf32, #tile.register_layout<register[32,1] lane*32 warp*4>>
  // expected-error@+1 {{the result's layout needs the source in #tile.register_layout<lane[32,1] warp*4>}}
  %u = tile.broadcast %t : tensor<32x1xf32, #tile.register_layout<register[32,1] lane*32 warp*4>> -> tensor<32x4xf32, #tile.register_layout<lane[32,1] warp[1,4]>>
  tile.return
}

// -----
// tile.reshape, C1 to C3.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{source and result have as many elements, not 8 and 16}}
  %u = tile.reshape %t : tensor<4x2xf32> -> tensor<16xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{source and result have one element type}}
  %u = tile.reshape %t : tensor<4x2xf32> -> tensor<8xf16>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x2xf32>
  // expected-error@+1 {{result #0 must be a tile}}
  %u = tile.reshape %t : tensor<8x2xf32> -> tensor<3x5xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x4xf32, #tile.register_layout<lane[32,1] warp[1,4]>>
  // expected-error@+1 {{the result's layout needs the source in #tile.register_layout<lane[8,4] warp[4,1]>}}
  %u = tile.reshape %t : tensor<32x4xf32, #tile.register_layout<lane[32,1] warp[1,4]>> -> tensor<128xf32, #tile.register_layout<lane[32] warp[4]>>
  tile.return
}

// -----
// tile.trans, C1: a permutation.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{needs a permutation of the dimensions, each of 0 to 1 once}}
  %u = tile.trans %t [1, 1] : tensor<4x2xf32> -> tensor<2x4xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{needs a permutation of the dimensions, each of 0 to 1 once}}
  %u = tile.trans %t [] : tensor<4x2xf32> -> tensor<2x4xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{needs a permutation of the dimensions, each of 0 to 1 once}}
  %u = tile.trans %t [-1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  tile.return
}

// -----
// C2: the shape.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{the result has the permuted shape of the source}}
  %u = tile.trans %t [1, 0] : tensor<4x2xf32> -> tensor<4x2xf32>
  tile.return
}

// -----
// C3: the element type.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<4x2xf32>
  // expected-error@+1 {{source and result have one element type}}
  %u = tile.trans %t [1, 0] : tensor<4x2xf32> -> tensor<2x4xi32>
  tile.return
}

// -----
// C4: the layout.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x4xf32, #tile.register_layout<lane[32,1] warp[1,4]>>
  // expected-error@+1 {{the result's layout needs the source in #tile.register_layout<lane[8,4] warp[4,1]>}}
  %u = tile.trans %t [1, 0] : tensor<32x4xf32, #tile.register_layout<lane[32,1] warp[1,4]>> -> tensor<4x32xf32, #tile.register_layout<lane[4,1] lane[1,8] warp[1,4]>>
  tile.return
}

// -----
// tile.convert_layout, C1 and C2.
#a = #tile.register_layout<lane[32] warp*4>
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32, #a>
  // expected-error@+1 {{failed to verify that all of {source, result} have same element type}}
  %u = tile.convert_layout %t : tensor<32xf32, #a> -> tensor<32xf16, #a>
  tile.return
}

// -----
#a = #tile.register_layout<lane[32] warp*4>
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32, #a>
  // expected-error@+1 {{failed to verify that all of {source, result} have same shape}}
  %u = tile.convert_layout %t : tensor<32xf32, #a> -> tensor<64xf32, #tile.register_layout<register[2] lane[32] warp*4>>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32>
  // expected-error@+1 {{source and result both have a layout}}
  %u = tile.convert_layout %t : tensor<32xf32> -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
  tile.return
}

// -----
// An encoding that is none of ours is no layout.
tile.kernel @k(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32, "rows">
  // expected-error@+1 {{source and result both have a layout}}
  %u = tile.convert_layout %t : tensor<32xf32, "rows"> -> tensor<32xf32, "columns">
  tile.return
}
