// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @forms
tile.kernel @forms(%x: f32, %i: i32) {
  %t = tile.splat %x : f32 -> tensor<16x64xf32>
  %u = tile.splat %i : i32 -> tensor<16x64xi32>

  // CHECK: = reduce %{{.*}} axis 1 : tensor<16x64xf32> -> tensor<16xf32> {
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK: %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK: yield %[[C]] : f32
  %sum = tile.reduce %t axis 1 : tensor<16x64xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }

  // CHECK: = reduce %{{.*}} axis 0 : tensor<16xf32> -> f32 {
  %all = tile.reduce %sum axis 0 : tensor<16xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }

  // CHECK: :2 = reduce %{{.*}}, %{{.*}} axis 0 : tensor<16x64xf32>, tensor<16x64xi32> -> tensor<64xf32>, tensor<64xi32> {
  %most, %where = tile.reduce %t, %u axis 0 : tensor<16x64xf32>, tensor<16x64xi32> -> tensor<64xf32>, tensor<64xi32> {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %c = arith.select %less, %b, %a : f32
    %ci = arith.select %less, %bi, %ai : i32
    tile.yield %c, %ci : f32, i32
  }
  tile.return
}

#source = #tile.register_layout<register[1,2] lane[8,4] warp[1,4]>
#warps = #tile.register_layout<lane*4 lane[8,1] warp[1,4]>
#gathered = #tile.register_layout<register[1,4] lane*4 lane[8,1] warp*4>
#result = #tile.register_layout<lane*4 lane[8] warp*4>

// CHECK-LABEL: tile.kernel @placed
tile.kernel @placed(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x32xf32, #source>
  // CHECK: reduce %{{.*}} axis 1 per_warp
  %w = tile.reduce %t axis 1 per_warp : tensor<8x32xf32, #source> -> tensor<8x4xf32, #warps> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %g = tile.convert_layout %w : tensor<8x4xf32, #warps> -> tensor<8x4xf32, #gathered>
  %s = tile.reduce %g axis 1 : tensor<8x4xf32, #gathered> -> tensor<8xf32, #result> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}
