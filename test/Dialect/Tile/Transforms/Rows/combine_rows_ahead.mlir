// What a program combines first of its row, the program before does.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-load-rows-ahead --tile-combine-rows-ahead --split-input-file %s | FileCheck %s

// CHECK-LABEL: tile.kernel @softmax
// CHECK: %[[BLOCK:.*]] = block_id
// CHECK: %[[STEP:.*]] = num_blocks
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (tensor<131072xf16>) {
// CHECK: tile.addptr %X, %[[BLOCK]] :
// CHECK: %[[SECOND:.*]] = arith.addi %[[BLOCK]], %[[STEP]] : index
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (tensor<131072xf16>) {
// CHECK: tile.addptr %X, %[[SECOND]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[FIRST]]
// CHECK: %[[MAX:.*]] = reduce %[[WIDE]]
// CHECK: scf.for %[[ROW:.*]] = %[[BLOCK]] to %{{.*}} step %[[STEP]] iter_args(%[[X:.*]] = %[[FIRST]], %[[Y:.*]] = %[[NEXT]], %[[M:.*]] = %[[MAX]]) -> (tensor<131072xf16>, tensor<131072xf16>, f32) {
// CHECK: %[[ONE:.*]] = arith.addi %[[ROW]], %[[STEP]] : index
// CHECK: %[[TWO:.*]] = arith.addi %[[ONE]], %[[STEP]] : index
// CHECK: %[[Z:.*]] = scf.if %{{.*}} -> (tensor<131072xf16>) {
// CHECK: tile.addptr %X, %[[TWO]]
// CHECK-NOT: arith.maximumf
// CHECK: tile.splat %[[M]]
// CHECK: arith.addf
// CHECK: tile.store_view
// CHECK: %[[OF_NEXT:.*]] = arith.extf %[[Y]]
// CHECK: %[[AHEAD:.*]] = tile.reduce %[[OF_NEXT]]
// CHECK: arith.maximumf
// CHECK: scf.yield %[[Y]], %[[Z]], %[[AHEAD]]
tile.kernel @softmax(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {cluster_blocks = 8 : i32, num_warps = 128 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<131072xf16>
    %w = arith.extf %x : tensor<131072xf16> to tensor<131072xf32>
    %max = tile.reduce %w axis 0 : tensor<131072xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
    %m = tile.splat %max : f32 -> tensor<131072xf32>
    %d = arith.subf %w, %m : tensor<131072xf32>
    %sum = tile.reduce %d axis 0 : tensor<131072xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %s = tile.splat %sum : f32 -> tensor<131072xf32>
    %r = arith.divf %d, %s : tensor<131072xf32>
    %h = arith.truncf %r : tensor<131072xf32> to tensor<131072xf16>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %h, %yv[%c0] : tensor<131072xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// -----

// Two blocks find room on a multiprocessor.
// CHECK-LABEL: tile.kernel @not_alone
// CHECK: scf.for {{.*}} -> (tensor<131072xf16>) {
tile.kernel @not_alone(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {cluster_blocks = 8 : i32, num_warps = 64 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<131072xf16>
    %max = tile.reduce %x axis 0 : tensor<131072xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maximumf %a, %b : f16
      tile.yield %c : f16
    }
    %m = tile.splat %max : f16 -> tensor<131072xf16>
    %d = arith.subf %x, %m : tensor<131072xf16>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %d, %yv[%c0] : tensor<131072xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// -----

// Weights beside the row.
// CHECK-LABEL: tile.kernel @weights
// CHECK: scf.for {{.*}} -> (tensor<131072xf16>) {
tile.kernel @weights(%X: !tile.ptr<f16> {tile.disjoint}, %W: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {cluster_blocks = 8 : i32, num_warps = 128 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<131072xf16>
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<131072xf16>
    %max = tile.reduce %x axis 0 : tensor<131072xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maximumf %a, %b : f16
      tile.yield %c : f16
    }
    %m = tile.splat %max : f16 -> tensor<131072xf16>
    %d = arith.subf %x, %m : tensor<131072xf16>
    %r = arith.mulf %d, %w : tensor<131072xf16>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %r, %yv[%c0] : tensor<131072xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// -----

// What is combined hangs on the program's number.
// CHECK-LABEL: tile.kernel @numbered
// CHECK: scf.for {{.*}} -> (tensor<131072xf16>) {
tile.kernel @numbered(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {cluster_blocks = 8 : i32, num_warps = 128 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<131072xf16>
    %i = arith.index_cast %row : index to i16
    %f = arith.sitofp %i : i16 to f16
    %fs = tile.splat %f : f16 -> tensor<131072xf16>
    %p = arith.mulf %x, %fs : tensor<131072xf16>
    %max = tile.reduce %p axis 0 : tensor<131072xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maximumf %a, %b : f16
      tile.yield %c : f16
    }
    %m = tile.splat %max : f16 -> tensor<131072xf16>
    %d = arith.subf %x, %m : tensor<131072xf16>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %d, %yv[%c0] : tensor<131072xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}
