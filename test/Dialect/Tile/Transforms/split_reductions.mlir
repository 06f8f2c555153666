// RUN: tile-opt %s --tile-split-reductions | FileCheck %s

// Warps side by side along the axis: each reduces its part, then all gather.
// CHECK-LABEL: tile.kernel @across_warps
// CHECK: %[[W:.*]] = reduce %{{.*}} axis 1 per_warp : tensor<8x32xf32, {{.*}}> -> tensor<8x4xf32, #tile.register_layout<lane*4 lane[8,1] warp[1,4]>>
// CHECK: arith.addf
// CHECK: %[[G:.*]] = convert_layout %[[W]] : {{.*}} -> tensor<8x4xf32, #tile.register_layout<register[1,4] lane*4 lane[8,1] warp*4>>
// CHECK: reduce %[[G]] axis 1 : {{.*}} -> tensor<8xf32, #tile.register_layout<lane*4 lane[8] warp*4>>
// CHECK: arith.addf
tile.kernel @across_warps(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x32xf32, #tile.register_layout<register[1,2] lane[8,4] warp[1,4]>>
  %s = tile.reduce %t axis 1 : tensor<8x32xf32, #tile.register_layout<register[1,2] lane[8,4] warp[1,4]>> -> tensor<8xf32, #tile.register_layout<lane*4 lane[8] warp*4>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// Each warp has whole lines, or no layout is assigned yet: nothing to do.
// CHECK-LABEL: tile.kernel @in_warps
// CHECK-NOT: per_warp
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @in_warps(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x8xf32, #tile.register_layout<register[1,2] lane[8,4] warp[4,1]>>
  %s = tile.reduce %t axis 1 : tensor<32x8xf32, #tile.register_layout<register[1,2] lane[8,4] warp[4,1]>> -> tensor<32xf32, #tile.register_layout<lane*4 lane[8] warp[4]>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @unplaced
// CHECK-NOT: per_warp
tile.kernel @unplaced(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x8xf32>
  %s = tile.reduce %t axis 1 : tensor<32x8xf32> -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}
