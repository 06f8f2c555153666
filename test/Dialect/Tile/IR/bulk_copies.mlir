// RUN: tile-opt %s | tile-opt | FileCheck %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>

// CHECK-LABEL: tile.kernel @roles
// CHECK-SAME: copy_warps = 1 : i32
tile.kernel @roles(%A: !tile.ptr<f16>, %M: index, %K: i32) attributes {num_warps = 4 : i32, copy_warps = 1} {
  %k = arith.index_cast %K : i32 to index
  %size = arith.muli %M, %k : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  // CHECK: %[[S:.*]] = alloc_shared
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  // CHECK: %[[BARS:.*]] = alloc_shared : !tile.shared<2x2xi64
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  // CHECK: channel %[[S]] mbarriers %[[BARS]] : {{.*}} mbarriers !tile.shared<2x2xi64
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  // CHECK: roles main {
  tile.roles main {
    %r = tile.wait %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    // CHECK: barrier {warps = 4 : i32}
    tile.barrier {warps = 4 : i32}
    tile.release %c[%n0] : !tile.channel<2>
  // CHECK: } copy {
  } copy {
    %a = tile.view %A, shape [%size, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    // CHECK: %[[MAP:.*]] = tile.tensor_map %{{.*}} {box = array<i64: 64, 64>, row_bytes = 128 : i64}
    %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    // CHECK: prefetch_tma %[[MAP]][%{{.*}}, %{{.*}}]
    tile.prefetch_tma %map[%c0, %c0]
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    // CHECK: copy_tma %[[MAP]][%{{.*}}, %{{.*}}], %{{.*}} : !tile.shared<64x64xf16
    tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
  }
  tile.return
}

// A map that copies move, as its base hangs on the program.
// CHECK-LABEL: tile.kernel @moved
tile.kernel @moved(%A: !tile.ptr<f16>, %M: index, %K: index, %by: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // CHECK: %[[MAP:.*]] = tensor_map %{{.*}} {box = array<i64: 64, 64>, moves, row_bytes = 128 : i64}
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64, moves} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
  // CHECK: copy_tma %[[MAP]][%{{.*}}, %{{.*}}] moved by %{{.*}}, %{{.*}} : !tile.shared<64x64xf16
  tile.copy_tma %map[%c0, %c0] moved by %by, %s : !tile.shared<64x64xf16, #slot>
  // CHECK: store_tma %{{.*}}, %[[MAP]][%{{.*}}, %{{.*}}] moved by %{{.*}} : !tile.shared<64x64xf16
  tile.store_tma %s, %map[%c0, %c0] moved by %by : !tile.shared<64x64xf16, #slot>
  // CHECK: one_thread {
  // CHECK-NEXT: tile.store_tma_wait
  // CHECK-NEXT: }
  tile.one_thread {
    tile.store_tma_wait
  }
  tile.return
}

// Some rows, of which the mbarrier counts less.
// CHECK-LABEL: tile.kernel @some_rows
tile.kernel @some_rows(%A: !tile.ptr<f16>, %M: index, %K: index, %n: i32, %less: i32) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  // CHECK: %[[LAST:.*]] = tensor_map %{{.*}} {box = array<i64: 64, 64>, last, row_bytes = 128 : i64}
  %last = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64, last} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
  %bar = tile.alloc_shared : !tile.shared<2xi64, #pair>
  // CHECK: mbarrier_arrive %{{.*}} full less %{{.*}} {bytes = 8192 : i64}
  tile.mbarrier_arrive %bar full less %less {bytes = 8192 : i64} : !tile.shared<2xi64, #pair>
  // CHECK: copy_tma %{{.*}}[%{{.*}}, %{{.*}}] rows %{{.*}} by %[[LAST]], %{{.*}} on %{{.*}} : !tile.shared<64x64xf16
  tile.copy_tma %map[%M, %c0] rows %n by %last, %s on %bar : !tile.shared<64x64xf16, #slot> on !tile.shared<2xi64, #pair>
  tile.return
}

// What hand-overs become.
// CHECK-LABEL: tile.kernel @mbarriers
tile.kernel @mbarriers(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  // CHECK: mbarrier_init %{{.*}} {readers = 8 : i32} : !tile.shared<2x2xi64
  tile.mbarrier_init %bars {readers = 8 : i32} : !tile.shared<2x2xi64, #pair>
  %bar = tile.subview %bars[%c0] : !tile.shared<2x2xi64, #pair> -> !tile.shared<2xi64, #pair>
  // CHECK: mbarrier_arrive %[[BAR:.*]] full {bytes = 8192 : i64} : !tile.shared<2xi64
  tile.mbarrier_arrive %bar full {bytes = 8192 : i64} : !tile.shared<2xi64, #pair>
  // CHECK: copy_tma %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} on %[[BAR]] : !tile.shared<64x64xf16, {{.*}}> on !tile.shared<2xi64
  tile.copy_tma %map[%c0, %c0], %s on %bar : !tile.shared<64x64xf16, #slot> on !tile.shared<2xi64, #pair>
  // CHECK: mbarrier_wait %[[BAR]] full, %{{.*}} : !tile.shared<2xi64
  tile.mbarrier_wait %bar full, %yes : !tile.shared<2xi64, #pair>
  // CHECK: mbarrier_arrive %[[BAR]] empty if %{{.*}} {each_warp}
  tile.mbarrier_arrive %bar empty if %yes {each_warp} : !tile.shared<2xi64, #pair>
  tile.return
}

// Stores of shared tiles.
// CHECK-LABEL: tile.kernel @stores
tile.kernel @stores(%C: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
  // CHECK: store_tma %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : !tile.shared<64x64xf16
  tile.store_tma %s, %map[%c0, %M] : !tile.shared<64x64xf16, #slot>
  // CHECK: store_tma_wait {read}
  tile.store_tma_wait {read}
  // CHECK: store_tma_wait{{$}}
  tile.store_tma_wait
  tile.return
}

// CHECK-LABEL: tile.kernel @registers
// CHECK: } {blocks = 2 : i32, copy_registers = 40 : i32, main_registers = 216 : i32}
tile.kernel @registers() attributes {copy_warps = 4 : i32} {
  tile.roles main {
  } copy {
  } {main_registers = 216 : i32, copy_registers = 40 : i32, blocks = 2 : i32}
  tile.return
}
