// Sums of 32 bits that may wrap around are blocks of views, where arrays are short and the first element is inside.

// RUN: tile-opt %s --tile-recognize-blocks=short-arrays=true --tile-canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-recognize-blocks --tile-canonicalize --cse | FileCheck %s --check-prefix=LONG

// Rows by a sum of their own, columns by another, both below an end. The stride keeps its sign.
// CHECK-LABEL: tile.kernel @rows
// CHECK-DAG: %[[STRIDE:.*]] = arith.index_cast %stride : i32 to index
// CHECK: view %{{.*}}, shape [%{{.*}}, 16], strides [%[[STRIDE]], 1] : !tile.ptr<f16> -> !tile.view<?x16xf16, [?, 1]>
// CHECK: load_view
// CHECK: store_view
// LONG-LABEL: tile.kernel @rows
// LONG: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
// LONG: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @rows(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x1xi32>
  %r = arith.muli %rows, %strides : tensor<16x1xi32>
  %c = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %ns = tile.splat %n : i32 -> tensor<16x1xi32>
  %in1 = arith.cmpi slt, %rows, %ns : tensor<16x1xi32>
  %in = tile.broadcast %in1 : tensor<16x1xi1> -> tensor<16x16xi1>
  %xs1 = tile.splat %X : !tile.ptr<f16> -> tensor<16x1x!tile.ptr<f16>>
  %xs2 = tile.addptr %xs1, %r : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
  %xs3 = tile.broadcast %xs2 : tensor<16x1x!tile.ptr<f16>> -> tensor<16x16x!tile.ptr<f16>>
  %xs = tile.addptr %xs3, %c : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %x = tile.load %xs mask %in : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %r16 = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %places = arith.addi %r16, %c : tensor<16x16xi32>
  %ys1 = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ys = tile.addptr %ys1, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %ys, %halves mask %in : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// An operand that is computed from what is loaded.
// CHECK-LABEL: tile.kernel @computed
// CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
// CHECK: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @computed(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %loaded = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
  %x = arith.addf %loaded, %loaded : tensor<16x16xf16>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// The first element may be outside.
// CHECK-LABEL: tile.kernel @behind
// CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
// CHECK: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @behind(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %ns = tile.splat %n : i32 -> tensor<16x16xi32>
  %in = arith.cmpi sge, %rows, %ns : tensor<16x16xi32>
  %x = tile.load %ps mask %in : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// Two sums along one dimension, either of which may wrap around.
// CHECK-LABEL: tile.kernel @twice
// CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
// CHECK: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @twice(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %twice = tile.addptr %ps, %r : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %x = tile.load %twice : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// One that does not, in front of it,
// CHECK-LABEL: tile.kernel @before
// CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
// CHECK: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @before(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %exact = tile.addptr %xs, %rows : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %both = tile.addptr %exact, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %x = tile.load %both : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// or behind it.
// CHECK-LABEL: tile.kernel @after
// CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
// CHECK: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @after(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %both = tile.addptr %ps, %rows : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %x = tile.load %both : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// Arrays may be longer than 2^15 elements.
// CHECK-LABEL: tile.kernel @halves
// CHECK: load {{.*}} {tile.no_block = "an offset of 16 bits may wrap around within the tile"}
// CHECK: store {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @halves(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %rows16 = arith.trunci %rows : tensor<16x16xi32> to tensor<16x16xi16>
  %strides16 = tile.splat %short : i16 -> tensor<16x16xi16>
  %r16 = arith.muli %rows16, %strides16 : tensor<16x16xi16>
  %p16 = tile.addptr %xs, %r16 : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi16>
  %x = tile.load %p16 : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// What stood in the way is this alone.
// CHECK-LABEL: tile.kernel @plain
// CHECK: load_view
// CHECK: store_view
tile.kernel @plain(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32, %short: i16, %n: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = tile.broadcast %columns1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x16xi32>
  %r = arith.muli %rows, %strides : tensor<16x16xi32>
  %places = arith.addi %r, %columns : tensor<16x16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %x = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %sums = tile.dot %x, %x, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %halves = arith.truncf %sums : tensor<16x16xf32> to tensor<16x16xf16>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %qs, %halves : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// Nothing is multiplied.
// CHECK-LABEL: tile.kernel @copy
// CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
tile.kernel @copy(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %stride: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %strides = tile.splat %stride : i32 -> tensor<16xi32>
  %places = arith.muli %iota, %strides : tensor<16xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %places : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  %x = tile.load %ps : tensor<16x!tile.ptr<f16>>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %qs = tile.addptr %ys, %iota : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  tile.store %qs, %x : tensor<16x!tile.ptr<f16>>
  tile.return
}
