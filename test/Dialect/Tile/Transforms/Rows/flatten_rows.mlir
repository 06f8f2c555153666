// Tiles of one row that have a dimension of 1 beside it.

// RUN: split-file %s %t
// RUN: tile-opt --tile-flatten-rows %t/rows.mlir | FileCheck %s
// RUN: tile-opt --tile-flatten-rows %t/others.mlir -o %t/flat.mlir
// RUN: tile-opt %t/others.mlir -o %t/same.mlir
// RUN: diff %t/same.mlir %t/flat.mlir

//--- rows.mlir

// CHECK-LABEL: tile.kernel @sum_of_row
// CHECK-NOT: tensor<1
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %c0_i32{{.*}} : i32
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<1024xf32>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZEROS]]) -> (tensor<1024xf32>)
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[PLACE]], %{{.*}} : i32
// CHECK: %[[ALL:.*]] = tile.splat %[[THERE]] : i1 -> tensor<1024xi1>
// CHECK: %[[MASK:.*]] = arith.andi %[[ALL]], %{{.*}} : tensor<1024xi1>
// CHECK: %[[PS:.*]] = tile.addptr %{{.*}}, %{{.*}} : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
// CHECK: tile.load %[[PS]] mask %[[MASK]] else %{{.*}} : tensor<1024x!tile.ptr<f16>>
// CHECK: reduce %{{.*}} axis 0 : tensor<1024xf32> -> f32
// CHECK: store %{{.*}}, %{{.*}} mask %{{.*}} : !tile.ptr<f32>
tile.kernel @sum_of_row(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %p = tile.program_id 0
  %row = arith.index_cast %p : index to i32
  %one = tile.iota 0 : tensor<1xi32>
  %rs = tile.splat %row : i32 -> tensor<1xi32>
  %place = arith.addi %rs, %one : tensor<1xi32>
  %ms = tile.splat %m : i32 -> tensor<1xi32>
  %zeros = arith.constant dense<0.0> : tensor<1x1024xf32>
  %none = arith.constant dense<0.0> : tensor<1x1024xf16>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<1x1024x!tile.ptr<f16>>
  %total = scf.for %i = %c0 to %n step %c1024 iter_args(%sum = %zeros) -> (tensor<1x1024xf32>) : i32 {
    %iota = tile.iota 0 : tensor<1024xi32>
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %columns = arith.addi %is, %iota : tensor<1024xi32>
    %ns = tile.splat %n : i32 -> tensor<1024xi32>
    %in = arith.cmpi slt, %columns, %ns : tensor<1024xi32>
    %there = arith.cmpi slt, %place, %ms : tensor<1xi32>
    %t1 = tile.expand_dims %there {axis = 1 : i32} : tensor<1xi1> -> tensor<1x1xi1>
    %t2 = tile.broadcast %t1 : tensor<1x1xi1> -> tensor<1x1024xi1>
    %in1 = tile.expand_dims %in {axis = 0 : i32} : tensor<1024xi1> -> tensor<1x1024xi1>
    %mask = arith.andi %t2, %in1 : tensor<1x1024xi1>
    %c1 = tile.expand_dims %columns {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
    %c2 = tile.assume %c1 divisibility [1, 16] contiguity [1, 16] : tensor<1x1024xi32>
    %ps = tile.addptr %xs, %c2 : tensor<1x1024x!tile.ptr<f16>>, tensor<1x1024xi32>
    %x = tile.load %ps mask %mask else %none : tensor<1x1024x!tile.ptr<f16>>
    %wide = arith.extf %x : tensor<1x1024xf16> to tensor<1x1024xf32>
    %next = arith.addf %sum, %wide : tensor<1x1024xf32>
    scf.yield %next : tensor<1x1024xf32>
  }
  %result = tile.reduce %total axis 1 : tensor<1x1024xf32> -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  %to = tile.addptr %ys, %place : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  %mine = arith.cmpi slt, %place, %ms : tensor<1xi32>
  tile.store %to, %result mask %mine : tensor<1x!tile.ptr<f32>>
  tile.return
}

// A column; what is combined or scanned along the dimension of 1 is what there is.
// CHECK-LABEL: tile.kernel @column
// CHECK: %[[PS:.*]] = addptr
// CHECK-NEXT: %[[X:.*]] = load %[[PS]] : tensor<64x!tile.ptr<f32>>
// CHECK-NEXT: %[[SUMS:.*]] = scan %[[X]] axis 0 reverse : tensor<64xf32> -> tensor<64xf32>
// CHECK: %[[TOTAL:.*]] = reduce %[[SUMS]] axis 0 : tensor<64xf32> -> f32
// CHECK: store %X, %[[TOTAL]] : !tile.ptr<f32>
tile.kernel @column(%X: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<64xi32>
  %c = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %ps = tile.addptr %xs, %c : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %x = tile.load %ps : tensor<64x1x!tile.ptr<f32>>
  %same = tile.scan %x axis 1 : tensor<64x1xf32> -> tensor<64x1xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %sums = tile.scan %same axis 0 reverse : tensor<64x1xf32> -> tensor<64x1xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %kept = tile.reduce %sums axis 1 : tensor<64x1xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %again = tile.expand_dims %kept {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %turned = tile.trans %again [1, 0] : tensor<1x64xf32> -> tensor<64x1xf32>
  %total = tile.reduce %turned axis 0 : tensor<64x1xf32> -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %y = tile.splat %X : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  tile.store %y, %total : tensor<1x!tile.ptr<f32>>
  tile.return
}

//--- others.mlir

// Rows of several programs.
tile.kernel @two_rows(%X: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<64xi32>
  %r = tile.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %r : tensor<1x64xi32> -> tensor<2x64xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<2x64x!tile.ptr<f32>>
  %ps = tile.addptr %xs, %rows : tensor<2x64x!tile.ptr<f32>>, tensor<2x64xi32>
  %x = tile.load %ps : tensor<2x64x!tile.ptr<f32>>
  tile.store %ps, %x : tensor<2x64x!tile.ptr<f32>>
  tile.return
}

// A block of a view has the dimensions of the view.
tile.kernel @block_of_view(%X: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [1, %n], strides [64, 1] : !tile.ptr<f32> -> !tile.view<1x?xf32, [64, 1]>
  %x = tile.load_view %v[%c0, %c0] : !tile.view<1x?xf32, [64, 1]> -> tensor<1x64xf32>
  tile.store_view %x, %v[%c0, %c0] : tensor<1x64xf32>, !tile.view<1x?xf32, [64, 1]>
  tile.return
}

// A row that is stored, too.
tile.kernel @stored_row(%X: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<64xi32>
  %r = tile.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1x64x!tile.ptr<f32>>
  %ps = tile.addptr %xs, %r : tensor<1x64x!tile.ptr<f32>>, tensor<1x64xi32>
  %x = tile.load %ps : tensor<1x64x!tile.ptr<f32>>
  tile.store %ps, %x : tensor<1x64x!tile.ptr<f32>>
  tile.return
}
