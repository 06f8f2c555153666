// Which accesses want whole rows for a warp, and which lines of 128 bytes: it is asked of the tiles that meet.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// A kernel that has everything in a loop: an iteration is as a program of its own. Rows of 256 bytes are of 16 lanes.
// CHECK-LABEL: tile.kernel @persistent
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[2,16]
tile.kernel @persistent(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  scf.for %i = %c0 to %n step %c64 {
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
    %u = tile.trans %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store_view %u, %a[%c0, %i] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  }
  tile.return
}

// -----

// What goes around a loop meets what is loaded in it: lines, of 8 lanes, for all of them; the copy beside it has rows.
// CHECK-LABEL: tile.kernel @carried
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[2,16]
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[4,8]
// CHECK: scf.while
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[4,8]
// CHECK: store_view {{.*}} : tensor<64x64xf32, #tile.register_layout<register[1,4] lane[4,8]
tile.kernel @carried(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %copy = tile.load_view %a[%c64, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  tile.store_view %copy, %a[%c64, %c64] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  %first = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %r:2 = scf.while (%s = %first, %i = %c0) : (tensor<64x64xf32>, index) -> (tensor<64x64xf32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %s, %i : tensor<64x64xf32>, index
  } do {
  ^bb0(%s: tensor<64x64xf32>, %i: index):
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
    %next = arith.addf %s, %t : tensor<64x64xf32>
    %j = arith.addi %i, %c64 : index
    scf.yield %next, %j : tensor<64x64xf32>, index
  }
  tile.store_view %r#0, %a[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Carried around a loop that does not access memory: nothing is paid in its iterations.
// CHECK-LABEL: tile.kernel @in_registers
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[2,16]
tile.kernel @in_registers(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%s = %t) -> (tensor<64x64xf32>) {
    %next = arith.addf %s, %s : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %r, %a[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A tile that is reduced has lines, and so has one that meets its result; a third one has rows, though it takes the same
// constant.
// CHECK-LABEL: tile.kernel @reduced
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[4,8]
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[4,8]
// CHECK: load_view {{.*}} -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[2,16]
tile.kernel @reduced(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %sums = tile.reduce %t axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %column = tile.expand_dims %sums {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %wide = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
  %u = tile.load_view %a[%c0, %c64] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %d = arith.divf %u, %wide : tensor<64x64xf32>
  %v = arith.maximumf %d, %zero : tensor<64x64xf32>
  tile.store_view %v, %a[%c0, %c64] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  %w = tile.load_view %a[%c64, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %p = arith.maximumf %w, %zero : tensor<64x64xf32>
  tile.store_view %p, %a[%c64, %c64] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A cluster has 8192 elements in vectors of 8: 7 of them are needed for 50257, of 4 no more than 13.
// CHECK-LABEL: tile.kernel @narrower
// CHECK: load_view {{.*}} -> tensor<65536xf16, #tile.register_layout<register[4]
tile.kernel @narrower(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %s: index, %n: index {tile.bounds = array<i64: 49090, 53185>}) attributes {num_warps = 32 : i32, cluster_blocks = 8 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] rotated %s : !tile.view<?xf16, [1]> -> tensor<65536xf16>
  tile.store_view %x, %v[%c0] rotated %s : tensor<65536xf16>, !tile.view<?xf16, [1]>
  tile.return
}

// -----

// Here both are 56 registers.
// CHECK-LABEL: tile.kernel @wide
// CHECK: load_view {{.*}} -> tensor<65536xf16, #tile.register_layout<register[8]
tile.kernel @wide(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %s: index, %n: index {tile.bounds = array<i64: 53186, 57281>}) attributes {num_warps = 32 : i32, cluster_blocks = 8 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %x = tile.load_view %v[%c0] rotated %s : !tile.view<?xf16, [1]> -> tensor<65536xf16>
  tile.store_view %x, %v[%c0] rotated %s : tensor<65536xf16>, !tile.view<?xf16, [1]>
  tile.return
}
