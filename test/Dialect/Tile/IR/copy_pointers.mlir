// Copies of what pointers point to: with what is inside, and with a mask for all.

// RUN: tile-opt %s | tile-opt | FileCheck %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>

// CHECK-LABEL: tile.kernel @copies
tile.kernel @copies(%X: !tile.ptr<f32>, %more: i1) {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>, #rows>
  %in = arith.constant dense<true> : tensor<16x32xi1, #rows>
  // CHECK: copy_async %{{[0-9]+}}, %{{.*}} {axis = 1 : i64, registers = #{{.*}}} : tensor<16x32x!tile.ptr<f32>, #{{.*}}>, !tile.shared<16x32xf32>
  tile.copy_async %xs, %s {axis = 1 : i64, registers = #rows}
      : tensor<16x32x!tile.ptr<f32>, #rows>, !tile.shared<16x32xf32>
  // CHECK: copy_async %{{[0-9]+}} inside %{{.*}} : tensor<16x32xi1, #{{.*}}> mask %more, %{{.*}} {axis = 1 : i64, registers
  tile.copy_async %xs inside %in : tensor<16x32xi1, #rows> mask %more, %s {axis = 1 : i64, registers = #rows}
      : tensor<16x32x!tile.ptr<f32>, #rows>, !tile.shared<16x32xf32>
  tile.return
}
