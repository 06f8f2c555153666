// What cannot be said of sums of fewer bits: constraint C5 of tile.dot, C8 and C9 of tile.warpgroup_dot.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C5: 'imprecise' of other types.
tile.kernel @k(%a: f64) {
  %t = tile.splat %a : f64 -> tensor<16x16xf64>
  // expected-error@+1 {{'imprecise' is a way to add products of 8-bit floats, not of 'f64'}}
  %d = tile.dot %t, %t, %t imprecise 32 : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  tile.return
}

// -----

// C5: a part of an instruction.
tile.kernel @k(%a: f8E5M2, %c: f32) {
  %t = tile.splat %a : f8E5M2 -> tensor<32x32xf8E5M2>
  %tc = tile.splat %c : f32 -> tensor<32x32xf32>
  // expected-error@+1 {{'imprecise' is a multiple of 32, the elements of one instruction, not 48}}
  %d = tile.dot %t, %t, %tc imprecise 48 : tensor<32x32xf8E5M2>, tensor<32x32xf8E5M2>, tensor<32x32xf32>
  tile.return
}

// -----

// C5: nothing at all.
tile.kernel @k(%a: f8E5M2, %c: f32) {
  %t = tile.splat %a : f8E5M2 -> tensor<32x32xf8E5M2>
  %tc = tile.splat %c : f32 -> tensor<32x32xf32>
  // expected-error@+1 {{attribute 'imprecise' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %d = tile.dot %t, %t, %tc imprecise 0 : tensor<32x32xf8E5M2>, tensor<32x32xf8E5M2>, tensor<32x32xf32>
  tile.return
}

// -----

// C9: 8-bit floats that are not imprecise.
tile.kernel @k(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<64x32xf8E5M2>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{of 'f8E5M2' says how many elements of K it adds up with fewer bits than f32 has (imprecise)}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf8E4M3FN>, !tile.shared<64x32xf8E5M2>, tensor<64x32xf32>
  tile.return
}

// -----

// C9: others that are.
tile.kernel @k(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{of 'f16' is not imprecise: that is for 8-bit floats}}
  %d = tile.warpgroup_dot %a, %b, %c {imprecise = 32 : i64} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C9: a part of an instruction.
tile.kernel @k(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<64x32xf8E4M3FN>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{is imprecise by a multiple of 32, not by 40}}
  %d = tile.warpgroup_dot %a, %b, %c {imprecise = 40 : i64} : !tile.shared<64x64xf8E4M3FN>, !tile.shared<64x32xf8E4M3FN>, tensor<64x32xf32>
  tile.return
}

// -----

// C9: added in f32 under way.
tile.kernel @k(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<64x32xf8E4M3FN>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{adds in f32 after each 32 of 64 elements of K: it cannot be under way (async)}}
  %d = tile.warpgroup_dot %a, %b, %c {async, imprecise = 32 : i64} : !tile.shared<64x64xf8E4M3FN>, !tile.shared<64x32xf8E4M3FN>, tensor<64x32xf32>
  %e = tile.dot_wait 0, %d : tensor<64x32xf32>
  tile.return
}

// -----

// C8: right operands of two types.
tile.kernel @k(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %e = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf8E5M2>
  %b = tile.alloc_shared : !tile.shared<64x32xf8E5M2>
  %o = tile.alloc_shared : !tile.shared<64x32xf8E4M3FN>
  %d = tile.warpgroup_dot %a, %b, %c {async, imprecise = 128 : i64} : !tile.shared<64x64xf8E5M2>, !tile.shared<64x32xf8E5M2>, tensor<64x32xf32>
  // expected-error @below {{is joined to the product directly in front of it, with the same a and a b of its type, transposed alike, both async}}
  %f = tile.warpgroup_dot %a, %o, %e {async, imprecise = 128 : i64, joined} : !tile.shared<64x64xf8E5M2>, !tile.shared<64x32xf8E4M3FN>, tensor<64x32xf32>
  tile.return
}
