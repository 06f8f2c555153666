// One broken op for each constraint of channels.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// The type, C1: stages.
// expected-error@+1 {{the stages of a channel are 1 to 8, not 0}}
func.func private @f(!tile.channel<0>)

// -----
// expected-error@+1 {{the stages of a channel are 1 to 8, not 9}}
func.func private @f(!tile.channel<9>)

// -----

// tile.channel, C1: tiles.
tile.kernel @k() {
  // expected-error@+1 {{hands over at least one tile}}
  %c = "tile.channel"() : () -> !tile.channel<3>
  tile.return
}

// -----

// C2: another use of a tile.
tile.kernel @k() {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  // expected-error@+1 {{owns its tiles: each is a tile.alloc_shared which nothing else uses}}
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %zero = arith.constant 0 : index
  %s = tile.subview %a[%zero] : !tile.shared<3x64xf16> -> !tile.shared<64xf16>
  tile.return
}

// -----

// C2: two channels of one tile.
tile.kernel @k() {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  // expected-error@+1 {{owns its tiles: each is a tile.alloc_shared which nothing else uses}}
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %d = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  tile.return
}

// -----

// C2: no allocation.
tile.kernel @k() {
  %a = tile.alloc_shared : !tile.shared<3x4x64xf16>
  %zero = arith.constant 0 : index
  %s = tile.subview %a[%zero] : !tile.shared<3x4x64xf16> -> !tile.shared<4x64xf16>
  // expected-error@+1 {{owns its tiles: each is a tile.alloc_shared which nothing else uses}}
  %c = tile.channel %s : !tile.shared<4x64xf16> -> !tile.channel<4>
  tile.return
}

// -----

// C3: stages of a tile.
tile.kernel @k() {
  %a = tile.alloc_shared : !tile.shared<2x64xf16>
  // expected-error@+1 {{has 3 stages, which each tile has as its first dimension; '!tile.shared<2x64xf16>' has not}}
  %c = tile.channel %a : !tile.shared<2x64xf16> -> !tile.channel<3>
  tile.return
}

// -----

// C3: a layout that leaves no dimension for them.
tile.kernel @k() {
  %a = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64>>
  // expected-error@+1 {{has 4 stages, which each tile has as its first dimension}}
  %c = tile.channel %a : !tile.shared<4x64xf16, #tile.shared_layout<4x64>> -> !tile.channel<4>
  tile.return
}

// -----

// C4: a channel that goes elsewhere.
tile.kernel @k() {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{takes a channel, which is no value to pass on}}
  %d = builtin.unrealized_conversion_cast %c : !tile.channel<3> to i32
  tile.return
}

// -----

// tile.acquire, C1: how many tiles.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{gives 2 tiles of a channel of 1}}
  %f, %g = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>, !tile.shared<64xf16>
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C1: their types.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{one stage of tile 0 is '!tile.shared<64xf16>'}}
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<32xf16>
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2: reads of what is to be filled.
#rows = #tile.register_layout<register[2] lane[32]>
tile.kernel @k(%n: i32) attributes {num_warps = 1 : i32} {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  // expected-error@+1 {{uses a tile that is only written: it is acquired to be filled}}
  %x = tile.local_load %f : !tile.shared<64xf16> -> tensor<64xf16, #rows>
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2: a write too late.
#rows = #tile.register_layout<register[2] lane[32]>
tile.kernel @k(%n: i32, %x: f16) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f16 -> tensor<64xf16, #rows>
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  // expected-note@+1 {{here}}
  tile.commit %c[%n] : !tile.channel<3>
  // expected-error@+1 {{touches a slot that is committed already}}
  tile.local_store %t, %f : tensor<64xf16, #rows>, !tile.shared<64xf16>
  tile.return
}

// -----

// C2: no commit, though one of another count.
tile.kernel @k(%n: i32, %m: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is followed by no tile.commit of the same channel and count in its block}}
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.commit %c[%m] : !tile.channel<3>
  tile.return
}

// -----

// C2: a commit of another channel.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %b = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %d = tile.channel %b : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is followed by no tile.commit of the same channel and count in its block}}
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.commit %d[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2: a commit in another block.
tile.kernel @k(%n: i32, %flag: i1) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is followed by no tile.commit of the same channel and count in its block}}
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  scf.if %flag {
    tile.commit %c[%n] : !tile.channel<3>
  }
  tile.return
}

// -----

// C2: one commit for two.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is followed by no tile.commit of the same channel and count in its block}}
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  %g = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C3: a channel from elsewhere.
tile.kernel @k(%n: i32) {
  %c = builtin.unrealized_conversion_cast %n : i32 to !tile.channel<3>
  // expected-error@+1 {{takes a channel that is not made by a tile.channel}}
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.return
}

// -----

// tile.commit, C1.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{ends no tile.acquire of the same channel and count in its block}}
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2.
tile.kernel @k(%n: i32) {
  %c = builtin.unrealized_conversion_cast %n : i32 to !tile.channel<3>
  // expected-error@+1 {{takes a channel that is not made by a tile.channel}}
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// tile.wait, C1.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{one stage of tile 0 is '!tile.shared<64xf16>'}}
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf32>
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2: a bulk store that may still read the slot.
#slot = #tile.shared_layout<8x64, swizzle<3,3,3>>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @k(%C: !tile.ptr<f16> {tile.divisibility = 16}, %M: index {tile.divisibility = 8}, %n: i32) {
    %v = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %m = tile.tensor_map %v {box = array<i64: 8, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %a = tile.alloc_shared : !tile.shared<3x8x64xf16, #slot>
    %c = tile.channel %a : !tile.shared<3x8x64xf16, #slot> -> !tile.channel<3>
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x64xf16, #slot>
    tile.store_tma_wait {read}
    // expected-error@+1 {{may still read a slot that is released: wait for the store before (tile.store_tma_wait {read})}}
    tile.store_tma %r, %m[%M, %M] : !tile.shared<8x64xf16, #slot>
    // expected-note@+1 {{here}}
    tile.release %c[%n] : !tile.channel<3>
    tile.store_tma_wait
    tile.return
  }
}

// -----

// C2: a write too late.
#rows = #tile.register_layout<register[2] lane[32]>
tile.kernel @k(%n: i32, %x: f16) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f16 -> tensor<64xf16, #rows>
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  // expected-note@+1 {{here}}
  tile.release %c[%n] : !tile.channel<3>
  // expected-error@+1 {{touches a slot that is released already}}
  tile.local_store %t, %r : tensor<64xf16, #rows>, !tile.shared<64xf16>
  tile.return
}

// -----

// C2: a part of it.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x8x64xf16>
  %c = tile.channel %a : !tile.shared<3x8x64xf16> -> !tile.channel<3>
  %zero = arith.constant 0 : index
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x64xf16>
  // expected-error@+1 {{uses a tile that is only read and written: it is waited for}}
  %s = tile.subview %r[%zero] : !tile.shared<8x64xf16> -> !tile.shared<64xf16>
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2: a read too late, in a branch.
#rows = #tile.register_layout<register[2] lane[32]>
tile.kernel @k(%n: i32, %flag: i1) attributes {num_warps = 1 : i32} {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  // expected-note@+1 {{here}}
  tile.release %c[%n] : !tile.channel<3>
  scf.if %flag {
    // expected-error@+1 {{touches a slot that is released already}}
    %x = tile.local_load %r : !tile.shared<64xf16> -> tensor<64xf16, #rows>
  }
  tile.return
}

// -----

// C2: no release.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is followed by no tile.release of the same channel and count in its block, nor in the next iteration of its loop and behind it}}
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.return
}

// -----

// C3.
tile.kernel @k(%n: i32) {
  %c = builtin.unrealized_conversion_cast %n : i32 to !tile.channel<3>
  // expected-error@+1 {{takes a channel that is not made by a tile.channel}}
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.return
}

// -----

// tile.release, C1: released twice.
tile.kernel @k(%n: i32) {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.release %c[%n] : !tile.channel<3>
  // expected-error@+1 {{ends no tile.wait of the same channel and count in its block, nor in the iteration before}}
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// C2.
tile.kernel @k(%n: i32) {
  %c = builtin.unrealized_conversion_cast %n : i32 to !tile.channel<3>
  // expected-error@+1 {{takes a channel that is not made by a tile.channel}}
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// The count has 32 bits.
tile.kernel @k(%n: index) { // expected-note {{prior use here}}
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{expects different type than prior uses: 'i32' vs 'index'}}
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// Hand-overs are counted from 0.
tile.kernel @k() {
  %n = arith.constant -1 : i32
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is number -1; hand-overs are counted from 0}}
  tile.commit %c[%n] : !tile.channel<3>
  tile.return
}

// -----

// The same of a sum.
tile.kernel @k() {
  %two = arith.constant 2 : i32
  %less = arith.constant -3 : i32
  %n = arith.addi %two, %less : i32
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  // expected-error@+1 {{is number -1; hand-overs are counted from 0}}
  %s = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
  tile.return
}

// -----

// Released an iteration later, but not the last one's.
tile.kernel @k(%k: index) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  scf.for %i = %c0 to %k step %c1 iter_args(%n = %zero) -> (i32) {
    // expected-error@+1 {{is followed by no tile.release of the same channel and count in its block, nor in the next iteration of its loop and behind it}}
    %t = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
    %minus = arith.constant -1 : i32
    %late = arith.addi %n, %minus : i32
    tile.release %c[%late] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %next : i32
  }
  tile.return
}

// -----

// A product reads the slot when it is released: one may be under way after the wait, and that is this one.
tile.kernel @k(%k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<3x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<3x64x16xf16>, !tile.shared<3x16x16xf16> -> !tile.channel<3>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    // expected-error@+1 {{may still read a slot that is released: wait for the product before (tile.dot_wait)}}
    %d = tile.warpgroup_dot %ta, %tb, %sum {async} : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.dot_wait 1
    // expected-note@+1 {{here}}
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x16xf32>, i32
  }
  tile.return
}

// -----

// The last slot is released before the products are waited for.
tile.kernel @k(%k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<3x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<3x64x16xf16>, !tile.shared<3x16x16xf16> -> !tile.channel<3>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    // expected-error@+1 {{may still read a slot that is released: wait for the product before (tile.dot_wait)}}
    %d = tile.warpgroup_dot %ta, %tb, %sum {async} : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.dot_wait 1
    %late = arith.addi %n, %minus : i32
    tile.release %c[%late] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x16xf32>, i32
  }
  %last = arith.addi %r#1, %minus : i32
  // expected-note@+1 {{here}}
  tile.release %c[%last] : !tile.channel<3>
  %total = tile.dot_wait 0, %r#0 : tensor<64x16xf32>
  tile.return
}
