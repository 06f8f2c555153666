// What operands are computed from goes through shared memory, where it can be copied ahead.

// RUN: tile-opt --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-assign-register-layouts,tile-stage-operands))' --split-input-file %s 2>/dev/null | FileCheck %s
// RUN: tile-opt --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-specialize{num-stages=1},tile-assign-register-layouts,tile-stage-operands))' --split-input-file %s 2>/dev/null | FileCheck %s --check-prefix=ONE
// RUN: tile-opt --tile-stage-operands --split-input-file %s | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=tile.alloc_shared

// Weights of 8 bits come back to the threads that copied them. Their scales, a number for each column, are copied by 16 bytes a thread, and read where they are used. What is multiplied as it is loaded goes that way anyhow; what is added
// behind the product stays.
// CHECK-LABEL: tile.kernel @weights
// CHECK: scf.for
// CHECK: %[[A:.*]] = tile.load_view {{.*}} -> tensor<64x64xf16
// CHECK-NEXT: tile.convert_layout %[[A]]
// CHECK: %[[Q:.*]] = tile.load_view {{.*}} -> tensor<64x64xi8, [[R:#.*]]>
// CHECK-NEXT: %[[T:.*]] = tile.alloc_shared : !tile.shared<64x64xi8>
// CHECK-NEXT: tile.local_store %[[Q]], %[[T]] : tensor<64x64xi8, [[R]]>
// CHECK-NEXT: %[[B:.*]] = tile.local_load %[[T]] : !tile.shared<64x64xi8> -> tensor<64x64xi8, [[R]]>
// CHECK: %[[S:.*]] = tile.load_view {{.*}} -> tensor<64xf16, #tile.register_layout<register[8] lane[8]
// CHECK: %[[U:.*]] = tile.alloc_shared : !tile.shared<64xf16>
// CHECK-NEXT: tile.local_store %[[S]], %[[U]]
// CHECK-NEXT: %[[N:.*]] = tile.local_load %[[U]] : !tile.shared<64xf16> -> tensor<64xf16, #tile.register_layout<register[16]
// CHECK: arith.sitofp %[[B]]
// CHECK: tile.expand_dims %[[N]]
// CHECK: tile.dot
// CHECK: %[[E:.*]] = tile.load_view {{.*}} -> tensor<64x64xf32
// CHECK-NOT: tile.local_store
// CHECK: scf.yield
// ONE-LABEL: tile.kernel @weights
// ONE-NOT: tile.alloc_shared

// Who has what is not known where tiles have no layouts, and so not what they could copy.
// WITHOUT-LABEL: tile.kernel @weights
tile.kernel @weights(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %W: !tile.ptr<i8> {tile.disjoint, tile.divisibility = 16 : i64}, %S: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64},
    %R: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 16 : i64}, %C: !tile.ptr<f32>, %K: index {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 16 : i64}) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%c64, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %w = tile.view %W, shape [%K, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.view %S, shape [%N], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %r = tile.view %R, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %q = tile.load_view %w[%k, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x64xi8>
    %n = tile.load_view %s[%k] : !tile.view<?xf16, [1]> -> tensor<64xf16>
    %h = arith.sitofp %q : tensor<64x64xi8> to tensor<64x64xf16>
    %line = tile.expand_dims %n {axis = 0 : i32} : tensor<64xf16> -> tensor<1x64xf16>
    %ns = tile.broadcast %line : tensor<1x64xf16> -> tensor<64x64xf16>
    %b = arith.mulf %h, %ns : tensor<64x64xf16>
    %d = tile.dot %ta, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %e = tile.load_view %r[%k, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
    %f = arith.addf %d, %e : tensor<64x64xf32>
    scf.yield %f : tensor<64x64xf32>
  }
  %c = tile.view %C, shape [%c64, %c64], strides [%c64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A left operand of halves is read where it is multiplied, by ldmatrix, and scaled there: nothing is converted. Its right one is read as it lies, under another type.
// CHECK-LABEL: tile.kernel @scaled
// CHECK: scf.for
// CHECK: %[[L:.*]] = tile.local_load %{{.*}} {matrix} : !tile.shared<64x64xf16> -> tensor<64x64xf16, [[A:#.*]]>
// CHECK: arith.mulf %[[L]], %{{.*}} : tensor<64x64xf16, [[A]]>
// CHECK: %[[I:.*]] = tile.local_load %{{.*}} {matrix} : !tile.shared<64x64xi16> -> tensor<64x64xi16, [[B:#.*]]>
// CHECK: arith.bitcast %[[I]] : tensor<64x64xi16, [[B]]> to tensor<64x64xf16, [[B]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.dot
tile.kernel @scaled(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %W: !tile.ptr<i16> {tile.disjoint, tile.divisibility = 16 : i64}, %C: !tile.ptr<f32>, %K: index {tile.divisibility = 16 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%c64, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %w = tile.view %W, shape [%K, %c64], strides [%c64, 1] : !tile.ptr<i16> -> !tile.view<?x?xi16, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf16>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %left = arith.mulf %ta, %half : tensor<64x64xf16>
    %q = tile.load_view %w[%k, %c0] : !tile.view<?x?xi16, [?, 1]> -> tensor<64x64xi16>
    %right = arith.bitcast %q : tensor<64x64xi16> to tensor<64x64xf16>
    %d = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %c = tile.view %C, shape [%c64, %c64], strides [%c64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// What the loop may write, what hangs on what it computes, and what no copy moves, is loaded in order.
// CHECK-LABEL: tile.kernel @in_order
// CHECK-NOT: tile.local_load
tile.kernel @in_order(%A: !tile.ptr<f16> {tile.disjoint}, %W: !tile.ptr<i8>, %V: !tile.ptr<i8> {tile.disjoint}, %K: index)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%c64, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %w = tile.view %W, shape [%K, %c64], strides [%c64, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %v = tile.view %V, shape [%K, %c64], strides [%c64, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum, %last = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %row = %c0) -> (tensor<64x64xf32>, index) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %q = tile.load_view %w[%k, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x64xi8>
    %u = tile.load_view %v[%row, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x64xi8>
    %o = tile.load_view %v[%k, %c1] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x64xi8>
    %t = arith.addi %q, %u : tensor<64x64xi8>
    %x = arith.addi %t, %o : tensor<64x64xi8>
    %b = arith.sitofp %x : tensor<64x64xi8> to tensor<64x64xf16>
    %d = tile.dot %ta, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store_view %t, %w[%k, %c0] : tensor<64x64xi8>, !tile.view<?x?xi8, [?, 1]>
    %next = arith.addi %row, %c64 : index
    scf.yield %d, %next : tensor<64x64xf32>, index
  }
  %c = tile.view %W, shape [%c64, %c64], strides [%c64, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %i = arith.fptosi %sum : tensor<64x64xf32> to tensor<64x64xi8>
  tile.store_view %i, %c[%c0, %c0] : tensor<64x64xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

// The second product's operand is made of the first one's result: what is added there stays.
// CHECK-LABEL: tile.kernel @chain
// CHECK-NOT: tile.alloc_shared
tile.kernel @chain(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 16 : i64}, %C: !tile.ptr<f32>, %K: index)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%K, %c64], strides [%c64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %m = tile.view %B, shape [%K, %c64], strides [%c64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = arith.constant dense<1.0> : tensor<64x64xf16>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %s = tile.dot %one, %ta, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %bias = tile.load_view %m[%k, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
    %t = arith.addf %s, %bias : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tile.dot %p, %one, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %c = tile.view %C, shape [%c64, %c64], strides [%c64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
