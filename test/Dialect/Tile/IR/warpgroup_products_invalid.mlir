// One broken op for each constraint of products of warpgroups.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.warpgroup_dot, C1: the types.
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xbf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{there is no product of 'f16' and 'bf16' into 'f32': operands are both f16, bf16 or f32 with f32, each f8E4M3FN or f8E5M2 with f32, or both i8 with i32}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16>, !tile.shared<64x32xbf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C1: the inner extents.
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<32x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{the extents that are summed over differ: 64 of a, 32 of b}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16>, !tile.shared<32x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C1: the accumulator.
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x64xf32>
  // expected-error@+1 {{a product of 64x32 needs an accumulator of that shape, not 64x64}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x64xf32>
  tile.return
}

// -----

// C1: transposed.
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x128xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{a product of 128x32 needs an accumulator of that shape, not 64x32}}
  %d = tile.warpgroup_dot %a, %b, %c {a_transposed} : !tile.shared<64x128xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C2: rows.
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<32x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<32x32xf32>
  // expected-error@+1 {{a product of warpgroups is at least 64x8x16 (M x N x K), not 32x32x64}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<32x64xf16>, !tile.shared<64x32xf16>, tensor<32x32xf32>
  tile.return
}

// -----

// C2: K.
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x16xi8>
  %b = tile.alloc_shared : !tile.shared<16x32xi8>
  %c = tile.splat %i : i32 -> tensor<64x32xi32>
  // expected-error@+1 {{a product of warpgroups is at least 64x8x32 (M x N x K), not 64x32x16}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x16xi8>, !tile.shared<16x32xi8>, tensor<64x32xi32>
  tile.return
}

// -----

// C3: a layout of mma.sync.
#mma = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[2,2] register[2,2]>
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #mma>
  // expected-error@+1 {{the accumulator of a placed program has the layout #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32, #mma>
  tile.return
}

// -----

// C3: a layout that is none of the hardware.
#plain = #tile.shared_layout<64x64>
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16, #plain>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{operand 0: wgmma reads a tile in one of the layouts of the hardware (modes 128B, 64B, 32B and none) only}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16, #plain>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C3: rows across K of elements of 4 bytes.
#across = #tile.shared_layout<32x32, swizzle<3,2,3>>
tile.kernel @k(%x: f32, %i: i32) {
  %a = tile.alloc_shared : !tile.shared<64x32xf32>
  %b = tile.alloc_shared : !tile.shared<32x32xf32, #across>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{operand 1: wgmma reads elements of 4 bytes only by rows along K}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x32xf32>, !tile.shared<32x32xf32, #across>, tensor<64x32xf32>
  tile.return
}

// -----

// C4: two warps are no warpgroup.
#four = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[2,1] register[2,1]>
tile.kernel @k(%x: f32) attributes {num_warps = 2 : i32} {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #four>
  // expected-error@+1 {{a product of 64x32 cannot be shared out to 2 warps: warpgroups are 4 warps, and have 64x8 each at least}}
  %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32, #four>
  tile.return
}

// -----

tile.kernel @engine(%x: f64) {
  %a = tile.splat %x : f64 -> tensor<64x64xf64>
  // expected-error@+1 {{there are no products of 'f64' by wgmma}}
  %d = tile.dot %a, %a, %a by wgmma : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>
  tile.return
}

// -----

// tile.warpgroup_dot, C3: the left operand in registers of another layout.
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[4,8] register[4,1] warp[4,1]>
tile.kernel @k(%x: f32, %h: f16) {
  %a = tile.splat %h : f16 -> tensor<64x64xf16, #rows>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  // expected-error@+1 {{operand 0 of this accumulator has the layout #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>}}
  %d = tile.warpgroup_dot %a, %b, %c : tensor<64x64xf16, #rows>, !tile.shared<64x32xf16>, tensor<64x32xf32, #sums>
  tile.return
}

// -----

// C7: turned.
tile.kernel @k(%x: f32, %h: f16) {
  %a = tile.splat %h : f16 -> tensor<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error@+1 {{takes a in registers as M x K: turn it by tile.trans}}
  %d = tile.warpgroup_dot %a, %b, %c {a_transposed} : tensor<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// tile.warpgroup_dot, C6: sums of a product under way.
tile.kernel @sums_are_used(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  // expected-error @below {{uses sums of a product that is under way: wait for it first (tile.dot_wait 0)}}
  %e = arith.addf %d, %c : tensor<64x32xf32>
  tile.return
}

// -----

// ... that a loop carries.
tile.kernel @sums_are_used_behind(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x32xf32>) {
    %d = tile.warpgroup_dot %a, %b, %s {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  // expected-error @below {{uses sums of a product that is under way: wait for it first (tile.dot_wait 0)}}
  %e = arith.addf %r, %c : tensor<64x32xf32>
  tile.return
}

// -----

// tile.dot_wait, C2: sums are there once all products are.
tile.kernel @sums_of_some(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  // expected-error @below {{gives sums of products that may be under way: it waits for all of them (tile.dot_wait 0)}}
  %d = tile.dot_wait 1, %c : tensor<64x32xf32>
  tile.return
}

// -----

// tile.dot_wait, C1.
tile.kernel @too_many() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative whose maximum value is 7}}
  tile.dot_wait 8
  tile.return
}

// -----

// ... of which two uses would be copies.
tile.kernel @sums_are_used_twice(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  %u = tile.dot_wait 0, %d : tensor<64x32xf32>
  // expected-error @below {{would have sums copied that a product under way still writes: wait for it first (tile.dot_wait 0)}}
  %v = tile.dot_wait 0, %d : tensor<64x32xf32>
  tile.return
}

// -----

// ... and what a product under way adds to.
tile.kernel @start_is_used(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x32xf32>) {
    // expected-error @below {{is under way and adds to what is used by others, too: its registers would be copied}}
    %d = tile.warpgroup_dot %a, %b, %s {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    %u = tile.dot_wait 0, %d : tensor<64x32xf32>
    %t = arith.addf %u, %s : tensor<64x32xf32>
    scf.yield %t : tensor<64x32xf32>
  }
  tile.return
}

// -----

// ... and sums that change places.
tile.kernel @sums_are_swapped(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c, %t = %c) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
    %d = tile.warpgroup_dot %a, %b, %s {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    %e = tile.warpgroup_dot %a, %b, %t {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    // expected-error @below {{would have sums copied that a product under way still writes: wait for it first (tile.dot_wait 0)}}
    scf.yield %e, %d : tensor<64x32xf32>, tensor<64x32xf32>
  }
  tile.return
}

// -----

// Sums go round in scf.for only.
tile.kernel @sums_in_while(%x: f32, %go: i1) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %r = scf.while (%s = %c) : (tensor<64x32xf32>) -> (tensor<64x32xf32>) {
    scf.condition(%go) %s : tensor<64x32xf32>
  } do {
  ^bb0(%t: tensor<64x32xf32>):
    %d = tile.warpgroup_dot %a, %b, %t {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    // expected-error @below {{would have sums copied that a product under way still writes: wait for it first (tile.dot_wait 0)}}
    scf.yield %d : tensor<64x32xf32>
  }
  tile.return
}

// -----

// ... nor into the second region of a while.
tile.kernel @sums_into_while(%x: f32, %go: i1) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  // expected-error @below {{carries sums of a product under way between its regions: wait for it first (tile.dot_wait 0)}}
  %r = scf.while (%s = %d) : (tensor<64x32xf32>) -> (tensor<64x32xf32>) {
    scf.condition(%go) %s : tensor<64x32xf32>
  } do {
  ^bb0(%t: tensor<64x32xf32>):
    scf.yield %t : tensor<64x32xf32>
  }
  tile.return
}

// -----

// tile.dot_wait, C3: sums of products.
tile.kernel @other_sums(%x: i64) {
  %c = tile.splat %x : i64 -> tensor<64x32xi64>
  // expected-error @below {{takes the sums of tile.warpgroup_dot, and 'tensor<64x32xi64>' is none}}
  %d = tile.dot_wait 0, %c : tensor<64x32xi64>
  tile.return
}

// -----

// tile.warpgroup_dot, C8: nothing stands in front.
tile.kernel @joined_to_nothing(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  // expected-error @below {{is joined to the product directly in front of it, with the same a and a b of its type, transposed alike, both async}}
  %d = tile.warpgroup_dot %a, %b, %c {async, joined} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C8: another left operand.
tile.kernel @joined_to_another(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %e = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %o = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  // expected-error @below {{is joined to the product directly in front of it, with the same a and a b of its type, transposed alike, both async}}
  %f = tile.warpgroup_dot %o, %b, %e {async, joined} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  tile.return
}

// -----

// C8: tiles of other modes do not continue one another.
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#narrow = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @joined_of_other_modes(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  %e = tile.splat %x : f32 -> tensor<64x32xf32, #narrow>
  %a = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %b = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %o = tile.alloc_shared : !tile.shared<64x32xf16, #tile.shared_layout<64x32, swizzle<2,3,3>>>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>,
      !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>, tensor<64x64xf32, #sums>
  // expected-error @below {{cannot be joined to the product before: b does not continue the tile of the product before}}
  %f = tile.warpgroup_dot %a, %o, %e {async, joined} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>,
      !tile.shared<64x32xf16, #tile.shared_layout<64x32, swizzle<2,3,3>>>, tensor<64x32xf32, #narrow>
  tile.return
}

// -----

// C8: a warpgroup has half of the columns.
#halves = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1] warp[1,2]>
tile.kernel @joined_halves(%x: f32) attributes {num_warps = 8 : i32} {
  %c = tile.splat %x : f32 -> tensor<64x64xf32, #halves>
  %e = tile.splat %x : f32 -> tensor<64x64xf32, #halves>
  %a = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %b = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %o = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>,
      !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>, tensor<64x64xf32, #halves>
  // expected-error @below {{cannot be joined to the product before: a warpgroup has a part of the columns only}}
  %f = tile.warpgroup_dot %a, %o, %e {async, joined} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>,
      !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>, tensor<64x64xf32, #halves>
  tile.return
}

// -----

// C8: more columns than an instruction has.
#wide = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,32] warp[4,1]>
#narrow = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
tile.kernel @joined_columns(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x256xf32, #wide>
  %e = tile.splat %x : f32 -> tensor<64x64xf32, #narrow>
  %a = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %b = tile.alloc_shared : !tile.shared<64x256xf16, #tile.shared_layout<64x256, bits [c0..2, c3..5+r0..2, r0..5, c6..7]>>
  %o = tile.alloc_shared : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>
  %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>,
      !tile.shared<64x256xf16, #tile.shared_layout<64x256, bits [c0..2, c3..5+r0..2, r0..5, c6..7]>>, tensor<64x256xf32, #wide>
  // expected-error @below {{cannot be joined to the product before: there is no wgmma of 320 columns}}
  %f = tile.warpgroup_dot %a, %o, %e {async, joined} : !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>,
      !tile.shared<64x64xf16, #tile.shared_layout<64x64, swizzle<3,3,3>>>, tensor<64x64xf32, #narrow>
  tile.return
}
