// Which loads of a loop that stores run ahead: those whose bytes it does not write.
//
// RUN: tile-opt --tile-placement --split-input-file %s 2>/dev/null | FileCheck %s

// Views promise: both loads run ahead of the stores.
// CHECK-LABEL: tile.kernel @views
// CHECK: scf.for
// CHECK-NOT: load_view
// CHECK: copy_async
// CHECK: copy_async
// CHECK-NOT: load_view
// CHECK: store_view
tile.kernel @views(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.divisibility = 16}, %C: !tile.ptr<f32> {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}

// -----

// Of two that overlap both must say so.
// CHECK-LABEL: tile.kernel @one_says_so
// CHECK: scf.for
// CHECK-NOT: load_view
// CHECK: copy_async
// CHECK: copy_async
// CHECK-NOT: load_view
// CHECK: store_view
tile.kernel @one_says_so(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.divisibility = 16}, %C: !tile.ptr<f32> {tile.may_overlap, tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}

// -----

// Without a promise no load moves over a store.
// CHECK-LABEL: tile.kernel @may_overlap
// CHECK-NOT: copy_async
// CHECK: scf.for
// CHECK: load_view
// CHECK: load_view
// CHECK: store_view
// CHECK-NOT: copy_async
tile.kernel @may_overlap(%A: !tile.ptr<f32> {tile.may_overlap, tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.may_overlap, tile.divisibility = 16}, %C: !tile.ptr<f32> {tile.may_overlap, tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}

// -----

// A promises, B does not.
// CHECK-LABEL: tile.kernel @b_may_overlap
// CHECK: scf.for
// CHECK: copy_async
// CHECK-NOT: copy_async
// CHECK: load_view
// CHECK-NOT: copy_async
// CHECK: store_view
tile.kernel @b_may_overlap(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.may_overlap, tile.divisibility = 16}, %C: !tile.ptr<f32> {tile.may_overlap, tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}

// -----

// Through the argument that B is loaded from: views do not say which part of it.
// CHECK-LABEL: tile.kernel @in_place
// CHECK: scf.for
// CHECK: copy_async
// CHECK-NOT: copy_async
// CHECK: load_view
// CHECK-NOT: copy_async
// CHECK: store_view
tile.kernel @in_place(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}

// -----

// What is stored through may be either argument.
// CHECK-LABEL: tile.kernel @unknown
// CHECK-NOT: copy_async
// CHECK: scf.for
// CHECK: load_view
// CHECK: load_view
// CHECK: store_view
// CHECK-NOT: copy_async
tile.kernel @unknown(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.divisibility = 16}, %which: i1) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %C = arith.select %which, %A, %B : !tile.ptr<f32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}
