// Products that read operands of other places: see product_engines.test.

tile.kernel @invariant_operand(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["A[M, 32]", "B[32, N]", "C[M, N]"]
    grid ["ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %program = tile.program_id 0
  %m = arith.muli %program, %c64 : index
  %a = tile.view %A, shape [%M, 32], strides [32, 1] : !tile.ptr<f16> -> !tile.view<?x32xf16, [32, 1]>
  %b = tile.view %B, shape [32, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<32x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %ta = tile.load_view %a[%m, %c0] : !tile.view<?x32xf16, [32, 1]> -> tensor<64x32xf16>
  scf.for %n = %c0 to %N step %c32 {
    %tb = tile.load_view %b[%c0, %n] : !tile.view<32x?xf16, [?, 1]> -> tensor<32x32xf16>
    %sum = tile.dot %ta, %tb, %zero : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    tile.store_view %sum, %c[%m, %n] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  }
  tile.return
}

// The same, where the other operand runs ahead.
tile.kernel @accumulate(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %T: index, %N: index)
    shapes ["A[64, 32]", "B[T, 32, N]", "C[64, N]"]
    grid ["ceildiv(N, 32)"]
    reference ["C[m, n] = sum(t, sum(k, A[m, k] * B[t, k, n]))"] {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %program = tile.program_id 0
  %n = arith.muli %program, %c32 : index
  %rows = arith.muli %T, %c32 : index
  %a = tile.view %A, shape [64, 32], strides [32, 1] : !tile.ptr<f16> -> !tile.view<64x32xf16, [32, 1]>
  %b = tile.view %B, shape [%rows, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [64, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<64x?xf32, [?, 1]>
  %ta = tile.load_view %a[%c0, %c0] : !tile.view<64x32xf16, [32, 1]> -> tensor<64x32xf16>
  %sum = scf.for %k = %c0 to %rows step %c32 iter_args(%acc = %zero) -> tensor<64x32xf32> {
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x32xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  tile.store_view %sum, %c[%c0, %n] : tensor<64x32xf32>, !tile.view<64x?xf32, [?, 1]>
  tile.return
}

// Two products of one operand.
tile.kernel @two_products(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %D: !tile.ptr<f16>, %C: !tile.ptr<f32>,
                          %E: !tile.ptr<f32>, %M: index, %K: index)
    shapes ["A[M, K]", "B[K, 32]", "D[K, 64]", "C[M, 32]", "E[M, 64]"]
    grid ["ceildiv(M, 64)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])", "E[m, n] = sum(k, A[m, k] * D[k, n])"] {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %wide_zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %program = tile.program_id 0
  %m = arith.muli %program, %c64 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, 32], strides [32, 1] : !tile.ptr<f16> -> !tile.view<?x32xf16, [32, 1]>
  %d = tile.view %D, shape [%K, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  %c = tile.view %C, shape [%M, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<?x32xf32, [32, 1]>
  %e = tile.view %E, shape [%M, 64], strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x64xf32, [64, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %c32 iter_args(%x = %zero, %y = %wide_zero) -> (tensor<64x32xf32>, tensor<64x64xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<?x32xf16, [32, 1]> -> tensor<32x32xf16>
    %td = tile.load_view %d[%k, %c0] : !tile.view<?x64xf16, [64, 1]> -> tensor<32x64xf16>
    %p = tile.dot %ta, %tb, %x : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    %q = tile.dot %ta, %td, %y : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x32xf32>, tensor<64x64xf32>
  }
  tile.store_view %sums#0, %c[%m, %c0] : tensor<64x32xf32>, !tile.view<?x32xf32, [32, 1]>
  tile.store_view %sums#1, %e[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32, [64, 1]>
  tile.return
}

// An operand that runs ahead in the outer loop, and is read in the inner one.
tile.kernel @nested(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, %J: index, %K: index)
    shapes ["A[64, K]", "B[J, 32, K]", "C[64, 32]"]
    grid ["1"]
    reference ["C[m, n] = sum(j, sum(k, A[m, k] * B[j, n, k]))"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %rows = arith.muli %J, %c32 : index
  %a = tile.view %A, shape [64, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<64x?xf16, [?, 1]>
  %b = tile.view %B, shape [%rows, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [64, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<64x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> tensor<64x32xf32> {
    %ta = tile.load_view %a[%c0, %k] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x32xf16>
    %of_k = scf.for %j = %c0 to %rows step %c32 iter_args(%inner = %acc) -> tensor<64x32xf32> {
      %rb = tile.load_view %b[%j, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x32xf16>
      %tb = tile.trans %rb [1, 0] : tensor<32x32xf16> -> tensor<32x32xf16>
      %next = tile.dot %ta, %tb, %inner : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
      scf.yield %next : tensor<64x32xf32>
    }
    scf.yield %of_k : tensor<64x32xf32>
  }
  tile.store_view %sum, %c[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32, [32, 1]>
  tile.return
}
