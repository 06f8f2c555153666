// Masks of registers whose columns are known to be inside of a row, or outside.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

// Four registers of 128 threads: columns 0..127, 128..255, 256..383 and 384..511. The row ends in the third one.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @masks
// CHECK-COUNT-1: arith.cmpi
// CHECK-NOT: arith.cmpi
// CHECK: llvm.load
// CHECK: llvm.load
// CHECK: "mov.b32 $0, 0;\0A@$2 ld.global.b32
// CHECK-NOT: ld.global
// CHECK: llvm.store
// CHECK: llvm.store
// CHECK: @$0 st.global.b32
// CHECK-NOT: st.global
// CHECK: llvm.return
tile.kernel @masks(%A: !tile.ptr<f32>, %n: i32 {tile.bounds = array<i64: 257, 384>}) {
  %columns = tile.iota 0 : tensor<512xi32, #line>
  %end = tile.splat %n : i32 -> tensor<512xi32, #line>
  %inside = arith.cmpi slt, %columns, %end : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %columns : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  %t = tile.load %ps mask %inside {vector_width = 1 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.store %ps, %t mask %inside {vector_width = 1 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// Of the blocks of columns only the first one has any of the row. There columns 0..127 and 128..255 are inside, elsewhere they are not:
// one comparison tells of both.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @blocks
// CHECK-COUNT-2: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: llvm.return
tile.kernel @blocks(%A: !tile.ptr<i32>, %n: i32 {tile.bounds = array<i64: 257, 384>}) {
  %number = tile.program_id 1
  %narrow = arith.index_cast %number : index to i32
  %c512 = arith.constant 512 : i32
  %first = arith.muli %narrow, %c512 : i32
  %start = tile.splat %first : i32 -> tensor<512xi32, #line>
  %places = tile.iota 0 : tensor<512xi32, #line>
  %columns = arith.addi %start, %places : tensor<512xi32, #line>
  %end = tile.splat %n : i32 -> tensor<512xi32, #line>
  %inside = arith.cmpi slt, %columns, %end : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>, #line>
  %ps = tile.addptr %as, %columns : tensor<512x!tile.ptr<i32>, #line>, tensor<512xi32, #line>
  tile.store %ps, %columns mask %inside {vector_width = 1 : i64} : tensor<512x!tile.ptr<i32>, #line>
  tile.return
}

// -----

// Blocks of 128 columns: the row ends in the third one, and what is inside of one is not so of the next one.
#line = #tile.register_layout<lane[32] register[4]>
// CHECK-LABEL: llvm.func @more_blocks
// CHECK-COUNT-4: arith.cmpi slt
// CHECK: llvm.return
tile.kernel @more_blocks(%A: !tile.ptr<i32>, %n: i32 {tile.bounds = array<i64: 257, 384>}) attributes {num_warps = 1 : i32} {
  %number = tile.program_id 1
  %narrow = arith.index_cast %number : index to i32
  %c128 = arith.constant 128 : i32
  %first = arith.muli %narrow, %c128 : i32
  %start = tile.splat %first : i32 -> tensor<128xi32, #line>
  %places = tile.iota 0 : tensor<128xi32, #line>
  %columns = arith.addi %start, %places : tensor<128xi32, #line>
  %end = tile.splat %n : i32 -> tensor<128xi32, #line>
  %inside = arith.cmpi slt, %columns, %end : tensor<128xi32, #line>
  %as = tile.splat %A : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #line>
  %ps = tile.addptr %as, %columns : tensor<128x!tile.ptr<i32>, #line>, tensor<128xi32, #line>
  tile.store %ps, %columns mask %inside {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #line>
  tile.return
}

// -----

// Each column has an end of its own: what is inside by the ends of the first register may be outside by those of the second one. The others end before their columns.
#line = #tile.register_layout<lane[32] register[4]>
// CHECK-LABEL: llvm.func @ends
// CHECK-COUNT-2: arith.cmpi slt
// CHECK: llvm.return
tile.kernel @ends(%A: !tile.ptr<i32>, %n: i32 {tile.bounds = array<i64: 100, 120>}) attributes {num_warps = 1 : i32} {
  %number = tile.program_id 1
  %narrow = arith.index_cast %number : index to i32
  %c128 = arith.constant 128 : i32
  %first = arith.muli %narrow, %c128 : i32
  %start = tile.splat %first : i32 -> tensor<128xi32, #line>
  %places = tile.iota 0 : tensor<128xi32, #line>
  %columns = arith.addi %start, %places : tensor<128xi32, #line>
  %most = tile.splat %n : i32 -> tensor<128xi32, #line>
  %end = arith.subi %most, %places : tensor<128xi32, #line>
  %inside = arith.cmpi slt, %columns, %end : tensor<128xi32, #line>
  %as = tile.splat %A : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #line>
  %ps = tile.addptr %as, %columns : tensor<128x!tile.ptr<i32>, #line>, tensor<128xi32, #line>
  tile.store %ps, %columns mask %inside {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #line>
  tile.return
}

// -----

// A conversion gives registers what others had: nothing is known of one of them.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
#mixed = #tile.register_layout<register[2] lane[16] warp[4] lane[2] register[2]>
// CHECK-LABEL: llvm.func @converted
// CHECK-COUNT-4: arith.cmpi slt
// CHECK-COUNT-4: @$0 st.global.b32
// CHECK: llvm.return
tile.kernel @converted(%A: !tile.ptr<i32>, %n: i32 {tile.bounds = array<i64: 257, 384>}) {
  %columns = tile.iota 0 : tensor<512xi32, #line>
  %moved = tile.convert_layout %columns : tensor<512xi32, #line> -> tensor<512xi32, #mixed>
  %end = tile.splat %n : i32 -> tensor<512xi32, #mixed>
  %inside = arith.cmpi slt, %moved, %end : tensor<512xi32, #mixed>
  %as = tile.splat %A : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>, #mixed>
  %ps = tile.addptr %as, %moved : tensor<512x!tile.ptr<i32>, #mixed>, tensor<512xi32, #mixed>
  tile.store %ps, %moved mask %inside {vector_width = 1 : i64} : tensor<512x!tile.ptr<i32>, #mixed>
  tile.return
}

// -----

// Two rows: the registers of the mask come from one of the columns each, the second two from the second one,
// which is outside.
#rows = #tile.register_layout<register[2,1] lane[1,32] warp[1,4] register[1,2]>
#columns = #tile.register_layout<lane[1,32] warp[1,4] register[1,2]>
// CHECK-LABEL: llvm.func @broadcast
// CHECK-COUNT-1: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-2: @$0 st.global.b32
// CHECK-NOT: st.global
// CHECK: llvm.return
tile.kernel @broadcast(%A: !tile.ptr<i32>, %n: i32 {tile.bounds = array<i64: 65, 128>}) {
  %line = tile.iota 0 : tensor<256xi32, #tile.register_layout<lane[32] warp[4] register[2]>>
  %columns = tile.expand_dims %line {axis = 0 : i32} : tensor<256xi32, #tile.register_layout<lane[32] warp[4] register[2]>> -> tensor<1x256xi32, #columns>
  %end = tile.splat %n : i32 -> tensor<1x256xi32, #columns>
  %before = arith.cmpi slt, %columns, %end : tensor<1x256xi32, #columns>
  %both = tile.broadcast %before : tensor<1x256xi1, #columns> -> tensor<2x256xi1, #rows>
  %true = arith.constant dense<true> : tensor<2x256xi1, #rows>
  %inside = arith.andi %both, %true : tensor<2x256xi1, #rows>
  %numbers = tile.broadcast %columns : tensor<1x256xi32, #columns> -> tensor<2x256xi32, #rows>
  %as = tile.splat %A : !tile.ptr<i32> -> tensor<2x256x!tile.ptr<i32>, #rows>
  %ps = tile.addptr %as, %numbers : tensor<2x256x!tile.ptr<i32>, #rows>, tensor<2x256xi32, #rows>
  tile.store %ps, %numbers mask %inside {vector_width = 1 : i64} : tensor<2x256x!tile.ptr<i32>, #rows>
  tile.return
}

// -----

// A length at the end of a part: the second register ends there, the third begins there.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @view
// CHECK-NOT: arith.cmpi
// CHECK: llvm.load
// CHECK: llvm.load
// CHECK-NOT: load
// CHECK-NOT: ld.global
// CHECK: llvm.return
tile.kernel @view(%A: !tile.ptr<f32>, %n: i32 {tile.bounds = array<i64: 256, 256>}) {
  %c0 = arith.constant 0 : index
  %extent = arith.index_cast %n : i32 to index
  %v = tile.view %A, shape [%extent], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] {vector_width = 1 : i64} : !tile.view<?xf32, [1]> -> tensor<512xf32, #line>
  tile.store_view %t, %v[%c0] {vector_width = 1 : i64} : tensor<512xf32, #line>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// Where a block begins is not known.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @anywhere
// CHECK-COUNT-4: ld.global
tile.kernel @anywhere(%A: !tile.ptr<f32>, %n: index {tile.bounds = array<i64: 256, 256>}, %i: index) {
  %v = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf32, [1]> -> tensor<512xf32, #line>
  tile.store_view %t, %v[%i] {vector_width = 1 : i64} : tensor<512xf32, #line>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// Rotated by up to 3 elements, vectors of 4: columns 0..511, 512..1023 and so on, less 3. The row is joined in the first one, the second is inside,
// the third one may have elements of the row by its rotation, and the fourth has none: three vectors are loaded.
#row = #tile.register_layout<register[4] lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @rotated
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK-COUNT-3: st.global.v4.b32
// CHECK-NOT: st.global.v4.b32
// CHECK: llvm.return
tile.kernel @rotated(%A: !tile.ptr<f32>, %n: i32 {tile.bounds = array<i64: 1024, 1024>}) {
  %c0 = arith.constant 0 : index
  %extent = arith.index_cast %n : i32 to index
  %address = tile.ptr_to_int %A : !tile.ptr<f32> -> i64
  %c15 = arith.constant 15 : i64
  %c2 = arith.constant 2 : i64
  %behind = arith.andi %address, %c15 : i64
  %elements = arith.shrui %behind, %c2 : i64
  %rotation = arith.index_cast %elements : i64 to index
  %v = tile.view %A, shape [%extent], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] rotated %rotation {vector_width = 4 : i64} : !tile.view<?xf32, [1]> -> tensor<2048xf32, #row>
  tile.store_view %t, %v[%c0] rotated %rotation {vector_width = 4 : i64} : tensor<2048xf32, #row>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// What stands for elements that are never loaded is no load of the array, which is only read.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @other
// CHECK: llvm.load %arg1 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT: ld.global
// CHECK: llvm.return
tile.kernel @other(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint}, %n: i32 {tile.bounds = array<i64: -1, 0>}) {
  %x = tile.load %B : !tile.ptr<f32>
  %others = tile.splat %x : f32 -> tensor<512xf32, #line>
  %columns = tile.iota 0 : tensor<512xi32, #line>
  %end = tile.splat %n : i32 -> tensor<512xi32, #line>
  %inside = arith.cmpi slt, %columns, %end : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %columns : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  %t = tile.load %ps mask %inside else %others {vector_width = 1 : i64} : tensor<512x!tile.ptr<f32>, #line>
  %bs = tile.splat %B : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %qs = tile.addptr %bs, %columns : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  tile.store %qs, %t {vector_width = 1 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// Registers that are repeated, and that have another order: two rows of 128 columns, which end behind the third register of each.
#line = #tile.register_layout<lane[32] register[4] warp*4>
#row = #tile.register_layout<lane[1,32] register[1,4] warp*4>
#rows = #tile.register_layout<lane[1,32] register[2,1] register[1,4] warp*4>
#turned = #tile.register_layout<lane[1,32] register[1,4] register[2,1] warp*4>
#column = #tile.register_layout<lane*32 register[2,1] warp*4>
// CHECK-LABEL: llvm.func @repeated
// CHECK-COUNT-6: st.global
// CHECK-NOT: st.global
// CHECK: llvm.return
tile.kernel @repeated(%A: !tile.ptr<f32>, %m: i32, %n: i32 {tile.bounds = array<i64: 96, 96>}) {
  %columns = tile.iota 0 : tensor<128xi32, #line>
  %of_row = tile.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #line> -> tensor<1x128xi32, #row>
  %end = tile.splat %n : i32 -> tensor<1x128xi32, #row>
  %in_row = arith.cmpi slt, %of_row, %end : tensor<1x128xi32, #row>
  %numbers = tile.iota 0 : tensor<2xi32, #tile.register_layout<lane*32 register[2] warp*4>>
  %of_column = tile.expand_dims %numbers {axis = 1 : i32} : tensor<2xi32, #tile.register_layout<lane*32 register[2] warp*4>> -> tensor<2x1xi32, #column>
  %count = tile.splat %m : i32 -> tensor<2x1xi32, #column>
  %in_column = arith.cmpi slt, %of_column, %count : tensor<2x1xi32, #column>
  %a = tile.broadcast %in_row : tensor<1x128xi1, #row> -> tensor<2x128xi1, #rows>
  %b = tile.broadcast %in_column : tensor<2x1xi1, #column> -> tensor<2x128xi1, #rows>
  %inside = arith.andi %a, %b : tensor<2x128xi1, #rows>
  %offsets = tile.broadcast %of_row : tensor<1x128xi32, #row> -> tensor<2x128xi32, #rows>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<2x128x!tile.ptr<f32>, #rows>
  %ps = tile.addptr %as, %offsets : tensor<2x128x!tile.ptr<f32>, #rows>, tensor<2x128xi32, #rows>
  %zero = arith.constant dense<0.0> : tensor<2x128xf32, #rows>
  tile.store %ps, %zero mask %inside {vector_width = 1 : i64} : tensor<2x128x!tile.ptr<f32>, #rows>
  tile.return
}

// CHECK-LABEL: llvm.func @converted
// CHECK-COUNT-6: st.global
// CHECK-NOT: st.global
// CHECK: llvm.return
tile.kernel @converted(%A: !tile.ptr<f32>, %n: i32 {tile.bounds = array<i64: 96, 96>}) {
  %columns = tile.iota 0 : tensor<128xi32, #line>
  %of_row = tile.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #line> -> tensor<1x128xi32, #row>
  %all = tile.broadcast %of_row : tensor<1x128xi32, #row> -> tensor<2x128xi32, #rows>
  %offsets = tile.convert_layout %all : tensor<2x128xi32, #rows> -> tensor<2x128xi32, #turned>
  %end = tile.splat %n : i32 -> tensor<2x128xi32, #turned>
  %inside = arith.cmpi slt, %offsets, %end : tensor<2x128xi32, #turned>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<2x128x!tile.ptr<f32>, #turned>
  %ps = tile.addptr %as, %offsets : tensor<2x128x!tile.ptr<f32>, #turned>, tensor<2x128xi32, #turned>
  %zero = arith.constant dense<0.0> : tensor<2x128xf32, #turned>
  tile.store %ps, %zero mask %inside {vector_width = 1 : i64} : tensor<2x128x!tile.ptr<f32>, #turned>
  tile.return
}

// -----

// Single elements of a row that is rotated by nothing are where they are in memory: no place is looked at.
#line = #tile.register_layout<lane[32] warp[4] register[4]>
// CHECK-LABEL: llvm.func @rotated_by_nothing
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-2: llvm.load
// CHECK: arith.cmpi ult
// CHECK: @$2 ld.global.b32
// CHECK-NOT: arith.cmpi
// CHECK-NOT: ld.global
// CHECK-COUNT-2: llvm.store
// CHECK: @$0 st.global.b32
// CHECK-NOT: st.global
// CHECK: llvm.return
tile.kernel @rotated_by_nothing(%A: !tile.ptr<f32>, %n: i32 {tile.bounds = array<i64: 257, 384>}) {
  %c0 = arith.constant 0 : index
  %end = arith.index_cast %n : i32 to index
  %v = tile.view %A, shape [%end], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] rotated %c0 {vector_width = 1 : i64} : !tile.view<?xf32, [1]> -> tensor<512xf32, #line>
  tile.store_view %t, %v[%c0] rotated %c0 {vector_width = 1 : i64} : tensor<512xf32, #line>, !tile.view<?xf32, [1]>
  tile.return
}
