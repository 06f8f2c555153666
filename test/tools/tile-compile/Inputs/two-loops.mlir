// Two loops of products, one behind the other; the second one adds to what the first one gives.
tile.kernel @two_loops(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)", "ceildiv(N, 128)"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %first = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %first) -> (tensor<64x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  } {tile.num_stages = 2 : i32}
  tile.store_view %sum, %c[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
