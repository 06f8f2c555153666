// Rows of a warp: copied as one run of memory where they are one, element by element where not.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse %s | FileCheck %s

#rows = #tile.register_layout<register[2] lane*32 warp[2]>
#columns = #tile.register_layout<lane[32] register[2] warp*2>
#one = #tile.register_layout<register[2,1] lane*32 warp[2,1]>
#line = #tile.register_layout<lane[1,32] register[1,2] warp*2>
#all = #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>
#padded = #tile.shared_layout<4x64, pad 16 every 64>

// CHECK-LABEL: llvm.func @run
// Both rows of the warp begin where they would in one run, for all lanes.
// CHECK: arith.cmpi eq
// CHECK: %[[IS_ONE:.*]] = nvvm.vote.sync all
// CHECK: scf.if %[[IS_ONE]] -> (f16, f16, f16, f16)
// Pieces of 16 bytes: 2 rows of at most 40 columns are 11 at the most.
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-1: cp.async.cg.shared.global
// CHECK-NOT: cp.async.cg
// An element a lane at both ends.
// CHECK: ld.global.b16
// CHECK: st.shared.b16
// CHECK: cp.async.wait_all
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> i16
// CHECK: } else {
// CHECK-COUNT-4: ld.global.b16
// CHECK: }
// CHECK: nvvm.vote.sync all
// CHECK: scf.if
// CHECK: st.shared.b16
// CHECK: nvvm.bar.warp.sync
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// CHECK: } else {
// CHECK-COUNT-4: st.global.b16
tile.kernel @run(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 37, 40>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>, shared_bytes = 1280 : i64} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x64x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<64xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<64xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32, #columns>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x64xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1, #columns> -> tensor<1x64xi1, #line>
  %inside = tile.broadcast %ie : tensor<1x64xi1, #line> -> tensor<4x64xi1, #all>
  %zeros = arith.constant dense<0.0> : tensor<4x64xf16, #all>
  %count = arith.index_cast %n : i32 to index
  %in_shared = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %x = tile.load_run %ps mask %active, %inside else %zeros count %count through %in_shared {most = 40 : i64} : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded> -> tensor<4x64xf16, #all>
  %out = tile.alloc_shared {offset = 640 : i64} : !tile.shared<4x64xf16, #padded>
  tile.store_run %x, %ps mask %active, %inside count %count through %out {most = 40 : i64} : tensor<4x64xf16, #all>, tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded>
  tile.return
}

// Of a run of at least 37 columns the first 32 are there, and nobody asks; down through memory lanes read from the last one back.
// CHECK-LABEL: llvm.func @turned
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i64 : i64
// CHECK: scf.if
// CHECK: cp.async.wait_all
// CHECK: %[[FROM_LAST:.*]] = arith.subi %[[LAST]], %{{.*}} : i64
// CHECK: arith.trunci %[[FROM_LAST]] : i64 to i32
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i16
// CHECK: } else {
// CHECK: nvvm.vote.sync all
tile.kernel @turned(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 37, 40>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 4, 1, 1>, shared_bytes = 1280 : i64} {
  %i = tile.iota 0 : tensor<4xi64, #rows>
  %l = tile.splat %left : i64 -> tensor<4xi64, #rows>
  %some = arith.cmpi slt, %i, %l : tensor<4xi64, #rows>
  %s = tile.splat %stride : i64 -> tensor<4xi64, #rows>
  %at = arith.muli %i, %s : tensor<4xi64, #rows>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>, #rows>
  %r = tile.addptr %as, %at : tensor<4x!tile.ptr<f16>, #rows>, tensor<4xi64, #rows>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<4x!tile.ptr<f16>, #rows> -> tensor<4x1x!tile.ptr<f16>, #one>
  %ps = tile.broadcast %re : tensor<4x1x!tile.ptr<f16>, #one> -> tensor<4x64x!tile.ptr<f16>, #all>
  %c = tile.iota 0 : tensor<64xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<64xi32, #columns>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32, #columns>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<4xi1, #rows> -> tensor<4x1xi1, #one>
  %active = tile.broadcast %se : tensor<4x1xi1, #one> -> tensor<4x64xi1, #all>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1, #columns> -> tensor<1x64xi1, #line>
  %inside = tile.broadcast %ie : tensor<1x64xi1, #line> -> tensor<4x64xi1, #all>
  %zeros = arith.constant dense<0.0> : tensor<4x64xf16, #all>
  %count = arith.index_cast %n : i32 to index
  %in_shared = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %x = tile.load_run %ps mask %active, %inside else %zeros count %count through %in_shared {least = 37 : i64, most = 40 : i64, reversed} : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded> -> tensor<4x64xf16, #all>
  %out = tile.alloc_shared {offset = 640 : i64} : !tile.shared<4x64xf16, #padded>
  tile.store_run %x, %ps mask %active, %inside count %count through %out {least = 37 : i64, most = 40 : i64} : tensor<4x64xf16, #all>, tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded>
  tile.return
}

// Four lanes share a row of words. If the rows are no run, all of the warp copy one after the other, each with what its lanes know of it, and read it as one of a run.
#rows_of_four = #tile.register_layout<lane*4 lane[8] warp[2]>
#columns_of_four = #tile.register_layout<lane[4] register[16] lane*8 warp*2>
#row_of_four = #tile.register_layout<lane*4 lane[8,1] warp[2,1]>
#line_of_four = #tile.register_layout<lane[1,4] register[1,16] lane*8 warp*2>
#four = #tile.register_layout<lane[1,4] register[1,16] lane[8,1] warp[2,1]>
#padded_rows = #tile.shared_layout<16x64, pad 16 every 256>
// CHECK-LABEL: llvm.func @apart
// CHECK: scf.if
// CHECK: cp.async.wait_all
// CHECK: } else {
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.for
// CHECK-COUNT-3: nvvm.shfl.sync idx
// CHECK-COUNT-8: cp.async.ca.shared.global
// CHECK-NOT: cp.async.ca
// CHECK: cp.async.wait_all
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: ld.global
// CHECK-COUNT-10: ld.shared.b32
// CHECK: }
// CHECK: scf.if
// CHECK: st.global.v4.b32
// CHECK: } else {
// CHECK-NOT: st.global
// CHECK-COUNT-10: st.shared.b32
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.for
// CHECK-COUNT-3: nvvm.shfl.sync idx
// CHECK: ld.shared.b32
// CHECK: st.global.b32
tile.kernel @apart(%A: !tile.ptr<f32>, %stride: i64, %n: i32 {tile.bounds = array<i64: 37, 40>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 16, 1, 1>, shared_bytes = 8576 : i64} {
  %i = tile.iota 0 : tensor<16xi64, #rows_of_four>
  %l = tile.splat %left : i64 -> tensor<16xi64, #rows_of_four>
  %some = arith.cmpi slt, %i, %l : tensor<16xi64, #rows_of_four>
  %s = tile.splat %stride : i64 -> tensor<16xi64, #rows_of_four>
  %at = arith.muli %i, %s : tensor<16xi64, #rows_of_four>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #rows_of_four>
  %r = tile.addptr %as, %at : tensor<16x!tile.ptr<f32>, #rows_of_four>, tensor<16xi64, #rows_of_four>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<16x!tile.ptr<f32>, #rows_of_four> -> tensor<16x1x!tile.ptr<f32>, #row_of_four>
  %ps = tile.broadcast %re : tensor<16x1x!tile.ptr<f32>, #row_of_four> -> tensor<16x64x!tile.ptr<f32>, #four>
  %c = tile.iota 0 : tensor<64xi32, #columns_of_four>
  %end = tile.splat %n : i32 -> tensor<64xi32, #columns_of_four>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32, #columns_of_four>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<16xi1, #rows_of_four> -> tensor<16x1xi1, #row_of_four>
  %active = tile.broadcast %se : tensor<16x1xi1, #row_of_four> -> tensor<16x64xi1, #four>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1, #columns_of_four> -> tensor<1x64xi1, #line_of_four>
  %inside = tile.broadcast %ie : tensor<1x64xi1, #line_of_four> -> tensor<16x64xi1, #four>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #four>
  %count = arith.index_cast %n : i32 to index
  %in_shared = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x64xf32, #padded_rows>
  %x = tile.load_run %ps mask %active, %inside else %zeros count %count through %in_shared {least = 37 : i64, most = 40 : i64} : tensor<16x64x!tile.ptr<f32>, #four>, tensor<16x64xi1, #four>, tensor<16x64xi1, #four>, !tile.shared<16x64xf32, #padded_rows> -> tensor<16x64xf32, #four>
  %out = tile.alloc_shared {offset = 4288 : i64} : !tile.shared<16x64xf32, #padded_rows>
  tile.store_run %x, %ps mask %active, %inside count %count through %out {least = 37 : i64, most = 40 : i64} : tensor<16x64xf32, #four>, tensor<16x64x!tile.ptr<f32>, #four>, tensor<16x64xi1, #four>, tensor<16x64xi1, #four>, !tile.shared<16x64xf32, #padded_rows>
  tile.return
}

// Rows that are known to lie apart are copied by words of memory, one for each of 16 lanes and twice, and halves that fill none by the lanes that begin with them.
// CHECK-LABEL: llvm.func @known_apart
// CHECK-NOT: nvvm.vote
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-2: ld.global.b16
// CHECK-COUNT-8: cp.async.ca.shared.global
// CHECK-COUNT-2: st.shared.b16
// CHECK: cp.async.wait_all
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: ld.global
// CHECK-COUNT-10: ld.shared.b16
// CHECK-COUNT-10: st.shared.b16
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-2: ld.shared.b16
// CHECK-COUNT-8: st.global.b32
// CHECK-COUNT-2: st.global.b16
tile.kernel @known_apart(%A: !tile.ptr<f16>, %stride: i64, %n: i32 {tile.bounds = array<i64: 37, 40>}, %left: i64) attributes {num_warps = 2 : i32, block_programs = array<i32: 16, 1, 1>, shared_bytes = 4288 : i64} {
  %i = tile.iota 0 : tensor<16xi64, #rows_of_four>
  %l = tile.splat %left : i64 -> tensor<16xi64, #rows_of_four>
  %some = arith.cmpi slt, %i, %l : tensor<16xi64, #rows_of_four>
  %s = tile.splat %stride : i64 -> tensor<16xi64, #rows_of_four>
  %at = arith.muli %i, %s : tensor<16xi64, #rows_of_four>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>, #rows_of_four>
  %r = tile.addptr %as, %at : tensor<16x!tile.ptr<f16>, #rows_of_four>, tensor<16xi64, #rows_of_four>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<16x!tile.ptr<f16>, #rows_of_four> -> tensor<16x1x!tile.ptr<f16>, #row_of_four>
  %ps = tile.broadcast %re : tensor<16x1x!tile.ptr<f16>, #row_of_four> -> tensor<16x64x!tile.ptr<f16>, #four>
  %c = tile.iota 0 : tensor<64xi32, #columns_of_four>
  %end = tile.splat %n : i32 -> tensor<64xi32, #columns_of_four>
  %in = arith.cmpi slt, %c, %end : tensor<64xi32, #columns_of_four>
  %se = tile.expand_dims %some {axis = 1 : i32} : tensor<16xi1, #rows_of_four> -> tensor<16x1xi1, #row_of_four>
  %active = tile.broadcast %se : tensor<16x1xi1, #row_of_four> -> tensor<16x64xi1, #four>
  %ie = tile.expand_dims %in {axis = 0 : i32} : tensor<64xi1, #columns_of_four> -> tensor<1x64xi1, #line_of_four>
  %inside = tile.broadcast %ie : tensor<1x64xi1, #line_of_four> -> tensor<16x64xi1, #four>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf16, #four>
  %count = arith.index_cast %n : i32 to index
  %in_shared = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x64xf16, #padded_rows>
  %x = tile.load_run %ps mask %active, %inside else %zeros count %count through %in_shared {least = 37 : i64, most = 40 : i64, apart} : tensor<16x64x!tile.ptr<f16>, #four>, tensor<16x64xi1, #four>, tensor<16x64xi1, #four>, !tile.shared<16x64xf16, #padded_rows> -> tensor<16x64xf16, #four>
  %out = tile.alloc_shared {offset = 2144 : i64} : !tile.shared<16x64xf16, #padded_rows>
  tile.store_run %x, %ps mask %active, %inside count %count through %out {least = 37 : i64, most = 40 : i64, apart} : tensor<16x64xf16, #four>, tensor<16x64x!tile.ptr<f16>, #four>, tensor<16x64xi1, #four>, tensor<16x64xi1, #four>, !tile.shared<16x64xf16, #padded_rows>
  tile.return
}
