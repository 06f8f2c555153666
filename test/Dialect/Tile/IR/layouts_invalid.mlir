// Layouts that are none, by the constraints of TileAttrs.td and by their syntax.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C1 of register layouts: extents are powers of two, one or more.
// expected-error@+1 {{has an extent that is not a power of two up to 2^31}}
module attributes {tile.a = #tile.register_layout<register[1,3] lane[1,32]>} {}

// -----
// expected-error@+1 {{has an extent that is not a power of two up to 2^31}}
module attributes {tile.a = #tile.register_layout<register[0] lane[32]>} {}

// -----
// expected-error@+1 {{has an extent that is not a power of two up to 2^31}}
module attributes {tile.a = #tile.register_layout<register[-4] lane[32]>} {}

// -----
// expected-error@+1 {{integer value too large}}
module attributes {tile.a = #tile.register_layout<register[99999999999999999999] lane[32]>} {}

// -----
// expected-error@+1 {{the factors cover more than 2^31 elements of dimension 0}}
module attributes {tile.a = #tile.register_layout<register[2147483648] lane[32]>} {}

// -----
// expected-error@+1 {{has a number of copies that is not a power of two up to 2^31}}
module attributes {tile.a = #tile.register_layout<lane[8] lane*3>} {}

// -----
// expected-error@+1 {{has a number of copies that is not a power of two up to 2^31}}
module attributes {tile.a = #tile.register_layout<lane[8] lane*0>} {}

// -----
// expected-error@+1 {{extent 3 of dimension 0 is not a power of two}}
module attributes {tile.a = #tile.register_layout<3x4, lane = [[0, 1]]>} {}

// -----
// expected-error@+1 {{a layout has at least one dimension}}
module attributes {tile.a = #tile.register_layout<register[]>} {}

// -----
// expected-error@+1 {{a layout needs a block with extents, as in lane[1,32]}}
module attributes {tile.a = #tile.register_layout<lane*32>} {}

// -----
// expected-error@+1 {{all blocks of a layout have one rank}}
module attributes {tile.a = #tile.register_layout<register[4] lane[1,32]>} {}

// -----
// C2: the inputs, and how many values they have.
// expected-error@+1 {{expected register, lane or warp, found 'thread'}}
module attributes {tile.a = #tile.register_layout<thread[32]>} {}

// -----
// expected-error@+1 {{a register layout has the inputs register, lane and warp, not 'thread'}}
module attributes {tile.a = #tile.register_layout<2x2, thread = [[0, 1], [1, 0]]>} {}

// -----
// expected-error@+1 {{at most 32 values of 'lane' fit a register layout, this one has 64}}
module attributes {tile.a = #tile.register_layout<lane[64]>} {}

// -----
// expected-error@+1 {{at most 512 values of 'warp' fit a register layout, this one has 1024}}
module attributes {tile.a = #tile.register_layout<lane[32] warp*1024>} {}

// -----
// expected-error@+1 {{at most 4096 values of 'register' fit a register layout, this one has 8192}}
module attributes {tile.a = #tile.register_layout<register[8192]>} {}

// -----
// expected-error@+1 {{input 'lane' is given twice}}
module attributes {tile.a = #tile.register_layout<2x2, lane = [[0, 1]], lane = [[1, 0]]>} {}

// -----
// C3: every element is held.
// expected-error@+1 {{no thread holds some elements of the tile}}
module attributes {tile.a = #tile.register_layout<4x4, lane = [[0, 1], [0, 2], [1, 0]]>} {}

// -----
// expected-error@+1 {{no thread holds some elements of the tile}}
module attributes {tile.a = #tile.register_layout<2x2, lane = [[1, 1]], register = [[1, 1]]>} {}

// -----
// Images of bits that leave the tile, or have another rank.
// expected-error@+1 {{basis of bit 0 of input 'lane': coordinate 2 of dimension 1 is outside 0..1}}
module attributes {tile.a = #tile.register_layout<2x2, lane = [[0, 2], [1, 0]]>} {}

// -----
// expected-error@+1 {{basis of bit 0 of input 'lane' has 1 coordinates, but the tile has 2 dimensions}}
module attributes {tile.a = #tile.register_layout<2x2, lane = [[1], [2]]>} {}

// -----
// expected-error@+1 {{basis of bit 0 of input 'lane': coordinate -1 of dimension 1 is outside 0..1}}
module attributes {tile.a = #tile.register_layout<2x2, lane = [[0, -1], [1, 0]]>} {}

// -----
// C4: the tensor has the shape of its layout.
// expected-error@+1 {{the register layout is that of a 32x32 tile, not of a 64x64 one}}
func.func private @shape(tensor<64x64xf32, #tile.register_layout<register[32,1] lane[1,32]>>)

// -----
// expected-error@+1 {{the register layout is that of a 32 tile, not of a 1x32 one}}
func.func private @rank(tensor<1x32xf32, #tile.register_layout<lane[32]>>)

// -----
// C5: 32 lanes and as many warps as the kernel has.
tile.kernel @warps(%x: f32) attributes {num_warps = 8 : i32} {
  // expected-error@+1 {{has a register layout of 32 lanes and 4 warps; a warp has 32 lanes, and the kernel 8 warps}}
  %t = tile.splat %x : f32 -> tensor<128xf32, #tile.register_layout<lane[32] warp[4]>>
  tile.return
}

// -----
tile.kernel @lanes(%x: f32) {
  // expected-error@+1 {{has a register layout of 16 lanes and 4 warps; a warp has 32 lanes, and the kernel 4 warps}}
  %t = tile.splat %x : f32 -> tensor<64xf32, #tile.register_layout<lane[16] warp[4]>>
  tile.return
}

// -----
// C1 of shared layouts.
// expected-error@+1 {{extent 3 of dimension 0 is not a power of two}}
module attributes {tile.a = #tile.shared_layout<3x4>} {}

// -----
// expected-error@+1 {{extent 0 of dimension 0 is not a power of two}}
module attributes {tile.a = #tile.shared_layout<0x4>} {}

// -----
// expected-error@+1 {{padding interval 3 is not a power of two}}
module attributes {tile.a = #tile.shared_layout<4x4, pad 1 every 3>} {}

// -----
// expected-error@+1 {{padding interval 0 is not a power of two}}
module attributes {tile.a = #tile.shared_layout<4x4, pad 1 every 0>} {}

// -----
// expected-error@+1 {{padding of -1 elements is negative}}
module attributes {tile.a = #tile.shared_layout<4x4, pad -1 every 4>} {}

// -----
// expected-error@+1 {{padding of 9223372036854775807 elements makes the tile too large}}
module attributes {tile.a = #tile.shared_layout<4x4, pad 9223372036854775807 every 1>} {}

// -----
// C2: a bijection.
// expected-error@+1 {{a shared layout must put each element of the tile at one offset of its own; this one does not}}
module attributes {tile.a = #tile.shared_layout<2x4, offset = [[0, 1], [0, 2], [0, 3]]>} {}

// -----
// expected-error@+1 {{a shared layout must put each element of the tile at one offset of its own; this one does not}}
module attributes {tile.a = #tile.shared_layout<2x4, offset = [[0, 1], [0, 2]]>} {}

// -----
// expected-error@+1 {{basis of bit 2 of input 'offset': coordinate 4 of dimension 0 is outside 0..1}}
module attributes {tile.a = #tile.shared_layout<2x4, offset = [[0, 1], [0, 2], [4, 0]]>} {}

// -----
// C3: the number of elements.
// expected-error@+1 {{a shared tile has at most 2^31 elements}}
module attributes {tile.a = #tile.shared_layout<2147483648x2>} {}

// -----
// expected-error@+1 {{extent 4294967296 of dimension 0 is larger than 2^31}}
module attributes {tile.a = #tile.shared_layout<4294967296>} {}

// -----
// Clauses.
// expected-error@+1 {{order lists each dimension once, the fastest first}}
module attributes {tile.a = #tile.shared_layout<4x4, order [0, 0]>} {}

// -----
// expected-error@+1 {{order lists each dimension once, the fastest first}}
module attributes {tile.a = #tile.shared_layout<4x4, order [0, 1, 2]>} {}

// -----
// expected-error@+1 {{order lists each dimension once, the fastest first}}
module attributes {tile.a = #tile.shared_layout<4x4, order [-1, 0]>} {}

// -----
// expected-error@+1 {{swizzle<bits, base, shift> has three numbers from 0 to the bits of an offset}}
module attributes {tile.a = #tile.shared_layout<4x4, swizzle<1, 2>>} {}

// -----
// expected-error@+1 {{swizzle<bits, base, shift> has three numbers from 0 to the bits of an offset}}
module attributes {tile.a = #tile.shared_layout<4x4, swizzle<>>} {}

// -----
// expected-error@+1 {{swizzle<bits, base, shift> has three numbers from 0 to the bits of an offset}}
module attributes {tile.a = #tile.shared_layout<4x4, swizzle<1, -1, 2>>} {}

// -----
// expected-error@+1 {{a swizzle of 2 bits from bit 1 shifted by 2 leaves the 4 bits of an offset}}
module attributes {tile.a = #tile.shared_layout<4x4, swizzle<2, 1, 2>>} {}

// -----
// expected-error@+1 {{a swizzle of 2 bits from bit 0 shifted by 0 leaves the 4 bits of an offset}}
module attributes {tile.a = #tile.shared_layout<4x4, swizzle<2, 0, 0>>} {}

// -----
// expected-error@+1 {{bits or offset is the whole map: one of them stands alone, without order and swizzle}}
module attributes {tile.a = #tile.shared_layout<2x2, order [0, 1], offset = [[0, 1], [1, 0]]>} {}

// -----
// expected-error@+1 {{bits or offset is the whole map: one of them stands alone, without order and swizzle}}
module attributes {tile.a = #tile.shared_layout<2x2, bits [c0, r0], swizzle<1, 0, 1>>} {}

// -----
// expected-error@+1 {{bits or offset is the whole map: one of them stands alone, without order and swizzle}}
module attributes {tile.a = #tile.shared_layout<2x2, bits [c0, r0], offset = [[0, 1], [1, 0]]>} {}

// -----
// expected-error@+1 {{'x0' is no bit of a coordinate: expected one like c0, or a run like c0..2}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [x0, c1, r0..1]>} {}

// -----
// expected-error@+1 {{'c' is no bit of a coordinate}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c, c1, r0..1]>} {}

// -----
// expected-error@+1 {{'c0.1' is no bit of a coordinate}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0.1, r0..1]>} {}

// -----
// expected-error@+1 {{'c0..' is no bit of a coordinate}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0.., r0..1]>} {}

// -----
// expected-error@+1 {{'c0..1x' is no bit of a coordinate}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0..1x, r0..1]>} {}

// -----
// expected-error@+1 {{'c99999999999' is no bit of a coordinate}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c99999999999, c1, r0..1]>} {}

// -----
// expected-error@+1 {{'r0' is no bit of a coordinate: expected one like d2.0, or a run like d2.0..2}}
module attributes {tile.a = #tile.shared_layout<4x4x4, bits [r0]>} {}

// -----
// expected-error@+1 {{'c2' leaves the 2 bits of dimension 1, of extent 4}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c2, c1, r0..1]>} {}

// -----
// expected-error@+1 {{'r1..0' leaves the 1 bit of dimension 0, of extent 2}}
module attributes {tile.a = #tile.shared_layout<2x4, bits [c0..1, r1..0]>} {}

// -----
// expected-error@+1 {{the runs of 'c0..1+r0' are not equally long}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0..1+r0, r0..1]>} {}

// -----
// expected-error@+1 {{'c0' stands twice in 'c0+r0+c0', which takes it out again}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0+r0+c0, c1, r0..1]>} {}

// -----
// expected-error@+1 {{an offset of this tile has 4 bits, not 3}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0..1, r0]>} {}

// -----
// expected-error@+1 {{an offset of this tile has 4 bits, not 5}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0..1, r0..1, c0]>} {}

// -----
// expected-error@+1 {{these bits give two elements one offset}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0, c1, c0+c1, r1]>} {}

// -----
// expected-error@+1 {{extent 3 of dimension 0 is not a power of two}}
module attributes {tile.a = #tile.shared_layout<3x4, bits [c0..1, r0]>} {}

// -----
// expected-error@+1 {{a shared tile has at most 2^31 elements}}
module attributes {tile.a = #tile.shared_layout<65536x65536, bits [c0..15, r0..15]>} {}

// -----
// expected-error@+1 {{expected}}
module attributes {tile.a = #tile.shared_layout<4x4, bits [c0 c1, r0..1]>} {}

// -----
// expected-error@+1 {{expected}}
module attributes {tile.a = #tile.shared_layout<4x4, bits c0>} {}

// -----
// expected-error@+1 {{'pad' is written twice}}
module attributes {tile.a = #tile.shared_layout<4x4, pad 1 every 4, pad 2 every 4>} {}

// -----
// expected-error@+1 {{expected order, swizzle, bits, offset or pad, found 'column'}}
module attributes {tile.a = #tile.shared_layout<4x4, column>} {}

// -----
// expected-error@+1 {{expected 'every'}}
module attributes {tile.a = #tile.shared_layout<4x4, pad 1>} {}

// -----
// expected-error@+1 {{unknown attribute `layout` in dialect `tile`}}
module attributes {tile.a = #tile.layout<4x4>} {}
