// RUN: tile-opt --tile-allocate-shared=max-bytes=8192 --split-input-file --verify-diagnostics %s

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// expected-error@+1 {{needs 12288 bytes of shared memory; a block on the target may have 8192: use smaller tiles}}
tile.kernel @too_much(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  // expected-note@+1 {{a tile of 1024xf32 takes 4096 bytes}}
  %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
  // expected-note@+1 {{a tile of 2x1024xf32 takes 8192 bytes}}
  %b = tile.alloc_shared : !tile.shared<2x1024xf32, #tile.shared_layout<2x1024>>
  %u = tile.local_load %b : !tile.shared<2x1024xf32, #tile.shared_layout<2x1024>> -> tensor<2x1024xf32, #tile.register_layout<register[2,32] lane[1,32] warp*4>>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %v = tile.local_load %b : !tile.shared<2x1024xf32, #tile.shared_layout<2x1024>> -> tensor<2x1024xf32, #tile.register_layout<register[2,32] lane[1,32] warp*4>>
  tile.return
}

// -----

// A place that is written counts where it ends.
#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
// expected-error@+1 {{needs 12288 bytes of shared memory}}
tile.kernel @far(%x: f32) {
  // expected-note@+1 {{a tile of 1024xf32 takes 4096 bytes}}
  %a = tile.alloc_shared {offset = 8192 : i64} : !tile.shared<1024xf32, #s>
  tile.return
}

// -----

#l = #tile.register_layout<register[32] lane[32] warp*4>
#s = #tile.shared_layout<1024>
tile.kernel @fixed_overlap(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  // expected-note@+1 {{the other tile}}
  %a = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1024xf32, #s>
  // expected-error@+1 {{overlaps the bytes of another tile that is in use}}
  %b = tile.alloc_shared {offset = 4080 : i64} : !tile.shared<1024xf32, #s>
  tile.local_store %t, %a : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  tile.local_store %t, %b : tensor<1024xf32, #l>, !tile.shared<1024xf32, #s>
  %u = tile.local_load %a : !tile.shared<1024xf32, #s> -> tensor<1024xf32, #l>
  tile.return
}

// -----

tile.kernel @no_layout() {
  // expected-error@+1 {{needs a shared layout before it gets bytes: run tile-assign-shared-layouts}}
  %a = tile.alloc_shared : !tile.shared<1024xf32>
  tile.return
}

// -----

#s = #tile.shared_layout<1024>
tile.kernel @passed_on(%c: i1) {
  %a = tile.alloc_shared : !tile.shared<1024xf32, #s>
  // expected-error@+1 {{a shared tile is only loaded, stored, multiplied and subviewed; it is no value to pass on}}
  %b = arith.select %c, %a, %a : !tile.shared<1024xf32, #s>
  tile.return
}

// -----

// The largest that a type can be: no overflow.
// expected-error@+1 {{needs 2147483632 bytes of shared memory}}
tile.kernel @huge() {
  // expected-note@+1 {{a tile of 134217727x1xi8 takes 2147483632 bytes}}
  %a = tile.alloc_shared : !tile.shared<134217727x1xi8, #tile.shared_layout<1>>
  tile.return
}

// -----

// A product reads tiles where the hardware can.
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#a = #tile.shared_layout<64x64, swizzle<3,3,3>>
#b = #tile.shared_layout<64x32, swizzle<2,3,3>>
tile.kernel @k(%x: f32) {
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  // expected-error@+1 {{a product or a bulk copy reads this tile where it lies: its offset is a multiple of 1024, not 512}}
  %sa = tile.alloc_shared {offset = 512 : i64} : !tile.shared<64x64xf16, #a>
  %sb = tile.alloc_shared : !tile.shared<64x32xf16, #b>
  %d = tile.warpgroup_dot %sa, %sb, %c : !tile.shared<64x64xf16, #a>, !tile.shared<64x32xf16, #b>, tensor<64x32xf32, #sums>
  tile.return
}
