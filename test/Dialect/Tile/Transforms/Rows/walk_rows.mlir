// Blocks that walk along rows, where programs whose numbers differ along one axis have what follows along the rows that are read.

// RUN: split-file %s %t
// RUN: tile-opt --tile-move-rows %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-move-rows %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: walk_rows
// OFF-NOT: persistent

//--- kernels.mlir

// CHECK-LABEL: tile.kernel @bytes
// CHECK-SAME: persistent
// CHECK-SAME: tile.blocks_per_sm = 1
// CHECK-DAG: %[[STEPS:.*]] = num_programs 1
// CHECK-DAG: %[[STRIPS:.*]] = num_programs 0
// CHECK-DAG: %[[BLOCK:.*]] = block_id
// CHECK-DAG: %[[BLOCKS:.*]] = num_blocks
// CHECK-DAG: arith.cmpi ule, %[[STEPS]], %c16777216
// Those that are left help at the first strip and the last one.
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %[[STRIPS]] step %[[BLOCKS]] {
// CHECK: %[[LEFT:.*]] = arith.subi %[[STRIPS]], %[[FIRST]] : index
// CHECK: %[[HERE:.*]] = arith.minui %[[BLOCKS]], %[[LEFT]] : index
// CHECK: %[[EACH:.*]] = arith.divui %[[BLOCKS]], %[[HERE]] : index
// CHECK: %[[ALL:.*]] = arith.muli %[[EACH]], %[[HERE]] : index
// CHECK: %[[HELPERS:.*]] = arith.subi %[[BLOCKS]], %[[ALL]] : index
// CHECK: %[[HELPS:.*]] = arith.cmpi uge, %[[BLOCK]], %[[ALL]] : index
// CHECK: %[[OWN:.*]] = arith.remui %[[BLOCK]], %[[HERE]] : index
// CHECK: %[[STRIP:.*]] = arith.select %[[HELPS]], %{{.*}}, %[[OWN]] : index
// CHECK: %[[NUMBER:.*]] = arith.select %[[HELPS]], %[[EACH]], %{{.*}} : index
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %{{.*}}, %[[HELPERS]] : index
// CHECK: %[[ONE:.*]] = arith.select %[[MORE]], %{{.*}}, %{{.*}} : index
// CHECK: %[[PARTS:.*]] = arith.addi %[[EACH]], %[[ONE]] : index
// CHECK: %[[BEFORE:.*]] = arith.muli %[[STEPS]], %[[NUMBER]] : index
// CHECK: %[[FROM:.*]] = arith.divui %[[BEFORE]], %[[PARTS]] : index
// CHECK: %[[TO:.*]] = arith.divui %{{.*}}, %[[PARTS]] : index
// CHECK: %[[PM:.*]] = arith.addi %[[FIRST]], %[[STRIP]] : index
// CHECK: %[[I:.*]] = arith.muli %[[PM]], %c256 : index
// CHECK: scf.for %[[PN:.*]] = %[[FROM]] to %[[TO]] step %[[LENGTH:.*]] {
// CHECK: %[[REST:.*]] = arith.subi %[[TO]], %[[PN]] : index
// CHECK: %[[COUNT:.*]] = arith.minui %[[LENGTH]], %[[REST]] : index
// CHECK: %[[J:.*]] = arith.muli %[[PN]], %c64 : index
// CHECK: %[[RING:.*]] = tile.alloc_shared : !tile.shared<256x512xi8, #tile.shared_layout<256x512, pad 65 every 512>>
// CHECK: %[[COLUMNS:.*]] = arith.muli %[[COUNT]], %{{.*}} : index
// CHECK: walk_rows %{{.*}}[%[[I]], %[[J]]] within[%{{.*}}, %{{.*}}] of %A : !tile.ptr<i8>, %{{.*}}[%[[J]], %[[I]]] through %[[RING]] for %[[COLUMNS]] if %{{.*}}, %{{.*}} {order = array<i64: 1, 0>}
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
tile.kernel @bytes(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index) attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Strips of several matrices, of which programs that follow one another along the last axis have one each.
// CHECK-LABEL: tile.kernel @batches
// CHECK-DAG: %[[ROWS:.*]] = num_programs 1
// CHECK-DAG: %[[BATCHES:.*]] = num_programs 2
// CHECK: %[[STRIPS:.*]] = arith.muli %[[ROWS]], %[[BATCHES]] : index
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %[[STRIPS]]
// CHECK: %[[STRIP:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK: %[[PM:.*]] = arith.remui %[[STRIP]], %[[ROWS]] : index
// CHECK: %[[BATCH:.*]] = arith.divui %[[STRIP]], %[[ROWS]] : index
// CHECK: walk_rows
tile.kernel @batches(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %K: index) attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 1
  %q = tile.program_id 0
  %k = tile.program_id 2
  %i = arith.muli %c256, %p : index
  %j = arith.muli %q, %c64 : index
  %MN = arith.muli %M, %N : index
  %a = tile.view %A, shape [%K, %M, %N], strides [%MN, %N, 1] : !tile.ptr<i8> -> !tile.view<?x?x?xi8, [?, ?, 1]>
  %b = tile.view %B, shape [%K, %N, %M], strides [%MN, %M, 1] : !tile.ptr<i8> -> !tile.view<?x?x?xi8, [?, ?, 1]>
  %t = tile.load_view %a[%k, %i, %j] : !tile.view<?x?x?xi8, [?, ?, 1]> -> tensor<1x256x64xi8>
  %u = tile.trans %t [0, 2, 1] : tensor<1x256x64xi8> -> tensor<1x64x256xi8>
  tile.store_view %u, %b[%k, %j, %i] : tensor<1x64x256xi8>, !tile.view<?x?x?xi8, [?, ?, 1]>
  tile.return
}

//--- declined.mlir

// Fewer warps.
tile.kernel @warps(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index) attributes {num_warps = 8 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// What follows along rows that are read has the next number but one; columns begin in front of the matrix.
tile.kernel @steps(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index) attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %c32 = arith.constant 32 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c32 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
tile.kernel @shifted(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index) attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %c7 = arith.constant 7 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j0 = arith.muli %q, %c64 : index
  %j = arith.subi %j0, %c7 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// A remainder of the number: strips are no axis of the grid.
tile.kernel @remainder(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %n: index) attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %k = arith.divui %p, %n : index
  %l = arith.remui %p, %n : index
  %i = arith.muli %l, %c256 : index
  %j = arith.muli %k, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// The same columns for all programs along the other axis.
tile.kernel @once(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %j: index) attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = arith.muli %p, %c256 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
