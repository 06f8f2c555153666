// Products whose operands lie in shared memory anyway are multiplied there.

// RUN: tile-opt --tile-select-warpgroup-dots --split-input-file %s | FileCheck %s

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// CHECK-LABEL: tile.kernel @both
// CHECK: %[[A:.*]] = alloc_shared : !tile.shared<64x16xf16>
// CHECK: %[[B:.*]] = alloc_shared : !tile.shared<16x32xf16>
// CHECK-NOT: local_load
// CHECK: warpgroup_dot %[[A]], %[[B]], %{{.*}} : !tile.shared<64x16xf16>, !tile.shared<16x32xf16>, tensor<64x32xf32, #{{.*}}>
tile.kernel @both(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// A tile that is stored as K x M is read as it lies.
// CHECK-LABEL: tile.kernel @transposed
// CHECK-NOT: trans
// CHECK: warpgroup_dot {{.*}} {a_transposed} : !tile.shared<16x64xf16>, !tile.shared<16x32xf16>
tile.kernel @transposed(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<16x64xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %tk = tile.local_load %sa : !tile.shared<16x64xf16> -> tensor<16x64xf16, #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,2] warp[1,4]>>
  %ta = tile.trans %tk [1, 0] : tensor<16x64xf16, #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,2] warp[1,4]>> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// What is overwritten between its load and the product is in registers.
// CHECK-LABEL: tile.kernel @overwritten
// CHECK: local_store
// CHECK: dot %
// CHECK-NOT: warpgroup_dot
tile.kernel @overwritten(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %new = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  tile.local_store %new, %sa : tensor<64x16xf16, #left>, !tile.shared<64x16xf16>
  %d = tile.dot %ta, %tb, %c : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// So is what no shared tile has.
// CHECK-LABEL: tile.kernel @registers
// CHECK: local_load
// CHECK: dot %
// CHECK-NOT: warpgroup_dot
tile.kernel @registers(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// A tile that has its layout keeps it.
// CHECK-LABEL: tile.kernel @placed
// CHECK-NOT: warpgroup_dot
tile.kernel @placed(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16, #tile.shared_layout<64x16>>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16, #tile.shared_layout<64x16>> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}
