// Pointers through which threads meet only where a stride of the launch is small: the barrier hangs
// on it.
//
// RUN: tile-opt --tile-placement --split-input-file %s 2>/dev/null | FileCheck %s

// Two halves of rows, in place. 64 places and 64 more are 128; (2^31 - 1) / 31 times 31 is the last
// that 32 bits hold.
// CHECK-LABEL: tile.kernel @halves
// CHECK-SAME: %[[STRIDE:stride]]: i32
// CHECK: load
// CHECK: load
// CHECK: %[[LEAST:.*]] = arith.constant 128 : i32
// CHECK: %[[ABOVE:.*]] = arith.subi %[[STRIDE]], %[[LEAST]] : i32
// CHECK: %[[REST:.*]] = arith.constant 69273538 : i32
// CHECK: %[[MEET:.*]] = arith.cmpi ugt, %[[ABOVE]], %[[REST]] : i32
// CHECK-NEXT: scf.if %[[MEET]] {
// CHECK-NEXT: barrier
// CHECK-NEXT: }
// CHECK-NEXT: store
// CHECK: scf.if
// CHECK-NEXT: barrier
// CHECK-NEXT: }
// CHECK-NEXT: store
// CHECK-NOT: barrier
tile.kernel @halves(%x: !tile.ptr<f16> {tile.divisibility = 16}, %stride: i32 {tile.divisibility = 16}) attributes {num_warps = 8 : i32} {
  %heads = tile.iota 0 : tensor<32xi32>
  %rows = tile.expand_dims %heads {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %strides = tile.splat %stride : i32 -> tensor<32x1xi32>
  %starts = arith.muli %rows, %strides : tensor<32x1xi32>
  %all = tile.splat %x : !tile.ptr<f16> -> tensor<32x1x!tile.ptr<f16>>
  %first = tile.addptr %all, %starts : tensor<32x1x!tile.ptr<f16>>, tensor<32x1xi32>
  %dims = tile.iota 0 : tensor<64xi32>
  %columns = tile.expand_dims %dims {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %wide = tile.broadcast %first : tensor<32x1x!tile.ptr<f16>> -> tensor<32x64x!tile.ptr<f16>>
  %places = tile.broadcast %columns : tensor<1x64xi32> -> tensor<32x64xi32>
  %p = tile.addptr %wide, %places : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %c64 = arith.constant dense<64> : tensor<32x64xi32>
  %q = tile.addptr %p, %c64 : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %a = tile.load %p : tensor<32x64x!tile.ptr<f16>>
  %b = tile.load %q : tensor<32x64x!tile.ptr<f16>>
  tile.store %p, %b : tensor<32x64x!tile.ptr<f16>>
  tile.store %q, %a : tensor<32x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Blocks of views; what has 64 bits wraps nowhere.
// CHECK-LABEL: tile.kernel @wide
// CHECK: arith.constant 96 : index
// CHECK: scf.if
// CHECK-NEXT: barrier
// CHECK-NEXT: }
// CHECK-NEXT: store
tile.kernel @wide(%x: !tile.ptr<f32>, %stride: i64) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<32xi64>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
  %columns = tile.expand_dims %i {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
  %strides = tile.splat %stride : i64 -> tensor<32x1xi64>
  %starts = arith.muli %rows, %strides : tensor<32x1xi64>
  %a = tile.broadcast %starts : tensor<32x1xi64> -> tensor<32x32xi64>
  %b = tile.broadcast %columns : tensor<1x32xi64> -> tensor<32x32xi64>
  %o = arith.addi %a, %b : tensor<32x32xi64>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %p = tile.addptr %all, %o : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi64>
  %c = arith.constant dense<-64> : tensor<32x32xi64>
  %q = tile.addptr %p, %c : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi64>
  %t = tile.load %p : tensor<32x32x!tile.ptr<f32>>
  tile.store %q, %t : tensor<32x32x!tile.ptr<f32>>
  tile.return
}

// -----

// 16 behind are places of the same row; two strides of the launch tell nothing; nor does a product
// that may have wrapped before it is added to.
// CHECK-LABEL: tile.kernel @meets
// CHECK-NOT: scf.if
// CHECK: barrier
// CHECK-NOT: scf.if
tile.kernel @meets(%x: !tile.ptr<f32>, %stride: i32) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<32xi32>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strides = tile.splat %stride : i32 -> tensor<32x1xi32>
  %starts = arith.muli %rows, %strides : tensor<32x1xi32>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<32x1x!tile.ptr<f32>>
  %first = tile.addptr %all, %starts : tensor<32x1x!tile.ptr<f32>>, tensor<32x1xi32>
  %wide = tile.broadcast %first : tensor<32x1x!tile.ptr<f32>> -> tensor<32x32x!tile.ptr<f32>>
  %places = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %p = tile.addptr %wide, %places : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c16 = arith.constant dense<16> : tensor<32x32xi32>
  %q = tile.addptr %p, %c16 : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %t = tile.load %p : tensor<32x32x!tile.ptr<f32>>
  tile.store %q, %t : tensor<32x32x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @two_strides
// CHECK-NOT: scf.if
// CHECK: barrier
// CHECK-NOT: scf.if
tile.kernel @two_strides(%x: !tile.ptr<f32>, %stride: i64, %other: i64) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<32xi64>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
  %columns = tile.expand_dims %i {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
  %strides = tile.splat %stride : i64 -> tensor<32x1xi64>
  %starts = arith.muli %rows, %strides : tensor<32x1xi64>
  %others = tile.splat %other : i64 -> tensor<1x32xi64>
  %steps = arith.muli %columns, %others : tensor<1x32xi64>
  %a = tile.broadcast %starts : tensor<32x1xi64> -> tensor<32x32xi64>
  %b = tile.broadcast %steps : tensor<1x32xi64> -> tensor<32x32xi64>
  %o = arith.addi %a, %b : tensor<32x32xi64>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %p = tile.addptr %all, %o : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi64>
  %c = arith.constant dense<64> : tensor<32x32xi64>
  %q = tile.addptr %p, %c : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi64>
  %t = tile.load %p : tensor<32x32x!tile.ptr<f32>>
  tile.store %q, %t : tensor<32x32x!tile.ptr<f32>>
  tile.return
}
