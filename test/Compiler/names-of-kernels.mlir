// What a kernel has in the module has a name that no kernel of the file can have.

// RUN: tile-compile %s --target=sm_90a | FileCheck %s

// CHECK-DAG: .shared {{.*}} a$shared[
// CHECK-DAG: .shared {{.*}} a_shared$shared[
// CHECK-DAG: .entry a(
// CHECK-DAG: .entry a_shared(

tile.kernel @a(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %y = tile.view %Y, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<32x32xf32, [32, 1]> -> tensor<32x32xf32>
  %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store_view %u, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32, [32, 1]>
  tile.return
}

tile.kernel @a_shared(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %y = tile.view %Y, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<32x32xf32, [32, 1]> -> tensor<32x32xf32>
  %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store_view %u, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32, [32, 1]>
  tile.return
}
