// RUN: tile-opt --tile-insert-barriers --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// An op whose accesses are not told would silently get no barrier.

tile.kernel @store(%x: f32) {
  %p = llvm.mlir.zero : !llvm.ptr
  // expected-error@+1 {{'llvm.store' op may touch memory and does not say what it touches: no barrier can order it (MemoryAccessOpInterface)}}
  llvm.store %x, %p : f32, !llvm.ptr
  tile.return
}

// -----

llvm.func @f()
tile.kernel @call() {
  // expected-error@+1 {{'llvm.call' op may touch memory and does not say what it touches}}
  llvm.call @f() : () -> ()
  tile.return
}

// -----

tile.kernel @in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{'user.touch' op may touch memory and does not say what it touches}}
    "user.touch"() : () -> ()
  }
  tile.return
}

// -----

// What only has regions does what is in them.

tile.kernel @no_memory(%c: i1) {
  scf.if %c {
    %x = arith.constant 1 : i32
  }
  tile.return
}

// -----

// A region of which it is not known when it runs.

tile.kernel @in_region(%X: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [64], strides [1] : !tile.ptr<f32> -> !tile.view<64xf32, [1]>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #tile.register_layout<register[1] lane[32] warp[2] warp*2>>
  "user.region"() ({
    // expected-error@+1 {{'tile.store_view' op touches memory inside of 'user.region', which does not say when its regions run: no barrier can order it (RegionBranchOpInterface)}}
    tile.store_view %zero, %x[%c0] : tensor<64xf32, #tile.register_layout<register[1] lane[32] warp[2] warp*2>>, !tile.view<64xf32, [1]>
    "user.end"() : () -> ()
  }) : () -> ()
  tile.return
}
