// What has no effect goes; what changes a result stays.

// RUN: tile-opt --pass-pipeline='builtin.module(tile.kernel(tile-canonicalize))' %s | FileCheck %s

// Two roundings, and the low bits of a position: MLIR's patterns of arith would leave them out.
// CHECK-LABEL: tile.kernel @roundings
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: arith.truncf %[[F]]
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : index to i8
// CHECK: arith.index_cast %[[N]] : i8 to index
tile.kernel @roundings(%P: !tile.ptr<f16>, %x: i32, %i: index) {
  %f = arith.sitofp %x : i32 to f32
  %h = arith.truncf %f : f32 to f16
  %n = arith.index_cast %i : index to i8
  %m = arith.index_cast %n : i8 to index
  %v = tile.view %P, shape [64], strides [1] : !tile.ptr<f16> -> !tile.view<64xf16, [1]>
  %t = tile.splat %h : f16 -> tensor<64xf16>
  tile.store_view %t, %v[%m] : tensor<64xf16>, !tile.view<64xf16, [1]>
  tile.return
}

// A loop that does nothing is none.
// CHECK-LABEL: tile.kernel @no_trips
// CHECK-NOT: scf.for
// CHECK: return
tile.kernel @no_trips(%P: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %P, shape [64], strides [1] : !tile.ptr<f16> -> !tile.view<64xf16, [1]>
  scf.for %i = %c0 to %c0 step %c1 {
    %t = tile.load_view %v[%i] : !tile.view<64xf16, [1]> -> tensor<64xf16>
    tile.store_view %t, %v[%i] : tensor<64xf16>, !tile.view<64xf16, [1]>
  }
  tile.return
}

// A stride that is a constant 1 is one of the type, which says what stands side by side: the last one, and none where
// the type says so already, is another number or is passed on.
// CHECK-LABEL: tile.kernel @unit_strides
tile.kernel @unit_strides(%P: !tile.ptr<f16>, %n: index, %of_columns: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %unit = arith.index_cast %one : i32 to index
  // CHECK: %[[ROWS:.*]] = view %P, shape [%n, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %rows = tile.view %P, shape [%n, %n], strides [%n, %unit] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, ?]>
  // CHECK: %[[COLUMNS:.*]] = view %P, shape [%n, 64], strides [1, %n] : !tile.ptr<f16> -> !tile.view<?x64xf16, [1, ?]>
  %columns = tile.view %P, shape [%n, 64], strides [%c1, %n] : !tile.ptr<f16> -> !tile.view<?x64xf16, [?, ?]>
  // CHECK: view %P, shape [%n, %n], strides [%{{.*}}, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %both = tile.view %P, shape [%n, %n], strides [%c1, %c1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, ?]>
  // CHECK: view %P, shape [%n, %n], strides [%{{.*}}, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %said = tile.view %P, shape [%n, %n], strides [%c1, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // CHECK: view %P, shape [%n], strides [%{{.*}}] : !tile.ptr<f16> -> !tile.view<?xf16, [?]>
  %far = tile.view %P, shape [%n], strides [%c2] : !tile.ptr<f16> -> !tile.view<?xf16, [?]>
  // CHECK: load_view %[[ROWS]]{{.*}} : !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %rows[%c0, %c0] : !tile.view<?x?xf16, [?, ?]> -> tensor<64x64xf16>
  // CHECK: store_view %{{.*}}, %[[COLUMNS]]{{.*}} : tensor<64x64xf16>, !tile.view<?x64xf16, [1, ?]>
  tile.store_view %t, %columns[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16, [?, ?]>
  tile.store_view %t, %both[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, ?]>
  tile.store_view %t, %said[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
  %row = tile.load_view %far[%c0] : !tile.view<?xf16, [?]> -> tensor<64xf16>
  tile.store_view %row, %far[%c0] : tensor<64xf16>, !tile.view<?xf16, [?]>
  // CHECK: view %P, shape [%n], strides [%{{.*}}] : !tile.ptr<f16> -> !tile.view<?xf16, [?]>
  %near = tile.view %P, shape [%n], strides [%c1] : !tile.ptr<f16> -> !tile.view<?xf16, [?]>
  %chosen = scf.if %of_columns -> !tile.view<?xf16, [?]> {
    scf.yield %near : !tile.view<?xf16, [?]>
  } else {
    scf.yield %far : !tile.view<?xf16, [?]>
  }
  tile.store_view %row, %chosen[%c0] : tensor<64xf16>, !tile.view<?xf16, [?]>
  tile.return
}

// Of one place the stride does not matter: rows lie along the other dimension, and the stride keeps vectors aligned. Where
// a tile has one place there, or one is stored, the view stays.
// CHECK-LABEL: tile.kernel @one_place
tile.kernel @one_place(%P: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: view %P, shape [%n, %{{.*}}], strides [1, 32] : !tile.ptr<f16> -> !tile.view<?x?xf16, [1, 32]>
  %column = tile.view %P, shape [%n, %c1], strides [%c1, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // CHECK: view %P, shape [%n, 1], strides [1, 32] : !tile.ptr<f16> -> !tile.view<?x1xf16, [1, 32]>
  %known = tile.view %P, shape [%n, 1], strides [1, 1] : !tile.ptr<f16> -> !tile.view<?x1xf16, [1, 1]>
  // CHECK: view %P, shape [%n, 1], strides [%{{.*}}, 1] : !tile.ptr<f16> -> !tile.view<?x1xf16, [?, 1]>
  %narrow = tile.view %P, shape [%n, 1], strides [%c1, 1] : !tile.ptr<f16> -> !tile.view<?x1xf16, [?, 1]>
  // CHECK: view %P, shape [%n, 1], strides [%{{.*}}, 1] : !tile.ptr<f16> -> !tile.view<?x1xf16, [?, 1]>
  %stored = tile.view %P, shape [%n, 1], strides [%c1, 1] : !tile.ptr<f16> -> !tile.view<?x1xf16, [?, 1]>
  // CHECK: view %P, shape [1, 1], strides [32, 1] : !tile.ptr<f16> -> !tile.view<1x1xf16, [32, 1]>
  %element = tile.view %P, shape [1, 1], strides [%c1, 1] : !tile.ptr<f16> -> !tile.view<1x1xf16, [?, 1]>
  %t = tile.load_view %column[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x16xf16>
  tile.store_view %t, %stored[%c0, %c0] : tensor<64x16xf16>, !tile.view<?x1xf16, [?, 1]>
  %u = tile.load_view %known[%c0, %c0] : !tile.view<?x1xf16, [1, 1]> -> tensor<64x16xf16>
  tile.store_view %u, %stored[%c0, %c0] : tensor<64x16xf16>, !tile.view<?x1xf16, [?, 1]>
  %v = tile.load_view %narrow[%c0, %c0] : !tile.view<?x1xf16, [?, 1]> -> tensor<1x16xf16>
  tile.store_view %v, %stored[%c0, %c0] : tensor<1x16xf16>, !tile.view<?x1xf16, [?, 1]>
  %w = tile.load_view %element[%c0, %c0] : !tile.view<1x1xf16, [?, 1]> -> tensor<64x16xf16>
  tile.store_view %w, %stored[%c0, %c0] : tensor<64x16xf16>, !tile.view<?x1xf16, [?, 1]>
  tile.return
}

// A tile of a known integer is a constant, so that arithmetic folds; one of floats, or of what is not known, stays.
// CHECK-LABEL: tile.kernel @splats
// CHECK-DAG: %[[SEVENS:.*]] = arith.constant dense<7> : tensor<64xi32>
// CHECK-DAG: %[[ALL:.*]] = arith.constant dense<true> : tensor<64xi1>
// CHECK: %[[IOTA:.*]] = iota 0 : tensor<64xi32>
// CHECK: splat %x : f16 -> tensor<64xf16>
// CHECK: splat %n : i32 -> tensor<64xi32>
// CHECK: %[[SUM:.*]] = arith.addi %[[IOTA]], %[[SEVENS]]
// CHECK: addptr %{{.*}}, %[[SUM]]
// CHECK: store %{{.*}} mask %[[ALL]]
// CHECK-NOT: splat
// CHECK-NOT: expand_dims
// CHECK-NOT: broadcast
// CHECK: return
tile.kernel @splats(%P: !tile.ptr<f16>, %x: f16, %n: i32) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i64
  %one = arith.trunci %c1 : i64 to i32
  %c7 = arith.constant 7 : i32
  %iota = tile.iota 0 : tensor<64xi32>
  %all = tile.splat %true : i1 -> tensor<64xi1>
  %ones = tile.splat %one : i32 -> tensor<64xi32>
  %sevens = tile.splat %c7 : i32 -> tensor<64xi32>
  %xs = tile.splat %x : f16 -> tensor<64xf16>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %i = arith.muli %iota, %ones : tensor<64xi32>
  %j = arith.addi %i, %sevens : tensor<64xi32>
  %ps = tile.splat %P : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %qs = tile.addptr %ps, %j : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  tile.store %qs, %xs mask %all : tensor<64x!tile.ptr<f16>>
  %rs = tile.addptr %ps, %ns : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  tile.store %rs, %xs : tensor<64x!tile.ptr<f16>>
  %row = tile.expand_dims %sevens {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
  tile.print "sevens" %rows : tensor<16x64xi32>
  tile.return
}

// The counter of a loop is below its end, as a scalar and spread over a tile that has one row. An iota of one number is a
// constant. Not what is ahead of the counter, what is compared with another number or without a sign, nor where a cast may
// cut the counter or the end.
// CHECK-LABEL: tile.kernel @counters
// CHECK-DAG: %[[INSIDE:.*]] = arith.constant dense<true> : tensor<1x64xi1>
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[AHEAD:.*]] = arith.cmpi slt, %{{.*}}, %M : i32
// CHECK: %[[OTHER:.*]] = arith.cmpi slt, %[[ROW]], %K : i32
// CHECK: %[[UNSIGNED:.*]] = arith.cmpi ult, %[[ROW]], %M : i32
// CHECK: print "outside" %[[FALSE]]
// CHECK: print "ahead" %[[AHEAD]]
// CHECK: print "other" %[[OTHER]]
// CHECK: print "unsigned" %[[UNSIGNED]]
// CHECK: store %{{.*}} mask %[[INSIDE]]
// CHECK: scf.for
// CHECK: %[[CUT:.*]] = arith.index_cast %{{.*}} : index to i8
// CHECK: %[[MAYBE:.*]] = arith.cmpi slt, %[[CUT]], %b : i8
// CHECK: print "cut" %[[MAYBE]]
tile.kernel @counters(%P: !tile.ptr<f32>, %M: i32, %K: i32, %first: index, %step: index, %b: i8) {
  %m = arith.index_cast %M : i32 to index
  %one = arith.constant 1 : i32
  %ms = tile.splat %M : i32 -> tensor<1x1xi32>
  %zeros = arith.constant dense<0.0> : tensor<1x64xf32>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<1x64x!tile.ptr<f32>>
  %begin = tile.program_id 0
  scf.for %i = %begin to %m step %step {
    %row = arith.index_cast %i : index to i32
    %number = tile.iota 0 : tensor<1xi32>
    %column = tile.expand_dims %number {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
    %splat = tile.splat %row : i32 -> tensor<1x1xi32>
    %rows = arith.addi %splat, %column : tensor<1x1xi32>
    %inside = arith.cmpi slt, %rows, %ms : tensor<1x1xi32>
    %mask = tile.broadcast %inside : tensor<1x1xi1> -> tensor<1x64xi1>
    %next = arith.addi %row, %one : i32
    %outside = arith.cmpi sle, %M, %row : i32
    %ahead = arith.cmpi slt, %next, %M : i32
    %other = arith.cmpi slt, %row, %K : i32
    %unsigned = arith.cmpi ult, %row, %M : i32
    tile.print "outside" %outside : i1
    tile.print "ahead" %ahead : i1
    tile.print "other" %other : i1
    tile.print "unsigned" %unsigned : i1
    tile.store %ps, %zeros mask %mask : tensor<1x64x!tile.ptr<f32>>
  }
  %end = arith.index_cast %b : i8 to index
  scf.for %i = %first to %end step %step {
    %cut = arith.index_cast %i : index to i8
    %maybe = arith.cmpi slt, %cut, %b : i8
    tile.print "cut" %maybe : i1
  }
  tile.return
}

// 0.0 is added to the sum, not to each element. Another number stays where it is, and so does 0.0 in another reduction.
// CHECK-LABEL: tile.kernel @sums
// CHECK: %[[T:.*]] = load_view
// CHECK: %[[SUM:.*]] = reduce %[[T]] axis 1
// CHECK: %[[ALL:.*]] = arith.addf %[[SUM]], %{{.*}} fastmath<contract> : tensor<64xf32>
// CHECK: %[[U:.*]] = arith.addf %[[T]], %{{.*}} : tensor<64x64xf32>
// CHECK: reduce %[[U]] axis 1
// CHECK: %[[V:.*]] = arith.addf %[[T]], %{{.*}} : tensor<64x64xf32>
// CHECK: reduce %[[V]] axis 1
// CHECK: arith.maximumf
// CHECK: store_view %[[ALL]]
tile.kernel @sums(%P: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %ones = arith.constant dense<1.0> : tensor<64x64xf32>
  %v = tile.view %P, shape [64, 64], strides [64, 1] : !tile.ptr<f32> -> !tile.view<64x64xf32, [64, 1]>
  %t = tile.load_view %v[%c0, %c0] : !tile.view<64x64xf32, [64, 1]> -> tensor<64x64xf32>
  %s = arith.addf %zeros, %t fastmath<contract> : tensor<64x64xf32>
  %sum = tile.reduce %s axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %n = arith.addf %t, %ones : tensor<64x64xf32>
  %other = tile.reduce %n axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %z = arith.addf %t, %zeros : tensor<64x64xf32>
  %most = tile.reduce %z axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %w = tile.view %P, shape [64], strides [1] : !tile.ptr<f32> -> !tile.view<64xf32, [1]>
  tile.store_view %sum, %w[%c0] : tensor<64xf32>, !tile.view<64xf32, [1]>
  tile.store_view %other, %w[%c0] : tensor<64xf32>, !tile.view<64xf32, [1]>
  tile.store_view %most, %w[%c0] : tensor<64xf32>, !tile.view<64xf32, [1]>
  tile.return
}

// Bits that are only taken for another type are loaded as that, by pointers that are cast where they come from.
// CHECK-LABEL: tile.kernel @bits
// CHECK: %[[BASE:.*]] = ptr_cast %{{.*}} : !tile.ptr<i8> -> !tile.ptr<f8E4M3FN>
// CHECK: %[[BASES:.*]] = splat %[[BASE]]
// CHECK: %[[PLACES:.*]] = addptr %[[BASES]]
// CHECK: load %[[PLACES]] mask %{{.*}} else %{{.*}} : tensor<128x!tile.ptr<f8E4M3FN>>
// CHECK-NOT: bitcast
// What is used as it is, too, and what others write meanwhile, is loaded as before.
// CHECK: %[[KEPT:.*]] = load %{{.*}} : tensor<128x!tile.ptr<i8>>
// CHECK: arith.bitcast %[[KEPT]]
// CHECK: %[[VOLATILE:.*]] = load %{{.*}} volatile : tensor<128x!tile.ptr<i8>>
// CHECK: arith.bitcast %[[VOLATILE]]
tile.kernel @bits(%P: !tile.ptr<i8>, %Q: !tile.ptr<f8E4M3FN>, %n: i32) {
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %qs = tile.splat %Q : !tile.ptr<f8E4M3FN> -> tensor<128x!tile.ptr<f8E4M3FN>>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %ones = arith.constant dense<1> : tensor<128xi8>
  %i = tile.iota 0 : tensor<128xi32>
  %in = arith.cmpi slt, %i, %ns : tensor<128xi32>
  %p = tile.addptr %ps, %i : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  %q = tile.addptr %qs, %i : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xi32>
  %b = tile.load %p mask %in else %ones : tensor<128x!tile.ptr<i8>>
  %f = arith.bitcast %b : tensor<128xi8> to tensor<128xf8E4M3FN>
  tile.store %q, %f : tensor<128x!tile.ptr<f8E4M3FN>>
  %c = tile.load %p : tensor<128x!tile.ptr<i8>>
  %g = arith.bitcast %c : tensor<128xi8> to tensor<128xf8E4M3FN>
  tile.store %q, %g : tensor<128x!tile.ptr<f8E4M3FN>>
  tile.store %p, %c : tensor<128x!tile.ptr<i8>>
  %d = tile.load %p volatile : tensor<128x!tile.ptr<i8>>
  %h = arith.bitcast %d : tensor<128xi8> to tensor<128xf8E4M3FN>
  tile.store %q, %h : tensor<128x!tile.ptr<f8E4M3FN>>
  tile.return
}

// An integer without a sign is zero times zero, if no such integer is infinite in the float. One with a sign may be a negative zero.
// CHECK-LABEL: tile.kernel @weights
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK: store_view %[[ZEROS]]
// CHECK: %[[SIGNED:.*]] = arith.mulf
// CHECK: store_view %[[SIGNED]]
// CHECK: %[[LARGE:.*]] = arith.mulf
// CHECK: %[[WIDE:.*]] = arith.extf %[[LARGE]]
// CHECK: store_view %[[WIDE]]
tile.kernel @weights(%P: !tile.ptr<i16>, %Q: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %halves = arith.constant dense<0.0> : tensor<64xf16>
  %p = tile.view %P, shape [64], strides [1] : !tile.ptr<i16> -> !tile.view<64xi16, [1]>
  %q = tile.view %Q, shape [64], strides [1] : !tile.ptr<f32> -> !tile.view<64xf32, [1]>
  %x = tile.load_view %p[%c0] : !tile.view<64xi16, [1]> -> tensor<64xi16>
  %u = arith.uitofp %x : tensor<64xi16> to tensor<64xf32>
  %a = arith.mulf %zeros, %u fastmath<contract> : tensor<64xf32>
  tile.store_view %a, %q[%c0] : tensor<64xf32>, !tile.view<64xf32, [1]>
  %s = arith.sitofp %x : tensor<64xi16> to tensor<64xf32>
  %b = arith.mulf %s, %zeros fastmath<contract> : tensor<64xf32>
  tile.store_view %b, %q[%c0] : tensor<64xf32>, !tile.view<64xf32, [1]>
  %h = arith.uitofp %x : tensor<64xi16> to tensor<64xf16>
  %c = arith.mulf %h, %halves fastmath<contract> : tensor<64xf16>
  %w = arith.extf %c : tensor<64xf16> to tensor<64xf32>
  tile.store_view %w, %q[%c0] : tensor<64xf32>, !tile.view<64xf32, [1]>
  tile.return
}
