// Programs that are not placed, and what threads cannot do.

// RUN: tile-opt --convert-tile-to-nvvm --split-input-file --verify-diagnostics %s

tile.kernel @no_layout(%x: f32) {
  // expected-error@+1 {{has no register layout: run tile-assign-register-layouts first}}
  %t = tile.splat %x : f32 -> tensor<32xf32>
  tile.return
}

// -----

tile.kernel @no_shared_layout() {
  // expected-error@+1 {{has no layout or no offset: run tile-assign-shared-layouts and tile-allocate-shared first}}
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32xf32>
  tile.return
}

// -----

tile.kernel @no_offset() {
  // expected-error@+1 {{has no layout or no offset: run tile-assign-shared-layouts and tile-allocate-shared first}}
  %s = tile.alloc_shared : !tile.shared<32xf32, #tile.shared_layout<32>>
  tile.return
}

// -----

tile.kernel @no_bytes() attributes {shared_bytes = 64 : i64} {
  // expected-error@+1 {{ends at byte 128 of shared memory, of which the kernel has 64 (shared_bytes): run tile-allocate-shared first}}
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32xf32, #tile.shared_layout<32>>
  tile.return
}

// -----

#line = #tile.register_layout<lane[32] warp*4>
tile.kernel @no_global_width(%P: !tile.ptr<f32>) {
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #line>
  // expected-error@+1 {{has no vector width: run tile-check-vector-width first}}
  %t = tile.load %ps : tensor<32x!tile.ptr<f32>, #line>
  tile.return
}

// -----

#line = #tile.register_layout<lane[32] warp*4>
tile.kernel @no_shared_width() attributes {shared_bytes = 128 : i64} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<32xf32, #tile.shared_layout<32>>
  // expected-error@+1 {{has no vector width: run tile-check-vector-width first}}
  %t = tile.local_load %s : !tile.shared<32xf32, #tile.shared_layout<32>> -> tensor<32xf32, #line>
  tile.return
}

// -----

#a = #tile.register_layout<lane[32] warp[4]>
#b = #tile.register_layout<warp[4] lane[32]>
tile.kernel @between_warps(%P: !tile.ptr<f32>) {
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #a>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<128x!tile.ptr<f32>, #a>
  // expected-error@+2 {{moves data between warps: run tile-lower-conversions first}}
  // expected-error@+1 {{failed to legalize operation 'tile.convert_layout'}}
  %u = tile.convert_layout %t : tensor<128xf32, #a> -> tensor<128xf32, #b>
  tile.return
}

// -----

func.func @outside() {
  // expected-error@+1 {{stands outside of a tile.kernel: only kernels have tiles}}
  tile.barrier
  return
}

// -----

#line = #tile.register_layout<lane[4] lane*8 warp*4>
tile.kernel @table(%P: !tile.ptr<i32>) {
  // expected-error@+2 {{a constant tile holds one value everywhere; load a table from memory instead}}
  // expected-error@+1 {{failed to legalize operation 'arith.constant'}}
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #line>
  tile.return
}

// -----

tile.kernel @across_warps(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<128xf32, #tile.register_layout<lane[32] warp[4]>>
  // expected-error@+1 {{several warps have parts of one result: run tile-split-reductions first}}
  %s = tile.reduce %t axis 0 : tensor<128xf32, #tile.register_layout<lane[32] warp[4]>> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @channel() attributes {shared_bytes = 384 : i64} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64xf16, #tile.shared_layout<64>>
  // expected-error@+1 {{is no group of copies yet: run tile-lower-channels first}}
  %c = tile.channel %s : !tile.shared<3x64xf16, #tile.shared_layout<64>> -> !tile.channel<3>
  tile.return
}

// -----

tile.kernel @scan_across_warps(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<128xf32, #tile.register_layout<lane[32] warp[4]>>
  // expected-error@+1 {{several warps have parts of the axis: run tile-split-scans first}}
  %s = tile.scan %t axis 0 : tensor<128xf32, #tile.register_layout<lane[32] warp[4]>> -> tensor<128xf32, #tile.register_layout<lane[32] warp[4]>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

// The result of an atomic access that one thread does for several.
#copies = #tile.register_layout<lane[16] lane*2 warp*4>
tile.kernel @result_of_one(%P: !tile.ptr<i32>, %x: i32) {
  %p = tile.splat %P : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #copies>
  %v = tile.splat %x : i32 -> tensor<16xi32, #copies>
  // expected-error@+1 {{leaves its result in one of the threads that hold it: run tile-share-results first}}
  %a = tile.atomic_rmw add %p, %v {vector_width = 1 : i64} : tensor<16x!tile.ptr<i32>, #copies>
  tile.store %p, %a {vector_width = 1 : i64} : tensor<16x!tile.ptr<i32>, #copies>
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
tile.kernel @no_mbarrier(%A: !tile.ptr<f16>, %M: index, %K: index) attributes {shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #slot>
  // expected-error@+2 {{has no mbarrier to arrive at: run tile-lower-mbarriers first}}
  // expected-error@+1 {{failed to legalize operation 'tile.copy_tma'}}
  tile.copy_tma %map[%c0, %c0], %s : !tile.shared<64x64xf16, #slot>
  tile.return
}

// -----

module attributes {tile.target = "sm_80"} {
  tile.kernel @no_tma(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    // expected-error@+1 {{needs bulk tensor copies, which the target does not have: sm_90a and newer do}}
    %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    tile.return
  }
}

// -----

// Joined products read one right tile behind the other; here other bytes lie in between.
#tile = #tile.shared_layout<64x64, swizzle<3,3,3>>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @apart(%x: f32) attributes {shared_bytes = 32768 : i64} {
    %c = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
    %e = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
    %a = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<64x64xf16, #tile>
    // expected-note@+1 {{that of the product before}}
    %b = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf16, #tile>
    // expected-note@+1 {{its tile}}
    %o = tile.alloc_shared {offset = 24576 : i64} : !tile.shared<64x64xf16, #tile>
    %d = tile.warpgroup_dot %a, %b, %c {async} : !tile.shared<64x64xf16, #tile>, !tile.shared<64x64xf16, #tile>, tensor<64x64xf32, #sums>
    // expected-error@+1 {{is joined to the product before, whose right tile does not stand in front of its own in each stage}}
    %f = tile.warpgroup_dot %a, %o, %e {async, joined} : !tile.shared<64x64xf16, #tile>, !tile.shared<64x64xf16, #tile>, tensor<64x64xf32, #sums>
    %g:2 = tile.dot_wait 0, %d, %f : tensor<64x64xf32, #sums>, tensor<64x64xf32, #sums>
    tile.return
  }
}
