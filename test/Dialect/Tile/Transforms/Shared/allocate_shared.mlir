// Bytes of shared tiles: those that do not live at the same time share them.

// RUN: tile-opt --tile-allocate-shared --split-input-file %s | FileCheck %s

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>

// One after the other: the same bytes.
// CHECK-LABEL: tile.kernel @reuse
// CHECK-SAME: shared_bytes = 4096 : i64
// CHECK: alloc_shared {offset = 0 : i64}
// CHECK: alloc_shared {offset = 0 : i64}
tile.kernel @reuse(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
  %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  tile.local_store %u, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %v = tile.local_load %b : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// Lives that overlap: bytes of their own.
// CHECK-LABEL: tile.kernel @overlap
// CHECK-SAME: shared_bytes = 8192 : i64
// CHECK: alloc_shared {offset = 0 : i64}
// CHECK: alloc_shared {offset = 4096 : i64}
tile.kernel @overlap(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
  %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.local_store %t, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  %v = tile.local_load %b : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// What a loop reads again lives through the loop, though it is read before the other is written.
// CHECK-LABEL: tile.kernel @loop
// CHECK-SAME: shared_bytes = 8192 : i64
tile.kernel @loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
    %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
    tile.local_store %u, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  }
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// Tiles of one iteration each: the second may take the bytes of the first.
// CHECK-LABEL: tile.kernel @in_loop
// CHECK-SAME: shared_bytes = 4096 : i64
tile.kernel @in_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
    %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
    tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
    %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
    tile.local_store %u, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
    %v = tile.local_load %b : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  }
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// The two sides of a branch never live at once.
// CHECK-LABEL: tile.kernel @branch
// CHECK-SAME: shared_bytes = 4096 : i64
tile.kernel @branch(%x: f32, %c: i1) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
  %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
  scf.if %c {
    tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
    %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  } else {
    tile.local_store %t, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
    %u = tile.local_load %b : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  }
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
#p = #tile.shared_layout<4x2, pad 1 every 2>
#q = #tile.register_layout<lane[4,2] lane*4 warp*4>
// Padding counts; a tile begins at a whole line of 128 bytes, bank 0, and the sum ends with the last tile.
// (4 * 2 + 3) * 4 = 44 bytes, up to a multiple of 16.
// CHECK-LABEL: tile.kernel @padded
// CHECK-SAME: shared_bytes = 4144 : i64
// CHECK: alloc_shared {offset = 4096 : i64} : !tile.shared<4x2xf32
// CHECK: alloc_shared {offset = 0 : i64} : !tile.shared<1024xf32
tile.kernel @padded(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %y = tile.splat %x : f32 -> tensor<4x2xf32, #q>
  %a = tile.alloc_shared : !tile.shared<4x2xf32, #p>
  %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
  tile.local_store %y, %a : tensor<4x2xf32, #q>, !tile.shared<4x2xf32, #p>
  tile.local_store %t, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %u = tile.local_load %a : !tile.shared<4x2xf32, #p> -> tensor<4x2xf32, #q>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// Stages stand one behind the other, and live as long as any of them.
// CHECK-LABEL: tile.kernel @stages
// CHECK-SAME: shared_bytes = 12288 : i64
tile.kernel @stages(%x: f32, %i: index) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared : !tile.shared<3x1024xf32, #s>
  %v = tile.subview %a[%i] : !tile.shared<3x1024xf32, #s> -> !tile.shared<1024xf32, #s>
  tile.local_store %t, %v : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// Offsets that are written stand; the others go around them.
// CHECK-LABEL: tile.kernel @fixed
// CHECK-SAME: shared_bytes = 8208 : i64
// CHECK: alloc_shared {offset = 4112 : i64}
// CHECK: alloc_shared {offset = 0 : i64}
tile.kernel @fixed(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared {offset = 4112 : i64} : !tile.shared<1024xf32, #s>
  %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.local_store %t, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  %v = tile.local_load %b : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// Two tiles at one fixed place, one after the other.
// CHECK-LABEL: tile.kernel @fixed_reuse
// CHECK-SAME: shared_bytes = 4096 : i64
tile.kernel @fixed_reuse(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1024xf32, #s>
  %b = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1024xf32, #s>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  tile.local_store %u, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.return
}

// -----

// No tile, no bytes.
// CHECK-LABEL: tile.kernel @none
// CHECK-SAME: shared_bytes = 0 : i64
tile.kernel @none() {
  tile.return
}

// -----

// Few bytes are not shared, since that would take a barrier.
// RUN: tile-opt --tile-allocate-shared=free-bytes=8192 --split-input-file %s | FileCheck %s --check-prefix=FREE
// FREE-LABEL: tile.kernel @reuse
// FREE-SAME: shared_bytes = 8192 : i64
// FREE-LABEL: tile.kernel @large
// FREE-SAME: shared_bytes = 8192 : i64
#l = #tile.register_layout<register[64] lane[32] warp*4>
#s = #tile.shared_layout<2048>
tile.kernel @large(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<2048xf32, #l>
  %a = tile.alloc_shared : !tile.shared<2048xf32, #s>
  %b = tile.alloc_shared : !tile.shared<2048xf32, #s>
  tile.local_store %t, %a : tensor<2048xf32, #l>, !tile.shared<2048xf32, #s>
  %u = tile.local_load %a : !tile.shared<2048xf32, #s> -> tensor<2048xf32, #l>
  tile.local_store %u, %b : tensor<2048xf32, #l>, !tile.shared<2048xf32, #s>
  %v = tile.local_load %b : !tile.shared<2048xf32, #s> -> tensor<2048xf32, #l>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#one = #tile.shared_layout<32>
#a = #tile.shared_layout<64x64, swizzle<3,3,3>>
#b = #tile.shared_layout<64x32, swizzle<2,3,3>>

// What a product reads in a mode of 128 bytes begins at a multiple of 1024.
// CHECK-LABEL: tile.kernel @product
// CHECK: alloc_shared {offset = 0 : i64} : !tile.shared<32xf32
// CHECK: alloc_shared {offset = 1024 : i64} : !tile.shared<64x64xf16
// CHECK: alloc_shared {offset = 9216 : i64} : !tile.shared<64x32xf16
tile.kernel @product(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %x : f32 -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32xf32, #one>
  %sa = tile.alloc_shared : !tile.shared<64x64xf16, #a>
  %sb = tile.alloc_shared : !tile.shared<64x32xf16, #b>
  tile.local_store %t, %s : tensor<32xf32, #tile.register_layout<lane[32] warp*4>>, !tile.shared<32xf32, #one>
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x64xf16, #a>, !tile.shared<64x32xf16, #b>, tensor<64x32xf32, #sums>
  %u = tile.local_load %s : !tile.shared<32xf32, #one> -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// The tiles of a channel live from its first hand-over to its last, also where nothing reads them: the second tile may only have
// the bytes of what is behind it.
// CHECK-LABEL: tile.kernel @channel
// CHECK-SAME: shared_bytes = 12288 : i64
// CHECK: alloc_shared {offset = 0 : i64}
// CHECK: alloc_shared {offset = 8192 : i64}
// CHECK: alloc_shared {offset = 0 : i64}
tile.kernel @channel(%x: f32, %n: i32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %a = tile.alloc_shared : !tile.shared<2x1024xf32, #s>
  %b = tile.alloc_shared : !tile.shared<1024xf32, #s>
  %d = tile.alloc_shared : !tile.shared<1024xf32, #s>
  %c = tile.channel %a : !tile.shared<2x1024xf32, #s> -> !tile.channel<2>
  %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<1024xf32, #s>
  tile.local_store %t, %f : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.commit %c[%n] : !tile.channel<2>
  tile.local_store %t, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<1024xf32, #s>
  tile.release %c[%n] : !tile.channel<2>
  tile.local_store %t, %d : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.return
}
