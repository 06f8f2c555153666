// C = A * B, third rung: tiles of A and B go through shared memory.
//
// The program walks along K in steps of 32. In each a thread loads one number of A and one of B into shared memory, and
// there all threads read what they need: each number comes from global memory once a program, not 32 times. But a
// thread still reads two numbers for each multiply-add; shared memory is what it waits for now.
//
//   tile-run examples/ladder/03_shared_tiles.mlir --args "M=512 N=512 K=512" --check --time

// A lane is a column, a warp is a row.
#threads = #tile.register_layout<lane[1,32] warp[32,1]>
// What a thread reads of both tiles: a row of A, a column of B.
#rows = #tile.register_layout<register[1,32] lane*32 warp[32,1]>
#columns = #tile.register_layout<register[32,1] lane[1,32] warp*32>

tile.kernel @shared_tiles(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 32)", "ceildiv(M, 32)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #threads>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = arith.muli %x, %c32 : index
  %m = arith.muli %y, %c32 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sa = tile.alloc_shared {layout = "none"} : !tile.shared<32x32xf32>
  %sb = tile.alloc_shared {layout = "none"} : !tile.shared<32x32xf32>

  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #threads>) {
    %ga = tile.load_view %a[%m, %k] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32, #threads>
    %gb = tile.load_view %b[%k, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32, #threads>
    tile.local_store %ga, %sa : tensor<32x32xf32, #threads>, !tile.shared<32x32xf32>
    tile.local_store %gb, %sb : tensor<32x32xf32, #threads>, !tile.shared<32x32xf32>
    %ta = tile.local_load %sa {vector_width = 1 : i64} : !tile.shared<32x32xf32> -> tensor<32x32xf32, #rows>
    %tb = tile.local_load %sb : !tile.shared<32x32xf32> -> tensor<32x32xf32, #columns>
    %next = tile.dot %ta, %tb, %acc by FMA : tensor<32x32xf32, #rows>, tensor<32x32xf32, #columns>, tensor<32x32xf32, #threads>
    scf.yield %next : tensor<32x32xf32, #threads>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<32x32xf32, #threads>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
