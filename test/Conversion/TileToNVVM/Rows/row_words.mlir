// Rows that begin anywhere: words of memory by the lanes of a warp, and single elements at the ends.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

#rows = #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp[4,1]>

// CHECK-LABEL: llvm.func @views
// Two words of memory, and an element at an end of the row for some lanes.
// CHECK-COUNT-2: ld.global.b32
// CHECK: ld.global.b16
// What of a word is in the next one.
// CHECK: nvvm.shfl.sync idx
// CHECK: shf.r.wrap.b32
// CHECK: nvvm.shfl.sync idx
// CHECK: shf.r.wrap.b32
// CHECK: nvvm.redux.sync or
// CHECK: nvvm.shfl.sync idx
// CHECK: shf.l.wrap.b32
// CHECK: st.global.b32
// CHECK: nvvm.shfl.sync idx
// CHECK: shf.l.wrap.b32
// CHECK: st.global.b32
// CHECK: nvvm.shfl.sync idx
// CHECK: st.global.b16
// CHECK-NOT: st.global
tile.kernel @views(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, 128], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x128xf16, [?, 1]>
  %b = tile.view %B, shape [%M, 128], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x128xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] {tile.by_words = 1 : i64, vector_width = 1 : i64} : !tile.view<?x128xf16, [?, 1]> -> tensor<4x128xf16, #rows>
  tile.store_view %t, %b[%c0, %c0] {tile.by_words = 1 : i64, vector_width = 1 : i64} : tensor<4x128xf16, #rows>, !tile.view<?x128xf16, [?, 1]>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp[4,1]>

// Pointers may leave their order: all lanes agree that they do not. Of a row
// that goes down, the last lane has what is first in memory.
// CHECK-LABEL: llvm.func @down
// CHECK: %[[PLACE:.*]] = arith.subi %c31_i32, %{{.*}} : i32
// CHECK-COUNT-2: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %c31_i32, %c31_i32
// CHECK: %[[IS_PIECE:.*]] = nvvm.vote.sync all
// CHECK: scf.if %[[IS_PIECE]] -> (i32, i32)
// CHECK: ld.global.b32
// CHECK: llvm.load {{.*}} -> i32
// CHECK: ld.global.b16
// CHECK: } else {
// CHECK-COUNT-4: llvm.load {{.*}} -> i16
tile.kernel @down(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %N: i32) {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<128xi32, #tile.register_layout<register[2] lane[32] register[2] warp*4>>
  %e = tile.expand_dims %i {axis = 0 : i32} : tensor<128xi32, #tile.register_layout<register[2] lane[32] register[2] warp*4>> -> tensor<1x128xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp*4>>
  %n = tile.splat %N : i32 -> tensor<1x128xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp*4>>
  %d = arith.subi %n, %e : tensor<1x128xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp*4>>
  %o = tile.broadcast %d : tensor<1x128xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp*4>> -> tensor<4x128xi32, #rows>
  %p = tile.splat %A : !tile.ptr<f16> -> tensor<4x128x!tile.ptr<f16>, #rows>
  %q = tile.addptr %p, %o : tensor<4x128x!tile.ptr<f16>, #rows>, tensor<4x128xi32, #rows>
  %t = tile.load %q {tile.by_words = -1 : i64, vector_width = 1 : i64} : tensor<4x128x!tile.ptr<f16>, #rows>
  %b = tile.view %B, shape [4, 128], strides [128, 1] : !tile.ptr<f16> -> !tile.view<4x128xf16, [128, 1]>
  tile.store_view %t, %b[%c0, %c0] {vector_width = 1 : i64} : tensor<4x128xf16, #rows>, !tile.view<4x128xf16, [128, 1]>
  tile.return
}
