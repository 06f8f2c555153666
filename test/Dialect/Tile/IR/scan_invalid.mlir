// One broken op for each constraint of TileScanOps.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @k() {
  // expected-error@+1 {{has nothing to scan}}
  "tile.scan"() <{axis = 0 : i32}> ({
    tile.yield
  }) : () -> ()
  tile.return
}

// -----
// C1: one shape.
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  %b = tile.splat %x : f32 -> tensor<16xf32>
  // expected-error@+1 {{tiles that are scanned together have one shape and one layout}}
  %c, %d = tile.scan %a, %b axis 0 : tensor<8xf32>, tensor<16xf32> -> tensor<8xf32>, tensor<16xf32> {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
    tile.yield %p, %q : f32, f32
  }
  tile.return
}

// -----
// No pointers.
tile.kernel @k(%x: !tile.ptr<f32>) {
  %a = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // expected-error@+1 {{does not scan pointers: scan what is added to them}}
  %c = tile.scan %a axis 0 : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<f32>> {
  ^bb0(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>):
    tile.yield %p : !tile.ptr<f32>
  }
  tile.return
}

// -----
// C2: the axis.
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{axis 1 is outside of tiles of rank 1}}
  %c = tile.scan %a axis 1 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// C2: a lane stands beyond warps.
#turned = #tile.register_layout<warp[2] lane[32]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #turned>
  // expected-error@+1 {{some bits of the layout move along the axis and across it, or not by powers of two, or those of lanes in another order, or beyond warps}}
  %c = tile.scan %a axis 0 : tensor<64xf32, #turned> -> tensor<64xf32, #turned> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// C3: results.
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{results are 'tensor<8xf32>', not 'tensor<8xf16>'}}
  %c = tile.scan %a axis 0 : tensor<8xf32> -> tensor<8xf16> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{per_warp needs a layout, which says what a warp has}}
  %c = tile.scan %a axis 0 per_warp : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// C4: the region.
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{the region takes an element of each tile, then another of each: 'f32', 'f32'}}
  %c = tile.scan %a axis 0 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%p: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// C5: bits that move along the axis and across it; not by powers of two; lanes out of order; lanes beyond warps.
#diagonal = #tile.register_layout<8x8, lane = [[1, 1], [2, 0], [4, 0], [0, 2], [0, 4]], register = [[0, 1]], warp = [[0, 0]]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<8x8xf32, #diagonal>
  // expected-error@+1 {{some bits of the layout move along the axis and across it, or not by powers of two}}
  %c = tile.scan %a axis 0 : tensor<8x8xf32, #diagonal> -> tensor<8x8xf32, #diagonal> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
#turned = #tile.register_layout<32, lane = [[16], [8], [4], [2], [1]], warp = [[0]]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<32xf32, #turned>
  // expected-error@+1 {{or those of lanes in another order}}
  %c = tile.scan %a axis 0 : tensor<32xf32, #turned> -> tensor<32xf32, #turned> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
#beyond = #tile.register_layout<warp[2] lane[32]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #beyond>
  // expected-error@+1 {{or beyond warps}}
  %c = tile.scan %a axis 0 : tensor<64xf32, #beyond> -> tensor<64xf32, #beyond> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// C6: exclusive; registers beyond lanes, several warps, no layout, and not with per_warp.
#apart = #tile.register_layout<lane[32] register[2]>
tile.kernel @k(%x: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #apart>
  // expected-error@+1 {{exclusive needs a layout in which the axis is in one warp, and a thread has what follows one another}}
  %c = tile.scan %a axis 0 exclusive : tensor<64xf32, #apart> -> tensor<64xf32, #apart> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
#across = #tile.register_layout<lane[32] warp[2]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #across>
  // expected-error@+1 {{exclusive needs a layout}}
  %c = tile.scan %a axis 0 exclusive : tensor<64xf32, #across> -> tensor<64xf32, #across> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{exclusive needs a layout}}
  %c = tile.scan %a axis 0 exclusive : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
#line = #tile.register_layout<lane[32] warp[2]>
#parts = #tile.register_layout<lane*32 warp[2]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #line>
  // expected-error@+1 {{is of each warp, or exclusive}}
  %c, %t = tile.scan %a axis 0 per_warp exclusive : tensor<64xf32, #line> -> tensor<64xf32, #line>, tensor<2xf32, #parts> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// tile.carry, C1: layouts.
tile.kernel @k(%x: f32) {
  %a = tile.splat %x : f32 -> tensor<8xf32>
  // expected-error@+1 {{is of placed programs: its tiles have layouts}}
  %c = tile.carry %a before %a axis 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

// -----
// C2: what stands before parts.
#line = #tile.register_layout<lane[32] warp[2]>
#all = #tile.register_layout<register[4] lane*32 warp*2>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #line>
  %t = tile.splat %x : f32 -> tensor<4xf32, #all>
  // expected-error@+1 {{values before parts are 'tensor<2xf32, #tile.register_layout<lane*32 warp[2]>>', not 'tensor<4xf32}}
  %c = tile.carry %a before %t axis 0 : (tensor<64xf32, #line>, tensor<4xf32, #all>) -> tensor<64xf32, #line> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  tile.return
}

