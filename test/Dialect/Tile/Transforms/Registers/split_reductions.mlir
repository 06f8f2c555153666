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

// Many sums and many warps: each sum is combined by one thread. A store takes it there.
#wide = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,8] register[4,2]>
#sums = #tile.register_layout<register[4] lane[8] register[4] lane*4 warp*8>
// CHECK-LABEL: tile.kernel @spread_for_store
// CHECK: %[[W:.*]] = reduce %{{.*}} axis 1 per_warp : tensor<128x64xf32, {{.*}}> -> tensor<128x8xf32, {{.*}}>
// CHECK: %[[G:.*]] = convert_layout %[[W]] : {{.*}} -> tensor<128x8xf32, #tile.register_layout<register[1,8] lane[32,1] warp[4,1] warp*2>>
// CHECK: %[[S:.*]] = reduce %[[G]] axis 1 : {{.*}} -> tensor<128xf32, #tile.register_layout<lane[32] warp[4] warp*2>>
// CHECK-NOT: convert_layout
// CHECK: store_view %[[S]]
tile.kernel @spread_for_store(%x: f32, %Y: !tile.ptr<f32>) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %y = tile.view %Y, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %t = tile.splat %x : f32 -> tensor<128x64xf32, #wide>
  %s = tile.reduce %t axis 1 : tensor<128x64xf32, #wide> -> tensor<128xf32, #sums> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store_view %s, %y[%c0] : tensor<128xf32, #sums>, !tile.view<128xf32, [1]>
  tile.return
}

// So does a conversion, of which nothing is left if it asks for that layout. What goes on where the lines are gets
// the sums there, by a second conversion.
// CHECK-LABEL: tile.kernel @spread_and_handed_out
// CHECK: %[[S:.*]] = reduce %{{.*}} axis 1 : {{.*}} -> tensor<128xf32, #tile.register_layout<lane[32] warp[4] warp*2>>
// CHECK: %[[R:.*]] = convert_layout %[[S]] : {{.*}} -> tensor<128xf32, #tile.register_layout<register[4] lane[8] register[4] lane*4 warp*8>>
// CHECK-NOT: convert_layout
// CHECK: expand_dims %[[R]]
// CHECK: arith.negf %[[S]]
// CHECK: %[[C:.*]] = convert_layout %[[S]] : {{.*}} -> tensor<128xf32, #tile.register_layout<register[4] lane[32] warp*8>>
// CHECK: arith.negf %[[C]]
tile.kernel @spread_and_handed_out(%x: f32) attributes {num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<128x64xf32, #wide>
  %s = tile.reduce %t axis 1 : tensor<128x64xf32, #wide> -> tensor<128xf32, #sums> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %e = tile.expand_dims %s {axis = 1 : i32} : tensor<128xf32, #sums> -> tensor<128x1xf32, #tile.register_layout<register[4,1] lane[8,1] register[4,1] lane*4 warp*8>>
  %u = tile.convert_layout %s : tensor<128xf32, #sums> -> tensor<128xf32, #tile.register_layout<lane[32] warp[4] warp*2>>
  %n = arith.negf %u : tensor<128xf32, #tile.register_layout<lane[32] warp[4] warp*2>>
  %v = tile.convert_layout %s : tensor<128xf32, #sums> -> tensor<128xf32, #tile.register_layout<register[4] lane[32] warp*8>>
  %o = arith.negf %v : tensor<128xf32, #tile.register_layout<register[4] lane[32] warp*8>>
  tile.return
}
