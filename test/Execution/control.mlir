// Loops and branches that carry tiles.

// DEFINE: %{run} = tile-run %s --device=sim --check --specials

// The sum over the first dimension, one slice a round, kept in registers.
// RUN: %{run} --kernel=accumulate --args "K=9 M=40 N=100"
// RUN: %{run} --kernel=accumulate --args "K=1 M=1 N=1" --num-warps=1
// RUN: %{run} --kernel=accumulate --args "K=0 M=40 N=5" --num-warps=16
tile.kernel @accumulate(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %K: index, %M: index, %N: index)
    shapes ["X[K, M, N]", "Y[N, M]"] grid ["ceildiv(M, 16)", "ceildiv(N, 32)"]
    reference ["Y[j, i] = sum(k, X[k, i, j])"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0> : tensor<16x32xi32>
  %pi = tile.program_id 0
  %pj = tile.program_id 1
  %i = arith.muli %pi, %c16 : index
  %j = arith.muli %pj, %c32 : index
  %mn = arith.muli %M, %N : index
  %y = tile.view %Y, shape [%N, %M], strides [%M, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%acc = %zero) -> (tensor<16x32xi32>) {
    %offset = arith.muli %k, %mn : index
    %slice = tile.addptr %X, %offset : !tile.ptr<i32>, index
    %x = tile.view %slice, shape [%M, %N], strides [%N, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
    %t = tile.load_view %x[%i, %j] : !tile.view<?x?xi32, [?, 1]> -> tensor<16x32xi32>
    %next = arith.addi %acc, %t : tensor<16x32xi32>
    scf.yield %next : tensor<16x32xi32>
  }
  %u = tile.trans %sum [1, 0] : tensor<16x32xi32> -> tensor<32x16xi32>
  tile.store_view %u, %y[%j, %i] : tensor<32x16xi32>, !tile.view<?x?xi32, [?, 1]>
  tile.return
}

// A tile that passes through shared memory in each round: the barriers around
// the loop keep a round's writes from the reads of the one before. After two
// transposes the tile is itself again.
// RUN: %{run} --kernel=roundtrips --args "n=10"
// RUN: %{run} --kernel=roundtrips --args "n=10" --shared-layout=none --num-warps=1
// RUN: %{run} --kernel=roundtrips --args "n=10" --shared-layout=pad:1 --num-warps=32
tile.kernel @roundtrips(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: index)
    shapes ["X[n, 32, 32]", "Y[n, 32, 32]"] grid ["n"]
    reference ["Y[p, i, j] = X[p, j, i]"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1024 = arith.constant 1024 : index
  %p = tile.program_id 0
  %offset = arith.muli %p, %c1024 : index
  %xp = tile.addptr %X, %offset : !tile.ptr<f16>, index
  %yp = tile.addptr %Y, %offset : !tile.ptr<f16>, index
  %x = tile.view %xp, shape [32, 32], strides [32, 1] : !tile.ptr<f16> -> !tile.view<32x32xf16, [32, 1]>
  %y = tile.view %yp, shape [32, 32], strides [32, 1] : !tile.ptr<f16> -> !tile.view<32x32xf16, [32, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<32x32xf16, [32, 1]> -> tensor<32x32xf16>
  %u = scf.for %k = %c0 to %c3 step %c1 iter_args(%v = %t) -> (tensor<32x32xf16>) {
    %w = tile.trans %v [1, 0] : tensor<32x32xf16> -> tensor<32x32xf16>
    scf.yield %w : tensor<32x32xf16>
  }
  tile.store_view %u, %y[%c0, %c0] : tensor<32x32xf16>, !tile.view<32x32xf16, [32, 1]>
  tile.return
}

// Even programs negate, odd ones transpose: both branches yield a tile.
// RUN: %{run} --kernel=branches --args "n=6"
// RUN: %{run} --kernel=branches --args "n=1" --num-warps=8
tile.kernel @branches(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index)
    shapes ["X[n, 16, 16]", "Y[n, 16, 16]"] grid ["n"]
    reference ["Y[p, i, j] = (p % 2) * X[p, j, i] - (1 - p % 2) * X[p, i, j]"] {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %p = tile.program_id 0
  %offset = arith.muli %p, %c256 : index
  %xp = tile.addptr %X, %offset : !tile.ptr<i32>, index
  %yp = tile.addptr %Y, %offset : !tile.ptr<i32>, index
  %x = tile.view %xp, shape [16, 16], strides [16, 1] : !tile.ptr<i32> -> !tile.view<16x16xi32, [16, 1]>
  %y = tile.view %yp, shape [16, 16], strides [16, 1] : !tile.ptr<i32> -> !tile.view<16x16xi32, [16, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<16x16xi32, [16, 1]> -> tensor<16x16xi32>
  %rest = arith.remui %p, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  %u = scf.if %even -> (tensor<16x16xi32>) {
    %minus = arith.subi %zero, %t : tensor<16x16xi32>
    scf.yield %minus : tensor<16x16xi32>
  } else {
    %tt = tile.trans %t [1, 0] : tensor<16x16xi32> -> tensor<16x16xi32>
    scf.yield %tt : tensor<16x16xi32>
  }
  tile.store_view %u, %y[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32, [16, 1]>
  tile.return
}

// Both regions of a loop transpose what goes around; what comes out was transposed once more than what went in. Every
// fifth program leaves at once.
// RUN: %{run} --kernel=while --args "n=11"
// RUN: %{run} --kernel=while --args "n=6" --num-warps=1 --shared-layout=none
// RUN: %{run} --kernel=while --args "n=5" --num-warps=8 --optimize=false
tile.kernel @while(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index)
    shapes ["X[n, 16, 16]", "Y[n, 16, 16]"] grid ["n"]
    reference ["Y[p, i, j] = X[p, j, i] + (p % 5) * 3"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c256 = arith.constant 256 : index
  %three = arith.constant dense<3> : tensor<16x16xi32>
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %p = tile.program_id 0
  %offset = arith.muli %p, %c256 : index
  %xp = tile.addptr %X, %offset : !tile.ptr<i32>, index
  %yp = tile.addptr %Y, %offset : !tile.ptr<i32>, index
  %x = tile.view %xp, shape [16, 16], strides [16, 1] : !tile.ptr<i32> -> !tile.view<16x16xi32, [16, 1]>
  %y = tile.view %yp, shape [16, 16], strides [16, 1] : !tile.ptr<i32> -> !tile.view<16x16xi32, [16, 1]>
  %rest = arith.remui %p, %c5 : index
  %t = tile.load_view %x[%c0, %c0] : !tile.view<16x16xi32, [16, 1]> -> tensor<16x16xi32>
  %r:3 = scf.while (%i = %c0, %s = %zero, %u = %t) : (index, tensor<16x16xi32>, tensor<16x16xi32>) -> (tensor<16x16xi32>, index, tensor<16x16xi32>) {
    %more = arith.cmpi ult, %i, %rest : index
    %tt = tile.trans %u [1, 0] : tensor<16x16xi32> -> tensor<16x16xi32>
    scf.condition(%more) %tt, %i, %s : tensor<16x16xi32>, index, tensor<16x16xi32>
  } do {
  ^bb0(%v: tensor<16x16xi32>, %i: index, %s: tensor<16x16xi32>):
    %next = arith.addi %i, %c1 : index
    %sum = arith.addi %s, %three : tensor<16x16xi32>
    %tt = tile.trans %v [1, 0] : tensor<16x16xi32> -> tensor<16x16xi32>
    scf.yield %next, %sum, %tt : index, tensor<16x16xi32>, tensor<16x16xi32>
  }
  %sum = arith.addi %r#0, %r#2 : tensor<16x16xi32>
  tile.store_view %sum, %y[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32, [16, 1]>
  tile.return
}

// A loop that says by a reduction of what it carries whether it goes on, around one that reads memory: row by row is
// added until the sum of all is K times that of one row, rows being equal.
// RUN: %{run} --kernel=while_nested --args "K=7 n=3"
// RUN: %{run} --kernel=while_nested --args "K=0 n=1" --num-warps=8
// RUN: %{run} --kernel=while_nested --args "K=1 n=2" --num-warps=1 --optimize=false
tile.kernel @while_nested(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %K: i32, %n: index)
    shapes ["X[n, 64]", "Y[n, 64]"] grid ["n"]
    reference ["Y[p, j] = 2 * K * X[p, j]"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant dense<1> : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %bits = arith.constant 64 : i32
  %p = tile.program_id 0
  %x = tile.view %X, shape [%n, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<?x64xi32, [64, 1]>
  %y = tile.view %Y, shape [%n, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<?x64xi32, [64, 1]>
  %end = arith.muli %K, %bits : i32
  %r:2 = scf.while (%count = %zero, %acc = %zero) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>) {
    %sum = tile.reduce %count axis 0 : tensor<64xi32> -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    %more = arith.cmpi slt, %sum, %end : i32
    scf.condition(%more) %count, %acc : tensor<64xi32>, tensor<64xi32>
  } do {
  ^bb0(%count: tensor<64xi32>, %acc: tensor<64xi32>):
    %next = arith.addi %count, %one : tensor<64xi32>
    %twice = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %acc) -> (tensor<64xi32>) {
      %t = tile.load_view %x[%p, %c0] : !tile.view<?x64xi32, [64, 1]> -> tensor<1x64xi32>
      %row = tile.reshape %t : tensor<1x64xi32> -> tensor<64xi32>
      %u = arith.addi %s, %row : tensor<64xi32>
      scf.yield %u : tensor<64xi32>
    }
    scf.yield %next, %twice : tensor<64xi32>, tensor<64xi32>
  }
  %line = tile.reshape %r#1 : tensor<64xi32> -> tensor<1x64xi32>
  tile.store_view %line, %y[%p, %c0] : tensor<1x64xi32>, !tile.view<?x64xi32, [64, 1]>
  tile.return
}

// A product for each tile that a program takes, until there are none left: copies run ahead in the inner loop only, and
// what the outer one stores is in a layout of its own.
// RUN: %{run} --kernel=while_products --args "M=70 N=56 K=104"
// RUN: %{run} --kernel=while_products --args "M=33 N=136 K=40" --num-stages=1 --num-warps=8
// RUN: %{run} --kernel=while_products --args "M=64 N=64 K=0" --target=sm_80
tile.kernel @while_products(%A: !tile.ptr<f16> {tile.divisibility = 16}, %B: !tile.ptr<f16> {tile.divisibility = 16}, %C: !tile.ptr<f32>, %M: index, %N: index {tile.divisibility = 8}, %K: index {tile.divisibility = 8})
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"] grid ["2"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %program = tile.program_id 0
  %programs = tile.num_programs 0
  %rows = arith.ceildivui %M, %c64 : index
  %columns = arith.ceildivui %N, %c32 : index
  %tiles = arith.muli %rows, %columns : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %end = scf.while (%tile = %program) : (index) -> index {
    %more = arith.cmpi ult, %tile, %tiles : index
    scf.condition(%more) %tile : index
  } do {
  ^bb0(%tile: index):
    %row = arith.divui %tile, %columns : index
    %column = arith.remui %tile, %columns : index
    %m = arith.muli %row, %c64 : index
    %n = arith.muli %column, %c32 : index
    %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
      %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x32xf16>
      %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
      scf.yield %next : tensor<64x32xf32>
    }
    tile.store_view %sum, %c[%m, %n] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
    %following = arith.addi %tile, %programs : index
    scf.yield %following : index
  }
  tile.return
}
