// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // CHECK: copy_row %X, %n, %[[S:.*]] : <f16>, !tile.shared<1x64xf16
  tile.copy_row %X, %n, %s : !tile.ptr<f16>, !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // CHECK: %[[E:.*]] = load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  // CHECK: load_row %[[S]] from %X ends %[[E]] count %n {least = 3 : i64} : {{.*}}, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x64xf16>
  %x = tile.load_row %s from %X ends %e count %n {least = 3 : i64} : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x64xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @store
tile.kernel @store(%Y: !tile.ptr<f16>, %n: index, %x: f16) {
  %row = tile.splat %x : f16 -> tensor<1x64xf16>
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // CHECK: place_row %{{.*}}, %[[S:.*]], %Y : tensor<1x64xf16>, !tile.shared<1x64xf16{{.*}}, !tile.ptr<f16>
  tile.place_row %row, %s, %Y : tensor<1x64xf16>, !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>
  // CHECK: store_row %[[S]], %Y, %n : !tile.shared<1x64xf16{{.*}}, !tile.ptr<f16>
  tile.store_row %s, %Y, %n : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>
  tile.return
}

// CHECK-LABEL: tile.kernel @runs
tile.kernel @runs(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // CHECK: load_run %{{.*}} mask %{{.*}}, %{{.*}} else %{{.*}} count %n through %[[S:.*]] {most = 33 : i64} : {{.*}} -> tensor<4x64xf16
  %y = tile.load_run %ps mask %m, %m else %x count %n through %s {most = 33 : i64} : tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>> -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  // CHECK: store_run %{{.*}}, %{{.*}} mask %{{.*}}, %{{.*}} count %n through %[[S]] {most = 33 : i64}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 33 : i64} : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}
