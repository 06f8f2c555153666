// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @two_words(%A: !tile.ptr<f16>) {
  %view = tile.view %A, shape [8, 8], strides [8, 1] : !tile.ptr<f16> -> !tile.view<8x8xf16, [8, 1]>
  %zero = arith.constant 0 : index
  // expected-error@+1 {{'tile.by_words' is 1 or -1, on an access to global memory}}
  %t = tile.load_view %view[%zero, %zero] {tile.by_words = 2 : i64} : !tile.view<8x8xf16, [8, 1]> -> tensor<8x8xf16>
  tile.return
}

// -----

// expected-error@+1 {{'tile.by_words' is 1 or -1, on an access to global memory}}
tile.kernel @no_access() attributes {tile.by_words = 1 : i64} {
  tile.return
}

// -----

// expected-error@+1 {{'tile.second_axis_first' has no value and is on a kernel}}
tile.kernel @third() attributes {tile.second_axis_first = 3 : i64} {
  tile.return
}

// -----

tile.kernel @no_kernel() {
  // expected-error@+1 {{'tile.second_axis_first' has no value and is on a kernel}}
  %zero = arith.constant {tile.second_axis_first} 0 : index
  tile.return
}

// -----

// One thread has all of a program, which no tile is of.
// expected-error@+1 {{'tile.first_thread' has no value and is on a kernel without tiles: one thread has all of it}}
tile.kernel @tiles_of_one_thread(%P: !tile.ptr<i32>) attributes {tile.first_thread} {
  %ps = tile.splat %P : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %x = tile.load %ps : tensor<128x!tile.ptr<i32>>
  tile.return
}

// -----

tile.kernel @access_of_one_thread(%P: !tile.ptr<i32>) {
  // expected-error@+1 {{'tile.first_thread' has no value and is on a kernel without tiles}}
  %x = tile.load %P {tile.first_thread} : !tile.ptr<i32>
  tile.return
}
