// Bulk copies of views that begin where the program says: matrices of a batch, forward and backward, and blocks of pointers, whose
// masks leave less of the tile at the ends; views without an end. Ragged extents, no matrices at all, strides that are no multiples of 16 bytes.

// DEFINE: %{kernel} =
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=sm_90a --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = batched
// RUN: tile-compile %s --kernel=batched --target=sm_90a --args "L=3 M=72 N=136 K=96" -o - | FileCheck %s
// CHECK-DAG: .param .align 64 .b8 batched_param_7[128]
// CHECK-DAG: .param .align 64 .b8 batched_param_8[128]
// CHECK-DAG: .param .align 64 .b8 batched_param_9[128]
// CHECK-DAG: cp.async.bulk.tensor.4d.shared::cluster.global.tile
// CHECK-DAG: cp.async.bulk.tensor.4d.global.shared::cta.tile
// RUN: %{run} "L=3 M=72 N=136 K=96" && %{run} "L=2 M=8 N=264 K=160" && %{run} "L=1 M=64 N=64 K=32" && %{run} "L=5 M=8 N=8 K=8"
// RUN: %{run} "L=3 M=72 N=136 K=0" && %{run} "L=0 M=72 N=136 K=64" && %{run} "L=2 M=0 N=136 K=64"
// Rows of a matrix, or matrices, that begin anywhere.
// RUN: %{run} "L=3 M=71 N=136 K=37" && %{run} "L=3 M=72 N=131 K=64"
// REDEFINE: %{options} = --optimize=0 --num-stages=2
// RUN: %{run} "L=3 M=72 N=136 K=96"
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{run} "L=3 M=72 N=136 K=96"

// REDEFINE: %{options} =
// REDEFINE: %{kernel} = backward
// RUN: tile-compile %s --kernel=backward --target=sm_90a --args "L=3 M=72 N=136 K=96" -o - | FileCheck %s --check-prefix=BACKWARD
// BACKWARD: cp.async.bulk.tensor.4d.shared::cluster.global.tile
// RUN: %{run} "L=4 M=72 N=136 K=96" && %{run} "L=1 M=64 N=64 K=32"

// REDEFINE: %{kernel} = pointers
// RUN: tile-compile %s --kernel=pointers --target=sm_90a --args "L=3 M=72 N=136 K=96" -o - | FileCheck %s --check-prefix=POINTERS
// POINTERS: cp.async.bulk.tensor.4d.shared::cluster.global.tile
// RUN: %{run} "L=3 M=72 N=136 K=96" && %{run} "L=2 M=8 N=264 K=160" && %{run} "L=1 M=64 N=64 K=32" && %{run} "L=5 M=8 N=8 K=8"
// RUN: %{run} "L=3 M=72 N=136 K=40" && %{run} "L=3 M=72 N=136 K=0" && %{run} "L=0 M=72 N=136 K=64" && %{run} "L=2 M=71 N=136 K=64"
// RUN: %{run} "L=3 M=71 N=136 K=37" && %{run} "L=3 M=72 N=131 K=64"

// REDEFINE: %{kernel} = endless
// RUN: tile-compile %s --kernel=endless --target=sm_90a --args "M=64 N=64 K=80" -o - | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: cp.async.bulk.tensor.4d.shared::cluster.global.tile
// RUN: %{run} "M=64 N=64 K=80" && %{run} "M=128 N=192 K=16" && %{run} "M=64 N=128 K=272" && %{run} "M=64 N=0 K=48"
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{run} "M=64 N=128 K=80"
// RUN: tile-run %s --device=sim --check --specials --target=sm_80 --kernel=endless --args "M=64 N=128 K=80"

tile.kernel @batched(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %L: index, %M: index, %N: index, %K: index)
    shapes ["A[L, M, K]", "B[L, K, N]", "C[L, M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)", "L"]
    reference ["C[l, m, n] = sum(k, A[l, m, k] * B[l, k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %l = tile.program_id 2
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %sizeA = arith.muli %M, %K : index
  %sizeB = arith.muli %K, %N : index
  %sizeC = arith.muli %M, %N : index
  %toA = arith.muli %l, %sizeA : index
  %toB = arith.muli %l, %sizeB : index
  %toC = arith.muli %l, %sizeC : index
  %ofA = tile.addptr %A, %toA : !tile.ptr<f16>, index
  %ofB = tile.addptr %B, %toB : !tile.ptr<f16>, index
  %ofC = tile.addptr %C, %toC : !tile.ptr<f16>, index
  %a = tile.view %ofA, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %ofB, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %ofC, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %result = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store_view %result, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// From the last matrix on, by steps back.
tile.kernel @backward(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %L: index, %M: index, %N: index, %K: index)
    shapes ["A[L, M, K]", "B[K, N]", "C[L, M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)", "L"]
    reference ["C[l, m, n] = sum(k, A[l, m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %p = tile.program_id 2
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %last = arith.subi %L, %c1 : index
  %l = arith.subi %last, %p : index
  %sizeA = arith.muli %M, %K : index
  %toLast = arith.muli %last, %sizeA : index
  %forward = arith.muli %p, %sizeA : index
  %back = arith.subi %c0, %forward : index
  %lastA = tile.addptr %A, %toLast : !tile.ptr<f16>, index
  %ofA = tile.addptr %lastA, %back : !tile.ptr<f16>, index
  %sizeC = arith.muli %M, %N : index
  %toC = arith.muli %l, %sizeC : index
  %ofC = tile.addptr %C, %toC : !tile.ptr<f32>, index
  %a = tile.view %ofA, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %ofC, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// Pointers with masks are blocks of views that begin where the tile does.
tile.kernel @pointers(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %L: i64, %M: i64, %N: i64, %K: i64)
    shapes ["A[L, M, K]", "B[L, K, N]", "C[L, M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)", "L"]
    reference ["C[l, m, n] = sum(k, A[l, m, k] * B[l, k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %noA = arith.constant dense<0.0> : tensor<64x32xf16>
  %noB = arith.constant dense<0.0> : tensor<32x64xf16>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %pl = tile.program_id 2
  %im = arith.index_cast %pm : index to i64
  %in = arith.index_cast %pn : index to i64
  %l = arith.index_cast %pl : index to i64
  %m = arith.muli %im, %n64 : i64
  %n = arith.muli %in, %n64 : i64
  %places = tile.iota 0 : tensor<64xi64>
  %short = tile.iota 0 : tensor<32xi64>
  %mm = tile.splat %m : i64 -> tensor<64xi64>
  %nn = tile.splat %n : i64 -> tensor<64xi64>
  %atM = arith.addi %mm, %places : tensor<64xi64>
  %atN = arith.addi %nn, %places : tensor<64xi64>
  %columnM = tile.expand_dims %atM {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
  %rowN = tile.expand_dims %atN {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %sizeA = arith.muli %M, %K : i64
  %sizeB = arith.muli %K, %N : i64
  %sizeC = arith.muli %M, %N : i64
  %toA = arith.muli %l, %sizeA : i64
  %toB = arith.muli %l, %sizeB : i64
  %toC = arith.muli %l, %sizeC : i64
  %ofA = tile.addptr %A, %toA : !tile.ptr<f16>, i64
  %ofB = tile.addptr %B, %toB : !tile.ptr<f16>, i64
  %ofC = tile.addptr %C, %toC : !tile.ptr<f16>, i64
  %kk = tile.splat %K : i64 -> tensor<64x1xi64>
  %nOfRows = tile.splat %N : i64 -> tensor<32x1xi64>
  %rowsA = arith.muli %columnM, %kk : tensor<64x1xi64>
  %insideM = tile.splat %M : i64 -> tensor<64x1xi64>
  %isM = arith.cmpi slt, %columnM, %insideM : tensor<64x1xi64>
  %insideN = tile.splat %N : i64 -> tensor<1x64xi64>
  %isN = arith.cmpi slt, %rowN, %insideN : tensor<1x64xi64>
  %last = arith.index_cast %K : i64 to index
  %sum = scf.for %k = %c0 to %last step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ik = arith.index_cast %k : index to i64
    %ks = tile.splat %ik : i64 -> tensor<32xi64>
    %atK = arith.addi %ks, %short : tensor<32xi64>
    %rowK = tile.expand_dims %atK {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
    %columnK = tile.expand_dims %atK {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
    %wideA = tile.broadcast %rowsA : tensor<64x1xi64> -> tensor<64x32xi64>
    %wideK = tile.broadcast %rowK : tensor<1x32xi64> -> tensor<64x32xi64>
    %offA = arith.addi %wideA, %wideK : tensor<64x32xi64>
    %basesA = tile.splat %ofA : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %pa = tile.addptr %basesA, %offA : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi64>
    %endK = tile.splat %K : i64 -> tensor<1x32xi64>
    %isK = arith.cmpi slt, %rowK, %endK : tensor<1x32xi64>
    %mA0 = tile.broadcast %isM : tensor<64x1xi1> -> tensor<64x32xi1>
    %mA1 = tile.broadcast %isK : tensor<1x32xi1> -> tensor<64x32xi1>
    %mA = arith.andi %mA0, %mA1 : tensor<64x32xi1>
    %ta = tile.load %pa mask %mA else %noA : tensor<64x32x!tile.ptr<f16>>
    %rowsB = arith.muli %columnK, %nOfRows : tensor<32x1xi64>
    %wideB = tile.broadcast %rowsB : tensor<32x1xi64> -> tensor<32x64xi64>
    %wideN = tile.broadcast %rowN : tensor<1x64xi64> -> tensor<32x64xi64>
    %offB = arith.addi %wideB, %wideN : tensor<32x64xi64>
    %basesB = tile.splat %ofB : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %pb = tile.addptr %basesB, %offB : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi64>
    %endKs = tile.splat %K : i64 -> tensor<32x1xi64>
    %isKs = arith.cmpi slt, %columnK, %endKs : tensor<32x1xi64>
    %mB0 = tile.broadcast %isKs : tensor<32x1xi1> -> tensor<32x64xi1>
    %mB1 = tile.broadcast %isN : tensor<1x64xi1> -> tensor<32x64xi1>
    %mB = arith.andi %mB0, %mB1 : tensor<32x64xi1>
    %tb = tile.load %pb mask %mB else %noB : tensor<32x64x!tile.ptr<f16>>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %result = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  %wide = tile.splat %N : i64 -> tensor<64x1xi64>
  %rowsC = arith.muli %columnM, %wide : tensor<64x1xi64>
  %wideC = tile.broadcast %rowsC : tensor<64x1xi64> -> tensor<64x64xi64>
  %wideM = tile.broadcast %rowN : tensor<1x64xi64> -> tensor<64x64xi64>
  %offC = arith.addi %wideC, %wideM : tensor<64x64xi64>
  %basesC = tile.splat %ofC : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %pc = tile.addptr %basesC, %offC : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi64>
  %mC0 = tile.broadcast %isM : tensor<64x1xi1> -> tensor<64x64xi1>
  %mC1 = tile.broadcast %isN : tensor<1x64xi1> -> tensor<64x64xi1>
  %mC = arith.andi %mC0, %mC1 : tensor<64x64xi1>
  tile.store %pc, %result mask %mC : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// Blocks of views that have no end, whole ones but for those that begin before the view: there zeros are read.
tile.kernel @endless(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %before = arith.constant -48 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [4611686018427387904, 4611686018427387904], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<4611686018427387904x4611686018427387904xf16, [?, 1]>
  %b = tile.view %B, shape [4611686018427387904, 4611686018427387904], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<4611686018427387904x4611686018427387904xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %before to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<4611686018427387904x4611686018427387904xf16, [?, 1]> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<4611686018427387904x4611686018427387904xf16, [?, 1]> -> tensor<32x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
