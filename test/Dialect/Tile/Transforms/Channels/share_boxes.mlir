// What is the same in all blocks of a cluster these copy together, and nobody's slot is filled before all have read it.

// RUN: tile-opt --split-input-file --tile-share-boxes %s | FileCheck %s
// RUN: tile-opt --split-input-file --tile-share-boxes --tile-lower-mbarriers %s | FileCheck %s --check-prefix=WAITS

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#right = #tile.shared_layout<64x128, bits [c0..2, c3..5+r0..2, r0..5, c6]>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @product
// CHECK: channel %{{.*}} mbarriers %{{.*}} {of_cluster}
// CHECK: } copy {
// The rows of each program are its own.
// CHECK: %[[A:.*]] = tile.tensor_map %{{.*}} {box = array<i64: 64, 64>
// CHECK: %[[B:.*]] = tile.tensor_map %{{.*}} {box = array<i64: 32, 64>
// CHECK: tile.copy_tma %[[A]][%{{.*}}], %{{[^{]*}} : !tile.shared
// CHECK: tile.copy_tma %[[B]][%{{.*}}], %{{.*}} {shared_along = 0 : i64}

// WAITS-LABEL: tile.kernel @product
// WAITS: mbarrier_init %{{.*}} {readers = 16 : i32}
// WAITS-NEXT: cluster_barrier
// WAITS: roles main {
// WAITS: tile.mbarrier_arrive %{{.*}} empty {each_warp, of_cluster}
// WAITS: tile.cluster_barrier
// WAITS-NEXT: } copy {
// WAITS: tile.mbarrier_arrive %{{.*}} full {bytes = 24576 : i64}
// WAITS-NOT: tile.cluster_barrier
tile.kernel @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %N: index, %K: index) attributes {num_warps = 8 : i32, copy_warps = 1 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #left>
  %t = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x64x128xf16, #right>
  %bars = tile.alloc_shared {offset = 73728 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s, %t mbarriers %bars : !tile.shared<3x64x64xf16, #left>, !tile.shared<3x64x128xf16, #right> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %x, %y = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>, !tile.shared<64x128xf16, #right>
      tile.release %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %first = tile.program_id 0
    %place = tile.place_in_cluster 0
    %i = arith.addi %first, %place : index
    %j = tile.program_id 1
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c64 : index
    %a = tile.view %A, shape [%N, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %bm = tile.tensor_map %b {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %x, %y = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>, !tile.shared<64x128xf16, #right>
      tile.copy_tma %am[%row, %k], %x : !tile.shared<64x64xf16, #left>
      tile.copy_tma %bm[%k, %column], %y : !tile.shared<64x128xf16, #right>
      tile.commit %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// The trips hang on the place: one block would wait for what the other one never copies.
// CHECK-LABEL: tile.kernel @other_trips
// CHECK-NOT: of_cluster
// CHECK-NOT: shared_along
// WAITS-LABEL: tile.kernel @other_trips
// WAITS-NOT: tile.cluster_barrier
tile.kernel @other_trips(%A: !tile.ptr<f16>, %N: index, %K: index) attributes {num_warps = 4 : i32, copy_warps = 1 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #left>
  %bars = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16, #left> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %place = tile.place_in_cluster 0
    %end = arith.muli %K, %place : index
    %m = scf.for %k = %c0 to %end step %c64 iter_args(%n = %n0) -> (i32) {
      %x = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>
      tile.release %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %place = tile.place_in_cluster 0
    %end = arith.muli %K, %place : index
    %a = tile.view %A, shape [%N, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %m = scf.for %k = %c0 to %end step %c64 iter_args(%n = %n0) -> (i32) {
      %x = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>
      tile.copy_tma %am[%c0, %k], %x : !tile.shared<64x64xf16, #left>
      tile.commit %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// -----

#left = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// Along the second axis, of four blocks.
// CHECK-LABEL: tile.kernel @second
// CHECK: {shared_along = 1 : i64}
// WAITS-LABEL: tile.kernel @second
// WAITS: mbarrier_init %{{.*}} {readers = 16 : i32}
tile.kernel @second(%A: !tile.ptr<f16>, %N: index, %K: index) attributes {num_warps = 4 : i32, copy_warps = 1 : i32, tile.cluster_programs = array<i32: 2, 2, 1>} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #left>
  %bars = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16, #left> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %x = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>
      tile.release %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %place = tile.place_in_cluster 0
    %row = arith.muli %place, %c64 : index
    %a = tile.view %A, shape [%N, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %am = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %x = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #left>
      tile.copy_tma %am[%row, %k], %x : !tile.shared<64x64xf16, #left>
      tile.commit %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}
