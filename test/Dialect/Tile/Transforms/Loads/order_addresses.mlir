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
