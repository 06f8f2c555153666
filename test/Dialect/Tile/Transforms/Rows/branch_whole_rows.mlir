// Rows of bytes and halves: a branch for blocks that have all of their columns.

// RUN: split-file %s %t
// RUN: tile-opt --tile-branch-whole-rows %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-branch-whole-rows %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: scf.if

//--- kernels.mlir

// Of views columns end with the tile, and rows where they did.
// CHECK-LABEL: tile.kernel @views
// CHECK: %[[ALL:.*]] = arith.cmpi sle, %{{.*}}, %N : index
// CHECK: scf.if
// CHECK: view %A, shape [%M, 512], strides [%N, 1]
// CHECK: load_view {{.*}} : !tile.view<?x512xi8, [?, 1]> -> tensor<8x512xi8>
// CHECK: store_view {{.*}} !tile.view<?x512xi8, [?, 1]>
// CHECK: } else {
// CHECK: load_view {{.*}} : !tile.view<?x?xi8, [?, 1]> -> tensor<8x512xi8>
// CHECK: store_view {{.*}} !tile.view<?x?xi8, [?, 1]>
tile.kernel @views(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<8x512xi8>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  tile.store_view %t, %b[%c0, %c0] : tensor<8x512xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// A number for each row has no columns, and is loaded as it was.
// CHECK-LABEL: tile.kernel @column
// CHECK: scf.if
// CHECK: load_view {{.*}} : !tile.view<?x1xf16, [1, 1]> -> tensor<8x1xf16>
// CHECK: store_view {{.*}} !tile.view<?x512xf16, [?, 1]>
// CHECK: } else {
// CHECK: load_view {{.*}} : !tile.view<?x1xf16, [1, 1]> -> tensor<8x1xf16>
// CHECK: store_view {{.*}} !tile.view<?x?xf16, [?, 1]>
tile.kernel @column(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, 1], strides [1, 1] : !tile.ptr<f16> -> !tile.view<?x1xf16, [1, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x1xf16, [1, 1]> -> tensor<8x1xf16>
  %all = tile.broadcast %t : tensor<8x1xf16> -> tensor<8x512xf16>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  tile.store_view %all, %b[%c0, %c0] : tensor<8x512xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// Of a mask what it says of rows stays: `columns < %n` holds for all where it
// does for the last one, `columns >= %left` where it does for the first one.
// CHECK-LABEL: tile.kernel @masks
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[LAST]], %n
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[MORE:.*]] = arith.cmpi sge, %[[FIRST]], %left
// CHECK: %[[BOTH:.*]] = arith.andi %[[LESS]], %[[MORE]]
// CHECK: scf.if %[[BOTH]] {
// CHECK: %[[ROWS:.*]] = tile.broadcast %{{.*}} : tensor<8x1xi1> -> tensor<8x512xi1>
// CHECK: tile.load %{{.*}} mask %[[ROWS]] :
// CHECK: tile.store %{{.*}}, %{{.*}} mask %[[ROWS]] :
// CHECK: } else {
// CHECK: %[[OF_ALL:.*]] = arith.andi %{{.*}} : tensor<8x512xi1>
// CHECK: tile.load %{{.*}} mask %[[OF_ALL]] :
tile.kernel @masks(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %m: i32, %n: i32, %left: i32) {
  %c512 = arith.constant 512 : i32
  %id = tile.program_id 1
  %number = arith.index_cast %id : index to i32
  %begin = arith.muli %number, %c512 : i32
  %i = tile.iota 0 : tensor<512xi32>
  %b = tile.splat %begin : i32 -> tensor<512xi32>
  %columns = arith.addi %b, %i : tensor<512xi32>
  %r = tile.iota 0 : tensor<8xi32>
  %ms = tile.splat %m : i32 -> tensor<8xi32>
  %ofRow = arith.cmpi slt, %r, %ms : tensor<8xi32>
  %row = tile.expand_dims %ofRow {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %rows = tile.broadcast %row : tensor<8x1xi1> -> tensor<8x512xi1>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %less = arith.cmpi slt, %columns, %ns : tensor<512xi32>
  %ls = tile.splat %left : i32 -> tensor<512xi32>
  %more = arith.cmpi sge, %columns, %ls : tensor<512xi32>
  %within = arith.andi %less, %more : tensor<512xi1>
  %w = tile.expand_dims %within {axis = 0 : i32} : tensor<512xi1> -> tensor<1x512xi1>
  %ws = tile.broadcast %w : tensor<1x512xi1> -> tensor<8x512xi1>
  %inside = arith.andi %rows, %ws : tensor<8x512xi1>
  %c = tile.expand_dims %columns {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %o = tile.broadcast %c : tensor<1x512xi32> -> tensor<8x512xi32>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<8x512x!tile.ptr<f16>>
  %ap = tile.addptr %as, %o : tensor<8x512x!tile.ptr<f16>>, tensor<8x512xi32>
  %t = tile.load %ap mask %inside : tensor<8x512x!tile.ptr<f16>>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<8x512x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %o : tensor<8x512x!tile.ptr<f16>>, tensor<8x512xi32>
  tile.store %bp, %t mask %inside : tensor<8x512x!tile.ptr<f16>>
  tile.return
}

// What is read along the other dimension ends where it did.
// CHECK-LABEL: tile.kernel @across
// CHECK: %[[OF_STORED:.*]] = arith.cmpi sle, %{{.*}}, %M : index
// CHECK: scf.if %[[OF_STORED]] {
// CHECK: load_view {{.*}} : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
// CHECK: store_view {{.*}} !tile.view<256x?xi8, [1, ?]>
// CHECK: } else {
tile.kernel @across(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %b = tile.view %B, shape [%M, %N], strides [1, %M] : !tile.ptr<i8> -> !tile.view<?x?xi8, [1, ?]>
  tile.store_view %t, %b[%c0, %c0] : tensor<256x64xi8>, !tile.view<?x?xi8, [1, ?]>
  tile.return
}

//--- declined.mlir

// Elements that are words, rows of vectors, and of one word a lane.
tile.kernel @words(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<8x512xf32>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %t, %b[%c0, %c0] : tensor<8x512xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

tile.kernel @vectors(%A: !tile.ptr<i8> {tile.divisibility = 16}, %B: !tile.ptr<i8> {tile.divisibility = 16}, %M: index, %N: index {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<8x512xi8>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  tile.store_view %t, %b[%c0, %c0] : tensor<8x512xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

tile.kernel @short(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<32x128xi8>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  tile.store_view %t, %b[%c0, %c0] : tensor<32x128xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// What is read in such rows, and turned, goes by elements.
tile.kernel @transposed(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x512xi8>
  %b = tile.view %B, shape [%M, %N], strides [1, %M] : !tile.ptr<i8> -> !tile.view<?x?xi8, [1, ?]>
  tile.store_view %t, %b[%c0, %c0] : tensor<64x512xi8>, !tile.view<?x?xi8, [1, ?]>
  tile.return
}

// What is added up has layouts of its own.
tile.kernel @sums(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<8x512xf16>
  %s = tile.reduce %t axis 1 : tensor<8x512xf16> -> tensor<8xf16> {
  ^bb0(%x: f16, %y: f16):
    %z = arith.addf %x, %y : f16
    tile.yield %z : f16
  }
  %b = tile.view %B, shape [%M], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %s, %b[%c0] : tensor<8xf16>, !tile.view<?xf16, [1]>
  tile.return
}
