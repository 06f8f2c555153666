// What stands in the way of 32 bytes a thread, on targets that have them, and widths that are not legal there.

// RUN: tile-opt --tile-set-target=target=sm_100a --tile-check-vector-width --split-input-file --verify-diagnostics %s

#octets = #tile.register_layout<register[1,8] lane[8,4] warp[4,1]>
#quads = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
tile.kernel @reasons(%A: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                     %N: index {tile.divisibility = 8 : i64}, %M: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %A, shape [%N, %M], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // The widest: nothing to say.
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32, #octets>
  // expected-remark@+1 {{vector of 4 elements, 16 bytes: a thread holds only 4 consecutive elements along dimension 1}}
  %u = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32, #quads>
  // expected-remark@+1 {{vector of 4 elements, 16 bytes: the base B is only known to be a multiple of 16 bytes}}
  tile.store_view %t, %b[%c0, %c0] : tensor<32x32xf32, #octets>, !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 4 elements, 16 bytes: the extent M is only known to be a multiple of 4, and a wider vector could cross the edge}}
  tile.store_view %t, %c[%c0, %c0] : tensor<32x32xf32, #octets>, !tile.view<?x?xf32, [?, 1]>
  // Narrower, because it is written.
  tile.store_view %t, %a[%c0, %c0] {vector_width = 2 : i64} : tensor<32x32xf32, #octets>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// In shared memory 16 bytes stay the most.
#octets = #tile.register_layout<register[1,8] lane[8,4] warp[4,1]>
#plain = #tile.shared_layout<32x32>
tile.kernel @shared(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x32xf32, #octets>
  %s = tile.alloc_shared : !tile.shared<32x32xf32, #plain>
  tile.local_store %t, %s : tensor<32x32xf32, #octets>, !tile.shared<32x32xf32, #plain>
  // expected-error@+1 {{vector_width = 8 is not legal: an instruction moves at most 16 bytes a thread; at most 4 is}}
  tile.local_store %t, %s {vector_width = 8 : i64} : tensor<32x32xf32, #octets>, !tile.shared<32x32xf32, #plain>
  tile.return
}

// -----

#sixteen = #tile.register_layout<register[1,16] lane[8,4] warp[4,1]>
tile.kernel @instruction(%A: !tile.ptr<f32> {tile.divisibility = 64 : i64}, %N: index {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-error@+1 {{vector_width = 16 is not legal: an instruction moves at most 32 bytes a thread; at most 8 is}}
  %t = tile.load_view %a[%c0, %c0] {vector_width = 16 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<32x64xf32, #sixteen>
  tile.return
}
