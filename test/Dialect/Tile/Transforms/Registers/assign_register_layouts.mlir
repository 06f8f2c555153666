// Layouts of the tiles of a tile program.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// A load and a store that agree on a coalesced layout: four f32 a thread of each of four rows, a row a warp.
// CHECK-LABEL: tile.kernel @copy
// CHECK: load_view {{.*}} -> tensor<32x128xf32, #tile.register_layout<register[4,4] lane[1,32] warp[4,1] register[2,1]>>
// CHECK-NOT: convert_layout
// CHECK: store_view {{.*}} : tensor<32x128xf32, #tile.register_layout<register[4,4] lane[1,32] warp[4,1] register[2,1]>>
tile.kernel @copy(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x128xf32>
  tile.store_view %t, %b[%c0, %c0] : tensor<32x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// What is not known to be aligned is one element a thread.
// CHECK-LABEL: tile.kernel @unaligned
// CHECK: load_view {{.*}} -> tensor<4x32xf32, #tile.register_layout<lane[1,32] warp[4,1]>>
tile.kernel @unaligned(%A: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<4x32xf32>
  tile.store_view %t, %a[%c0, %c0] : tensor<4x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A column-major view is coalesced down its columns.
// CHECK-LABEL: tile.kernel @column_major
// CHECK: load_view {{.*}} -> tensor<128x4xf32, #tile.register_layout<register[4,1] lane[32,1] warp[1,4]>>
tile.kernel @column_major(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [1, %n] : !tile.ptr<f32> -> !tile.view<?x?xf32, [1, ?]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [1, ?]> -> tensor<128x4xf32>
  tile.store_view %t, %a[%c0, %c0] : tensor<128x4xf32>, !tile.view<?x?xf32, [1, ?]>
  tile.return
}

// -----

// A transpose renames the registers, and converts once before its store.
// CHECK-LABEL: tile.kernel @transpose
// CHECK: %[[T:.*]] = load_view {{.*}} -> tensor<32x32xf32, #[[ROWS:.*]]>
// CHECK: %[[U:.*]] = trans %[[T]] [1, 0] : tensor<32x32xf32, #[[ROWS]]> -> tensor<32x32xf32, #[[COLUMNS:.*]]>
// CHECK: %[[V:.*]] = convert_layout %[[U]] : tensor<32x32xf32, #[[COLUMNS]]> -> tensor<32x32xf32, #[[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: store_view %[[V]]
tile.kernel @transpose(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store_view %u, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A transpose of what is stored down the columns needs no conversion at all.
// CHECK-LABEL: tile.kernel @transpose_of_layouts
// CHECK-NOT: convert_layout
tile.kernel @transpose_of_layouts(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %A, shape [%n, %n], strides [1, %n] : !tile.ptr<f32> -> !tile.view<?x?xf32, [1, ?]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store_view %u, %b[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [1, ?]>
  tile.return
}

// -----

// Arithmetic stays in the layout of its data; the constant is made in it.
// CHECK-LABEL: tile.kernel @elementwise
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<1024xf32, #[[L:.*]]>
// CHECK: %[[X:.*]] = load {{.*}} : tensor<1024x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: convert_layout
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[C]] : tensor<1024xf32, #[[L]]>
// CHECK: math.exp %[[Y]] : tensor<1024xf32, #[[L]]>
tile.kernel @elementwise(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %base = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %base, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %two = arith.constant dense<2.0> : tensor<1024xf32>
  %x = tile.load %ps : tensor<1024x!tile.ptr<f32>>
  %y = arith.mulf %x, %two : tensor<1024xf32>
  %z = math.exp %y : tensor<1024xf32>
  tile.store %ps, %z : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// -----

// f16 in, f32 out: the store takes the layout of the load, though it would choose another.
// CHECK-LABEL: tile.kernel @widen
// CHECK: load_view {{.*}} -> tensor<64x64xf16, #[[L:.*]]>
// CHECK-NOT: convert_layout
// CHECK: store_view {{.*}} : tensor<64x64xf32, #[[L]]>
tile.kernel @widen(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
  %u = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Cheap values are made once in each layout that is asked for: here the index tile, for pointers to
// f32 and to f16.
// CHECK-LABEL: tile.kernel @cheap
// CHECK-COUNT-2: iota 0 : tensor<1024xi32, #tile.register_layout<{{.*}}>>
// CHECK-NOT: iota
// CHECK-NOT: convert_layout
tile.kernel @cheap(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %H: !tile.ptr<i8> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %hs = tile.splat %H : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %px = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ph = tile.addptr %hs, %i : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %x = tile.load %px : tensor<1024x!tile.ptr<f32>>
  %h = tile.load %ph : tensor<1024x!tile.ptr<i8>>
  tile.store %px, %x : tensor<1024x!tile.ptr<f32>>
  tile.store %ph, %h : tensor<1024x!tile.ptr<i8>>
  tile.return
}

// -----

// A sum carried by a loop is at home where the loads of its body are. In a kernel with such loops, 8 lanes fill lines of
// 128 bytes: each row of a thread costs in each iteration.
// CHECK-LABEL: tile.kernel @loop
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x128xf32, #[[L:tile.register_layout<register\[1,4\] lane\[4,8\] warp\[1,4\]>]]>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (tensor<4x128xf32, #[[L]]>)
// CHECK:   load_view {{.*}} -> tensor<4x128xf32, #[[L]]>
// CHECK:   arith.addf {{.*}} : tensor<4x128xf32, #[[L]]>
// CHECK-NOT: convert_layout
// CHECK: store_view %[[SUM]]
tile.kernel @loop(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<4x128xf32>
  %sum = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %zero) -> tensor<4x128xf32> {
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<4x128xf32>
    %s = arith.addf %acc, %t : tensor<4x128xf32>
    scf.yield %s : tensor<4x128xf32>
  }
  tile.store_view %sum, %a[%c0, %c0] : tensor<4x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Pointers carried by a loop are at home where the load that they lead to wants them.
// CHECK-LABEL: tile.kernel @pointer_loop
// CHECK: scf.for {{.*}} -> (tensor<1024x!tile.ptr<i8>, #[[L:.*]]>)
// CHECK:   load {{.*}} : tensor<1024x!tile.ptr<i8>, #[[L]]>
// CHECK-NOT: convert_layout
tile.kernel @pointer_loop(%A: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.iota 0 : tensor<1024xi32>
  %base = tile.splat %A : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %first = tile.addptr %base, %i : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%ps = %first) -> tensor<1024x!tile.ptr<i8>> {
    %v = tile.load %ps : tensor<1024x!tile.ptr<i8>>
    %next = tile.addptr %ps, %step : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
    tile.store %next, %v : tensor<1024x!tile.ptr<i8>>
    scf.yield %next : tensor<1024x!tile.ptr<i8>>
  }
  tile.return
}

// -----

// Values of a loop that nothing gives a layout get one anyhow.
// CHECK-LABEL: tile.kernel @cheap_loop
// CHECK: scf.for {{.*}} -> (tensor<128xi32, #tile.register_layout<{{.*}}>>)
tile.kernel @cheap_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1> : tensor<128xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %one) -> tensor<128xi32> {
    %y = arith.addi %x, %one : tensor<128xi32>
    scf.yield %y : tensor<128xi32>
  }
  tile.return
}

// -----

// Both ways through a branch give one layout: the one of the expensive side.
// CHECK-LABEL: tile.kernel @branch
// CHECK: scf.if {{.*}} -> (tensor<4x128xf32, #[[L:.*]]>)
// CHECK:   arith.constant dense<0.000000e+00> : tensor<4x128xf32, #[[L]]>
// CHECK: } else {
// CHECK:   load_view {{.*}} -> tensor<4x128xf32, #[[L]]>
// CHECK-NOT: convert_layout
tile.kernel @branch(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %r = scf.if %c -> tensor<4x128xf32> {
    %zero = arith.constant dense<0.0> : tensor<4x128xf32>
    scf.yield %zero : tensor<4x128xf32>
  } else {
    %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<4x128xf32>
    scf.yield %t : tensor<4x128xf32>
  }
  tile.store_view %r, %a[%c0, %c0] : tensor<4x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Two sides that disagree meet by a conversion.
// CHECK-LABEL: tile.kernel @branch_converts
// CHECK: scf.if {{.*}} -> (tensor<32x32xf32, #[[L:.*]]>)
// CHECK: else
// CHECK: %[[V:.*]] = tile.convert_layout {{.*}} -> tensor<32x32xf32, #[[L]]>
// CHECK: scf.yield %[[V]]
tile.kernel @branch_converts(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %r = scf.if %c -> tensor<32x32xf32> {
    scf.yield %t : tensor<32x32xf32>
  } else {
    %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %u : tensor<32x32xf32>
  }
  tile.store_view %r, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Pointers of rows and columns: each step of expand_dims and broadcast follows from the tile of pointers.
// CHECK-LABEL: tile.kernel @outer
// CHECK-NOT: convert_layout
// CHECK: %[[V:.*]] = load {{.*}} : tensor<32x64x!tile.ptr<f32>, #[[L:.*]]>
// CHECK-NOT: convert_layout
// CHECK: store {{.*}}, %[[V]] : tensor<32x64x!tile.ptr<f32>, #[[L]]>
tile.kernel @outer(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 4 : i64}) {
  %i = tile.iota 0 : tensor<32xi32>
  %j = tile.iota 0 : tensor<64xi32>
  %n1 = tile.splat %n : i32 -> tensor<32xi32>
  %rows = arith.muli %i, %n1 : tensor<32xi32>
  %rows2 = tile.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns2 = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %r = tile.broadcast %rows2 : tensor<32x1xi32> -> tensor<32x64xi32>
  %c = tile.broadcast %columns2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %r, %c : tensor<32x64xi32>
  %base = tile.splat %A : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %ps = tile.addptr %base, %o : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %v = tile.load %ps : tensor<32x64x!tile.ptr<f32>>
  tile.store %ps, %v : tensor<32x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A vector that is loaded, then spread over a tile, is loaded by all threads that need it.
// CHECK-LABEL: tile.kernel @bias
// CHECK: %[[B:.*]] = load_view {{.*}} -> tensor<64xf32, #tile.register_layout<register[4] lane[16] lane*2 warp*4>>
// CHECK: %[[E:.*]] = expand_dims %[[B]]
// CHECK: broadcast %[[E]] : tensor<1x64xf32, {{.*}}> -> tensor<32x64xf32, #[[L:.*]]>
// CHECK-NOT: convert_layout
// CHECK: store_view {{.*}} : tensor<32x64xf32, #[[L]]>
tile.kernel @bias(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x64xf32>
  %v = tile.load_view %b[%c0] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %e = tile.expand_dims %v {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %w = tile.broadcast %e : tensor<1x64xf32> -> tensor<32x64xf32>
  %s = arith.addf %t, %w : tensor<32x64xf32>
  tile.store_view %s, %a[%c0, %c0] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// In a loop, where a copy runs ahead, it is converted once while it is small.
// CHECK-LABEL: tile.kernel @bias_in_loop
// CHECK: %[[B:.*]] = tile.load_view {{.*}} -> tensor<64xf32
// CHECK: %[[E:.*]] = tile.expand_dims %[[B]]
// CHECK: %[[C:.*]] = tile.convert_layout %[[E]] : tensor<1x64xf32, {{.*}}> -> tensor<1x64xf32, {{.*}}>
// CHECK: tile.broadcast %[[C]]
tile.kernel @bias_in_loop(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  scf.for %i = %c0 to %n step %c32 {
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x64xf32>
    %v = tile.load_view %b[%i] : !tile.view<?xf32, [1]> -> tensor<64xf32>
    %e = tile.expand_dims %v {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %w = tile.broadcast %e : tensor<1x64xf32> -> tensor<32x64xf32>
    %s = arith.addf %t, %w : tensor<32x64xf32>
    tile.store_view %s, %a[%i, %c0] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
  }
  tile.return
}

// -----

// What is needed in two layouts is loaded in its own.
// CHECK-LABEL: tile.kernel @two_needs
// CHECK: %[[B:.*]] = load_view {{.*}} -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
// CHECK-COUNT-2: convert_layout
tile.kernel @two_needs(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %v = tile.load_view %b[%c0] : !tile.view<?xf32, [1]> -> tensor<32xf32>
  %e = tile.expand_dims %v {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %w = tile.broadcast %e : tensor<1x32xf32> -> tensor<32x32xf32>
  %f = tile.expand_dims %v {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
  %x = tile.broadcast %f : tensor<32x1xf32> -> tensor<32x32xf32>
  %s = arith.addf %t, %w : tensor<32x32xf32>
  %u = arith.addf %s, %x : tensor<32x32xf32>
  tile.store_view %u, %a[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Threads with 32 bytes each would write every sector in halves. So the store has its own layout, and a load of half the bytes
// takes that too: its lines are as many.
// CHECK-LABEL: tile.kernel @widen
// CHECK: load_view {{.*}} -> tensor<1024xf16, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view {{.*}} : tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
tile.kernel @widen(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %b = tile.view %B, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %u = arith.extf %t : tensor<1024xf16> to tensor<1024xf32>
  tile.store_view %u, %b[%c0] : tensor<1024xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// What else needs it keeps the load as it is: the tile is converted for the store. A load of f32 is none for that, since its
// other half of a sector is in the cache.
// CHECK-LABEL: tile.kernel @widen_both
// CHECK: load_view {{.*}} -> tensor<1024xf16, #[[WIDE:tile.register_layout<register\[8\] lane\[32\] warp\[4\]>]]>
// CHECK: store_view {{.*}} : tensor<1024xf16, #[[WIDE]]>
// CHECK: load_view {{.*}} -> tensor<1024xf32, #[[WIDE]]>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[C:.*]] = convert_layout %[[SUM]] : tensor<1024xf32, #[[WIDE]]> -> tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK: store_view %[[C]]
tile.kernel @widen_both(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %b = tile.view %B, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  tile.store_view %t, %a[%c1024] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %u = arith.extf %t : tensor<1024xf16> to tensor<1024xf32>
  %v = tile.load_view %b[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
  %s = arith.addf %u, %v : tensor<1024xf32>
  tile.store_view %s, %b[%c0] : tensor<1024xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// A reshape carries the layout over.
// CHECK-LABEL: tile.kernel @reshape
// CHECK: load_view {{.*}} -> tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK: reshape {{.*}} -> tensor<8x128xf32, #tile.register_layout<warp[4,1] register[2,4] lane[1,32]>>
// CHECK-NOT: convert_layout
tile.kernel @reshape(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %b = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
  %u = tile.reshape %t : tensor<1024xf32> -> tensor<8x128xf32>
  tile.store_view %u, %b[%c0, %c0] : tensor<8x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Gather and scatter: pointers made of loaded numbers stay in the threads that loaded them.
// CHECK-LABEL: tile.kernel @gather
// CHECK: %[[I:.*]] = load_view {{.*}} -> tensor<1024xi32, #[[L:.*]]>
// CHECK: %[[P:.*]] = addptr {{.*}}, %[[I]] : tensor<1024x!tile.ptr<f64>, #[[L]]>, tensor<1024xi32, #[[L]]>
// CHECK: %[[V:.*]] = load %[[P]] : tensor<1024x!tile.ptr<f64>, #[[L]]>
// CHECK-NOT: convert_layout
// CHECK: store %[[P]], %[[V]] : tensor<1024x!tile.ptr<f64>, #[[L]]>
tile.kernel @gather(%A: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f64>, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %i = tile.load_view %a[%c0] : !tile.view<?xi32, [1]> -> tensor<1024xi32>
  %base = tile.splat %B : !tile.ptr<f64> -> tensor<1024x!tile.ptr<f64>>
  %ps = tile.addptr %base, %i : tensor<1024x!tile.ptr<f64>>, tensor<1024xi32>
  %v = tile.load %ps : tensor<1024x!tile.ptr<f64>>
  tile.store %ps, %v : tensor<1024x!tile.ptr<f64>>
  tile.return
}

// -----

// One scalar chooses between tiles.
// CHECK-LABEL: tile.kernel @select
// CHECK: arith.select %c, {{.*}} : tensor<128xf32, #tile.register_layout<{{.*}}>>
tile.kernel @select(%A: !tile.ptr<f32>, %c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<128xf32, [1]> -> tensor<128xf32>
  %u = tile.splat %x : f32 -> tensor<128xf32>
  %v = arith.select %c, %t, %u : tensor<128xf32>
  tile.store_view %v, %a[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.return
}

// -----

// What goes by hand through shared memory has a layout, too.
// CHECK-LABEL: tile.kernel @by_hand
// CHECK: local_store {{.*}} : tensor<64x64xf32, #[[L:.*]]>
// CHECK: local_load {{.*}} -> tensor<64x64xf32, #tile.register_layout<{{.*}}>>
tile.kernel @by_hand(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32>
  tile.local_store %t, %s : tensor<64x64xf32>, !tile.shared<64x64xf32>
  %u = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

// A tile of fewer elements than the block has threads: the rest holds copies.
// CHECK-LABEL: tile.kernel @small
// CHECK: tensor<8xf32, #tile.register_layout<lane[8] lane*4 warp*4>>
tile.kernel @small(%A: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [8], strides [1] : !tile.ptr<f32> -> !tile.view<8xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<8xf32, [1]> -> tensor<8xf32>
  tile.store_view %t, %a[%c0] : tensor<8xf32>, !tile.view<8xf32, [1]>
  tile.return
}

// -----

// A placed program passes unchanged.
#odd = #tile.register_layout<lane[32,1] warp[1,4] register[1,8]>
// CHECK-LABEL: tile.kernel @placed
// CHECK: load_view {{.*}} -> tensor<32x32xf32, #[[ODD:tile.register_layout<lane\[32,1\] warp\[1,4\] register\[1,8\]>]]>
// CHECK-NEXT: store_view {{.*}} : tensor<32x32xf32, #[[ODD]]>
// CHECK-NEXT: return
tile.kernel @placed(%A: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32, #odd>
  tile.store_view %t, %a[%c0, %c0] : tensor<32x32xf32, #odd>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A reduction takes its tile where it is; its result, repeated along the axis, meets the tile without a
// conversion.
// CHECK-LABEL: tile.kernel @reduction
// CHECK: %[[T:.*]] = load_view {{.*}} -> tensor<32x128xf32, #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1] register[1,4]>>
// CHECK: reduce %[[T]] axis 1 : {{.*}} -> tensor<32xf32, #tile.register_layout<lane*8 lane[4] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view
tile.kernel @reduction(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x128xf32>
  %s = tile.reduce %t axis 1 : tensor<32x128xf32> -> tensor<32xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %column = tile.expand_dims %s {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
  %sums = tile.broadcast %column : tensor<32x1xf32> -> tensor<32x128xf32>
  %u = arith.divf %t, %sums : tensor<32x128xf32>
  tile.store_view %u, %b[%c0, %c0] : tensor<32x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A product of shared tiles has the accumulator of its instruction.
// CHECK-LABEL: tile.kernel @warpgroups
// CHECK: warpgroup_dot {{.*}}, tensor<64x32xf32, #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>>
tile.kernel @warpgroups() {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %sa = tile.alloc_shared : !tile.shared<64x64xf16>
  %sb = tile.alloc_shared : !tile.shared<64x32xf16>
  %d = tile.warpgroup_dot %sa, %sb, %zero : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// Rows of 4 bytes may follow one another. By the layout of the load a warp would store to 32 sectors at once.
// CHECK-LABEL: tile.kernel @pairs
// CHECK: load_view {{.*}} -> tensor<2x1024xf16, #tile.register_layout<register[2,8] lane[1,32] warp[1,4]>>
// CHECK: convert_layout
// CHECK: store_view {{.*}} : tensor<1024x2xf16, #tile.register_layout<lane[32,1] register[2,2] warp[4,1] register[4,1]>>
tile.kernel @pairs(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 8 : i64}, %two: index {tile.divisibility = 2 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [2, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<2x?xf16, [?, 1]>
  %b = tile.view %B, shape [%n, 2], strides [%two, 1] : !tile.ptr<f16> -> !tile.view<?x2xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<2x?xf16, [?, 1]> -> tensor<2x1024xf16>
  %u = tile.trans %t [1, 0] : tensor<2x1024xf16> -> tensor<1024x2xf16>
  tile.store_view %u, %b[%c0, %c0] : tensor<1024x2xf16>, !tile.view<?x2xf16, [?, 1]>
  tile.return
}

// -----

// What is read by its number stands where the numbers are computed; else lanes side by side have elements side by side.
// CHECK-LABEL: tile.kernel @gathered
// CHECK: local_gather {{.*}} -> tensor<256xf16, #tile.register_layout<lane[32] warp[4] register[2]>>
// CHECK: load %{{.*}} : tensor<512x!tile.ptr<i32>, #tile.register_layout<register[4] lane[32] warp[4]>>
// CHECK: local_gather {{.*}} -> tensor<512xf16, #tile.register_layout<register[4] lane[32] warp[4]>>
tile.kernel @gathered(%p: !tile.ptr<f16>, %q: !tile.ptr<i32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %doubled = arith.muli %i, %two : tensor<256xi32>
  %s = tile.alloc_shared : !tile.shared<256xf16>
  %t = tile.local_gather %s[%doubled] : !tile.shared<256xf16>, tensor<256xi32> -> tensor<256xf16>
  %to = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %places = tile.addptr %to, %i : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  tile.store %places, %t : tensor<256x!tile.ptr<f16>>
  %j = tile.iota 0 : tensor<512xi32>
  %from = tile.splat %q : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %numbers = tile.addptr %from, %j : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %loaded = tile.load %numbers : tensor<512x!tile.ptr<i32>>
  %u = tile.local_gather %s[%loaded] : !tile.shared<256xf16>, tensor<512xi32> -> tensor<512xf16>
  %too = tile.splat %p : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %others = tile.addptr %too, %j : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  tile.store %others, %u : tensor<512x!tile.ptr<f16>>
  tile.return
}

// -----

// Rows in any order: lanes side by side load neighbours, each as many as it may at once, and the threads that have a row are
// named as having what follows one another.
// CHECK-LABEL: tile.kernel @in_any_order_by_vectors
// CHECK: load_view {{.*}} -> tensor<8x64xi32, #tile.register_layout<register[1,4] lane[8,4] register[1,4]>>
// CHECK: any_order %{{.*}} {tile.vector = 4 : i64} : {{.*}} -> tensor<8x64xi32, #tile.register_layout<register[1,16] lane[8,4]>>
tile.kernel @in_any_order_by_vectors(%p: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %view = tile.view %p, shape [8, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<8x64xi32, [64, 1]>
  %t = tile.load_view %view[%c0, %c0] : !tile.view<8x64xi32, [64, 1]> -> tensor<8x64xi32>
  %u = tile.any_order %t : tensor<8x64xi32> -> tensor<8x64xi32>
  tile.store_view %u, %view[%c0, %c0] : tensor<8x64xi32>, !tile.view<8x64xi32, [64, 1]>
  tile.return
}

// -----

// What begins anywhere is loaded element by element. What is counted stands where it is loaded.
// CHECK-LABEL: tile.kernel @in_any_order
// CHECK: any_order %{{.*}} : tensor<16x32xi32, #tile.register_layout<lane[4,8] register[1,4] warp[4,1]>> -> tensor<16x32xi32, #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>>
// CHECK: local_count %{{.*}} : tensor<16x32xi32, #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>>
tile.kernel @in_any_order(%p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %p, shape [16, 32], strides [33, 1] : !tile.ptr<i32> -> !tile.view<16x32xi32, [33, 1]>
  %t = tile.load_view %view[%c0, %c0] : !tile.view<16x32xi32, [33, 1]> -> tensor<16x32xi32>
  %u = tile.any_order %t : tensor<16x32xi32> -> tensor<16x32xi32>
  %least = tile.pair_min %u, %u : tensor<16x32xi32>
  %s = tile.alloc_shared : !tile.shared<64x8xi32>
  tile.local_count %least, %s : tensor<16x32xi32>, !tile.shared<64x8xi32>
  tile.return
}
