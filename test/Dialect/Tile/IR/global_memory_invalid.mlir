// One broken op for each constraint of programs and global memory in TileOps.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.program_id, C1: the axis.
tile.kernel @k() {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint: 0, 1 or 2, an axis of the grid}}
  %p = tile.program_id 3
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint}}
  %p = tile.num_programs -1
  tile.return
}

// -----
// tile.view, C1: one element type.
tile.kernel @k(%A: !tile.ptr<f32>) {
  // expected-error@+1 {{pointer and view have one element type}}
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf16, [1]>
  tile.return
}

// -----
// C2: as many extents and strides as the rank.
tile.kernel @k(%A: !tile.ptr<f32>) {
  // expected-error@+1 {{a view of rank 1 needs 1 extents and 1 strides, not 2 and 1}}
  %a = tile.view %A, shape [4, 4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  // expected-error@+1 {{a view of rank 1 needs 1 extents and 1 strides, not 1 and 0}}
  %a = tile.view %A, shape [4], strides [] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  tile.return
}

// -----
// C3: constants stand in the type, values do not.
tile.kernel @k(%A: !tile.ptr<f32>) {
  // expected-error@+1 {{constant extents stand in the type too, values as ?}}
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) {
  // expected-error@+1 {{constant extents stand in the type too, values as ?}}
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  // expected-error@+1 {{constant strides stand in the type too, values as ?}}
  %a = tile.view %A, shape [4], strides [2] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  // expected-error@+1 {{each ? of a list has its value}}
  %a = "tile.view"(%A) <{static_shape = array<i64: -9223372036854775808>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tile.ptr<f32>) -> !tile.view<?xf32, [1]>
  tile.return
}

// -----
// tile.load_view, C1: one rank.
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{view, coordinates and tile have one rank: the view has 1, the coordinates 2, the tile 1}}
  %t = tile.load_view %a[%i, %i] : !tile.view<4xf32, [1]> -> tensor<4xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{view, coordinates and tile have one rank: the view has 1, the coordinates 1, the tile 2}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<4x1xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{view, coordinates and tile have one rank: the view has 1, the coordinates 0, the tile 1}}
  %t = tile.load_view %a[] : !tile.view<4xf32, [1]> -> tensor<4xf32>
  tile.return
}

// -----
// C2: one element type.
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{a view of 'f32' holds no elements of type 'f16'}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<4xf16>
  tile.return
}

// -----
// C3: of `other` too.
tile.kernel @k(%A: !tile.ptr<f32>, %i: index, %x: f16) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{the value for elements outside has the element type 'f32'}}
  %t = tile.load_view %a[%i] else %x : f16 : !tile.view<4xf32, [1]> -> tensor<4xf32>
  tile.return
}

// -----
// C4: the width.
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{vector_width is a power of two from 1 to 32, not 3}}
  %t = tile.load_view %a[%i] {vector_width = 3 : i64} : !tile.view<4xf32, [1]> -> tensor<4xf32>
  tile.return
}

// -----
// A tile is a tensor whose extents are powers of two.
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{result #0 must be a tile (a tensor of 1 to 2^20 elements in one or more dimensions, whose extents are powers of two) of integers of 1 to 64 bits, index, floats of 8 to 64 bits or pointers, but got 'tensor<3xf32>'}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<3xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{result #0 must be a tile}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<?xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{result #0 must be a tile}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<2097152xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{result #0 must be a tile}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<4611686018427387904x4611686018427387904xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<*xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  // expected-error@+1 {{result #0 must be a tile}}
  %t = tile.load_view %a[%i] : !tile.view<4xf32, [1]> -> tensor<4xvector<4xf32>>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  // expected-error@+1 {{result #0 must be a tile}}
  %t = tile.splat %x : f32 -> tensor<f32>
  tile.return
}

// -----
// tile.store_view, C1, C2 and C4.
tile.kernel @k(%A: !tile.ptr<f32>, %i: index, %x: f32) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  %t = tile.splat %x : f32 -> tensor<4x4xf32>
  // expected-error@+1 {{view, coordinates and tile have one rank: the view has 1, the coordinates 1, the tile 2}}
  tile.store_view %t, %a[%i] : tensor<4x4xf32>, !tile.view<4xf32, [1]>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index, %x: f16) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  %t = tile.splat %x : f16 -> tensor<4xf16>
  // expected-error@+1 {{a view of 'f32' holds no elements of type 'f16'}}
  tile.store_view %t, %a[%i] : tensor<4xf16>, !tile.view<4xf32, [1]>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: index, %x: f32) {
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<f32> -> !tile.view<4xf32, [1]>
  %t = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{vector_width is a power of two from 1 to 32, not 64}}
  tile.store_view %t, %a[%i] {vector_width = 64 : i64} : tensor<4xf32>, !tile.view<4xf32, [1]>
  tile.return
}

// -----
// tile.addptr, C1: one shape and one layout.
tile.kernel @k(%A: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<4xi32>
  // expected-error@+1 {{pointer and offset are both scalars or both tiles; tile.splat makes a tile of a scalar}}
  %p = tile.addptr %A, %i : !tile.ptr<f32>, tensor<4xi32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %i: i32) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  // expected-error@+1 {{pointer and offset are both scalars or both tiles; tile.splat makes a tile of a scalar}}
  %p = tile.addptr %ps, %i : tensor<4x!tile.ptr<f32>>, i32
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %i = tile.iota 0 : tensor<4xi32>
  // expected-error@+1 {{pointers and offsets have one shape and one layout}}
  %p = tile.addptr %ps, %i : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  tile.return
}

// -----
#a = #tile.register_layout<lane[32] warp*4>
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #a>
  %i = tile.iota 0 : tensor<32xi32>
  // expected-error@+1 {{pointers and offsets have one shape and one layout}}
  %p = tile.addptr %ps, %i : tensor<32x!tile.ptr<f32>, #a>, tensor<32xi32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{operand #1 must be}}
  %p = tile.addptr %A, %x : !tile.ptr<f32>, f32
  tile.return
}

// -----
tile.kernel @k(%x: f32, %n: index) {
  // expected-error@+1 {{'ptr' must be a pointer or a tile of pointers, but got 'f32'}}
  %p = tile.addptr %x, %n : f32, index
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) {
  // expected-error@+1 {{failed to verify that result has the type of the pointer}}
  %p = "tile.addptr"(%A, %n) : (!tile.ptr<f32>, index) -> !tile.ptr<f16>
  tile.return
}

// -----
// tile.load, C1: shapes and layouts.
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %m = arith.constant dense<true> : tensor<8xi1>
  // expected-error@+1 {{failed to verify that mask has the shape and layout of the pointers}}
  %v = "tile.load"(%ps, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tile.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  // expected-error@+1 {{failed to verify that result has the pointers' element type, shape and layout}}
  %v = "tile.load"(%ps) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x!tile.ptr<f32>>) -> tensor<8xf32>
  tile.return
}

// -----
#a = #tile.register_layout<lane[32] warp*4>
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #a>
  // expected-error@+1 {{failed to verify that result has the pointers' element type, shape and layout}}
  %v = "tile.load"(%ps) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x!tile.ptr<f32>, #a>) -> tensor<32xf32>
  tile.return
}

// -----
// C2: element types.
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %m = arith.constant dense<true> : tensor<4xi1>
  %z = arith.constant dense<0.0> : tensor<4xf16>
  // expected-error@+1 {{failed to verify that padding has the type of the result}}
  %v = "tile.load"(%ps, %m, %z) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<4x!tile.ptr<f32>>, tensor<4xi1>, tensor<4xf16>) -> tensor<4xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  // expected-error@+1 {{failed to verify that result has the pointers' element type, shape and layout}}
  %v = "tile.load"(%ps) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x!tile.ptr<f32>>) -> tensor<4xi32>
  tile.return
}

// -----
// C3: what `else` is for.
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error@+1 {{else says what is read where a mask is false: it needs a mask}}
  %v = tile.load %ps else %z : tensor<4x!tile.ptr<f32>>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<8xf16>
  // expected-error@+1 {{failed to verify that padding has the type of the result}}
  %v = "tile.load"(%ps, %z) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x!tile.ptr<f32>>, tensor<8xf16>) -> tensor<4xf32>
  tile.return
}

// -----
// C4.
tile.kernel @k(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  // expected-error@+1 {{vector_width is a power of two from 1 to 32, not 0}}
  %v = tile.load %ps {vector_width = 0 : i64} : tensor<4x!tile.ptr<f32>>
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  // expected-error@+1 {{'ptr' must be a pointer or a tile of pointers, but got 'f32'}}
  %v = tile.load %x : f32
  tile.return
}

// -----
// tile.store, C1, C2 and C4.
tile.kernel @k(%A: !tile.ptr<f32>, %x: f32) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %v = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{failed to verify that value has the pointers' element type, shape and layout}}
  "tile.store"(%ps, %v) : (tensor<4x!tile.ptr<f32>>, tensor<8xf32>) -> ()
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %x: f16) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %v = tile.splat %x : f16 -> tensor<4xf16>
  // expected-error@+1 {{failed to verify that value has the pointers' element type, shape and layout}}
  "tile.store"(%ps, %v) : (tensor<4x!tile.ptr<f32>>, tensor<4xf16>) -> ()
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %x: f32) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %v = tile.splat %x : f32 -> tensor<4xf32>
  %m = arith.constant dense<true> : tensor<8xi1>
  // expected-error@+1 {{failed to verify that mask has the shape and layout of the pointers}}
  "tile.store"(%ps, %v, %m) : (tensor<4x!tile.ptr<f32>>, tensor<4xf32>, tensor<8xi1>) -> ()
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %x: f32) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %v = tile.splat %x : f32 -> tensor<4xf32>
  // expected-error@+1 {{vector_width is a power of two from 1 to 32, not -1}}
  tile.store %ps, %v {vector_width = -1 : i64} : tensor<4x!tile.ptr<f32>>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) {
  %v = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-error@+1 {{rotates the block of a view of one dimension, whose stride is 1, and not of '!tile.view<?x?xf32, [?, 1]>'}}
  %t = tile.load_view %v[%n, %n] rotated %n : !tile.view<?x?xf32, [?, 1]> -> tensor<8x8xf32>
  tile.return
}

// -----
tile.kernel @k(%A: !tile.ptr<f32>, %n: index, %x: f32) {
  %v = tile.view %A, shape [%n], strides [2] : !tile.ptr<f32> -> !tile.view<?xf32, [2]>
  %t = tile.splat %x : f32 -> tensor<64xf32>
  // expected-error@+1 {{rotates the block of a view of one dimension, whose stride is 1, and not of '!tile.view<?xf32, [2]>'}}
  tile.store_view %t, %v[%n] rotated %n : tensor<64xf32>, !tile.view<?xf32, [2]>
  tile.return
}
