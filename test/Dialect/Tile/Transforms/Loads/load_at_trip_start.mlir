// What a loop of products loads into registers is loaded where the trip begins.

// RUN: tile-opt --tile-load-at-trip-start %s | FileCheck %s

#few = #tile.register_layout<register[1,4] lane[8,4] warp[4,1]>
#many = #tile.register_layout<register[1,16] lane[32,1] warp[4,1] register[1,2]>

// With where it is, in front of what threads exchange and multiply. What the loop stores to is loaded behind that, and so is what
// hangs on a number that is loaded, or has many registers.
// CHECK-LABEL: tile.kernel @trips
// CHECK: scf.for
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: %[[SCALE:.*]] = tile.load %{{.*}} : !tile.ptr<f32>
// CHECK-NEXT: %[[V:.*]] = tile.load_view %{{.*}} -> tensor<32x16xf32, #[[FEW:.*]]>
// CHECK-NEXT: %[[AT:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK-NEXT: local_store
// CHECK: tile.dot
// CHECK-NEXT: tile.load_view %{{.*}} -> tensor<128x32xf32,
// CHECK-NEXT: %[[Q:.*]] = tile.addptr %{{.*}}, %[[AT]]
// CHECK-NEXT: tile.load %[[Q]]
// CHECK: arith.mulf %[[V]],
// CHECK: tile.store_view
// CHECK-NEXT: tile.load_view
tile.kernel @trips(%P: !tile.ptr<f32>, %V: !tile.ptr<f32> {tile.disjoint}, %O: !tile.ptr<f32> {tile.disjoint}, %list: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %tile = tile.alloc_shared : !tile.shared<16x16xf32>
  %v = tile.view %V, shape [%n, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<?x32xf32, [32, 1]>
  %o = tile.view %O, shape [%n, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<?x32xf32, [32, 1]>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    tile.local_store %sum, %tile : tensor<16x16xf32>, !tile.shared<16x16xf32>
    %x = tile.local_load %tile : !tile.shared<16x16xf32> -> tensor<16x16xf32>
    %next = tile.dot %x, %x, %sum : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %p = tile.addptr %P, %i : !tile.ptr<f32>, index
    %scale = tile.load %p : !tile.ptr<f32>
    %few = tile.load_view %v[%i, %c0] : !tile.view<?x32xf32, [32, 1]> -> tensor<32x16xf32, #few>
    %many = tile.load_view %v[%i, %c0] : !tile.view<?x32xf32, [32, 1]> -> tensor<128x32xf32, #many>
    %at = tile.load %list : !tile.ptr<i32>
    %q = tile.addptr %P, %at : !tile.ptr<f32>, i32
    %late = tile.load %q : !tile.ptr<f32>
    %scales = tile.splat %scale : f32 -> tensor<32x16xf32, #few>
    %scaled = arith.mulf %few, %scales : tensor<32x16xf32, #few>
    tile.store_view %scaled, %o[%i, %c0] : tensor<32x16xf32, #few>, !tile.view<?x32xf32, [32, 1]>
    %again = tile.load_view %o[%i, %c0] : !tile.view<?x32xf32, [32, 1]> -> tensor<32x16xf32, #few>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}

// Nor behind a wait for others, or an assertion, wherever in the trip that stands.
// CHECK-LABEL: tile.kernel @waits
// CHECK: scf.for
// CHECK-NEXT: %[[EARLY:.*]] = tile.load %{{.*}} : !tile.ptr<f32>
// CHECK-NEXT: local_store
// CHECK: tile.assert
// CHECK: tile.load %{{.*}} : !tile.ptr<f32>
// CHECK: scf.while
// CHECK: tile.load %{{.*}} volatile
// CHECK: scf.yield
// CHECK: tile.load %{{.*}} : !tile.ptr<f32>
tile.kernel @waits(%P: !tile.ptr<f32> {tile.disjoint}, %flag: !tile.ptr<i32> {tile.disjoint}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %tile = tile.alloc_shared : !tile.shared<16x16xf32>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    tile.local_store %sum, %tile : tensor<16x16xf32>, !tile.shared<16x16xf32>
    %x = tile.local_load %tile : !tile.shared<16x16xf32> -> tensor<16x16xf32>
    %next = tile.dot %x, %x, %sum : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %early = tile.load %P : !tile.ptr<f32>
    %p = tile.addptr %P, %i : !tile.ptr<f32>, index
    %inside = arith.cmpi slt, %i, %n : index
    scf.if %inside {
      tile.assert %inside, "the row is there" : i1
    }
    %checked = tile.load %p : !tile.ptr<f32>
    scf.while : () -> () {
      %set = tile.load %flag volatile : !tile.ptr<i32>
      %waits = arith.cmpi eq, %set, %none : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    %behind = tile.load %p : !tile.ptr<f32>
    %one = arith.addf %early, %checked : f32
    %all = arith.addf %one, %behind : f32
    %scales = tile.splat %all : f32 -> tensor<16x16xf32>
    %scaled = arith.mulf %next, %scales : tensor<16x16xf32>
    scf.yield %scaled : tensor<16x16xf32>
  }
  tile.return
}
