// A row that the warps of two blocks have, which tell each other what they find.

// RUN: tile-run %s --target=sm_90a --device=sim --check --args "M=3 N=30000"
// RUN: tile-run %s --target=sm_120a --device=sim --check --args "M=2 N=32768"

tile.kernel @softmax(%X: !tile.ptr<f32> {tile.divisibility = 16}, %Y: !tile.ptr<f32> {tile.divisibility = 16}, %M: index, %N: index)
    shapes ["X[M, N]", "Y[M, N]"] grid ["M"] reference ["Y[m, n] = exp(X[m, n] - max(j, X[m, j])) / sum(k, exp(X[m, k] - max(l, X[m, l])))"]
    attributes {num_warps = 16 : i32, cluster_blocks = 2 : i32} {
  %c0 = arith.constant 0 : index
  %low = tile.constant -inf : f32
  %p = tile.program_id 0
  %x = tile.view %X, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %y = tile.view %Y, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t0 = tile.load_view %x[%p, %c0] else %low : f32 : !tile.view<?x?xf32, [?, 1]> -> tensor<1x32768xf32>
  %t = tile.reshape %t0 : tensor<1x32768xf32> -> tensor<32768xf32>
  %m = tile.reduce %t axis 0 : tensor<32768xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    tile.yield %r : f32
  }
  %mb = tile.splat %m : f32 -> tensor<32768xf32>
  %d = arith.subf %t, %mb : tensor<32768xf32>
  %e = math.exp %d : tensor<32768xf32>
  %s = tile.reduce %e axis 0 : tensor<32768xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %sb = tile.splat %s : f32 -> tensor<32768xf32>
  %q = arith.divf %e, %sb : tensor<32768xf32>
  %o = tile.reshape %q : tensor<32768xf32> -> tensor<1x32768xf32>
  tile.store_view %o, %y[%p, %c0] : tensor<1x32768xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
