// Blocks that are only moved, and whose rows begin anywhere.

// RUN: split-file %s %t
// RUN: tile-opt --tile-move-rows %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-move-rows %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: {{copy_(rows|sectors)}}

//--- kernels.mlir

// CHECK-LABEL: tile.kernel @transpose
// CHECK: %[[TILE:.*]] = alloc_shared : !tile.shared<256x128xi8, #tile.shared_layout<256x128, pad 48 every 128>>
// CHECK-NEXT: copy_rows %[[A:.*]][%[[I:.*]], %[[J:.*]]] of %A : !tile.ptr<i8>, %[[TILE]]
// CHECK-NOT: load_view
// CHECK-NOT: trans
// CHECK: store_rows %[[TILE]] from %[[A]][%[[I]], %[[J]]], %{{.*}}[%[[J]], %[[I]]] {order = array<i64: 1, 0>}
tile.kernel @transpose(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x128xi8>
  %u = tile.trans %t [1, 0] : tensor<256x128xi8> -> tensor<128x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<128x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// The same coordinates, and other strides. Dimensions of one element count for nothing.
// CHECK-LABEL: tile.kernel @strides
// CHECK: alloc_shared : !tile.shared<1x64x256xf16, #tile.shared_layout<1x64x256, order [1,2,0], pad 24 every 64>>
// CHECK: copy_rows
// CHECK: store_rows {{.*}} {order = array<i64: 0, 1, 2>}
tile.kernel @strides(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %M: index, %N: index, %s: index, %r: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [1, %M, %N], strides [0, 1, %s] : !tile.ptr<f16> -> !tile.view<1x?x?xf16, [0, 1, ?]>
  %b = tile.view %B, shape [1, %M, %N], strides [0, %r, 1] : !tile.ptr<f16> -> !tile.view<1x?x?xf16, [0, ?, 1]>
  %t = tile.load_view %a[%c0, %c0, %c0] : !tile.view<1x?x?xf16, [0, 1, ?]> -> tensor<1x64x256xf16>
  tile.store_view %t, %b[%c0, %c0, %c0] : tensor<1x64x256xf16>, !tile.view<1x?x?xf16, [0, ?, 1]>
  tile.return
}

// Rows of what is stored begin with half a vector.
// CHECK-LABEL: tile.kernel @half_vectors
// CHECK: copy_rows %{{.*}} of %A : !tile.ptr<i8>
tile.kernel @half_vectors(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows of a few elements, such as colours, may be one run. What is stored may begin with vectors.
// CHECK-LABEL: tile.kernel @pixels
// CHECK: alloc_shared : !tile.shared<512x4xi8, #tile.shared_layout<512x4, pad 1 every 4>>
// CHECK: copy_rows
// CHECK: store_rows
tile.kernel @pixels(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 16}, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<512x4xi8>
  %u = tile.trans %t [1, 0] : tensor<512x4xi8> -> tensor<4x512xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<4x512xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows that lie a multiple of 4 bytes apart.
// CHECK-LABEL: tile.kernel @four_ways
// CHECK: copy_rows
tile.kernel @four_ways(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index {tile.divisibility = 4}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

//--- declined.mlir

// Short rows that are known to be far from one another, and some whose elements are words.
tile.kernel @apart(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<f32> {tile.disjoint}, %D: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index {tile.divisibility = 8}, %K: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<512x4xi8>
  %u = tile.trans %t [1, 0] : tensor<512x4xi8> -> tensor<4x512xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<4x512xi8>, !tile.view<?x?xi8, [?, 1]>
  %c = tile.view %C, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %d = tile.view %D, shape [%K, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %v = tile.load_view %c[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<512x4xf32>
  %w = tile.trans %v [1, 0] : tensor<512x4xf32> -> tensor<4x512xf32>
  tile.store_view %w, %d[%c0, %c0] : tensor<4x512xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// What is stored may be what is read.
tile.kernel @overlapping(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// More is stored than there is of the view that is read: it is zero.
tile.kernel @filled(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %K: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%K, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows of what is read begin with a vector, where threads load it.
tile.kernel @aligned(%A: !tile.ptr<i8> {tile.disjoint, tile.divisibility = 16}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows begin anywhere, but lie so far apart that many lanes would read from one bank.
tile.kernel @conflicts(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index {tile.divisibility = 8}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
tile.kernel @conflicts_of_halves(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [1024, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [1024, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf16, [1024, 1]> -> tensor<256x64xf16>
  %u = tile.trans %t [1, 0] : tensor<256x64xf16> -> tensor<64x256xf16>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// Elements are words.
tile.kernel @words(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<256x64xf32>
  %u = tile.trans %t [1, 0] : tensor<256x64xf32> -> tensor<64x256xf32>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// Rows of what is stored begin with a vector.
tile.kernel @stored_vectors(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 16}, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows stay rows.
tile.kernel @rows(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %M: index, %N: index, %s: index, %r: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%s, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%M, %N], strides [%r, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<8x256xf16>
  tile.store_view %t, %b[%c0, %c0] : tensor<8x256xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// Something is computed.
tile.kernel @computed(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %s = arith.addi %t, %t : tensor<256x64xi8>
  %u = tile.trans %s [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Rows are short, or few.
tile.kernel @short(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<128x128xi8>
  %u = tile.trans %t [1, 0] : tensor<128x128xi8> -> tensor<128x128xi8>
  tile.store_view %u, %b[%j, %i] : tensor<128x128xi8>, !tile.view<?x?xi8, [?, 1]>
  %v = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x32xi8>
  %w = tile.trans %v [1, 0] : tensor<256x32xi8> -> tensor<32x256xi8>
  tile.store_view %w, %b[%j, %i] : tensor<32x256xi8>, !tile.view<?x?xi8, [?, 1]>
  %x = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<128x4xi8>
  %y = tile.trans %x [1, 0] : tensor<128x4xi8> -> tensor<4x128xi8>
  tile.store_view %y, %b[%j, %i] : tensor<4x128xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Something else is stored while the block would have its shared memory.
tile.kernel @stored_between(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %c = tile.view %C, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %x = arith.constant dense<1> : tensor<64x64xi8>
  tile.store_view %x, %c[%j, %i] : tensor<64x64xi8>, !tile.view<?x?xi8, [?, 1]>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// A loop between the two may need all shared memory.
tile.kernel @loop_between(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  scf.for %k = %i to %M step %j {
    tile.barrier
  }
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// So may the stages of a product.
tile.kernel @product(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %i: index, %j: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %y = arith.constant dense<1.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %y : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// One row lies as it is to be stored.
tile.kernel @one_row(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %N: index, %i: index) {
  %a = tile.view %A, shape [%N], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %b = tile.view %B, shape [%N], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %a[%i] : !tile.view<?xi8, [1]> -> tensor<8xi8>
  tile.store_view %t, %b[%i] : tensor<8xi8>, !tile.view<?xi8, [1]>
  tile.return
}
