// Strides that launches give: of those that are 1 the code knows it, so that its accesses are wide; the others, and
// strides of 1 that nobody is to know of, have code of their own. All of it finds the same elements.

// DEFINE: %{run} = tile-run %s --device=sim --check --target
// DEFINE: %{ptx} = tile-compile %s --target=sm_90a --args

// Rows, columns, what is neither, and a single row or column; sizes that allow wide accesses and others.
// RUN: %{run}=sm_80 --kernel=views --args "M=64 N=96 sm=96 sn=1"
// RUN: %{run}=sm_90a --kernel=views --args "M=64 N=96 sm=1 sn=64"
// RUN: %{run}=sm_100a --kernel=views --args "M=65 N=33 sm=33 sn=1"
// RUN: %{run}=sm_90a --kernel=views --args "M=64 N=96 sm=192 sn=2"
// RUN: %{run}=sm_120a --kernel=views --args "M=1 N=96 sm=96 sn=1"
// RUN: %{run}=sm_80 --kernel=views --args "M=1 N=96 sm=1 sn=1"
// RUN: %{run}=sm_86 --kernel=views --args "M=64 N=1 sm=1 sn=1"
// RUN: %{run}=sm_80 --kernel=views --args "M=64 N=96 sm=0 sn=1"
// RUN: %{run}=sm_80 --kernel=pointers --args "M=64 N=96 sm=96 sn=1"
// RUN: %{run}=sm_100a --kernel=pointers --args "M=64 N=96 sm=1 sn=64"
// RUN: %{run}=sm_90a --kernel=pointers --args "M=65 N=33 sm=33 sn=1"
// RUN: %{run}=sm_90a --kernel=pointers --args "M=64 N=96 sm=192 sn=2"
// RUN: %{run}=sm_120a --kernel=pointers --args "M=1 N=1 sm=1 sn=1"

// RUN: %{ptx} "M=64 N=96 sm=96 sn=1" --kernel=views | FileCheck %s --check-prefix=WIDE
// RUN: %{ptx} "M=64 N=96 sm=1 sn=64" --kernel=views | FileCheck %s --check-prefix=WIDE
// RUN: %{ptx} "M=64 N=96 sm=192 sn=2" --kernel=views | FileCheck %s --check-prefix=NARROW
// RUN: %{ptx} "M=64 N=96 sm=96 sn=1" --kernel=pointers | FileCheck %s --check-prefix=WIDE
// RUN: %{ptx} "M=64 N=96 sm=1 sn=64" --kernel=pointers | FileCheck %s --check-prefix=WIDE
// RUN: %{ptx} "M=64 N=96 sm=192 sn=2" --kernel=pointers | FileCheck %s --check-prefix=NARROW
// What is compiled for no launch knows of no stride.
// RUN: tile-compile %s --target=sm_90a --kernel=views | FileCheck %s --check-prefix=NARROW
// WIDE: .visible .entry
// WIDE: ld.global.v4.b32
// NARROW: .visible .entry
// NARROW-NOT: ld.global.v
// NARROW: ld.global.b32
// NARROW-NOT: ld.global.v

tile.kernel @views(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %M: index, %N: index, %sm: index, %sn: index)
    shapes ["X[(M - 1) * sm + (N - 1) * sn + 1]", "Y[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 32)"]
    reference ["Y[i, j] = X[i * sm + j * sn]"] {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c64 : index
  %j = arith.muli %q, %c32 : index
  %x = tile.view %X, shape [%M, %N], strides [%sm, %sn] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, ?]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %x[%i, %j] : !tile.view<?x?xf32, [?, ?]> -> tensor<64x32xf32>
  tile.store_view %t, %y[%i, %j] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// The same with 32 bits and pointers.
tile.kernel @pointers(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %M: i32, %N: i32, %sm: i32, %sn: i32)
    shapes ["X[(M - 1) * sm + (N - 1) * sn + 1]", "Y[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 32)"]
    reference ["Y[i, j] = X[i * sm + j * sn]"] {
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant 32 : i32
  %program = tile.program_id 0
  %p = arith.index_cast %program : index to i32
  %program1 = tile.program_id 1
  %q = arith.index_cast %program1 : index to i32
  %first = arith.muli %p, %c64 : i32
  %left = arith.muli %q, %c32 : i32
  %rows = tile.iota 0 : tensor<64xi32>
  %columns = tile.iota 0 : tensor<32xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %lefts = tile.splat %left : i32 -> tensor<32xi32>
  %row = arith.addi %firsts, %rows : tensor<64xi32>
  %column = arith.addi %lefts, %columns : tensor<32xi32>
  %row1 = tile.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column1 = tile.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %i = tile.broadcast %row1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %j = tile.broadcast %column1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %ms = tile.splat %M : i32 -> tensor<64x32xi32>
  %ns = tile.splat %N : i32 -> tensor<64x32xi32>
  %below = arith.cmpi slt, %i, %ms : tensor<64x32xi32>
  %inside = arith.cmpi slt, %j, %ns : tensor<64x32xi32>
  %mask = arith.andi %below, %inside : tensor<64x32xi1>
  %sms = tile.splat %sm : i32 -> tensor<64x32xi32>
  %sns = tile.splat %sn : i32 -> tensor<64x32xi32>
  %down = arith.muli %i, %sms : tensor<64x32xi32>
  %along = arith.muli %j, %sns : tensor<64x32xi32>
  %offsets = arith.addi %down, %along : tensor<64x32xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %ps = tile.addptr %xs, %offsets : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %t = tile.load %ps mask %mask : tensor<64x32x!tile.ptr<f32>>
  %lines = arith.muli %i, %ns : tensor<64x32xi32>
  %places = arith.addi %lines, %j : tensor<64x32xi32>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %qs = tile.addptr %ys, %places : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  tile.store %qs, %t mask %mask : tensor<64x32x!tile.ptr<f32>>
  tile.return
}

// Operands of products, which are copied ahead where a stride is 1, by boxes where the target has them.
// RUN: %{run}=sm_80 --kernel=product --args "M=128 N=128 K=96 am=96 ak=1 bk=1 bn=96"
// RUN: %{run}=sm_90a --kernel=product --args "M=128 N=128 K=96 am=96 ak=1 bk=1 bn=96"
// RUN: %{run}=sm_100a --kernel=product --args "M=100 N=72 K=40 am=40 ak=1 bk=1 bn=40"
// RUN: %{run}=sm_90a --kernel=product --args "M=100 N=72 K=33 am=33 ak=1 bk=1 bn=33"
// RUN: %{run}=sm_90a --kernel=product --args "M=128 N=128 K=64 am=128 ak=2 bk=2 bn=128"
// RUN: %{run}=sm_90a --kernel=product --args "M=128 N=128 K=64 am=64 ak=1 bk=2 bn=128"
// RUN: %{run}=sm_90a --kernel=product --args "M=128 N=128 K=1 am=1 ak=1 bk=1 bn=1"
// RUN: %{run}=sm_90a --kernel=product --args "M=1 N=1 K=1 am=1 ak=1 bk=1 bn=1"
// Where the layout of shared tiles is said, too: B, and A of one row, are copied along their first dimension.
// RUN: %{run}=sm_80 --kernel=product --shared-layout=none --args "M=100 N=72 K=40 am=40 ak=1 bk=1 bn=40"
// RUN: %{run}=sm_86 --kernel=product --shared-layout=pad:8 --args "M=100 N=72 K=40 am=40 ak=1 bk=1 bn=40"
// RUN: %{run}=sm_89 --kernel=product --shared-layout=none --args "M=1 N=72 K=40 am=1 ak=1 bk=1 bn=40"
// RUN: %{run}=sm_90a --kernel=product --shared-layout=none --args "M=100 N=72 K=40 am=40 ak=1 bk=1 bn=40"
// RUN: %{run}=sm_100a --kernel=product --shared-layout=none --args "M=1 N=72 K=40 am=1 ak=1 bk=1 bn=40"
// RUN: %{run}=sm_120a --kernel=product --shared-layout=pad:8 --args "M=100 N=72 K=40 am=40 ak=1 bk=1 bn=40"
// RUN: %{ptx} "M=128 N=128 K=96 am=96 ak=1 bk=1 bn=96" --kernel=product | FileCheck %s --check-prefix=BOXES
// RUN: %{ptx} "M=128 N=128 K=64 am=128 ak=2 bk=2 bn=128" --kernel=product | FileCheck %s --check-prefix=ALONE --implicit-check-not=shared::cluster.global
// BOXES: cp.async.bulk.tensor.2d
// ALONE: ld.global.b16
tile.kernel @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index,
                     %am: index, %ak: index, %bk: index, %bn: index)
    shapes ["A[M, K, ak]", "B[N, K, bk]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)"]
    reference ["C[i, j] = sum(k, A[i, k, 0] * B[j, k, 0])"] {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c64 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%am, %ak] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, ?]>
  %b = tile.view %B, shape [%K, %N], strides [%bk, %bn] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, ?]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sums = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %x = tile.load_view %a[%i, %k] : !tile.view<?x?xf16, [?, ?]> -> tensor<64x32xf16>
    %y = tile.load_view %b[%k, %j] : !tile.view<?x?xf16, [?, ?]> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sums, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// Constants that are no strides: a size, a bound, a bit and a factor.
// RUN: %{run}=sm_80 --kernel=others --args "n=1 first=0 on=1 factor=1"
// RUN: %{run}=sm_90a --kernel=others --args "n=100 first=1 on=1 factor=3"
// RUN: %{run}=sm_100a --kernel=others --args "n=100 first=16 on=0 factor=1"
tile.kernel @others(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i64, %first: i16, %on: i1, %factor: i8)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, 64)"]
    reference ["Y[i] = select(i < first, 0, X[i] * factor * (2 - on))"] {
  %c64 = arith.constant 64 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : index
  %size = arith.index_cast %n : i64 to index
  %x = tile.view %X, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %f = arith.sitofp %factor : i8 to f32
  %once = arith.constant 1.0 : f32
  %twice = arith.constant 2.0 : f32
  %more = arith.select %on, %once, %twice : f32
  %g = arith.mulf %f, %more : f32
  %gs = tile.splat %g : f32 -> tensor<64xf32>
  %r = arith.mulf %t, %gs : tensor<64xf32>
  %bound = arith.extsi %first : i16 to i32
  %bounds = tile.splat %bound : i32 -> tensor<64xi32>
  %iota = tile.iota 0 : tensor<64xi32>
  %begin = arith.index_cast %start : index to i32
  %begins = tile.splat %begin : i32 -> tensor<64xi32>
  %i = arith.addi %begins, %iota : tensor<64xi32>
  %before = arith.cmpi slt, %i, %bounds : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %s = arith.select %before, %zero, %r : tensor<64xi1>, tensor<64xf32>
  tile.store_view %s, %y[%start] : tensor<64xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// A promise that the constant breaks is found as any other.
// RUN: %{run}=sm_80 --kernel=promises --args "n=16"
// RUN: not %{run}=sm_80 --kernel=promises --args "n=1" 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: unit_strides.mlir:[[@LINE+5]]: broken-promise: {{.*}} 1 is promised to be a multiple of 16
tile.kernel @promises(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: i32)
    shapes ["X[64 + n]", "Y[64]"] grid ["1"]
    reference ["Y[i] = X[i + n]"] {
  %iota = tile.iota 0 : tensor<64xi32>
  %promised = tile.assume %n divisibility [16] : i32
  %far = tile.splat %promised : i32 -> tensor<64xi32>
  %i = arith.addi %iota, %far : tensor<64xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %t = tile.load %ps : tensor<64x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qs = tile.addptr %ys, %iota : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %qs, %t : tensor<64x!tile.ptr<i32>>
  tile.return
}
