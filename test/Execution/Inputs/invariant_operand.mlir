// A product in a loop, one of whose operands is loaded before it: see product_engines.test.

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
