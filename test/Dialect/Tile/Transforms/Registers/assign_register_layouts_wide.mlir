// Layouts for targets whose accesses to global memory move 32 bytes a thread.

// RUN: tile-opt --tile-set-target=target=sm_100a --tile-assign-register-layouts --split-input-file %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-register-layouts --split-input-file %s | FileCheck %s --check-prefix=NARROW

// Eight f32 a thread of each of four rows, or four of four.
// CHECK-LABEL: tile.kernel @copy
// CHECK: load_view {{.*}} -> tensor<32x128xf32, #tile.register_layout<register[1,8] lane[2,16] register[4,1] warp[4,1]>>
// CHECK: store_view
// NARROW-LABEL: tile.kernel @copy
// NARROW: load_view {{.*}} -> tensor<32x128xf32, #tile.register_layout<register[4,4] lane[1,32] warp[4,1] register[2,1]>>
tile.kernel @copy(%A: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %n: index {tile.divisibility = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x128xf32>
  tile.store_view %t, %b[%c0, %c0] : tensor<32x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A tile of four elements a thread has nothing for wider accesses; nor is 16 bytes enough of an alignment.
// CHECK-LABEL: tile.kernel @small
// CHECK: load_view {{.*}} -> tensor<4x128xf32, #tile.register_layout<register[1,4] lane[1,32] warp[4,1]>>
// CHECK: load_view {{.*}} -> tensor<32x128xf32, #tile.register_layout<register[4,4] lane[1,32]
tile.kernel @small(%A: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<4x128xf32>
  %u = tile.load_view %b[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x128xf32>
  tile.return
}

// -----

// What goes through shared memory goes by 16 bytes: runs of 2 f64 on either side, as for any target.
// CHECK-LABEL: tile.kernel @transpose
// CHECK: load_view {{.*}} -> tensor<32x32xf64, #tile.register_layout<register[1,2] lane[2,16] register[2,1] warp[8,1]>>
// CHECK: convert_layout
// CHECK: store_view {{.*}} : tensor<32x32xf64, #tile.register_layout<register[1,2] lane[2,16] register[2,1] warp[8,1]>>
tile.kernel @transpose(%A: !tile.ptr<f64> {tile.divisibility = 32 : i64}, %B: !tile.ptr<f64> {tile.divisibility = 32 : i64}, %n: index {tile.divisibility = 8 : i64}) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %b = tile.view %B, shape [%n, %n], strides [%n, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf64, [?, 1]> -> tensor<32x32xf64>
  %u = tile.trans %t [1, 0] : tensor<32x32xf64> -> tensor<32x32xf64>
  tile.store_view %u, %b[%c0, %c0] : tensor<32x32xf64>, !tile.view<?x?xf64, [?, 1]>
  tile.return
}
