// Hand-overs of both roles that agree, in all the forms that passes write: nothing is said of them.

// RUN: tile-opt --tile-check-channels --split-input-file --verify-diagnostics %s | FileCheck %s

// Both go at the same pace.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @in_step
tile.kernel @in_step(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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

// The filler is one round ahead, and leaves out what the reader has no round for.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @one_ahead
tile.kernel @one_ahead(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
    %any = arith.cmpi sgt, %K, %c0 : index
    scf.if %any {
      %t1 = tile.acquire %a[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %c0], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n0] : !tile.channel<2>
    }
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %next = arith.addi %n, %n1 : i32
      %ahead = arith.addi %k, %c64 : index
      %more = arith.cmpi slt, %ahead, %K : index
      scf.if %more {
        %t2 = tile.acquire %a[%next] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %map[%c0, %ahead], %t2 : !tile.shared<64x64xf16, #slot>
        tile.commit %a[%next] : !tile.channel<2>
      }
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// A slot is released by the next round, and behind the loop.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @released_late
tile.kernel @released_late(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
    %minus = arith.constant -1 : i32
    %end = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %before = arith.addi %n, %minus : i32
      tile.release %a[%before] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %last = arith.addi %end, %minus : i32
    tile.release %a[%last] : !tile.channel<2>
  } copy {
    %any = arith.cmpi sgt, %K, %c0 : index
    scf.if %any {
      %t1 = tile.acquire %a[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %c0], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n0] : !tile.channel<2>
    }
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %next = arith.addi %n, %n1 : i32
      %ahead = arith.addi %k, %c64 : index
      %more = arith.cmpi slt, %ahead, %K : index
      scf.if %more {
        %t2 = tile.acquire %a[%next] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %map[%c0, %ahead], %t2 : !tile.shared<64x64xf16, #slot>
        tile.commit %a[%next] : !tile.channel<2>
      }
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// The count goes on from program to program.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @programs
tile.kernel @programs(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index) attributes {copy_warps = 1 : i32} {
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
      %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      scf.yield %last : i32
    }
  } copy {
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
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

// The first round of a program releases the last slot of the one before.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @programs_released_late
tile.kernel @programs_released_late(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index) attributes {copy_warps = 1 : i32} {
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
    %minus = arith.constant -1 : i32
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %end = scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %before = arith.addi %n, %minus : i32
        tile.release %a[%before] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      scf.yield %end : i32
    }
    %lastone = arith.addi %all, %minus : i32
    tile.release %a[%lastone] : !tile.channel<2>
  } copy {
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
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

// Each program has as many rounds as its number says: in both roles.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @triangle
tile.kernel @triangle(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index) attributes {copy_warps = 1 : i32} {
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
      %bound = arith.muli %p, %c64 : index
      %last = scf.for %k = %c0 to %bound step %c64 iter_args(%n = %first) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      scf.yield %last : i32
    }
  } copy {
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %bound = arith.muli %p, %c64 : index
      %last = scf.for %k = %c0 to %bound step %c64 iter_args(%n = %first) -> (i32) {
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

// As many rounds as the row of tiles says that the program is in: who divides by what may be 0 finds the same in both roles.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @rows_of_programs
tile.kernel @rows_of_programs(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index, %across: index) attributes {copy_warps = 1 : i32} {
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
      %row = arith.divui %p, %across : index
      %behind = arith.addi %row, %c1 : index
      %high = arith.muli %behind, %c64 : index
      %bound = arith.minsi %K, %high : index
      %last = scf.for %k = %c0 to %bound step %c64 iter_args(%n = %first) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      scf.yield %last : i32
    }
  } copy {
    %all = scf.for %p = %block to %programs step %blocks iter_args(%first = %n0) -> (i32) {
      %row = arith.divui %p, %across : index
      %behind = arith.addi %row, %c1 : index
      %high = arith.muli %behind, %c64 : index
      %bound = arith.minsi %K, %high : index
      %last = scf.for %k = %c0 to %bound step %c64 iter_args(%n = %first) -> (i32) {
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

// A bound that loops carry, in each role at another place.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @carried_bounds
tile.kernel @carried_bounds(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index, %x: index) attributes {copy_warps = 1 : i32} {
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
    %all:3 = scf.for %p = %block to %programs step %blocks iter_args(%other = %x, %from = %x, %first = %n0) -> (index, index, i32) {
      %last = scf.for %k = %c0 to %from step %c64 iter_args(%n = %first) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      %odd = arith.cmpi ugt, %from, %c64 : index
      %then = scf.if %odd -> (index) {
        %half = arith.divui %from, %c64 : index
        scf.yield %half : index
      } else {
        scf.yield %from : index
      }
      scf.yield %p, %then, %last : index, index, i32
    }
  } copy {
    %all:2 = scf.for %p = %block to %programs step %blocks iter_args(%from = %x, %first = %n0) -> (index, i32) {
      %last = scf.for %k = %c0 to %from step %c64 iter_args(%n = %first) -> (i32) {
        %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
        tile.commit %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
      %odd = arith.cmpi ugt, %from, %c64 : index
      %then = scf.if %odd -> (index) {
        %half = arith.divui %from, %c64 : index
        scf.yield %half : index
      } else {
        scf.yield %from : index
      }
      scf.yield %then, %last : index, i32
    }
  }
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @two_channels
tile.kernel @two_channels(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
    %last = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %t2 = tile.acquire %b[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t2 : !tile.shared<64x64xf16, #slot>
      tile.commit %b[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// What nobody knows here is the same for both roles.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @same_branch
tile.kernel @same_branch(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %x: index) attributes {copy_warps = 1 : i32} {
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
    %odd = arith.cmpi ugt, %x, %c1 : index
    scf.if %odd {
      %t1 = tile.wait %a[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n0] : !tile.channel<2>
    }
  } copy {
    %odd = arith.cmpi ugt, %x, %c1 : index
    scf.if %odd {
      %t1 = tile.acquire %a[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %c0], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n0] : !tile.channel<2>
    }
  }
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @constant_bounds
tile.kernel @constant_bounds(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
    %c256 = arith.constant 256 : index
    %last = scf.for %k = %c0 to %c256 step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.wait %a[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %c256 = arith.constant 256 : index
    %last = scf.for %k = %c0 to %c256 step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// A loop that does not count is not followed: a remark says so.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @not_followed
tile.kernel @not_followed(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %limit: i32) attributes {copy_warps = 1 : i32} {
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
    // expected-remark@+1 {{hand-overs are not checked, since they hang on what is not followed}}
    %last = scf.while (%n = %n0) : (i32) -> i32 {
      %more = arith.cmpi slt, %n, %limit : i32
      scf.condition(%more) %n : i32
    } do {
    ^bb0(%n: i32):
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

// Where the loop begins hangs on where it ends.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @begins_by_its_end
tile.kernel @begins_by_its_end(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
    %last = scf.for %k = %from to %K step %c64 iter_args(%n = %n0) -> (i32) {
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

// One role copies and reads, from where an argument says; the first copy is asked for before the loop is.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @begins_anywhere
tile.kernel @begins_anywhere(%A: !tile.ptr<f16> {tile.disjoint}, %begin: i32, %K: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %first = arith.index_cast %begin : i32 to index
  %view = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #slot>
  %barsa = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %a = tile.channel %sa mbarriers %barsa : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %any = arith.cmpi slt, %first, %K : index
  scf.if %any {
    %t1 = tile.acquire %a[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_tma %map[%c0, %first], %t1 : !tile.shared<64x64xf16, #slot>
    tile.commit %a[%n0] : !tile.channel<2>
  }
  %last = scf.for %k = %first to %K step %c64 iter_args(%n = %n0) -> (i32) {
    %next = arith.addi %n, %n1 : i32
    %ahead = arith.addi %k, %c64 : index
    %more = arith.cmpi slt, %ahead, %K : index
    scf.if %more {
      %t2 = tile.acquire %a[%next] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %ahead], %t2 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%next] : !tile.channel<2>
    }
    %t3 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.release %a[%n] : !tile.channel<2>
    scf.yield %next : i32
  }
  tile.return
}

// -----

// The same in a loop over programs, each of which begins elsewhere: where the later ones begin is asked when all ends are known.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
// CHECK-LABEL: tile.kernel @each_begins_elsewhere
tile.kernel @each_begins_elsewhere(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) {
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
  %all = scf.for %p = %c0 to %M step %c1 iter_args(%count = %n0) -> (i32) {
    %first = arith.xori %p, %M : index
    %begin = arith.shrui %first, %c1 : index
    %any = arith.cmpi slt, %begin, %K : index
    scf.if %any {
      %t1 = tile.acquire %a[%count] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %begin], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%count] : !tile.channel<2>
    }
    %last = scf.for %k = %begin to %K step %c64 iter_args(%n = %count) -> (i32) {
      %next = arith.addi %n, %n1 : i32
      %ahead = arith.addi %k, %c64 : index
      %more = arith.cmpi slt, %ahead, %K : index
      scf.if %more {
        %t2 = tile.acquire %a[%next] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_tma %map[%c0, %ahead], %t2 : !tile.shared<64x64xf16, #slot>
        tile.commit %a[%next] : !tile.channel<2>
      }
      %t3 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.release %a[%n] : !tile.channel<2>
      scf.yield %next : i32
    }
    scf.yield %last : i32
  }
  tile.return
}
