// RUN: tile-opt %s --split-input-file --verify-diagnostics

tile.kernel @types(%X: !tile.ptr<f32>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // expected-error@+1 {{moves elements of one type, not between 'f32' and 'f16'}}
  tile.copy_row %X, %n, %s : !tile.ptr<f32>, !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  tile.return
}

// -----

tile.kernel @rows(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<2x64xf16, #tile.shared_layout<2x64, pad 32 every 64>>
  // expected-error@+1 {{moves one row, along the last dimension of its shared tile}}
  tile.copy_row %X, %n, %s : !tile.ptr<f16>, !tile.shared<2x64xf16, #tile.shared_layout<2x64, pad 32 every 64>>
  tile.return
}

// -----

tile.kernel @room(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64>>
  // expected-error@+1 {{needs a tile whose layout has 160 bytes for such a row, not 128}}
  tile.copy_row %X, %n, %s : !tile.ptr<f16>, !tile.shared<1x64xf16, #tile.shared_layout<1x64>>
  tile.return
}

// -----

tile.kernel @shape(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  // expected-error@+1 {{loads a tile as the shared one, not 'tensor<1x32xf16>'}}
  %x = tile.load_row %s from %X ends %e count %n : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x32xf16>
  tile.return
}

// -----

tile.kernel @ends(%X: !tile.ptr<f16>, %n: index) {
  // expected-error@+1 {{has the ends of a row of 2 bytes each, not 'tensor<4xf16>'}}
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<4xf16>
  tile.return
}

// -----

tile.kernel @ends_of_words(%X: !tile.ptr<f32>, %n: index) {
  // expected-error@+1 {{has the ends of a row of 2 bytes each, not 'tensor<2xf32>'}}
  %e = tile.load_ends %X, %n : !tile.ptr<f32> -> tensor<2xf32>
  tile.return
}

// -----

#both = #tile.register_layout<register[2] lane*32 warp*4>
tile.kernel @ends_in_registers(%X: !tile.ptr<f16>, %n: index) attributes {num_warps = 4 : i32} {
  // expected-error@+1 {{has one of both ends in each thread}}
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16, #both>
  tile.return
}

// -----

#line = #tile.register_layout<lane[1,32] warp[1,4] register[1,4]>
#swapped = #tile.register_layout<lane*16 lane[2] warp*4>
tile.kernel @ends_of_others(%X: !tile.ptr<f16>, %n: index) attributes {num_warps = 4 : i32} {
  %s = tile.alloc_shared : !tile.shared<1x512xf16, #tile.shared_layout<1x512, pad 16 every 256>>
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16, #swapped>
  // expected-error@+1 {{has ends that are in other threads than columns that are even, and odd, as they are}}
  %x = tile.load_row %s from %X ends %e count %n : !tile.shared<1x512xf16, #tile.shared_layout<1x512, pad 16 every 256>>, !tile.ptr<f16>, tensor<2xf16, #swapped> -> tensor<1x512xf16, #line>
  tile.return
}

// -----

tile.kernel @bytes(%X: !tile.ptr<i8>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xi8, #tile.shared_layout<1x64, pad 32 every 32>>
  // expected-error@+1 {{moves elements of 2 bytes, of which a word has two}}
  tile.copy_row %X, %n, %s : !tile.ptr<i8>, !tile.shared<1x64xi8, #tile.shared_layout<1x64, pad 32 every 32>>
  tile.return
}

// -----

tile.kernel @placed(%Y: !tile.ptr<f16>, %f: f16) {
  %x = tile.splat %f : f16 -> tensor<1x32xf16>
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // expected-error@+1 {{places a tile as the shared one, not 'tensor<1x32xf16>'}}
  tile.place_row %x, %s, %Y : tensor<1x32xf16>, !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>
  tile.return
}

// -----

tile.kernel @stored(%Y: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64>>
  // expected-error@+1 {{needs a tile whose layout has 160 bytes for such a row, not 128}}
  tile.store_row %s, %Y, %n : !tile.shared<1x64xf16, #tile.shared_layout<1x64>>, !tile.ptr<f16>
  tile.return
}

// -----

tile.kernel @words(%p: !tile.ptr<f64>, %b: i1, %v: f64, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<4x64x!tile.ptr<f64>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : f64 -> tensor<4x64xf64, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf64, #tile.shared_layout<4x64, pad 8 every 64>>
  // expected-error @+1 {{moves elements of 1, 2 or 4 bytes, not 'f64'}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64} : tensor<4x64xf64, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f64>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf64, #tile.shared_layout<4x64, pad 8 every 64>>
  tile.return
}

// -----

tile.kernel @others(%p: !tile.ptr<f16>, %b: i1, %v: bf16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : bf16 -> tensor<4x64xbf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // expected-error @+1 {{moves what its pointers point to, and not}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64} : tensor<4x64xbf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}

// -----

tile.kernel @parts(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // expected-error @+1 {{has rows of which no warp has whole ones, side by side}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64} : tensor<4x64xf16, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>, tensor<4x64xi1, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>, tensor<4x64xi1, #tile.register_layout<register[4,1] lane[1,32] warp[1,2]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}

// -----

tile.kernel @room(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64>>
  // expected-error @+1 {{has a shared tile of 512 bytes, and needs 576}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64} : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64>>
  tile.return
}

// -----

tile.kernel @apart_bytes(%p: !tile.ptr<i8>, %b: i1, %v: i8, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<4x64x!tile.ptr<i8>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : i8 -> tensor<4x64xi8, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xi8, #tile.shared_layout<4x64>>
  // expected-error @+1 {{has rows apart, which have less than 8 bytes, or elements of 1 byte}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64, apart} : tensor<4x64xi8, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<i8>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xi8, #tile.shared_layout<4x64>>
  tile.return
}

// -----

tile.kernel @most(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // expected-error @+1 {{has rows of at most 'most' columns, from 1 to 64, not 65}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 65 : i64} : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}

// -----

tile.kernel @least(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // expected-error @+1 {{has rows of at least 'least' columns, from 1 to 64, not 65}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {least = 65 : i64, most = 64 : i64} : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}

// -----

tile.kernel @copying(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32, copy_warps = 1} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // expected-error @+1 {{moves rows of all warps of a kernel that has no copy_warps}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64} : tensor<4x64xf16, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, tensor<4x64xi1, #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  tile.return
}

// -----

#rows = #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>
tile.kernel @room_of_no_layout(%p: !tile.ptr<f16>, %b: i1, %v: f16, %n: index) attributes {num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #rows>
  %m = tile.splat %b : i1 -> tensor<4x64xi1, #rows>
  %x = tile.splat %v : f16 -> tensor<4x64xf16, #rows>
  %s = tile.alloc_shared : !tile.shared<4x64xf16>
  // expected-error @+1 {{has a shared tile without a layout}}
  %y = tile.load_run %ps mask %m, %m else %x count %n through %s {most = 64 : i64} : tensor<4x64x!tile.ptr<f16>, #rows>, tensor<4x64xi1, #rows>, tensor<4x64xi1, #rows>, !tile.shared<4x64xf16> -> tensor<4x64xf16, #rows>
  tile.return
}

// -----

tile.kernel @least(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  // expected-error @+1 {{loads rows of 1 to 40 elements, not of at least 41}}
  %x = tile.load_row %s from %X ends %e count %n {most = 40 : i64, least = 41 : i64} : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x64xf16>
  tile.return
}

// -----

tile.kernel @most(%X: !tile.ptr<f16>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  // expected-error@+1 {{moves rows of 1 to 64 elements, as its tile has them, not of at most 65}}
  tile.copy_row %X, %n, %s {most = 65 : i64} : !tile.ptr<f16>, !tile.shared<1x64xf16, #tile.shared_layout<1x64, pad 16 every 32>>
  tile.return
}

// -----

#rows = #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>
func.func @of_no_kernel(%ps: tensor<4x64x!tile.ptr<f16>, #rows>, %m: tensor<4x64xi1, #rows>, %x: tensor<4x64xf16, #rows>, %n: index) {
  %s = tile.alloc_shared : !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  // expected-error @+1 {{moves rows of all warps of a kernel that has no copy_warps}}
  tile.store_run %x, %ps mask %m, %m count %n through %s {most = 64 : i64} : tensor<4x64xf16, #rows>, tensor<4x64x!tile.ptr<f16>, #rows>, tensor<4x64xi1, #rows>, tensor<4x64xi1, #rows>, !tile.shared<4x64xf16, #tile.shared_layout<4x64, pad 16 every 64>>
  func.return
}
