// Scans whose axis several warps have: of what parts of them are combined to, each thread gets what stands before its own.

// RUN: tile-opt --tile-split-scans %s | FileCheck %s

#line = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
#rows = #tile.register_layout<lane[1,32] warp[4,1] register[4,1]>

// CHECK-LABEL: tile.kernel @across
tile.kernel @across(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #line>
  // CHECK: %[[S:.*]]:2 = scan %{{.*}} axis 0 reverse per_warp : tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>> -> tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>, tensor<8xf32, #tile.register_layout<lane*32 warp[4] register[2]>>
  // Each warp scans all totals, a lane for each.
  // CHECK: %[[T:.*]] = convert_layout %[[S]]#1 : tensor<8xf32, #tile.register_layout<lane*32 warp[4] register[2]>> -> tensor<8xf32, #tile.register_layout<lane[8] lane*4 warp*4>>
  // CHECK: %[[E:.*]] = scan %[[T]] axis 0 reverse exclusive
  // CHECK: arith.addf
  // CHECK: %[[B:.*]] = convert_layout %[[E]] : tensor<8xf32, #tile.register_layout<lane[8] lane*4 warp*4>> -> tensor<8xf32, #tile.register_layout<lane*32 warp[4] register[2]>>
  // CHECK: carry %[[S]]#0 before %[[B]] axis 0 reverse
  %s = tile.scan %t axis 0 reverse : tensor<1024xf32, #line> -> tensor<1024xf32, #line> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.return
}

// Sums of a product, of which a thread has 32 columns of 16 parts: each thread scans the totals of one column, and gets 64.
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,16] warp[8,1] register[2,1]>
// CHECK-LABEL: tile.kernel @spread
// CHECK: %[[S:.*]]:2 = scan %{{.*}} axis 0 per_warp
// CHECK: %[[T:.*]] = convert_layout %[[S]]#1 : {{.*}} -> tensor<16x128xf32, #[[SPREAD:tile.register_layout<register\[16,1\] lane\[1,32\] warp\[1,4\] warp\*2>]]>
// CHECK: scan %[[T]] axis 0 exclusive : tensor<16x128xf32, #[[SPREAD]]>
// CHECK: carry
tile.kernel @spread(%x: f32) attributes {num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<256x128xf32, #sums>
  %s = tile.scan %t axis 0 : tensor<256x128xf32, #sums> -> tensor<256x128xf32, #sums> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.return
}

// Of 64 parts each warp scans all totals, a lane two of them.
#long = #tile.register_layout<register[4] lane[32] warp[32] register[2]>
// CHECK-LABEL: tile.kernel @in_lanes
// CHECK: convert_layout %{{.*}} : {{.*}} -> tensor<64xf32, #[[LANES:tile.register_layout<register\[2\] lane\[32\] warp\*32>]]>
// CHECK: scan %{{.*}} axis 0 exclusive : tensor<64xf32, #[[LANES]]>
// CHECK: carry
tile.kernel @in_lanes(%x: f32) attributes {num_warps = 32 : i32} {
  %t = tile.splat %x : f32 -> tensor<8192xf32, #long>
  %s = tile.scan %t axis 0 : tensor<8192xf32, #long> -> tensor<8192xf32, #long> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.return
}

// Few totals of a column, which lanes do not share: each thread scans what it wants, rather than to meet the others twice.
#columns = #tile.register_layout<register[4,4] lane[2,16] warp[4,1]>
// CHECK-LABEL: tile.kernel @own
// CHECK: scan {{.*}} exclusive : tensor<4x64xf32, #tile.register_layout<register[4,1] register[1,4] lane[1,16] lane*2 warp*4>>
// CHECK: carry
tile.kernel @own(%x: f32) attributes {num_warps = 4 : i32} {
  %t = tile.splat %x : f32 -> tensor<32x64xf32, #columns>
  %s = tile.scan %t axis 0 : tensor<32x64xf32, #columns> -> tensor<32x64xf32, #columns> {
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
