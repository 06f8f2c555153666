// MLIR's parser asks for the bits of an array's elements, and an index has none.

// RUN: not tile-compile %s 2>&1 | FileCheck %s
// RUN: not tile-opt %s 2>&1 | FileCheck %s
// CHECK: array-of-indices.mlir:[[@LINE+6]]:3: error: an array has no elements of index: give them a type with a width, as in array<i64: 1, 2>
// CHECK-NOT: error

// What is in comments, array<index: 1>, and strings does not count.
tile.kernel @k(%n: index) attributes {a = "array<index: 1>"} { tile.return }
tile.kernel @columns(%n: i32 {tile.bounds = array < // of
  index: 257, 384>}) { tile.return }
