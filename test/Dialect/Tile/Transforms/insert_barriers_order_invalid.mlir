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
  // expected-error @below {{uses the bytes of another tile into which a copy is under way: wait for it first (tile.async_wait 0)}}
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
  // expected-error @below {{writes global memory that a copy under way may still read: wait for it first (tile.async_wait 0)}}
  tile.store_view %one, %a[%c0, %c0] : tensor<32x32xf32, #r>, !tile.view<32x32xf32, [32, 1]>
  tile.async_wait 0
  %u = tile.local_load %s : !tile.shared<32x32xf32> -> tensor<32x32xf32, #r>
  tile.store_view %u, %a[%c0, %c0] : tensor<32x32xf32, #r>, !tile.view<32x32xf32, [32, 1]>
  tile.return
}
