// What neighbours of an operand have in common is loaded once.

// RUN: tile-opt --pass-pipeline='builtin.module(tile.kernel(tile-load-groups))' --split-input-file %s | FileCheck %s

// Eight weights of 4 bits in a word: 128 rows are 16 of words.
// CHECK-LABEL: tile.kernel @words
// CHECK: scf.for
// CHECK: %[[I:.*]] = tile.iota 0 : tensor<16xi32>
// CHECK: %[[T:.*]] = arith.muli %[[I]], %{{.*}} : tensor<16xi32>
// CHECK: %[[ROWS:.*]] = arith.addi %[[T]], %{{.*}} : tensor<16xi32>
// CHECK: %[[E:.*]] = tile.expand_dims %[[ROWS]] {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
// CHECK: %[[Q:.*]] = arith.divsi %[[E]], %{{.*}} : tensor<16x1xi32>
// CHECK-NOT: tile.assume
// CHECK: arith.muli %[[Q]], %{{.*}} : tensor<16x1xi32>
// CHECK: %[[P:.*]] = tile.addptr %{{.*}} : tensor<16x32x!tile.ptr<i32>>
// CHECK: %[[M:.*]] = tile.broadcast %{{.*}} : tensor<1x32xi1> -> tensor<16x32xi1>
// CHECK: %[[Z:.*]] = arith.constant dense<0> : tensor<16x32xi32>
// CHECK: %[[W:.*]] = tile.load %[[P]] mask %[[M]] else %[[Z]] : tensor<16x32x!tile.ptr<i32>>
// CHECK: %[[X:.*]] = tile.expand_dims %[[W]] {axis = 1 : i32} : tensor<16x32xi32> -> tensor<16x1x32xi32>
// CHECK: %[[B:.*]] = tile.broadcast %[[X]] : tensor<16x1x32xi32> -> tensor<16x8x32xi32>
// CHECK: tile.reshape %[[B]] : tensor<16x8x32xi32> -> tensor<128x32xi32>
// What is only added to the sums is loaded as it was.
// CHECK: tile.load %{{.*}} : tensor<32x32x!tile.ptr<f32>>
tile.kernel @words(%A: !tile.ptr<f16>, %W: !tile.ptr<i32>, %R: !tile.ptr<f32>, %C: !tile.ptr<f32>, %K: index, %N: i32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %a = tile.view %A, shape [%c32, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %zeros = arith.constant dense<0> : tensor<128x32xi32>
  %eight = arith.constant dense<8> : tensor<128x1xi32>
  %rows = tile.iota 0 : tensor<128xi32>
  %cols = tile.iota 0 : tensor<32xi32>
  %ends = tile.splat %N : i32 -> tensor<32xi32>
  %inside = arith.cmpi slt, %cols, %ends : tensor<32xi32>
  %sum = scf.for %k = %c0 to %K step %c128 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x128xf16>
    %column = tile.expand_dims %rows {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %quotient = arith.divsi %column, %eight : tensor<128x1xi32>
    %group = tile.assume %quotient constancy [8, 1] : tensor<128x1xi32>
    %stride = tile.splat %N : i32 -> tensor<128x1xi32>
    %offset = arith.muli %group, %stride : tensor<128x1xi32>
    %ki = arith.index_cast %k : index to i32
    %begin = tile.addptr %W, %ki : !tile.ptr<i32>, i32
    %base = tile.splat %begin : !tile.ptr<i32> -> tensor<128x1x!tile.ptr<i32>>
    %row = tile.addptr %base, %offset : tensor<128x1x!tile.ptr<i32>>, tensor<128x1xi32>
    %rowed = tile.broadcast %row : tensor<128x1x!tile.ptr<i32>> -> tensor<128x32x!tile.ptr<i32>>
    %line = tile.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %lined = tile.broadcast %line : tensor<1x32xi32> -> tensor<128x32xi32>
    %p = tile.addptr %rowed, %lined : tensor<128x32x!tile.ptr<i32>>, tensor<128x32xi32>
    %m = tile.expand_dims %inside {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %mask = tile.broadcast %m : tensor<1x32xi1> -> tensor<128x32xi1>
    %w = tile.load %p mask %mask else %zeros : tensor<128x32x!tile.ptr<i32>>
    %b = arith.sitofp %w : tensor<128x32xi32> to tensor<128x32xf16>
    %d = tile.dot %ta, %b, %acc : tensor<32x128xf16>, tensor<128x32xf16>, tensor<32x32xf32>
    %one = tile.splat %R : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %r = tile.load %one : tensor<32x32x!tile.ptr<f32>>
    %e = arith.addf %d, %r : tensor<32x32xf32>
    scf.yield %e : tensor<32x32xf32>
  }
  %c = tile.view %C, shape [%c32, %c32], strides [%c32, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %sum, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// The mask leaves out some of a group; and what is loaded says where to load from.
// CHECK-LABEL: tile.kernel @one_by_one
// CHECK-COUNT-2: tile.load %{{.*}} : tensor<128x32x!tile.ptr<i32>>
tile.kernel @one_by_one(%A: !tile.ptr<f16>, %W: !tile.ptr<i32>, %C: !tile.ptr<f32>, %K: index, %N: i32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %a = tile.view %A, shape [%c32, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %zeros = arith.constant dense<0> : tensor<128x32xi32>
  %rows = tile.iota 0 : tensor<128xi32>
  %ends = tile.splat %N : i32 -> tensor<128xi32>
  %inside = arith.cmpi slt, %rows, %ends : tensor<128xi32>
  %m = tile.expand_dims %inside {axis = 1 : i32} : tensor<128xi1> -> tensor<128x1xi1>
  %mask = tile.broadcast %m : tensor<128x1xi1> -> tensor<128x32xi1>
  %sum = scf.for %k = %c0 to %K step %c128 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x128xf16>
    %ki = arith.index_cast %k : index to i32
    %begin = tile.addptr %W, %ki : !tile.ptr<i32>, i32
    %p = tile.splat %begin : !tile.ptr<i32> -> tensor<128x32x!tile.ptr<i32>>
    %w = tile.load %p mask %mask else %zeros : tensor<128x32x!tile.ptr<i32>>
    %q = tile.addptr %p, %w : tensor<128x32x!tile.ptr<i32>>, tensor<128x32xi32>
    %v = tile.load %q : tensor<128x32x!tile.ptr<i32>>
    %b = arith.sitofp %v : tensor<128x32xi32> to tensor<128x32xf16>
    %d = tile.dot %ta, %b, %acc : tensor<32x128xf16>, tensor<128x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %c = tile.view %C, shape [%c32, %c32], strides [%c32, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %sum, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
