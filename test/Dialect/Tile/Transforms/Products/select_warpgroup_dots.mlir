// Products for which wgmma was chosen, and whose operands lie in shared memory, are multiplied there.

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
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
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
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// The left operand may be in registers, as that is which is overwritten between its load and the product.
// CHECK-LABEL: tile.kernel @overwritten
// CHECK: %[[B:.*]] = alloc_shared : !tile.shared<16x32xf16>
// CHECK: %[[LOADED:.*]] = local_load
// CHECK: local_store
// CHECK: warpgroup_dot %[[LOADED]], %[[B]], %{{.*}} : tensor<64x16xf16, #{{.*}}>, !tile.shared<16x32xf16>, tensor<64x32xf32, #{{.*}}>
tile.kernel @overwritten(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %new = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  tile.local_store %new, %sa : tensor<64x16xf16, #left>, !tile.shared<64x16xf16>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// So may be what no shared tile has.
// CHECK-LABEL: tile.kernel @registers
// CHECK: %[[A:.*]] = splat {{.*}} tensor<64x16xf16
// CHECK-NOT: local_load
// CHECK: warpgroup_dot %[[A]], %{{.*}} : tensor<64x16xf16, #{{.*}}>, !tile.shared<16x32xf16>
tile.kernel @registers(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// A tile that has its layout keeps it.
// CHECK-LABEL: tile.kernel @placed
// CHECK: %[[LOADED:.*]] = local_load {{.*}} !tile.shared<64x16xf16, #
// CHECK: warpgroup_dot %[[LOADED]], %{{.*}} : tensor<64x16xf16
tile.kernel @placed(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16, #tile.shared_layout<64x16>>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16, #tile.shared_layout<64x16>> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// A layout that wgmma has too is no choice of wgmma.
// CHECK-LABEL: tile.kernel @not_chosen
// CHECK: dot %{{[^:{]*}} :
// CHECK-NOT: warpgroup_dot
tile.kernel @not_chosen(%x: f32, %h: f16) {
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

// A tile that is written before a loop, and not in it, is read where it lies.
// CHECK-LABEL: tile.kernel @invariant
// CHECK: %[[A:.*]] = alloc_shared
// CHECK-NOT: local_load
// CHECK: scf.for
// CHECK: warpgroup_dot %[[A]],
tile.kernel @invariant(%x: f32, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %new = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  tile.local_store %new, %sa : tensor<64x16xf16, #left>, !tile.shared<64x16xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %c) -> tensor<64x32xf32, #sums> {
    %sb = tile.alloc_shared : !tile.shared<16x32xf16>
    %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
    %d = tile.dot %ta, %tb, %acc by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
    scf.yield %d : tensor<64x32xf32, #sums>
  }
  // What comes after all products does not matter.
  tile.local_store %new, %sa : tensor<64x16xf16, #left>, !tile.shared<64x16xf16>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// One that the loop writes is not: the second product has what was loaded before the loop.
// CHECK-LABEL: tile.kernel @written_in_loop
// CHECK: %[[LOADED:.*]] = local_load
// CHECK: scf.for
// CHECK: warpgroup_dot %[[LOADED]], %{{.*}} : tensor<64x16xf16
tile.kernel @written_in_loop(%x: f32, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %new = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %c) -> tensor<64x32xf32, #sums> {
    %sb = tile.alloc_shared : !tile.shared<16x32xf16>
    %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
    %d = tile.dot %ta, %tb, %acc by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
    tile.local_store %new, %sa : tensor<64x16xf16, #left>, !tile.shared<64x16xf16>
    scf.yield %d : tensor<64x32xf32, #sums>
  }
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// What other ops use stays loaded; two products may read one tile.
// CHECK-LABEL: tile.kernel @shared_operand
// CHECK: %[[A:.*]] = alloc_shared
// CHECK: %[[LOADED:.*]] = local_load %[[A]]
// CHECK: warpgroup_dot %[[A]],
// CHECK: warpgroup_dot %[[A]],
// CHECK: arith.addf %[[LOADED]]
tile.kernel @shared_operand(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb {matrix} : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  %e = tile.dot %ta, %tb, %d by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  %u = arith.addf %ta, %ta : tensor<64x16xf16, #left>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// A slot of a channel is read where it lies until it is released.
// CHECK-LABEL: tile.kernel @slot
// CHECK: %[[R:.*]]:2 = wait
// CHECK-NOT: local_load
// CHECK: warpgroup_dot %[[R]]#0, %[[R]]#1,
// CHECK: release
// CHECK: %[[Q:.*]]:2 = wait
// CHECK: local_load %[[Q]]#0
// CHECK: release
// CHECK: dot {{.*}} {tile.engine_reason = "operand B lies in a shared tile that is overwritten before the product"}
tile.kernel @slot(%x: f32, %n: i32, %m: i32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<3x16x32xf16>
  %ch = tile.channel %sa, %sb : !tile.shared<3x64x16xf16>, !tile.shared<3x16x32xf16> -> !tile.channel<3>
  %ra, %rb = tile.wait %ch[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x32xf16>
  %ta = tile.local_load %ra : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %rb : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.release %ch[%n] : !tile.channel<3>
  %qa, %qb = tile.wait %ch[%m] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x32xf16>
  %ua = tile.local_load %qa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %ub = tile.local_load %qb : !tile.shared<16x32xf16> -> tensor<16x32xf16, #right>
  tile.release %ch[%m] : !tile.channel<3>
  %e = tile.dot %ua, %ub, %d by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// The right one may not.
// CHECK-LABEL: tile.kernel @right_in_registers
// CHECK: dot {{.*}} by mma.sync {tile.engine_reason = "operand B is made in registers, and wgmma reads shared memory"}
// CHECK-NOT: warpgroup_dot
tile.kernel @right_in_registers(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.splat %h : f16 -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,4] warp*4>

// CHECK-LABEL: tile.kernel @right_placed
// CHECK: dot {{.*}} by mma.sync {tile.engine_reason = "operand B lies in a shared tile whose layout is given"}
// CHECK-NOT: warpgroup_dot
tile.kernel @right_placed(%x: f32, %h: f16) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16, #tile.shared_layout<16x32>>
  %ta = tile.local_load %sa : !tile.shared<64x16xf16> -> tensor<64x16xf16, #left>
  %tb = tile.local_load %sb : !tile.shared<16x32xf16, #tile.shared_layout<16x32>> -> tensor<16x32xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x32xf16, #right>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[1,2] warp[4,1]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp*2 warp[4,1]>
#right = #tile.register_layout<register[2,1] lane[4,1] register[2,1] lane[1,8] register[1,4] warp[1,2] warp*4>

// A warpgroup has all columns of its rows.
// CHECK-LABEL: tile.kernel @sums_of_others
// CHECK: dot {{.*}} by mma.sync {tile.engine_reason = "the accumulators have a layout that wgmma does not have"}
// CHECK-NOT: warpgroup_dot
tile.kernel @sums_of_others(%x: f32, %h: f16) attributes {num_warps = 8 : i32} {
  %c = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %ta = tile.splat %h : f16 -> tensor<64x16xf16, #left>
  %tb = tile.splat %h : f16 -> tensor<16x64xf16, #right>
  %d = tile.dot %ta, %tb, %c by wgmma : tensor<64x16xf16, #left>, tensor<16x64xf16, #right>, tensor<64x64xf32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,4] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#right = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] register[4,1] register[1,4] warp*4>

// Bytes of B that do not lie along K: threads turn them, from the tile to which they were copied to another one.
// CHECK-LABEL: tile.kernel @turned
// CHECK: %[[A:.*]] = alloc_shared : !tile.shared<64x64xi8>
// CHECK: %[[B:.*]] = alloc_shared : !tile.shared<64x32xi8>
// CHECK: %[[READ:.*]] = local_load %[[B]] : !tile.shared<64x32xi8> -> tensor<64x32xi8, #tile.register_layout<register[16,4] lane[4,2] lane[1,4] warp*4>>
// CHECK: %[[TURNED:.*]] = alloc_shared : !tile.shared<64x32xi8>
// CHECK: local_store %[[READ]], %[[TURNED]]
// CHECK-NOT: local_load
// CHECK: warpgroup_dot %[[A]], %[[TURNED]], %{{.*}} {tile.turned = array<i64: 1>}
tile.kernel @turned(%x: i32) {
  %c = tile.splat %x : i32 -> tensor<64x32xi32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x64xi8>
  %sb = tile.alloc_shared : !tile.shared<64x32xi8>
  %ta = tile.local_load %sa : !tile.shared<64x64xi8> -> tensor<64x64xi8, #left>
  %tb = tile.local_load %sb : !tile.shared<64x32xi8> -> tensor<64x32xi8, #right>
  %d = tile.dot %ta, %tb, %c by wgmma {tile.turned = array<i64: 1>} : tensor<64x64xi8, #left>, tensor<64x32xi8, #right>, tensor<64x32xi32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#left = #tile.register_layout<register[1,4] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#right = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] register[4,1] register[1,4] warp*4>

// Those of A are read to registers, where they are what wgmma wants.
// CHECK-LABEL: tile.kernel @left_turned
// CHECK: %[[B:.*]] = alloc_shared : !tile.shared<64x32xf8E5M2>
// CHECK: %[[LEFT:.*]] = local_load {{.*}} -> tensor<64x64xf8E4M3FN, #{{.*}}>
// CHECK-NOT: local_store
// CHECK: warpgroup_dot %[[LEFT]], %[[B]], %{{.*}} {imprecise = 64 : i64, tile.turned = array<i64: 0>}
tile.kernel @left_turned(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x64xf8E4M3FN>
  %sb = tile.alloc_shared : !tile.shared<64x32xf8E5M2>
  %ta = tile.local_load %sa : !tile.shared<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN, #left>
  %tb = tile.local_load %sb : !tile.shared<64x32xf8E5M2> -> tensor<64x32xf8E5M2, #right>
  %d = tile.dot %ta, %tb, %c imprecise 64 by wgmma {tile.turned = array<i64: 0>} : tensor<64x64xf8E4M3FN, #left>, tensor<64x32xf8E5M2, #right>, tensor<64x32xf32, #sums>
  tile.return
}
