// Tiles that change threads and are larger than shared memory, or than what is left of it: see pieces.test.

tile.kernel @transpose(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[N, M]"]
    grid ["ceildiv(M, 256)", "ceildiv(N, 256)"]
    reference ["Y[i, j] = X[j, i]"]
    attributes {num_warps = 16 : i32} {
  %c256 = arith.constant 256 : index
  %i = tile.program_id 0
  %j = tile.program_id 1
  %m = arith.muli %i, %c256 : index
  %n = arith.muli %j, %c256 : index
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %x[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<256x256xf32>
  %u = tile.trans %t [1, 0] : tensor<256x256xf32> -> tensor<256x256xf32>
  tile.store_view %u, %y[%n, %m] : tensor<256x256xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// The result is stored in the loop, beside an operand of 128 KiB that stays where wgmma reads it.
tile.kernel @products_of_rows(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["A[M, 256]", "B[256, N]", "C[M, N]"]
    grid ["ceildiv(M, 256)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %program = tile.program_id 0
  %m = arith.muli %program, %c256 : index
  %a = tile.view %A, shape [%M, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
  %b = tile.view %B, shape [256, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<256x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %ta = tile.load_view %a[%m, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<256x256xf16>
  scf.for %n = %c0 to %N step %c128 {
    %tb = tile.load_view %b[%c0, %n] : !tile.view<256x?xf16, [?, 1]> -> tensor<256x128xf16>
    %sum = tile.dot %ta, %tb, %zero : tensor<256x256xf16>, tensor<256x128xf16>, tensor<256x128xf32>
    tile.store_view %sum, %c[%m, %n] : tensor<256x128xf32>, !tile.view<?x?xf32, [?, 1]>
  }
  tile.return
}
