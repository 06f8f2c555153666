// Mutants of hand-overs that agree: each is refused, with who stands where and how it came to that.

// RUN: not tile-opt --tile-check-channels --split-input-file %s 2>&1 | FileCheck %s --implicit-check-not=error:

// The reader has lost its wait.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
// CHECK: note: where this loop runs 1 time
// CHECK: note: so far: copy: acquire 0, commit 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @nobody_waits(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {

  } copy {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// The filler has lost its loop.
// CHECK: error: 'tile.wait' op waits for ever: hand-over 0 is not filled
// CHECK: note: where this loop runs 1 time
// CHECK: note: copy is over
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @nobody_fills(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {

  }
  tile.return
}

// -----

// The filler counts from 1.
// CHECK: error: 'tile.acquire' op is of hand-over 1, and hand-over 0 is the next one to be acquired
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @other_number(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n1) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// Two rounds ahead, and only one was filled in front of the loop.
// CHECK: error: 'tile.wait' op waits for ever: hand-over 1 is not filled
// CHECK: note: where this loop runs 2 times
// CHECK: note: so far: copy: acquire 0, commit 0; main: wait 0, release 0
// CHECK: note: copy is over
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @one_stage_fewer(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %any = arith.cmpi sgt, %K, %c0 : index
    scf.if %any {
      %t1 = tile.acquire %a[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %c0], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n0] : !tile.channel<3>
    }
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %next = arith.addi %n, %n1 : i32
      %two = arith.constant 2 : i32
      %far = arith.addi %n, %two : i32
      %c128 = arith.constant 128 : index
      %ahead = arith.addi %k, %c128 : index
      %more = arith.cmpi slt, %ahead, %K : index
      scf.if %more {
        %t2 = tile.acquire %a[%far] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %map[%c0, %ahead], %t2 : !tile.shared<64x64xf16, #slot>
        tile.commit %a[%far] : !tile.channel<3>
      }
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// The filler has a round for which there is no reader.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
// CHECK: note: where this loop runs 0 times
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @one_round_more(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %more = arith.addi %K, %c64 : index
    %last = scf.for %k = %c0 to %more step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// CHECK: error: 'tile.wait' op waits for ever: hand-over 0 is not filled
// CHECK: note: where this loop runs 0 times
// CHECK: note: copy is over
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @one_round_fewer(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %more = arith.addi %K, %c64 : index
    %last = scf.for %k = %c0 to %more step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// One slot, which the next round releases: it waits for itself.
// CHECK: error: 'tile.wait' op waits for ever: hand-over 1 is not filled
// CHECK: note: where this loop runs 2 times
// CHECK: note: so far: copy: acquire 0, commit 0; main: wait 0, release -1
// CHECK: note: copy stands here: hand-over 1 has the slot of hand-over 0, which is not released
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @too_far_ahead(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 8192 : i64} : !tile.shared<1x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<1x64x64xf16, #slot> mbarriers !tile.shared<1x2xi64, #pair> -> !tile.channel<1>
  tile.roles main {
    %minus = arith.constant -1 : i32
    %end = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      %before = arith.addi %n, %minus : i32
      tile.release %a[%before] : !tile.channel<1>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %last = arith.addi %end, %minus : i32
    tile.release %a[%last] : !tile.channel<1>
  } copy {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<1>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// All of b before a: b has no slot left, and the reader waits for a first.
// CHECK: error: 'tile.wait' op waits for ever: hand-over 0 of channel 0 is not filled
// CHECK: note: where this loop runs 3 times
// CHECK: note: so far: copy: acquire 0 of channel 1, commit 0 of channel 1, acquire 1 of channel 1, commit 1 of channel 1
// CHECK: note: copy stands here: hand-over 2 of channel 1 has the slot of hand-over 0, which is not released
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @crossed(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %sb = tile.alloc_shared {offset = 17408 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsb = tile.alloc_shared {offset = 33792 : i64} : !tile.shared<2x2xi64, #pair>
  %b = tile.channel %sb mbarriers %barsb : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %t2 = tile.wait %b[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      tile.release %b[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %any = arith.cmpi sgt, %K, %c0 : index
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %b[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %b[%n] : !tile.channel<2>
      %two = arith.addi %n, %n1 : i32
      %ahead = arith.addi %k, %c64 : index
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %again = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t2 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t2 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// A branch of the reader that the filler has not.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @sometimes(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %x: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %some = arith.cmpi ugt, %x, %k : index
      scf.if %some {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
      }
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// Each program counts from 0.
// CHECK: error: 'tile.acquire' op is of hand-over 0, and hand-over 0 is acquired already
// CHECK: note: where this loop runs 2 times
// CHECK: note: where this loop runs 1 time
// CHECK: note: so far: copy: acquire 0, commit 0, acquire 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @restart(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      scf.yield %last : i32
    }
  } copy {
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
        %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
        tile.commit %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      scf.yield %last : i32
    }
  }
  tile.return
}

// -----

// Only the reader leaves out the first round, of rows with more than one.
// CHECK: error: 'tile.commit' op fills hand-over 1, which nobody has waited for when the kernel ends
// CHECK: note: so far: copy: acquire 0, commit 0, acquire 1, commit 1; main: wait 0, release 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @begins_elsewhere(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
    %long = arith.cmpi sgt, %K, %c64 : index
    %from = arith.select %long, %c64, %c0 : index
    %last = scf.for %k = %from to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %long = arith.cmpi sgt, %K, %c64 : index
    %from = arith.select %long, %c64, %c0 : index
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}
