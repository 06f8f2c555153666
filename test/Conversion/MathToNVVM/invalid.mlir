// Functions that there is no code for are one error, at the op.

// RUN: tile-opt %s --convert-math-to-nvvm --split-input-file --verify-diagnostics

func.func @expm1_f64(%x: f64) -> f64 {
  // expected-error @below {{no GPU has math.expm1 of 'f64'; there are, of f32, f16 and bf16: acos asin}}
  %r = math.expm1 %x : f64
  return %r : f64
}

// -----

func.func @cbrt(%x: f32) -> f32 {
  // expected-error @below {{no GPU has math.cbrt of 'f32'}}
  %r = math.cbrt %x : f32
  return %r : f32
}

// -----

func.func @ipowi(%x: i32) -> i32 {
  // expected-error @below {{no GPU has math.ipowi of 'i32'}}
  %r = math.ipowi %x, %x : i32
  return %r : i32
}

// -----

func.func @remf(%x: f32) -> f32 {
  // expected-error @below {{no GPU has a remainder of floats; where x / y is small, compute x - y * math.trunc(x / y)}}
  %r = arith.remf %x, %x : f32
  return %r : f32
}

// -----

func.func @fp8(%x: f8E4M3FN) -> f8E4M3FN {
  // expected-error @below {{no GPU computes arith.addf of fp8: convert to a wider float}}
  %r = arith.addf %x, %x : f8E4M3FN
  return %r : f8E4M3FN
}

// -----

func.func @fp8_maximum(%x: f8E4M3FN) -> f8E4M3FN {
  // expected-error @below {{no GPU computes arith.maximumf of fp8: convert to a wider float}}
  %r = arith.maximumf %x, %x : f8E4M3FN
  return %r : f8E4M3FN
}

// -----

func.func @fp8_sign(%x: f8E5M2) -> f8E5M2 {
  // expected-error @below {{no GPU computes math.absf of fp8: convert to a wider float}}
  %r = math.absf %x : f8E5M2
  return %r : f8E5M2
}

// -----

func.func @fp8_function(%x: f8E4M3FN) -> f8E4M3FN {
  // expected-error @below {{no GPU computes math.exp of fp8: convert to a wider float}}
  %r = math.exp %x : f8E4M3FN
  return %r : f8E4M3FN
}

// -----

func.func @tile(%x: tensor<64xf32>) -> tensor<64xi1> {
  // expected-error @below {{no GPU has math.isinf of 'tensor<64xf32>'}}
  %r = math.isinf %x : tensor<64xf32>
  return %r : tensor<64xi1>
}
