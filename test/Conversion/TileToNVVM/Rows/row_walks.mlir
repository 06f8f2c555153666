// Walks along rows that begin anywhere: granules are copied three steps ahead of the columns that are stored.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse %s | FileCheck %s

#ring = #tile.shared_layout<128x256, pad 66 every 256>

// CHECK-LABEL: llvm.func @bytes
// Rings begin at a multiple of 256 bytes.
// CHECK: %[[ROOM:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[UP:.*]] = arith.addi %[[ROOM]], %c255_i32
// CHECK: %[[RINGS:.*]] = arith.andi %[[UP]], %c-256_i32
// Granules have 64 bytes.
// CHECK: %[[LAST:.*]] = arith.shrui %{{.*}}, %c6_i32
// CHECK: %[[STEPS:.*]] = arith.addi %[[LAST]], %c3_i32
// CHECK: %[[ALL:.*]] = arith.select %{{.*}}, %[[STEPS]], %c0_i32
// CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %[[ALL]]
// CHECK: %[[STORES:.*]] = arith.cmpi sge, %[[STEP]], %c3_i32 : i32
// CHECK: scf.if %[[STORES]] {
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK: %[[COPIES:.*]] = arith.cmpi sle, %[[STEP]], %[[LAST]] : i32
// CHECK: scf.if %[[COPIES]] {
// Four lanes have a granule, so that 32 rows are copied at once: 159 rows, whose pieces need no comparison where none lies at an end.
// CHECK: scf.if
// CHECK-NOT: llvm.load
// CHECK-COUNT-5: cp.async.ca.shared.global [$0], [$1], 16;
// CHECK-NOT: llvm.load
// CHECK: } else {
// CHECK: cp.async.ca.shared.global [$0], [$1], 16;
// CHECK: scf.if
// CHECK: ld.global.b8
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.if %[[STORES]] {
// CHECK: scf.for
// CHECK: scf.if
// From the first sector on; the elements of four columns, of which each is in the ring of its row, and all are read before one is stored.
// CHECK: arith.andi %{{.*}}, %c31_i32
// CHECK-NOT: st.global
// CHECK: %[[BYTE:.*]] = arith.andi %{{.*}}, %c255_i32
// CHECK: arith.ori %[[BYTE]], %{{.*}} : i32
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK-COUNT-4: st.global.b32
// CHECK-NOT: st.global
// CHECK: } else {
// CHECK: scf.if
// CHECK: arith.select %arg9
// CHECK-COUNT-4: st.global.b32
// Elements at the end of the last block, and in front of the first one.
// CHECK: st.global.b8
// CHECK: %[[FIRST:.*]] = arith.xori %arg7, %true : i1
// CHECK: scf.if %[[FIRST]] {
// CHECK-COUNT-4: st.global.b8
// CHECK: llvm.return
tile.kernel @bytes(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %i: index, %j: index, %k: index, %continues: i1, %unused: i1, %continued: i1) attributes {num_warps = 4 : i32, shared_bytes = 41216 : i64} {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128x256xi8, #ring>
  tile.walk_rows %a[%i, %j] within [%M, %N], %b[%j, %i] through %s for %k if %continues, %continued {order = array<i64: 1, 0>}
      : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #ring>
  tile.return
}
