// RUN: tile-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-assign-register-layouts,tile-cluster-programs{paired-axes=1},canonicalize))' | FileCheck %s
// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-assign-register-layouts,tile-cluster-programs{paired-axes=5},canonicalize))' 2>/dev/null | FileCheck %s --check-prefix=UNEVEN
// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-assign-register-layouts,tile-cluster-programs{paired-axes=13},canonicalize))' 2>/dev/null | FileCheck %s --check-prefixes=FOUR,UNEVEN
// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-assign-register-layouts,tile-cluster-programs))' | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(tile-set-target{target=sm_80},tile.kernel(tile-assign-register-layouts,tile-cluster-programs{paired-axes=1}))' 2>/dev/null | FileCheck %s --check-prefix=NONE

// The number that there is is that of the first program of a cluster.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: tile.cluster_programs = array<i32: 2, 1, 1>
// CHECK: %[[FIRST:.*]] = program_id 0
// CHECK: %[[PLACE:.*]] = place_in_cluster 0
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[PLACE]]
// CHECK: program_id 1
// CHECK-NOT: place_in_cluster
// CHECK: arith.muli %[[ROW]]
// Where the last one may be missing, its block sums and stores nothing.
// UNEVEN-LABEL: tile.kernel @product
// FOUR-SAME: tile.cluster_programs = array<i32: 4, 1, 1>
// UNEVEN: scf.for
// UNEVEN: %[[FIRST:.*]] = program_id 0
// UNEVEN: %[[PLACE:.*]] = place_in_cluster 0
// UNEVEN: %[[MINE:.*]] = arith.addi %[[FIRST]], %[[PLACE]]
// UNEVEN: %[[ALL:.*]] = num_programs 0
// UNEVEN: %[[IS:.*]] = arith.cmpi ult, %[[MINE]], %[[ALL]]
// UNEVEN: scf.if %[[IS]] {
// UNEVEN: tile.store_view
// UNEVEN: }
// UNEVEN-NEXT: return
// NONE-NOT: tile.cluster_programs
// NONE-NOT: place_in_cluster
tile.kernel @product(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %C: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %M: index {tile.divisibility = 8 : i64}, %N: index {tile.divisibility = 8 : i64}, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32} {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %y = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  %r = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  tile.store_view %r, %c[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// -----

// Neighbours make other trips.
// CHECK-LABEL: tile.kernel @triangle
// CHECK-NOT: place_in_cluster
// expected-remark@+1 {{its programs have no clusters: those along an axis do not make the same trips}}
tile.kernel @triangle(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %C: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %M: index {tile.divisibility = 8 : i64}, %N: index {tile.divisibility = 8 : i64}, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32} {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %m step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %y = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  %r = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  tile.store_view %r, %c[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// -----

// Batches: neighbours have matrices of their own.
// CHECK-LABEL: tile.kernel @batch
// CHECK-NOT: place_in_cluster
// expected-remark@+1 {{its programs have no clusters: those along an axis share nothing that bulk copies could fetch for their products}}
tile.kernel @batch(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %C: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %N: index {tile.divisibility = 8 : i64}, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32} {
  %i = tile.program_id 0
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %i, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %A, shape [%N, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %y = tile.load_view %a[%k, %m] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  %c = tile.view %C, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  tile.store_view %r, %c[%m, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// -----

// A table of which a block without a program would read what lies behind it.
// UNEVEN-LABEL: tile.kernel @table
// UNEVEN-NOT: place_in_cluster
// CHECK-LABEL: tile.kernel @table
// CHECK: place_in_cluster
tile.kernel @table(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %C: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %T: !tile.ptr<i32> {tile.disjoint}, %N: index {tile.divisibility = 8 : i64}, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32} {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %number = arith.index_cast %i : index to i32
  %p = tile.addptr %T, %number : !tile.ptr<i32>, i32
  %t = tile.load %p : !tile.ptr<i32>
  %row = arith.index_cast %t : i32 to index
  %m = arith.muli %row, %c64 : index
  %n = arith.muli %j, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %A, shape [%N, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %y = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  %c = tile.view %C, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  tile.store_view %r, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// -----

// Rows that a program has alone: a block without one has none.
// UNEVEN-LABEL: tile.kernel @own_rows
// UNEVEN-NOT: place_in_cluster
// CHECK-LABEL: tile.kernel @own_rows
// CHECK: place_in_cluster
tile.kernel @own_rows(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %C: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.disjoint}, %N: index {tile.divisibility = 8 : i64}, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32} {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  %offset = arith.muli %m, %K : index
  %number = arith.index_cast %offset : index to i64
  %rows = tile.addptr %A, %number : !tile.ptr<f16>, i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %rows, shape [64, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<64x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load_view %a[%c0, %k] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x64xf16>
    %y = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  %c = tile.view %C, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  tile.store_view %r, %c[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
