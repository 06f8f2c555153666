// RUN: tile-opt %s --split-input-file --verify-diagnostics

tile.kernel @axis(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8xf32>
  // expected-error@+1 {{axis 1 is outside of tiles of rank 1}}
  %r = tile.reduce %x axis 1 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @nothing() {
  // expected-error@+1 {{has nothing to reduce}}
  "tile.reduce"() <{axis = 0 : i32}> ({
    tile.yield
  }) : () -> ()
  tile.return
}

// -----

tile.kernel @results(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8xf32>
  // expected-error@+1 {{has one result for each tile, not 2 for 1}}
  %r, %s = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> (f32, f32)
  tile.return
}

// -----

tile.kernel @shapes(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8xf32>
  %y = tile.splat %t : f32 -> tensor<16xf32>
  // expected-error@+1 {{tiles that are reduced together have one shape and one layout}}
  %r, %s = tile.reduce %x, %y axis 0 : tensor<8xf32>, tensor<16xf32> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  tile.return
}

// -----

tile.kernel @result(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8x16xf32>
  // expected-error@+1 {{the result of 'tensor<8x16xf32>' is 'tensor<8xf32>', not 'tensor<16xf32>'}}
  %r = tile.reduce %x axis 1 : tensor<8x16xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @pointers(%p: !tile.ptr<f32>) {
  %x = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // expected-error@+1 {{does not reduce pointers: reduce what is added to them}}
  %r = tile.reduce %x axis 0 : tensor<8x!tile.ptr<f32>> -> !tile.ptr<f32> {
  ^bb0(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>):
    tile.yield %a : !tile.ptr<f32>
  }
  tile.return
}

// -----

tile.kernel @region_arguments(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8xf32>
  // expected-error@+1 {{the region takes an element of each tile, then another of each: 'f32', 'f32'}}
  %r = tile.reduce %x axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @region_yields(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8xf32>
  // expected-error@+1 {{the region yields an element of each tile: 'f32'}}
  %r = tile.reduce %x axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  tile.return
}

// -----

tile.kernel @region_ops(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8xf32>
  %r = tile.reduce %x axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{is not arithmetic on scalars, of which the region of a reduction is made}}
    %s = tile.splat %a : f32 -> tensor<8xf32>
    tile.yield %a : f32
  }
  tile.return
}

// -----

#skewed = #tile.register_layout<2x2, register = [[0, 1]], lane = [[1, 1], [0, 0], [0, 0], [0, 0], [0, 0]]>
tile.kernel @skewed(%t: f32) attributes {num_warps = 1 : i32} {
  %x = tile.splat %t : f32 -> tensor<2x2xf32, #skewed>
  // expected-error@+1 {{some bits of the layout move along the axis and across it, or repeat elements along it}}
  %r = tile.reduce %x axis 1 : tensor<2x2xf32, #skewed> -> tensor<2xf32, #tile.register_layout<lane[2] lane*16>> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @per_warp(%t: f32) {
  %x = tile.splat %t : f32 -> tensor<8x16xf32>
  // expected-error@+1 {{per_warp needs a layout, which says what a warp has}}
  %r = tile.reduce %x axis 1 per_warp : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @region_program(%n: index) {
  %x = tile.splat %n : index -> tensor<8xindex>
  %r = tile.reduce %x axis 0 : tensor<8xindex> -> index {
  ^bb0(%a: index, %b: index):
    // expected-error@+1 {{'tile.program_id' op is not arithmetic on scalars, of which the region of a reduction is made}}
    %p = tile.program_id 0
    %s = arith.addi %a, %p : index
    tile.yield %s : index
  }
  tile.return
}
