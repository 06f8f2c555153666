// Every way of writing the two layouts, and the canonical one they print in.

// RUN: tile-opt --split-input-file %s | tile-opt --split-input-file | FileCheck %s
// RUN: tile-opt --split-input-file --mlir-print-op-generic %s | tile-opt --split-input-file | FileCheck %s

// A module attribute serves to show a layout outside of any kernel.

// A product of blocks, innermost first.
// CHECK: tile.a = #tile.register_layout<register[1,4] lane[4,8] warp[8,1] register[2,2]>
module attributes {tile.a = #tile.register_layout<register[1,4] lane[4,8] warp[8,1] register[2,2]>} {}

// -----

// Blocks that one block can say are joined, in the order of the last dimension first.
// CHECK: tile.a = #tile.register_layout<register[1,4] lane[4,8]>
module attributes {tile.a = #tile.register_layout<register[1,2] register[1,2] lane[1,8] lane[4,1]>} {}

// -----

// Copies.
// CHECK: tile.a = #tile.register_layout<lane[1,8] lane*4 warp*2>
module attributes {tile.a = #tile.register_layout<lane[1,8] lane*4 warp*2>} {}

// -----

// A tile of one element: a block of ones shows the rank.
// CHECK: tile.a = #tile.register_layout<register[1,1] lane*32 warp*4>
module attributes {tile.a = #tile.register_layout<lane*32 warp[1,1] warp*4>} {}

// -----

// CHECK: tile.a = #tile.register_layout<register[1]>
module attributes {tile.a = #tile.register_layout<lane[1]>} {}

// -----

// No product: the images of the bits.
// CHECK: tile.a = #tile.register_layout<8x8, register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [1, 1], [2, 0], [4, 0]]>
module attributes {tile.a = #tile.register_layout<8x8, register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 1], [2, 0], [4, 0]]>} {}

// -----

// The images of the bits of a product print as the product.
// CHECK: tile.a = #tile.register_layout<register[1,2] lane[4,1]>
module attributes {tile.a = #tile.register_layout<4x2, lane = [[1, 0], [2, 0]], register = [[0, 1]]>} {}

// -----

// One dimension, and four.
// CHECK: tile.a = #tile.register_layout<register[4] lane[32]>
// CHECK-SAME: tile.b = #tile.register_layout<register[1,1,2,2] lane[2,2,1,8]>
module attributes {tile.a = #tile.register_layout<register[4] lane[32]>,
                   tile.b = #tile.register_layout<register[1,1,2,2] lane[2,2,1,8]>} {}

// -----

// Row-major.
// CHECK: tile.a = #tile.shared_layout<64x64>
module attributes {tile.a = #tile.shared_layout<64x64>} {}

// -----

// An order that is row-major says nothing.
// CHECK: tile.a = #tile.shared_layout<64x64>
module attributes {tile.a = #tile.shared_layout<64x64, order [1, 0]>} {}

// -----

// CHECK: tile.a = #tile.shared_layout<64x32, order [0,1]>
module attributes {tile.a = #tile.shared_layout<64x32, order [0, 1]>} {}

// -----

// CHECK: tile.a = #tile.shared_layout<64x64, pad 4 every 64>
module attributes {tile.a = #tile.shared_layout<64x64, pad 4 every 64>} {}

// -----

// Padding of nothing is none.
// CHECK: tile.a = #tile.shared_layout<64x64>
module attributes {tile.a = #tile.shared_layout<64x64, pad 0 every 64>} {}

// -----

// CHECK: tile.a = #tile.shared_layout<64x64, swizzle<3,2,6>>
module attributes {tile.a = #tile.shared_layout<64x64, swizzle<3,2,6>>} {}

// -----

// All clauses at once, in any order.
// CHECK: tile.a = #tile.shared_layout<64x64, order [0,1], swizzle<3,2,6>, pad 1 every 64>
module attributes {tile.a = #tile.shared_layout<64x64, pad 1 every 64, swizzle<3,2,6>, order [0, 1]>} {}

// -----

// Any bijection, by the images of the bits of the offset.
// CHECK: tile.a = #tile.shared_layout<2x4, bits [c0+r0, c1+r0, r0]>
module attributes {tile.a = #tile.shared_layout<2x4, offset = [[0, 1], [0, 2], [1, 3]]>} {}

// -----

// The same by what each bit of the offset is; runs go up together.
// CHECK: tile.a = #tile.shared_layout<2x4, bits [c0+r0, c1+r0, r0]>
// CHECK-SAME: tile.b = #tile.shared_layout<64x64, bits [c5, r5, c2..4+r2..4, c0..4, r0..1], pad 4 every 64>
// CHECK-SAME: tile.c = #tile.shared_layout<2x8x4, bits [d2.0+d1.2, d1.0..2, d2.1, d2.1+d0.0]>
module attributes {tile.a = #tile.shared_layout<2x4, bits [r0+c0, r0+c1, r0]>,
                   tile.b = #tile.shared_layout<64x64, bits [c5, r5, r2..3+c2..3, c4+r4, c0..4, r0, r1], pad 4 every 64>,
                   tile.c = #tile.shared_layout<2x8x4, bits [d2.0+d1.2, d1.0..2, d2.1, d0.0+d2.1]>} {}

// -----

// Plain orders and the textbook's swizzles print as such.
// CHECK: tile.a = #tile.shared_layout<64x64>
// CHECK-SAME: tile.b = #tile.shared_layout<64x32, order [0,1]>
// CHECK-SAME: tile.c = #tile.shared_layout<8x8, swizzle<2,0,3>>
// CHECK-SAME: tile.d = #tile.shared_layout<1x1>
module attributes {tile.a = #tile.shared_layout<64x64, bits [c0..5, r0..5]>,
                   tile.b = #tile.shared_layout<64x32, bits [r0..5, c0..4]>,
                   tile.c = #tile.shared_layout<8x8, bits [c0..1+r0..1, c2, r0..2]>,
                   tile.d = #tile.shared_layout<1x1, bits []>} {}

// -----

// An offset map that is a swizzle prints as one, with its padding.
// CHECK: tile.a = #tile.shared_layout<2x4, swizzle<1,0,2>, pad 2 every 4>
module attributes {tile.a = #tile.shared_layout<2x4, offset = [[0, 1], [0, 2], [1, 1]], pad 2 every 4>} {}
