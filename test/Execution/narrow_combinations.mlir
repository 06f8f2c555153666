// Reductions and scans of elements without a byte of their own, along axes of one element, and along the first of three.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --target=%{target}
// DEFINE: %{all} = %{run} --kernel=bits && %{run} --kernel=one && %{run} --kernel=line_of_one && %{run} --kernel=first_of_three && %{run} --kernel=cheap

// REDEFINE: %{target} = sm_80
// RUN: %{all}
// REDEFINE: %{target} = sm_86
// RUN: %{all}
// REDEFINE: %{target} = sm_89
// RUN: %{all}
// REDEFINE: %{target} = sm_90a
// RUN: %{all}
// REDEFINE: %{target} = sm_100a
// RUN: %{all}
// REDEFINE: %{target} = sm_120a
// RUN: %{all}

// Whether any, whether all, whether an odd number of those so far is above 0, in one warp and across several.
tile.kernel @bits(%X: !tile.ptr<i16>, %A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %C: !tile.ptr<i8>)
    shapes ["X[4, 512] in -100 .. 300", "A[4]", "B[4]", "C[4, 512]"]
    grid ["1"]
    reference ["A[i] = max(j, X[i, j] > 298)", "B[i] = min(j, X[i, j] > -99)", "C[i, j] = sum(k, select(k <= j, X[i, k] > 0, 0)) % 2"] {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [4, 512], strides [512, 1] : !tile.ptr<i16> -> !tile.view<4x512xi16, [512, 1]>
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<i8> -> !tile.view<4xi8, [1]>
  %b = tile.view %B, shape [4], strides [1] : !tile.ptr<i8> -> !tile.view<4xi8, [1]>
  %c = tile.view %C, shape [4, 512], strides [512, 1] : !tile.ptr<i8> -> !tile.view<4x512xi8, [512, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<4x512xi16, [512, 1]> -> tensor<4x512xi16>
  %high = arith.constant dense<298> : tensor<4x512xi16>
  %low = arith.constant dense<-99> : tensor<4x512xi16>
  %zero = arith.constant dense<0> : tensor<4x512xi16>
  %is_high = arith.cmpi sgt, %t, %high : tensor<4x512xi16>
  %is_low = arith.cmpi sgt, %t, %low : tensor<4x512xi16>
  %is_positive = arith.cmpi sgt, %t, %zero : tensor<4x512xi16>
  %any = tile.reduce %is_high axis 1 : tensor<4x512xi1> -> tensor<4xi1> {
  ^bb0(%p: i1, %q: i1):
    %o = arith.ori %p, %q : i1
    tile.yield %o : i1
  }
  %every = tile.reduce %is_low axis 1 : tensor<4x512xi1> -> tensor<4xi1> {
  ^bb0(%p: i1, %q: i1):
    %o = arith.andi %p, %q : i1
    tile.yield %o : i1
  }
  %odd = tile.scan %is_positive axis 1 : tensor<4x512xi1> -> tensor<4x512xi1> {
  ^bb0(%p: i1, %q: i1):
    %o = arith.xori %p, %q : i1
    tile.yield %o : i1
  }
  %any8 = arith.extui %any : tensor<4xi1> to tensor<4xi8>
  %every8 = arith.extui %every : tensor<4xi1> to tensor<4xi8>
  %odd8 = arith.extui %odd : tensor<4x512xi1> to tensor<4x512xi8>
  tile.store_view %any8, %a[%c0] : tensor<4xi8>, !tile.view<4xi8, [1]>
  tile.store_view %every8, %b[%c0] : tensor<4xi8>, !tile.view<4xi8, [1]>
  tile.store_view %odd8, %c[%c0, %c0] : tensor<4x512xi8>, !tile.view<4x512xi8, [512, 1]>
  tile.return
}

// What is alone is its own sum.
tile.kernel @one(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %Z: !tile.ptr<i8>)
    shapes ["X[64]", "Y[64]", "Z[64]"]
    grid ["1"]
    reference ["Y[i] = X[i]", "Z[i] = X[i]"] {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [64, 1], strides [1, 1] : !tile.ptr<i8> -> !tile.view<64x1xi8, [1, 1]>
  %y = tile.view %Y, shape [64], strides [1] : !tile.ptr<i8> -> !tile.view<64xi8, [1]>
  %z = tile.view %Z, shape [64, 1], strides [1, 1] : !tile.ptr<i8> -> !tile.view<64x1xi8, [1, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<64x1xi8, [1, 1]> -> tensor<64x1xi8>
  %r = tile.reduce %t axis 1 : tensor<64x1xi8> -> tensor<64xi8> {
  ^bb0(%p: i8, %q: i8):
    %o = arith.addi %p, %q : i8
    tile.yield %o : i8
  }
  %s = tile.scan %t axis 1 reverse : tensor<64x1xi8> -> tensor<64x1xi8> {
  ^bb0(%p: i8, %q: i8):
    %o = arith.addi %p, %q : i8
    tile.yield %o : i8
  }
  tile.store_view %r, %y[%c0] : tensor<64xi8>, !tile.view<64xi8, [1]>
  tile.store_view %s, %z[%c0, %c0] : tensor<64x1xi8>, !tile.view<64x1xi8, [1, 1]>
  tile.return
}

tile.kernel @line_of_one(%X: !tile.ptr<i16>, %Y: !tile.ptr<i16>)
    shapes ["X[1]", "Y[1]"]
    grid ["1"]
    reference ["Y[i] = X[i]"] {
  %ps = tile.splat %X : !tile.ptr<i16> -> tensor<1x!tile.ptr<i16>>
  %t = tile.load %ps : tensor<1x!tile.ptr<i16>>
  %s = tile.scan %t axis 0 : tensor<1xi16> -> tensor<1xi16> {
  ^bb0(%p: i16, %q: i16):
    %o = arith.addi %p, %q : i16
    tile.yield %o : i16
  }
  %r = tile.reduce %s axis 0 : tensor<1xi16> -> i16 {
  ^bb0(%p: i16, %q: i16):
    %o = arith.addi %p, %q : i16
    tile.yield %o : i16
  }
  tile.store %Y, %r : !tile.ptr<i16>
  tile.return
}

tile.kernel @first_of_three(%X: !tile.ptr<i16>, %Y: !tile.ptr<i16>, %Z: !tile.ptr<i16>)
    shapes ["X[16, 8, 32]", "Y[8, 32]", "Z[16, 8, 32]"]
    grid ["1"]
    reference ["Y[j, k] = sum(i, X[i, j, k])", "Z[i, j, k] = sum(r, select(r >= i, X[r, j, k], 0))"] {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [16, 8, 32], strides [256, 32, 1] : !tile.ptr<i16> -> !tile.view<16x8x32xi16, [256, 32, 1]>
  %y = tile.view %Y, shape [8, 32], strides [32, 1] : !tile.ptr<i16> -> !tile.view<8x32xi16, [32, 1]>
  %z = tile.view %Z, shape [16, 8, 32], strides [256, 32, 1] : !tile.ptr<i16> -> !tile.view<16x8x32xi16, [256, 32, 1]>
  %t = tile.load_view %x[%c0, %c0, %c0] : !tile.view<16x8x32xi16, [256, 32, 1]> -> tensor<16x8x32xi16>
  %r = tile.reduce %t axis 0 : tensor<16x8x32xi16> -> tensor<8x32xi16> {
  ^bb0(%p: i16, %q: i16):
    %o = arith.addi %p, %q : i16
    tile.yield %o : i16
  }
  %s = tile.scan %t axis 0 reverse : tensor<16x8x32xi16> -> tensor<16x8x32xi16> {
  ^bb0(%p: i16, %q: i16):
    %o = arith.addi %p, %q : i16
    tile.yield %o : i16
  }
  tile.store_view %r, %y[%c0, %c0] : tensor<8x32xi16>, !tile.view<8x32xi16, [32, 1]>
  tile.store_view %s, %z[%c0, %c0, %c0] : tensor<16x8x32xi16>, !tile.view<16x8x32xi16, [256, 32, 1]>
  tile.return
}

// Of what no thread has yet.
tile.kernel @cheap(%Y: !tile.ptr<i32>, %Z: !tile.ptr<i32>)
    shapes ["Y[256]", "Z[8, 64]"]
    grid ["1"]
    reference ["Y[i] = i * (i + 1) / 2", "Z[i, j] = (i + 1) * j"] {
  %c0 = arith.constant 0 : index
  %y = tile.view %Y, shape [256], strides [1] : !tile.ptr<i32> -> !tile.view<256xi32, [1]>
  %z = tile.view %Z, shape [8, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<8x64xi32, [64, 1]>
  %i = tile.iota 0 : tensor<256xi32>
  %s = tile.scan %i axis 0 : tensor<256xi32> -> tensor<256xi32> {
  ^bb0(%p: i32, %q: i32):
    %o = arith.addi %p, %q : i32
    tile.yield %o : i32
  }
  tile.store_view %s, %y[%c0] : tensor<256xi32>, !tile.view<256xi32, [1]>
  %line = tile.iota 0 : tensor<64xi32>
  %row = tile.expand_dims %line {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<8x64xi32>
  %t = tile.scan %rows axis 0 : tensor<8x64xi32> -> tensor<8x64xi32> {
  ^bb0(%p: i32, %q: i32):
    %o = arith.addi %p, %q : i32
    tile.yield %o : i32
  }
  tile.store_view %t, %z[%c0, %c0] : tensor<8x64xi32>, !tile.view<8x64xi32, [64, 1]>
  tile.return
}
