// Widths that are asked for and not legal, each with the condition that fails; and what must come before.

// RUN: tile-opt --tile-check-vector-width --split-input-file --verify-diagnostics %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @view(%A: !tile.ptr<f32> {tile.divisibility = 8 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-error@+1 {{vector_width = 4 is not legal: the base A is only known to be a multiple of 8 bytes; at most 2 is}}
  %t = tile.load_view %a[%c0, %c0] {vector_width = 4 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  // Every illegal access is named, not only the first.
  // expected-error@+1 {{vector_width = 8 is not legal: the base A is only known to be a multiple of 8 bytes; at most 2 is}}
  tile.store_view %t, %a[%c0, %c0] {vector_width = 8 : i64} : tensor<16x32xf32, #rows>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1]>
tile.kernel @instruction(%A: !tile.ptr<f32> {tile.divisibility = 64 : i64}, %N: index {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-error@+1 {{vector_width = 8 is not legal: an instruction moves at most 16 bytes a thread; at most 4 is}}
  %t = tile.load_view %a[%c0, %c0] {vector_width = 8 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<16x64xf32, #rows>
  tile.return
}

// -----

#line = #tile.register_layout<register[4] lane[32] warp[4]>
tile.kernel @pointers(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) {
  %i = tile.iota 0 : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  %bound = tile.splat %n : i32 -> tensor<512xi32, #line>
  %mask = arith.cmpi slt, %i, %bound : tensor<512xi32, #line>
  // expected-error@+1 {{vector_width = 4 is not legal: the mask is only known to be the same for 1 in a row; at most 1 is}}
  %v = tile.load %ps mask %mask {vector_width = 4 : i64} : tensor<512x!tile.ptr<f32>, #line>
  // expected-error@+1 {{vector_width = 2 is not legal: the mask is only known to be the same for 1 in a row; at most 1 is}}
  tile.store %ps, %v mask %mask {vector_width = 2 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
#padded = #tile.shared_layout<16x32, pad 2 every 32>
tile.kernel @shared(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x32xf32, #rows>
  %a = tile.alloc_shared : !tile.shared<16x32xf32, #padded>
  // expected-error@+1 {{vector_width = 4 is not legal: padding of 2 elements every 32 does not keep vectors of 4 elements whole and aligned; at most 2 is}}
  tile.local_store %t, %a {vector_width = 4 : i64} : tensor<16x32xf32, #rows>, !tile.shared<16x32xf32, #padded>
  // expected-error@+1 {{vector_width = 4 is not legal: padding of 2 elements every 32 does not keep vectors of 4 elements whole and aligned; at most 2 is}}
  %u = tile.local_load %a {vector_width = 4 : i64} : !tile.shared<16x32xf32, #padded> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

tile.kernel @no_registers(%A: !tile.ptr<f32>, %i: index) {
  %a = tile.view %A, shape [64], strides [1] : !tile.ptr<f32> -> !tile.view<64xf32, [1]>
  // expected-error@+1 {{needs a register layout before its vector width: run tile-assign-register-layouts}}
  %t = tile.load_view %a[%i] : !tile.view<64xf32, [1]> -> tensor<64xf32>
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error@+1 {{needs a register layout before its vector width: run tile-assign-register-layouts}}
  tile.local_store %t, %s : tensor<64xf32>, !tile.shared<64xf32>
  tile.return
}

// -----

#line = #tile.register_layout<register[4] lane[32] warp[4]>
tile.kernel @no_shared(%x: f32) {
  %s = tile.alloc_shared : !tile.shared<512xf32>
  %t = tile.splat %x : f32 -> tensor<512xf32, #line>
  // expected-error@+1 {{needs a shared layout before its vector width: run tile-assign-shared-layouts}}
  tile.local_store %t, %s : tensor<512xf32, #line>, !tile.shared<512xf32>
  tile.return
}
