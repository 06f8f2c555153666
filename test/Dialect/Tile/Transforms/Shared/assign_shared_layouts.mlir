// The layout of a shared tile, for each policy.

// RUN: tile-opt --tile-assign-shared-layouts %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: tile-opt --tile-assign-shared-layouts=layout=none %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tile-opt --tile-assign-shared-layouts=layout=pad %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,PAD
// RUN: tile-opt --tile-assign-shared-layouts=layout=pad:4 %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,PAD4
// RUN: tile-opt --tile-assign-shared-layouts=layout=swizzle %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,SWIZZLE
// RUN: tile-opt --tile-assign-shared-layouts %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,2]>
#columns = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[2,1] register[1,4]>

// Written by rows, read by columns. A thread of either holds elements that are 32 rows or columns apart: side by side,
// they are vectors for both. The reason goes with the tile, for reports, and is a remark.
// CHECK-LABEL: tile.kernel @transpose
// AUTO: alloc_shared {tile.layout_reason = "general swizzle costs 256 wavefronts (the ideal) in 64 instructions
// AUTO-SAME: !tile.shared<64x64xf32, #[[G:.*]]>
// NONE: alloc_shared {{.*}} !tile.shared<64x64xf32, #tile.shared_layout<64x64>>
// PAD: alloc_shared {{.*}} !tile.shared<64x64xf32, #tile.shared_layout<64x64, {{.*}}pad {{[0-9]+}} every 64>>
// PAD4: alloc_shared {{.*}} !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 4 every 64>>
// SWIZZLE: alloc_shared {{.*}} !tile.shared<64x64xf32, #[[G:.*]]>
// The accesses have the type of the tile.
// AUTO: local_store {{.*}}, !tile.shared<64x64xf32, #[[G]]>
// AUTO: local_load {{.*}} : !tile.shared<64x64xf32, #[[G]]>
// REMARK: assign_shared_layouts.mlir:[[@LINE+2]]:8: remark: general swizzle costs 256 wavefronts (the ideal) in 64 instructions for 16384 bytes; as is: {{[0-9]+}} in {{[0-9]+}} instructions; best swizzle swizzle<3,2,6>
tile.kernel @transpose(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  // What that is for each access stands there.
  // REMARK: assign_shared_layouts.mlir:[[@LINE+1]]:3: remark: access 0 of the tile: 128 wavefronts (ideal: 128) in 32 instructions
  tile.local_store %t, %s : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  // REMARK: assign_shared_layouts.mlir:[[@LINE+1]]:8: remark: access 1 of the tile: 128 wavefronts (ideal: 128) in 32 instructions
  %u = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #columns>
  tile.return
}

// What the tile says wins over the option.
// CHECK-LABEL: tile.kernel @pinned
// CHECK: alloc_shared {layout = "pad:2", {{.*}} !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 2 every 64>>
// CHECK: alloc_shared {layout = "none", {{.*}} !tile.shared<64x64xf32, #tile.shared_layout<64x64>>
// CHECK: alloc_shared {layout = "swizzle", {{.*}} !tile.shared<64x64xf32, #{{.*}}>
tile.kernel @pinned(%x: f32) {
  %a = tile.alloc_shared {layout = "pad:2"} : !tile.shared<64x64xf32>
  %b = tile.alloc_shared {layout = "none"} : !tile.shared<64x64xf32>
  %c = tile.alloc_shared {layout = "swizzle"} : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %a : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  tile.local_store %t, %b : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  tile.local_store %t, %c : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %u = tile.local_load %c : !tile.shared<64x64xf32> -> tensor<64x64xf32, #columns>
  tile.return
}

// A layout that is written in the type is final, and says no reason.
// CHECK-LABEL: tile.kernel @final
// CHECK: alloc_shared : !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 3 every 64>>
tile.kernel @final(%x: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 3 every 64>>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %a : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 3 every 64>>
  tile.return
}

// Of a tile with stages the layout is that of one stage; subviews carry it.
// CHECK-LABEL: tile.kernel @stages
// AUTO: alloc_shared {{.*}} !tile.shared<3x64x64xf32, #[[L:.*]]>
// AUTO: subview {{.*}} : !tile.shared<3x64x64xf32, #[[L]]> -> !tile.shared<64x64xf32, #[[L]]>
tile.kernel @stages(%x: f32, %i: index) {
  %s = tile.alloc_shared : !tile.shared<3x64x64xf32>
  %v = tile.subview %s[%i] : !tile.shared<3x64x64xf32> -> !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %v : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %u = tile.local_load %v : !tile.shared<64x64xf32> -> tensor<64x64xf32, #columns>
  tile.return
}

// A width that only some layouts allow leaves only those: pad:1 would cut a vector of 4 apart.
// CHECK-LABEL: tile.kernel @required
// PAD: alloc_shared {{.*}}pad {{4|8|16}} every 64>
tile.kernel @required(%x: f32) {
  %p = tile.alloc_shared {layout = "pad"} : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %p {vector_width = 4 : i64} : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %u = tile.local_load %p : !tile.shared<64x64xf32> -> tensor<64x64xf32, #columns>
  tile.return
}

#columns32 = #tile.register_layout<register[4,1] lane[16,1] lane[1,2] warp[1,4] register[1,4]>
// Where no choice is left, the tile lies as the vectors do that are asked for; pads stand behind its columns then.
// CHECK-LABEL: tile.kernel @required_columns
// NONE: alloc_shared {{.*}} !tile.shared<64x32xf32, #tile.shared_layout<64x32, order [0,1]>>
// PAD4: alloc_shared {{.*}} !tile.shared<64x32xf32, #tile.shared_layout<64x32, order [0,1], pad 4 every 64>>
// What nobody asks for leaves it row-major.
// NONE: alloc_shared {{.*}} !tile.shared<64x32xf32, #tile.shared_layout<64x32>>
// PAD4: alloc_shared {{.*}} !tile.shared<64x32xf32, #tile.shared_layout<64x32, pad 4 every 32>>
tile.kernel @required_columns(%x: f32) {
  %p = tile.alloc_shared : !tile.shared<64x32xf32>
  %q = tile.alloc_shared : !tile.shared<64x32xf32>
  %t = tile.splat %x : f32 -> tensor<64x32xf32, #columns32>
  tile.local_store %t, %p {vector_width = 4 : i64} : tensor<64x32xf32, #columns32>, !tile.shared<64x32xf32>
  tile.local_store %t, %q : tensor<64x32xf32, #columns32>, !tile.shared<64x32xf32>
  tile.return
}

// A tile that nothing uses is row-major, with stages or without.
// CHECK-LABEL: tile.kernel @unused
// AUTO: alloc_shared {{.*}} !tile.shared<64x64xf32, #tile.shared_layout<64x64>>
// AUTO: alloc_shared {{.*}} !tile.shared<3x64xf32, #tile.shared_layout<64>>
tile.kernel @unused() {
  %a = tile.alloc_shared : !tile.shared<64x64xf32>
  %b = tile.alloc_shared : !tile.shared<3x64xf32>
  tile.return
}

// Trips weigh: the column access runs 1024 times, the row access once.
// CHECK-LABEL: tile.kernel @trips
// A general swizzle would need 96 instructions fewer, but moves between registers in every trip.
// AUTO: alloc_shared {tile.layout_reason = "column-major swizzle<3,2,6> costs 131200 wavefronts (the ideal)
tile.kernel @trips(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %s : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  scf.for %i = %c0 to %c1024 step %c1 {
    %u = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #columns>
  }
  tile.return
}

// Elements of 2 bytes, 8 of a row in a thread before, 8 of a column after: no layout serves both by vectors, but
// ldmatrix transposes. Where a layout is asked for, a load stays what it is; so does one whose vectors are.
#rows16 = #tile.register_layout<register[1,8] lane[8,4] warp[4,1]>
#columns16 = #tile.register_layout<register[8,1] lane[4,1] lane[1,8] warp[1,4]>
// CHECK-LABEL: tile.kernel @transpose_16_bits
// AUTO: alloc_shared {tile.layout_reason = "{{[^"]*}}, ldmatrix costs 32 wavefronts in 8 instructions for 2048 bytes; with ordinary loads, swizzle<2,3,5> costs 48 wavefronts
// AUTO: local_load {{.*}} {matrix}
// NONE-NOT: {matrix}
// PAD-NOT: {matrix}
// PAD4-NOT: {matrix}
// SWIZZLE-NOT: {matrix}
// CHECK: local_load {{.*}} {vector_width = 1 : i64}
// CHECK: return
tile.kernel @transpose_16_bits(%x: f16) {
  %s = tile.alloc_shared : !tile.shared<32x32xf16>
  %r = tile.alloc_shared : !tile.shared<32x32xf16>
  %t = tile.splat %x : f16 -> tensor<32x32xf16, #rows16>
  tile.local_store %t, %s : tensor<32x32xf16, #rows16>, !tile.shared<32x32xf16>
  tile.local_store %t, %r : tensor<32x32xf16, #rows16>, !tile.shared<32x32xf16>
  %u = tile.local_load %s : !tile.shared<32x32xf16> -> tensor<32x32xf16, #columns16>
  %v = tile.local_load %r {vector_width = 1 : i64} : !tile.shared<32x32xf16> -> tensor<32x32xf16, #columns16>
  tile.return
}
