// Pointers, and single elements behind them, in each form that their syntax has.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s
// RUN: tile-opt --cse %s | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: tile.kernel @scalars
tile.kernel @scalars(%X: !tile.ptr<f32>, %m: i1, %x: f32) {
  // CHECK: load %X : !tile.ptr<f32>
  %a = tile.load %X : !tile.ptr<f32>
  // CHECK: load %X mask %m : !tile.ptr<f32>
  %b = tile.load %X mask %m : !tile.ptr<f32>
  // CHECK: load %X mask %m else %x volatile : !tile.ptr<f32>
  %c = tile.load %X mask %m else %x volatile : !tile.ptr<f32>
  // CHECK: store %X, %{{.*}} : !tile.ptr<f32>
  tile.store %X, %a : !tile.ptr<f32>
  // CHECK: store %X, %{{.*}} mask %m volatile : !tile.ptr<f32>
  tile.store %X, %b mask %m volatile : !tile.ptr<f32>
  // CHECK: assert %m, "it holds" : i1
  tile.assert %m, "it holds" : i1
  tile.return
}

// CHECK-LABEL: tile.kernel @tiles
tile.kernel @tiles(%ps: !tile.ptr<f32>, %m: i1) {
  %p = tile.splat %ps : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %ms = tile.splat %m : i1 -> tensor<8xi1>
  // CHECK: load %{{.*}} volatile : tensor<8x!tile.ptr<f32>>
  %a = tile.load %p volatile : tensor<8x!tile.ptr<f32>>
  // CHECK: store %{{.*}} volatile : tensor<8x!tile.ptr<f32>>
  tile.store %p, %a volatile : tensor<8x!tile.ptr<f32>>
  // CHECK: assert %{{.*}} mask %{{.*}}, "it \22holds\22" : tensor<8xi1>
  tile.assert %ms mask %ms, "it \"holds\"" : tensor<8xi1>
  tile.return
}

// CHECK-LABEL: tile.kernel @casts
tile.kernel @casts(%X: !tile.ptr<f32>) {
  // CHECK: ptr_cast %X : !tile.ptr<f32> -> !tile.ptr<i8>
  %a = tile.ptr_cast %X : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: ptr_to_int %{{.*}} : !tile.ptr<i8> -> i64
  %b = tile.ptr_to_int %a : !tile.ptr<i8> -> i64
  // CHECK: int_to_ptr %{{.*}} : i64 -> !tile.ptr<f64>
  %c = tile.int_to_ptr %b : i64 -> !tile.ptr<f64>
  %p = tile.splat %X : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // CHECK: ptr_cast %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  %d = tile.ptr_cast %p : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  // CHECK: ptr_to_int %{{.*}} : tensor<8x!tile.ptr<i32>> -> tensor<8xi64>
  %e = tile.ptr_to_int %d : tensor<8x!tile.ptr<i32>> -> tensor<8xi64>
  // CHECK: int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tile.ptr<f64>>
  %f = tile.int_to_ptr %e : tensor<8xi64> -> tensor<8x!tile.ptr<f64>>
  tile.return
}

// Two loads of one place are one, unless something may have written there.
// CSE-LABEL: tile.kernel @twice
// CSE: load
// CSE-NOT: load
// CSE: load %X volatile
// CSE-NEXT: load %X volatile
// CSE: barrier
// CSE: load
tile.kernel @twice(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %a = tile.load %X : !tile.ptr<f32>
  %b = tile.load %X : !tile.ptr<f32>
  %c = tile.load %X volatile : !tile.ptr<f32>
  %d = tile.load %X volatile : !tile.ptr<f32>
  tile.barrier
  %e = tile.load %X : !tile.ptr<f32>
  %ab = arith.addf %a, %b : f32
  %cd = arith.addf %c, %d : f32
  %abcd = arith.addf %ab, %cd : f32
  %sum = arith.addf %abcd, %e : f32
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}
