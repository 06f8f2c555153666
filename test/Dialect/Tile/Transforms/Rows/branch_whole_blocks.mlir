// Blocks of arrays of any length: in vectors, but the last one.

// RUN: split-file %s %t
// RUN: tile-opt --tile-branch-whole-blocks %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-branch-whole-blocks %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: scf.if

//--- kernels.mlir

// Scalars come first, then both parts.
// CHECK-LABEL: tile.kernel @copy
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: addptr %{{.*}}
// CHECK: addptr %{{.*}}
// CHECK: %[[ALL:.*]] = arith.constant 1024 : index
// CHECK: %[[WHOLE:.*]] = arith.cmpi uge, %[[LEFT]], %[[ALL]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK: view %{{.*}}, shape [1024], strides [1]
// CHECK: load_view %{{.*}} : !tile.view<1024xi8, [1]> -> tensor<1024xi8>
// CHECK: view %{{.*}}, shape [1024], strides [1]
// CHECK: store_view %{{.*}}, !tile.view<1024xi8, [1]>
// CHECK: } else {
// CHECK: load_view %{{.*}} : !tile.view<?xi8, [1]> -> tensor<1024xi8>
// CHECK: store_view %{{.*}}, !tile.view<?xi8, [1]>
// CHECK: }
// CHECK-NEXT: return
tile.kernel @copy(%X: !tile.ptr<i8> {tile.divisibility = 16}, %Y: !tile.ptr<i8> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c1024 : index
  %left = arith.subi %n, %first : index
  %x = tile.addptr %X, %first : !tile.ptr<i8>, index
  %v = tile.view %x, shape [%left], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
  %y = tile.addptr %Y, %first : !tile.ptr<i8>, index
  %w = tile.view %y, shape [%left], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xi8>, !tile.view<?xi8, [1]>
  tile.return
}

// Two lengths: both are whole.
// CHECK-LABEL: tile.kernel @two_lengths
// CHECK: %[[A:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : index
// CHECK: %[[B:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : index
// CHECK: %[[BOTH:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK: scf.if %[[BOTH]] {
// CHECK: shape [1024]
// CHECK: shape [1024]
tile.kernel @two_lengths(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%m], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// A copy takes more of the same array, of which it need not have all: its view stays.
// CHECK-LABEL: tile.kernel @longer_copy
// CHECK: %[[ANY:.*]] = view %{{.*}}, shape [%{{.*}}], strides [1]
// CHECK: scf.if
// CHECK: %[[WHOLE:.*]] = tile.view %{{.*}}, shape [512], strides [1]
// CHECK: load_view %[[WHOLE]]
// CHECK: copy_async %[[ANY]]
// CHECK: } else {
tile.kernel @longer_copy(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %s = tile.alloc_shared : !tile.shared<1024xf16>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<512xf16>
  tile.copy_async %v[%c0], %s {registers = #tile.register_layout<register[8] lane[32] warp[4]>} : !tile.view<?xf16, [1]>, !tile.shared<1024xf16>
  tile.async_commit
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %w[%c0] : tensor<512xf16>, !tile.view<?xf16, [1]>
  tile.return
}

//--- declined.mlir

// Elements of 4 bytes are as fast one at a time.
tile.kernel @large(%X: !tile.ptr<f32> {tile.divisibility = 16}, %Y: !tile.ptr<f32> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// One of the arrays begins anywhere.
tile.kernel @begins_anywhere(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 2}, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// The end is a multiple of vectors.
tile.kernel @ends_with_a_vector(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %n: index {tile.divisibility = 8}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// The length is only known by what is loaded as a tile.
tile.kernel @length_of_a_tile(%L: !tile.ptr<i64>, %X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %count = tile.load %L : !tile.ptr<i64>
  %n = arith.index_cast %count : i64 to index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}
