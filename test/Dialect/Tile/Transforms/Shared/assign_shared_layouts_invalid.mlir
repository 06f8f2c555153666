// What keeps a shared tile from a layout.

// RUN: tile-opt --tile-assign-shared-layouts --split-input-file --verify-diagnostics %s
// RUN: not tile-opt --tile-assign-shared-layouts=layout=zigzag --split-input-file %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: unknown shared layout policy 'zigzag'; expected auto, none, pad, pad:N or swizzle

tile.kernel @unplaced(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32>
  // expected-error@+1 {{needs a register layout before a shared layout can be chosen: run tile-assign-register-layouts}}
  tile.local_store %t, %s : tensor<64x64xf32>, !tile.shared<64x64xf32>
  tile.return
}

// -----

// A thread holds no two neighbours, along no dimension.
#scattered = #tile.register_layout<lane[8,4] warp[4,1] register[2,16]>
tile.kernel @no_run(%x: f32) {
  // expected-note@+1 {{the shared tile}}
  %s = tile.alloc_shared {layout = "none"} : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #scattered>
  // expected-error@+1 {{needs vectors of 4 elements (16 bytes), but a thread holds runs of 1 element}}
  tile.local_store %t, %s {vector_width = 4 : i64} : tensor<64x64xf32, #scattered>, !tile.shared<64x64xf32>
  tile.return
}

// -----

// The padding that is asked for cuts vectors of 4 apart: the error is at the access that wants them.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,2]>
tile.kernel @padding(%x: f32) {
  // expected-note@+1 {{the shared tile}}
  %s = tile.alloc_shared {layout = "pad:1"} : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %s : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  // expected-error@+1 {{no shared layout of policy 'pad:1' serves all accesses: pad:1: access 1 needs vectors of 4 elements (16 bytes), but}}
  %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<64x64xf32> -> tensor<64x64xf32, #rows>
  tile.return
}

// -----

// Vectors along both dimensions are in no order of them.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,2]>
#columns = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[2,1] register[1,4]>
tile.kernel @both_ways(%x: f32) {
  // expected-note@+1 {{the shared tile}}
  %s = tile.alloc_shared {layout = "none"} : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %s {vector_width = 4 : i64} : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  // expected-error@+1 {{no shared layout of policy 'none' serves all accesses: as is: access 1 needs vectors of 4 elements (16 bytes), but}}
  %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<64x64xf32> -> tensor<64x64xf32, #columns>
  tile.return
}

// -----

// 32 bytes are no instruction.
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
tile.kernel @too_wide(%x: f32) {
  // expected-note@+1 {{the shared tile}}
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  // expected-error@+1 {{no instruction moves vectors of 8 elements of 4 bytes}}
  tile.local_store %t, %s {vector_width = 8 : i64} : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  tile.return
}

// -----

// More than any GPU has.
tile.kernel @huge() {
  // expected-error@+1 {{the shared tile is larger than 1048576 bytes}}
  %s = tile.alloc_shared : !tile.shared<4096x4096xf32>
  tile.return
}

// -----

// All of a tile, and stages of it.
#a = #tile.register_layout<register[4,1] lane[1,32] warp[1,2] warp*2>
tile.kernel @whole_and_stage(%x: f32, %i: index) {
  %s = tile.alloc_shared : !tile.shared<4x64xf32>
  %t = tile.splat %x : f32 -> tensor<4x64xf32, #a>
  // expected-error@+1 {{accesses all stages of a tile of which others take one: it has one layout, so use tile.subview everywhere or nowhere}}
  tile.local_store %t, %s : tensor<4x64xf32, #a>, !tile.shared<4x64xf32>
  %v = tile.subview %s[%i] : !tile.shared<4x64xf32> -> !tile.shared<64xf32>
  tile.return
}

// -----

// Shared tiles are no values to pass on.
tile.kernel @select(%c: i1) {
  %a = tile.alloc_shared : !tile.shared<64xf32>
  %b = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{a shared tile is only loaded, stored, multiplied and subviewed; it is no value to pass on}}
  %s = arith.select %c, %a, %b : !tile.shared<64xf32>
  tile.return
}

// -----

tile.kernel @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc_shared : !tile.shared<64xf32>
  %b = tile.alloc_shared : !tile.shared<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (!tile.shared<64xf32>, !tile.shared<64xf32>) {
    // expected-error@+1 {{a shared tile is only loaded, stored, multiplied and subviewed; it is no value to pass on}}
    scf.yield %y, %x : !tile.shared<64xf32>, !tile.shared<64xf32>
  }
  tile.return
}

// -----

tile.kernel @stage_out_of_range() {
  %c3 = arith.constant 3 : index
  %s = tile.alloc_shared : !tile.shared<3x64xf32>
  // expected-error@+1 {{stage 3 is none of the 3 stages of the tile, 0 to 2}}
  %v = tile.subview %s[%c3] : !tile.shared<3x64xf32> -> !tile.shared<64xf32>
  tile.return
}

// -----

tile.kernel @negative_stage() {
  %stage = arith.constant -1 : index
  %s = tile.alloc_shared : !tile.shared<3x64xf32>
  // expected-error@+1 {{stage -1 is none of the 3 stages of the tile, 0 to 2}}
  %v = tile.subview %s[%stage] : !tile.shared<3x64xf32> -> !tile.shared<64xf32>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>

// Bytes are read by rows along K, which cannot be both dimensions.
tile.kernel @both_ways(%i: i32) {
  %c = tile.splat %i : i32 -> tensor<64x64xi32, #sums>
  // expected-error@+1 {{products sum over both dimensions of this tile; elements of 'i8' are read by rows along one only}}
  %s = tile.alloc_shared : !tile.shared<64x64xi8>
  %d = tile.warpgroup_dot %s, %s, %c : !tile.shared<64x64xi8>, !tile.shared<64x64xi8>, tensor<64x64xi32, #sums>
  tile.return
}

// -----

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>

// The hardware has no padding.
tile.kernel @pinned(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  // expected-error@+1 {{a product reads this tile where it lies, in a layout of the hardware: it cannot have 'pad:1'}}
  %s = tile.alloc_shared {layout = "pad:1"} : !tile.shared<64x64xf16>
  %d = tile.warpgroup_dot %s, %s, %c : !tile.shared<64x64xf16>, !tile.shared<64x64xf16>, tensor<64x64xf32, #sums>
  tile.return
}
