// RUN: tile-opt %s | tile-opt | FileCheck %s

#room = #tile.shared_layout<32x64, pad 56 every 64>

// CHECK-LABEL: tile.kernel @move
tile.kernel @move(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #room>
  // CHECK: copy_rows %{{.*}}[%{{.*}}, %{{.*}}], %[[S:.*]] : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8
  tile.copy_rows %a[%c0, %M], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8, #room>
  tile.barrier
  // CHECK: store_rows %[[S]] from %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}] {order = array<i64: 1, 0>}
  tile.store_rows %s from %a[%c0, %M], %b[%M, %c0] {order = array<i64: 1, 0>}
      : !tile.shared<32x64xi8, #room>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
