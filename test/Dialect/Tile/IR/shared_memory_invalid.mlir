// One broken op for each constraint of shared memory in TileOps.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.alloc_shared, C1: the offset.
tile.kernel @k() {
  // expected-error@+1 {{offset counts bytes in multiples of 16 below 2^31, not 8}}
  %s = tile.alloc_shared {offset = 8 : i64} : !tile.shared<64xf32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{offset counts bytes in multiples of 16 below 2^31, not -16}}
  %s = tile.alloc_shared {offset = -16 : i64} : !tile.shared<64xf32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{offset counts bytes in multiples of 16 below 2^31, not 9223372036854775792}}
  %s = tile.alloc_shared {offset = 9223372036854775792 : i64} : !tile.shared<64xf32>
  tile.return
}

// -----
// C2: the words of `layout`.
tile.kernel @k() {
  // expected-error@+1 {{unknown shared layout policy 'padded'; expected auto, none, pad, pad:N or swizzle}}
  %s = tile.alloc_shared {layout = "padded"} : !tile.shared<64xf32>
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{'0' in shared layout policy 'pad:0' is not a number of elements from 1 to 1048576}}
  %s = tile.alloc_shared {layout = "pad:0"} : !tile.shared<64xf32>
  tile.return
}

// -----
// tile.subview, C1: what a stage is.
tile.kernel @k(%i: index) {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{the source has no leading dimension of stages}}
  %v = tile.subview %s[%i] : !tile.shared<64xf32> -> !tile.shared<64xf32>
  tile.return
}

// -----
tile.kernel @k(%i: index) {
  %s = tile.alloc_shared : !tile.shared<4x64xf32, #tile.shared_layout<4x64>>
  // expected-error@+1 {{the source has no leading dimension of stages}}
  %v = tile.subview %s[%i] : !tile.shared<4x64xf32, #tile.shared_layout<4x64>> -> !tile.shared<64xf32, #tile.shared_layout<64>>
  tile.return
}

// -----
tile.kernel @k(%i: index) {
  %s = tile.alloc_shared : !tile.shared<3x64xf32>
  // expected-error@+1 {{one stage is '!tile.shared<64xf32>'}}
  %v = tile.subview %s[%i] : !tile.shared<3x64xf32> -> !tile.shared<32xf32>
  tile.return
}

// -----
tile.kernel @k(%i: index) {
  %s = tile.alloc_shared : !tile.shared<3x64xf32, #tile.shared_layout<64>>
  // expected-error@+1 {{one stage is '!tile.shared<64xf32, #tile.shared_layout<64>>'}}
  %v = tile.subview %s[%i] : !tile.shared<3x64xf32, #tile.shared_layout<64>> -> !tile.shared<64xf32>
  tile.return
}

// -----
// C2: a stage has no stages.
tile.kernel @k(%i: index) {
  %s = tile.alloc_shared : !tile.shared<4x4x64xf32>
  %v = tile.subview %s[%i] : !tile.shared<4x4x64xf32> -> !tile.shared<4x64xf32>
  // expected-error@+1 {{takes a stage of all stages, not of one stage}}
  %w = tile.subview %v[%i] : !tile.shared<4x64xf32> -> !tile.shared<64xf32>
  tile.return
}

// -----
// tile.local_store, C1: shape and element type.
tile.kernel @k(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  %t = tile.splat %x : f32 -> tensor<32xf32>
  // expected-error@+1 {{tile and shared tile have one shape}}
  tile.local_store %t, %s : tensor<32xf32>, !tile.shared<64xf32>
  tile.return
}

// -----
tile.kernel @k(%x: f16) {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  %t = tile.splat %x : f16 -> tensor<64xf16>
  // expected-error@+1 {{a shared tile of 'f32' holds no elements of type 'f16'}}
  tile.local_store %t, %s : tensor<64xf16>, !tile.shared<64xf32>
  tile.return
}

// -----
// C2: one stage at a time.
tile.kernel @k(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<4x64xf32, #tile.shared_layout<64>>
  %t = tile.splat %x : f32 -> tensor<4x64xf32>
  // expected-error@+1 {{a shared tile with stages is accessed one stage at a time: tile.subview takes one}}
  tile.local_store %t, %s : tensor<4x64xf32>, !tile.shared<4x64xf32, #tile.shared_layout<64>>
  tile.return
}

// -----
// C4.
tile.kernel @k(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  %t = tile.splat %x : f32 -> tensor<64xf32>
  // expected-error@+1 {{vector_width is a power of two from 1 to 16, not 4294967296}}
  tile.local_store %t, %s {vector_width = 4294967296 : i64} : tensor<64xf32>, !tile.shared<64xf32>
  tile.return
}

// -----
// tile.local_load, C1, C2 and C4.
tile.kernel @k() {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{tile and shared tile have one shape}}
  %t = tile.local_load %s : !tile.shared<64xf32> -> tensor<1x64xf32>
  tile.return
}

// -----
tile.kernel @k() {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{a shared tile of 'f32' holds no elements of type 'i32'}}
  %t = tile.local_load %s : !tile.shared<64xf32> -> tensor<64xi32>
  tile.return
}

// -----
tile.kernel @k() {
  %s = tile.alloc_shared : !tile.shared<4x64xf32, #tile.shared_layout<64>>
  // expected-error@+1 {{a shared tile with stages is accessed one stage at a time: tile.subview takes one}}
  %t = tile.local_load %s : !tile.shared<4x64xf32, #tile.shared_layout<64>> -> tensor<4x64xf32>
  tile.return
}

// -----
tile.kernel @k() {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{vector_width is a power of two from 1 to 16, not 12}}
  %t = tile.local_load %s {vector_width = 12 : i64} : !tile.shared<64xf32> -> tensor<64xf32>
  tile.return
}

// -----

// tile.local_gather, C1: one dimension ...
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.alloc_shared : !tile.shared<8x8xf32>
  // expected-error@+1 {{takes elements of a shared tile of one dimension, not of '!tile.shared<8x8xf32>'}}
  %t = tile.local_gather %s[%i] : !tile.shared<8x8xf32>, tensor<64xi32> -> tensor<64xf32>
  tile.return
}

// -----

// ... in order.
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.alloc_shared : !tile.shared<64xf32, #tile.shared_layout<64, swizzle<2,0,3>>>
  // expected-error@+1 {{finds no elements by their numbers in '!tile.shared<64xf32, #tile.shared_layout<64, swizzle<2,0,3>>>', where they are in another order}}
  %t = tile.local_gather %s[%i] : !tile.shared<64xf32, #tile.shared_layout<64, swizzle<2,0,3>>>, tensor<64xi32> -> tensor<64xf32>
  tile.return
}

// -----

// C2: the type of elements.
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{gives elements of '!tile.shared<64xf32>' as 'i32'}}
  %t = tile.local_gather %s[%i] : !tile.shared<64xf32>, tensor<64xi32> -> tensor<64xi32>
  tile.return
}

// -----

// tile.local_count, C1: two dimensions ...
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.alloc_shared : !tile.shared<64xi32>
  // expected-error@+1 {{counts in rows of a shared tile of two dimensions, not of '!tile.shared<64xi32>'}}
  tile.local_count %i, %s : tensor<64xi32>, !tile.shared<64xi32>
  tile.return
}

// -----

// ... with rows in order.
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.alloc_shared : !tile.shared<64x8xi32, #tile.shared_layout<64x8, swizzle<2,0,3>>>
  // expected-error@+1 {{finds no rows by their numbers in '!tile.shared<64x8xi32, #tile.shared_layout<64x8, swizzle<2,0,3>>>', where they are in another order}}
  tile.local_count %i, %s : tensor<64xi32>, !tile.shared<64x8xi32, #tile.shared_layout<64x8, swizzle<2,0,3>>>
  tile.return
}

// -----

// C2: counters of i32.
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.alloc_shared : !tile.shared<64x8xf32>
  // expected-error@+1 {{has counters of i32, not those of '!tile.shared<64x8xf32>'}}
  tile.local_count %i, %s : tensor<64xi32>, !tile.shared<64x8xf32>
  tile.return
}

// -----

// Numbers of i32.
tile.kernel @k() {
  %i = tile.iota 0 : tensor<64xi64>
  %s = tile.alloc_shared : !tile.shared<64x8xi32>
  // expected-error@+1 {{operand #0 must be a tile}}
  tile.local_count %i, %s : tensor<64xi64>, !tile.shared<64x8xi32>
  tile.return
}

// -----

// tile.barrier, C2: of each warpgroup, or of some warps.
tile.kernel @two_kinds() attributes {num_warps = 8 : i32} {
  // expected-error @below {{is of each warpgroup, or of some warps, not both}}
  tile.barrier {each_warpgroup, warps = 8 : i32}
  tile.return
}

// -----

// C2: no warpgroup.
tile.kernel @half_a_warpgroup() attributes {num_warps = 2 : i32} {
  // expected-error @below {{is of warpgroups, of 4 warps each; the kernel has 2 warps}}
  tile.barrier {each_warpgroup}
  tile.return
}

// -----

// C3: of each warp, and of warps.
tile.kernel @warp_of_warps() {
  // expected-error @below {{is of each warp, and says nothing else}}
  tile.barrier {each_warp, warps = 4 : i32}
  tile.return
}
