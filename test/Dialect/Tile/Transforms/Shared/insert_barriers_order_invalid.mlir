// RUN: tile-opt --tile-placement --verify-diagnostics=only-expected %s

#r = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
tile.kernel @reuse(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32> {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %b = tile.view %B, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %s0 = tile.alloc_shared : !tile.shared<32x32xf32>
  tile.copy_async %a[%c0, %c0], %s0 {registers = #r} : !tile.view<32x32xf32, [32, 1]>, !tile.shared<32x32xf32>
  tile.async_commit
  %t = tile.load_view %a[%c0, %c0] : !tile.view<32x32xf32, [32, 1]> -> tensor<32x32xf32, #r>
  %s = tile.alloc_shared : !tile.shared<32x32xf32>
  // expected-error @below {{uses bytes that a copy or a product under way may still touch: wait for it first (tile.async_wait 0, tile.dot_wait 0, tile.store_tma_wait)}}
  tile.local_store %t, %s : tensor<32x32xf32, #r>, !tile.shared<32x32xf32>
  tile.async_wait 0
  %u = tile.local_load %s : !tile.shared<32x32xf32> -> tensor<32x32xf32, #r>
  tile.store_view %u, %b[%c0, %c0] : tensor<32x32xf32, #r>, !tile.view<32x32xf32, [32, 1]>
  tile.return
}

tile.kernel @store_under_copy(%A: !tile.ptr<f32> {tile.divisibility = 16}, %B: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<32x32xf32, #r>
  %a = tile.view %A, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %b = tile.view %B, shape [32, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<32x32xf32, [32, 1]>
  %s = tile.alloc_shared : !tile.shared<32x32xf32>
  tile.copy_async %a[%c0, %c0], %s {registers = #r} : !tile.view<32x32xf32, [32, 1]>, !tile.shared<32x32xf32>
  tile.async_commit
  tile.store_view %one, %b[%c0, %c0] : tensor<32x32xf32, #r>, !tile.view<32x32xf32, [32, 1]>
  // expected-error @below {{uses global memory that a copy under way may still touch: wait for it first (tile.async_wait 0, tile.dot_wait 0, tile.store_tma_wait)}}
  tile.store_view %one, %a[%c0, %c0] : tensor<32x32xf32, #r>, !tile.view<32x32xf32, [32, 1]>
  tile.async_wait 0
  %u = tile.local_load %s : !tile.shared<32x32xf32> -> tensor<32x32xf32, #r>
  tile.store_view %u, %a[%c0, %c0] : tensor<32x32xf32, #r>, !tile.view<32x32xf32, [32, 1]>
  tile.return
}

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>
tile.kernel @store_under_product(%C: !tile.ptr<f32>, %x: f32, %h: f16) {
  %c0 = arith.constant 0 : index
  %out = tile.view %C, shape [64, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<64x32xf32, [32, 1]>
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %t = tile.splat %h : f16 -> tensor<64x16xf16, #rows>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %d = tile.warpgroup_dot %sa, %sb, %c {async} : !tile.shared<64x16xf16>, !tile.shared<16x32xf16>, tensor<64x32xf32, #sums>
  // expected-error @below {{uses bytes that a copy or a product under way may still touch: wait for it first (tile.async_wait 0, tile.dot_wait 0, tile.store_tma_wait)}}
  tile.local_store %t, %sa : tensor<64x16xf16, #rows>, !tile.shared<64x16xf16>
  %u = tile.dot_wait 0, %d : tensor<64x32xf32, #sums>
  tile.store_view %u, %out[%c0, %c0] : tensor<64x32xf32, #sums>, !tile.view<64x32xf32, [32, 1]>
  tile.return
}

// A tile without stages has no channel that keeps the copy from the product.
tile.kernel @copy_under_product(%A: !tile.ptr<f16> {tile.divisibility = 16}, %C: !tile.ptr<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %in = tile.view %A, shape [64, 16], strides [16, 1] : !tile.ptr<f16> -> !tile.view<64x16xf16, [16, 1]>
  %out = tile.view %C, shape [64, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<64x32xf32, [32, 1]>
  %c = tile.splat %x : f32 -> tensor<64x32xf32, #sums>
  %sa = tile.alloc_shared : !tile.shared<64x16xf16>
  %sb = tile.alloc_shared : !tile.shared<16x32xf16>
  %d = tile.warpgroup_dot %sa, %sb, %c {async} : !tile.shared<64x16xf16>, !tile.shared<16x32xf16>, tensor<64x32xf32, #sums>
  // expected-error @below {{uses bytes that a copy or a product under way may still touch: wait for it first (tile.async_wait 0, tile.dot_wait 0, tile.store_tma_wait)}}
  tile.copy_async %in[%c0, %c0], %sa {registers = #rows} : !tile.view<64x16xf16, [16, 1]>, !tile.shared<64x16xf16>
  tile.async_commit
  tile.async_wait 0
  %u = tile.dot_wait 0, %d : tensor<64x32xf32, #sums>
  tile.store_view %u, %out[%c0, %c0] : tensor<64x32xf32, #sums>, !tile.view<64x32xf32, [32, 1]>
  tile.return
}
