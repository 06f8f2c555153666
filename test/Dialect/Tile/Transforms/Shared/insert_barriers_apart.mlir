// Pointers through which threads meet only where a stride of the launch is small: the barrier hangs
// on it.
//
// RUN: tile-opt --tile-placement --split-input-file %s 2>/dev/null | FileCheck %s

// Two halves of rows, in place. 64 places and 64 more are 128; 31 strides and 127 places are less
// than 2^31.
// CHECK-LABEL: tile.kernel @halves
// CHECK-SAME: %[[STRIDE:stride]]: i32
// CHECK: load
// CHECK: load
// CHECK: %[[LEAST:.*]] = arith.constant 128 : i32
// CHECK: %[[ABOVE:.*]] = arith.subi %[[STRIDE]], %[[LEAST]] : i32
// CHECK: %[[REST:.*]] = arith.constant 69273533 : i32
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

// 16 behind are places of the same row; two strides of the launch tell nothing.
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

// -----

// A program's part of an array, in place: a sum that wraps around wraps for each place.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @in_place(%x: !tile.ptr<f32>, %start: i32) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<256xi32>
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %o = arith.addi %starts, %i : tensor<256xi32>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %all, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %t = tile.load %p : tensor<256x!tile.ptr<f32>>
  tile.store %p, %t : tensor<256x!tile.ptr<f32>>
  tile.return
}

// -----

// And two parts side by side, one of which begins where the other one ends.
// CHECK-LABEL: tile.kernel @side_by_side
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @side_by_side(%x: !tile.ptr<f32>, %start: i32) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<256xi32>
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %o = arith.subi %starts, %i : tensor<256xi32>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %all, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %c = arith.constant dense<256> : tensor<256xi32>
  %q = tile.addptr %p, %c : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %t = tile.load %p : tensor<256x!tile.ptr<f32>>
  tile.store %q, %t : tensor<256x!tile.ptr<f32>>
  tile.return
}

// -----

// Pointers that are loaded may name an element twice, and so may 8 bits.
// CHECK-LABEL: tile.kernel @gather
// CHECK: load
// CHECK: barrier
// CHECK: store
// CHECK-NOT: barrier
// CHECK: store
// CHECK: barrier
// CHECK: store
tile.kernel @gather(%x: !tile.ptr<f32>, %index: !tile.ptr<i32>, %y: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<256xi32>
  %from = tile.splat %index : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %f = tile.addptr %from, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %o = tile.load %f : tensor<256x!tile.ptr<i32>>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %all, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %t = tile.load %p : tensor<256x!tile.ptr<f32>>
  %u = arith.addf %t, %t : tensor<256xf32>
  tile.store %p, %t : tensor<256x!tile.ptr<f32>>
  tile.store %p, %u : tensor<256x!tile.ptr<f32>>
  %n = arith.trunci %i : tensor<256xi32> to tensor<256xi8>
  %w = arith.extsi %n : tensor<256xi8> to tensor<256xi32>
  %others = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %others, %w : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %q : tensor<256x!tile.ptr<f32>>
  tile.store %q, %v : tensor<256x!tile.ptr<f32>>
  tile.return
}
