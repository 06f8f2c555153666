// Halves stand where the whole does, and what is put together of them where they do: of one step of a transform to the next one bit of the layout changes.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// Both halves are in each thread.
// CHECK-LABEL: tile.kernel @in_registers
// CHECK-NOT: convert_layout
// CHECK: split {{.*}} axis 1 stride 1 : tensor<64x2xf32, #tile.register_layout<register[2,2] lane[32,1]>> -> tensor<64x1xf32, #tile.register_layout<register[2,1] lane[32,1]>>
tile.kernel @in_registers(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {num_warps = 1 : i32} {
  %i = tile.iota 0 : tensor<128xi32>
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  %y = tile.reshape %x : tensor<128xf32> -> tensor<64x2xf32>
  %a, %b = tile.split %y axis 1 stride 1 : tensor<64x2xf32> -> tensor<64x1xf32>
  %s = arith.addf %a, %b : tensor<64x1xf32>
  %q = tile.splat %X : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  tile.store %q, %s : tensor<64x1x!tile.ptr<f32>>
  tile.return
}

// -----

// Lanes say which half an element is in: a register does instead, and its bit of the places is the lanes'.
// CHECK-LABEL: tile.kernel @in_lanes
// CHECK: %[[X:.*]] = load {{.*}} tensor<128x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32]>>
// CHECK: %[[Y:.*]] = reshape %[[X]]
// CHECK: %[[Z:.*]] = convert_layout %[[Y]] : tensor<2x64xf32, #tile.register_layout<register[1,4] lane[2,16]>> -> tensor<2x64xf32, #[[WHOLE:tile.register_layout<2x64, register = \[\[1, 0\], \[0, 2\]\], lane = \[\[0, 4\], \[0, 8\], \[0, 16\], \[0, 32\], \[0, 1\]\].*]]>
// CHECK: split %[[Z]] axis 0 stride 1 : tensor<2x64xf32, #[[WHOLE]]> -> tensor<1x64xf32
tile.kernel @in_lanes(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {num_warps = 1 : i32} {
  %i = tile.iota 0 : tensor<128xi32>
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  %y = tile.reshape %x : tensor<128xf32> -> tensor<2x64xf32>
  %a, %b = tile.split %y axis 0 stride 1 : tensor<2x64xf32> -> tensor<1x64xf32>
  %s = arith.addf %a, %b : tensor<1x64xf32>
  %q = tile.splat %X : !tile.ptr<f32> -> tensor<1x64x!tile.ptr<f32>>
  tile.store %q, %s : tensor<1x64x!tile.ptr<f32>>
  tile.return
}

// -----

// What is repeated to be put together with another tile stands where that does, with copies in registers, and so does what follows: one bit changes before the next step.
// CHECK-LABEL: tile.kernel @steps
// CHECK: %[[A:.*]], %[[B:.*]] = split
// CHECK: arith.select {{.*}} : tensor<32x2x2xi1, #[[BOTH:.*]]>, tensor<32x2x2xf32, #[[BOTH]]>
// CHECK: convert_layout
// CHECK-NOT: convert_layout
// CHECK: split
tile.kernel @steps(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant dense<0> : tensor<2xi32>
  %i = tile.iota 0 : tensor<128xi32>
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  %y = tile.reshape %x : tensor<128xf32> -> tensor<32x2x2xf32>
  %a, %b = tile.split %y axis 1 stride 1 : tensor<32x2x2xf32> -> tensor<32x1x2xf32>
  %s = arith.addf %a, %b : tensor<32x1x2xf32>
  %d = arith.subf %a, %b : tensor<32x1x2xf32>
  %which = tile.iota 0 : tensor<2xi32>
  %first = arith.cmpi eq, %which, %c0 : tensor<2xi32>
  %f1 = tile.expand_dims %first {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
  %f2 = tile.expand_dims %f1 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
  %f3 = tile.broadcast %f2 : tensor<1x2x1xi1> -> tensor<32x2x2xi1>
  %ss = tile.broadcast %s : tensor<32x1x2xf32> -> tensor<32x2x2xf32>
  %ds = tile.broadcast %d : tensor<32x1x2xf32> -> tensor<32x2x2xf32>
  %both = arith.select %f3, %ss, %ds : tensor<32x2x2xi1>, tensor<32x2x2xf32>
  %z = tile.reshape %both : tensor<32x2x2xf32> -> tensor<16x2x4xf32>
  %u, %v = tile.split %z axis 1 stride 1 : tensor<16x2x4xf32> -> tensor<16x1x4xf32>
  %sum = arith.addf %u, %v : tensor<16x1x4xf32>
  %qs = tile.splat %X : !tile.ptr<f32> -> tensor<16x1x4x!tile.ptr<f32>>
  tile.store %qs, %sum : tensor<16x1x4x!tile.ptr<f32>>
  tile.return
}
