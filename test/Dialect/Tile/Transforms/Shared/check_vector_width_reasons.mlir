// Further reasons for narrower vectors than 16 bytes, and how far calculated coordinates keep them wide.

// RUN: tile-opt --tile-check-vector-width --split-input-file --verify-diagnostics %s

// What follows an element is in another warp.
#warps = #tile.register_layout<register[1,2] lane[32,1] warp[1,2]>
#plain = #tile.shared_layout<32x4>
tile.kernel @warp(%x: f32) attributes {num_warps = 2 : i32} {
  %t = tile.splat %x : f32 -> tensor<32x4xf32, #warps>
  %s = tile.alloc_shared : !tile.shared<32x4xf32, #plain>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: a thread holds runs of 2 elements; what follows is in another warp}}
  tile.local_store %t, %s : tensor<32x4xf32, #warps>, !tile.shared<32x4xf32, #plain>
  tile.return
}

// -----

// A warp that begins between two vectors.
#rows = #tile.register_layout<register[1,4] lane[32,1] warp[2,1]>
#odd = #tile.shared_layout<64x4, bits [c0+r5, c1, r0..5]>
tile.kernel @odd_warp(%x: f32) attributes {num_warps = 2 : i32} {
  %t = tile.splat %x : f32 -> tensor<64x4xf32, #rows>
  %s = tile.alloc_shared : !tile.shared<64x4xf32, #odd>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: warp bit 0 moves the access by 129 elements, which is no multiple of 2}}
  tile.local_store %t, %s : tensor<64x4xf32, #rows>, !tile.shared<64x4xf32, #odd>
  tile.return
}

// -----

// Types of 8 and 2 bytes: the same 16 bytes.
#pairs = #tile.register_layout<register[1,2] lane[32,1] warp[4,1]>
#octets = #tile.register_layout<register[1,8] lane[32,1] warp[4,1]>
tile.kernel @types(%A: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %N: index {tile.divisibility = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %b = tile.view %B, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf64, [?, 1]> -> tensor<128x2xf64, #pairs>
  %u = tile.load_view %b[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x8xf16, #octets>
  tile.return
}

// -----

// Coordinates that a kernel calculates: quotients, remainders, minima, selections, loops.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @coordinates(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64},
                         %i: index {tile.divisibility = 16 : i64}, %odd: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %quotient = arith.divsi %i, %c4 : index
  %t0 = tile.load_view %a[%c0, %quotient] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %narrow = arith.divsi %i, %c8 : index
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the coordinate along dimension 1 is only known to be a multiple of 2}}
  %t1 = tile.load_view %a[%c0, %narrow] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %remainder = arith.remsi %i, %c32 : index
  %t2 = tile.load_view %a[%c0, %remainder] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %other = arith.remsi %odd, %c32 : index
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the coordinate along dimension 1 is only known to be a multiple of 1}}
  %t3 = tile.load_view %a[%c0, %other] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %least = arith.minsi %i, %c32 : index
  %t4 = tile.load_view %a[%c0, %least] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %chosen = arith.select %c, %i, %c32 : index
  %t5 = tile.load_view %a[%c0, %chosen] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %wrong = arith.select %c, %i, %odd : index
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the coordinate along dimension 1 is only known to be a multiple of 1}}
  %t6 = tile.load_view %a[%c0, %wrong] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  scf.for %k = %c0 to %N step %c32 {
    %t7 = tile.load_view %a[%c0, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  }
  scf.for %k = %odd to %N step %c32 {
    // expected-remark@+1 {{vector of 1 element, 4 bytes: the coordinate along dimension 1 is only known to be a multiple of 1}}
    %t8 = tile.load_view %a[%c0, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  }
  tile.return
}

// -----

// ldmatrix and what it asks for.
#fragment = #tile.register_layout<register[1,2] lane[8,4] register[2,2] warp*4>
#rows = #tile.register_layout<register[1,8] lane[16,2] warp*4>
#swizzled = #tile.shared_layout<16x16, swizzle<1,3,3>>
tile.kernel @matrix() {
  %a = tile.alloc_shared : !tile.shared<16x16xf16, #swizzled>
  %t0 = tile.local_load %a {matrix} : !tile.shared<16x16xf16, #swizzled> -> tensor<16x16xf16, #fragment>
  // expected-error@+1 {{ldmatrix cannot read the tile in this layout: the 16 bytes that ldmatrix spreads over a row's lanes are not adjacent in shared memory}}
  %t1 = tile.local_load %a {matrix} : !tile.shared<16x16xf16, #swizzled> -> tensor<16x16xf16, #rows>
  tile.return
}

// -----

#fragment = #tile.register_layout<register[1,2] lane[8,4] register[2,2] warp*4>
#cut = #tile.shared_layout<16x16, swizzle<1,1,4>>
tile.kernel @cut_rows() {
  %a = tile.alloc_shared : !tile.shared<16x16xf16, #cut>
  // expected-error@+1 {{ldmatrix cannot read the tile in this layout: the rows of ldmatrix are not aligned to 16 bytes in shared memory}}
  %t = tile.local_load %a {matrix} : !tile.shared<16x16xf16, #cut> -> tensor<16x16xf16, #fragment>
  tile.return
}

// -----

#fragment = #tile.register_layout<register[1,2] lane[8,4] register[2,2] warp*4>
#padded = #tile.shared_layout<16x16, pad 4 every 16>
tile.kernel @padded_rows() {
  %a = tile.alloc_shared : !tile.shared<16x16xf16, #padded>
  // expected-error@+1 {{ldmatrix cannot read the tile in this layout: padding of 4 elements every 16 does not keep rows of 16 bytes whole and aligned}}
  %t = tile.local_load %a {matrix} : !tile.shared<16x16xf16, #padded> -> tensor<16x16xf16, #fragment>
  tile.return
}

// -----

#fragment = #tile.register_layout<lane[8,4] register[2,2] warp*4>
#plain = #tile.shared_layout<16x8>
tile.kernel @wide_elements() {
  %a = tile.alloc_shared : !tile.shared<16x8xf64, #plain>
  // expected-error@+1 {{ldmatrix cannot read the tile in this layout: ldmatrix does not move elements of 8 bytes this way}}
  %t = tile.local_load %a {matrix} : !tile.shared<16x8xf64, #plain> -> tensor<16x8xf64, #fragment>
  tile.return
}
