// One broken op for each constraint of asynchronous copies, but of copies from pointers.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// tile.copy_async, C1: the coordinates.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{view, coordinates and shared tile have one rank: the view has 2, the coordinates 1, the shared tile 2}}
  tile.copy_async %v[%i], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C1: the shared tile.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x16x16xf16>
  // expected-error@+1 {{view, coordinates and shared tile have one rank: the view has 2, the coordinates 2, the shared tile 3}}
  tile.copy_async %v[%i, %i], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<3x16x16xf16>
  tile.return
}

// -----

// C1: the view.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{view, coordinates and shared tile have one rank: the view has 1, the coordinates 2, the shared tile 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows} : !tile.view<?xf16, [1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C1: the element type.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xbf16>
  // expected-error@+1 {{copies elements of one type, not 'f16' to 'bf16'}}
  tile.copy_async %v[%i, %i], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xbf16>
  tile.return
}

// -----

// C2: the layout's shape.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<32x16xf16>
  // expected-error@+1 {{the layout of the copying threads is that of another shape}}
  tile.copy_async %v[%i, %i], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<32x16xf16>
  tile.return
}

// -----

// C3: the bytes of a vector.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not 1 elements of 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 1 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C3: the bytes of a vector.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not 3 elements of 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 3 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C3: the bytes of a vector.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not 16 elements of 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 16 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C3: the bytes of a vector.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not 0 elements of 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 0 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C3: the bytes of a vector.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not -2 elements of 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = -2 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C3: the bytes of a vector.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not 4611686018427387905 elements of 2}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 4611686018427387905 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// C3: of elements of 8 bytes.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f64>, %M: index, %i: index) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf64>
  // expected-error@+1 {{an asynchronous copy moves 4, 8 or 16 bytes a thread, not 4 elements of 8}}
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 4 : i64} : !tile.view<?x?xf64, [?, 1]>, !tile.shared<16x16xf64>
  tile.return
}

// -----

// tile.kernel, C9: the warps that copy.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
tile.kernel @k(%A: !tile.ptr<f16>, %M: index, %i: index) attributes {num_warps = 4 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // expected-error@+1 {{has a register layout of 32 lanes and 1 warps; a warp has 32 lanes, and the kernel 4 warps}}
  tile.copy_async %v[%i, %i], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.return
}

// -----

// tile.async_wait, C1.
tile.kernel @k() {
  // expected-error@+1 {{attribute 'pending' failed to satisfy constraint: a number of groups from 0 to 63}}
  tile.async_wait -1
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{attribute 'pending' failed to satisfy constraint}}
  tile.async_wait 64
  tile.return
}
