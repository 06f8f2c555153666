// Promises are asked of each register, and relied on: the others of a run follow from its first one.

// RUN: tile-opt --convert-tile-to-nvvm --split-input-file %s | FileCheck %s

#line = #tile.register_layout<register[4] lane[32] warp*4>
// CHECK-LABEL: llvm.func @counts
// CHECK: %[[R0:.*]] = arith.divsi
// CHECK: %[[R1:.*]] = arith.divsi
// CHECK: %[[R2:.*]] = arith.divsi
// CHECK: %[[R3:.*]] = arith.divsi
// CHECK: tilewright.assume.b32 $0, 0, 0, {{.*}} %[[R0]] :
// CHECK: tilewright.assume.b32 $0, 0, 1, {{.*}} %[[R1]] :
// CHECK: tilewright.assume.b32 $0, 0, 2, {{.*}} %[[R2]] :
// CHECK: tilewright.assume.b32 $0, 0, 3, {{.*}} %[[R3]] :
// CHECK: %[[S1:.*]] = arith.addi %[[R0]], %c1_i32
// CHECK: %[[S3:.*]] = arith.addi %[[R2]], %c1_i32
// CHECK: arith.xori %[[R0]],
// CHECK: arith.xori %[[S1]],
// CHECK: arith.xori %[[R2]],
// CHECK: arith.xori %[[S3]],
tile.kernel @counts(%P: !tile.ptr<i32>, %n: i32) {
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #line>
  %i = tile.load %ps {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #line>
  %ns = tile.splat %n : i32 -> tensor<128xi32, #line>
  %q = arith.divsi %i, %ns : tensor<128xi32, #line>
  %j = tile.assume %q contiguity [2] : tensor<128xi32, #line>
  %k = arith.xori %j, %i : tensor<128xi32, #line>
  tile.store %ps, %k {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #line>
  tile.return
}

// -----

// Rows count, columns are the same.
#block = #tile.register_layout<register[2, 2] lane[1, 32] warp[4, 1]>
// CHECK-LABEL: llvm.func @rows
// CHECK: %[[R0:.*]] = arith.divsi
// CHECK-COUNT-3: arith.divsi
// CHECK: %[[S:.*]] = arith.addi %[[R0]], %c1_i32
// CHECK: %[[T:.*]] = arith.addi %[[R0]], %c1_i32
// CHECK: arith.xori %[[R0]],
// CHECK: arith.xori %[[R0]],
// CHECK: arith.xori %[[S]],
// CHECK: arith.xori %[[T]],
tile.kernel @rows(%P: !tile.ptr<i32>, %n: i32) {
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<8x64x!tile.ptr<i32>, #block>
  %i = tile.load %ps {vector_width = 1 : i64} : tensor<8x64x!tile.ptr<i32>, #block>
  %ns = tile.splat %n : i32 -> tensor<8x64xi32, #block>
  %q = arith.divsi %i, %ns : tensor<8x64xi32, #block>
  %j = tile.assume %q contiguity [8, 1] constancy [1, 64] : tensor<8x64xi32, #block>
  %k = arith.xori %j, %i : tensor<8x64xi32, #block>
  tile.store %ps, %k {vector_width = 1 : i64} : tensor<8x64x!tile.ptr<i32>, #block>
  tile.return
}

// -----

// Lanes are between the registers of a run: how far these are apart hangs on the layout, and each is its own.
#lanes = #tile.register_layout<lane[2] register[2] lane[16] warp*4>
// CHECK-LABEL: llvm.func @lanes
// CHECK: %[[R0:.*]] = arith.divsi
// CHECK: %[[R1:.*]] = arith.divsi
// CHECK-NOT: arith.addi %[[R0]]
// CHECK: arith.xori %[[R0]],
// CHECK: arith.xori %[[R1]],
tile.kernel @lanes(%P: !tile.ptr<i32>, %n: i32) {
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #lanes>
  %i = tile.load %ps {vector_width = 1 : i64} : tensor<64x!tile.ptr<i32>, #lanes>
  %ns = tile.splat %n : i32 -> tensor<64xi32, #lanes>
  %q = arith.divsi %i, %ns : tensor<64xi32, #lanes>
  %j = tile.assume %q contiguity [4] : tensor<64xi32, #lanes>
  %k = arith.xori %j, %i : tensor<64xi32, #lanes>
  tile.store %ps, %k {vector_width = 1 : i64} : tensor<64x!tile.ptr<i32>, #lanes>
  tile.return
}
