// One broken op for each constraint of TilePointerOps.td and TileAssertOps.td that only scalars or casts meet.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.load, C3: `other` needs a mask.
tile.kernel @k(%X: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{else says what is read where a mask is false: it needs a mask}}
  %a = tile.load %X else %x : !tile.ptr<f32>
  tile.return
}

// -----
// C4: a width is of tiles.
tile.kernel @k(%X: !tile.ptr<f32>) {
  // expected-error@+1 {{vector_width is of tiles: what is behind one pointer is one element}}
  %a = tile.load %X {vector_width = 1 : i64} : !tile.ptr<f32>
  tile.return
}

// -----
tile.kernel @k(%X: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{vector_width is of tiles: what is behind one pointer is one element}}
  tile.store %X, %x {vector_width = 1 : i64} : !tile.ptr<f32>
  tile.return
}

// -----
tile.kernel @k(%X: !tile.ptr<f32>) {
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // expected-error@+1 {{unshared is of a load through one pointer: each thread has loaded what it holds of others}}
  %a = tile.load %ps volatile unshared : tensor<8x!tile.ptr<f32>>
  tile.return
}

// -----
// C1: the mask of a scalar is one.
tile.kernel @k(%X: !tile.ptr<f32>, %m: i1) {
  %ms = tile.splat %m : i1 -> tensor<8xi1>
  // expected-error@+1 {{failed to verify that mask has the shape and layout of the pointers}}
  %a = "tile.load"(%X, %ms) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!tile.ptr<f32>, tensor<8xi1>) -> f32
  tile.return
}

// -----
// C2: the element type.
tile.kernel @k(%X: !tile.ptr<f32>) {
  // expected-error@+1 {{failed to verify that result has the pointers' element type, shape and layout}}
  %a = "tile.load"(%X) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.ptr<f32>) -> f16
  tile.return
}

// -----
tile.kernel @k(%X: !tile.ptr<f32>, %x: f16) {
  // expected-error@+1 {{failed to verify that value has the pointers' element type, shape and layout}}
  "tile.store"(%X, %x) : (!tile.ptr<f32>, f16) -> ()
  tile.return
}

// -----
// tile.ptr_cast, C1: one shape.
tile.kernel @k(%X: !tile.ptr<f32>) {
  // expected-error@+1 {{source and result are both scalars, or tiles of one shape and one layout}}
  %a = tile.ptr_cast %X : !tile.ptr<f32> -> tensor<8x!tile.ptr<i8>>
  tile.return
}

// -----
tile.kernel @k(%X: !tile.ptr<f32>) {
  %p = tile.splat %X : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // expected-error@+1 {{source and result are both scalars, or tiles of one shape and one layout}}
  %a = tile.ptr_to_int %p : tensor<8x!tile.ptr<f32>> -> tensor<4xi64>
  tile.return
}

// -----
// An address has 64 bits.
tile.kernel @k(%i: i32) {
  // expected-error@+1 {{operand #0 must be i64 or a tile of it, but got 'i32'}}
  %a = tile.int_to_ptr %i : i32 -> !tile.ptr<f32>
  tile.return
}

// -----
// tile.assert, C1: the mask has the shape of the condition.
tile.kernel @k(%m: i1) {
  %ms = tile.splat %m : i1 -> tensor<8xi1>
  // expected-error@+1 {{failed to verify that mask has the shape and layout of the condition}}
  "tile.assert"(%m, %ms) {message = "it holds"} : (i1, tensor<8xi1>) -> ()
  tile.return
}
