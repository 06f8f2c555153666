// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // CHECK: copy_row %X, %n, %[[S:.*]] of %X : <f16>, !tile.shared<1x64xf16
  tile.copy_row %X, %n, %s of %X : !tile.ptr<f16>, !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>
  // CHECK: load_row %[[S]] from %X : {{.*}} -> tensor<1x64xf16>
  %x = tile.load_row %s from %X : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16> -> tensor<1x64xf16>
  tile.return
}
