// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @no_parts() {
  // expected-error@+1 {{is of kernels whose products are divided, which have 'tile.product_parts'}}
  %part = tile.part_id
  tile.return
}

// -----

tile.kernel @no_parts() {
  // expected-error@+1 {{is of kernels whose products are divided, which have 'tile.product_parts'}}
  tile.part_barrier
  tile.return
}

// -----

// expected-error@+1 {{'tile.product_parts' is a number from 2 to 16, on a kernel}}
tile.kernel @one() attributes {tile.product_parts = 1 : i32} {
  tile.return
}

// -----

// expected-error@+1 {{'tile.product_parts' is a number from 2 to 16, on a kernel}}
tile.kernel @too_many() attributes {tile.product_parts = 17 : i32} {
  tile.return
}

// -----

// expected-error@+1 {{is of a kernel whose programs several blocks run, one each}}
tile.kernel @stays() attributes {persistent, tile.product_parts = 2 : i32} {
  tile.return
}

// -----

tile.kernel @shapes() attributes {tile.product_parts = 2 : i32} {
  %c1 = arith.constant 1 : index
  %s = tile.alloc_shared : !tile.shared<512xf32>
  // expected-error@+1 {{tile and shared tile have one shape and one element type}}
  %t = tile.load_part %s of %c1 : !tile.shared<512xf32> -> tensor<256xf32>
  tile.return
}

// -----

tile.kernel @registers() attributes {tile.product_parts = 2 : i32} {
  %t = arith.constant dense<0.0> : tensor<512xf32, #tile.register_layout<register[4] lane[32] warp[4]>>
  // expected-error@+1 {{source and result have register layouts of as many registers and warps}}
  %r = tile.rename_registers %t : tensor<512xf32, #tile.register_layout<register[4] lane[32] warp[4]>> -> tensor<256xf32, #tile.register_layout<register[2] lane[32] warp[4]>>
  tile.return
}

// -----

tile.kernel @types() attributes {tile.product_parts = 2 : i32} {
  %t = arith.constant dense<0.0> : tensor<512xf32, #tile.register_layout<register[4] lane[32] warp[4]>>
  // expected-error@+1 {{source and result have one element type}}
  %r = tile.rename_registers %t : tensor<512xf32, #tile.register_layout<register[4] lane[32] warp[4]>> -> tensor<512xi32, #tile.register_layout<register[4] lane[32] warp[4]>>
  tile.return
}

// -----

tile.kernel @add_no_parts() {
  %s = tile.alloc_shared : !tile.shared<512xf32>
  // expected-error@+1 {{is of kernels whose products are divided, which have 'tile.product_parts'}}
  tile.add_parts %s by 4 : !tile.shared<512xf32>
  tile.return
}

// -----

tile.kernel @add_rows() attributes {tile.product_parts = 2 : i32} {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  // expected-error@+1 {{tile has one dimension, of f32, f64 or i32, and a multiple of 16 bytes}}
  tile.add_parts %s by 4 : !tile.shared<16x32xf32>
  tile.return
}

// -----

tile.kernel @add_halves() attributes {tile.product_parts = 2 : i32} {
  %s = tile.alloc_shared : !tile.shared<512xf16>
  // expected-error@+1 {{tile has one dimension, of f32, f64 or i32, and a multiple of 16 bytes}}
  tile.add_parts %s by 4 : !tile.shared<512xf16>
  tile.return
}
