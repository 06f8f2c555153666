// Seven stages of 64 x 64 floats leave an SM of sm_90a room for two blocks, and with any padding for one. Padding would
// cure a 2-way conflict, but at the price of half of the warps: it wins only where that is not known.

// RUN: tile-opt --tile-assign-shared-layouts=layout=pad %s 2>/dev/null | FileCheck %s --check-prefix=UNKNOWN
// RUN: tile-opt "--tile-assign-shared-layouts=layout=pad target=sm_90a" %s 2>/dev/null | FileCheck %s --check-prefix=SM90
// RUN: tile-opt "--tile-assign-shared-layouts=target=sm_90a" %s 2>/dev/null | FileCheck %s --check-prefix=AUTO
// RUN: not tile-opt "--tile-assign-shared-layouts=target=sm_9" %s 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'sm_9': the known targets are sm_80,

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
