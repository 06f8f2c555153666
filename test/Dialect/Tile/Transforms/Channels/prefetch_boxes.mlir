// What is copied behind a loop is asked for while the loop runs.

// RUN: tile-opt --tile-prefetch-boxes %s | FileCheck %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#wide = #tile.shared_layout<64x128, bits [c0..2, c3..5+r0..2, r0..5, c6]>
#pair = #tile.shared_layout<2>

// Two boxes: 12 and 8 steps before the end.
// CHECK-LABEL: tile.kernel @behind
// CHECK: } copy {
// CHECK: %[[MAP:.*]] = tile.tensor_map %{{.*}} {box = array<i64: 64, 64>
// CHECK: %[[RMAP:.*]] = tile.tensor_map
// CHECK: %[[LENGTH:.*]] = arith.subi %K, %[[C0:.*]] : index
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %[[LENGTH]], %[[C64:.*]] : index
// CHECK: %[[NUMBER:.*]] = arith.subi %[[TRIPS]], %c12
// CHECK: %[[COUNTER:.*]] = arith.muli %[[NUMBER]], %[[C64]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[C0]], %[[COUNTER]]
// CHECK: arith.subi %{{.*}}, %c8
// CHECK: %[[SECOND:.*]] = arith.addi
// CHECK: %[[RIGHT:.*]] = arith.addi %{{.*}}, %c64
// CHECK: scf.for %[[K:.*]] = %[[C0]] to %K step %[[C64]]
// CHECK: tile.commit
// CHECK: arith.cmpi eq, %[[K]], %[[FIRST]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.prefetch_tma %[[RMAP]][%[[M:[^,]*]], %[[M]]]
// CHECK: arith.cmpi eq, %[[K]], %[[SECOND]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.prefetch_tma %[[RMAP]][%[[M]], %[[RIGHT]]]
// CHECK: tile.acquire
// CHECK-NEXT: tile.copy_tma %[[RMAP]]
tile.kernel @behind(%A: !tile.ptr<f16> {tile.disjoint}, %R: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index)
    attributes {copy_warps = 1 : i32} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 32768 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %t = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<1x64x128xf16, #wide>
  %pair = tile.alloc_shared {offset = 32800 : i64} : !tile.shared<1x2xi64, #pair>
  %d = tile.channel %t mbarriers %pair : !tile.shared<1x64x128xf16, #wide> mbarriers !tile.shared<1x2xi64, #pair> -> !tile.channel<1>
  tile.roles main {
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %p = tile.program_id 0
    %m = arith.muli %p, %c64 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%m, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %g = tile.acquire %d[%n0] : !tile.channel<1> -> !tile.shared<64x128xf16, #wide>
    // What it hangs on moves in front of the loop.
    %r = tile.view %R, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %rmap = tile.tensor_map %r {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    tile.copy_tma %rmap[%m, %m], %g : !tile.shared<64x128xf16, #wide>
    tile.commit %d[%n0] : !tile.channel<1>
  }
  tile.return
}

// What is copied in the next loop is not asked for in this one.
// CHECK-LABEL: tile.kernel @nothing
// CHECK-NOT: prefetch
tile.kernel @nothing(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) attributes {copy_warps = 1 : i32} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %first = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %second = scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c64, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}
