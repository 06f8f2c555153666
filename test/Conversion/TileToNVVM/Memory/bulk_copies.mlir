// What bulk copies become: a box each, by one thread.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

#slot = #tile.shared_layout<64x128, bits [c0..2, c3..5+r0..2, r0..5, c6]>
module attributes {tile.target = "sm_90a"} {
  // CHECK: llvm.func @stores
  // CHECK-SAME: %[[MAP:[^ ]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>
  // The first thread of the block fetches the map before anything else.
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[BLOCK_FIRST:.*]] = arith.cmpi eq, %[[TID]]
  // CHECK-NEXT: scf.if %[[BLOCK_FIRST]] {
  // CHECK-NEXT: "prefetch.tensormap [$0];", "l,~{memory}" %[[MAP]]
  tile.kernel @stores(%C: !tile.ptr<f16>, %m: index, %n: index) attributes {shared_bytes = 16384 : i64} {
    %c = tile.view %C, shape [%m, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x128xf16, #slot>
    // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]]
    // CHECK-COUNT-2: "@$0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$3, $4}], [$2];", "b,l,r,r,r,~{memory}" %[[FIRST]]
    // CHECK-NOT: bulk.tensor
    // CHECK: "@$0 cp.async.bulk.commit_group;", "b,~{memory}" %[[FIRST]]
    tile.store_tma %s, %map[%m, %n] : !tile.shared<64x128xf16, #slot>
    // The row's coordinate comes first.
    // CHECK: %[[ROW:.*]] = arith.index_cast
    // CHECK: %[[COLUMN:.*]] = arith.index_cast
    // CHECK: %[[X:.*]] = arith.addi %[[COLUMN]]
    // CHECK: %[[Y:.*]] = arith.addi %[[ROW]]
    // CHECK: "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [$0, {$1, $2}];", "l,r,r,~{memory}" %{{.*}}, %[[X]], %[[Y]]
    tile.prefetch_tma %map[%m, %n]
    // CHECK: "cp.async.bulk.wait_group 0;", "~{memory}"
    tile.store_tma_wait
    // CHECK: "cp.async.bulk.wait_group.read 0;", "~{memory}"
    tile.store_tma_wait {read}
    tile.return
  }

  // A map that is moved by elements has their bytes in steps of 16 behind the coordinates, in two numbers of 30 bits.
  // CHECK: llvm.func @moved
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c2
  // CHECK: %[[STEPS:.*]] = arith.shrui %[[BYTES]], %c4
  // CHECK: %[[LOW:.*]] = arith.andi %[[STEPS]], %c1073741823
  // CHECK: arith.index_cast %[[LOW]] : index to i32
  // CHECK: arith.shrui %[[BYTES]], %c34
  // CHECK-COUNT-2: "@$0 cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [$1, {$3, $4, $5, $6}], [$2];"
  tile.kernel @moved(%C: !tile.ptr<f16>, %m: index, %n: index) attributes {shared_bytes = 16384 : i64} {
    %c = tile.view %C, shape [%m, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64, moves} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x128xf16, #slot>
    tile.store_tma %s, %map[%m, %n] moved by %m : !tile.shared<64x128xf16, #slot>
    // CHECK: "cp.async.bulk.prefetch.tensor.4d.L2.global.tile [$0, {$1, $2, $3, $4}];", "l,r,r,r,r,~{memory}"
    tile.prefetch_tma %map[%m, %n] moved by %m
    // CHECK: %[[SECOND:.*]] = arith.cmpi eq
    // CHECK: scf.if %[[SECOND]] {
    // CHECK-NEXT: "cp.async.bulk.wait_group 0;"
    tile.one_thread {
      tile.store_tma_wait
    }
    tile.return
  }

  // Registers are set by all of a role, before one of its threads goes on alone.
  // CHECK: llvm.func @registers(
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  // CHECK-SAME: nvvm.reqntid = array<i32: 256>
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.setmaxregister increase 216
  // CHECK: } else {
  // CHECK-NEXT: nvvm.setmaxregister decrease 40
  // CHECK: scf.if
  tile.kernel @registers() attributes {copy_warps = 4 : i32} {
    tile.roles main {
    } copy {
    } {main_registers = 216 : i32, copy_registers = 40 : i32, blocks = 2 : i32}
    tile.return
  }
}
