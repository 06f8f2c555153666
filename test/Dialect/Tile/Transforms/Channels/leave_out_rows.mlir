// Rows of boxes that are not there are copied, as zeros, until each slot has some of the program.

// RUN: tile-opt --split-input-file --tile-leave-out-rows %s | FileCheck %s
// RUN: tile-opt --split-input-file --tile-leave-out-rows --tile-lower-mbarriers %s | FileCheck %s --check-prefix=BYTES

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#right = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: %[[M:M]]: index, %[[K:K]]: index
// CHECK: } copy {
// CHECK: %[[A:.*]] = tile.tensor_map %{{.*}} {box = array<i64: 64, 64>, row_bytes
// CHECK-NEXT: %[[LAST:.*]] = tile.tensor_map %{{.*}} {box = array<i64: 64, 64>, last, row_bytes
// CHECK: tile.copy_tma %[[A]][%[[ROW:.*]], %{{.*}}], %{{[^ ]*}} : !tile.shared
// CHECK: %[[LEFT:.*]] = arith.remui %[[M]], %c64
// CHECK: %[[BEHIND:.*]] = arith.subi %[[M]], %[[ROW]]
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[BEHIND]], %[[LEFT]]
// CHECK: %[[SOME:.*]] = arith.select %[[IS_LAST]], %[[LEFT]], %c64
// CHECK: %[[IS_OUTSIDE:.*]] = arith.cmpi sle, %[[BEHIND]], %c0
// CHECK: %[[THERE:.*]] = arith.select %[[IS_OUTSIDE]], %c0{{.*}}, %[[SOME]]
// CHECK: %[[ROWS:.*]] = arith.index_cast %[[THERE]] : index to i32
// CHECK: %[[LACKS:.*]] = arith.cmpi ne, %[[ROWS]], %c64_i32
// The loop begins with the third of three slots.
// CHECK: %[[STEPS:.*]] = arith.muli %c64, %c1
// CHECK: %[[FROM:.*]] = arith.addi %c0, %[[STEPS]]
// CHECK: scf.for %[[TRIP:[a-z0-9]*]] = %c0
// CHECK: %[[IS_LATER:.*]] = arith.cmpi sge, %[[TRIP]], %[[FROM]]
// CHECK: %[[SOME:.*]] = arith.andi %[[LACKS]], %[[IS_LATER]]
// CHECK: scf.if %[[SOME]] {
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.copy_tma %[[A]][%[[ROW]], %{{.*}}] rows %[[ROWS]] by %[[LAST]], %{{[^ ]*}} : !tile.shared
// The rows of B hang on the trip.
// CHECK-NEXT: tile.copy_tma %{{.*}}[%{{.*}}, %{{.*}}], %{{[^ ]*}} : !tile.shared
// CHECK-NEXT: tile.commit
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.copy_tma %[[A]][%[[ROW]], %{{.*}}], %{{[^ ]*}} : !tile.shared
// CHECK-NEXT: tile.copy_tma
// CHECK-NEXT: tile.commit
// CHECK-NEXT: } {tile.rare}

// BYTES-LABEL: tile.kernel @product
// BYTES: mbarrier_arrive %{{.*}} full {bytes = 16384 : i64}
// BYTES: mbarrier_arrive %{{.*}} full {bytes = 16384 : i64}
// BYTES: %[[OUT:.*]] = arith.subi %c64_i32{{.*}}, %[[COPIED:.*]] : i32
// BYTES: %[[LESS:.*]] = arith.muli %[[OUT]], %c128_i32
// BYTES: mbarrier_arrive %{{.*}} full less %[[LESS]] {bytes = 16384 : i64}
// BYTES: mbarrier_arrive %{{.*}} full {bytes = 16384 : i64}
tile.kernel @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %K: index) attributes {num_warps = 4 : i32, copy_warps = 1 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #left>
  %t = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x64x64xf16, #right>
  %bars = tile.alloc_shared {offset = 49152 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s, %t mbarriers %bars : !tile.shared<3x64x64xf16, #left>, !tile.shared<3x64x64xf16, #right> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %x, %y = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>, !tile.shared<64x64xf16, #right>
      tile.release %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %n2 = arith.constant 2 : i32
    %i = tile.program_id 0
    %row = arith.muli %i, %c64 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %bm = tile.tensor_map %b {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %first = arith.cmpi sgt, %K, %c0 : index
    scf.if %first {
      %x, %y = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>, !tile.shared<64x64xf16, #right>
      tile.copy_tma %am[%row, %c0], %x : !tile.shared<64x64xf16, #left>
      tile.copy_tma %bm[%c0, %row], %y : !tile.shared<64x64xf16, #right>
      tile.commit %c[%n0] : !tile.channel<3>
    }
    %second = arith.cmpi sgt, %K, %c64 : index
    scf.if %second {
      %x, %y = tile.acquire %c[%n1] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>, !tile.shared<64x64xf16, #right>
      tile.copy_tma %am[%row, %c64], %x : !tile.shared<64x64xf16, #left>
      tile.copy_tma %bm[%c64, %row], %y : !tile.shared<64x64xf16, #right>
      tile.commit %c[%n1] : !tile.channel<3>
    }
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %number = arith.addi %n, %n2 : i32
      %ahead = arith.addi %k, %c128 : index
      %more = arith.cmpi slt, %ahead, %K : index
      scf.if %more {
        %x, %y = tile.acquire %c[%number] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>, !tile.shared<64x64xf16, #right>
        tile.copy_tma %am[%row, %ahead], %x : !tile.shared<64x64xf16, #left>
        tile.copy_tma %bm[%ahead, %row], %y : !tile.shared<64x64xf16, #right>
        tile.commit %c[%number] : !tile.channel<3>
      }
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// What was copied before is of other rows.

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @other_rows
// CHECK-NOT: last
tile.kernel @other_rows(%A: !tile.ptr<f16>, %M: index, %K: index) attributes {num_warps = 4 : i32, copy_warps = 1 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #left>
  %bars = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #left> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %i = tile.program_id 0
    %row = arith.muli %i, %c64 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %x = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #left>
    tile.copy_tma %am[%c0, %c0], %x : !tile.shared<64x64xf16, #left>
    tile.commit %c[%n0] : !tile.channel<2>
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %number = arith.addi %n, %n1 : i32
      %y = tile.acquire %c[%number] : !tile.channel<2> -> !tile.shared<64x64xf16, #left>
      tile.copy_tma %am[%row, %k], %y : !tile.shared<64x64xf16, #left>
      tile.commit %c[%number] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

// Behind the loop the slots are filled by others, with a number that is not the loop's.

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @behind
// CHECK-NOT: last
tile.kernel @behind(%A: !tile.ptr<f16>, %M: index, %K: index) attributes {num_warps = 4 : i32, copy_warps = 1 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #left>
  %bars = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #left> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %i = tile.program_id 0
    %row = arith.muli %i, %c64 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %y = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #left>
      tile.copy_tma %am[%row, %k], %y : !tile.shared<64x64xf16, #left>
      tile.commit %c[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %x = tile.acquire %c[%m] : !tile.channel<2> -> !tile.shared<64x64xf16, #left>
    tile.copy_tma %am[%c0, %c0], %x : !tile.shared<64x64xf16, #left>
    tile.commit %c[%m] : !tile.channel<2>
  }
  tile.return
}

// -----

// Without clusters all stays as it is.

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: last
tile.kernel @alone(%A: !tile.ptr<f16>, %M: index, %K: index) attributes {num_warps = 4 : i32, copy_warps = 1 : i32} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x64x64xf16, #left>
  %bars = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<2x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #left> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  tile.roles main {
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %i = tile.program_id 0
    %row = arith.muli %i, %c64 : index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %y = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #left>
      tile.copy_tma %am[%row, %k], %y : !tile.shared<64x64xf16, #left>
      tile.commit %c[%n] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}
