// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-placement{target=sm_90a})' 2>/dev/null | FileCheck %s

// Three rows are under way. The barrier at which warps meet orders all.

// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME: tile.blocks_per_sm = 4
// CHECK: %[[ROWS:.*]] = alloc_shared {{.*}} : !tile.shared<3x1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
// CHECK-COUNT-3: copy_row %{{.*}}, %{{.*}}, %{{.*}} : <f16>
// CHECK: async_wait 2
// CHECK: scf.for {{.*}} -> (!tile.ptr<f16>, f16, index)
// CHECK: %[[SLOT:.*]] = tile.subview %[[ROWS]][%{{.*}}]
// CHECK: tile.load_row %[[SLOT]] from %{{.*}} first %{{.*}}
// CHECK: tile.local_store
// CHECK-NEXT: tile.async_wait 1
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: tile.copy_row %{{.*}}, %{{.*}}, %[[SLOT]] : <f16>
// CHECK-NEXT: tile.async_commit
// CHECK: scf.yield
// CHECK: async_wait 0

tile.kernel @sums(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %first = tile.load_view %x[%p, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x2048xf16>) {
    %next = arith.addi %i, %ps : index
    %ahead = tile.load_view %x[%next, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %sum = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store_view %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x2048xf16>
  }
  tile.return
}

// Rows of an array that may be what is written are loaded as the program says.

// CHECK-LABEL: tile.kernel @written
// CHECK-NOT: copy_row
// CHECK: {{^ *}}return
tile.kernel @written(%X: !tile.ptr<f16> {tile.may_overlap}, %Y: !tile.ptr<f32> {tile.may_overlap}, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %first = tile.load_view %x[%p, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x2048xf16>) {
    %next = arith.addi %i, %ps : index
    %ahead = tile.load_view %x[%next, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %sum = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store_view %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x2048xf16>
  }
  tile.return
}
