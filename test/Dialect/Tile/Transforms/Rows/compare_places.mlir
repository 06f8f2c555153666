// Comparisons for equality of what follows from an iota: of the iota itself.

// RUN: split-file %s %t
// RUN: tile-opt --tile-compare-places --canonicalize %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-compare-places %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: arith.trunci
// OFF-NOT: arith.select

//--- kernels.mlir

// A label of more bits than columns have: one that is no column at all is none that is counted to.
// CHECK-LABEL: tile.kernel @label
// CHECK-SAME: %[[START:[^:]*]]: i32, %[[LABEL:[^:]*]]: i64
// CHECK-DAG: %[[NONE:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[COUNT:.*]] = iota 0 : tensor<512xi32>
// CHECK-DAG: %[[NARROW:.*]] = arith.trunci %[[LABEL]] : i64 to i32
// CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[NARROW]] : i32 to i64
// CHECK-DAG: %[[FITS:.*]] = arith.cmpi eq, %[[WIDE]], %[[LABEL]] : i64
// CHECK-DAG: %[[PLACE:.*]] = arith.subi %[[NARROW]], %[[START]] : i32
// CHECK: %[[NUMBER:.*]] = arith.select %[[FITS]], %[[PLACE]], %[[NONE]] : i32
// CHECK: %[[NUMBERS:.*]] = splat %[[NUMBER]]
// CHECK: arith.cmpi eq, %[[COUNT]], %[[NUMBERS]] : tensor<512xi32>
tile.kernel @label(%P: !tile.ptr<i8>, %start: i32, %label: i64) {
  %i = tile.iota 0 : tensor<512xi32>
  %s = tile.splat %start : i32 -> tensor<512xi32>
  %c = arith.addi %s, %i : tensor<512xi32>
  %w = arith.extsi %c : tensor<512xi32> to tensor<512xi64>
  %l = tile.splat %label : i64 -> tensor<512xi64>
  %m = arith.cmpi eq, %w, %l : tensor<512xi64>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>>
  %qs = tile.addptr %ps, %i : tensor<512x!tile.ptr<i8>>, tensor<512xi32>
  %b8 = arith.extui %m : tensor<512xi1> to tensor<512xi8>
  tile.store %qs, %b8 : tensor<512x!tile.ptr<i8>>
  tile.return
}

// A row that is rotated: columns count modulo the tile's extent, and no other number is one.
// CHECK-LABEL: tile.kernel @rotated
// CHECK-SAME: %[[BY:[^:]*]]: i32, %[[LABEL:[^:]*]]: i32
// CHECK-DAG: %[[LOW:.*]] = arith.constant 511 : i32
// CHECK-DAG: %[[COUNT:.*]] = iota 0 : tensor<512xi32>
// CHECK-DAG: %[[IS:.*]] = arith.cmpi ule, %[[LABEL]], %[[LOW]] : i32
// CHECK-DAG: %[[SUM:.*]] = arith.addi %[[LABEL]], %[[BY]] : i32
// CHECK-DAG: %[[PLACE:.*]] = arith.andi %[[SUM]], %[[LOW]] : i32
// CHECK: %[[NUMBER:.*]] = arith.select %[[IS]], %[[PLACE]], %{{.*}} : i32
// CHECK: %[[NUMBERS:.*]] = splat %[[NUMBER]]
// CHECK: arith.cmpi ne, %[[COUNT]], %[[NUMBERS]] : tensor<512xi32>
tile.kernel @rotated(%P: !tile.ptr<i8>, %by: i32, %label: i32) {
  %i = tile.iota 0 : tensor<512xi32>
  %s = tile.splat %by : i32 -> tensor<512xi32>
  %low = arith.constant dense<511> : tensor<512xi32>
  %d = arith.subi %i, %s : tensor<512xi32>
  %c = arith.andi %d, %low : tensor<512xi32>
  %l = tile.splat %label : i32 -> tensor<512xi32>
  %m = arith.cmpi ne, %l, %c : tensor<512xi32>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>>
  %qs = tile.addptr %ps, %i : tensor<512x!tile.ptr<i8>>, tensor<512xi32>
  %b8 = arith.extui %m : tensor<512xi1> to tensor<512xi8>
  tile.store %qs, %b8 : tensor<512x!tile.ptr<i8>>
  tile.return
}

// Rows have labels of their own: the number is found once for each.
// CHECK-LABEL: tile.kernel @rows
// CHECK-DAG: arith.trunci %{{.*}} : tensor<4xi64> to tensor<4xi32>
// CHECK-DAG: arith.select %{{.*}} : tensor<4xi1>, tensor<4xi32>
// CHECK: arith.cmpi eq, %{{.*}} : tensor<4x64xi32>
// CHECK-NOT: arith.cmpi
tile.kernel @rows(%P: !tile.ptr<i8>, %L: !tile.ptr<i64>) {
  %r = tile.iota 0 : tensor<4xi32>
  %i = tile.iota 0 : tensor<64xi32>
  %ls = tile.splat %L : !tile.ptr<i64> -> tensor<4x!tile.ptr<i64>>
  %lq = tile.addptr %ls, %r : tensor<4x!tile.ptr<i64>>, tensor<4xi32>
  %labels = tile.load %lq : tensor<4x!tile.ptr<i64>>
  %le = tile.expand_dims %labels {axis = 1 : i32} : tensor<4xi64> -> tensor<4x1xi64>
  %lb = tile.broadcast %le : tensor<4x1xi64> -> tensor<4x64xi64>
  %w = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %ie = tile.expand_dims %w {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %ib = tile.broadcast %ie : tensor<1x64xi64> -> tensor<4x64xi64>
  %m = arith.cmpi eq, %ib, %lb : tensor<4x64xi64>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<4x64x!tile.ptr<i8>>
  %b8 = arith.extui %m : tensor<4x64xi1> to tensor<4x64xi8>
  tile.store %ps, %b8 : tensor<4x64x!tile.ptr<i8>>
  tile.return
}

// All numbers of a byte are counted to: none is left for a label that is no byte.
// CHECK-LABEL: tile.kernel @all_bytes
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : tensor<256xi8> to tensor<256xi32>
// CHECK: arith.cmpi eq, %[[WIDE]], %{{.*}} : tensor<256xi32>
tile.kernel @all_bytes(%P: !tile.ptr<i8>, %label: i32) {
  %i = tile.iota -128 : tensor<256xi8>
  %w = arith.extsi %i : tensor<256xi8> to tensor<256xi32>
  %l = tile.splat %label : i32 -> tensor<256xi32>
  %m = arith.cmpi eq, %w, %l : tensor<256xi32>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>>
  %b8 = arith.extui %m : tensor<256xi1> to tensor<256xi8>
  tile.store %ps, %b8 : tensor<256x!tile.ptr<i8>>
  tile.return
}

//--- declined.mlir

// Each column has a number of its own.
tile.kernel @elements(%P: !tile.ptr<i8>, %L: !tile.ptr<i64>) {
  %i = tile.iota 0 : tensor<64xi32>
  %ls = tile.splat %L : !tile.ptr<i64> -> tensor<64x!tile.ptr<i64>>
  %lq = tile.addptr %ls, %i : tensor<64x!tile.ptr<i64>>, tensor<64xi32>
  %labels = tile.load %lq : tensor<64x!tile.ptr<i64>>
  %w = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %m = arith.cmpi eq, %w, %labels : tensor<64xi64>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>>
  %b8 = arith.extui %m : tensor<64xi1> to tensor<64xi8>
  tile.store %ps, %b8 : tensor<64x!tile.ptr<i8>>
  tile.return
}

// Fewer low bits than are counted: several columns have each number.
tile.kernel @often(%P: !tile.ptr<i8>, %label: i32) {
  %i = tile.iota 0 : tensor<64xi32>
  %low = arith.constant dense<31> : tensor<64xi32>
  %c = arith.andi %i, %low : tensor<64xi32>
  %l = tile.splat %label : i32 -> tensor<64xi32>
  %m = arith.cmpi eq, %c, %l : tensor<64xi32>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>>
  %b8 = arith.extui %m : tensor<64xi1> to tensor<64xi8>
  tile.store %ps, %b8 : tensor<64x!tile.ptr<i8>>
  tile.return
}

// An order, not an equality.
tile.kernel @order(%P: !tile.ptr<i8>, %label: i64) {
  %i = tile.iota 0 : tensor<64xi32>
  %w = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %l = tile.splat %label : i64 -> tensor<64xi64>
  %m = arith.cmpi slt, %w, %l : tensor<64xi64>
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>>
  %b8 = arith.extui %m : tensor<64xi1> to tensor<64xi8>
  tile.store %ps, %b8 : tensor<64x!tile.ptr<i8>>
  tile.return
}
