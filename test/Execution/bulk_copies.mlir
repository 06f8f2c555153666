// Products whose operands come by bulk copies, of a role of their own: trip counts from none to more than the slots, ragged
// extents, rows along K and across, tiles of several boxes, two channels in a kernel, and a channel that goes on from tile to tile.

// DEFINE: %{kernel} =
// DEFINE: %{options} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=sm_90a --kernel=%{kernel} %{options} --args

// REDEFINE: %{kernel} = plain
// RUN: tile-compile %s --kernel=plain --target=sm_90a --args "M=72 N=136 K=96" -o - | FileCheck %s
// CHECK-DAG: .param .align 64 .b8 plain_param_6[128]
// CHECK-DAG: .param .align 64 .b8 plain_param_7[128]
// CHECK: .reqntid 160
// CHECK: cp.async.bulk.tensor.2d
// RUN: %{run} "M=72 N=136 K=0" && %{run} "M=72 N=136 K=8" && %{run} "M=72 N=136 K=32" && %{run} "M=72 N=136 K=64"
// RUN: %{run} "M=72 N=136 K=96" && %{run} "M=72 N=136 K=128" && %{run} "M=8 N=8 K=200" && %{run} "M=0 N=136 K=64"
// REDEFINE: %{options} = --num-stages=2
// RUN: %{run} "M=72 N=136 K=32" && %{run} "M=72 N=136 K=64" && %{run} "M=72 N=136 K=96" && %{run} "M=8 N=264 K=160"
// REDEFINE: %{options} = --num-stages=5 --optimize=0
// RUN: %{run} "M=72 N=136 K=128" && %{run} "M=72 N=136 K=160" && %{run} "M=72 N=136 K=192"

// What no map can be made of takes copies by threads: rows that begin anywhere.
// REDEFINE: %{options} =
// RUN: %{run} "M=71 N=136 K=37" && %{run} "M=72 N=131 K=64"
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{run} "M=72 N=136 K=96"

// REDEFINE: %{options} =
// REDEFINE: %{kernel} = across
// RUN: %{run} "M=136 N=72 K=0" && %{run} "M=136 N=72 K=40" && %{run} "M=136 N=72 K=136"
// REDEFINE: %{kernel} = pair
// RUN: %{run} "M=72 N=72 K=40" && %{run} "M=72 N=72 K=136" && %{run} "M=72 N=72 K=0"
// REDEFINE: %{kernel} = persistent
// RUN: %{run} "M=200 N=136 K=0" && %{run} "M=200 N=136 K=40" && %{run} "M=200 N=136 K=136" && %{run} "M=8 N=8 K=64"
// REDEFINE: %{options} = --num-stages=2 --sim-seed=7
// RUN: %{run} "M=200 N=136 K=72" && %{run} "M=200 N=264 K=200"
// RUN: tile-compile %s --kernel=persistent --target=sm_90a --args "M=200 N=136 K=136" --emit=placed -o %t.mlir
// RUN: FileCheck %s --check-prefix=ROLES --input-file=%t.mlir
// ROLES: channel {{.*}} mbarriers
// ROLES: roles main {
// ROLES: } copy {

// A placed program is a program.
// RUN: tile-run %t.mlir --device=sim --check --target=sm_90a --args "M=200 N=136 K=136"

// In place: C is A, so no copy may run ahead of the stores of other tiles, and none is a bulk copy.
// RUN: tile-compile %s --kernel=in_place --target=sm_90a --emit=placed -o - | FileCheck %s --check-prefix=INPLACE
// INPLACE-NOT: tensor_map
// INPLACE: copy_async

tile.kernel @plain(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// A is stored as K x M, B as N x K.
tile.kernel @across(%A: !tile.ptr<bf16>, %B: !tile.ptr<bf16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[K, M]", "B[N, K]", "C[M, N]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 64)"]
    reference ["C[m, n] = sum(k, A[k, m] * B[n, k])"]
    attributes {num_warps = 8 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [%K, %M], strides [%M, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %b = tile.view %B, shape [%N, %K], strides [%K, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
    %ta = tile.load_view %a[%k, %m] : !tile.view<?x?xbf16, [?, 1]> -> tensor<32x128xbf16>
    %tb = tile.load_view %b[%n, %k] : !tile.view<?x?xbf16, [?, 1]> -> tensor<64x32xbf16>
    %at = tile.trans %ta [1, 0] : tensor<32x128xbf16> -> tensor<128x32xbf16>
    %bt = tile.trans %tb [1, 0] : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %next = tile.dot %at, %bt, %acc : tensor<128x32xbf16>, tensor<32x64xbf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// One loop after the other: the copies of the second one begin while the first one's products are made.
tile.kernel @pair(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]) + sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %once = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %twice = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %once) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %twice, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// Three programs make all tiles; rows of C go out through shared memory, while the next tile's copies run.
tile.kernel @persistent(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["3"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.program_id 0
  %programs = tile.num_programs 0
  %rows = arith.ceildivui %M, %c64 : index
  %columns = arith.ceildivui %N, %c64 : index
  %tiles = arith.muli %rows, %columns : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %tile = %p to %tiles step %programs {
    %row = arith.divui %tile, %columns : index
    %column = arith.remui %tile, %columns : index
    %m = arith.muli %row, %c64 : index
    %n = arith.muli %column, %c64 : index
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
      %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
      %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %result = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store_view %result, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}

tile.kernel @in_place(%A: !tile.ptr<f16> {tile.divisibility = 16}, %M: index, %K: index {tile.divisibility = 8}) attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %a[%k, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %result = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store_view %result, %a[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
