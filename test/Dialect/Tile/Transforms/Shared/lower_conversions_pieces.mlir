// A tile that is larger than shared memory goes through it in pieces.

// RUN: tile-opt --tile-lower-conversions="max-bytes=8192" --split-input-file %s | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: tile-opt --tile-lower-conversions="max-bytes=4096" --split-input-file %s | FileCheck %s --check-prefixes=CHECK,HALVES
// RUN: tile-opt --tile-lower-conversions="max-bytes=2048" --split-input-file %s | FileCheck %s --check-prefixes=CHECK,QUARTERS

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,1]>
#columns = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] warp[1,4] register[4,1]>
// CHECK-LABEL: tile.kernel @pieces
// WHOLE: alloc_shared : !tile.shared<64x32xf32>
// WHOLE-NOT: split
// WHOLE: local_load

// HALVES: %[[LOW:.*]], %[[HIGH:.*]] = split %{{.*}} axis 0 stride 32 :
// HALVES: %[[S:.*]] = alloc_shared : !tile.shared<32x32xf32>
// HALVES: local_store %[[LOW]], %[[S]]
// HALVES: %[[A:.*]] = local_load %[[S]]
// HALVES: local_store %[[HIGH]], %[[S]]
// HALVES: %[[B:.*]] = local_load %[[S]]
// HALVES: join %[[A]], %[[B]] axis 0 stride 32 :
// HALVES-NOT: local_store

// QUARTERS: %[[LOW:.*]], %[[HIGH:.*]] = split %{{.*}} axis 0 stride 32 :
// QUARTERS: %[[Q0:.*]], %[[Q1:.*]] = split %[[LOW]] axis 0 stride 16 :
// QUARTERS: %[[S:.*]] = alloc_shared : !tile.shared<16x32xf32>
// QUARTERS: local_store %[[Q0]], %[[S]]
// QUARTERS: %[[A:.*]] = local_load %[[S]]
// QUARTERS: local_store %[[Q1]], %[[S]]
// QUARTERS: %[[B:.*]] = local_load %[[S]]
// QUARTERS: %[[AB:.*]] = join %[[A]], %[[B]] axis 0 stride 16 :
// QUARTERS: split %[[HIGH]] axis 0 stride 16 :
// QUARTERS: %[[CD:.*]] = join %{{.*}}, %{{.*}} axis 0 stride 16 :
// QUARTERS: join %[[AB]], %[[CD]] axis 0 stride 32 :
// CHECK: return
tile.kernel @pieces(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<64x32xf32, #rows>
  %u = tile.convert_layout %t : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #columns>
  tile.return
}

// -----

// Where threads lack one of the halves, before or after, it goes whole.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
#columns = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] warp[1,4]>
// CHECK-LABEL: tile.kernel @whole
// CHECK-NOT: split
// CHECK: alloc_shared : !tile.shared<16x32xf32>
tile.kernel @whole(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x32xf32, #rows>
  %u = tile.convert_layout %t : tensor<16x32xf32, #rows> -> tensor<16x32xf32, #columns>
  tile.return
}

// -----

// One that is only stored, and cannot go in pieces, is stored by the threads that have it.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
#columns = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] warp[1,4]>
// CHECK-LABEL: tile.kernel @from_own_layout
// WHOLE: alloc_shared
// HALVES: alloc_shared
// QUARTERS-NOT: alloc_shared
// QUARTERS: store_view %{{.*}} : tensor<16x32xf64, #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>>
// CHECK: return
tile.kernel @from_own_layout(%X: !tile.ptr<f64>, %x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n, 32], strides [32, 1] : !tile.ptr<f64> -> !tile.view<?x32xf64, [32, 1]>
  %t = tile.splat %x : f64 -> tensor<16x32xf64, #rows>
  %u = tile.convert_layout %t : tensor<16x32xf64, #rows> -> tensor<16x32xf64, #columns>
  tile.store_view %u, %v[%c0, %c0] : tensor<16x32xf64, #columns>, !tile.view<?x32xf64, [32, 1]>
  tile.return
}

// -----

// One that is loaded, and cannot go in pieces, is loaded by the threads that take it.
#rows = #tile.register_layout<lane[32] warp[4] register[8]>
#runs = #tile.register_layout<register[8] lane[32] warp[4]>
// CHECK-LABEL: tile.kernel @where_taken
// WHOLE: load_view %{{.*}}[%{{.*}}] : {{.*}} -> tensor<1024xf32, #[[ROWS:.*]]>
// WHOLE: alloc_shared : !tile.shared<1024xf32>
// QUARTERS-NOT: alloc_shared
// QUARTERS: %[[T:.*]] = load_view %{{.*}} -> tensor<1024xf32, #[[RUNS:.*]]>
// QUARTERS-NEXT: arith.negf %[[T]] : tensor<1024xf32, #[[RUNS]]>
tile.kernel @where_taken(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32, #rows>
  %u = tile.convert_layout %t : tensor<1024xf32, #rows> -> tensor<1024xf32, #runs>
  %w = arith.negf %u : tensor<1024xf32, #runs>
  tile.return
}

// -----

// What has another use is not loaded twice.
#rows = #tile.register_layout<lane[32] warp[4] register[8]>
#runs = #tile.register_layout<register[8] lane[32] warp[4]>
// CHECK-LABEL: tile.kernel @used_twice
// CHECK: load_view
// CHECK: alloc_shared : !tile.shared<1024xf32>
tile.kernel @used_twice(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32, #rows>
  %s = arith.negf %t : tensor<1024xf32, #rows>
  %u = tile.convert_layout %t : tensor<1024xf32, #rows> -> tensor<1024xf32, #runs>
  %w = arith.negf %u : tensor<1024xf32, #runs>
  tile.return
}
