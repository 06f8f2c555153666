// Promises that say nothing, or what cannot be.

// RUN: tile-opt %s --split-input-file --verify-diagnostics

tile.kernel @nothing(%n: i32) {
  // expected-error @+1 {{promises nothing: it has divisibility, contiguity or constancy}}
  %s = tile.assume %n : i32
  tile.return
}

// -----

tile.kernel @rank(%n: i32) {
  // expected-error @+1 {{divisibility has a number for each dimension, 1, not 2}}
  %s = tile.assume %n divisibility [16, 1] : i32
  tile.return
}

// -----

tile.kernel @no_power() {
  %i = tile.iota 0 : tensor<64xi32>
  // expected-error @+1 {{divisibility is a power of two from 1 to 2^30, not 12}}
  %s = tile.assume %i divisibility [12] : tensor<64xi32>
  tile.return
}

// -----

tile.kernel @too_long() {
  %i = tile.iota 0 : tensor<64xi32>
  // expected-error @+1 {{contiguity of 128 is more than the 64 elements of dimension 0}}
  %s = tile.assume %i contiguity [128] : tensor<64xi32>
  tile.return
}

// -----

tile.kernel @both() {
  %i = tile.iota 0 : tensor<64xi32>
  // expected-error @+1 {{dimension 0 cannot be of consecutive numbers and of equal ones}}
  %s = tile.assume %i contiguity [4] constancy [4] : tensor<64xi32>
  tile.return
}

// -----

tile.kernel @floats(%x: f32) {
  // expected-error @+1 {{operand #0 must be}}
  %s = tile.assume %x divisibility [4] : f32
  tile.return
}
