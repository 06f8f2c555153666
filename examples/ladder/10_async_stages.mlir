// C = A * B, tenth rung: copies into shared memory run two steps ahead.
//
// While a step is computed, the next one is in shared memory and the one after it is under way, past the registers
// (cp.async). Three stages take turns, with one barrier a step, where there were two. What is copied as it lies is not
// turned: A's rows are dense again, a thread reads four steps of a row at once, and the swizzle is one for that.
//
// What is left to do, a walk over tiles that shares the L2 cache and longer steps, is in examples/gemm_f32_nn.mlir;
// there all of this is the compiler's affair.
//
//   tile-run examples/ladder/10_async_stages.mlir --args "M=512 N=512 K=512" --check --time

#swizzled = #tile.shared_layout<128x16, swizzle<2,2,4>>
// 4 x 4 elements, four times; a warp has 4 x 8 threads.
#threads = #tile.register_layout<register[4,4] lane[2,2] lane[2,2] lane[1,2] register[2,2] warp[4,2]>
// What a thread reads of both tiles in shared memory.
#rows = #tile.register_layout<register[4,1] lane*2 lane[2,1] lane*2 lane[2,1] register[2,1] register[1,16] lane*2 warp*2 warp[4,1]>
#columns = #tile.register_layout<register[1,4] lane[1,2] lane*2 lane[1,2] lane*2 lane[1,2] register[16,2] warp[1,2] warp*4>
// What it loads of both from global memory.
#from_a = #tile.register_layout<register[1,4] lane[8,4] warp[8,1] register[2,1]>
#from_b = #tile.register_layout<register[1,4] lane[1,32] warp[8,1] register[2,1]>

tile.kernel @async_stages(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 128)", "ceildiv(M, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #threads>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = arith.muli %x, %c128 : index
  %m = arith.muli %y, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sa = tile.alloc_shared : !tile.shared<3x128x16xf32, #swizzled>
  %sb = tile.alloc_shared {layout = "none"} : !tile.shared<3x16x128xf32>

  // Two steps ahead.
  %a0 = tile.subview %sa[%c0] : !tile.shared<3x128x16xf32, #swizzled> -> !tile.shared<128x16xf32, #swizzled>
  %b0 = tile.subview %sb[%c0] : !tile.shared<3x16x128xf32> -> !tile.shared<16x128xf32>
  tile.copy_async %a[%m, %c0], %a0 {registers = #from_a} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<128x16xf32, #swizzled>
  tile.copy_async %b[%c0, %n], %b0 {registers = #from_b} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<16x128xf32>
  tile.async_commit
  %a1 = tile.subview %sa[%c1] : !tile.shared<3x128x16xf32, #swizzled> -> !tile.shared<128x16xf32, #swizzled>
  %b1 = tile.subview %sb[%c1] : !tile.shared<3x16x128xf32> -> !tile.shared<16x128xf32>
  tile.copy_async %a[%m, %c16], %a1 {registers = #from_a} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<128x16xf32, #swizzled>
  tile.copy_async %b[%c16, %n], %b1 {registers = #from_b} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<16x128xf32>
  tile.async_commit

  %sum, %s, %t = scf.for %k = %c0 to %K step %c16 iter_args(%acc = %zero, %here = %c0, %there = %c2)
      -> (tensor<128x128xf32, #threads>, index, index) {
    tile.async_wait 1
    tile.barrier
    %ahead = arith.addi %k, %c32 : index
    %na = tile.subview %sa[%there] : !tile.shared<3x128x16xf32, #swizzled> -> !tile.shared<128x16xf32, #swizzled>
    %nb = tile.subview %sb[%there] : !tile.shared<3x16x128xf32> -> !tile.shared<16x128xf32>
    tile.copy_async %a[%m, %ahead], %na {registers = #from_a} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<128x16xf32, #swizzled>
    tile.copy_async %b[%ahead, %n], %nb {registers = #from_b} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<16x128xf32>
    tile.async_commit
    %ha = tile.subview %sa[%here] : !tile.shared<3x128x16xf32, #swizzled> -> !tile.shared<128x16xf32, #swizzled>
    %hb = tile.subview %sb[%here] : !tile.shared<3x16x128xf32> -> !tile.shared<16x128xf32>
    %ta = tile.local_load %ha : !tile.shared<128x16xf32, #swizzled> -> tensor<128x16xf32, #rows>
    %tb = tile.local_load %hb : !tile.shared<16x128xf32> -> tensor<16x128xf32, #columns>
    %next = tile.dot %ta, %tb, %acc by FMA : tensor<128x16xf32, #rows>, tensor<16x128xf32, #columns>, tensor<128x128xf32, #threads>
    %up = arith.addi %here, %c1 : index
    %is_end = arith.cmpi eq, %up, %c3 : index
    %then = arith.select %is_end, %c0, %up : index
    scf.yield %next, %then, %here : tensor<128x128xf32, #threads>, index, index
  }
  tile.async_wait 0
  tile.store_view %sum, %c[%m, %n] : tensor<128x128xf32, #threads>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
