// Reductions of several tiles at once, and what is done with the result.

// DEFINE: %{run} = tile-run %s --device=sim --check

// The largest element of a row and where it stands: what stands there is the
// largest. Rows end within the tile.
// RUN: %{run} --kernel=argmax --args "M=13 N=300"
// RUN: %{run} --kernel=argmax --args "M=1 N=1" --num-warps=1
// RUN: %{run} --kernel=argmax --args "M=9 N=511" --num-warps=16
tile.kernel @argmax(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[M]"]
    grid ["M"]
    reference ["Y[m] = max(n, X[m, n])"] {
  %c0 = arith.constant 0 : index
  %minus_infinity = tile.constant -inf : f32
  %m = tile.program_id 0
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %x[%m, %c0] else %minus_infinity : f32 : !tile.view<?x?xf32, [?, 1]> -> tensor<1x512xf32>
  %row = tile.reshape %t : tensor<1x512xf32> -> tensor<512xf32>
  %columns = tile.iota 0 : tensor<512xi32>
  %most, %where = tile.reduce %row, %columns axis 0 : tensor<512xf32>, tensor<512xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %c = arith.select %less, %b, %a : f32
    %ci = arith.select %less, %bi, %ai : i32
    tile.yield %c, %ci : f32, i32
  }
  %at = arith.index_cast %where : i32 to index
  %value = tile.load_view %x[%m, %at] : !tile.view<?x?xf32, [?, 1]> -> tensor<1x1xf32>
  %y = tile.view %Y, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %one = tile.reshape %value : tensor<1x1xf32> -> tensor<1xf32>
  tile.store_view %one, %y[%m] : tensor<1xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// Of equal numbers any place will do, but all threads have the same one.
// RUN: %{run} --kernel=ties --num-warps=1
// RUN: %{run} --kernel=ties
tile.kernel @ties(%X: !tile.ptr<f32>, %Y: !tile.ptr<i32>)
    shapes ["X[32, 256] in 0 .. 0", "Y[32]"]
    grid ["1"]
    reference ["Y[m] = 0"] {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [32, 256], strides [256, 1] : !tile.ptr<f32> -> !tile.view<32x256xf32, [256, 1]>
  %y = tile.view %Y, shape [32], strides [1] : !tile.ptr<i32> -> !tile.view<32xi32, [1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<32x256xf32, [256, 1]> -> tensor<32x256xf32>
  %iota = tile.iota 0 : tensor<256xi32>
  %line = tile.expand_dims %iota {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %columns = tile.broadcast %line : tensor<1x256xi32> -> tensor<32x256xi32>
  %most, %where = tile.reduce %t, %columns axis 1 : tensor<32x256xf32>, tensor<32x256xi32> -> tensor<32xf32>, tensor<32xi32> {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %c = arith.select %less, %b, %a : f32
    %ci = arith.select %less, %bi, %ai : i32
    tile.yield %c, %ci : f32, i32
  }
  %column = tile.expand_dims %where {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %places = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x256xi32>
  %high = tile.reduce %places axis 1 : tensor<32x256xi32> -> tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  %low = tile.reduce %places axis 1 : tensor<32x256xi32> -> tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.minsi %a, %b : i32
    tile.yield %c : i32
  }
  %apart = arith.subi %high, %low : tensor<32xi32>
  tile.store_view %apart, %y[%c0] : tensor<32xi32>, !tile.view<32xi32, [1]>
  tile.return
}

// Of several that are as large, the first: four numbers only.
// RUN: %{run} --kernel=first_of_largest --args "M=37 N=50"
// RUN: %{run} --kernel=first_of_largest --args "M=5 N=64" --num-warps=1 --target=sm_80
// RUN: %{run} --kernel=first_of_largest --args "M=16 N=1" --num-warps=8
tile.kernel @first_of_largest(%X: !tile.ptr<i8>, %I: !tile.ptr<i32>, %M: index, %N: index)
    shapes ["X[M, N] in 0 .. 3", "I[M]"]
    grid ["ceildiv(M, 16)"]
    reference ["I[i] = min(j, select(X[i, j] == max(k, X[i, k]), j, N))"] {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %least = tile.constant -1 : i8
  %p = tile.program_id 0
  %i = arith.muli %p, %c16 : index
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %out = tile.view %I, shape [%M], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %bytes = tile.load_view %x[%i, %c0] else %least : i8 : !tile.view<?x?xi8, [?, 1]> -> tensor<16x64xi8>
  %t = arith.sitofp %bytes : tensor<16x64xi8> to tensor<16x64xf32>
  %iota = tile.iota 0 : tensor<64xi32>
  %row = tile.expand_dims %iota {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %places = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
  %most, %place = tile.reduce %t, %places axis 1 : tensor<16x64xf32>, tensor<16x64xi32> -> tensor<16xf32>, tensor<16xi32> {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %equal = arith.cmpf oeq, %a, %b : f32
    %before = arith.cmpi slt, %ai, %bi : i32
    %tie = arith.andi %equal, %before : i1
    %first = arith.ori %larger, %tie : i1
    %c = arith.select %first, %a, %b : f32
    %ci = arith.select %first, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  tile.store_view %place, %out[%i] : tensor<16xi32>, !tile.view<?xi32, [1]>
  tile.return
}

// Back along the row: each element less the mean of its row, in a loop and in
// a branch.
// RUN: %{run} --kernel=centre --args "M=35 N=777"
// RUN: %{run} --kernel=centre --args "M=35 N=777" --num-warps=2
// RUN: %{run} --kernel=centre --args "M=1 N=1"
// RUN: %{run} --kernel=centre --args "M=16 N=256" --num-warps=32
tile.kernel @centre(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[M, N]"]
    grid ["ceildiv(M, 16)"]
    reference ["Y[m, n] = X[m, n] - sum(k, X[m, k]) / N"] {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zeros = arith.constant dense<0.0> : tensor<16xf32>
  %p = tile.program_id 0
  %m = arith.muli %p, %c16 : index
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sums = scf.for %n = %c0 to %N step %c256 iter_args(%sum = %zeros) -> (tensor<16xf32>) {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x256xf32>
    %r = tile.reduce %t axis 1 : tensor<16x256xf32> -> tensor<16xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %sum, %r : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  %length = arith.index_cast %N : index to i32
  %real = arith.sitofp %length : i32 to f32
  %lengths = tile.splat %real : f32 -> tensor<16xf32>
  %means = arith.divf %sums, %lengths : tensor<16xf32>
  %column = tile.expand_dims %means {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %mean = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x256xf32>
  scf.for %n = %c0 to %N step %c256 {
    %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x256xf32>
    %r = arith.subf %t, %mean : tensor<16x256xf32>
    tile.store_view %r, %y[%m, %n] : tensor<16x256xf32>, !tile.view<?x?xf32, [?, 1]>
  }
  tile.return
}

// What is cheap is reduced too, along both axes one after the other: the sum
// of i + j over a tile.
// RUN: %{run} --kernel=table --args "n=1"
// RUN: %{run} --kernel=table --args "n=1" --num-warps=8
tile.kernel @table(%Y: !tile.ptr<i32>, %n: index)
    shapes ["Y[n]"] grid ["n"]
    reference ["Y[i] = 31744"] {
  %i = tile.iota 0 : tensor<32xi32>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %r = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %c = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %t = arith.addi %r, %c : tensor<32x32xi32>
  %s = tile.reduce %t axis 0 : tensor<32x32xi32> -> tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    tile.yield %sum : i32
  }
  %total = tile.reduce %s axis 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    tile.yield %sum : i32
  }
  %c0 = arith.constant 0 : index
  %one = tile.splat %total : i32 -> tensor<1xi32>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  tile.store_view %one, %y[%c0] : tensor<1xi32>, !tile.view<?xi32, [1]>
  tile.return
}
