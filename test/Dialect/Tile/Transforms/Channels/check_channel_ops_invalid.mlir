// Hand-overs whose ops do not belong together, or bring no bytes: each is refused.

// RUN: not tile-opt --tile-check-channels --split-input-file %s 2>&1 | FileCheck %s --implicit-check-not=error:

// No copy brings the bytes.
// CHECK: error: 'tile.acquire' op announces 8192 bytes for {{.*}}, and no bulk copy brings them: who waits for the slot waits for ever
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @no_copy(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// CHECK: error: 'tile.acquire' op announces 8192 bytes for {{.*}}, and several bulk copies bring them, each all of them: who waits for the slot goes on before they are over
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @two_copies(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
      tile.copy_tma %map[%c64, %k], %t1 : !tile.shared<64x64xf16, #slot>
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// CHECK: error: 'tile.acquire' op announces 8192 bytes for {{.*}}, and it is filled by something else than one bulk copy in its block
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @copy_sometimes(%A: !tile.ptr<f16> {tile.disjoint}, %K: index, %x: index) attributes {copy_warps = 1 : i32} {
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
      %f = tile.acquire %a[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %some = arith.cmpi ugt, %x, %k : index
      scf.if %some {
        tile.copy_tma %map[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      }
      tile.commit %a[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// What the verifier sees by itself.
// CHECK: error: 'tile.release' op ends no tile.wait of the same channel and count
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @no_wait(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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

// CHECK: error: 'tile.wait' op is followed by no tile.release of the same channel and count
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @no_release(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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

// CHECK: error: 'tile.acquire' op is followed by no tile.commit of the same channel and count
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @no_commit(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// CHECK: error: 'tile.release' op ends no tile.wait of the same channel and count
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @released_twice(%A: !tile.ptr<f16> {tile.disjoint}, %K: index) attributes {copy_warps = 1 : i32} {
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
