// Promises mean nothing: no operation folds because of one, and none rounds less often.

// RUN: tile-run %s --device=sim --kernel=no_nan --args n=1000 --check --specials
// RUN: tile-run %s --device=sim --kernel=rounds_twice --args n=1000 --check --specials

tile.kernel @no_nan(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "Y[n]"]
    grid ["ceildiv(n, 128)"]
    reference ["Y[i] = X[i] * 0"] {
  %c128 = arith.constant 128 : index
  %p = tile.program_id 0
  %i = arith.muli %p, %c128 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%i] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %r = arith.mulf %t, %zero fastmath<nnan,nsz> : tensor<128xf32>
  tile.store_view %r, %y[%i] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}

tile.kernel @rounds_twice(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "Y[n]"]
    grid ["ceildiv(n, 128)"]
    reference ["Y[i] = f32(f16(X[i]))"] {
  %c128 = arith.constant 128 : index
  %p = tile.program_id 0
  %i = arith.muli %p, %c128 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%i] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %h = arith.truncf %t fastmath<contract> : tensor<128xf32> to tensor<128xf16>
  %r = arith.extf %h fastmath<contract> : tensor<128xf16> to tensor<128xf32>
  tile.store_view %r, %y[%i] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}
