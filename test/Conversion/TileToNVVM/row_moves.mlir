// Blocks whose rows begin anywhere.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse %s | FileCheck %s

#room = #tile.shared_layout<32x64, pad 56 every 64>

// A row of 64 bytes touches five pieces of 16, which 128 threads copy, two each: whole where these are bytes of the array, else the elements of the
// row. Lanes store words, of four rows at a time; a word is put together of four bytes. Then come the ends of these rows.
// CHECK-LABEL: llvm.func @bytes
// CHECK: llvm.ptrtoint
// CHECK: scf.for
// CHECK: arith.divui %{{.*}}, %c5_i32
// CHECK: "@$2 cp.async.cg.shared.global [$0], [$1], 16;", "r,l,b,~{memory}"
// CHECK: scf.if
// CHECK-COUNT-16: ld.global.b8
// CHECK-COUNT-16: st.shared.b8
// CHECK: "@$2 cp.async.cg.shared.global [$0], [$1], 16;", "r,l,b,~{memory}"
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
