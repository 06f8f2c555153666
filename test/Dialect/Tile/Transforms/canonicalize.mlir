// What has no effect goes; what changes a result stays.

// RUN: tile-opt --pass-pipeline='builtin.module(tile.kernel(tile-canonicalize))' %s | FileCheck %s

// Two roundings, and the low bits of a position: MLIR's patterns of arith would leave them out.
// CHECK-LABEL: tile.kernel @roundings
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: arith.truncf %[[F]]
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : index to i8
// CHECK: arith.index_cast %[[N]] : i8 to index
tile.kernel @roundings(%P: !tile.ptr<f16>, %x: i32, %i: index) {
  %f = arith.sitofp %x : i32 to f32
  %h = arith.truncf %f : f32 to f16
  %n = arith.index_cast %i : index to i8
  %m = arith.index_cast %n : i8 to index
  %v = tile.view %P, shape [64], strides [1] : !tile.ptr<f16> -> !tile.view<64xf16, [1]>
  %t = tile.splat %h : f16 -> tensor<64xf16>
  tile.store_view %t, %v[%m] : tensor<64xf16>, !tile.view<64xf16, [1]>
  tile.return
}

// A loop that does nothing is none.
// CHECK-LABEL: tile.kernel @no_trips
// CHECK-NOT: scf.for
// CHECK: return
tile.kernel @no_trips(%P: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %P, shape [64], strides [1] : !tile.ptr<f16> -> !tile.view<64xf16, [1]>
  scf.for %i = %c0 to %c0 step %c1 {
    %t = tile.load_view %v[%i] : !tile.view<64xf16, [1]> -> tensor<64xf16>
    tile.store_view %t, %v[%i] : tensor<64xf16>, !tile.view<64xf16, [1]>
  }
  tile.return
}
