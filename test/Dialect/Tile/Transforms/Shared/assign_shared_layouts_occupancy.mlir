// Seven stages of 64 x 64 floats leave an SM of sm_90a room for two blocks, and with any padding for one. Padding would
// cure a 2-way conflict, but at the price of half of the warps: it wins only where that is not known.

// RUN: tile-opt --tile-assign-shared-layouts=layout=pad %s 2>/dev/null | FileCheck %s --check-prefix=UNKNOWN
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-shared-layouts=layout=pad %s 2>/dev/null | FileCheck %s --check-prefix=SM90
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-shared-layouts %s 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-shared-layouts %s 2>/dev/null | FileCheck %s --check-prefix=LAST

#rows = #tile.register_layout<register[1,4] lane[2,16] warp[8,1] register[4,1]>
#pairs = #tile.register_layout<lane[2,16] warp[8,1] register[4,4]>

// UNKNOWN: alloc_shared {{.*}}#tile.shared_layout<64x64, {{.*}}pad {{[0-9]+}} every
// SM90: alloc_shared {{.*}}1 block an SM, not 2{{.*}}#tile.shared_layout<64x64>>
// A swizzle costs no bytes.
// AUTO: alloc_shared {{.*}}(the ideal){{.*}}#tile.shared_layout<64x64, {{swizzle<|bits |order }}
tile.kernel @stages(%x: f32, %i: index) attributes {num_warps = 8 : i32} {
  %s = tile.alloc_shared : !tile.shared<7x64x64xf32>
  %v = tile.subview %s[%i] : !tile.shared<7x64x64xf32> -> !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %v : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %u = tile.local_load %v : !tile.shared<64x64xf32> -> tensor<64x64xf32, #pairs>
  tile.return
}

// Two tiles, 112 KiB together, that do not live at once: they will share bytes, and padding of the smaller one costs
// nothing. Each candidate says what comes of it.
// SM90-LABEL: tile.kernel @one_after_the_other
// SM90: alloc_shared {tile.layout_reason = "pad:{{[^"]*}}", tile.layout_scores = {{{.*}}candidates = [{blocks_per_sm = 3 : i64, {{[^}]*}}name = "pad:{{[0-9]+}}"
// SM90-NOT: blocks_per_sm = {{[124]}}
// SM90: alloc_shared {{.*}}candidates = [{blocks_per_sm = 3 : i64, {{[^}]*}}name = "as is"
// SM90-NOT: blocks_per_sm = {{[14]}}
tile.kernel @one_after_the_other(%x: f32, %i: index) attributes {num_warps = 8 : i32} {
  %s = tile.alloc_shared : !tile.shared<3x64x64xf32>
  %v = tile.subview %s[%i] : !tile.shared<3x64x64xf32> -> !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %v : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %u = tile.local_load %v : !tile.shared<64x64xf32> -> tensor<64x64xf32, #pairs>
  %r = tile.alloc_shared : !tile.shared<4x64x64xf32>
  %w = tile.subview %r[%i] : !tile.shared<4x64x64xf32> -> !tile.shared<64x64xf32>
  tile.local_store %t, %w : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %y = tile.local_load %w : !tile.shared<64x64xf32> -> tensor<64x64xf32, #rows>
  tile.return
}

// Later tiles decide how many blocks there are of earlier ones: the last word is the same for both.
// SM90-LABEL: tile.kernel @padded_later
// LAST-LABEL: tile.kernel @padded_later
// LAST: candidates = [{blocks_per_sm = 1 : i64
// LAST: candidates = [{blocks_per_sm = 1 : i64
tile.kernel @padded_later(%x: f32, %i: index) attributes {num_warps = 8 : i32} {
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  %r = tile.alloc_shared {layout = "pad:8"} : !tile.shared<6x64x64xf32>
  %w = tile.subview %r[%i] : !tile.shared<6x64x64xf32> -> !tile.shared<64x64xf32>
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  tile.local_store %t, %s : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  tile.local_store %t, %w : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  %u = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #rows>
  %y = tile.local_load %w : !tile.shared<64x64xf32> -> tensor<64x64xf32, #rows>
  tile.return
}
