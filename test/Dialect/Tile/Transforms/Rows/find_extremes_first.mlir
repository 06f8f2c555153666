// The extreme one of a row, then the places of those that equal it.

// RUN: split-file %s %t
// RUN: tile-opt --tile-find-extremes-first %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-find-extremes-first %t/declined.mlir | FileCheck %s --check-prefix=OFF

//--- kernels.mlir

// CHECK-LABEL: tile.kernel @row
// CHECK: %[[I:.*]] = iota 5
// CHECK: %[[X:.*]] = load
// CHECK: %[[M:.*]] = reduce %[[X]] axis 0 : tensor<128xf32> -> f32 {
// CHECK: arith.maxnumf
// CHECK: %[[S:.*]] = splat %[[M]] : f32 -> tensor<128xf32>
// CHECK: %[[E:.*]] = arith.cmpf oeq, %[[X]], %[[S]]
// CHECK: %[[NONE:.*]] = arith.constant dense<132> : tensor<128xi32>
// CHECK: %[[P:.*]] = arith.select %[[E]], %[[I]], %[[NONE]]
// CHECK: %[[W:.*]] = reduce %[[P]] axis 0 : tensor<128xi32> -> i32 {
// CHECK: arith.minsi
// CHECK: store %{{.*}}, %[[M]]
// CHECK: store %{{.*}}, %[[W]]
tile.kernel @row(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %i = tile.iota 5 : tensor<128xi32>
  %as = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %as : tensor<128x!tile.ptr<f32>>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<128xf32>, tensor<128xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %best = arith.maxnumf %a, %b : f32
    %other = arith.cmpf une, %b, %best : f32
    %is = arith.cmpf oeq, %a, %best : f32
    %before = arith.cmpi slt, %ai, %bi : i32
    %or = arith.ori %other, %before : i1
    %first = arith.andi %is, %or : i1
    %place = arith.select %first, %ai, %bi : i32
    tile.yield %best, %place : f32, i32
  }
  tile.store %p, %m#0 : !tile.ptr<f32>
  tile.store %q, %m#1 : !tile.ptr<i32>
  tile.return
}

// Columns of halves, which are compared as they are and reduced as f32; of those that tie any will do.
// CHECK-LABEL: tile.kernel @columns
// CHECK: %[[I:.*]] = broadcast
// CHECK: %[[X:.*]] = splat
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : tensor<32x16xf16> to tensor<32x16xf32>
// CHECK: %[[M:.*]] = reduce %[[WIDE]] axis 0 : tensor<32x16xf32> -> tensor<16xf32> {
// CHECK: arith.minnumf
// CHECK: %[[HALF:.*]] = arith.truncf %[[M]] : tensor<16xf32> to tensor<16xf16>
// CHECK: %[[ONE:.*]] = expand_dims %[[HALF]] {axis = 0 : i32}
// CHECK: %[[S:.*]] = broadcast %[[ONE]] : tensor<1x16xf16> -> tensor<32x16xf16>
// CHECK: %[[E:.*]] = arith.cmpf oeq, %[[X]], %[[S]]
// CHECK: %[[P:.*]] = arith.select %[[E]], %[[I]], %{{.*}}
// CHECK: reduce %[[P]] axis 0 : tensor<32x16xi32> -> tensor<16xi32> {
tile.kernel @columns(%h: f16) {
  %i = tile.iota 0 : tensor<32xi32>
  %e = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %is = tile.broadcast %e : tensor<32x1xi32> -> tensor<32x16xi32>
  %x = tile.splat %h : f16 -> tensor<32x16xf16>
  %m:2 = tile.reduce %x, %is axis 0 : tensor<32x16xf16>, tensor<32x16xi32> -> tensor<16xf16>, tensor<16xi32> {
  ^bb0(%a: f16, %ai: i32, %b: f16, %bi: i32):
    %best = arith.minnumf %a, %b : f16
    %other = arith.cmpf une, %b, %best : f16
    %place = arith.select %other, %ai, %bi : i32
    tile.yield %best, %place : f16, i32
  }
  %d = arith.addf %m#0, %m#0 : tensor<16xf16>
  tile.return
}

// Floats of 8 bits are not compared: what they were made for is.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : tensor<64xf8E5M2> to tensor<64xf32>
// CHECK: %[[M:.*]] = reduce %[[X]] axis 0 : tensor<64xf32> -> f32 {
// CHECK: %[[S:.*]] = splat %[[M]] : f32 -> tensor<64xf32>
// CHECK: arith.cmpf oeq, %[[X]], %[[S]] : tensor<64xf32>
tile.kernel @bytes(%b: f8E5M2) {
  %is = tile.iota 0 : tensor<64xi32>
  %bs = tile.splat %b : f8E5M2 -> tensor<64xf8E5M2>
  %x = arith.extf %bs : tensor<64xf8E5M2> to tensor<64xf32>
  %m:2 = tile.reduce %x, %is axis 0 : tensor<64xf32>, tensor<64xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %c: f32, %ci: i32):
    %best = arith.minnumf %a, %c : f32
    %other = arith.cmpf une, %c, %best : f32
    %place = arith.select %other, %ai, %ci : i32
    tile.yield %best, %place : f32, i32
  }
  tile.return
}

// Integers in other words, without a sign.
// CHECK-LABEL: tile.kernel @integers
// CHECK: reduce %{{.*}} axis 0 : tensor<64xi16> -> i16 {
// CHECK: arith.maxui
// CHECK: arith.cmpi eq
// CHECK: arith.minsi %{{.*}} : i64
tile.kernel @integers(%h: i16) {
  %i = tile.iota 0 : tensor<64xi64>
  %x = tile.splat %h : i16 -> tensor<64xi16>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<64xi16>, tensor<64xi64> -> i16, i64 {
  ^bb0(%a: i16, %ai: i64, %b: i16, %bi: i64):
    %more = arith.cmpi ugt, %a, %b : i16
    %same = arith.cmpi eq, %a, %b : i16
    %before = arith.cmpi slt, %ai, %bi : i64
    %tie = arith.andi %same, %before : i1
    %first = arith.ori %more, %tie : i1
    %best = arith.select %first, %a, %b : i16
    %place = arith.select %first, %ai, %bi : i64
    tile.yield %best, %place : i16, i64
  }
  tile.return
}

//--- declined.mlir

// Of equal ones the last.
// OFF-LABEL: tile.kernel @last
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF-NOT: reduce
tile.kernel @last(%h: i32) {
  %i = tile.iota 0 : tensor<64xi32>
  %x = tile.splat %h : i32 -> tensor<64xi32>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<64xi32>, tensor<64xi32> -> i32, i32 {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %more = arith.cmpi sgt, %a, %b : i32
    %same = arith.cmpi eq, %a, %b : i32
    %behind = arith.cmpi sgt, %ai, %bi : i32
    %tie = arith.andi %same, %behind : i1
    %first = arith.ori %more, %tie : i1
    %best = arith.select %first, %a, %b : i32
    %place = arith.select %first, %ai, %bi : i32
    tile.yield %best, %place : i32, i32
  }
  tile.return
}

// A number beside NaN is not always taken.
// OFF-LABEL: tile.kernel @nan
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF-NOT: reduce
tile.kernel @nan(%h: f32) {
  %i = tile.iota 0 : tensor<64xi32>
  %x = tile.splat %h : f32 -> tensor<64xf32>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<64xf32>, tensor<64xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %best = arith.maxnumf %a, %b : f32
    %first = arith.cmpf ogt, %a, %b : f32
    %place = arith.select %first, %ai, %bi : i32
    tile.yield %best, %place : f32, i32
  }
  tile.return
}

// Places that are no count, and what is computed beside.
// OFF-LABEL: tile.kernel @given
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF-NOT: reduce
tile.kernel @given(%h: i32, %k: i32) {
  %i = tile.splat %k : i32 -> tensor<64xi32>
  %c = tile.iota 0 : tensor<64xi32>
  %x = tile.splat %h : i32 -> tensor<64xi32>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<64xi32>, tensor<64xi32> -> i32, i32 {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %more = arith.cmpi sgt, %a, %b : i32
    %best = arith.select %more, %a, %b : i32
    %place = arith.select %more, %ai, %bi : i32
    tile.yield %best, %place : i32, i32
  }
  %n:2 = tile.reduce %x, %c axis 0 : tensor<64xi32>, tensor<64xi32> -> i32, i32 {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %best = arith.addi %a, %b : i32
    %place = arith.addi %ai, %bi : i32
    tile.yield %best, %place : i32, i32
  }
  tile.return
}

// Words in a loop.
// OFF-LABEL: tile.kernel @loop
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF-NOT: reduce
tile.kernel @loop(%p: !tile.ptr<i32>, %h: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.iota 0 : tensor<64xi32>
  %x = tile.splat %h : i32 -> tensor<64xi32>
  scf.for %k = %c0 to %n step %c1 {
    %m:2 = tile.reduce %x, %i axis 0 : tensor<64xi32>, tensor<64xi32> -> i32, i32 {
    ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
      %more = arith.cmpi sgt, %a, %b : i32
      %best = arith.select %more, %a, %b : i32
      %place = arith.select %more, %ai, %bi : i32
      tile.yield %best, %place : i32, i32
    }
    tile.store %p, %m#1 : !tile.ptr<i32>
  }
  tile.return
}

// Elements are compared with places: what 0 and 1 show says nothing of greater ones.
// OFF-LABEL: tile.kernel @mixed
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF-NOT: reduce
tile.kernel @mixed(%h: i32) {
  %i = tile.iota 0 : tensor<64xi32>
  %x = tile.splat %h : i32 -> tensor<64xi32>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<64xi32>, tensor<64xi32> -> i32, i32 {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %more = arith.cmpi sgt, %a, %b : i32
    %less = arith.cmpi slt, %a, %b : i32
    %same = arith.cmpi eq, %a, %b : i32
    %before = arith.cmpi slt, %ai, %bi : i32
    %tie = arith.andi %same, %before : i1
    %far = arith.cmpi sgt, %a, %bi : i32
    %odd = arith.andi %less, %far : i1
    %extreme = arith.ori %more, %tie : i1
    %first = arith.ori %extreme, %odd : i1
    %best = arith.select %first, %a, %b : i32
    %place = arith.select %first, %ai, %bi : i32
    tile.yield %best, %place : i32, i32
  }
  tile.return
}

// Without a sign, places below 0 are behind all others.
// OFF-LABEL: tile.kernel @below
// OFF: reduce %{{.*}}, %{{.*}} axis 0
// OFF-NOT: reduce
tile.kernel @below(%h: i32) {
  %i = tile.iota -5 : tensor<64xi32>
  %x = tile.splat %h : i32 -> tensor<64xi32>
  %m:2 = tile.reduce %x, %i axis 0 : tensor<64xi32>, tensor<64xi32> -> i32, i32 {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %more = arith.cmpi sgt, %a, %b : i32
    %same = arith.cmpi eq, %a, %b : i32
    %before = arith.cmpi ult, %ai, %bi : i32
    %tie = arith.andi %same, %before : i1
    %first = arith.ori %more, %tie : i1
    %best = arith.select %first, %a, %b : i32
    %place = arith.select %first, %ai, %bi : i32
    tile.yield %best, %place : i32, i32
  }
  tile.return
}

// All elements of a row have its number, which is found in rows of NaN, too.
// OFF-LABEL: tile.kernel @rows
// OFF: reduce %{{.*}}, %{{.*}} axis 1
// OFF-NOT: reduce
tile.kernel @rows(%h: f16) {
  %i = tile.iota 0 : tensor<32xi32>
  %e = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %is = tile.broadcast %e : tensor<32x1xi32> -> tensor<32x16xi32>
  %x = tile.splat %h : f16 -> tensor<32x16xf16>
  %m:2 = tile.reduce %x, %is axis 1 : tensor<32x16xf16>, tensor<32x16xi32> -> tensor<32xf16>, tensor<32xi32> {
  ^bb0(%a: f16, %ai: i32, %b: f16, %bi: i32):
    %best = arith.minnumf %a, %b : f16
    %other = arith.cmpf une, %b, %best : f16
    %place = arith.select %other, %ai, %bi : i32
    tile.yield %best, %place : f16, i32
  }
  tile.return
}
