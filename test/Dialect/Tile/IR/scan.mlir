// Scans in each form that their syntax has.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

#line = #tile.register_layout<register[4] lane[32] warp[2] register[2]>
#totals = #tile.register_layout<lane*32 warp[2] register[2]>
#all = #tile.register_layout<register[4] lane*32 warp*2>

// CHECK-LABEL: tile.kernel @scans
tile.kernel @scans(%x: f32, %i: i1) {
  %t = tile.splat %x : f32 -> tensor<64x128xf32>
  %b = tile.splat %i : i1 -> tensor<64x128xi1>
  // CHECK: scan %{{.*}} axis 1 : tensor<64x128xf32> -> tensor<64x128xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  %a = tile.scan %t axis 1 : tensor<64x128xf32> -> tensor<64x128xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  // CHECK: scan %{{.*}}, %{{.*}} axis 0 reverse : tensor<64x128xf32>, tensor<64x128xi1> -> tensor<64x128xf32>, tensor<64x128xi1> {
  %c, %d = tile.scan %t, %b axis 0 reverse : tensor<64x128xf32>, tensor<64x128xi1> -> tensor<64x128xf32>, tensor<64x128xi1> {
  ^bb0(%p: f32, %u: i1, %q: f32, %v: i1):
    tile.yield %q, %u : f32, i1
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @placed
tile.kernel @placed(%x: f32) attributes {num_warps = 2 : i32} {
  %t = tile.splat %x : f32 -> tensor<512xf32, #line>
  // CHECK: scan %{{.*}} axis 0 reverse per_warp : tensor<512xf32, #{{.*}}> -> tensor<512xf32, #{{.*}}>, tensor<4xf32, #{{.*}}> {
  %s, %w = tile.scan %t axis 0 reverse per_warp : tensor<512xf32, #line> -> tensor<512xf32, #line>, tensor<4xf32, #totals> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  %g = tile.convert_layout %w : tensor<4xf32, #totals> -> tensor<4xf32, #all>
  // CHECK: scan %{{.*}} axis 0 reverse exclusive : tensor<4xf32, #{{.*}}> -> tensor<4xf32, #{{.*}}> {
  %e = tile.scan %g axis 0 reverse exclusive : tensor<4xf32, #all> -> tensor<4xf32, #all> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  %b = tile.convert_layout %e : tensor<4xf32, #all> -> tensor<4xf32, #totals>
  // CHECK: carry %{{.*}} before %{{.*}} axis 0 reverse : (tensor<512xf32, #{{.*}}>, tensor<4xf32, #{{.*}}>) -> tensor<512xf32, #{{.*}}> {
  %r = tile.carry %s before %b axis 0 reverse : (tensor<512xf32, #line>, tensor<4xf32, #totals>) -> tensor<512xf32, #line> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.return
}
