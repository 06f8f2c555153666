// Products add to what a loop carries: how it is written does not matter.

// RUN: tile-opt --split-input-file --tile-add-in-products %s | FileCheck %s

// Whatever stands between the product and the sum, and on whichever side the product is.
// CHECK-LABEL: tile.kernel @carried
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[NUM:.*]] = %{{.*}})
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]]
// CHECK-NEXT: %[[SUM:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[SCALED]]
// CHECK-NEXT: %[[COUNT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[NUM]]
// CHECK-NEXT: scf.yield %[[SUM]], %[[COUNT]]
tile.kernel @carried(%n: index, %x: f16, %i: i8, %s: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0> : tensor<32x32xi32>
  %a = tile.splat %x : f16 -> tensor<32x32xf16>
  %b = tile.splat %i : i8 -> tensor<32x32xi8>
  %scale = tile.splat %s : f32 -> tensor<32x32xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %num = %none) -> (tensor<32x32xf32>, tensor<32x32xi32>) {
    %p = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %scaled = arith.mulf %acc, %scale : tensor<32x32xf32>
    %next = arith.addf %scaled, %p : tensor<32x32xf32>
    %q = tile.dot %b, %b, %none : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
    %more = arith.addi %q, %num : tensor<32x32xi32>
    scf.yield %next, %more : tensor<32x32xf32>, tensor<32x32xi32>
  }
  tile.return
}

// -----

// One behind the other.
// CHECK-LABEL: tile.kernel @two
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK-NEXT: %[[FIRST:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NEXT: %[[SECOND:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK-NEXT: scf.yield %[[SECOND]]
tile.kernel @two(%n: index, %x: f16) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.splat %x : f16 -> tensor<32x32xf16>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %p = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %q = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %one = arith.addf %acc, %p : tensor<32x32xf32>
    %both = arith.addf %one, %q : tensor<32x32xf32>
    scf.yield %both : tensor<32x32xf32>
  }
  tile.return
}

// -----

// Not a product with another use, from elsewhere than 0, of 8-bit floats, or that nothing goes on with.
// CHECK-LABEL: tile.kernel @stay
// CHECK-COUNT-4: arith.addf
// CHECK: scf.yield
// CHECK: arith.addf
tile.kernel @stay(%n: index, %x: f16, %y: f8E4M3FN, %s: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.splat %x : f16 -> tensor<32x32xf16>
  %b = tile.splat %y : f8E4M3FN -> tensor<32x32xf8E4M3FN>
  %bias = tile.splat %s : f32 -> tensor<32x32xf32>
  %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%twice = %zero, %from = %zero, %small = %zero, %last = %zero) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
    %p = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %sum = arith.addf %twice, %p : tensor<32x32xf32>
    %q = tile.dot %a, %a, %bias : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %other = arith.addf %from, %q : tensor<32x32xf32>
    %f = tile.dot %b, %b, %zero : tensor<32x32xf8E4M3FN>, tensor<32x32xf8E4M3FN>, tensor<32x32xf32>
    %wide = arith.addf %small, %f : tensor<32x32xf32>
    %g = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %biased = arith.addf %g, %bias : tensor<32x32xf32>
    %scaled = arith.mulf %biased, %p : tensor<32x32xf32>
    scf.yield %sum, %other, %wide, %scaled : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  }
  %d = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  %e = arith.addf %d, %bias : tensor<32x32xf32>
  tile.return
}
