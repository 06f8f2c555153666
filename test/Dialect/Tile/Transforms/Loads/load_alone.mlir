// Where threads load 48 registers by elements, ptxas is told how many blocks have as many, and 16 more.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-load-alone --split-input-file %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_86 --tile-load-alone --split-input-file %s | FileCheck %s --check-prefix=SM86

#each = #tile.register_layout<register[64] lane[32] warp[4]>
// 65536 registers, 128 threads, 64 + 16 each.
// CHECK-LABEL: tile.kernel @halves
// CHECK-SAME: tile.blocks_per_sm = 6 : i32
tile.kernel @halves(%x: !tile.ptr<f16>, %out: !tile.ptr<f16>, %n: index, %i: index) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #each>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<8192xf16, #each>, !tile.view<?xf16, [1]>
  tile.return
}

// -----

// No more than the GPU has at a time: 32 here, 16 of sm_86.
// CHECK-LABEL: tile.kernel @one_warp
// CHECK-SAME: tile.blocks_per_sm = 25 : i32
// SM86-LABEL: tile.kernel @one_warp
// SM86-SAME: tile.blocks_per_sm = 16 : i32
#one = #tile.register_layout<register[64] lane[32]>
tile.kernel @one_warp(%x: !tile.ptr<f16>, %out: !tile.ptr<f16>, %n: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<2048xf16, #one>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<2048xf16, #one>, !tile.view<?xf16, [1]>
  tile.return
}

// -----

#each = #tile.register_layout<register[32] lane[32] warp[4]>
// An element of 8 bytes takes two registers.
// CHECK-LABEL: tile.kernel @doubles
// CHECK-SAME: tile.blocks_per_sm = 6 : i32
tile.kernel @doubles(%x: !tile.ptr<f64>, %out: !tile.ptr<f64>, %n: index, %i: index) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f64> -> !tile.view<?xf64, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf64, [1]> -> tensor<4096xf64, #each>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f64> -> !tile.view<?xf64, [1]>
  tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<4096xf64, #each>, !tile.view<?xf64, [1]>
  tile.return
}

// -----

#each = #tile.register_layout<register[32] lane[32] warp[4]>
#pairs = #tile.register_layout<register[64] lane[32] warp[4]>
// Neither of few elements, nor of vectors, nor in a loop, nor where something is computed of them, nor where somebody has asked.
// CHECK-LABEL: tile.kernel @few
// CHECK-NOT: blocks_per_sm
// CHECK-LABEL: tile.kernel @asked
// CHECK-SAME: tile.blocks_per_sm = 2 : i32
tile.kernel @few(%x: !tile.ptr<f16>, %n: index, %i: index) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #each>
  tile.store_view %t, %v[%i] {vector_width = 1 : i64} : tensor<4096xf16, #each>, !tile.view<?xf16, [1]>
  tile.return
}
tile.kernel @vectors(%x: !tile.ptr<f16>, %n: index, %i: index) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 2 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #pairs>
  tile.store_view %t, %v[%i] {vector_width = 2 : i64} : tensor<8192xf16, #pairs>, !tile.view<?xf16, [1]>
  tile.return
}
tile.kernel @loop(%x: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8192 = arith.constant 8192 : index
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  scf.for %i = %c0 to %n step %c8192 {
    %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #pairs>
    tile.store_view %t, %v[%i] {vector_width = 1 : i64} : tensor<8192xf16, #pairs>, !tile.view<?xf16, [1]>
  }
  tile.return
}
tile.kernel @squares(%x: !tile.ptr<f16>, %n: index, %i: index) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #pairs>
  %s = arith.mulf %t, %t : tensor<8192xf16, #pairs>
  tile.store_view %s, %v[%i] {vector_width = 1 : i64} : tensor<8192xf16, #pairs>, !tile.view<?xf16, [1]>
  tile.return
}
tile.kernel @asked(%x: !tile.ptr<f16>, %n: index, %i: index) attributes {tile.blocks_per_sm = 2 : i32} {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #pairs>
  tile.store_view %t, %v[%i] {vector_width = 1 : i64} : tensor<8192xf16, #pairs>, !tile.view<?xf16, [1]>
  tile.return
}

// -----

#each = #tile.register_layout<register[64] lane[32] warp[4]>
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp[1,4]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2] warp*4>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2] warp[1,4]>
// Nor beside products, whose sums are more than what is loaded.
// CHECK-LABEL: tile.kernel @product
// CHECK-NOT: blocks_per_sm
tile.kernel @product(%x: !tile.ptr<f16>, %out: !tile.ptr<f16>, %n: index, %i: index, %z: f32, %h: f16) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #each>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %c = tile.splat %z : f32 -> tensor<16x64xf32, #acc>
  %l = tile.splat %h : f16 -> tensor<16x16xf16, #a>
  %r = tile.splat %h : f16 -> tensor<16x64xf16, #b>
  %d = tile.dot %l, %r, %c : tensor<16x16xf16, #a>, tensor<16x64xf16, #b>, tensor<16x64xf32, #acc>
  tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<8192xf16, #each>, !tile.view<?xf16, [1]>
  tile.return
}

// -----

// What no layout is chosen for is not known to take registers.
// CHECK-LABEL: tile.kernel @no_layouts
// CHECK-NOT: blocks_per_sm
tile.kernel @no_layouts(%x: !tile.ptr<f16>, %out: !tile.ptr<f16>, %n: index, %i: index) {
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<8192xf16>, !tile.view<?xf16, [1]>
  tile.return
}
