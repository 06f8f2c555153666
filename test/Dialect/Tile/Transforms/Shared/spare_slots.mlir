// A slot more than copies run ahead, where a block has a multiprocessor alone: they begin before products are waited for.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-allocate-shared --split-input-file %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-allocate-shared --tile-lower-channels --tile-insert-barriers --split-input-file %s | FileCheck %s --check-prefix=ORDER
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-allocate-shared=max-bytes=147456 --split-input-file %s | FileCheck %s --check-prefix=FULL
// RUN: sed -e 's/4x128x64x/3x128x64x/g; s/4x64x128x/3x64x128x/g; s/channel<4>/channel<3>/g' %s | tile-opt --tile-set-target=target=sm_90a --tile-allocate-shared --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: sed -e 's/4x64x128xf16, #b>/4x64x128xf16, #b, every 32768>/g' %s | tile-opt --tile-set-target=target=sm_90a --tile-allocate-shared --split-input-file | FileCheck %s --check-prefix=EVERY
// RUN: sed -e 's/sa = tile.alloc_shared/& {offset = 0 : i64}/; s/sb = tile.alloc_shared/& {offset = 65536 : i64}/' %s | tile-opt --tile-set-target=target=sm_90a --tile-allocate-shared --split-input-file | FileCheck %s --check-prefix=OFFSETS

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[8,1] register[1,16]>
#ra = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[4,1]>
#rb = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[2,1] register[1,2]>
#a = #tile.shared_layout<128x64, swizzle<3,3,3>>
#b = #tile.shared_layout<64x128, bits [c0..2, c3..5+r0..2, r0..5, c6]>

// Four slots of 32 KB, and a fifth.
// CHECK-LABEL: tile.kernel @alone
// CHECK-SAME: shared_bytes = 163840 : i64
// CHECK: channel {{.*}} -> !tile.channel<5>
// CHECK: scf.for
// CHECK: warpgroup_dot
// CHECK: scf.if
// CHECK: tile.acquire %{{.*}}[%[[AHEAD:.*]]] : !tile.channel<5>
// CHECK: tile.commit
// CHECK: tile.dot_wait 1
// CHECK-NEXT: tile.release
// CHECK-NEXT: arith.addi
// CHECK-NEXT: scf.yield

// One barrier an iteration, and one fence.
// ORDER-LABEL: tile.kernel @alone
// ORDER: scf.for
// ORDER: tile.async_wait 2
// ORDER: tile.barrier {async_proxy}
// ORDER: tile.warpgroup_dot
// ORDER-NOT: tile.barrier
// ORDER: tile.copy_async
// ORDER: tile.copy_async
// ORDER: tile.async_commit
// ORDER-NEXT: tile.dot_wait 1
// ORDER-NOT: tile.barrier
// ORDER: scf.yield

// Two blocks of 96 KB have room.
// TWO-LABEL: tile.kernel @alone
// TWO-SAME: shared_bytes = 98304 : i64
// TWO: channel {{.*}} -> !tile.channel<3>

// Slots stay as far from one another as they are, with what lies between them.
// EVERY-LABEL: tile.kernel @alone
// EVERY-SAME: shared_bytes = 229376 : i64
// EVERY: alloc_shared {{.*}} : !tile.shared<5x64x128xf16, #{{.*}}, every 32768>

// Where it is written where slots lie, there is no place for another one.
// OFFSETS-LABEL: tile.kernel @alone
// OFFSETS-SAME: shared_bytes = 131072 : i64
// OFFSETS: channel {{.*}} -> !tile.channel<4>

// No room.
// FULL-LABEL: tile.kernel @alone
// FULL-SAME: shared_bytes = 131072 : i64
// FULL: channel {{.*}} -> !tile.channel<4>
// FULL: scf.for
// FULL: tile.dot_wait 1
// FULL-NEXT: arith.addi
// FULL-NEXT: tile.release
// FULL-NEXT: scf.if
tile.kernel @alone(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %x: f32, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  %pa = tile.splat %A : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>, #ra>
  %pb = tile.splat %A : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>, #rb>
  %zero = tile.splat %x : f32 -> tensor<128x128xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<4x128x64xf16, #a>
  %sb = tile.alloc_shared : !tile.shared<4x64x128xf16, #b>
  %ch = tile.channel %sa, %sb : !tile.shared<4x128x64xf16, #a>, !tile.shared<4x64x128xf16, #b> -> !tile.channel<4>
  %m = arith.cmpi sgt, %n, %c3 : index
  scf.if %m {
    %fa, %fb = tile.acquire %ch[%i0] : !tile.channel<4> -> !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>
    tile.copy_async %pa, %fa {axis = 1 : i64, registers = #ra, vector_width = 8 : i64} : tensor<128x64x!tile.ptr<f16>, #ra>, !tile.shared<128x64xf16, #a>
    tile.copy_async %pb, %fb {axis = 1 : i64, registers = #rb, vector_width = 8 : i64} : tensor<64x128x!tile.ptr<f16>, #rb>, !tile.shared<64x128xf16, #b>
    tile.commit %ch[%i0] : !tile.channel<4>
  }
  scf.if %m {
    %fa, %fb = tile.acquire %ch[%i1] : !tile.channel<4> -> !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>
    tile.copy_async %pa, %fa {axis = 1 : i64, registers = #ra, vector_width = 8 : i64} : tensor<128x64x!tile.ptr<f16>, #ra>, !tile.shared<128x64xf16, #a>
    tile.copy_async %pb, %fb {axis = 1 : i64, registers = #rb, vector_width = 8 : i64} : tensor<64x128x!tile.ptr<f16>, #rb>, !tile.shared<64x128xf16, #b>
    tile.commit %ch[%i1] : !tile.channel<4>
  }
  scf.if %m {
    %fa, %fb = tile.acquire %ch[%i2] : !tile.channel<4> -> !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>
    tile.copy_async %pa, %fa {axis = 1 : i64, registers = #ra, vector_width = 8 : i64} : tensor<128x64x!tile.ptr<f16>, #ra>, !tile.shared<128x64xf16, #a>
    tile.copy_async %pb, %fb {axis = 1 : i64, registers = #rb, vector_width = 8 : i64} : tensor<64x128x!tile.ptr<f16>, #rb>, !tile.shared<64x128xf16, #b>
    tile.commit %ch[%i2] : !tile.channel<4>
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %count = %i0) -> (tensor<128x128xf32, #sums>, i32) {
    %ta, %tb = tile.wait %ch[%count] : !tile.channel<4> -> !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>
    %ahead = arith.addi %count, %i3 : i32
    %k = arith.addi %i, %c3 : index
    %more = arith.cmpi slt, %k, %n : index
    %d = tile.warpgroup_dot %ta, %tb, %s {async} : !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>, tensor<128x128xf32, #sums>
    tile.dot_wait 1
    %last = arith.addi %count, %minus : i32
    tile.release %ch[%last] : !tile.channel<4>
    scf.if %more {
      %fa, %fb = tile.acquire %ch[%ahead] : !tile.channel<4> -> !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>
      tile.copy_async %pa, %fa {axis = 1 : i64, registers = #ra, vector_width = 8 : i64} : tensor<128x64x!tile.ptr<f16>, #ra>, !tile.shared<128x64xf16, #a>
      tile.copy_async %pb, %fb {axis = 1 : i64, registers = #rb, vector_width = 8 : i64} : tensor<64x128x!tile.ptr<f16>, #rb>, !tile.shared<64x128xf16, #b>
      tile.commit %ch[%ahead] : !tile.channel<4>
    }
    %next = arith.addi %count, %i1 : i32
    scf.yield %d, %next : tensor<128x128xf32, #sums>, i32
  }
  %t = tile.dot_wait 0, %r#0 : tensor<128x128xf32, #sums>
  %end = arith.addi %r#1, %minus : i32
  tile.release %ch[%end] : !tile.channel<4>
  tile.return
}
