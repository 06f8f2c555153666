// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @extents(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // expected-error@+1 {{the extents of a box are 1 to 256, not 512}}
  %map = tile.tensor_map %a {box = array<i64: 512, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @rank(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // expected-error@+1 {{has a box of as many dimensions as the view, 1 to 5; the view has 2, the box 1}}
  %map = tile.tensor_map %a {box = array<i64: 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @row_bytes(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // expected-error@+1 {{rows have 16, 32, 64 or 128 bytes, not 48}}
  %map = tile.tensor_map %a {box = array<i64: 64, 24>, row_bytes = 48 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @row(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // expected-error@+1 {{the box is as long as a row of 128 bytes along dimension 1}}
  %map = tile.tensor_map %a {box = array<i64: 64, 32>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @strided(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %a = tile.view %A, shape [%M, %K], strides [%K, %M] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, ?]>
  // expected-error@+1 {{needs a dimension whose stride is 1, written in the type of the view}}
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, ?]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @not_of_the_launch(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %p = tile.program_id 0
  %rows = arith.addi %M, %p : index
  %a = tile.view %A, shape [%rows, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // expected-error@+1 {{is made by a launch: the view's base is an argument of the kernel, and its extents and strides are constants, integer arguments or products of those}}
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

// A product of fewer than 64 bits may wrap.
tile.kernel @narrow(%A: !tile.ptr<f16>, %M: i32, %K: index) {
  %square = arith.muli %M, %M : i32
  %rows = arith.index_cast %square : i32 to index
  %a = tile.view %A, shape [%rows, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  // expected-error@+1 {{is made by a launch}}
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @layout(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64>>
  // expected-error@+1 {{the layout of the shared tile is not made of boxes of the map}}
  tile.copy_tma %map[%c0, %c0], %s : !tile.shared<64x64xf16, #tile.shared_layout<64x64>>
  tile.return
}

// -----

tile.kernel @coordinates(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error@+1 {{view, coordinates and shared tile have one rank: the view has 2, the coordinates 1, the shared tile 2}}
  tile.copy_tma %map[%c0], %s : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}

// -----

tile.kernel @element(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xbf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error@+1 {{copies elements of one type, not between 'f16' and 'bf16'}}
  tile.copy_tma %map[%c0, %c0], %s : !tile.shared<64x64xbf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}

// -----

tile.kernel @mbarriers_of_a_channel() {
  %s = tile.alloc_shared : !tile.shared<3x64x64xf16>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #tile.shared_layout<2>>
  // expected-error@+1 {{has a pair of mbarriers for each slot, a tile.alloc_shared of 3x2xi64 with a layout which nothing else uses}}
  %c = tile.channel %s mbarriers %bars : !tile.shared<3x64x64xf16> mbarriers !tile.shared<2x2xi64, #tile.shared_layout<2>> -> !tile.channel<3>
  tile.return
}

// -----

tile.kernel @pair() {
  %yes = arith.constant true
  %bar = tile.alloc_shared : !tile.shared<4xi64, #tile.shared_layout<4>>
  // expected-error@+1 {{takes the pair of mbarriers of a slot, 2xi64 with its layout, not}}
  tile.mbarrier_wait %bar full, %yes : !tile.shared<4xi64, #tile.shared_layout<4>>
  tile.return
}

// -----

tile.kernel @bytes() {
  %bar = tile.alloc_shared : !tile.shared<2xi64, #tile.shared_layout<2>>
  // expected-error@+1 {{bytes are 1 to 1048575, not 1048576}}
  tile.mbarrier_arrive %bar full {bytes = 1048576 : i64} : !tile.shared<2xi64, #tile.shared_layout<2>>
  tile.return
}

// -----

tile.kernel @one_for_each_slot() {
  %bars = tile.alloc_shared : !tile.shared<4xi64, #tile.shared_layout<4>>
  // expected-error@+1 {{takes a pair of mbarriers for each slot, such as 4x2xi64 with its layout, not '!tile.shared<4xi64}}
  tile.mbarrier_init %bars {readers = 1 : i32} : !tile.shared<4xi64, #tile.shared_layout<4>>
  tile.return
}

// -----

// Which map it is has to be known.
tile.kernel @one_of_two_maps(%A: !tile.ptr<f16>, %M: index, %K: index, %c: i1) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %one = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %other = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %map = arith.select %c, %one, %other : !tile.tensor_map
  // expected-error@+1 {{takes a map that is made by a tile.tensor_map}}
  tile.prefetch_tma %map[%M, %K]
  tile.return
}

// -----

tile.kernel @readers() {
  %bars = tile.alloc_shared : !tile.shared<3x2xi64, #tile.shared_layout<2>>
  // expected-error@+1 {{readers are 1 to 1048575, not 0}}
  tile.mbarrier_init %bars {readers = 0 : i32} : !tile.shared<3x2xi64, #tile.shared_layout<2>>
  tile.return
}

// -----

// expected-error@+1 {{a block has 32 warps at the most, not num_warps and 1 that copy}}
tile.kernel @no_warp_left() attributes {num_warps = 32, copy_warps = 1} {
  tile.return
}

// -----

// expected-error@+1 {{copy_warps are 1 to 4, not 5}}
tile.kernel @copy_warps() attributes {copy_warps = 5} {
  tile.return
}

// -----

tile.kernel @no_warps_that_copy() {
  // expected-error@+1 {{needs warps that copy: copy_warps of the kernel}}
  tile.roles main {
  } copy {
  }
  tile.return
}

// -----

tile.kernel @barrier_of_all() attributes {num_warps = 8, copy_warps = 1} {
  tile.roles main {
    // expected-error@+1 {{is one of all warps, of which some copy: with warps = 8 it is one of those that compute}}
    tile.barrier
  } copy {
  }
  tile.return
}

// -----

tile.kernel @barrier_in_copy() attributes {copy_warps = 1} {
  tile.roles main {
  } copy {
    // expected-error@+1 {{is a barrier: a role that copies meets the others at hand-overs only}}
    tile.barrier {warps = 4 : i32}
  }
  tile.return
}

// -----

tile.kernel @tiles_in_copy() attributes {copy_warps = 1} {
  tile.roles main {
  } copy {
    // expected-error@+1 {{has tiles: what only copies computes with scalars}}
    %t = tile.iota 0 : tensor<64xi32>
  }
  tile.return
}

// -----

tile.kernel @not_last(%A: !tile.ptr<f32>) attributes {copy_warps = 1} {
  // expected-error@+1 {{is the last that a kernel does}}
  tile.roles main {
  } copy {
  }
  tile.barrier
  tile.return
}

// -----

tile.kernel @stored_layout(%C: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x128xf16, #tile.shared_layout<64x128, swizzle<3,3,3>>>
  // expected-error@+1 {{the layout of the shared tile is not made of boxes of the map}}
  tile.store_tma %s, %map[%c0, %c0] : !tile.shared<64x128xf16, #tile.shared_layout<64x128, swizzle<3,3,3>>>
  tile.return
}

// -----

tile.kernel @stored_unplaced(%C: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16>
  // expected-error@+1 {{needs a layout of the hardware, which the tile has not yet}}
  tile.store_tma %s, %map[%c0, %c0] : !tile.shared<64x64xf16>
  tile.return
}

// -----

tile.kernel @stored_rank(%C: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %c {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error@+1 {{view, coordinates and shared tile have one rank: the view has 2, the coordinates 3, the shared tile 2}}
  tile.store_tma %s, %map[%c0, %c0, %c0] : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}


// -----

tile.kernel @register_step() attributes {copy_warps = 4 : i32} {
  // expected-error@+1 {{numbers of registers are multiples of 8 from 24 to 240, not 44}}
  tile.roles main {
  } copy {
  } {main_registers = 216 : i32, copy_registers = 44 : i32, blocks = 1 : i32}
  tile.return
}

// -----

tile.kernel @most_registers() attributes {copy_warps = 4 : i32} {
  // expected-error@+1 {{numbers of registers are multiples of 8 from 24 to 240, not 248}}
  tile.roles main {
  } copy {
  } {main_registers = 248 : i32, copy_registers = 40 : i32, blocks = 1 : i32}
  tile.return
}

// -----

tile.kernel @registers_of_one() attributes {copy_warps = 4 : i32} {
  // expected-error@+1 {{has main_registers, copy_registers and blocks, or none of them}}
  tile.roles main {
  } copy {
  } {main_registers = 216 : i32}
  tile.return
}

// -----

tile.kernel @registers_of_no_group() attributes {copy_warps = 1 : i32} {
  // expected-error@+1 {{registers are those of whole warpgroups, of 4 warps each; a role has 1}}
  tile.roles main {
  } copy {
  } {main_registers = 216 : i32, copy_registers = 40 : i32, blocks = 1 : i32}
  tile.return
}

// -----

tile.kernel @no_blocks() attributes {copy_warps = 4 : i32} {
  // expected-error@+1 {{there is 1 block or more, not 0}}
  tile.roles main {
  } copy {
  } {main_registers = 216 : i32, copy_registers = 40 : i32, blocks = 0 : i32}
  tile.return
}

// -----

tile.kernel @moves_of_four(%A: !tile.ptr<f16>) {
  %a = tile.view %A, shape [8, 8, 8, 64], strides [4096, 512, 64, 1] : !tile.ptr<f16> -> !tile.view<8x8x8x64xf16, [4096, 512, 64, 1]>
  // expected-error@+1 {{has a box of as many dimensions as the view, 1 to 3 of a map that moves; the view has 4, the box 4}}
  %map = tile.tensor_map %a {box = array<i64: 1, 1, 8, 64>, row_bytes = 128 : i64, moves} : !tile.view<8x8x8x64xf16, [4096, 512, 64, 1]> -> !tile.tensor_map
  tile.return
}

// -----

tile.kernel @not_moved(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64, moves} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error@+1 {{says by how much a map is moved, if the map moves, and only then}}
  tile.copy_tma %map[%c0, %c0], %s : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}

// -----

tile.kernel @stays(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error@+1 {{says by how much a map is moved, if the map moves, and only then}}
  tile.store_tma %s, %map[%c0, %c0] moved by %M : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}

// -----

tile.kernel @one_thread_of_many() {
  tile.one_thread {
    // expected-error@+1 {{is a barrier: a role that copies meets the others at hand-overs only}}
    tile.barrier
  }
  tile.return
}

// -----

// tile.store_tma, C3: the warpgroups of the kernel.
tile.kernel @other_warpgroups(%p: !tile.ptr<f16>) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p, shape [%c64, %c64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [64, 1]>
  %map = tile.tensor_map %v {box = array<i64: 16, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [64, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error @below {{is divided among 4 warpgroups, of which the kernel has 2}}
  tile.store_tma %s, %map[%c0, %c0] {warpgroups = 4 : i64} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}

// -----

// C3: boxes of the whole tile are none of parts.
tile.kernel @whole_boxes(%p: !tile.ptr<f16>) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p, shape [%c64, %c64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [64, 1]>
  %map = tile.tensor_map %v {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [64, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  // expected-error @below {{the layout of the shared tile is not made of boxes of the map}}
  tile.store_tma %s, %map[%c0, %c0] {warpgroups = 2 : i64} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  tile.return
}

// -----

// tile.prefetch_tma, C1: a coordinate for each dimension.
tile.kernel @prefetch_rank(%p: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p, shape [%c64, %c64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [64, 1]>
  %map = tile.tensor_map %v {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [64, 1]> -> !tile.tensor_map
  // expected-error @below {{view and coordinates have one rank: the view has 2, the coordinates 1}}
  tile.prefetch_tma %map[%c0]
  tile.return
}

// -----

// C1: how far the map is moved.
tile.kernel @prefetch_moved(%p: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p, shape [%c64, %c64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [64, 1]>
  %map = tile.tensor_map %v {box = array<i64: 64, 64>, row_bytes = 128 : i64, moves} : !tile.view<?x?xf16, [64, 1]> -> !tile.tensor_map
  // expected-error @below {{says by how much a map is moved, if the map moves, and only then}}
  tile.prefetch_tma %map[%c0, %c0]
  tile.return
}

// -----

tile.kernel @last_of_three(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %a = tile.view %A, shape [%M, %M, %K], strides [%K, %K, 1] : !tile.ptr<f16> -> !tile.view<?x?x?xf16, [?, ?, 1]>
  // expected-error@+1 {{'last' is of maps of two dimensions that do not move}}
  %map = tile.tensor_map %a {box = array<i64: 1, 64, 64>, row_bytes = 128 : i64, last} : !tile.view<?x?x?xf16, [?, ?, 1]> -> !tile.tensor_map
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
tile.kernel @rows_by_another_map(%A: !tile.ptr<f16>, %M: index, %K: index, %n: i32) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %last = tile.tensor_map %a {box = array<i64: 32, 64>, row_bytes = 128 : i64, last} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
  // expected-error@+1 {{copies some rows by a map that is 'last', and else as the one of all rows}}
  tile.copy_tma %map[%c0, %c0] rows %n by %last, %s : !tile.shared<64x64xf16, #slot>
  tile.return
}

// -----

#high = #tile.shared_layout<512x64, swizzle<3,3,3>>
tile.kernel @rows_of_low_boxes(%A: !tile.ptr<f16>, %M: index, %K: index, %n: i32) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 256, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %last = tile.tensor_map %a {box = array<i64: 256, 64>, row_bytes = 128 : i64, last} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<512x64xf16, #high>
  // expected-error@+1 {{copies some rows of boxes that are as high as the tile, or as the part of a block}}
  tile.copy_tma %map[%c0, %c0] rows %n by %last, %s : !tile.shared<512x64xf16, #high>
  tile.return
}

// -----

#pair = #tile.shared_layout<2>
tile.kernel @less_of_nothing(%n: i32) {
  %bar = tile.alloc_shared : !tile.shared<2xi64, #pair>
  // expected-error@+1 {{says how many bytes less only where it says how many, and has no condition}}
  tile.mbarrier_arrive %bar full less %n : !tile.shared<2xi64, #pair>
  tile.return
}
