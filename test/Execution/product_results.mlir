// What a product leaves in its registers is added to memory and scanned as it lies there, in the layouts of all engines.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --target=%{target}
// DEFINE: %{all} = %{run} --kernel=split_k && %{run} --kernel=split_k --num-warps=8 && %{run} --kernel=scans && %{run} --kernel=guarded

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

// Three programs have a part of K each.
tile.kernel @split_k(%A: !tile.ptr<i8> {tile.divisibility = 16}, %B: !tile.ptr<i8> {tile.divisibility = 16}, %C: !tile.ptr<i32>)
    shapes ["A[64, 192]", "B[64, 192]", "C[64, 64]"]
    grid ["3"]
    reference ["C[m, n] = C[m, n] + sum(k, A[m, k] * B[n, k])"] {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %part = tile.program_id 0
  %k = arith.muli %part, %c64 : index
  %a = tile.view %A, shape [64, 192], strides [192, 1] : !tile.ptr<i8> -> !tile.view<64x192xi8, [192, 1]>
  %b = tile.view %B, shape [64, 192], strides [192, 1] : !tile.ptr<i8> -> !tile.view<64x192xi8, [192, 1]>
  %ta = tile.load_view %a[%c0, %k] : !tile.view<64x192xi8, [192, 1]> -> tensor<64x64xi8>
  %bn = tile.load_view %b[%c0, %k] : !tile.view<64x192xi8, [192, 1]> -> tensor<64x64xi8>
  %tb = tile.trans %bn [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %p = tile.dot %ta, %tb, %zero : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  %line = tile.iota 0 : tensor<64xi32>
  %rows = tile.expand_dims %line {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %line {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %row = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %column = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %width = arith.constant dense<64> : tensor<64x64xi32>
  %start = arith.muli %row, %width : tensor<64x64xi32>
  %at = arith.addi %start, %column : tensor<64x64xi32>
  %cs = tile.splat %C : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %c = tile.addptr %cs, %at : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  %old = tile.atomic_rmw add %c, %p order relaxed : tensor<64x64x!tile.ptr<i32>>
  tile.return
}

// Sums so far of a product, along its rows and back along its columns.
tile.kernel @scans(%A: !tile.ptr<i8> {tile.divisibility = 16}, %B: !tile.ptr<i8> {tile.divisibility = 16}, %C: !tile.ptr<i32>, %D: !tile.ptr<i32>)
    shapes ["A[64, 64]", "B[64, 64]", "C[64, 64]", "D[64, 64]"]
    grid ["1"]
    reference ["C[m, n] = sum(c, select(c <= n, sum(k, A[m, k] * B[c, k]), 0))",
               "D[m, n] = sum(r, select(r >= m, sum(k, A[r, k] * B[n, k]), 0))"] {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [64, 64], strides [64, 1] : !tile.ptr<i8> -> !tile.view<64x64xi8, [64, 1]>
  %b = tile.view %B, shape [64, 64], strides [64, 1] : !tile.ptr<i8> -> !tile.view<64x64xi8, [64, 1]>
  %c = tile.view %C, shape [64, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<64x64xi32, [64, 1]>
  %d = tile.view %D, shape [64, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<64x64xi32, [64, 1]>
  %ta = tile.load_view %a[%c0, %c0] : !tile.view<64x64xi8, [64, 1]> -> tensor<64x64xi8>
  %bn = tile.load_view %b[%c0, %c0] : !tile.view<64x64xi8, [64, 1]> -> tensor<64x64xi8>
  %tb = tile.trans %bn [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %p = tile.dot %ta, %tb, %zero : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  %s = tile.scan %p axis 1 : tensor<64x64xi32> -> tensor<64x64xi32> {
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tile.yield %z : i32
  }
  %t = tile.scan %p axis 0 reverse : tensor<64x64xi32> -> tensor<64x64xi32> {
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tile.yield %z : i32
  }
  tile.store_view %s, %c[%c0, %c0] : tensor<64x64xi32>, !tile.view<64x64xi32, [64, 1]>
  tile.store_view %t, %d[%c0, %c0] : tensor<64x64xi32>, !tile.view<64x64xi32, [64, 1]>
  tile.return
}

// An access in a branch, with a result that all threads go on with; loads of a loop do not run ahead of what acquires.
tile.kernel @guarded(%A: !tile.ptr<i8> {tile.divisibility = 16}, %B: !tile.ptr<i8> {tile.divisibility = 16}, %N: !tile.ptr<i32>, %C: !tile.ptr<i32>)
    shapes ["A[64, 192]", "B[64, 192]", "N[1] in 0 .. 5", "C[64, 64]"]
    grid ["1"]
    reference ["N[i] = N[i] + 3", "C[m, n] = sum(k, A[m, k] * B[n, k]) + 3 * N[0] + 3"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.view %A, shape [64, 192], strides [192, 1] : !tile.ptr<i8> -> !tile.view<64x192xi8, [192, 1]>
  %b = tile.view %B, shape [64, 192], strides [192, 1] : !tile.ptr<i8> -> !tile.view<64x192xi8, [192, 1]>
  %c = tile.view %C, shape [64, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<64x64xi32, [64, 1]>
  %zeros = arith.constant dense<0> : tensor<64x64xi32>
  %p, %count = scf.for %k = %c0 to %c192 step %c64 iter_args(%acc = %zeros, %n = %zero) -> (tensor<64x64xi32>, i32) {
    %is_there = arith.cmpi sge, %k, %c0 : index
    %old = scf.if %is_there -> (i32) {
      %was = tile.atomic_rmw add %N, %one : !tile.ptr<i32>
      scf.yield %was : i32
    } else {
      scf.yield %zero : i32
    }
    %ta = tile.load_view %a[%c0, %k] : !tile.view<64x192xi8, [192, 1]> -> tensor<64x64xi8>
    %bn = tile.load_view %b[%c0, %k] : !tile.view<64x192xi8, [192, 1]> -> tensor<64x64xi8>
    %tb = tile.trans %bn [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    %m = arith.addi %n, %old : i32
    scf.yield %next, %m : tensor<64x64xi32>, i32
  }
  %counts = tile.splat %count : i32 -> tensor<64x64xi32>
  %sum = arith.addi %p, %counts : tensor<64x64xi32>
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x64xi32>, !tile.view<64x64xi32, [64, 1]>
  tile.return
}
