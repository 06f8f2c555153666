// Beside many sums one stage is one slot, which each iteration fills for itself with what products read.

// RUN: tile-opt --split-input-file --tile-specialize=num-stages=1 --tile-pipeline %s | FileCheck %s

// CHECK-LABEL: tile.kernel @short
// CHECK: %[[C:.*]] = channel %{{.*}}, %{{.*}} -> !tile.channel<1>
// CHECK-NOT: acquire
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[N:[^ ]*]] = %{{.*}})
// CHECK: %[[F:.*]]:2 = tile.acquire %[[C]]
// CHECK-NEXT: copy_async %{{.*}}, %[[F]]#0
// CHECK-NEXT: copy_async %{{.*}}, %[[F]]#1
// CHECK-NEXT: commit
// CHECK: %[[R:.*]]:2 = tile.wait %[[C]][%[[N]]]
// What is added to the sums is loaded as before.
// CHECK: load_view
// CHECK-NEXT: alloc_shared
// CHECK-NEXT: local_store
// CHECK: local_load %[[R]]#0
// CHECK: local_load %[[R]]#1
// CHECK: release %[[C]][%[[N]]]

#rows = #tile.register_layout<register[1,8] lane[2,16] warp[4,1] register[8,1]>
#queries = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>
#keys = #tile.register_layout<register[2,1] lane[4,1] register[16,1] lane[1,8] register[1,8] warp*4>
#narrow = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[8,1]>
#scores = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,8] warp[4,1]>
#values = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,16] warp*4>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>

tile.kernel @short(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %x: f16, %M: index, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %q = tile.splat %x : f16 -> tensor<128x128xf16, #queries>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
  %view = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %r = scf.for %i = %c0 to %K step %c64 iter_args(%acc = %t) -> tensor<128x128xf32, #sums> {
    %tk = tile.load_view %view[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #narrow>
    %sk = tile.alloc_shared : !tile.shared<128x64xf16>
    tile.local_store %tk, %sk : tensor<128x64xf16, #narrow>, !tile.shared<128x64xf16>
    %tv = tile.load_view %view[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16, #rows>
    %sv = tile.alloc_shared : !tile.shared<64x128xf16>
    tile.local_store %tv, %sv : tensor<64x128xf16, #rows>, !tile.shared<64x128xf16>
    %tb = tile.load_view %view[%i, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #narrow>
    %sb = tile.alloc_shared : !tile.shared<128x64xf16>
    tile.local_store %tb, %sb : tensor<128x64xf16, #narrow>, !tile.shared<128x64xf16>
    %k = tile.local_load %sk : !tile.shared<128x64xf16> -> tensor<128x64xf16, #keys>
    %v = tile.local_load %sv : !tile.shared<64x128xf16> -> tensor<64x128xf16, #values>
    %b = tile.local_load %sb : !tile.shared<128x64xf16> -> tensor<128x64xf16, #scores>
    %s = tile.dot %q, %k, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
    %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
    %o = arith.addf %w, %b : tensor<128x64xf16, #scores>
    %d = tile.dot %o, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x128xf16, #values>, tensor<128x128xf32, #sums>
    scf.yield %d : tensor<128x128xf32, #sums>
  }
  tile.return
}

// -----

// Where there was no room for more than one stage, tiles may have to take turns in the same bytes.
// CHECK-LABEL: tile.kernel @no_room
// CHECK-NOT: channel

#rows = #tile.register_layout<register[1,8] lane[2,16] warp[4,1] register[8,1]>
#queries = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>
#keys = #tile.register_layout<register[2,1] lane[4,1] register[16,1] lane[1,8] register[1,8] warp*4>
#narrow = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[8,1]>
#scores = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,8] warp[4,1]>
#values = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,16] warp*4>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>

tile.kernel @no_room(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %x: f16, %M: index, %K: index {tile.divisibility = 8 : i64}) attributes {num_warps = 4 : i32, tile.most_stages = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %q = tile.splat %x : f16 -> tensor<128x128xf16, #queries>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
  %view = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %r = scf.for %i = %c0 to %K step %c64 iter_args(%acc = %t) -> tensor<128x128xf32, #sums> {
    %tk = tile.load_view %view[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #narrow>
    %sk = tile.alloc_shared : !tile.shared<128x64xf16>
    tile.local_store %tk, %sk : tensor<128x64xf16, #narrow>, !tile.shared<128x64xf16>
    %tv = tile.load_view %view[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16, #rows>
    %sv = tile.alloc_shared : !tile.shared<64x128xf16>
    tile.local_store %tv, %sv : tensor<64x128xf16, #rows>, !tile.shared<64x128xf16>
    %tb = tile.load_view %view[%i, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16, #narrow>
    %sb = tile.alloc_shared : !tile.shared<128x64xf16>
    tile.local_store %tb, %sb : tensor<128x64xf16, #narrow>, !tile.shared<128x64xf16>
    %k = tile.local_load %sk : !tile.shared<128x64xf16> -> tensor<128x64xf16, #keys>
    %v = tile.local_load %sv : !tile.shared<64x128xf16> -> tensor<64x128xf16, #values>
    %b = tile.local_load %sb : !tile.shared<128x64xf16> -> tensor<128x64xf16, #scores>
    %s = tile.dot %q, %k, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
    %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
    %o = arith.addf %w, %b : tensor<128x64xf16, #scores>
    %d = tile.dot %o, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x128xf16, #values>, tensor<128x128xf32, #sums>
    scf.yield %d : tensor<128x128xf32, #sums>
  }
  tile.return
}
