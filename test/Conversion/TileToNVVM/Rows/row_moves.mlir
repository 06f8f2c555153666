// Blocks whose rows begin anywhere.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse %s | FileCheck %s

#room = #tile.shared_layout<32x64, pad 56 every 64>

// A row of 64 bytes touches five pieces of 16: 160 in all, of which 128 threads copy two each, whole where these are bytes of the array, else the
// elements of the row. Such blocks leave the first-level cache enough for the pieces of a line to meet there. Lanes store words, of four rows at a time; a word is put together of four bytes. Then come the ends of these rows.
// CHECK-LABEL: llvm.func @bytes
// CHECK: scf.for
// CHECK: arith.divui %{{.*}}, %c5_i32
// CHECK: "@$2 cp.async.ca.shared.global [$0], [$1], 16;", "r,l,b,~{memory}"
// CHECK: scf.if
// CHECK-COUNT-16: ld.global.b8
// CHECK-COUNT-16: st.shared.b8
// CHECK: "@$2 cp.async.ca.shared.global [$0], [$1], 16;", "r,l,b,~{memory}"
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK: scf.for
// CHECK: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK: "prmt.b32 $0, $1, $2, 0x0040;"
// CHECK: "prmt.b32 $0, $1, $2, 0x0040;"
// CHECK: "prmt.b32 $0, $1, $2, 0x5410;"
// CHECK: st.global.b32
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr<1>
tile.kernel @bytes(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %i: index, %j: index) attributes {num_warps = 4 : i32, shared_bytes = 3792 : i64} {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32x64xi8, #room>
  tile.copy_rows %a[%i, %j], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8, #room>
  tile.barrier
  tile.store_rows %s from %a[%i, %j], %b[%j, %i] {order = array<i64: 1, 0>}
      : !tile.shared<32x64xi8, #room>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

#halves = #tile.shared_layout<128x32, pad 56 every 32>

// Rows of 256 bytes that are stored whole: of each, a lane stores the word in the line where the row begins, or as far behind it, and one of each other
// line, at distances that are known.
// CHECK-LABEL: llvm.func @lines
// CHECK: nvvm.barrier
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK: arith.minsi %{{.*}}, %c252_i32
// CHECK: st.global.b32
// CHECK: arith.shrsi %{{.*}}, %c1_i32
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c128_i64
// CHECK: llvm.inttoptr %[[NEXT]]
// CHECK: st.global.b32
// CHECK: } else {
// CHECK: scf.if
// CHECK: st.global.b32
tile.kernel @lines(%A: !tile.ptr<i16>, %B: !tile.ptr<i16>, %M: index, %N: index, %i: index, %j: index) attributes {num_warps = 4 : i32, shared_bytes = 30720 : i64} {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i16> -> !tile.view<?x?xi16, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i16> -> !tile.view<?x?xi16, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128x32xi16, #halves>
  tile.copy_rows %a[%i, %j], %s : !tile.view<?x?xi16, [?, 1]>, !tile.shared<128x32xi16, #halves>
  tile.barrier
  tile.store_rows %s from %a[%i, %j], %b[%j, %i] {order = array<i64: 1, 0>}
      : !tile.shared<128x32xi16, #halves>, !tile.view<?x?xi16, [?, 1]>, !tile.view<?x?xi16, [?, 1]>
  tile.return
}

#pixels = #tile.shared_layout<256x4, pad 1 every 4>

// Rows of four bytes: where their stride is no more, 64 pieces and one are copied of one run, and rows lie as far from one another as there.
// CHECK-LABEL: llvm.func @pixels
// CHECK: arith.cmpi sgt, %arg3, %c0_i64
// CHECK: arith.cmpi sle, %arg3, %c4_i64
// CHECK: scf.if
// CHECK: scf.for %{{.*}} to %c65_i32
// CHECK: "@$2 cp.async.cg.shared.global [$0], [$1], 16;", "r,l,b,~{memory}"
// CHECK: } else {
// CHECK: scf.for
// CHECK-COUNT-8: ld.global.b8
// CHECK-COUNT-8: st.shared.b8
// CHECK: nvvm.barrier
// CHECK: arith.select %{{.*}}, %{{.*}}, %c4_i32
// CHECK: st.global.b32
tile.kernel @pixels(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index) attributes {num_warps = 4 : i32, shared_bytes = 1280 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<256x4xi8, #pixels>
  tile.copy_rows %a[%c0, %c0], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<256x4xi8, #pixels>
  tile.barrier
  tile.store_rows %s from %a[%c0, %c0], %b[%c0, %c0] {order = array<i64: 1, 0>}
      : !tile.shared<256x4xi8, #pixels>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

#large = #tile.shared_layout<256x128, pad 48 every 128>

// Five such blocks leave 28 KB, which copies pass by.
// CHECK-LABEL: llvm.func @without_cache
// CHECK-NOT: cp.async.ca
// CHECK: "@$2 cp.async.cg.shared.global [$0], [$1], 16;", "r,l,b,~{memory}"
// CHECK-NOT: cp.async.ca
// CHECK: nvvm.cp.async.commit.group
tile.kernel @without_cache(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %i: index, %j: index) attributes {num_warps = 8 : i32, shared_bytes = 45056 : i64} {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<256x128xi8, #large>
  tile.copy_rows %a[%i, %j], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<256x128xi8, #large>
  tile.barrier
  tile.store_rows %s from %a[%i, %j], %b[%j, %i] {order = array<i64: 1, 0>}
      : !tile.shared<256x128xi8, #large>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

#wide = #tile.shared_layout<128x64, pad 80 every 64>

// The pieces of 31 rows more are copied, where the block is continued. Lanes store words from the first sector on where other programs have
// both ends; else from the first word on, and elements at the ends.
// CHECK-LABEL: llvm.func @sectors
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: scf.for %{{.*}} to %c795_i32
// CHECK-COUNT-8: cp.async.cg.shared.global{{(.L2::128B)?}} [$0], [$1], 16;
// CHECK-NOT: shared.global
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK: arith.andi %arg7, %{{.*}} : i1
// CHECK: arith.andi %arg6, %{{.*}} : i1
// CHECK: scf.for
// CHECK: scf.if
// CHECK: arith.andi %{{.*}}, %c31_i32
// CHECK: st.global.b32
// CHECK-NOT: llvm.store %{{.*}} : i8, !llvm.ptr<1>
// CHECK: } else {
// CHECK: scf.if
// CHECK: arith.select %arg6
// CHECK: arith.select %arg7
// CHECK: st.global.b32
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr<1>
tile.kernel @sectors(%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %M: index, %N: index, %i: index, %j: index, %continues: i1, %continued: i1) attributes {num_warps = 4 : i32, shared_bytes = 18352 : i64} {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128x64xi8, #wide>
  tile.copy_sectors %a[%i, %j], %s if %continued {dim = 0 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #wide>
  tile.barrier
  tile.store_sectors %s from %a[%i, %j], %b[%j, %i] if %continues, %continued {order = array<i64: 1, 0>}
      : !tile.shared<128x64xi8, #wide>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

#wide_halves = #tile.shared_layout<128x32, pad 40 every 32>

// Lines are fetched whole where the programs have 96 MB or more: 12288 of them.
// CHECK-LABEL: llvm.func @sectors_of_halves
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[LINES:.*]] = arith.cmpi sge, %[[PROGRAMS:.*]], %c12288_i64 : i64
// CHECK: scf.for
// CHECK: %[[FETCHES:.*]] = arith.andi %[[IS:.*]], %[[LINES]] : i1
// CHECK: "@$2 cp.async.cg.shared.global.L2::128B [$0], [$1], 16;", "r,l,b,~{memory}" %{{.*}}, %{{.*}}, %[[FETCHES]] :
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[PROGRAMS]], %c12288_i64 : i64
// CHECK: %[[DOES_NOT:.*]] = arith.andi %[[IS]], %[[FEW]] : i1
// CHECK: "@$2 cp.async.cg.shared.global [$0], [$1], 16;", "r,l,b,~{memory}" %{{.*}}, %{{.*}}, %[[DOES_NOT]] :
tile.kernel @sectors_of_halves(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %N: index, %i: index, %j: index, %continues: i1, %continued: i1) attributes {num_warps = 4 : i32, shared_bytes = 18352 : i64} {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128x32xf16, #wide_halves>
  tile.copy_sectors %a[%i, %j], %s if %continued {dim = 0 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<128x32xf16, #wide_halves>
  tile.barrier
  tile.store_sectors %s from %a[%i, %j], %b[%j, %i] if %continues, %continued {order = array<i64: 1, 0>}
      : !tile.shared<128x32xf16, #wide_halves>, !tile.view<?x?xf16, [?, 1]>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
