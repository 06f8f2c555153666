// Products under way with one left operand are made by one instruction, and their right tiles stand in a row in each stage.

// RUN: tile-opt --split-input-file --tile-join-dots %s | FileCheck %s
// RUN: tile-opt --split-input-file --tile-join-dots --tile-allocate-shared %s | FileCheck %s --check-prefix=BYTES

#a = #tile.shared_layout<64x64, swizzle<3,3,3>>
#wide = #tile.shared_layout<64x128, bits [c0..2, c3..5+r0..2, r0..5, c6]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,16] warp[4,1]>
#rest = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>

// What stands between them moves behind.
// CHECK-LABEL: tile.kernel @pair
// CHECK: %[[B:.*]] = alloc_shared : !tile.shared<2x64x128xf16, {{.*}}, every 24576>
// CHECK: %[[C:.*]] = alloc_shared : !tile.shared<2x64x64xf16, {{.*}}, every 24576>
// CHECK: %[[D:.*]] = warpgroup_dot %[[A:.*]], %{{.*}}, %{{.*}} {async}
// CHECK-NEXT: %[[E:.*]] = warpgroup_dot %[[A]], %{{.*}}, %{{.*}} {async, joined}
// CHECK-NEXT: program_id
// CHECK: dot_wait 0, %[[D]], %[[E]]

// BYTES-LABEL: tile.kernel @pair
// BYTES-SAME: shared_bytes = 65536
// BYTES: alloc_shared {offset = 0 : i64} : !tile.shared<2x64x128xf16, {{.*}}, every 24576>
// BYTES: alloc_shared {offset = 16384 : i64} : !tile.shared<2x64x64xf16, {{.*}}, every 24576>
// BYTES: alloc_shared {offset = 49152 : i64} : !tile.shared<2x64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
tile.kernel @pair(%x: f32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc_shared : !tile.shared<2x64x128xf16, #wide>
  %c = tile.alloc_shared : !tile.shared<2x64x64xf16, #a>
  %a = tile.alloc_shared : !tile.shared<2x64x64xf16, #a>
  %channel = tile.channel %a, %b, %c : !tile.shared<2x64x64xf16, #a>, !tile.shared<2x64x128xf16, #wide>, !tile.shared<2x64x64xf16, #a> -> !tile.channel<2>
  %f:3 = tile.acquire %channel[%zero] : !tile.channel<2> -> !tile.shared<64x64xf16, #a>, !tile.shared<64x128xf16, #wide>, !tile.shared<64x64xf16, #a>
  tile.commit %channel[%zero] : !tile.channel<2>
  %t:3 = tile.wait %channel[%zero] : !tile.channel<2> -> !tile.shared<64x64xf16, #a>, !tile.shared<64x128xf16, #wide>, !tile.shared<64x64xf16, #a>
  %s = tile.splat %x : f32 -> tensor<64x128xf32, #sums>
  %r = tile.splat %x : f32 -> tensor<64x64xf32, #rest>
  %d = tile.warpgroup_dot %t#0, %t#1, %s {async} : !tile.shared<64x64xf16, #a>, !tile.shared<64x128xf16, #wide>, tensor<64x128xf32, #sums>
  %i = tile.program_id 0
  %e = tile.warpgroup_dot %t#0, %t#2, %r {async} : !tile.shared<64x64xf16, #a>, !tile.shared<64x64xf16, #a>, tensor<64x64xf32, #rest>
  %u:2 = tile.dot_wait 0, %d, %e : tensor<64x128xf32, #sums>, tensor<64x64xf32, #rest>
  tile.release %channel[%zero] : !tile.channel<2>
  tile.return
}

// -----

#a = #tile.shared_layout<64x64, swizzle<3,3,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>

// Not of two left operands, nor of one right tile twice, nor where one is waited for at once.
// CHECK-LABEL: tile.kernel @apart
// CHECK-NOT: joined
// CHECK-NOT: every
tile.kernel @apart(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16, #a>
  %o = tile.alloc_shared : !tile.shared<64x64xf16, #a>
  %b = tile.alloc_shared : !tile.shared<64x64xf16, #a>
  %c = tile.alloc_shared : !tile.shared<64x64xf16, #a>
  %s = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %r = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %q = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %d = tile.warpgroup_dot %a, %b, %s {async} : !tile.shared<64x64xf16, #a>, !tile.shared<64x64xf16, #a>, tensor<64x64xf32, #sums>
  %e = tile.warpgroup_dot %o, %c, %r {async} : !tile.shared<64x64xf16, #a>, !tile.shared<64x64xf16, #a>, tensor<64x64xf32, #sums>
  %f = tile.warpgroup_dot %o, %c, %q {async} : !tile.shared<64x64xf16, #a>, !tile.shared<64x64xf16, #a>, tensor<64x64xf32, #sums>
  %u:3 = tile.dot_wait 0, %d, %e, %f : tensor<64x64xf32, #sums>, tensor<64x64xf32, #sums>, tensor<64x64xf32, #sums>
  %g = tile.warpgroup_dot %a, %b, %u#0 : !tile.shared<64x64xf16, #a>, !tile.shared<64x64xf16, #a>, tensor<64x64xf32, #sums>
  %h = tile.warpgroup_dot %a, %c, %u#1 : !tile.shared<64x64xf16, #a>, !tile.shared<64x64xf16, #a>, tensor<64x64xf32, #sums>
  tile.return
}

// -----

#a = #tile.shared_layout<64x64, swizzle<2,4,3>>
#b = #tile.shared_layout<64x64, order [0,1], swizzle<2,4,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>

// An instruction reads all of B as 8-bit floats of one type.
// CHECK-LABEL: tile.kernel @of_other_types
// CHECK-NOT: joined
// CHECK-NOT: every
tile.kernel @of_other_types(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf8E4M3FN, #a>
  %b = tile.alloc_shared : !tile.shared<64x64xf8E4M3FN, #b>
  %c = tile.alloc_shared : !tile.shared<64x64xf8E5M2, #b>
  %s = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %r = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %d = tile.warpgroup_dot %a, %b, %s {async, imprecise = 128 : i64} : !tile.shared<64x64xf8E4M3FN, #a>, !tile.shared<64x64xf8E4M3FN, #b>, tensor<64x64xf32, #sums>
  %e = tile.warpgroup_dot %a, %c, %r {async, imprecise = 128 : i64} : !tile.shared<64x64xf8E4M3FN, #a>, !tile.shared<64x64xf8E5M2, #b>, tensor<64x64xf32, #sums>
  %u:2 = tile.dot_wait 0, %d, %e : tensor<64x64xf32, #sums>, tensor<64x64xf32, #sums>
  tile.return
}

// -----

#a = #tile.shared_layout<64x64, swizzle<2,4,3>>
#b = #tile.shared_layout<64x64, order [0,1], swizzle<2,4,3>>
#c = #tile.shared_layout<64x16, order [0,1], swizzle<2,4,3>>
#d = #tile.shared_layout<64x8, order [0,1], swizzle<2,4,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#some = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[4,1]>
#few = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1]>

// Of bytes there are instructions for 80 columns, and for 24, but none for all 88.
// CHECK-LABEL: tile.kernel @of_columns_that_are_too_many
// CHECK: alloc_shared : !tile.shared<64x64xi8, {{.*}}, every 5120>
// CHECK: alloc_shared : !tile.shared<64x16xi8, {{.*}}, every 5120>
// CHECK: alloc_shared : !tile.shared<64x8xi8, #tile.shared_layout<64x8, order [0,1], swizzle<2,4,3>>>{{$}}
// CHECK: warpgroup_dot {{.*}} {async} : {{.*}} tensor<64x64xi32,
// CHECK-NEXT: warpgroup_dot {{.*}} {async, joined} : {{.*}} tensor<64x16xi32,
// CHECK-NEXT: warpgroup_dot {{.*}} {async} : {{.*}} tensor<64x8xi32,
tile.kernel @of_columns_that_are_too_many(%x: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xi8, #a>
  %b = tile.alloc_shared : !tile.shared<64x64xi8, #b>
  %c = tile.alloc_shared : !tile.shared<64x16xi8, #c>
  %d = tile.alloc_shared : !tile.shared<64x8xi8, #d>
  %r = tile.splat %x : i32 -> tensor<64x64xi32, #sums>
  %s = tile.splat %x : i32 -> tensor<64x16xi32, #some>
  %t = tile.splat %x : i32 -> tensor<64x8xi32, #few>
  %e = tile.warpgroup_dot %a, %b, %r {async} : !tile.shared<64x64xi8, #a>, !tile.shared<64x64xi8, #b>, tensor<64x64xi32, #sums>
  %f = tile.warpgroup_dot %a, %c, %s {async} : !tile.shared<64x64xi8, #a>, !tile.shared<64x16xi8, #c>, tensor<64x16xi32, #some>
  %g = tile.warpgroup_dot %a, %d, %t {async} : !tile.shared<64x64xi8, #a>, !tile.shared<64x8xi8, #d>, tensor<64x8xi32, #few>
  %u:3 = tile.dot_wait 0, %e, %f, %g : tensor<64x64xi32, #sums>, tensor<64x16xi32, #some>, tensor<64x8xi32, #few>
  tile.return
}
