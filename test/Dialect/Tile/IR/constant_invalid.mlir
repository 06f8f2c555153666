// Each constraint of tile.constant, at its place.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C1: the type.
tile.kernel @k() {
  // expected-error@+1 {{a constant is an integer, an index, a float or a tile of such, not '!tile.ptr<f32>'}}
  %a = tile.constant 0 : !tile.ptr<f32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{a constant is an integer, an index, a float or a tile of such, not 'tensor<3xf32>'}}
  %a = tile.constant 0 : tensor<3xf32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{a constant is an integer, an index, a float or a tile of such, not 'vector<4xf32>'}}
  %a = tile.constant 0 : vector<4xf32>
  tile.return
}

// -----
// C2: integers.
tile.kernel @k() {
  // expected-error@+1 {{256 does not fit 'i8'}}
  %a = tile.constant 256 : i8
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{-129 does not fit 'i8'}}
  %a = tile.constant -129 : tensor<4xi8>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{18446744073709551616 does not fit 'index'}}
  %a = tile.constant 18446744073709551616 : index
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{a constant of type 'i32' is an integer}}
  %a = tile.constant 1.5 : i32
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{a constant of type 'i32' is an integer}}
  %a = tile.constant nan : i32
  tile.return
}

// -----
// C3: too large.
tile.kernel @k() {
  // expected-error@+1 {{the number is too large for 'f16'; inf is infinity}}
  %a = tile.constant 65520 : f16
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{the number is too large for 'f32'; inf is infinity}}
  %a = tile.constant -1.0e99 : f32
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{the number is too large for 'f8E4M3FN'}}
  %a = tile.constant 1000 : f8E4M3FN
  tile.return
}

// -----
// Elsewhere they are the bits of a float.
tile.kernel @k() {
  // expected-error@+1 {{a constant of type 'f32' is written with decimal digits; arith.constant takes the bits of a float}}
  %a = tile.constant 0xFF800000 : tensor<4xf32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{a constant of type 'f16' is written with decimal digits}}
  %a = tile.constant -0x1 : f16
  tile.return
}

// -----
// C4: inf.
tile.kernel @k() {
  // expected-error@+1 {{'f8E4M3FN' has no inf}}
  %a = tile.constant inf : f8E4M3FN
  tile.return
}

// -----
// C5: one number.
tile.kernel @k() {
  // expected-error@+1 {{'tile.constant' op holds one number everywhere; load a table from memory instead}}
  %a = "tile.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  tile.return
}
