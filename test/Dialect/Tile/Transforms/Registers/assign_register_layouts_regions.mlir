// Layouts of tiles that go through loops and branches.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// What goes into the first region of a loop and what comes out of it may be in different layouts: here the first is
// transposed before it is handed on, and back in the second. Nothing is converted within.
// CHECK-LABEL: tile.kernel @while
// CHECK: %[[T:.*]] = load_view {{.*}} -> tensor<32x32xf32, #[[ROWS:.*]]>
// CHECK: %[[R:.*]]:2 = scf.while (%[[X:.*]] = %[[T]], %{{.*}} = %{{.*}}) : (tensor<32x32xf32, #[[ROWS]]>, index) -> (index, tensor<32x32xf32, #[[COLUMNS:.*]]>) {
// CHECK-NOT: convert_layout
// CHECK: %[[U:.*]] = tile.trans %[[X]] [1, 0] : tensor<32x32xf32, #[[ROWS]]> -> tensor<32x32xf32, #[[COLUMNS]]>
// CHECK: scf.condition({{.*}}) %{{.*}}, %[[U]] : index, tensor<32x32xf32, #[[COLUMNS]]>
// CHECK: ^bb0(%{{.*}}: index, %[[Y:.*]]: tensor<32x32xf32, #[[COLUMNS]]>):
// CHECK-NOT: convert_layout
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<32x32xf32, #[[ROWS]]>, index
// CHECK: %[[V:.*]] = convert_layout %[[R]]#1
// CHECK: store_view %[[V]]
tile.kernel @while(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %r:2 = scf.while (%x = %t, %i = %c0) : (tensor<32x32xf32>, index) -> (index, tensor<32x32xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    %u = tile.trans %x [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    scf.condition(%more) %i, %u : index, tensor<32x32xf32>
  } do {
  ^bb0(%i: index, %y: tensor<32x32xf32>):
    %next = arith.addi %i, %c1 : index
    %v = tile.trans %y [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %v, %next : tensor<32x32xf32>, index
  }
  tile.store_view %r#1, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Tiles that change places in each iteration are in one layout, cheap ones too: what is loaded says which.
// CHECK-LABEL: tile.kernel @swapped
// CHECK: %[[ZERO:.*]] = arith.constant dense<0{{.*}}> : tensor<32x32xf32, #[[ROWS:.*]]>
// CHECK: %[[T:.*]] = load_view {{.*}} -> tensor<32x32xf32, #[[ROWS]]>
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[ZERO]], %[[Y:.*]] = %[[T]]) -> (tensor<32x32xf32, #[[ROWS]]>, tensor<32x32xf32, #[[ROWS]]>)
// CHECK-NEXT: scf.yield %[[Y]], %[[X]]
// CHECK-NOT: convert_layout
// CHECK: store_view %[[R]]#0
tile.kernel @swapped(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %t) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    scf.yield %y, %x : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tile.store_view %r#0, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Nothing in here is expensive: the store that the tile leads to, out of both loops and through a transpose, says in
// which layout it is carried.
// CHECK-LABEL: tile.kernel @cheap_nested
// CHECK: scf.for {{.*}} -> (tensor<32x32xi32, #[[COLUMNS:.*]]>)
// CHECK: scf.for {{.*}} -> (tensor<32x32xi32, #[[COLUMNS]]>)
// CHECK-NOT: convert_layout
// CHECK: trans {{.*}} : tensor<32x32xi32, #[[COLUMNS]]> -> tensor<32x32xi32, #[[ROWS:.*]]>
// CHECK-NEXT: store_view {{.*}} : tensor<32x32xi32, #[[ROWS]]>
tile.kernel @cheap_nested(%A: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1> : tensor<32x32xi32>
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %one) -> (tensor<32x32xi32>) {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%y = %x) -> (tensor<32x32xi32>) {
      %z = arith.addi %y, %one : tensor<32x32xi32>
      scf.yield %z : tensor<32x32xi32>
    }
    scf.yield %s : tensor<32x32xi32>
  }
  %t = tile.trans %r [1, 0] : tensor<32x32xi32> -> tensor<32x32xi32>
  tile.store_view %t, %a[%c0, %c0] : tensor<32x32xi32>, !tile.view<?x?xi32, [?, 1]>
  tile.return
}

// -----

// Of branches in different layouts the first one that has any stays as it is; what the other one yields is converted
// where it is made, and a cheap one is made in the layout.
// CHECK-LABEL: tile.kernel @branches
// CHECK: %[[T:.*]] = load_view {{.*}} -> tensor<32x32xf32, #[[ROWS:.*]]>
// CHECK: %[[V:.*]] = convert_layout %[[T]] : {{.*}} -> tensor<32x32xf32, #[[COLUMNS:.*]]>
// CHECK: %[[R:.*]]:2 = scf.if {{.*}} -> (tensor<32x32xf32, #[[COLUMNS]]>, tensor<32x32xf32, #[[ROWS]]>) {
// CHECK: %[[U:.*]] = tile.trans %[[T]]
// CHECK: scf.yield %[[U]], %{{.*}} : tensor<32x32xf32, #[[COLUMNS]]>, tensor<32x32xf32, #[[ROWS]]>
// CHECK: } else {
// CHECK: scf.yield %[[V]], %[[T]]
tile.kernel @branches(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %r:2 = scf.if %c -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %one = arith.constant dense<1.0> : tensor<32x32xf32>
    scf.yield %u, %one : tensor<32x32xf32>, tensor<32x32xf32>
  } else {
    scf.yield %t, %t : tensor<32x32xf32>, tensor<32x32xf32>
  }
  %s = arith.addf %r#0, %r#1 : tensor<32x32xf32>
  tile.store_view %s, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// One iteration, as the bounds say: argument and result are of one type for all that.
// CHECK-LABEL: tile.kernel @once
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<32x32xf32, #[[COLUMNS:.*]]>) {
// CHECK: scf.yield {{.*}} : tensor<32x32xf32, #[[COLUMNS]]>
tile.kernel @once(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %t) -> (tensor<32x32xf32>) {
    %u = tile.trans %x [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %u : tensor<32x32xf32>
  }
  tile.store_view %r, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A mask that goes around a loop, and is cheap before it, is where what it masks is; not where truth values would be best loaded.
// CHECK-LABEL: tile.kernel @mask
// CHECK: load_view {{.*}} -> tensor<1024xf32, #[[L:.*]]>
// CHECK: scf.for {{.*}} -> (tensor<1024xi1, #[[L]]>)
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @mask(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32>, %n: i32, %m: index) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = tile.constant 0 : tensor<1024xf32>
  %a = tile.view %A, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %i = tile.iota 0 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %all = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %t = tile.load_view %a[%c0] : !tile.view<1024xf32, [1]> -> tensor<1024xf32>
  %r = scf.for %k = %c0 to %m step %c1 iter_args(%left = %all) -> (tensor<1024xi1>) {
    %x = arith.select %left, %t, %zero : tensor<1024xi1>, tensor<1024xf32>
    %most = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
    ^bb0(%p: f32, %q: f32):
      %max = arith.maxnumf %p, %q : f32
      tile.yield %max : f32
    }
    %p = tile.addptr %B, %k : !tile.ptr<f32>, index
    tile.store %p, %most : !tile.ptr<f32>
    %mosts = tile.splat %most : f32 -> tensor<1024xf32>
    %less = arith.cmpf olt, %x, %mosts : tensor<1024xf32>
    %next = arith.andi %left, %less : tensor<1024xi1>
    scf.yield %next : tensor<1024xi1>
  }
  tile.return
}

// -----

// Slots of a table, looked at one after the other, stand where the first one was loaded: so do the keys that are loaded there.
// CHECK-LABEL: tile.kernel @slots
// CHECK: %[[FIRST:.*]] = load_view {{.*}} -> tensor<512xi32, #[[HOME:.*]]>
// CHECK: scf.while (%[[S:.*]] = %[[FIRST]], %{{.*}} = %{{.*}}) : (tensor<512xi32, #[[HOME]]>, index)
// CHECK-NOT: convert_layout
// CHECK: tile.load {{.*}} : tensor<512x!tile.ptr<i32>, #[[HOME]]>
// CHECK-NOT: convert_layout
tile.kernel @slots(%A: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %table: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.view %A, shape [512], strides [1] : !tile.ptr<i32> -> !tile.view<512xi32, [1]>
  %first = tile.load_view %a[%c0] : !tile.view<512xi32, [1]> -> tensor<512xi32>
  %r:2 = scf.while (%s = %first, %i = %c0) : (tensor<512xi32>, index) -> (tensor<512xi32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %s, %i : tensor<512xi32>, index
  } do {
  ^bb0(%s: tensor<512xi32>, %i: index):
    %bases = tile.splat %table : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
    %places = tile.addptr %bases, %s : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
    %keys = tile.load %places : tensor<512x!tile.ptr<i32>>
    %next = arith.addi %i, %c1 : index
    %t = arith.addi %s, %keys : tensor<512xi32>
    scf.yield %t, %next : tensor<512xi32>, index
  }
  tile.store_view %r#0, %a[%c0] : tensor<512xi32>, !tile.view<512xi32, [1]>
  tile.return
}
