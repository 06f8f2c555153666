// One broken copy for each constraint of tile.copy_async that is about its source.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
#others = #tile.register_layout<lane[1,32] warp[4,1] register[4,1]>
tile.kernel @layout(%X: !tile.ptr<f32>) {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>, #others>
  // expected-error @+1 {{pointers stand in the layout of the copying threads}}
  tile.copy_async %xs, %s {registers = #rows} : tensor<16x32x!tile.ptr<f32>, #others>, !tile.shared<16x32xf32>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @element(%X: !tile.ptr<f32>) {
  %s = tile.alloc_shared : !tile.shared<16x32xf16>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>, #rows>
  // expected-error @+1 {{copies elements of one type, not 'f32' to 'f16'}}
  tile.copy_async %xs, %s {registers = #rows} : tensor<16x32x!tile.ptr<f32>, #rows>, !tile.shared<16x32xf16>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @axis(%X: !tile.ptr<f32>) {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>, #rows>
  // expected-error @+1 {{the axis is one of 2 dimensions, not 2}}
  tile.copy_async %xs, %s {axis = 2 : i64, registers = #rows} : tensor<16x32x!tile.ptr<f32>, #rows>, !tile.shared<16x32xf32>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @coordinates(%X: !tile.ptr<f32>, %i: index) {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>, #rows>
  // expected-error @+1 {{of pointers has no coordinates}}
  tile.copy_async %xs[%i, %i], %s {registers = #rows} : tensor<16x32x!tile.ptr<f32>, #rows>, !tile.shared<16x32xf32>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @inside(%X: !tile.ptr<f32>) {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>, #rows>
  %in = arith.constant dense<true> : tensor<32x16xi1>
  // expected-error @+1 {{what is inside has the shape and layout of the pointers}}
  tile.copy_async %xs inside %in : tensor<32x16xi1>, %s {registers = #rows} : tensor<16x32x!tile.ptr<f32>, #rows>, !tile.shared<16x32xf32>
  tile.return
}

// -----

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @view(%X: !tile.ptr<f32>, %i: index) {
  %s = tile.alloc_shared : !tile.shared<16x32xf32>
  %x = tile.view %X, shape [16, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<16x32xf32, [32, 1]>
  // expected-error @+1 {{of a view says by its coordinates what is inside, and by its strides what follows one another}}
  tile.copy_async %x[%i, %i], %s {axis = 1 : i64, registers = #rows} : !tile.view<16x32xf32, [32, 1]>, !tile.shared<16x32xf32>
  tile.return
}
