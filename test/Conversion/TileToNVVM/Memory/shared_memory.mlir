// Shared tiles: where they stand, and the addresses of each layout.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: sed -E "s/shared_bytes = (8192|4608)/shared_bytes = 65536/" %s | tile-opt --convert-tile-to-nvvm --split-input-file | FileCheck %s --check-prefix=DYNAMIC

// A swizzle: the thread's part once, then constants; only the bits that the thread has a say in are
// XORed. The second half of the tile is 2048 bytes on, with bit 4 of the column flipped.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
#sw = #tile.shared_layout<32x32, swizzle<3,2,5>>
// CHECK: llvm.mlir.global internal @swizzled$shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<8192 x i8>
// More than fits statically is asked for at launch.
// DYNAMIC: llvm.mlir.global external @swizzled$shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @swizzled
// CHECK: %[[TILE:.*]] = llvm.getelementptr inbounds %{{.*}}[4096]
// CHECK: %[[OFFSET:.*]] = arith.xori
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c4_i32
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[TILE]][%[[BYTES]]]
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: arith.xori %[[OFFSET]], %c16_i32
// CHECK: %[[Q:.*]] = llvm.getelementptr inbounds %{{.*}}[2048]
// CHECK: llvm.store %{{.*}}, %[[Q]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
tile.kernel @swizzled(%x: f32) attributes {shared_bytes = 8192 : i64} {
  %t = tile.splat %x : f32 -> tensor<32x32xf32, #rows>
  %s = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<32x32xf32, #sw>
  tile.local_store %t, %s {vector_width = 4 : i64} : tensor<32x32xf32, #rows>, !tile.shared<32x32xf32, #sw>
  tile.return
}

// -----

// Padding: off + (off / 32) * 4, once for the thread; a register's own rows are constants with their
// padding, (16 * 32 + 16 * 4) * 4 bytes.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
#pad = #tile.shared_layout<32x32, pad 4 every 32>
// CHECK-LABEL: llvm.func @padded
// CHECK: %[[OFFSET:.*]] = arith.ori
// CHECK-NEXT: %[[ROW:.*]] = arith.shrui %[[OFFSET]], %c5_i32
// CHECK-NEXT: %[[PADDING:.*]] = arith.muli %[[ROW]], %c4_i32
// CHECK: %[[SUM:.*]] = arith.addi %[[OFFSET]], %[[PADDING]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[SUM]], %c4_i32
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %{{.*}}[%[[BYTES]]]
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xi32>
// CHECK: %[[Q:.*]] = llvm.getelementptr inbounds %[[P]][2304]
// CHECK: llvm.store %{{.*}}, %[[Q]] {alignment = 16 : i64} : vector<4xi32>
// DYNAMIC: llvm.mlir.global external @padded$shared
tile.kernel @padded(%x: f32) attributes {shared_bytes = 4608 : i64} {
  %t = tile.splat %x : f32 -> tensor<32x32xf32, #rows>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32x32xf32, #pad>
  tile.local_store %t, %s {vector_width = 4 : i64} : tensor<32x32xf32, #rows>, !tile.shared<32x32xf32, #pad>
  tile.return
}

// -----

// What has no padding and no swizzle is one pointer and constants.
#columns = #tile.register_layout<lane[1,32] warp[4,1] register[8,1]>
#plain = #tile.shared_layout<32x32>
// CHECK-LABEL: llvm.func @plain
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds
// CHECK: llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-NOT: arith.xori
// CHECK: llvm.getelementptr inbounds %[[P]][512]
// CHECK: llvm.getelementptr inbounds %[[P]][1024]
// CHECK: llvm.getelementptr inbounds %[[P]][3584]
tile.kernel @plain(%A: !tile.ptr<f32>, %n: index) attributes {shared_bytes = 4096 : i64} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32x32xf32, #plain>
  %t = tile.local_load %s {vector_width = 1 : i64} : !tile.shared<32x32xf32, #plain> -> tensor<32x32xf32, #columns>
  %a = tile.view %A, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  tile.store_view %t, %a[%n, %n] {vector_width = 1 : i64} : tensor<32x32xf32, #columns>, !tile.view<32x32xf32, [32, 1]>
  tile.return
}

// -----

// Asked to be narrower than they could be, they are volatile, or they would be
// merged into wide ones: in copies, too.
#rows = #tile.register_layout<register[4] lane[32] warp*4>
#plain = #tile.shared_layout<128>
// CHECK-LABEL: llvm.func @narrow
// CHECK-COUNT-4: "@$0 st.volatile.shared.b32 [$1], $2;"
// CHECK-COUNT-4: llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-COUNT-2: llvm.load volatile %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};"
tile.kernel @narrow(%x: f32, %A: !tile.ptr<f32>, %n: index) attributes {shared_bytes = 512 : i64} {
  %t = tile.splat %x : f32 -> tensor<128xf32, #rows>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128xf32, #plain>
  tile.local_store %t, %s {vector_width = 1 : i64} : tensor<128xf32, #rows>, !tile.shared<128xf32, #plain>
  tile.barrier
  %one = tile.local_load %s {vector_width = 1 : i64} : !tile.shared<128xf32, #plain> -> tensor<128xf32, #rows>
  %two = tile.local_load %s {vector_width = 2 : i64} : !tile.shared<128xf32, #plain> -> tensor<128xf32, #rows>
  tile.barrier
  tile.local_store %t, %s {vector_width = 4 : i64} : tensor<128xf32, #rows>, !tile.shared<128xf32, #plain>
  tile.return
}

// -----

// A stage is so many bytes on: 128 f32 and their padding, 33 * 4 * 4 = 528.
#line = #tile.register_layout<lane[32] warp[4]>
#pad = #tile.shared_layout<128, pad 1 every 32>
// CHECK-LABEL: llvm.func @stages
// CHECK: %[[I:.*]] = arith.{{index_cast|trunci}} %{{.*}} : {{.*}} to i32
// CHECK: arith.muli %[[I]], %c528_i32 : i32
// CHECK: nvvm.barrier0
tile.kernel @stages(%x: f32, %i: index) attributes {shared_bytes = 1584 : i64} {
  %t = tile.splat %x : f32 -> tensor<128xf32, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x128xf32, #pad>
  %v = tile.subview %s[%i] : !tile.shared<3x128xf32, #pad> -> !tile.shared<128xf32, #pad>
  tile.local_store %t, %v {vector_width = 1 : i64} : tensor<128xf32, #line>, !tile.shared<128xf32, #pad>
  tile.barrier
  tile.return
}

// -----

// Copies: lanes 16 and up, and warps 1 and up, store nothing.
#copies = #tile.register_layout<lane[16] lane*2 warp*4>
#plain = #tile.shared_layout<16>
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK: "@$0 st.shared.b32 [$1], $2;", "b,r,r,~{memory}" %[[FIRST]]
// No more than fits: part of the kernel.
// DYNAMIC: llvm.mlir.global internal @copies$shared() {{.*}} : !llvm.array<64 x i8>
tile.kernel @copies(%x: f32) attributes {shared_bytes = 64 : i64} {
  %t = tile.splat %x : f32 -> tensor<16xf32, #copies>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16xf32, #plain>
  tile.local_store %t, %s {vector_width = 1 : i64} : tensor<16xf32, #copies>, !tile.shared<16xf32, #plain>
  tile.return
}

// -----

// Elements by number: one that is none of the tile's reads nothing. Padding goes by the number.
#line = #tile.register_layout<lane[32] warp[4]>
#pad = #tile.shared_layout<256, pad 2 every 64>
// CHECK-LABEL: llvm.func @gathered
// CHECK: %[[IS_THERE:.*]] = arith.cmpi ult, %[[NUMBER:.*]], %c256_i32
// CHECK: %[[LINES:.*]] = arith.shrui %[[NUMBER]], %c6_i32
// CHECK: %[[PADDING:.*]] = arith.muli %[[LINES]], %c2_i32
// CHECK: %[[SUM:.*]] = arith.addi %[[NUMBER]], %[[PADDING]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[SUM]], %c2_i32
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %{{.*}}[%[[BYTES]]]
// CHECK: llvm.inline_asm {{.*}}ld.shared.b16 {{.*}} %[[P]], %[[IS_THERE]]
tile.kernel @gathered(%p: !tile.ptr<f16>) attributes {shared_bytes = 8192 : i64} {
  %i = tile.iota 0 : tensor<128xi32, #line>
  %three = arith.constant dense<3> : tensor<128xi32, #line>
  %number = arith.muli %i, %three : tensor<128xi32, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<256xf16, #pad>
  %t = tile.local_gather %s[%number] : !tile.shared<256xf16, #pad>, tensor<128xi32, #line> -> tensor<128xf16, #line>
  %to = tile.splat %p : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #line>
  %places = tile.addptr %to, %i : tensor<128x!tile.ptr<f16>, #line>, tensor<128xi32, #line>
  tile.store %places, %t {vector_width = 1 : i64} : tensor<128x!tile.ptr<f16>, #line>
  tile.return
}

// -----

// Lanes side by side take counters side by side; numbers of no row count nothing. Half of the warps hold copies.
#line = #tile.register_layout<lane[32] warp[2] warp*2>
// CHECK-LABEL: llvm.func @counted
// CHECK-DAG: %[[IS_HOLDER:.*]] = arith.cmpi eq
// CHECK-DAG: %[[COLUMN:.*]] = arith.remui %{{.*}}, %c8_i32
// CHECK-DAG: %[[IS_ROW:.*]] = arith.cmpi ult, %{{.*}}, %c64_i32
// CHECK: %[[COUNTS:.*]] = arith.andi %[[IS_HOLDER]], %[[IS_ROW]]
// CHECK: %[[COUNTER:.*]] = arith.addi %{{.*}}, %[[COLUMN]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[COUNTER]], %c4_i32
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %{{.*}}[%[[BYTES]]]
// CHECK: llvm.inline_asm {{.*}}"@$0 red.relaxed.cta.shared.add.u32 [$1], 1;"{{.*}} %[[COUNTS]], %[[P]]
// CHECK-NOT: red.relaxed
tile.kernel @counted(%p: !tile.ptr<i32>) attributes {shared_bytes = 2048 : i64} {
  %i = tile.iota 0 : tensor<64xi32, #line>
  %three = arith.constant dense<3> : tensor<64xi32, #line>
  %number = arith.muli %i, %three : tensor<64xi32, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x8xi32, #tile.shared_layout<64x8>>
  tile.local_count %number, %s : tensor<64xi32, #line>, !tile.shared<64x8xi32, #tile.shared_layout<64x8>>
  tile.return
}

// -----

// Where each lane has a counter and a bank of its own, others add 0 there.
#line = #tile.register_layout<lane[32] warp[2] warp*2>
// CHECK-LABEL: llvm.func @counted_apart
// CHECK: %[[IS_ROW:.*]] = arith.cmpi ult, %{{.*}}, %c64_i32
// CHECK: %[[COUNTS:.*]] = arith.andi %{{.*}}, %[[IS_ROW]] : i1
// CHECK: %[[ROW:.*]] = arith.select %[[COUNTS]], %{{.*}}, %c0_i32
// CHECK: arith.muli %[[ROW]], %c32_i32
// CHECK: %[[ONE:.*]] = arith.extui %[[COUNTS]] : i1 to i32
// CHECK: llvm.inline_asm {{.*}}"red.relaxed.cta.shared.add.u32 [$0], $1;"{{.*}} %{{.*}}, %[[ONE]]
tile.kernel @counted_apart(%p: !tile.ptr<i32>) attributes {shared_bytes = 8192 : i64} {
  %i = tile.iota 0 : tensor<64xi32, #line>
  %three = arith.constant dense<3> : tensor<64xi32, #line>
  %number = arith.muli %i, %three : tensor<64xi32, #line>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xi32, #tile.shared_layout<64x32>>
  tile.local_count %number, %s : tensor<64xi32, #line>, !tile.shared<64x32xi32, #tile.shared_layout<64x32>>
  tile.return
}
