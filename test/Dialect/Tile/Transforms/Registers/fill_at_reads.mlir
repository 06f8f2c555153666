// A number for what a mask leaves out is chosen after the conversion, by the mask of that trip, so
// that the load runs ahead.

// RUN: tile-opt %s --tile-assign-register-layouts --tile-fill-at-reads | FileCheck %s
// RUN: tile-opt %s --tile-placement | FileCheck %s --check-prefix=AHEAD

// CHECK-LABEL: tile.kernel @ones
// CHECK: scf.for
// CHECK: %[[T:.*]] = tile.load %{{.*}} mask %{{[^ ]*}} : tensor<32x32x!tile.ptr<f16>
// CHECK: %[[MASK:.*]] = tile.broadcast {{.*}} -> tensor<32x32xi1, #tile.register_layout
// CHECK: %[[U:.*]] = tile.convert_layout %[[T]]
// CHECK: %[[FILLED:.*]] = arith.select %[[MASK]], %[[U]], %{{.*}} :
// CHECK: tile.dot %[[FILLED]], %[[FILLED2:.*]], %
// A zero needs no choice: this is what a copy leaves.
// CHECK-LABEL: tile.kernel @zeros
// CHECK-NOT: arith.select

// AHEAD-LABEL: tile.kernel @ones
// AHEAD: copy_async {{.*}} inside
// AHEAD: scf.for
// AHEAD: copy_async {{.*}} inside
// AHEAD: local_load
// AHEAD: arith.select
// AHEAD: dot
// AHEAD-LABEL: tile.kernel @zeros
// AHEAD: scf.for
// AHEAD: copy_async {{.*}} inside
// AHEAD-NOT: tile.load
// AHEAD: return
tile.kernel @ones(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %iota = tile.iota 0 : tensor<32xi32>
  %rows = tile.expand_dims %iota {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ns = tile.splat %n : i32 -> tensor<32x1xi32>
  %row = arith.muli %rows, %ns : tensor<32x1xi32>
  %r = tile.broadcast %row : tensor<32x1xi32> -> tensor<32x32xi32>
  %c = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %i = arith.addi %r, %c : tensor<32x32xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %first = tile.addptr %xs, %i : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %sum = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<32x32xi32>
    %ps = tile.addptr %first, %ks : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %left = arith.subi %n, %k : i32
    %lefts = tile.splat %left : i32 -> tensor<1x32xi32>
    %in1 = arith.cmpi slt, %columns, %lefts : tensor<1x32xi32>
    %in = tile.broadcast %in1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %t = tile.load %ps mask %in else %ones : tensor<32x32x!tile.ptr<f16>>
    %next = tile.dot %t, %ones, %acc : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %qs = tile.addptr %ys, %i : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %qs, %sum : tensor<32x32x!tile.ptr<f32>>
  tile.return
}

tile.kernel @zeros(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %iota = tile.iota 0 : tensor<32xi32>
  %rows = tile.expand_dims %iota {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ns = tile.splat %n : i32 -> tensor<32x1xi32>
  %row = arith.muli %rows, %ns : tensor<32x1xi32>
  %r = tile.broadcast %row : tensor<32x1xi32> -> tensor<32x32xi32>
  %c = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %i = arith.addi %r, %c : tensor<32x32xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %first = tile.addptr %xs, %i : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %half = arith.constant 0.0 : f16
  %none = tile.splat %half : f16 -> tensor<32x32xf16>
  %ones = arith.constant dense<1.0> : tensor<32x32xf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %sum = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<32x32xi32>
    %ps = tile.addptr %first, %ks : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %left = arith.subi %n, %k : i32
    %lefts = tile.splat %left : i32 -> tensor<1x32xi32>
    %in1 = arith.cmpi slt, %columns, %lefts : tensor<1x32xi32>
    %in = tile.broadcast %in1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %t = tile.load %ps mask %in else %none : tensor<32x32x!tile.ptr<f16>>
    %next = tile.dot %t, %ones, %acc : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %qs = tile.addptr %ys, %i : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %qs, %sum : tensor<32x32x!tile.ptr<f32>>
  tile.return
}
