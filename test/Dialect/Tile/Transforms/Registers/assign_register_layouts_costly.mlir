// What takes many instructions for an element is computed once, and goes to the threads of another layout; what takes few is computed
// there again.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-register-layouts %s | FileCheck %s

// CHECK-LABEL: tile.kernel @costly
// CHECK-COUNT-7: math.sin
// CHECK-NOT: math.sin
// CHECK: convert_layout {{.*}} : tensor<512xf32
// CHECK-NOT: math.sin
// CHECK: return
tile.kernel @costly(%x: !tile.ptr<f32> {tile.divisibility = 16}, %y: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<512xi32>
  %0 = arith.sitofp %i : tensor<512xi32> to tensor<512xf32>
  %1 = math.sin %0 : tensor<512xf32>
  %2 = math.sin %1 : tensor<512xf32>
  %3 = math.sin %2 : tensor<512xf32>
  %4 = math.sin %3 : tensor<512xf32>
  %5 = math.sin %4 : tensor<512xf32>
  %6 = math.sin %5 : tensor<512xf32>
  %7 = math.sin %6 : tensor<512xf32>
  %vx = tile.view %x, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  %vy = tile.view %y, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  tile.store_view %7, %vx[%c0] : tensor<512xf32>, !tile.view<512xf32, [1]>
  tile.store_view %7, %vy[%c0] : tensor<512xf32>, !tile.view<512xf32, [1]>
  tile.return
}

// CHECK-LABEL: tile.kernel @cheap
// CHECK-COUNT-2: math.sin
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @cheap(%x: !tile.ptr<f32> {tile.divisibility = 16}, %y: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<512xi32>
  %0 = arith.sitofp %i : tensor<512xi32> to tensor<512xf32>
  %1 = math.sin %0 : tensor<512xf32>
  %vx = tile.view %x, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  %vy = tile.view %y, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  tile.store_view %1, %vx[%c0] : tensor<512xf32>, !tile.view<512xf32, [1]>
  tile.store_view %1, %vy[%c0] : tensor<512xf32>, !tile.view<512xf32, [1]>
  tile.return
}

// Nor are numbers that pointers are made of: nothing would be known of these.
// CHECK-LABEL: tile.kernel @places
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @places(%x: !tile.ptr<i32> {tile.divisibility = 16}, %y: !tile.ptr<i32>, %a: i32, %b: i32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<512xi32>
  %as = tile.splat %a : i32 -> tensor<512xi32>
  %bs = tile.splat %b : i32 -> tensor<512xi32>
  %0 = arith.divsi %i, %as : tensor<512xi32>
  %1 = arith.divsi %0, %bs : tensor<512xi32>
  %2 = arith.divsi %1, %as : tensor<512xi32>
  %3 = arith.divsi %2, %bs : tensor<512xi32>
  %4 = arith.divsi %3, %as : tensor<512xi32>
  %5 = arith.divsi %4, %bs : tensor<512xi32>
  %6 = arith.divsi %5, %as : tensor<512xi32>
  %7 = arith.addi %6, %i : tensor<512xi32>
  %vx = tile.view %x, shape [512], strides [1] : !tile.ptr<i32> -> !tile.view<512xi32, [1]>
  tile.store_view %7, %vx[%c0] : tensor<512xi32>, !tile.view<512xi32, [1]>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %p = tile.addptr %ys, %7 : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  tile.store %p, %i : tensor<512x!tile.ptr<i32>>
  tile.return
}
