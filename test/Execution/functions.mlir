// Private functions that kernels call become part of them: calls of calls,
// calls in loops and branches, results of all sorts, and one function in two
// kernels.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=%{target} \
// DEFINE:   --kernel=smooth --args "M=37 N=70" && \
// DEFINE:   tile-run %s --device=sim --check --specials --target=%{target} \
// DEFINE:   --kernel=clamp --args "n=77 flip=1" && \
// DEFINE:   tile-run %s --device=sim --check --specials --target=%{target} \
// DEFINE:   --kernel=clamp --args "n=1 flip=0" --optimize=false
// REDEFINE: %{target} = sm_80
// RUN: %{run}
// REDEFINE: %{target} = sm_86
// RUN: %{run}
// REDEFINE: %{target} = sm_89
// RUN: %{run}
// REDEFINE: %{target} = sm_90a
// RUN: %{run}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}

// No call is left, and no function that is not a kernel; places are those in
// the function.
// RUN: tile-compile %s --kernel=clamp --target=sm_90a -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx --implicit-check-not=.func --implicit-check-not=call
// PTX: .entry clamp(
// RUN: tile-compile %s --kernel=smooth --emit=tile -o - | FileCheck %s --check-prefix=TILE --implicit-check-not=func.
// TILE: tile.kernel @smooth

// The start of a program's tile.
func.func private @start(%tile: index) -> index {
  %program = tile.program_id 0
  %start = arith.muli %program, %tile : index
  func.return %start : index
}

// A vector of n elements, and where the program's tile begins in it.
func.func private @vector(%X: !tile.ptr<f32>, %n: index) -> (!tile.view<?xf32, [1]>, index) {
  %c32 = arith.constant 32 : index
  %start = func.call @start(%c32) : (index) -> index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  func.return %x, %start : !tile.view<?xf32, [1]>, index
}

func.func private @least(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
  %least = arith.minimumf %a, %b : tensor<32xf32>
  func.return %least : tensor<32xf32>
}

// A function without results, which writes.
func.func private @put(%y: !tile.view<?xf32, [1]>, %start: index, %t: tensor<32xf32>) {
  tile.store_view %t, %y[%start] : tensor<32xf32>, !tile.view<?xf32, [1]>
  func.return
}

tile.kernel @clamp(%X: !tile.ptr<f32>, %Z: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index, %flip: i1)
    shapes ["X[n]", "Z[n]", "Y[n]"] grid ["ceildiv(n, 32)"]
    reference ["Y[i] = select(flip != 0, 0 - min(X[i], Z[i]), min(Z[i], X[i]))"] {
  %x, %start = func.call @vector(%X, %n) : (!tile.ptr<f32>, index) -> (!tile.view<?xf32, [1]>, index)
  %z, %same = func.call @vector(%Z, %n) : (!tile.ptr<f32>, index) -> (!tile.view<?xf32, [1]>, index)
  %y, %again = func.call @vector(%Y, %n) : (!tile.ptr<f32>, index) -> (!tile.view<?xf32, [1]>, index)
  %a = tile.load_view %x[%start] : !tile.view<?xf32, [1]> -> tensor<32xf32>
  %b = tile.load_view %z[%same] : !tile.view<?xf32, [1]> -> tensor<32xf32>
  %least = scf.if %flip -> (tensor<32xf32>) {
    %l = func.call @least(%a, %b) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %f = arith.negf %l : tensor<32xf32>
    scf.yield %f : tensor<32xf32>
  } else {
    %l = func.call @least(%b, %a) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    scf.yield %l : tensor<32xf32>
  }
  func.call @put(%y, %again, %least) : (!tile.view<?xf32, [1]>, index, tensor<32xf32>) -> ()
  tile.return
}

func.func private @row(%x: !tile.view<?x?xi32, [?, 1]>, %i: index, %j: index) -> tensor<1x64xi32> {
  %t = tile.load_view %x[%i, %j] : !tile.view<?x?xi32, [?, 1]> -> tensor<1x64xi32>
  func.return %t : tensor<1x64xi32>
}

// A loop in a function, with calls in it.
func.func private @columns(%x: !tile.view<?x?xi32, [?, 1]>, %M: index, %j: index) -> tensor<1x64xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<1x64xi32>
  %sum = scf.for %i = %c0 to %M step %c1 iter_args(%acc = %zero) -> (tensor<1x64xi32>) {
    %t = func.call @row(%x, %i, %j) : (!tile.view<?x?xi32, [?, 1]>, index, index) -> tensor<1x64xi32>
    %next = arith.addi %acc, %t : tensor<1x64xi32>
    scf.yield %next : tensor<1x64xi32>
  }
  func.return %sum : tensor<1x64xi32>
}

tile.kernel @smooth(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[1, N]"] grid ["ceildiv(N, 64)"]
    reference ["Y[i, j] = sum(k, X[k, j])"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %j = func.call @start(%c64) : (index) -> index
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %y = tile.view %Y, shape [%c1, %N], strides [%N, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %sum = func.call @columns(%x, %M, %j) : (!tile.view<?x?xi32, [?, 1]>, index, index) -> tensor<1x64xi32>
  tile.store_view %sum, %y[%c0, %j] : tensor<1x64xi32>, !tile.view<?x?xi32, [?, 1]>
  tile.return
}
