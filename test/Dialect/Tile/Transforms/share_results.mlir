// What one thread found in memory, for all.

// RUN: tile-opt --tile-share-results %s | FileCheck %s

#copies = #tile.register_layout<lane[16] lane*2 warp*4>
#own = #tile.register_layout<lane[32] warp[4]>

// CHECK-LABEL: tile.kernel @tiles
tile.kernel @tiles(%P: !tile.ptr<i32>, %x: i32) {
  %p = tile.splat %P : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #copies>
  %v = tile.splat %x : i32 -> tensor<16xi32, #copies>
  %q = tile.splat %P : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #own>
  %w = tile.splat %x : i32 -> tensor<128xi32, #own>
  // Nobody wants it.
  // CHECK: atomic_rmw add %{{.*}}, %{{[^ ]*}} : tensor<16x
  %a = tile.atomic_rmw add %p, %v : tensor<16x!tile.ptr<i32>, #copies>
  // CHECK: %[[OLD:.*]] = atomic_rmw add %{{.*}}, %{{.*}} unshared : tensor<16x
  // CHECK-NEXT: %[[S:.*]] = alloc_shared : !tile.shared<16xi32>
  // CHECK-NEXT: local_store %[[OLD]], %[[S]]
  // CHECK-NEXT: %[[B:.*]] = local_load %[[S]]
  %b = tile.atomic_rmw add %p, %v : tensor<16x!tile.ptr<i32>, #copies>
  // CHECK-NEXT: store %{{.*}}, %[[B]]
  tile.store %p, %b : tensor<16x!tile.ptr<i32>, #copies>
  // Each element has one holder.
  // CHECK: atomic_rmw xchg %{{.*}}, %{{[^ ]*}} : tensor<128x
  // CHECK-NOT: alloc_shared
  %c = tile.atomic_rmw xchg %q, %w : tensor<128x!tile.ptr<i32>, #own>
  // CHECK: store
  tile.store %q, %c : tensor<128x!tile.ptr<i32>, #own>
  tile.return
}

// CHECK-LABEL: tile.kernel @scalars
tile.kernel @scalars(%P: !tile.ptr<i32>, %x: i32, %m: i1) {
  // CHECK: %[[OLD:.*]] = atomic_cas %P, %x, %x mask %m order acquire unshared : !tile.ptr<i32>
  // CHECK-NEXT: %[[ONE:.*]] = splat %[[OLD]] : i32 -> tensor<1xi32
  // CHECK: local_store %[[ONE]]
  // CHECK-NEXT: %[[ALL:.*]] = local_load
  // CHECK-NEXT: %[[A:.*]] = reduce %[[ALL]] axis 0
  %a = tile.atomic_cas %P, %x, %x mask %m order acquire : !tile.ptr<i32>
  // CHECK: load %P volatile unshared
  // CHECK: local_load
  // CHECK-NEXT: %[[B:.*]] = reduce
  %b = tile.load %P volatile : !tile.ptr<i32>
  // Any thread may load that itself.
  // CHECK: %[[C:.*]] = load %P : !tile.ptr<i32>
  // CHECK-NOT: local_load
  %c = tile.load %P : !tile.ptr<i32>
  // CHECK: arith.addi %[[A]], %[[B]]
  %ab = arith.addi %a, %b : i32
  %abc = arith.addi %ab, %c : i32
  tile.store %P, %abc : !tile.ptr<i32>
  tile.return
}
