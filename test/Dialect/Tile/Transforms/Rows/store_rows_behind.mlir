// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-placement{target=sm_90a})' 2>/dev/null | FileCheck %s

// Two barriers in the loop as before: the row of the iteration before leaves between them, behind the copy of a later one that is loaded.

// CHECK-LABEL: tile.kernel @scale
// CHECK: %[[ROW:.*]] = alloc_shared {{.*}} : !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
// CHECK: %[[LAST:.*]]:5 = scf.for {{.*}}, %[[AT:[a-z0-9]+]] = %Y, %[[COUNT:.*]] = %{{.*}}) -> (!tile.ptr<f16>, tensor<2xf16, #{{.*}}>, index, !tile.ptr<f16>, index)
// CHECK-NOT: barrier
// CHECK: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NOT: barrier
// CHECK: tile.async_commit
// CHECK-NEXT: tile.store_row %[[ROW]], %[[AT]], %[[COUNT]]
// CHECK-NOT: barrier
// CHECK: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NOT: barrier
// CHECK-NOT: store_view %{{.*}}2048xf16
// CHECK: tile.place_row %{{.*}}, %[[ROW]], %[[P:[0-9]+]] :
// CHECK: scf.yield {{.*}}, %[[P]], %{{.*}} : !tile.ptr<f16>, tensor<2xf16, #{{.*}}>, index, !tile.ptr<f16>, index
// CHECK: barrier
// CHECK-NEXT: store_row %[[ROW]], %[[LAST]]#3, %[[LAST]]#4
tile.kernel @scale(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %i = %p to %m step %ps {
    %row = tile.load_view %x[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %max = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      tile.yield %s : f32
    }
    %maxes = tile.expand_dims %max {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %all = tile.broadcast %maxes : tensor<1x1xf32> -> tensor<1x2048xf32>
    %less = arith.subf %wide, %all : tensor<1x2048xf32>
    %sum = tile.reduce %less axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %sums = tile.expand_dims %sum {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %each = tile.broadcast %sums : tensor<1x1xf32> -> tensor<1x2048xf32>
    %result = arith.addf %less, %each : tensor<1x2048xf32>
    %narrow = arith.truncf %result : tensor<1x2048xf32> to tensor<1x2048xf16>
    tile.store_view %narrow, %y[%i, %c0] : tensor<1x2048xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}

// What the loop also reads may be what it stores: that is stored where the program says.

// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: store_row
// CHECK: {{^ *}}return
tile.kernel @in_place(%X: !tile.ptr<f16>, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %i = %p to %m step %ps {
    %row = tile.load_view %x[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %max = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      tile.yield %s : f32
    }
    %maxes = tile.expand_dims %max {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %all = tile.broadcast %maxes : tensor<1x1xf32> -> tensor<1x2048xf32>
    %less = arith.subf %wide, %all : tensor<1x2048xf32>
    %sum = tile.reduce %less axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %sums = tile.expand_dims %sum {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %each = tile.broadcast %sums : tensor<1x1xf32> -> tensor<1x2048xf32>
    %result = arith.addf %less, %each : tensor<1x2048xf32>
    %narrow = arith.truncf %result : tensor<1x2048xf32> to tensor<1x2048xf16>
    tile.store_view %narrow, %x[%i, %c0] : tensor<1x2048xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}

// Warps meet once: a barrier more would be needed.

// CHECK-LABEL: tile.kernel @once
// CHECK-NOT: store_row
// CHECK: {{^ *}}return
tile.kernel @once(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %i = %p to %m step %ps {
    %row = tile.load_view %x[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %sum = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %sums = tile.expand_dims %sum {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %each = tile.broadcast %sums : tensor<1x1xf32> -> tensor<1x2048xf32>
    %result = arith.addf %wide, %each : tensor<1x2048xf32>
    %narrow = arith.truncf %result : tensor<1x2048xf32> to tensor<1x2048xf16>
    tile.store_view %narrow, %y[%i, %c0] : tensor<1x2048xf16>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}
