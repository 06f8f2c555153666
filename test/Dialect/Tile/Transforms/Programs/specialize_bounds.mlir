// From where to where arguments are in one class of launches.

// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{bounds=n:961:1024,m:-5:-5}))" %s | FileCheck %s
// RUN: tile-opt --split-input-file %s | tile-opt --split-input-file | FileCheck %s --check-prefix=READ

// What stood there is replaced.
// CHECK-LABEL: tile.kernel @k(
// CHECK-SAME: %n: i32 {tile.bounds = array<i64: 961, 1024>}, %m: index {tile.bounds = array<i64: -5, -5>, tile.divisibility = 4 : i64}, %i: i64 {tile.bounds = array<i64: 0, 7>}
// READ: tile.kernel @k(%n: i32 {tile.bounds = array<i64: 1, 2>}
tile.kernel @k(%n: i32 {tile.bounds = array<i64: 1, 2>}, %m: index {tile.divisibility = 4 : i64}, %i: i64 {tile.bounds = array<i64: 0, 7>}) {
  tile.return
}
