// Promises: what is written is what is read, and believed.

// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @promises
tile.kernel @promises(%p: !tile.ptr<f16>, %n: i32, %i: index) {
  // CHECK: assume %{{.*}} divisibility [16] : i32
  %s = tile.assume %n divisibility [16] : i32
  // CHECK: assume %{{.*}} divisibility [8] : index
  %j = tile.assume %i divisibility [8] : index
  // CHECK: assume %{{.*}} divisibility [32] : !tile.ptr<f16>
  %q = tile.assume %p divisibility [32] : !tile.ptr<f16>
  %iota = tile.iota 0 : tensor<128xi32>
  // CHECK: assume %{{.*}} divisibility [16] contiguity [64] : tensor<128xi32>
  %t = tile.assume %iota divisibility [16] contiguity [64] : tensor<128xi32>
  %is = tile.expand_dims %t {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %all = tile.broadcast %is : tensor<1x128xi32> -> tensor<64x128xi32>
  // CHECK: assume %{{.*}} constancy [64, 1] : tensor<64x128xi32>
  %u = tile.assume %all constancy [64, 1] : tensor<64x128xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
  %qs = tile.addptr %ps, %u : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  // CHECK: assume %{{.*}} divisibility [1, 16] contiguity [1, 8] : tensor<64x128x!tile.ptr<f16>>
  %rs = tile.assume %qs divisibility [1, 16] contiguity [1, 8] : tensor<64x128x!tile.ptr<f16>>
  tile.return
}
