// RUN: tile-opt %s | tile-opt | FileCheck %s

#room = #tile.shared_layout<32x64, pad 56 every 64>
#wide = #tile.shared_layout<128x64, pad 80 every 64>

// CHECK-LABEL: tile.kernel @move
tile.kernel @move(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #room>
  // CHECK: copy_rows %{{.*}}[%{{.*}}, %{{.*}}], %[[S:.*]] : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8
  tile.copy_rows %a[%c0, %M], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8, #room>
  // CHECK: copy_rows %{{.*}}[%{{.*}}, %{{.*}}] within[%M, %N] of %A : !tile.ptr<i8>, %[[S]] :
  tile.copy_rows %a[%c0, %M] within [%M, %N] of %A : !tile.ptr<i8>, %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8, #room>
  tile.barrier
  // CHECK: store_rows %[[S]] from %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}] {order = array<i64: 1, 0>}
  tile.store_rows %s from %a[%c0, %M], %b[%M, %c0] {order = array<i64: 1, 0>}
      : !tile.shared<32x64xi8, #room>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// CHECK-LABEL: tile.kernel @sectors
tile.kernel @sectors(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %before: i1, %behind: i1) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #wide>
  // CHECK: copy_sectors %{{.*}}[%{{.*}}, %{{.*}}] of %A : !tile.ptr<i8>, %[[S:.*]] if %behind {dim = 0 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8
  tile.copy_sectors %a[%c0, %M] of %A : !tile.ptr<i8>, %s if %behind {dim = 0 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #wide>
  // CHECK: copy_sectors %{{.*}}[%{{.*}}, %{{.*}}] within[%M, %N] of %A : !tile.ptr<i8>, %[[S]] if %behind
  tile.copy_sectors %a[%c0, %M] within [%M, %N] of %A : !tile.ptr<i8>, %s if %behind {dim = 0 : i64}
      : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #wide>
  tile.barrier
  // CHECK: store_sectors %[[S]] from %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}] if %before, %behind {order = array<i64: 1, 0>}
  tile.store_sectors %s from %a[%c0, %M], %b[%M, %c0] if %before, %behind {order = array<i64: 1, 0>}
      : !tile.shared<128x64xi8, #wide>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

#ring = #tile.shared_layout<128x256, pad 66 every 256>

// CHECK-LABEL: tile.kernel @walk
tile.kernel @walk(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %before: i1, %behind: i1) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #ring>
  // CHECK: walk_rows %{{.*}}[%{{.*}}, %{{.*}}] within[%M, %N] of %A : !tile.ptr<i8>, %{{.*}}[%{{.*}}, %{{.*}}] through %[[S:.*]] for %N if %before, %behind {order = array<i64: 1, 0>}
  tile.walk_rows %a[%c0, %c0] within [%M, %N] of %A : !tile.ptr<i8>, %b[%c0, %c0] through %s for %N if %before, %behind {order = array<i64: 1, 0>}
      : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #ring>
  tile.return
}
