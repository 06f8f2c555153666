// One broken op for each constraint of products.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.dot, C1: ranks.
tile.kernel @k(%a: f16, %b: f16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<2x2x16x16xf16>
  %tb = tile.splat %b : f16 -> tensor<2x2x16x16xf16>
  %tc = tile.splat %c : f32 -> tensor<2x2x16x16xf32>
  // expected-error@+1 {{multiplies tiles of two dimensions, or of three}}
  %d = tile.dot %ta, %tb, %tc : tensor<2x2x16x16xf16>, tensor<2x2x16x16xf16>, tensor<2x2x16x16xf32>
  tile.return
}

// -----

// C1: how many products there are.
tile.kernel @k(%a: f16, %b: f16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<2x16x16xf16>
  %tb = tile.splat %b : f16 -> tensor<4x16x16xf16>
  %tc = tile.splat %c : f32 -> tensor<2x16x16xf32>
  // expected-error@+1 {{the first of three extents is the number of products, the same for all: not 2, 4 and 2}}
  %d = tile.dot %ta, %tb, %tc : tensor<2x16x16xf16>, tensor<4x16x16xf16>, tensor<2x16x16xf32>
  tile.return
}

// -----

// C4: which product it is stands behind all other registers.
#mixed = #tile.register_layout<register[1,1,2] register[2,1,1] lane[1,8,4] register[1,2,1] register[1,1,2]>
tile.kernel @k(%a: f16, %b: f16, %c: f32) attributes {num_warps = 1 : i32} {
  %ta = tile.splat %a : f16 -> tensor<2x16x16xf16>
  %tb = tile.splat %b : f16 -> tensor<2x16x16xf16>
  %tc = tile.splat %c : f32 -> tensor<2x16x16xf32, #mixed>
  // expected-error@+1 {{the accumulator of a placed program has an mma.sync accumulator layout}}
  %d = tile.dot %ta, %tb, %tc : tensor<2x16x16xf16>, tensor<2x16x16xf16>, tensor<2x16x16xf32, #mixed>
  tile.return
}

// -----

// C1: the inner extents.
tile.kernel @k(%a: f16, %b: f16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<32x16xf16>
  %tb = tile.splat %b : f16 -> tensor<32x64xf16>
  %tc = tile.splat %c : f32 -> tensor<32x64xf32>
  // expected-error@+1 {{the inner extents differ: a has 16 columns, b has 32 rows}}
  %d = tile.dot %ta, %tb, %tc : tensor<32x16xf16>, tensor<32x64xf16>, tensor<32x64xf32>
  tile.return
}

// -----

// C1: the rows of the accumulator.
tile.kernel @k(%a: f16, %b: f16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<32x16xf16>
  %tb = tile.splat %b : f16 -> tensor<16x64xf16>
  %tc = tile.splat %c : f32 -> tensor<16x64xf32>
  // expected-error@+1 {{a product of 32x16 and 16x64 needs an accumulator of 32x64}}
  %d = tile.dot %ta, %tb, %tc : tensor<32x16xf16>, tensor<16x64xf16>, tensor<16x64xf32>
  tile.return
}

// -----

// C1: its columns.
tile.kernel @k(%a: f16, %b: f16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<32x16xf16>
  %tb = tile.splat %b : f16 -> tensor<16x64xf16>
  %tc = tile.splat %c : f32 -> tensor<32x32xf32>
  // expected-error@+1 {{a product of 32x16 and 16x64 needs an accumulator of 32x64}}
  %d = tile.dot %ta, %tb, %tc : tensor<32x16xf16>, tensor<16x64xf16>, tensor<32x32xf32>
  tile.return
}

// -----

// C2: M.
tile.kernel @k(%a: f16, %b: f16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<8x16xf16>
  %tb = tile.splat %b : f16 -> tensor<16x16xf16>
  %tc = tile.splat %c : f32 -> tensor<8x16xf32>
  // expected-error@+1 {{a product is at least 16x8x16 (M x N x K), not}}
  %d = tile.dot %ta, %tb, %tc : tensor<8x16xf16>, tensor<16x16xf16>, tensor<8x16xf32>
  tile.return
}

// -----

// C2: N.
tile.kernel @k(%a: bf16, %b: bf16, %c: f32) {
  %ta = tile.splat %a : bf16 -> tensor<16x16xbf16>
  %tb = tile.splat %b : bf16 -> tensor<16x4xbf16>
  %tc = tile.splat %c : f32 -> tensor<16x4xf32>
  // expected-error@+1 {{a product is at least 16x8x16 (M x N x K), not}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xbf16>, tensor<16x4xbf16>, tensor<16x4xf32>
  tile.return
}

// -----

// C2: K.
tile.kernel @k(%a: f32, %b: f32, %c: f32) {
  %ta = tile.splat %a : f32 -> tensor<16x8xf32>
  %tb = tile.splat %b : f32 -> tensor<8x16xf32>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{a product is at least 16x8x16 (M x N x K), not}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// C2: K of 8-bit elements.
tile.kernel @k(%a: i8, %b: i8, %c: i32) {
  %ta = tile.splat %a : i8 -> tensor<16x8xi8>
  %tb = tile.splat %b : i8 -> tensor<8x32xi8>
  %tc = tile.splat %c : i32 -> tensor<16x32xi32>
  // expected-error@+1 {{a product is at least 16x8x16 (M x N x K), not 16x32x8}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x8xi8>, tensor<8x32xi8>, tensor<16x32xi32>
  tile.return
}

// -----

// C3: 'tf32' of other types.
tile.kernel @k(%a: f64) {
  %t = tile.splat %a : f64 -> tensor<16x16xf64>
  // expected-error@+1 {{'tf32' is a way to multiply f32, not 'f64'}}
  %d = tile.dot %t, %t, %t tf32 : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  tile.return
}

// -----

// C3: two types.
tile.kernel @k(%a: f16, %b: bf16, %c: f32) {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16>
  %tb = tile.splat %b : bf16 -> tensor<16x16xbf16>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{there is no product of 'f16' and 'bf16' into 'f32': operands are both f16, bf16 or f32 with f32, each f8E4M3FN or f8E5M2 with f32, both f64 with f64, or i8 with i32}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

// C3: the accumulator.
tile.kernel @k(%a: f16, %b: f16, %c: f16) {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16>
  %tb = tile.splat %b : f16 -> tensor<16x16xf16>
  %tc = tile.splat %c : f16 -> tensor<16x16xf16>
  // expected-error@+1 {{there is no product of 'f16' and 'f16' into 'f16'}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>
  tile.return
}

// -----

// C3: an integer accumulator of floats.
tile.kernel @k(%a: f16, %b: f16, %c: i32) {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16>
  %tb = tile.splat %b : f16 -> tensor<16x16xf16>
  %tc = tile.splat %c : i32 -> tensor<16x16xi32>
  // expected-error@+1 {{there is no product of 'f16' and 'f16' into 'i32'}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xi32>
  tile.return
}

// -----

// C3: a float accumulator of integers.
tile.kernel @k(%a: i8, %b: i8, %c: f32) {
  %ta = tile.splat %a : i8 -> tensor<16x32xi8>
  %tb = tile.splat %b : i8 -> tensor<32x16xi8>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{there is no product of 'i8' and 'i8' into 'f32'}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xf32>
  tile.return
}

// -----

// C3: other types.
tile.kernel @k(%a: f64, %b: f64, %c: f32) {
  %ta = tile.splat %a : f64 -> tensor<16x16xf64>
  %tb = tile.splat %b : f64 -> tensor<16x16xf64>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{there is no product of 'f64' and 'f64' into 'f32'}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf32>
  tile.return
}

// -----

// C3: other integers.
tile.kernel @k(%a: i32, %b: i32, %c: i32) {
  %ta = tile.splat %a : i32 -> tensor<16x16xi32>
  %tb = tile.splat %b : i32 -> tensor<16x16xi32>
  %tc = tile.splat %c : i32 -> tensor<16x16xi32>
  // expected-error@+1 {{there is no product of 'i32' and 'i32' into 'i32'}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xi32>, tensor<16x16xi32>, tensor<16x16xi32>
  tile.return
}

// -----

// C4: an accumulator in another layout.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%a: f16, %c: f32) attributes {num_warps = 1 : i32} {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16, #acc>
  %tb = tile.splat %a : f16 -> tensor<16x16xf16, #b>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32, #rows>
  // expected-error@+1 {{the accumulator of a placed program has an mma.sync accumulator layout}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16, #acc>, tensor<16x16xf16, #b>, tensor<16x16xf32, #rows>
  tile.return
}

// -----

// C4: that of mma.sync for a product by FMA would do; the operands' would not.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
tile.kernel @k(%a: f32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %a : f32 -> tensor<16x16xf32, #acc>
  // expected-error@+1 {{operand 0 of this accumulator has the layout #tile.register_layout<lane*4 lane[8,1] register[2,1] register[1,16]>}}
  %d = tile.dot %t, %t, %t : tensor<16x16xf32, #acc>, tensor<16x16xf32, #acc>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

// C4: a product by FMA whose lanes move along both dimensions.
#diagonal = #tile.register_layout<16x16, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
tile.kernel @k(%a: f32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %a : f32 -> tensor<16x16xf32, #diagonal>
  // expected-error@+1 {{the accumulator of a placed program has an FMA accumulator layout}}
  %d = tile.dot %t, %t, %t : tensor<16x16xf32, #diagonal>, tensor<16x16xf32, #diagonal>, tensor<16x16xf32, #diagonal>
  tile.return
}

// -----

// C4: an accumulator without one.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
tile.kernel @k(%a: f16, %c: f32) attributes {num_warps = 1 : i32} {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16, #acc>
  %tb = tile.splat %a : f16 -> tensor<16x16xf16, #b>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{the accumulator of a placed program has an mma.sync accumulator layout}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16, #acc>, tensor<16x16xf16, #b>, tensor<16x16xf32>
  tile.return
}

// -----

// C4: the first operand.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%a: f16, %c: f32) attributes {num_warps = 1 : i32} {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16, #rows>
  %tb = tile.splat %a : f16 -> tensor<16x16xf16, #b>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32, #acc>
  // expected-error@+1 {{operand 0 of this accumulator has the layout #tile.register_layout<}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16, #rows>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

// C4: the second operand.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%a: f16, %c: f32) attributes {num_warps = 1 : i32} {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16, #acc>
  %tb = tile.splat %a : f16 -> tensor<16x16xf16, #rows>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32, #acc>
  // expected-error@+1 {{operand 1 of this accumulator has the layout #tile.register_layout<}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16, #acc>, tensor<16x16xf16, #rows>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

// C4: the layout of the first operand would have more registers than there are.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[1,2]>
#rows = #tile.register_layout<register[1,4096] lane[16,2] warp[1,2]>
tile.kernel @k(%a: f16, %c: f32) attributes {num_warps = 2 : i32} {
  %ta = tile.splat %a : f16 -> tensor<16x16384xf16, #rows>
  %tb = tile.splat %a : f16 -> tensor<16384x16xf16>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32, #acc>
  // expected-error@+1 {{'tile.dot' op lets a thread hold 8192 elements of operand 0, more than 4096: use tiles with a smaller K}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16384xf16, #rows>, tensor<16384x16xf16>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

// C4: an operand without one.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
tile.kernel @k(%a: f16, %c: f32) attributes {num_warps = 1 : i32} {
  %ta = tile.splat %a : f16 -> tensor<16x16xf16, #acc>
  %tb = tile.splat %a : f16 -> tensor<16x16xf16>
  %tc = tile.splat %c : f32 -> tensor<16x16xf32, #acc>
  // expected-error@+1 {{operand 1 of this accumulator has the layout #tile.register_layout<}}
  %d = tile.dot %ta, %tb, %tc : tensor<16x16xf16, #acc>, tensor<16x16xf16>, tensor<16x16xf32, #acc>
  tile.return
}
