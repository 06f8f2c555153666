// RUN: tile-opt --convert-tile-to-nvvm --split-input-file --verify-diagnostics %s

#alone = #tile.register_layout<lane[1,32] register[1,4] warp[4,1]>
tile.kernel @alone(%A: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, 128], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x128xf16, [?, 1]>
  // expected-error @+1 {{cannot go by words (tile.by_words): no row of the tile has two words of 32 bits in each lane of a warp; tile-check-vector-width says which accesses can}}
  %t = tile.load_view %a[%c0, %c0] {tile.by_words = 1 : i64, vector_width = 1 : i64} : !tile.view<?x128xf16, [?, 1]> -> tensor<4x128xf16, #alone>
  tile.return
}

// -----

// Memory goes along columns, of which lanes have no words.
#across = #tile.register_layout<register[1,2] lane[1,32] register[1,2] warp[4,1]>
tile.kernel @across(%A: !tile.ptr<f16>, %M: index, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, 128], strides [1, %N] : !tile.ptr<f16> -> !tile.view<?x128xf16, [1, ?]>
  // expected-error @+1 {{cannot go by words (tile.by_words): no row of the tile has two words}}
  %t = tile.load_view %a[%c0, %c0] {tile.by_words = 1 : i64, vector_width = 1 : i64} : !tile.view<?x128xf16, [1, ?]> -> tensor<4x128xf16, #across>
  tile.return
}
