// Programs that store what lies side by side run one after the other.

// RUN: tile-opt --tile-order-programs --split-input-file %s | FileCheck %s

// CHECK: tile.kernel @rows_first
// CHECK-SAME: attributes {tile.second_axis_first}
tile.kernel @rows_first(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index) {
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c8 : index
  %j = arith.muli %q, %c512 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<8x512xf32>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %t, %b[%i, %j] : tensor<8x512xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// So they are already.
// CHECK-LABEL: tile.kernel @columns_first
// CHECK-NOT: second_axis_first
tile.kernel @columns_first(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index) {
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  %p = tile.program_id 1
  %q = tile.program_id 0
  %i = arith.muli %p, %c8 : index
  %j = arith.muli %q, %c512 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<8x512xf32>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %t, %b[%i, %j] : tensor<8x512xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// One axis says both.
// CHECK-LABEL: tile.kernel @one_axis
// CHECK-NOT: second_axis_first
tile.kernel @one_axis(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index) {
  %p = tile.program_id 0
  %i = arith.divui %p, %N : index
  %j = arith.remui %p, %N : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<8x512xf32>
  %b = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %t, %b[%i, %j] : tensor<8x512xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
