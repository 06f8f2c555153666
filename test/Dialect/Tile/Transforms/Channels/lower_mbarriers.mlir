// Hand-overs as waits and arrivals. A place, n mod 2s, gives slot and parity.

// RUN: tile-opt --tile-lower-mbarriers %s | FileCheck %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @roles
// CHECK: %[[S:.*]] = alloc_shared
// CHECK: %[[BARS:.*]] = alloc_shared
// CHECK-NEXT: mbarrier_init %[[BARS]] {readers = 8 : i32}
// CHECK-NEXT: barrier{{$}}
// CHECK: roles main {
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[PLACE:arg[0-9]+]] = %{{.*}}, %[[BEFORE:arg[0-9]+]] = %{{.*}}) ->
// CHECK: %[[AT:.*]] = arith.index_castui %[[PLACE]] : i32 to index
// CHECK: %[[ODD:.*]] = arith.cmpi uge, %[[AT]], %{{.*}} : index
// CHECK: %[[SLOT:.*]] = arith.select %[[ODD]], %{{.*}}, %[[AT]] : index
// CHECK: %[[BAR:.*]] = tile.subview %[[BARS]][%[[SLOT]]]
// CHECK-NEXT: tile.mbarrier_wait %[[BAR]] full, %[[ODD]]
// Hand-over -1 releases nothing.
// CHECK: %[[EXISTS:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: tile.mbarrier_arrive %{{.*}} empty if %[[EXISTS]] {each_warp}
// CHECK: } copy {
// CHECK: scf.for
// An mbarrier that is new has left odd phases behind it.
// CHECK: %[[EVEN:.*]] = arith.xori %[[PARITY:.*]], %{{.*}} : i1
// CHECK-NEXT: tile.mbarrier_wait %[[TO:.*]] empty, %[[EVEN]]
// CHECK-NEXT: tile.mbarrier_arrive %[[TO]] full {bytes = 8192 : i64}
// CHECK: tile.copy_tma %{{.*}}, %{{.*}} on %[[TO]]
// CHECK-NOT: commit
tile.kernel @roles(%A: !tile.ptr<f16>, %M: index, %K: index) attributes {num_warps = 8 : i32, copy_warps = 1 : i32} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  tile.roles main {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %before = arith.constant -1 : i32
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
      %last = arith.addi %n, %before : i32
      tile.release %c[%last] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    %last = arith.addi %m, %before : i32
    tile.release %c[%last] : !tile.channel<3>
  } copy {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
      %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %map[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
  }
  tile.return
}

// Without a role that copies one of the threads that compute does, with the scalars that only it needs.
// CHECK-LABEL: tile.kernel @one_thread
// CHECK: scf.for %[[K:arg[0-9]+]] = %{{.*}} to
// CHECK-NOT: arith.divui
// CHECK: tile.one_thread {
// CHECK: %[[AT:.*]] = arith.divui %[[K]]
// CHECK: tile.mbarrier_wait %[[TO:.*]] empty, %{{.*}}
// CHECK-NEXT: tile.mbarrier_arrive %[[TO]] full {bytes = 8192 : i64}
// CHECK-NEXT: tile.copy_tma %{{.*}}[%{{.*}}, %[[AT]]], %{{.*}} on %[[TO]]
// CHECK-NEXT: }
// CHECK: tile.mbarrier_wait %{{.*}} full
// CHECK: tile.mbarrier_arrive %{{.*}} empty {each_warp}
tile.kernel @one_thread(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %m = scf.for %k = %c0 to %K step %c64 iter_args(%n = %n0) -> (i32) {
    %at = arith.divui %k, %M : index
    %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
    tile.copy_tma %map[%c0, %at], %f : !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n] : !tile.channel<3>
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

// Two channels, of which the first is in use before the second one is there: all threads see the mbarriers of each before they wait. Where both are
// there at once, one barrier is enough.
// CHECK-LABEL: tile.kernel @one_after_the_other
// CHECK: mbarrier_init
// CHECK-NEXT: barrier{{$}}
// CHECK: mbarrier_wait
// CHECK: mbarrier_init
// CHECK-NEXT: barrier{{$}}
// CHECK: mbarrier_wait
tile.kernel @one_after_the_other(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 49152 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
  tile.commit %c[%n0] : !tile.channel<3>
  %r = tile.wait %c[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.release %c[%n0] : !tile.channel<3>
  %s2 = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x64x64xf16, #slot>
  %bars2 = tile.alloc_shared {offset = 49216 : i64} : !tile.shared<3x2xi64, #pair>
  %c2 = tile.channel %s2 mbarriers %bars2 : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  %f2 = tile.acquire %c2[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f2 : !tile.shared<64x64xf16, #slot>
  tile.commit %c2[%n0] : !tile.channel<3>
  %r2 = tile.wait %c2[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.release %c2[%n0] : !tile.channel<3>
  tile.return
}

// CHECK-LABEL: tile.kernel @both_at_once
// CHECK: mbarrier_init
// CHECK-NOT: barrier{{$}}
// CHECK: mbarrier_init
// CHECK-NEXT: barrier{{$}}
// CHECK: mbarrier_wait
tile.kernel @both_at_once(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64x64xf16, #slot>
  %bars = tile.alloc_shared {offset = 49152 : i64} : !tile.shared<3x2xi64, #pair>
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  %s2 = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<3x64x64xf16, #slot>
  %bars2 = tile.alloc_shared {offset = 49216 : i64} : !tile.shared<3x2xi64, #pair>
  %c2 = tile.channel %s2 mbarriers %bars2 : !tile.shared<3x64x64xf16, #slot> mbarriers !tile.shared<3x2xi64, #pair> -> !tile.channel<3>
  %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
  tile.commit %c[%n0] : !tile.channel<3>
  %r = tile.wait %c[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.release %c[%n0] : !tile.channel<3>
  %f2 = tile.acquire %c2[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f2 : !tile.shared<64x64xf16, #slot>
  tile.commit %c2[%n0] : !tile.channel<3>
  %r2 = tile.wait %c2[%n0] : !tile.channel<3> -> !tile.shared<64x64xf16, #slot>
  tile.release %c2[%n0] : !tile.channel<3>
  tile.return
}
