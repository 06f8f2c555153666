// C = A * B, second rung: the lanes of a warp are 32 columns, not 32 rows.
//
// Nothing else differs. Now all lanes read one number of A, at one address, and 32 of B that are side by side: one line
// of memory where there were 32.
//
//   tile-run examples/ladder/02_coalescing.mlir --args "M=512 N=512 K=512" --check --time

// A lane is a column, a warp is a row.
#threads = #tile.register_layout<lane[1,32] warp[32,1]>

tile.kernel @coalescing(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, 32)", "ceildiv(M, 32)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #threads>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = arith.muli %x, %c32 : index
  %m = arith.muli %y, %c32 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>

  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #threads>) {
    // A column of A, a number a warp; a row of B, a number a lane, the same in all warps.
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf32, [?, 1]>
        -> tensor<32x1xf32, #tile.register_layout<lane*32 warp[32,1]>>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf32, [?, 1]>
        -> tensor<1x32xf32, #tile.register_layout<lane[1,32] warp*32>>
    %as = tile.broadcast %ta : tensor<32x1xf32, #tile.register_layout<lane*32 warp[32,1]>> -> tensor<32x32xf32, #threads>
    %bs = tile.broadcast %tb : tensor<1x32xf32, #tile.register_layout<lane[1,32] warp*32>> -> tensor<32x32xf32, #threads>
    %next = math.fma %as, %bs, %acc : tensor<32x32xf32, #threads>
    scf.yield %next : tensor<32x32xf32, #threads>
  }
  tile.store_view %sum, %c[%m, %n] : tensor<32x32xf32, #threads>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
