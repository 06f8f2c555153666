// Parts of a row that begin behind one pointer: no barrier stands between stores that have no element in common.

// RUN: tile-opt --tile-insert-barriers %s | FileCheck %s

#r = #tile.register_layout<register[4] lane[32] warp[4]>

// CHECK-LABEL: tile.kernel @apart
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @apart(%X: !tile.ptr<f32>, %x: f32, %k: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : i32
  %t = tile.splat %x : f32 -> tensor<512xf32, #r>
  %row = tile.addptr %X, %k : !tile.ptr<f32>, i32
  %next = tile.addptr %row, %c512 : !tile.ptr<f32>, i32
  %third = tile.addptr %next, %c512 : !tile.ptr<f32>, i32
  %a = tile.view %row, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %b = tile.view %next, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %third, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  tile.store_view %t, %a[%c0] {vector_width = 4 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [1]>
  tile.store_view %t, %b[%c0] {vector_width = 4 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [1]>
  tile.store_view %t, %c[%c0] {vector_width = 4 : i64} : tensor<512xf32, #r>, !tile.view<512xf32, [1]>
  tile.return
}

// Nearer than the part is long; by a step that is not 1; by a number that is not known; from two pointers.
// CHECK-LABEL: tile.kernel @together
// CHECK: store_view
// CHECK: barrier
// CHECK: store_view
// CHECK: barrier
// CHECK: store_view
// CHECK: barrier
// CHECK: store_view
// CHECK: barrier
// CHECK: store_view
tile.kernel @together(%X: !tile.ptr<f32>, %x: f32, %k: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c511 = arith.constant 511 : i32
  %c512 = arith.constant 512 : i32
  %t = tile.splat %x : f32 -> tensor<512xf32, #r>
  %near = tile.addptr %X, %c511 : !tile.ptr<f32>, i32
  %apart = tile.addptr %X, %c512 : !tile.ptr<f32>, i32
  %anywhere = tile.addptr %X, %k : !tile.ptr<f32>, i32
  %a = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %b = tile.view %near, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %X, shape [%n], strides [2] : !tile.ptr<f32> -> !tile.view<?xf32, [2]>
  %d = tile.view %anywhere, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %e = tile.view %apart, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %t, %a[%c0] {vector_width = 1 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [1]>
  tile.store_view %t, %b[%c0] {vector_width = 1 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [1]>
  tile.store_view %t, %c[%c0] {vector_width = 1 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [2]>
  tile.store_view %t, %d[%c0] {vector_width = 1 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [1]>
  tile.store_view %t, %e[%c0] {vector_width = 1 : i64} : tensor<512xf32, #r>, !tile.view<?xf32, [1]>
  tile.return
}
