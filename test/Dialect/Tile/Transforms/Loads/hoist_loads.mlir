// What all programs of a block load is loaded once, in front of their loop.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-hoist-loads %s | FileCheck %s

// CHECK-LABEL: tile.kernel @scaled
// CHECK: %[[VIEW:.*]] = view %W
// CHECK: %[[W:.*]] = load_view %[[VIEW]]
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load_view
// CHECK: arith.mulf %[[X]], %[[W]]
// What the kernel writes may be another number in the next program, and one number is no tile.
// CHECK: tile.load_view
// CHECK: tile.load %S
tile.kernel @scaled(%X: !tile.ptr<f16> {tile.disjoint}, %W: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %S: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %scaled = arith.mulf %x, %w : tensor<16384xf16>
    %yv = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %y = tile.load_view %yv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %s = tile.load %S : !tile.ptr<f16>
    %all = tile.splat %s : f16 -> tensor<16384xf16>
    %a = arith.addf %scaled, %y : tensor<16384xf16>
    %b = arith.addf %a, %all : tensor<16384xf16>
    tile.store_view %b, %yv[%c0] : tensor<16384xf16>, !tile.view<?xf16, [1]>
  } {tile.programs}
  tile.return
}

// Arrays that may be one: the result may be the weights.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: = load_view
// CHECK: scf.for
// CHECK: tile.load_view
tile.kernel @in_place(%W: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %w, %yv[%c0] : tensor<16384xf16>, !tile.view<?xf16, [1]>
  } {tile.programs}
  tile.return
}

// As much as shared memory has room for: of three rows of f32, 64 KB each, two.
// CHECK-LABEL: tile.kernel @much
// CHECK-COUNT-2: = load_view
// CHECK: scf.for
// CHECK: tile.load_view
// CHECK: tile.load_view
tile.kernel @much(%X: !tile.ptr<f32> {tile.disjoint}, %U: !tile.ptr<f32> {tile.disjoint}, %V: !tile.ptr<f32> {tile.disjoint}, %W: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f32>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf32, [1]> -> tensor<16384xf32>
    %uv = tile.view %U, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %u = tile.load_view %uv[%c0] : !tile.view<?xf32, [1]> -> tensor<16384xf32>
    %vv = tile.view %V, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %v = tile.load_view %vv[%c0] : !tile.view<?xf32, [1]> -> tensor<16384xf32>
    %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %w = tile.load_view %wv[%c0] : !tile.view<?xf32, [1]> -> tensor<16384xf32>
    %a = arith.addf %x, %u : tensor<16384xf32>
    %b = arith.addf %v, %w : tensor<16384xf32>
    %c = arith.addf %a, %b : tensor<16384xf32>
    %yp = tile.addptr %Y, %row : !tile.ptr<f32>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    tile.store_view %c, %yv[%c0] : tensor<16384xf32>, !tile.view<?xf32, [1]>
  } {tile.programs}
  tile.return
}

// What is loaded may be there only where an assertion holds.
// CHECK-LABEL: tile.kernel @asserted
// CHECK-NOT: = load_view
// CHECK: scf.for
// CHECK: tile.assert
// CHECK: tile.load_view
tile.kernel @asserted(%X: !tile.ptr<f16> {tile.disjoint}, %W: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %n: index, %m: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %ok = arith.cmpi slt, %n, %m : index
    tile.assert %ok, "there are so many weights" : i1
    %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %w, %yv[%c0] : tensor<16384xf16>, !tile.view<?xf16, [1]>
  } {tile.programs}
  tile.return
}
