// Where pointers are linear over bits of coordinates, lanes go along the bits that move least.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// The first step of a transform takes elements by the reversed bits of their places.
// CHECK-LABEL: tile.kernel @reversed
// CHECK: load {{.*}} : tensor<128x!tile.ptr<f32>, #tile.register_layout<128, lane = {{\[\[}}64], [32], [16], [8], [4]], register = {{\[\[}}2], [1]]>>
tile.kernel @reversed(%X: !tile.ptr<f32>, %row: i32) attributes {num_warps = 1 : i32} {
  %c1 = arith.constant dense<1> : tensor<128xi32>
  %c2 = arith.constant dense<2> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c4 = arith.constant dense<4> : tensor<128xi32>
  %c6 = arith.constant dense<6> : tensor<128xi32>
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128xi32>
  %c32 = arith.constant dense<32> : tensor<128xi32>
  %i = tile.iota 0 : tensor<128xi32>
  %m0 = arith.andi %i, %c1 : tensor<128xi32>
  %b0 = arith.shli %m0, %c6 : tensor<128xi32>
  %m1 = arith.andi %i, %c2 : tensor<128xi32>
  %b1 = arith.shli %m1, %c4 : tensor<128xi32>
  %m2 = arith.andi %i, %c4 : tensor<128xi32>
  %b2 = arith.shli %m2, %c2 : tensor<128xi32>
  %b3 = arith.andi %i, %c8 : tensor<128xi32>
  %m4 = arith.andi %i, %c16 : tensor<128xi32>
  %b4 = arith.shrui %m4, %c2 : tensor<128xi32>
  %m5 = arith.andi %i, %c32 : tensor<128xi32>
  %b5 = arith.shrui %m5, %c4 : tensor<128xi32>
  %b6 = arith.shrui %i, %c6 : tensor<128xi32>
  %s1 = arith.ori %b0, %b1 : tensor<128xi32>
  %s2 = arith.addi %s1, %b2 : tensor<128xi32>
  %s3 = arith.xori %s2, %b3 : tensor<128xi32>
  %s4 = arith.ori %s3, %b4 : tensor<128xi32>
  %s5 = arith.ori %s4, %b5 : tensor<128xi32>
  %reverse = arith.ori %s5, %b6 : tensor<128xi32>
  %first = tile.splat %row : i32 -> tensor<128xi32>
  %places = arith.addi %first, %reverse : tensor<128xi32>
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %ps, %places : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  tile.return
}

// -----

// Numbers that have a bit in common may carry: nothing is known of their sum.
// CHECK-LABEL: tile.kernel @carries
// CHECK: load {{.*}} : tensor<128x!tile.ptr<f32>, #tile.register_layout<lane[32] register[4]>>
tile.kernel @carries(%X: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %c1 = arith.constant dense<1> : tensor<128xi32>
  %c6 = arith.constant dense<6> : tensor<128xi32>
  %i = tile.iota 0 : tensor<128xi32>
  %high = arith.shrui %i, %c6 : tensor<128xi32>
  %low = arith.andi %i, %c1 : tensor<128xi32>
  %sum = arith.addi %high, %low : tensor<128xi32>
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %ps, %sum : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  tile.return
}
