// What a product of warpgroups reads where it lies has a layout of the hardware, whatever is asked for.

// RUN: tile-opt --tile-assign-shared-layouts --split-input-file %s 2>/dev/null | FileCheck %s
// RUN: tile-opt --tile-assign-shared-layouts=layout=none --split-input-file %s 2>/dev/null | FileCheck %s

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>

// Rows of 128 bytes, written without conflicts.
// CHECK-LABEL: tile.kernel @halves
// CHECK: alloc_shared {tile.layout_reason = "128B costs {{.*}} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
// CHECK: warpgroup_dot
tile.kernel @halves(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %h : f16 -> tensor<64x64xf16, #rows>
  %sa = tile.alloc_shared : !tile.shared<64x64xf16>
  %sb = tile.alloc_shared : !tile.shared<64x32xf16>
  tile.local_store %t, %sa : tensor<64x64xf16, #rows>, !tile.shared<64x64xf16>
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>

// Rows of bytes go along K: of b, down its columns.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: alloc_shared {{.*}} : !tile.shared<64x64xi8, #tile.shared_layout<64x64, swizzle<2,4,3>>>
// CHECK: alloc_shared {{.*}} : !tile.shared<64x32xi8, #tile.shared_layout<64x32, order [0,1], swizzle<2,4,3>>>
tile.kernel @bytes(%i: i32) {
  %c = tile.splat %i : i32 -> tensor<64x32xi32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x64xi8>
  %sb = tile.alloc_shared : !tile.shared<64x32xi8>
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x64xi8>, !tile.shared<64x32xi8>, tensor<64x32xi32, #sums>
  tile.return
}
