// Mutants of roles whose programs have loops of their own length: bounds that are computed in another way in one of them.

// RUN: not tile-opt --tile-check-channels --split-input-file %s 2>&1 | FileCheck %s --implicit-check-not=error:

// Rows of tiles of another width.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
// CHECK: note: where this loop runs 0 times
// CHECK: note: where this loop runs 1 time
// CHECK: note: so far: copy: acquire 0, commit 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @other_rows(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index, %across: index) attributes {copy_warps = 1 : i32} {
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
      %row = arith.divui %p, %blocks : index
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

// The filler goes by the column of the program.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
// CHECK: note: where this loop runs 0 times
// CHECK: note: where this loop runs 1 time
// CHECK: note: so far: copy: acquire 0, commit 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @columns_of_programs(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index, %across: index) attributes {copy_warps = 1 : i32} {
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
      %row = arith.remui %p, %across : index
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

// The filler does not end at the diagonal.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
// CHECK: note: where this loop runs 0 times
// CHECK: note: where this loop runs 1 time
// CHECK: note: so far: copy: acquire 0, commit 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @whole_rows(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %block: index, %programs: index, %blocks: index, %across: index) attributes {copy_warps = 1 : i32} {
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
      %bound = arith.minsi %K, %K : index
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

// The main role has its loop where a condition on its beginning holds, the filler always.
// CHECK: error: 'tile.commit' op fills hand-over 0, which nobody has waited for when the kernel ends
// CHECK: note: so far: copy: acquire 0, commit 0
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @main_from_its_beginning(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %begin: index) attributes {copy_warps = 1 : i32} {
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
    %is_early = arith.cmpi slt, %begin, %c1 : index
    scf.if %is_early {
      %last = scf.for %k = %begin to %K step %c64 iter_args(%n = %n0) -> (i32) {
        %t1 = tile.wait %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.release %a[%n] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %next : i32
      }
    }
  } copy {
    %last = scf.for %k = %begin to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %t1 = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}
