// Scalars that only what is behind a loop of products under way needs are computed behind it.

// RUN: tile-opt --split-input-file --tile-sink-scalars %s | FileCheck %s

// CHECK-LABEL: tile.kernel @behind
// CHECK: %[[Q:.*]] = arith.divui
// CHECK: arith.addi %[[Q]]
// CHECK-NOT: arith.remui
// CHECK: scf.for
// CHECK: tile.warpgroup_dot {{.*}} {async}
// CHECK: }
// CHECK-NEXT: %[[R:.*]] = arith.remui
// CHECK-NEXT: %[[S:.*]] = arith.muli %[[R]]
// CHECK-NEXT: dot_wait 0
// CHECK: store_view %{{.*}}, %{{.*}}[%[[S]], %[[Q]]]
tile.kernel @behind(%p: !tile.ptr<f32>, %x: f32, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<64x16xf16>
  %b = tile.alloc_shared : !tile.shared<16x16xf16>
  %q = arith.divui %n, %m : index
  %more = arith.addi %q, %c1 : index
  %r = arith.remui %n, %m : index
  %s = arith.muli %r, %m : index
  %sums = scf.for %i = %c0 to %more step %c1 iter_args(%sum = %start) -> (tensor<64x16xf32>) {
    %d = tile.warpgroup_dot %a, %b, %sum {async} : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  %total = tile.dot_wait 0, %sums : tensor<64x16xf32>
  %v = tile.view %p, shape [%n, %m], strides [%m, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %total, %v[%s, %q] : tensor<64x16xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Where no product is under way all stays.
// CHECK-LABEL: tile.kernel @done
// CHECK: arith.remui
// CHECK: scf.for
tile.kernel @done(%p: !tile.ptr<f32>, %x: f32, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<64x16xf16>
  %b = tile.alloc_shared : !tile.shared<16x16xf16>
  %r = arith.remui %n, %m : index
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (tensor<64x16xf32>) {
    %d = tile.warpgroup_dot %a, %b, %sum : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  %v = tile.view %p, shape [%n, %m], strides [%m, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %sums, %v[%r, %r] : tensor<64x16xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
