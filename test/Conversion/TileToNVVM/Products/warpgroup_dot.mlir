// Products of warpgroups: descriptors, a fence before, a group, a wait that the sums go through.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize %s | FileCheck %s
// RUN: not tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error: 'tile.warpgroup_dot' op needs wgmma, which the target does not have: sm_90a does

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#a = #tile.shared_layout<64x32, swizzle<2,3,3>>
#b = #tile.shared_layout<32x32, swizzle<2,3,3>>

// Rows of 64 bytes. Of a: along K, 8 rows 512 bytes apart, and mode 64B: the descriptor is 2 << 62 | 32 << 32, and 256 << 16 in its lower half.
// Of b: along N, the next panel is 2048 bytes away.
// CHECK: llvm.mlir.global internal @product$shared() {{.*}}alignment = 512 : i64
// CHECK-LABEL: llvm.func @product
// CHECK-DAG: arith.constant 16777216 : i32
// CHECK-DAG: arith.constant 8388608 : i32
// CHECK-DAG: arith.constant -9223371899415822336 : i64
tile.kernel @product(%x: f32) attributes {shared_bytes = 6144 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xf16, #a>
  %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<32x32xf16, #b>
  // CHECK: nvvm.fence.proxy
  // CHECK-NEXT: nvvm.barrier
  tile.barrier {async_proxy}
  // CHECK: llvm.inline_asm has_side_effects {{.*}} "wgmma.fence.sync.aligned;"
  // CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 32, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
  // CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 32, k = 16>
  // CHECK-NOT: wgmma.mma_async
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: llvm.inline_asm has_side_effects {{.*}} "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x32xf16, #a>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #sums>
  tile.return
}

// A product under way: its sums go through the fence before the first one only. In the loop they are under way, and nothing
// stands between two products; behind it they go through the wait. The tiles are there before the loop, and so are descriptors.
// CHECK-LABEL: llvm.func @under_way
// CHECK-COUNT-4: arith.addi %{{.*}} : i64
// CHECK: scf.for
// CHECK-NOT: arith.
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NOT: inline_asm
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: inline_asm
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NOT: inline_asm
// CHECK: scf.yield
// CHECK: llvm.inline_asm has_side_effects {{.*}} "wgmma.wait_group.sync.aligned 0;", "=f,
tile.kernel @under_way(%x: f32, %n: index) attributes {shared_bytes = 6144 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xf16, #a>
  %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<32x32xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x32xf32, #sums>) {
    %d = tile.warpgroup_dot %sa, %sb, %s {async} : !tile.shared<64x32xf16, #a>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #sums>
    tile.dot_wait 1
    scf.yield %d : tensor<64x32xf32, #sums>
  }
  %u = tile.dot_wait 0, %r : tensor<64x32xf32, #sums>
  tile.return
}

// The first product of a line is fenced with its sums, the second one adds to what is under way.
// CHECK-LABEL: llvm.func @line
// CHECK: llvm.inline_asm has_side_effects {{.*}} "wgmma.fence.sync.aligned;"
// CHECK: nvvm.wgmma.fence.aligned
tile.kernel @line(%x: f32) attributes {shared_bytes = 6144 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xf16, #a>
  %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<32x32xf16, #b>
  %d = tile.warpgroup_dot %sa, %sb, %c {async} : !tile.shared<64x32xf16, #a>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #sums>
  %e = tile.warpgroup_dot %sa, %sb, %d {async} : !tile.shared<64x32xf16, #a>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #sums>
  %u = tile.dot_wait 0, %e : tensor<64x32xf32, #sums>
  tile.return
}

// The left operand in registers: they go through the fence with the sums, so that nothing is done to them behind it. The
// right one is read by rows along N (the last 1).
// CHECK-LABEL: llvm.func @left_in_registers
// CHECK: %[[FENCED:.*]] = llvm.inline_asm has_side_effects {{.*}} "wgmma.fence.sync.aligned;", "{{(=f,){16}(=r,){8}0,}}
// CHECK: %[[WORD:.*]] = llvm.extractvalue %[[FENCED]][16]
// CHECK: llvm.inline_asm has_side_effects {{.*}} {tilewright.left_words = array<i32: 16, 4>} "{\0A.reg .pred p;\0Asetp.ne.b32 p, 1, 0;\0Awgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0, {{.*}}, $15}, {$32, $33, $34, $35}, $36, p, 1, 1, 1;\0A}", "{{(=f,){16}.*}}15,r,r,r,r,l" {{.*}}%[[WORD]],
// CHECK: wgmma.mma_async.sync.aligned.m64n32k16
// CHECK-NOT: wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: "wgmma.wait_group.sync.aligned 0;"
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @left_in_registers(%x: f32, %h: f16) attributes {shared_bytes = 2048 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %a = tile.splat %h : f16 -> tensor<64x32xf16, #left>
  %sb = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32x32xf16, #b>
  %d = tile.warpgroup_dot %a, %sb, %c : tensor<64x32xf16, #left>, !tile.shared<32x32xf16, #b>, tensor<64x32xf32, #sums>
  tile.return
}

// Sums of two parts: all of K for one, then for the other.
// CHECK-LABEL: llvm.func @halves
// CHECK: %[[FIRST:.*]] = nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[FIRST]], <
// CHECK: %[[SECOND:.*]] = nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SECOND]], <
// CHECK: nvvm.wgmma.commit.group.sync.aligned
#halves = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1] register[2,1]>
#tall = #tile.shared_layout<128x32, swizzle<2,3,3>>
tile.kernel @halves(%x: f32) attributes {shared_bytes = 10240 : i64} {
  %c = tile.splat %x : f32 -> tensor<128x32xf32, #halves>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<128x32xf16, #tall>
  %sb = tile.alloc_shared {offset = 8192 : i64} : !tile.shared<32x32xf16, #b>
  tile.barrier {async_proxy}
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<128x32xf16, #tall>, !tile.shared<32x32xf16, #b>, tensor<128x32xf32, #halves>
  tile.return
}

// 8-bit floats, of two types. All of K is added up by tensor cores, to what is there.
#bytes_a = #tile.shared_layout<64x64, swizzle<2,4,3>>
#bytes_b = #tile.shared_layout<64x32, order [0,1], swizzle<2,4,3>>
// CHECK-LABEL: llvm.func @bytes
// CHECK: "wgmma.fence.sync.aligned;"
// CHECK-COUNT-2: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 32, k = 32>, D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
// CHECK-NOT: wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
tile.kernel @bytes(%x: f32) attributes {shared_bytes = 6144 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf8E4M3FN, #bytes_a>
  %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<64x32xf8E5M2, #bytes_b>
  tile.barrier {async_proxy}
  %d = tile.warpgroup_dot %sa, %sb, %c {imprecise = 128 : i64} : !tile.shared<64x64xf8E4M3FN, #bytes_a>, !tile.shared<64x32xf8E5M2, #bytes_b>, tensor<64x32xf32, #sums>
  tile.return
}

// The same added in f32 after each 32 elements: products that begin at nothing, in the registers of the ones before.
#rows = #tile.shared_layout<64x32>
// CHECK-LABEL: llvm.func @parts
// CHECK: %[[FIRST:.*]] = nvvm.wgmma.mma_async {{.*}}, D[<f32>, <zero>], A[<e4m3>
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK-COUNT-16: llvm.fadd
// CHECK: "wgmma.fence.sync.aligned;"
// CHECK: nvvm.wgmma.mma_async {{.*}}, D[<f32>, <zero>], A[<e4m3>
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK-COUNT-16: llvm.fadd
// CHECK-NOT: wgmma.mma_async
tile.kernel @parts(%x: f32) attributes {shared_bytes = 14336 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf8E4M3FN, #bytes_a>
  %sb = tile.alloc_shared {offset = 4096 : i64} : !tile.shared<64x32xf8E5M2, #bytes_b>
  tile.barrier {async_proxy}
  %d = tile.warpgroup_dot %sa, %sb, %c {imprecise = 32 : i64} : !tile.shared<64x64xf8E4M3FN, #bytes_a>, !tile.shared<64x32xf8E5M2, #bytes_b>, tensor<64x32xf32, #sums>
  %sd = tile.alloc_shared {offset = 6144 : i64} : !tile.shared<64x32xf32, #rows>
  tile.local_store %d, %sd {vector_width = 2 : i64} : tensor<64x32xf32, #sums>, !tile.shared<64x32xf32, #rows>
  tile.return
}

// The left operand in registers, of the other type.
// CHECK-LABEL: llvm.func @bytes_in_registers
// CHECK: wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e5m2 {{.*}}, p, 1, 1;
#left_bytes = #tile.register_layout<register[1,4] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @bytes_in_registers(%x: f32, %y: f8E4M3FN) attributes {shared_bytes = 2048 : i64} {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %a = tile.splat %y : f8E4M3FN -> tensor<64x64xf8E4M3FN, #left_bytes>
  %sb = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x32xf8E5M2, #bytes_b>
  %d = tile.warpgroup_dot %a, %sb, %c {imprecise = 128 : i64} : tensor<64x64xf8E4M3FN, #left_bytes>, !tile.shared<64x32xf8E5M2, #bytes_b>, tensor<64x32xf32, #sums>
  tile.return
}
