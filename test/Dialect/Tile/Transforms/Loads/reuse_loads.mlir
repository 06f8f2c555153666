// Loads of what an earlier load of the same program has read.

// RUN: tile-opt --tile-reuse-loads %s | FileCheck %s

// The same elements: with no mask, the same one, and a part of it.
// CHECK-LABEL: tile.kernel @masks
// CHECK: %[[X:.*]] = load %{{.*}} mask %[[M:.*]] else %[[A:.*]] : tensor<128x!tile.ptr<f16>>
// CHECK-NOT: load
// CHECK: %[[Y:.*]] = arith.select %[[M]], %[[X]], %[[B:.*]] : tensor<128xi1>, tensor<128xf16>
// CHECK: %[[PART:.*]] = arith.andi %{{.*}}, %[[M]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK: %[[Z:.*]] = arith.select %[[PART]], %[[X]], %[[ZERO]]
// CHECK: store %{{.*}}, %[[X]]
// CHECK: store %{{.*}}, %[[Y]]
// CHECK: store %{{.*}}, %[[Z]]
tile.kernel @masks(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: i32, %a: f16, %b: f16) {
  %i = tile.iota 0 : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<128xi32>
  %odd = arith.cmpi sgt, %i, %ns : tensor<128xi32>
  %as = tile.splat %a : f16 -> tensor<128xf16>
  %bs = tile.splat %b : f16 -> tensor<128xf16>
  %x = tile.load %xp mask %inside else %as : tensor<128x!tile.ptr<f16>>
  %w = tile.load %xp mask %inside else %as : tensor<128x!tile.ptr<f16>>
  %y = tile.load %xp mask %inside else %bs : tensor<128x!tile.ptr<f16>>
  %part = arith.andi %odd, %inside : tensor<128xi1>
  %z = tile.load %xp mask %part : tensor<128x!tile.ptr<f16>>
  tile.store %yp, %w : tensor<128x!tile.ptr<f16>>
  tile.store %yp, %y : tensor<128x!tile.ptr<f16>>
  tile.store %yp, %z : tensor<128x!tile.ptr<f16>>
  tile.return
}

// What has no mask has read all; what has one has not, nor what another mask leaves out.
// CHECK-LABEL: tile.kernel @other_masks
// CHECK: %[[X:.*]] = load %{{.*}} mask
// CHECK: %[[Y:.*]] = load %{{.*}} mask
// CHECK: %[[Z:.*]] = load %{{[^ ]*}} : tensor
// CHECK-NOT: load
// CHECK: %[[W:.*]] = arith.select %{{.*}}, %[[Z]],
// CHECK: store %{{.*}}, %[[X]]
// CHECK: store %{{.*}}, %[[Y]]
// CHECK: store %{{.*}}, %[[W]]
tile.kernel @other_masks(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: i32) {
  %i = tile.iota 0 : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %below = arith.cmpi slt, %i, %ns : tensor<128xi32>
  %above = arith.cmpi sge, %i, %ns : tensor<128xi32>
  %third = arith.cmpi eq, %i, %ns : tensor<128xi32>
  %x = tile.load %xp mask %below : tensor<128x!tile.ptr<f16>>
  %y = tile.load %xp mask %above : tensor<128x!tile.ptr<f16>>
  %z = tile.load %xp : tensor<128x!tile.ptr<f16>>
  %w = tile.load %xp mask %third : tensor<128x!tile.ptr<f16>>
  tile.store %ys, %x : tensor<128x!tile.ptr<f16>>
  tile.store %ys, %y : tensor<128x!tile.ptr<f16>>
  tile.store %ys, %z : tensor<128x!tile.ptr<f16>>
  tile.store %ys, %w : tensor<128x!tile.ptr<f16>>
  tile.return
}

// Blocks of views, of the same coordinates.
// CHECK-LABEL: tile.kernel @views
// CHECK: %[[X:.*]] = load_view
// CHECK: %[[Y:.*]] = load_view
// CHECK-NOT: load_view
// CHECK: store_view %[[X]]
// CHECK: store_view %[[X]]
// CHECK: store_view %[[Y]]
tile.kernel @views(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: index, %k: index) {
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %a = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %b = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %c = tile.load_view %x[%n] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  tile.store_view %a, %y[%k] : tensor<128xf32>, !tile.view<?xf32, [1]>
  %d = tile.load_view %x[%k] : !tile.view<?xf32, [1]> -> tensor<128xf32>
  tile.store_view %d, %y[%n] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.store_view %c, %y[%n] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// A store that may touch the bytes: of the same array, of one that may overlap.
// CHECK-LABEL: tile.kernel @stores
// CHECK-COUNT-3: = load
// CHECK-NOT: = load
tile.kernel @stores(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %Z: !tile.ptr<f32> {tile.disjoint}) {
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %zs = tile.splat %Z : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = tile.load %xs : tensor<128x!tile.ptr<f32>>
  tile.store %ys, %a : tensor<128x!tile.ptr<f32>>
  %b = tile.load %xs : tensor<128x!tile.ptr<f32>>
  tile.store %xs, %b : tensor<128x!tile.ptr<f32>>
  %c = tile.load %xs : tensor<128x!tile.ptr<f32>>
  tile.store %zs, %c : tensor<128x!tile.ptr<f32>>
  %d = tile.load %xs : tensor<128x!tile.ptr<f32>>
  tile.store %zs, %d : tensor<128x!tile.ptr<f32>>
  tile.return
}

// Volatile loads are made each time, and like atomic accesses and barriers they may say that others have written.
// CHECK-LABEL: tile.kernel @others
// CHECK: load %[[XS:[^ ]*]] : tensor
// CHECK: atomic_rmw
// CHECK: load %[[XS]] : tensor
// CHECK: barrier
// CHECK: load %[[XS]] : tensor
// CHECK: load %{{[^ ]*}} volatile
// CHECK: load %{{[^ ]*}} volatile
// CHECK: load %[[XS]] : tensor
// CHECK-NOT: = load
tile.kernel @others(%X: !tile.ptr<i32> {tile.disjoint}, %Y: !tile.ptr<i32> {tile.disjoint}, %one: i32) {
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %a = tile.load %xs : tensor<128x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %Y, %one : !tile.ptr<i32>
  %b = tile.load %xs : tensor<128x!tile.ptr<i32>>
  tile.barrier
  %c = tile.load %xs : tensor<128x!tile.ptr<i32>>
  %u = tile.load %ys volatile : tensor<128x!tile.ptr<i32>>
  %v = tile.load %ys volatile : tensor<128x!tile.ptr<i32>>
  %d = tile.load %xs : tensor<128x!tile.ptr<i32>>
  %e = tile.load %xs : tensor<128x!tile.ptr<i32>>
  %f = arith.addi %a, %b : tensor<128xi32>
  %g = arith.addi %c, %d : tensor<128xi32>
  %h = arith.addi %u, %v : tensor<128xi32>
  %i = arith.addi %e, %f : tensor<128xi32>
  %j = arith.addi %g, %h : tensor<128xi32>
  %k = arith.addi %i, %j : tensor<128xi32>
  tile.store %xs, %k : tensor<128x!tile.ptr<i32>>
  tile.return
}

// A branch has what came before; what it loads itself is not there behind it, and what it stores is not forgotten.
// CHECK-LABEL: tile.kernel @branch
// CHECK: %[[X:.*]] = load %[[XS:[^ ]*]] : tensor
// CHECK: scf.if
// CHECK-NOT: load %[[XS]]
// CHECK: %[[Y:.*]] = tile.load %[[YS:[^ ]*]] : tensor
// CHECK: store %[[XS]], %[[X]]
// CHECK: else
// CHECK: store %{{.*}}, %[[X]]
// CHECK: }
// CHECK: load %[[YS]] : tensor
// CHECK: load %[[XS]] : tensor
tile.kernel @branch(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %Z: !tile.ptr<f32> {tile.disjoint}, %way: i1) {
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %zs = tile.splat %Z : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = tile.load %xs : tensor<128x!tile.ptr<f32>>
  tile.store %zs, %a : tensor<128x!tile.ptr<f32>>
  scf.if %way {
    %b = tile.load %xs : tensor<128x!tile.ptr<f32>>
    %c = tile.load %ys : tensor<128x!tile.ptr<f32>>
    tile.store %xs, %b : tensor<128x!tile.ptr<f32>>
    tile.store %zs, %c : tensor<128x!tile.ptr<f32>>
  } else {
    %b = tile.load %xs : tensor<128x!tile.ptr<f32>>
    tile.store %zs, %b : tensor<128x!tile.ptr<f32>>
  }
  %d = tile.load %ys : tensor<128x!tile.ptr<f32>>
  tile.store %zs, %d : tensor<128x!tile.ptr<f32>>
  %e = tile.load %xs : tensor<128x!tile.ptr<f32>>
  tile.store %zs, %e : tensor<128x!tile.ptr<f32>>
  tile.return
}

// A loop too, unless a trip of it writes there.
// CHECK-LABEL: tile.kernel @loops
// CHECK: %[[X:.*]] = load %[[XS:[^ ]*]] : tensor
// CHECK: scf.for
// CHECK-NEXT: store %[[YS:[^ ]*]], %[[X]]
// CHECK: scf.for
// CHECK-NEXT: %[[B:.*]] = tile.load %[[XS]]
// CHECK-NEXT: store %[[YS]], %[[B]]
// CHECK-NEXT: store %[[XS]], %[[B]]
tile.kernel @loops(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = tile.load %xs : tensor<128x!tile.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %b = tile.load %xs : tensor<128x!tile.ptr<f32>>
    tile.store %ys, %b : tensor<128x!tile.ptr<f32>>
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = tile.load %xs : tensor<128x!tile.ptr<f32>>
    tile.store %ys, %b : tensor<128x!tile.ptr<f32>>
    tile.store %xs, %b : tensor<128x!tile.ptr<f32>>
  }
  tile.return
}

// 512 bytes a thread are loaded again, 256 are not. Scalars are left to others.
// CHECK-LABEL: tile.kernel @large
// CHECK-COUNT-2: load %{{[^ ]*}} : tensor<4096x
// CHECK: load %{{[^ ]*}} : tensor<2048x
// CHECK-NOT: load %{{[^ ]*}} : tensor
// CHECK-COUNT-2: load %{{[^ ]*}} : !tile.ptr
tile.kernel @large(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}) attributes {num_warps = 1 : i32} {
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %us = tile.splat %X : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %vs = tile.splat %Y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %a = tile.load %xs : tensor<4096x!tile.ptr<f32>>
  %b = tile.load %xs : tensor<4096x!tile.ptr<f32>>
  tile.store %ys, %a : tensor<4096x!tile.ptr<f32>>
  tile.store %ys, %b : tensor<4096x!tile.ptr<f32>>
  %c = tile.load %us : tensor<2048x!tile.ptr<f32>>
  %d = tile.load %us : tensor<2048x!tile.ptr<f32>>
  tile.store %vs, %c : tensor<2048x!tile.ptr<f32>>
  tile.store %vs, %d : tensor<2048x!tile.ptr<f32>>
  %e = tile.load %X : !tile.ptr<f32>
  %f = tile.load %X : !tile.ptr<f32>
  tile.store %Y, %e : !tile.ptr<f32>
  tile.store %Y, %f : !tile.ptr<f32>
  tile.return
}
