// Where rows of vectors of 4 end in a short tile is told to kernels that combine one row each, and not to others, whose code is better without.

// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{bounds=n:33:36}))" %s | FileCheck %s

// CHECK-LABEL: tile.kernel @combines(
// CHECK-SAME: %n: i32 {tile.bounds = array<i64: 33, 36>, tile.divisibility = 4 : i64}
tile.kernel @combines(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 4 : i64}) {
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %i, %end : tensor<64xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %xp mask %inside : tensor<64x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.addptr %Y, %p : !tile.ptr<f32>, index
  tile.store %yp, %sum : !tile.ptr<f32>
  tile.return
}

// CHECK-LABEL: tile.kernel @moves(
// CHECK-SAME: %n: i32 {tile.divisibility = 4 : i64}
tile.kernel @moves(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 4 : i64}) {
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %i, %end : tensor<64xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %xp mask %inside : tensor<64x!tile.ptr<f32>>
  %row = tile.addptr %Y, %p : !tile.ptr<f32>, index
  %ys = tile.splat %row : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %yp, %x mask %inside : tensor<64x!tile.ptr<f32>>
  tile.return
}
