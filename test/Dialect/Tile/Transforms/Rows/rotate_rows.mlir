// Rows that begin or end anywhere: in vectors, where these are whole.

// RUN: split-file %s %t
// RUN: tile-opt --tile-rotate-rows %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-rotate-rows %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: rotated

//--- kernels.mlir

// The end alone stands in the way: nothing moves to other places.
// CHECK-LABEL: tile.kernel @ends_anywhere
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: iota 0
// CHECK-NOT: arith.andi
// CHECK: load_view %{{.*}} rotated %{{.*}} : !tile.view<?xf16, [1]>
// CHECK: store_view %{{.*}} rotated %{{.*}} : tensor<1024xf16>
tile.kernel @ends_anywhere(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %i = iota 0 : tensor<1024xi32>
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %f = arith.sitofp %i : tensor<1024xi32> to tensor<1024xf16>
  %y = arith.addf %x, %f : tensor<1024xf16>
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %y, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %y axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %sum : !tile.ptr<f16>
  tile.return
}

// A row that begins anywhere: iotas count in the places that elements have then, and weights, which begin
// with a vector, have none any more.
// CHECK-LABEL: tile.kernel @begins_anywhere
// CHECK-SAME: (%[[X:[^:]*]]: !tile.ptr<f16>{{.*}}, %[[W:[^:]*]]: !tile.ptr<f16>
// CHECK: %[[ROW:.*]] = addptr %[[X]]
// CHECK: %[[ADDRESS:.*]] = ptr_to_int %[[ROW]]
// CHECK: %[[BEHIND:.*]] = arith.andi %[[ADDRESS]], %c15_i64
// CHECK: %[[ELEMENTS:.*]] = arith.shrui %[[BEHIND]], %c1_i64
// CHECK: %[[BY:.*]] = arith.index_cast %[[ELEMENTS]]
// CHECK: %[[PLACES:.*]] = iota 0 : tensor<1024xi32>
// CHECK: %[[MOVED:.*]] = arith.subi %[[PLACES]]
// CHECK: %[[NUMBERS:.*]] = arith.andi %[[MOVED]]
// CHECK: arith.addi %[[NUMBERS]]
// CHECK-NOT: assume
// CHECK: load_view %{{.*}} rotated %[[BY]] : !tile.view<?xf16, [1]>
// CHECK: load_view %{{.*}} rotated %[[BY]] {shifted} : !tile.view<?xf16, [1]>
// CHECK: store_view %{{.*}} rotated %[[BY]] : tensor<1024xf16>
tile.kernel @begins_anywhere(%X: !tile.ptr<f16> {tile.divisibility = 16}, %W: !tile.ptr<f16> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %i = iota 0 : tensor<1024xi32>
  %j = tile.assume %i divisibility [16] contiguity [16] : tensor<1024xi32>
  %p = tile.program_id 0
  %first = arith.muli %p, %n : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %f = arith.sitofp %j : tensor<1024xi32> to tensor<1024xf16>
  %m = arith.mulf %x, %w : tensor<1024xf16>
  %y = arith.addf %m, %f : tensor<1024xf16>
  tile.store_view %y, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %y axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %W, %sum : !tile.ptr<f16>
  tile.return
}

// Rows of a loop, each rotated by itself: what is made in front of it is made anew there.
// CHECK-LABEL: tile.kernel @rows
// CHECK: scf.for %[[R:.*]] =
// CHECK: %[[ROW:.*]] = tile.addptr
// CHECK: tile.ptr_to_int %[[ROW]]
// CHECK: tile.iota 0
// CHECK: arith.andi
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: load_view %{{.*}} rotated
// CHECK: arith.select %[[MASK]]
tile.kernel @rows(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = iota 0 : tensor<1024xindex>
  %ns = tile.splat %n : index -> tensor<1024xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xindex>
  %one = arith.constant dense<1.0> : tensor<1024xf16>
  scf.for %r = %c0 to %m step %c1 {
    %first = arith.muli %r, %n : index
    %row = tile.addptr %X, %first : !tile.ptr<f16>, index
    %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    %s = arith.select %inside, %x, %one : tensor<1024xi1>, tensor<1024xf16>
    %sum = tile.reduce %s axis 0 : tensor<1024xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.addf %a, %b : f16
      tile.yield %c : f16
    }
    %y = tile.addptr %Y, %r : !tile.ptr<f16>, index
    tile.store %y, %sum : !tile.ptr<f16>
  }
  tile.return
}

// What is stored of outside is made again, with its elements where those of the row are.
// CHECK-LABEL: tile.kernel @stores_outer_tile
// CHECK: scf.for
// CHECK: %[[BY:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: iota 0 : tensor<1024xi32>
// CHECK: %[[PLACES:.*]] = arith.addi %{{.*}} : tensor<1024xi32>
// CHECK: %[[COUNTED:.*]] = arith.sitofp %[[PLACES]]
// CHECK: store_view %[[COUNTED]], %{{.*}} rotated %[[BY]] : tensor<1024xf16>
// CHECK: reduce
tile.kernel @stores_outer_tile(%X: !tile.ptr<f16> {tile.divisibility = 16}, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = iota 0 : tensor<1024xi32>
  %f = arith.sitofp %i : tensor<1024xi32> to tensor<1024xf16>
  scf.for %r = %c0 to %m step %c1 {
    %first = arith.muli %r, %n : index
    %row = tile.addptr %X, %first : !tile.ptr<f16>, index
    %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    tile.store_view %f, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
    %sum = tile.reduce %x axis 0 : tensor<1024xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.addf %a, %b : f16
      tile.yield %c : f16
    }
    tile.store %X, %sum : !tile.ptr<f16>
  }
  tile.return
}

// Of rows that are known to end early enough in their tile, the tile begins with a line of memory.
// CHECK-LABEL: tile.kernel @begins_with_lines
// CHECK: %[[BEHIND:.*]] = arith.andi %{{.*}}, %c127_i64
// CHECK: arith.shrui %[[BEHIND]], %c1_i64
tile.kernel @begins_with_lines(%X: !tile.ptr<f16> {tile.divisibility = 16}, %n: index {tile.bounds = array<i64: 897, 961>}) {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %first = arith.muli %p, %n : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %x axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %sum : !tile.ptr<f16>
  tile.return
}

// With one element more the row may be joined in front of its last ones.
// CHECK-LABEL: tile.kernel @begins_with_vectors
// CHECK: arith.andi %{{.*}}, %c15_i64
tile.kernel @begins_with_vectors(%X: !tile.ptr<f16> {tile.divisibility = 16}, %n: index {tile.bounds = array<i64: 897, 962>}) {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %first = arith.muli %p, %n : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %x axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %sum : !tile.ptr<f16>
  tile.return
}

// Programs whose numbers differ by 16 begin alike by sectors of 16 elements, and by 8 by vectors of as many: one rotation, in front of the loop.
// CHECK-LABEL: tile.kernel @begins_with_sectors_in_turn
// CHECK: arith.andi %{{.*}}, %c31_i64
// CHECK: scf.for
tile.kernel @begins_with_sectors_in_turn(%X: !tile.ptr<f16> {tile.divisibility = 16}, %m: index, %n: index {tile.bounds = array<i64: 897, 961>}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 16 : index
  %p = tile.program_id 0
  scf.for %r = %p to %m step %step {
    %first = arith.muli %r, %n : index
    %row = tile.addptr %X, %first : !tile.ptr<f16>, index
    %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
    %sum = tile.reduce %x axis 0 : tensor<1024xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.addf %a, %b : f16
      tile.yield %c : f16
    }
    tile.store %X, %sum : !tile.ptr<f16>
  } {tile.programs}
  tile.return
}

// CHECK-LABEL: tile.kernel @begins_with_vectors_in_turn
// CHECK: arith.andi %{{.*}}, %c15_i64
// CHECK: scf.for
tile.kernel @begins_with_vectors_in_turn(%X: !tile.ptr<f16> {tile.divisibility = 16}, %m: index, %n: index {tile.bounds = array<i64: 897, 961>}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 8 : index
  %p = tile.program_id 0
  scf.for %r = %p to %m step %step {
    %first = arith.muli %r, %n : index
    %row = tile.addptr %X, %first : !tile.ptr<f16>, index
    %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
    %sum = tile.reduce %x axis 0 : tensor<1024xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.addf %a, %b : f16
      tile.yield %c : f16
    }
    tile.store %X, %sum : !tile.ptr<f16>
  } {tile.programs}
  tile.return
}

// A loop takes parts of a row, which are whole vectors: one rotation for all of them, in front of the loop, and sums of places that are carried.
// CHECK-LABEL: tile.kernel @parts
// CHECK: %[[FIRST:.*]] = arith.muli
// CHECK: %[[ROW:.*]] = addptr %{{.*}}, %[[FIRST]]
// CHECK: %[[ADDRESS:.*]] = ptr_to_int %[[ROW]]
// CHECK: %[[BEHIND:.*]] = arith.andi %[[ADDRESS]], %c15_i64
// CHECK: %[[ELEMENTS:.*]] = arith.shrui %[[BEHIND]], %c1_i64
// CHECK: %[[BY:.*]] = arith.index_cast %[[ELEMENTS]]
// CHECK: scf.for
// CHECK: load_view %{{.*}} rotated %[[BY]] : !tile.view<?xf16, [1]>
tile.kernel @parts(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16>, %m: i64, %n: i64) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : i64
  %zeros = arith.constant dense<0.0> : tensor<1024xf16>
  %zero = arith.constant 0 : i64
  %p = tile.program_id 0
  %number = arith.index_cast %p : index to i64
  // A division is not moved over others.
  %mine = arith.remsi %number, %m : i64
  %total = scf.for %i = %zero to %n step %c1024 iter_args(%sum = %zeros) -> (tensor<1024xf16>) : i64 {
    %first = arith.muli %mine, %n : i64
    %at = arith.addi %first, %i : i64
    %part = tile.addptr %X, %at : !tile.ptr<f16>, i64
    %left = arith.subi %n, %i : i64
    %extent = arith.index_cast %left : i64 to index
    %v = tile.view %part, shape [%extent], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    %next = arith.addf %sum, %x : tensor<1024xf16>
    scf.yield %next : tensor<1024xf16>
  }
  %all = tile.reduce %total axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %all : !tile.ptr<f16>
  tile.return
}

// Nothing is combined, but programs have rows of their own.
// CHECK-LABEL: tile.kernel @moved_rows
// CHECK: load_view %{{.*}} rotated
// CHECK: store_view %{{.*}} rotated
tile.kernel @moved_rows(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %n: index, %stride: i32) {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %narrow = arith.index_cast %p : index to i32
  %first = arith.muli %narrow, %stride : i32
  %row = tile.addptr %X, %first : !tile.ptr<f16>, i32
  %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %to = tile.addptr %Y, %first : !tile.ptr<f16>, i32
  %w = tile.view %to, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %x, %w[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

//--- declined.mlir

// All vectors are whole.
tile.kernel @whole(%X: !tile.ptr<f16> {tile.divisibility = 16}, %n: index {tile.divisibility = 8}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %x axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %sum : !tile.ptr<f16>
  tile.return
}

// A thread has one element.
tile.kernel @few(%X: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<128xf16>
  tile.store_view %x, %v[%c0] : tensor<128xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %x axis 0 : tensor<128xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %sum : !tile.ptr<f16>
  tile.return
}

// A scan tells in which order elements stand.
tile.kernel @scan(%X: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %s = tile.scan %x axis 0 : tensor<1024xf16> -> tensor<1024xf16> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store_view %s, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// So do numbers that are listed, and what a loop carries from one row to the next.
tile.kernel @carried(%X: !tile.ptr<f16>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1024xf16>
  %last = scf.for %r = %c0 to %m step %c1 iter_args(%before = %zero) -> tensor<1024xf16> {
    %first = arith.muli %r, %n : index
    %row = tile.addptr %X, %first : !tile.ptr<f16>, index
    %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    %y = arith.addf %x, %before : tensor<1024xf16>
    scf.yield %y : tensor<1024xf16>
  }
  %all = tile.reduce %last axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %all : !tile.ptr<f16>
  tile.return
}

// Tiles of several extents.
tile.kernel @two_extents(%X: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %y = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<512xf16>
  tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.store_view %y, %v[%n] : tensor<512xf16>, !tile.view<?xf16, [1]>
  %sum = tile.reduce %y axis 0 : tensor<512xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %sum : !tile.ptr<f16>
  tile.return
}

// Nothing is combined: it is as fast by elements.
tile.kernel @copy(%X: !tile.ptr<f16> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  tile.store_view %x, %v[%c0] : tensor<1024xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// As many rows would be rotated out of their vectors as into them.
tile.kernel @weights(%X: !tile.ptr<f16> {tile.divisibility = 16}, %W: !tile.ptr<f16> {tile.divisibility = 16}, %n: index) {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %first = arith.muli %p, %n : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %v = tile.view %row, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
  %y = arith.mulf %x, %w : tensor<1024xf16>
  %sum = tile.reduce %y axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %X, %sum : !tile.ptr<f16>
  tile.return
}

// Parts begin differently: what a loop carries would be of other places.
tile.kernel @steps(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16>, %n: i64) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : tensor<1024xf16>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %total = scf.for %i = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<1024xf16>) : i64 {
    %part = tile.addptr %X, %i : !tile.ptr<f16>, i64
    %extent = arith.index_cast %n : i64 to index
    %v = tile.view %part, shape [%extent], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    %next = arith.addf %sum, %x : tensor<1024xf16>
    scf.yield %next : tensor<1024xf16>
  }
  %all = tile.reduce %total axis 0 : tensor<1024xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %all : !tile.ptr<f16>
  tile.return
}

// A stencil within its borders: the tile begins with a vector, its mask one behind. Neighbours on either side are shifted in any case.
tile.kernel @stencil(%X: !tile.ptr<f32> {tile.divisibility = 16}, %Y: !tile.ptr<f32> {tile.divisibility = 16},
                     %stride: index {tile.divisibility = 16}, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %back = arith.constant -1 : index
  %p = tile.program_id 0
  %first = arith.muli %p, %stride : index
  %low = arith.minui %one, %n : index
  %index = arith.subi %zero, %low : index
  %row = tile.addptr %X, %first : !tile.ptr<f32>, index
  %step = arith.muli %low, %one : index
  %here = tile.addptr %row, %step : !tile.ptr<f32>, index
  %v = tile.view %here, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %x = tile.load_view %v[%index] : !tile.view<?xf32, [1]> -> tensor<256xf32>
  %before = tile.addptr %row, %back : !tile.ptr<f32>, index
  %left = tile.addptr %before, %step : !tile.ptr<f32>, index
  %w = tile.view %left, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %l = tile.load_view %w[%index] : !tile.view<?xf32, [1]> -> tensor<256xf32>
  %sum = arith.addf %x, %l : tensor<256xf32>
  %out = tile.addptr %Y, %first : !tile.ptr<f32>, index
  %to = tile.addptr %out, %step : !tile.ptr<f32>, index
  %y = tile.view %to, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %sum, %y[%index] : tensor<256xf32>, !tile.view<?xf32, [1]>
  tile.return
}
