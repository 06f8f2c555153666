// What cannot be given layouts.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file --verify-diagnostics %s

// Either all tiles have a layout or none.
tile.kernel @mixed(%x: f32) {
  // expected-note@+1 {{this one has}}
  %t = tile.splat %x : f32 -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
  // expected-error@+1 {{has no register layout, while other tiles of the kernel have one: either all are written or none}}
  %u = tile.splat %x : f32 -> tensor<32xf32>
  tile.return
}

// -----
tile.kernel @foreign(%x: f32) {
  // expected-error@+1 {{has a tile whose encoding is no #tile.register_layout: "rows"}}
  %t = tile.splat %x : f32 -> tensor<32xf32, "rows">
  tile.return
}

// -----
tile.kernel @not_a_tile() {
  // expected-error@+1 {{has 'tensor<3xf32>', which is no tile: a tile has 1 to 1048576 elements in one or more dimensions, whose extents are powers of two}}
  %t = arith.constant dense<0.0> : tensor<3xf32>
  tile.return
}

// -----
tile.kernel @complex() {
  // expected-error@+1 {{has 'tensor<4xcomplex<f32>>', which is no tile}}
  %t = arith.constant dense<(0.0, 1.0)> : tensor<4xcomplex<f32>>
  tile.return
}

// -----
tile.kernel @scalar_tensor() {
  // expected-error@+1 {{has 'tensor<i32>', which is no tile}}
  %t = arith.constant dense<1> : tensor<i32>
  tile.return
}

// -----
tile.kernel @table() {
  // expected-error@+1 {{a constant tile holds one value everywhere; load a table from memory instead}}
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  tile.return
}

// -----
tile.kernel @resource() {
  // expected-error@+1 {{a constant tile holds one value everywhere; load a table from memory instead}}
  %t = arith.constant dense_resource<table> : tensor<4xi32>
  tile.return
}

// -----
tile.kernel @too_large(%x: f32) attributes {num_warps = 1 : i32} {
  // expected-error@+1 {{lets a thread hold 8192 elements of 'tensor<512x512xf32>', more than 4096: use smaller tiles or more warps}}
  %t = tile.splat %x : f32 -> tensor<512x512xf32>
  tile.return
}

// -----
tile.kernel @two_results() {
  %t = arith.constant dense<1> : tensor<32xi32>
  // expected-error@+1 {{'arith.addui_extended' op is not part of the language}}
  %sum, %carry = arith.addui_extended %t, %t : tensor<32xi32>, tensor<32xi1>
  tile.return
}

// -----
tile.kernel @switch(%i: index) {
  %t = arith.constant dense<1> : tensor<32xi32>
  // expected-error@+1 {{'scf.index_switch' op is not part of the language}}
  %r = scf.index_switch %i -> tensor<32xi32>
  default {
    scf.yield %t : tensor<32xi32>
  }
  tile.return
}

// -----

module attributes {tile.target = "sm_80"} {
  tile.kernel @absent(%x: f16, %y: f32) {
    %a = tile.splat %x : f16 -> tensor<64x64xf16>
    %c = tile.splat %y : f32 -> tensor<64x64xf32>
    // expected-error@+1 {{is to be made by wgmma, which sm_80 does not have}}
    %d = tile.dot %a, %a, %c by wgmma : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.return
  }
}

// -----

module attributes {tile.target = "sm_90a"} {
  tile.kernel @few_warps(%x: f16, %y: f32) attributes {num_warps = 2 : i32} {
    %a = tile.splat %x : f16 -> tensor<64x64xf16>
    %c = tile.splat %y : f32 -> tensor<64x64xf32>
    // expected-error@+1 {{cannot be made by wgmma: wgmma takes 4 warps, and the kernel has 2}}
    %d = tile.dot %a, %a, %c by wgmma : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.return
  }
}
