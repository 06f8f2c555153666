// Both sides of an asynchronous copy: the addresses and the shared tile.

// RUN: tile-opt --tile-check-vector-width --split-input-file --verify-diagnostics %s | FileCheck %s

#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16>
// CHECK-LABEL: tile.kernel @widest
// CHECK: copy_async {{.*}}vector_width = 8 : i64
tile.kernel @widest(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 8 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// The extent narrows it, as it would a load.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16>
// CHECK-LABEL: tile.kernel @extent
// CHECK: copy_async {{.*}}vector_width = 4 : i64
tile.kernel @extent(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  // expected-remark@+1 {{vector of 4 elements, 8 bytes: the stride N is only known to be a multiple of 4}}
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// A width that is wider than the addresses allow.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16>
tile.kernel @too_wide(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  // expected-error@+1 {{vector_width = 8 is not legal: the stride N is only known to be a multiple of 4; at most 4 is}}
  tile.copy_async %v[%c0, %c0], %s {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// One that is legal is kept.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16>
// CHECK-LABEL: tile.kernel @kept
// CHECK: copy_async {{.*}}vector_width = 2 : i64
tile.kernel @kept(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 8 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  tile.copy_async %v[%c0, %c0], %s {registers = #rows, vector_width = 2 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// Wider than the shared tile allows.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16, pad 4 every 16>
tile.kernel @shared(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 8 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  // expected-error@+1 {{vector_width = 8 is not legal: padding of 4 elements every 16 does not keep vectors of 8 elements whole and aligned; at most 4 is}}
  tile.copy_async %v[%c0, %c0], %s {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// Too narrow to be a copy at all.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16>
tile.kernel @two_bytes(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 1 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  // expected-remark@+2 {{vector of 1 element, 2 bytes}}
  // expected-error@+1 {{moves at least 4 bytes a thread, and only 2 bytes can go at once: the stride N is only known to be a multiple of 1}}
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// No dimension of the view is contiguous.
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#s = #tile.shared_layout<16x16>
tile.kernel @strided(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 8 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, %N] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, ?]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  // expected-remark@+2 {{vector of 1 element, 2 bytes}}
  // expected-error@+1 {{moves at least 4 bytes a thread, and only 2 bytes can go at once: no stride of the view is the constant 1}}
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !tile.view<?x?xf16, [?, ?]>, !tile.shared<16x16xf16, #s>
  tile.return
}

// -----

// The shared tile has columns in a row, the view has rows: a run of one is none of the other. The
// threads hold squares, so that there are runs of both.
#rows = #tile.register_layout<register[4,4] lane[4,4] lane*2>
#s = #tile.shared_layout<16x16, order [0, 1]>
tile.kernel @crosswise(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 8 : i64}) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16, #s>
  // expected-remark@+2 {{vector of 1 element, 2 bytes}}
  // expected-error@+1 {{moves at least 4 bytes a thread, and only 2 bytes can go at once: the shared layout does not keep runs of 2 elements along dimension 1}}
  tile.copy_async %v[%c0, %c0], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16, #s>
  tile.return
}
