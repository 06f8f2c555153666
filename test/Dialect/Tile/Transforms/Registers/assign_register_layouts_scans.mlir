// What is scanned along another dimension than that of memory: threads hold what follows one another along the axis.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// Down 64 x 32: four rows of a thread, four threads, four warps. The store takes what there is.
// CHECK-LABEL: tile.kernel @down
// CHECK: load_view {{.*}} -> tensor<64x32xf32, #[[DOWN:tile.register_layout<register\[4,4\] lane\[4,8\] warp\[4,1\]>]]>
// CHECK: scan {{.*}} axis 0 : tensor<64x32xf32, #[[DOWN]]>
// CHECK-NOT: convert_layout
// CHECK: store_view {{.*}} : tensor<64x32xf32, #[[DOWN]]>
tile.kernel @down(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  scf.for %i = %c0 to %n step %c64 {
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x32xf32>
    %s = tile.scan %t axis 0 : tensor<64x32xf32> -> tensor<64x32xf32> {
    ^bb0(%p: f32, %q: f32):
      %c = arith.addf %p, %q : f32
      tile.yield %c : f32
    }
    tile.store_view %s, %a[%i, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  }
  tile.return
}

// -----

// Along rows a thread has what follows one another already.
// CHECK-LABEL: tile.kernel @along_rows
// CHECK: load_view {{.*}} -> tensor<64x32xf32, #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,1]>>
tile.kernel @along_rows(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x32xf32>
  %s = tile.scan %t axis 1 : tensor<64x32xf32> -> tensor<64x32xf32> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.store_view %s, %a[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A tile that is scanned both ways has no axis of its own.
// CHECK-LABEL: tile.kernel @both
// CHECK: load_view {{.*}} -> tensor<64x32xf32, #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,1]>>
tile.kernel @both(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x32xf32>
  %s = tile.scan %t axis 1 : tensor<64x32xf32> -> tensor<64x32xf32> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  %u = tile.scan %s axis 0 : tensor<64x32xf32> -> tensor<64x32xf32> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  tile.store_view %u, %a[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// Rows that are no sector: lanes side by side are rather in one line.
// CHECK-LABEL: tile.kernel @narrow
// CHECK: load_view {{.*}} -> tensor<512x8xf16, #tile.register_layout<lane[32,1] warp[4,1] register[4,8]>>
tile.kernel @narrow(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<512x8xf16>
  %s = tile.scan %t axis 0 : tensor<512x8xf16> -> tensor<512x8xf16> {
  ^bb0(%p: f16, %q: f16):
    %c = arith.addf %p, %q : f16
    tile.yield %c : f16
  }
  tile.store_view %s, %a[%c0, %c0] : tensor<512x8xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}

// -----

// Elements of a row that are loaded one at a time are all in different lanes: where a thread has many, they are scanned where it has neighbours.
// CHECK-LABEL: tile.kernel @any_length
// CHECK: load_view {{.*}} -> tensor<4096xf32, #tile.register_layout<lane[32] warp[4] register[32]>>
// CHECK: convert_layout
// CHECK: scan {{.*}} axis 0 : tensor<4096xf32, #tile.register_layout<register[32] lane[32] warp[4]>>
// CHECK: convert_layout
// CHECK: store_view {{.*}} : tensor<4096xf32, #tile.register_layout<lane[32] warp[4] register[32]>>
tile.kernel @any_length(%X: !tile.ptr<f32> {tile.divisibility = 4 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 4 : i64}, %n: index) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%c0] : !tile.view<?xf32, [1]> -> tensor<4096xf32>
  %s = tile.scan %t axis 0 : tensor<4096xf32> -> tensor<4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<4096xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// In vectors they are scanned as they are loaded, and so are few, whose exchange would cost as much.
// CHECK-LABEL: tile.kernel @vectors
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @vectors(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%c0] : !tile.view<?xf32, [1]> -> tensor<4096xf32>
  %s = tile.scan %t axis 0 : tensor<4096xf32> -> tensor<4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<4096xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// What is made in any layout as well is scanned in runs of all threads, where those of few rows side by side would be many.
// CHECK-LABEL: tile.kernel @made_anywhere
// CHECK: scan {{.*}} axis 0 : tensor<2048x16xi32, #tile.register_layout<register[16,1] register[1,16] lane[32,1] warp[4,1]>>
tile.kernel @made_anywhere(%Y: !tile.ptr<i32>) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<2048xi32>
  %c = tile.expand_dims %i {axis = 1 : i32} : tensor<2048xi32> -> tensor<2048x1xi32>
  %t = tile.broadcast %c : tensor<2048x1xi32> -> tensor<2048x16xi32>
  %s = tile.scan %t axis 0 : tensor<2048x16xi32> -> tensor<2048x16xi32> {
  ^bb0(%a: i32, %b: i32):
    %d = arith.addi %a, %b : i32
    tile.yield %d : i32
  }
  %ps = tile.splat %Y : !tile.ptr<i32> -> tensor<2048x16x!tile.ptr<i32>>
  tile.store %ps, %s : tensor<2048x16x!tile.ptr<i32>>
  tile.return
}
