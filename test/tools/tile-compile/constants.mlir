// Infinities and NaN reach the code, also where nothing is folded.

// RUN: tile-compile %s --emit=nvvm | FileCheck %s
// RUN: tile-compile %s --emit=nvvm --optimize=false | FileCheck %s
// RUN: tile-run %s --device=sim --args "n=200" --check | FileCheck %s --check-prefix=SIM
// CHECK: 0xFF800000 : f32
// SIM: Y: correct

tile.kernel @constants(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "Y[n]"]
    grid ["ceildiv(n, 128)"]
    reference ["Y[i] = X[i]"] {
  %c128 = tile.constant 128 : index
  %program = tile.program_id 0
  %i = arith.muli %program, %c128 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %lowest = tile.constant -inf : f32
  %none = tile.constant nan : tensor<128xf32>
  %t = tile.load_view %x[%i] else %lowest : f32 : !tile.view<?xf32, [1]> -> tensor<128xf32>
  // NaN loses.
  %r = arith.maxnumf %t, %none : tensor<128xf32>
  tile.store_view %r, %y[%i] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}
