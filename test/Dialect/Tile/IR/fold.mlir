// What folds by itself.

// RUN: tile-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: tile.kernel @fold
tile.kernel @fold(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  // CHECK: %[[V:.*]] = load
  %v = tile.load %ps : tensor<8x8x!tile.ptr<f32>>
  // The identity is no transpose; a transpose of a square is one.
  // CHECK-NEXT: %[[T:.*]] = trans %[[V]] [1, 0]
  %same = tile.trans %v [0, 1] : tensor<8x8xf32> -> tensor<8x8xf32>
  %t = tile.trans %same [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK-NEXT: store %{{.*}}, %[[T]]
  tile.store %ps, %t : tensor<8x8x!tile.ptr<f32>>
  tile.return
}

#a = #tile.register_layout<lane[32] warp*4>
// CHECK-LABEL: tile.kernel @convert
tile.kernel @convert(%A: !tile.ptr<f32>) {
  %ps = tile.splat %A : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #a>
  // CHECK: %[[V:.*]] = load
  %v = tile.load %ps : tensor<32x!tile.ptr<f32>, #a>
  // CHECK-NOT: convert_layout
  %c = tile.convert_layout %v : tensor<32xf32, #a> -> tensor<32xf32, #a>
  // CHECK: store %{{.*}}, %[[V]]
  tile.store %ps, %c : tensor<32x!tile.ptr<f32>, #a>
  tile.return
}
