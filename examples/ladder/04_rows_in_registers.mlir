// C = A * B, fourth rung: a thread computes 8 elements of a column of C, in 8 registers.
//
// For a step of K it reads 8 numbers of A and one of B, for 8 multiply-adds: 9/8 of a number each, where it was 2. The
// tile is 64 x 64.
//
//   tile-run examples/ladder/04_rows_in_registers.mlir --args "M=512 N=512 K=512" --check --time

// 8 rows a thread; a warp has 32 columns.
#threads = #tile.register_layout<register[8,1] lane[1,32] warp[8,2]>
// What a thread reads of both tiles in shared memory.
#rows = #tile.register_layout<register[8,1] register[1,16] lane*32 warp*2 warp[8,1]>
#columns = #tile.register_layout<register[16,1] lane[1,32] warp[1,2] warp*8>
// What it loads of both from global memory.
#from_a = #tile.register_layout<lane[2,16] warp[16,1] register[2,1]>
#from_b = #tile.register_layout<lane[1,32] warp[8,2] register[2,1]>

tile.kernel @rows_in_registers(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 64)", "ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #threads>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = arith.muli %x, %c64 : index
  %m = arith.muli %y, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sa = tile.alloc_shared {layout = "none"} : !tile.shared<64x16xf32>
  %sb = tile.alloc_shared {layout = "none"} : !tile.shared<16x64xf32>

  %sum = scf.for %k = %c0 to %K step %c16 iter_args(%acc = %zero) -> (tensor<64x64xf32, #threads>) {
    %ga = tile.load_view %a[%m, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x16xf32, #from_a>
    %gb = tile.load_view %b[%k, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x64xf32, #from_b>
    tile.local_store %ga, %sa : tensor<64x16xf32, #from_a>, !tile.shared<64x16xf32>
    tile.local_store %gb, %sb : tensor<16x64xf32, #from_b>, !tile.shared<16x64xf32>
    %ta = tile.local_load %sa {vector_width = 1 : i64} : !tile.shared<64x16xf32> -> tensor<64x16xf32, #rows>
    %tb = tile.local_load %sb {vector_width = 1 : i64} : !tile.shared<16x64xf32> -> tensor<16x64xf32, #columns>
    %next = tile.dot %ta, %tb, %acc by FMA : tensor<64x16xf32, #rows>, tensor<16x64xf32, #columns>, tensor<64x64xf32, #threads>
    scf.yield %next : tensor<64x64xf32, #threads>
  }
  tile.store_view %sum, %c[%m, %n] {vector_width = 1 : i64} : tensor<64x64xf32, #threads>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
