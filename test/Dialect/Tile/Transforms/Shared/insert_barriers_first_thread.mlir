// Through one pointer the first thread stores. What it alone loads it has in the
// order of the text; what all load has to wait for it, and it for them.

// RUN: tile-opt --tile-insert-barriers %s | FileCheck %s

// CHECK-LABEL: tile.kernel @of_first
// CHECK-NOT: barrier
// CHECK: {{^}}    return
tile.kernel @of_first(%P: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %P unshared : !tile.ptr<i32>
    %y = arith.addi %x, %x : i32
    tile.store %P, %y : !tile.ptr<i32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @of_all
// CHECK: barrier
// CHECK-NEXT: load
// CHECK: barrier
// CHECK-NEXT: store
tile.kernel @of_all(%P: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %P : !tile.ptr<i32>
    %y = arith.addi %x, %x : i32
    tile.store %P, %y : !tile.ptr<i32>
  }
  tile.return
}
