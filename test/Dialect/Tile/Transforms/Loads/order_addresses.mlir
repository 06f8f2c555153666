// What is the same for all elements is added to the pointer that they begin with, then what few registers of a thread differ by, then constants.

// RUN: tile-opt --tile-order-addresses --split-input-file %s | FileCheck %s

#rows = #tile.register_layout<lane*32 warp[4] register[8]>
#row = #tile.register_layout<lane*32 warp[4,1] register[8,1]>
#columns = #tile.register_layout<lane[1,32] warp*4>
#t = #tile.register_layout<lane[1,32] warp[4,1] register[8,1]>
// A weight of a convolution: rows, which are eight registers, then columns, which are lanes, then the tap.
// CHECK-LABEL: tile.kernel @taps
// CHECK: %[[TAP:.*]] = addptr %{{w.*}}, %{{tap.*}} : !tile.ptr<f16>, i32
// CHECK: %[[ALL:.*]] = splat %[[TAP]]
// CHECK: %[[COLUMNS:.*]] = addptr %[[ALL]], %{{.*}} : tensor<32x32x!tile.ptr<f16>, #{{.*}}>
// CHECK: %[[PLACES:.*]] = addptr %[[COLUMNS]], %{{.*}} : tensor<32x32x!tile.ptr<f16>, #{{.*}}>
// CHECK: load %[[PLACES]]
tile.kernel @taps(%w: !tile.ptr<f16>, %out: !tile.ptr<f16>, %tap: i32, %size: i32) {
  %i = tile.iota 0 : tensor<32xi32, #rows>
  %j = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #row>
  %s = tile.splat %size : i32 -> tensor<32x1xi32, #row>
  %r = arith.muli %j, %s : tensor<32x1xi32, #row>
  %w1 = tile.splat %w : !tile.ptr<f16> -> tensor<32x1x!tile.ptr<f16>, #row>
  %w2 = tile.addptr %w1, %r : tensor<32x1x!tile.ptr<f16>, #row>, tensor<32x1xi32, #row>
  %w3 = tile.broadcast %w2 : tensor<32x1x!tile.ptr<f16>, #row> -> tensor<32x32x!tile.ptr<f16>, #t>
  %k = tile.iota 0 : tensor<32xi32, #tile.register_layout<lane[32] warp*4>>
  %l = tile.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #tile.register_layout<lane[32] warp*4>> -> tensor<1x32xi32, #columns>
  %s2 = tile.splat %size : i32 -> tensor<1x32xi32, #columns>
  %c = arith.muli %l, %s2 : tensor<1x32xi32, #columns>
  %c2 = tile.broadcast %c : tensor<1x32xi32, #columns> -> tensor<32x32xi32, #t>
  %w4 = tile.addptr %w3, %c2 : tensor<32x32x!tile.ptr<f16>, #t>, tensor<32x32xi32, #t>
  %t = tile.splat %tap : i32 -> tensor<32x32xi32, #t>
  %w5 = tile.addptr %w4, %t : tensor<32x32x!tile.ptr<f16>, #t>, tensor<32x32xi32, #t>
  %x = tile.load %w5 {vector_width = 1 : i64} : tensor<32x32x!tile.ptr<f16>, #t>
  %o = tile.splat %out : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #t>
  tile.store %o, %x {vector_width = 1 : i64} : tensor<32x32x!tile.ptr<f16>, #t>
  tile.return
}

// -----

#t = #tile.register_layout<register[8] lane[32] warp[4]>
// Runs of programs that do not wrap around: one address a thread, of which the others are constants away.
// CHECK-LABEL: tile.kernel @runs
// CHECK: %[[FIRST:.*]] = addptr %{{.*}}, %{{.*}} : !tile.ptr<i8>, i32
// CHECK: %[[ALL:.*]] = splat %[[FIRST]]
// CHECK: %[[PLACE:.*]] = addptr %[[ALL]], %{{.*}} : tensor<1024x!tile.ptr<i8>, #{{.*}}>
// CHECK: %[[BEFORE:.*]] = addptr %[[PLACE]], %{{cst.*}} : tensor<1024x!tile.ptr<i8>, #{{.*}}>
// CHECK: load %[[BEFORE]]
tile.kernel @runs(%x: !tile.ptr<i8>, %out: !tile.ptr<i8>, %width: i32) {
  %size = arith.constant 1024 : i32
  %p = tile.program_id 0
  %q = arith.index_cast %p : index to i32
  %f = arith.muli %q, %size : i32
  %fs = tile.splat %f : i32 -> tensor<1024xi32, #t>
  %i = tile.iota 0 : tensor<1024xi32, #t>
  %n = arith.addi %fs, %i : tensor<1024xi32, #t>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  %a = tile.addptr %xs, %n : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %minus = arith.constant dense<-1> : tensor<1024xi32, #t>
  %b = tile.addptr %a, %minus : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %v = tile.load %b {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  %o = tile.splat %out : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  %o2 = tile.addptr %o, %n : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  tile.store %o2, %v {vector_width = 8 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  tile.return
}

// -----

#t = #tile.register_layout<register[8] lane[32] warp[4]>
// Of a sum that may wrap around within the tile, elements are extended each, and of a vector one address is computed.
// CHECK-LABEL: tile.kernel @as_they_are
// CHECK-NOT: addptr %{{.*}} : !tile.ptr<i8>, i32
tile.kernel @as_they_are(%x: !tile.ptr<i8>, %out: !tile.ptr<i8>, %first: i32) {
  %fs = tile.splat %first : i32 -> tensor<1024xi32, #t>
  %i = tile.iota 0 : tensor<1024xi32, #t>
  %n = arith.addi %fs, %i : tensor<1024xi32, #t>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  %a = tile.addptr %xs, %n : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %v = tile.load %a {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  %o = tile.splat %out : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  %o2 = tile.addptr %o, %i : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %o3 = tile.addptr %o2, %fs : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  tile.store %o3, %v {vector_width = 8 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  tile.return
}

// -----

#t = #tile.register_layout<register[8] lane[32] warp[4]>
// What is the same in all trips costs nothing in a loop: the trip's number comes last, as it is written.
// CHECK-LABEL: tile.kernel @trips
// CHECK: scf.for
// CHECK-NEXT: %[[TRIP:.*]] = tile.splat
// CHECK-NEXT: tile.addptr %{{.*}}, %[[TRIP]] : tensor<1024x!tile.ptr<i8>
tile.kernel @trips(%x: !tile.ptr<i8>, %out: !tile.ptr<i8>, %size: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.iota 0 : tensor<1024xi32, #t>
  %s = tile.splat %size : i32 -> tensor<1024xi32, #t>
  %m = arith.muli %i, %s : tensor<1024xi32, #t>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  %a = tile.addptr %xs, %m : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %o = tile.splat %out : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  scf.for %k = %c0 to %n step %c1 {
    %ks = tile.splat %k : index -> tensor<1024xindex, #t>
    %b = tile.addptr %a, %ks : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xindex, #t>
    %v = tile.load %b {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i8>, #t>
    tile.store %o, %v {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  }
  tile.return
}

// -----

#t = #tile.register_layout<register[8] lane[32] warp[4]>
// What is accessed itself, by vectors, is computed anyway.
// CHECK-LABEL: tile.kernel @beside_vectors
// CHECK-NOT: addptr %{{.*}} : !tile.ptr<i8>, i32
tile.kernel @beside_vectors(%x: !tile.ptr<i8>, %out: !tile.ptr<i8>) {
  %size = arith.constant 1024 : i32
  %p = tile.program_id 0
  %q = arith.index_cast %p : index to i32
  %f = arith.muli %q, %size : i32
  %fs = tile.splat %f : i32 -> tensor<1024xi32, #t>
  %i = tile.iota 0 : tensor<1024xi32, #t>
  %n = arith.addi %fs, %i : tensor<1024xi32, #t>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  %a = tile.addptr %xs, %n : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %u = tile.load %a {vector_width = 8 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  %minus = arith.constant dense<-1> : tensor<1024xi32, #t>
  %b = tile.addptr %a, %minus : tensor<1024x!tile.ptr<i8>, #t>, tensor<1024xi32, #t>
  %v = tile.load %b {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  %w = arith.addi %u, %v : tensor<1024xi8, #t>
  %o = tile.splat %out : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>, #t>
  tile.store %o, %w {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i8>, #t>
  tile.return
}

// -----

#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
// In a loop of products, what is the same in all trips is computed in front of it.
// CHECK-LABEL: tile.kernel @products
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NOT: arith.muli
// CHECK: tile.load
tile.kernel @products(%x: !tile.ptr<f16>, %size: i32, %n: index) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16, #b>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #a>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%c = %zeros) -> (tensor<16x16xf32, #acc>) {
    %twice = arith.muli %size, %size : i32
    %s = tile.splat %twice : i32 -> tensor<16x16xi32, #a>
    %p = tile.addptr %xs, %s : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
    %v = tile.load %p {vector_width = 1 : i64} : tensor<16x16x!tile.ptr<f16>, #a>
    %d = tile.dot %v, %ones, %c : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  tile.return
}
