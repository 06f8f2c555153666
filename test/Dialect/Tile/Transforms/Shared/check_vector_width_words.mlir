// Rows of elements of one or two bytes that begin anywhere and have all columns, by words.

// RUN: tile-opt --tile-check-vector-width --split-input-file %s 2>/dev/null | FileCheck %s

#rows = #tile.register_layout<register[1,4] lane[1,32] register[1,4] warp[4,1]>
// CHECK-LABEL: tile.kernel @views
// CHECK: load_view {{.*}} {tile.by_words = 1 : i64, vector_width = 1 : i64}
// CHECK: store_view {{.*}} {tile.by_words = 1 : i64, vector_width = 1 : i64}
tile.kernel @views(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, 512], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x512xi8, [?, 1]>
  %b = tile.view %B, shape [%M, 512], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x512xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x512xi8, [?, 1]> -> tensor<4x512xi8, #rows>
  tile.store_view %t, %b[%c0, %c0] : tensor<4x512xi8, #rows>, !tile.view<?x512xi8, [?, 1]>
  tile.return
}

// -----

// Pointers that count down, by numbers of 32 bits.
#rows = #tile.register_layout<register[1,2] lane[1,32] register[1,8] warp[4,1]>
// CHECK-LABEL: tile.kernel @down
// CHECK: load {{.*}} {tile.by_words = -1 : i64, vector_width = 1 : i64}
tile.kernel @down(%A: !tile.ptr<f16>, %N: i32) {
  %i = tile.iota 0 : tensor<512xi32, #tile.register_layout<register[2] lane[32] register[8] warp*4>>
  %e = tile.expand_dims %i {axis = 0 : i32} : tensor<512xi32, #tile.register_layout<register[2] lane[32] register[8] warp*4>> -> tensor<1x512xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,8] warp*4>>
  %n = tile.splat %N : i32 -> tensor<1x512xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,8] warp*4>>
  %d = arith.subi %n, %e : tensor<1x512xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,8] warp*4>>
  %o = tile.broadcast %d : tensor<1x512xi32, #tile.register_layout<register[1,2] lane[1,32] register[1,8] warp*4>> -> tensor<4x512xi32, #rows>
  %p = tile.splat %A : !tile.ptr<f16> -> tensor<4x512x!tile.ptr<f16>, #rows>
  %q = tile.addptr %p, %o : tensor<4x512x!tile.ptr<f16>, #rows>, tensor<4x512xi32, #rows>
  %t = tile.load %q : tensor<4x512x!tile.ptr<f16>, #rows>
  tile.return
}

// -----

// Rows of vectors have no need of it; layouts without words, elements that are
// words, rows of one word a lane, and rows that may end in the tile cannot be
// moved so.
#rows = #tile.register_layout<register[1,4] lane[1,32] register[1,4] warp[4,1]>
#alone = #tile.register_layout<lane[1,32] register[1,16] warp[4,1]>
#short = #tile.register_layout<register[1,4] lane[1,32] warp[4,1]>
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT: tile.by_words
tile.kernel @others(%A: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %B: !tile.ptr<i8>, %C: !tile.ptr<f32>, %M: index, %N: index, %V: index {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, 512], strides [%V, 1] : !tile.ptr<i8> -> !tile.view<?x512xi8, [?, 1]>
  %b = tile.view %B, shape [%M, 512], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x512xi8, [?, 1]>
  %c = tile.view %C, shape [%M, 512], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x512xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x512xi8, [?, 1]> -> tensor<4x512xi8, #rows>
  %u = tile.load_view %b[%c0, %c0] : !tile.view<?x512xi8, [?, 1]> -> tensor<4x512xi8, #alone>
  %v = tile.load_view %b[%c0, %c0] : !tile.view<?x512xi8, [?, 1]> -> tensor<4x128xi8, #short>
  %d = tile.view %B, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %x = tile.load_view %d[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<4x512xi8, #rows>
  %w = tile.load_view %c[%c0, %c0] : !tile.view<?x512xf32, [?, 1]> -> tensor<4x512xf32, #rows>
  tile.return
}
