// C = A * B, sixth rung: four numbers an instruction, from global memory and from shared memory.
//
// So that a thread reads four of its rows of A at once, A is turned on its way into shared memory: its columns are
// dense there. That has a price. A thread that loaded four numbers of a row stores them one by one, and lanes whose
// columns are 4 apart, 512 words, meet in a bank.
//
//   tile-run examples/ladder/06_vectors.mlir --args "M=512 N=512 K=512" --check --time

// Element (m, k) is at 128 * k + m.
#turned = #tile.shared_layout<128x16, order [0, 1]>
// 8 x 8 elements a thread; a warp has 2 x 16 threads.
#threads = #tile.register_layout<register[8,8] lane[2,16] warp[8,1]>
// What a thread reads of both tiles in shared memory.
#rows = #tile.register_layout<register[8,1] register[1,16] lane*16 lane[2,1] warp[8,1]>
#columns = #tile.register_layout<register[16,8] lane[1,16] lane*2 warp*8>
// What it loads of both from global memory.
#from_a = #tile.register_layout<register[1,4] lane[8,4] warp[8,1] register[2,1]>
#from_b = #tile.register_layout<register[1,4] lane[1,32] warp[8,1] register[2,1]>

tile.kernel @vectors(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 128)", "ceildiv(M, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #threads>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = arith.muli %x, %c128 : index
  %m = arith.muli %y, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sa = tile.alloc_shared : !tile.shared<128x16xf32, #turned>
  %sb = tile.alloc_shared {layout = "none"} : !tile.shared<16x128xf32>

  %sum = scf.for %k = %c0 to %K step %c16 iter_args(%acc = %zero) -> (tensor<128x128xf32, #threads>) {
    %ga = tile.load_view %a[%m, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<128x16xf32, #from_a>
    %gb = tile.load_view %b[%k, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x128xf32, #from_b>
    tile.local_store %ga, %sa : tensor<128x16xf32, #from_a>, !tile.shared<128x16xf32, #turned>
    tile.local_store %gb, %sb : tensor<16x128xf32, #from_b>, !tile.shared<16x128xf32>
    %ta = tile.local_load %sa : !tile.shared<128x16xf32, #turned> -> tensor<128x16xf32, #rows>
    %tb = tile.local_load %sb : !tile.shared<16x128xf32> -> tensor<16x128xf32, #columns>
    %next = tile.dot %ta, %tb, %acc by FMA : tensor<128x16xf32, #rows>, tensor<16x128xf32, #columns>, tensor<128x128xf32, #threads>
    scf.yield %next : tensor<128x128xf32, #threads>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<128x128xf32, #threads>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
