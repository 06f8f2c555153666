// Loads of columns beside one another, of which only some begin at multiples of
// a vector: all stand as the widest, and nothing is converted.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// A stencil: the narrow loads come first, and do not say where the sum stands.
// CHECK-LABEL: tile.kernel @stencil
// CHECK-NOT: convert_layout
// CHECK-COUNT-3: load %{{.*}} : tensor<512x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4]>>
// CHECK-NOT: convert_layout
// CHECK: store %{{.*}}, %{{.*}} : tensor<512x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4]>>
tile.kernel @stencil(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<512xi32>
  %x = tile.splat %X : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %y = tile.splat %Y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %one = arith.constant dense<1> : tensor<512xi32>
  %here = tile.addptr %x, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %after = tile.addptr %here, %one : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %minus = arith.constant dense<-1> : tensor<512xi32>
  %before = tile.addptr %here, %minus : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %a = tile.load %before : tensor<512x!tile.ptr<f32>>
  %b = tile.load %after : tensor<512x!tile.ptr<f32>>
  %c = tile.load %here : tensor<512x!tile.ptr<f32>>
  %ab = arith.addf %a, %b : tensor<512xf32>
  %abc = arith.addf %ab, %c : tensor<512xf32>
  %squared = arith.mulf %a, %abc : tensor<512xf32>
  %q = tile.addptr %y, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  tile.store %q, %squared : tensor<512x!tile.ptr<f32>>
  tile.return
}

// -----

// Places that are computed stand as the vectors of what is stored.
// CHECK-LABEL: tile.kernel @gather
// CHECK: load %{{.*}} : tensor<512x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4]>>
// CHECK-NOT: convert_layout
// CHECK: store %{{.*}}, %{{.*}} : tensor<512x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4]>>
tile.kernel @gather(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32)
    attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %place = arith.remsi %i, %ns : tensor<512xi32>
  %x = tile.splat %X : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %x, %place : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %p : tensor<512x!tile.ptr<f32>>
  %y = tile.splat %Y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %y, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  tile.store %q, %v : tensor<512x!tile.ptr<f32>>
  tile.return
}
