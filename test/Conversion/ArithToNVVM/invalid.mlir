// RUN: tile-opt --convert-arith-to-nvvm --split-input-file --verify-diagnostics %s

func.func @upward(%x: f32) -> f16 {
  // expected-error @below {{'arith.truncf' op rounds to the nearest, ties to even: there is no other rounding mode}}
  %y = arith.truncf %x upward : f32 to f16
  return %y : f16
}

// -----

func.func @small(%x: f8E4M3FNUZ) -> f32 {
  // expected-error @below {{'arith.extf' op converts 'f8E4M3FNUZ', which PTX does not; it does f8E4M3FN and f8E5M2}}
  %y = arith.extf %x : f8E4M3FNUZ to f32
  return %y : f32
}
