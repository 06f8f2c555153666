// Blocks of arrays of any length: in vectors, but the last one.

// RUN: split-file %s %t
// RUN: tile-opt --tile-branch-whole-blocks %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-branch-whole-blocks %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: scf.if

//--- kernels.mlir

// Scalars come first, then both parts. The last program, whose block crosses an end, is the first one.
// CHECK-LABEL: tile.kernel @copy
// CHECK: %[[PID:.*]] = program_id 0
// CHECK: %[[COUNT:.*]] = num_programs 0
// CHECK: %[[LAST:.*]] = arith.subi %[[COUNT]], %c1
// CHECK: %[[TURNED:.*]] = arith.subi %[[LAST]], %[[PID]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[TURNED]], %{{.*}}
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]]
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

// Arrays that begin beside vectors: where they do alike, whole blocks are rotated.
// CHECK-LABEL: tile.kernel @beside
// CHECK: %[[ALL:.*]] = arith.cmpi uge
// CHECK: %[[X:.*]] = ptr_to_int %{{.*}} : !tile.ptr<i8> -> i64
// CHECK: %[[S:.*]] = arith.andi %[[X]], %{{.*}} : i64
// CHECK: %[[BY:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[BESIDE:.*]] = arith.ori
// CHECK: %[[ALIKE:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i64
// CHECK: %[[WHOLE:.*]] = arith.andi %[[ALL]], %[[ALIKE]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK: load_view %{{.*}} rotated %[[BY]] : !tile.view<1024xi8, [1]>
// CHECK: store_view %{{.*}} rotated %[[BY]] : tensor<1024xi8>
// CHECK: } else {
// CHECK-NOT: rotated
// CHECK: return
tile.kernel @beside(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
  %s = arith.addi %t, %t : tensor<1024xi8>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  tile.store_view %s, %w[%c0] : tensor<1024xi8>, !tile.view<?xi8, [1]>
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

// What else asks whether a place is there knows it of whole blocks; what is counted is combined all the same.
// CHECK-LABEL: tile.kernel @counted
// CHECK: scf.if
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : tensor<1024xi1>
// CHECK: arith.select %[[ALL]]
// CHECK: tile.reduce
// CHECK: } else {
// CHECK: %[[SOME:.*]] = arith.cmpi slt
// CHECK: arith.select %[[SOME]]
tile.kernel @counted(%X: !tile.ptr<i8> {tile.divisibility = 16}, %C: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<1024xi32>
  %ends = tile.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %ends : tensor<1024xi32>
  %length = arith.index_castui %n : i32 to index
  %v = tile.view %X, shape [%length], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
  %wide = arith.extui %t : tensor<1024xi8> to tensor<1024xi32>
  %none = arith.constant dense<-1> : tensor<1024xi32>
  %numbers = arith.select %inside, %wide, %none : tensor<1024xi1>, tensor<1024xi32>
  %s = tile.alloc_shared : !tile.shared<256x4xi32>
  %zero = arith.constant dense<0> : tensor<256x4xi32>
  tile.local_store %zero, %s : tensor<256x4xi32>, !tile.shared<256x4xi32>
  tile.local_count %numbers, %s : tensor<1024xi32>, !tile.shared<256x4xi32>
  %counts = tile.local_load %s : !tile.shared<256x4xi32> -> tensor<256x4xi32>
  %found = tile.reduce %counts axis 1 : tensor<256x4xi32> -> tensor<256xi32> {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    tile.yield %sum : i32
  }
  %j = tile.iota 0 : tensor<256xi32>
  %ps = tile.splat %C : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %places = tile.addptr %ps, %j : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %old = tile.atomic_rmw add %places, %found : tensor<256x!tile.ptr<i32>>
  tile.return
}

// Blocks that are whole may lie behind what another number bounds.
// CHECK-LABEL: tile.kernel @split
// CHECK-SAME: %[[N:[^ :]*]]: index, %[[K:[^ :]*]]: i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi uge, %[[N]], %c1024
// CHECK-NEXT: scf.if %[[WHOLE]]
// CHECK: %[[LEFT:.*]] = arith.cmpi slt
// CHECK: arith.select %[[LEFT]]
// CHECK: } else {
tile.kernel @split(%X: !tile.ptr<i8> {tile.divisibility = 16}, %Y: !tile.ptr<i8> {tile.divisibility = 16}, %n: index, %k: i32) {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<1024xi32>
  %ends = tile.splat %k : i32 -> tensor<1024xi32>
  %is_left = arith.cmpi slt, %i, %ends : tensor<1024xi32>
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
  %none = arith.constant dense<0> : tensor<1024xi8>
  %left = arith.select %is_left, %t, %none : tensor<1024xi1>, tensor<1024xi8>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  tile.store_view %left, %w[%c0] : tensor<1024xi8>, !tile.view<?xi8, [1]>
  tile.return
}

// One of the arrays begins anywhere: its elements are moved alone, and ask no mask in whole blocks.
// CHECK-LABEL: tile.kernel @begins_anywhere
// CHECK: %[[WHOLE:.*]] = arith.cmpi uge
// CHECK-NEXT: scf.if %[[WHOLE]] {
// CHECK: load_view %{{.*}} : !tile.view<1024xf16, [1]>
// CHECK: store_view %{{.*}} : tensor<1024xf16>, !tile.view<1024xf16, [1]>
// CHECK: } else {
tile.kernel @begins_anywhere(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 2}, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// So do all of them where each place would be a number of its own.
// CHECK-LABEL: tile.kernel @places_beside
// CHECK: %[[WHOLE:.*]] = arith.cmpi uge
// CHECK-NEXT: scf.if %[[WHOLE]] {
// CHECK-NOT: rotated
// CHECK: store_view %{{.*}} : tensor<1024xi8>, !tile.view<1024xi8, [1]>
// CHECK: } else {
tile.kernel @places_beside(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
  %i = tile.iota 0 : tensor<1024xi32>
  %b = arith.trunci %i : tensor<1024xi32> to tensor<1024xi8>
  %s = arith.addi %t, %b : tensor<1024xi8>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  tile.store_view %s, %w[%c0] : tensor<1024xi8>, !tile.view<?xi8, [1]>
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

// What is loaded is combined: rows are moved in another way.
tile.kernel @row(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %twice = arith.addf %t, %t : tensor<1024xf16>
  %most = tile.reduce %twice axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %m = arith.maximumf %a, %b : f16
    tile.yield %m : f16
  }
  tile.store %Y, %most : !tile.ptr<f16>
  tile.return
}

// Eight elements that are moved alone ask one mask.
tile.kernel @beside_one_ends_with_a_vector(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8> {tile.divisibility = 16}, %n: index {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  tile.store_view %t, %w[%c0] : tensor<1024xi8>, !tile.view<?xi8, [1]>
  tile.return
}
