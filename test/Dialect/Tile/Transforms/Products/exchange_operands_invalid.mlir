// Where operands cannot be exchanged, an engine that is written and takes more rows is an error where it is chosen.

// RUN: tile-opt --split-input-file --verify-diagnostics --tile-exchange-operands --tile-assign-register-layouts %s

module attributes {tile.target = "sm_90a"} {
  tile.kernel @neither(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: index) {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<16x32xf32>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<16x32xf32>) {
      %a = tile.load_view %A[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<16x64xf16>
      %b = tile.load_view %B[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
      // expected-error @+1 {{cannot be made by wgmma: wgmma takes 64 rows or columns, and the tile is 16x32: use tiles of 64 of either or more}}
      %next = tile.dot %a, %b, %acc by wgmma : tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x32xf32>
      scf.yield %next : tensor<16x32xf32>
    }
    tile.store_view %sum, %C[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}

// -----

module attributes {tile.target = "sm_90a"} {
  tile.kernel @no_loop(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: index) {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %a = tile.load_view %A[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<16x64xf16>
    %b = tile.load_view %B[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    // expected-error @+1 {{cannot be made by wgmma: wgmma takes 64 rows, and M is 16: use tiles of 64 rows or more, or swap the operands}}
    %sum = tile.dot %a, %b, %zero by wgmma : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    tile.store_view %sum, %C[%c0, %c0] : tensor<16x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}
