// What a loop computes stands where it is loaded in it: what is there in front of the loop goes there, which is done once.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-register-layouts --tile-hoist-conversions %s | FileCheck %s

// CHECK-LABEL: tile.kernel @differences
// CHECK: load_view
// CHECK: convert_layout
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @differences(%x: !tile.ptr<f32> {tile.divisibility = 16}, %z: !tile.ptr<f32> {tile.divisibility = 16}, %y: !tile.ptr<f32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %vx = tile.view %x, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  %vy = tile.view %y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %a = tile.load_view %vx[%c0] : !tile.view<512xf32, [1]> -> tensor<512xf32>
  %vz = tile.view %z, shape [512], strides [1] : !tile.ptr<f32> -> !tile.view<512xf32, [1]>
  tile.store_view %a, %vz[%c0] : tensor<512xf32>, !tile.view<512xf32, [1]>
  scf.for %i = %c0 to %n step %c1 {
    %b = tile.load_view %vy[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32>
    %d = arith.subf %a, %b : tensor<512xf32>
    %e = math.absf %d : tensor<512xf32>
    tile.store_view %e, %vy[%i] : tensor<512xf32>, !tile.view<?xf32, [1]>
  }
  tile.return
}
