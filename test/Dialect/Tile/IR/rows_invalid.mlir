// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @rank(%A: !tile.ptr<i8>, %M: index) {
  %a = tile.view %A, shape [%M], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  // expected-error@+1 {{view, coordinates and shared tile have one rank: the view has 1, the coordinates 1, the shared tile 2}}
  tile.copy_rows %a[%M], %s : !tile.view<?xi8, [1]>, !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  tile.return
}

// -----

tile.kernel @type(%A: !tile.ptr<f16>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  // expected-error@+1 {{moves elements of one type, not between 'f16' and 'i8'}}
  tile.copy_rows %a[%M, %N], %s : !tile.view<?x?xf16, [?, 1]>, !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  tile.return
}

// -----

tile.kernel @gaps(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, %M] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, ?]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  // expected-error@+1 {{needs a dimension whose stride is 1, written in the type of the view}}
  tile.copy_rows %a[%M, %N], %s : !tile.view<?x?xi8, [?, ?]>, !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  tile.return
}

// -----

tile.kernel @room(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 4 every 64>>
  // expected-error@+1 {{needs a tile whose layout has 3536 bytes for such rows, not 2176}}
  tile.copy_rows %a[%M, %N], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 4 every 64>>
  tile.return
}

// -----

tile.kernel @no_layout(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8>
  // expected-error@+1 {{needs a tile whose layout has 3536 bytes for such rows, not 0}}
  tile.store_rows %s from %a[%M, %N], %a[%M, %N] {order = array<i64: 0, 1>}
      : !tile.shared<32x64xi8>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @order(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  // expected-error@+1 {{the order is a permutation of 2 dimensions}}
  tile.store_rows %s from %a[%M, %N], %a[%M, %N] {order = array<i64: 1, 1>}
      : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @short(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<2x64xi8, #tile.shared_layout<2x64, pad 256 every 64>>
  // expected-error@+1 {{stores rows of 4 bytes or more, of a block of 128 or more}}
  tile.store_rows %s from %a[%M, %N], %a[%N, %M] {order = array<i64: 1, 0>}
      : !tile.shared<2x64xi8, #tile.shared_layout<2x64, pad 256 every 64>>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @few(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<4x16xi8, #tile.shared_layout<4x16, pad 256 every 16>>
  // expected-error@+1 {{stores rows of 4 bytes or more, of a block of 128 or more}}
  tile.store_rows %s from %a[%M, %N], %a[%N, %M] {order = array<i64: 1, 0>}
      : !tile.shared<4x16xi8, #tile.shared_layout<4x16, pad 256 every 16>>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @along_rows(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  // expected-error@+1 {{copies more along one of 2 dimensions, but for that of rows, 1: not along 1}}
  tile.copy_sectors %a[%M, %N], %s if %is {dim = 1 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  tile.return
}

// -----

tile.kernel @no_dimension(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  // expected-error@+1 {{copies more along one of 2 dimensions, but for that of rows, 1: not along 2}}
  tile.copy_sectors %a[%M, %N], %s if %is {dim = 2 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  tile.return
}

// -----

tile.kernel @reach_of_sectors(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  // expected-error@+1 {{has a reach along each of 2 dimensions, not along 1}}
  tile.copy_sectors %a[%M, %N] within [%M], %s if %is {dim = 0 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  tile.return
}

// -----

tile.kernel @reach_of_rows(%A: !tile.ptr<i8>, %M: index, %N: index) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  // expected-error@+1 {{has a reach along each of 2 dimensions, not along 3}}
  tile.copy_rows %a[%M, %N] within [%M, %N, %N], %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<32x64xi8, #tile.shared_layout<32x64, pad 56 every 64>>
  tile.return
}

// -----

tile.kernel @no_room_beyond(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 56 every 64>>
  // expected-error@+1 {{needs a tile whose layout has}}
  tile.copy_sectors %a[%M, %N], %s if %is {dim = 0 : i64} : !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 56 every 64>>
  tile.return
}

// -----

tile.kernel @stored_without_room(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 56 every 64>>
  // expected-error@+1 {{needs a tile whose layout has}}
  tile.store_sectors %s from %a[%M, %N], %a[%N, %M] if %is, %is {order = array<i64: 1, 0>} : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 56 every 64>>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @stored_along_rows(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>
  // expected-error@+1 {{stores rows along another dimension than that of rows it was copied by}}
  tile.store_sectors %s from %a[%M, %N], %a[%M, %N] if %is, %is {order = array<i64: 0, 1>} : !tile.shared<128x64xi8, #tile.shared_layout<128x64, pad 80 every 64>>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @short_sectors(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<64x64xi8, #tile.shared_layout<64x64, pad 80 every 64>>
  // expected-error@+1 {{stores rows of a multiple of 128 bytes, a word a lane}}
  tile.store_sectors %s from %a[%M, %N], %a[%N, %M] if %is, %is {order = array<i64: 1, 0>} : !tile.shared<64x64xi8, #tile.shared_layout<64x64, pad 80 every 64>>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// -----

tile.kernel @walk_words(%A: !tile.ptr<i32>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<64x64xi32, #tile.shared_layout<64x64, pad 8 every 64>>
  // expected-error@+1 {{moves elements of 1 or 2 bytes, not of 4}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi32, [?, 1]>, !tile.view<?x?xi32, [?, 1]>, !tile.shared<64x64xi32, #tile.shared_layout<64x64, pad 8 every 64>>
  tile.return
}

// -----

tile.kernel @walk_two_types(%A: !tile.ptr<i8>, %B: !tile.ptr<i16>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i16> -> !tile.view<?x?xi16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 64 every 256>>
  // expected-error@+1 {{moves elements of one type, not between 'i16' and 'i8'}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %b[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi16, [?, 1]>, !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 64 every 256>>
  tile.return
}

// -----

tile.kernel @walk_order(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 64 every 256>>
  // expected-error@+1 {{the order is a permutation of 2 dimensions}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 1>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 64 every 256>>
  tile.return
}

// -----

tile.kernel @walk_along_rows(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 64 every 256>>
  // expected-error@+1 {{stores rows along another dimension than that of rows that are read}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%M, %N] through %s for %N if %is, %is {order = array<i64: 0, 1>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 64 every 256>>
  tile.return
}

// -----

tile.kernel @walk_of_planes(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %M, %N], strides [%N, %N, 1] : !tile.ptr<i8> -> !tile.view<?x?x?xi8, [?, ?, 1]>
  %s = tile.alloc_shared : !tile.shared<2x128x256xi8, #tile.shared_layout<2x128x256, pad 64 every 256>>
  // expected-error@+1 {{has rings of rows along one dimension, not along 0 as well}}
  tile.walk_rows %a[%M, %M, %N] within [%M, %M, %N], %a[%M, %N, %M] through %s for %N if %is, %is {order = array<i64: 0, 2, 1>} : !tile.view<?x?x?xi8, [?, ?, 1]>, !tile.view<?x?x?xi8, [?, ?, 1]>, !tile.shared<2x128x256xi8, #tile.shared_layout<2x128x256, pad 64 every 256>>
  tile.return
}

// -----

tile.kernel @short_walk(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<64x256xi8, #tile.shared_layout<64x256, pad 128 every 256>>
  // expected-error@+1 {{stores rows of a multiple of 128 bytes, a word a lane}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<64x256xi8, #tile.shared_layout<64x256, pad 128 every 256>>
  tile.return
}

// -----

tile.kernel @small_rings(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x128xi8, #tile.shared_layout<128x128, pad 32 every 128>>
  // expected-error@+1 {{needs rings of 4 granules of 64 bytes or more, a power of two, not of 128 bytes}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x128xi8, #tile.shared_layout<128x128, pad 32 every 128>>
  tile.return
}

// -----

tile.kernel @walk_without_room(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 60 every 256>>
  // expected-error@+1 {{needs a tile whose layout has 40960 bytes for the rings, not 40400}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 60 every 256>>
  tile.return
}

// -----

tile.kernel @walk_without_reach(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 66 every 256>>
  // expected-error@+1 {{has a reach along each of 2 dimensions, not along 1}}
  tile.walk_rows %a[%M, %N] within [%M], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x256xi8, #tile.shared_layout<128x256, pad 66 every 256>>
  tile.return
}

// -----

tile.kernel @long_granules(%A: !tile.ptr<i8>, %M: index, %N: index, %is: i1) {
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<128x4096xi8, #tile.shared_layout<128x4096, pad 16 every 4096>>
  // expected-error@+1 {{needs granules of 512 bytes or less, not of 1024}}
  tile.walk_rows %a[%M, %N] within [%M, %N], %a[%N, %M] through %s for %N if %is, %is {order = array<i64: 1, 0>} : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<128x4096xi8, #tile.shared_layout<128x4096, pad 16 every 4096>>
  tile.return
}
