// A loop that says how many stages it has, has so many, whatever its kernel says; loops around and beside it do not.

// RUN: tile-opt --pass-pipeline='builtin.module(tile.kernel(tile-pipeline))' %s | FileCheck %s
// RUN: tile-opt --pass-pipeline='builtin.module(tile.kernel(tile-specialize{num-stages=5},tile-pipeline))' %s | FileCheck %s --check-prefix=OPTION

#row = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>

// CHECK-LABEL: tile.kernel @stages
// CHECK: alloc_shared : !tile.shared<2x64x32xf16>
// CHECK: alloc_shared : !tile.shared<4x64x32xf16>
// CHECK: release %{{.*}} : !tile.channel<4>
// CHECK-NOT: !tile.channel
// CHECK: alloc_shared : !tile.shared<64x32xf16>
// CHECK-NOT: !tile.channel
// OPTION: alloc_shared : !tile.shared<2x64x32xf16>
// OPTION: alloc_shared : !tile.shared<5x64x32xf16>
// OPTION: alloc_shared : !tile.shared<64x32xf16>
tile.kernel @stages(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %n: index {tile.divisibility = 8 : i64}) attributes {num_stages = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #row>
  %a = tile.view %A, shape [64, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<64x?xf16, [?, 1]>
  %x = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<64x32xf16, #row>) {
    %t = tile.load_view %a[%c0, %k] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x32xf16, #row>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #row>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #row>
    %next = arith.addf %sum, %u : tensor<64x32xf16, #row>
    scf.yield %next : tensor<64x32xf16, #row>
  } {tile.num_stages = 2 : i32}
  %y = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %x) -> (tensor<64x32xf16, #row>) {
    %t = tile.load_view %a[%c0, %k] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x32xf16, #row>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #row>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #row>
    %next = arith.addf %sum, %u : tensor<64x32xf16, #row>
    scf.yield %next : tensor<64x32xf16, #row>
  }
  %z = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %y) -> (tensor<64x32xf16, #row>) {
    %t = tile.load_view %a[%c0, %k] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x32xf16, #row>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #row>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #row>
    %next = arith.addf %sum, %u : tensor<64x32xf16, #row>
    scf.yield %next : tensor<64x32xf16, #row>
  } {tile.num_stages = 1 : i32}
  tile.return
}
