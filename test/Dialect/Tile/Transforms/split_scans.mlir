// Scans whose axis several warps have.

// RUN: tile-opt --tile-split-scans %s | FileCheck %s

#line = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
#rows = #tile.register_layout<lane[1,32] warp[4,1] register[4,1]>

// CHECK-LABEL: tile.kernel @across
tile.kernel @across(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #line>
  // CHECK: %[[S:.*]]:2 = scan %{{.*}} axis 0 reverse per_warp : tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>> -> tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>, tensor<8xf32, #tile.register_layout<lane*32 warp[4] register[2]>>
  // CHECK: %[[T:.*]] = convert_layout %[[S]]#1 : tensor<8xf32, #tile.register_layout<lane*32 warp[4] register[2]>> -> tensor<8xf32, #tile.register_layout<register[8] lane*32 warp*4>>
  // CHECK: carry %[[S]]#0 totals %[[T]] axis 0 reverse
  %s = tile.scan %t axis 0 reverse : tensor<1024xf32, #line> -> tensor<1024xf32, #line> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.return
}

// What a warp has to itself stays.
// CHECK-LABEL: tile.kernel @inside
// CHECK: scan %{{.*}} axis 1 : tensor<16x32xf32
// CHECK-NOT: carry
tile.kernel @inside(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x32xf32, #rows>
  %s = tile.scan %t axis 1 : tensor<16x32xf32, #rows> -> tensor<16x32xf32, #rows> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.return
}
