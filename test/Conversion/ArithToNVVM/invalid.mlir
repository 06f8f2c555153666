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

// -----

func.func @tile(%x: tensor<64xi64>) -> tensor<64xf32> {
  // expected-error @below {{'arith.sitofp' op is of 'tensor<64xi64>', and not of a thread: convert-tile-to-nvvm makes it that}}
  %y = arith.sitofp %x : tensor<64xi64> to tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

func.func @vector(%x: vector<4xi32>) -> vector<4xi32> {
  // expected-error @below {{'arith.divsi' op is of 'vector<4xi32>', and not of a thread}}
  %y = arith.divsi %x, %x : vector<4xi32>
  return %y : vector<4xi32>
}
