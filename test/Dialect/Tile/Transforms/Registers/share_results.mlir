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

// Each thread may find something else, as of a clock; and those of one element of a tile.
// CHECK-LABEL: tile.kernel @assembly
tile.kernel @assembly(%P: !tile.ptr<i32>, %Q: !tile.ptr<i64>, %x: i32) {
  // CHECK: %[[OWN:.*]]:2 = inline_asm "{{.*}}" constraints "=r,=l" unshared() : () -> (i32, index)
  // CHECK-NEXT: %[[ONE:.*]] = splat %[[OWN]]#0 : i32 -> tensor<1xi32
  // CHECK: local_store %[[ONE]]
  // CHECK-NEXT: %[[ALL:.*]] = local_load
  // CHECK-NEXT: %[[A:.*]] = reduce %[[ALL]] axis 0
  // CHECK: %[[NUMBER:.*]] = arith.index_cast %[[OWN]]#1 : index to i64
  // CHECK-NEXT: splat %[[NUMBER]] : i64 -> tensor<1xi64
  // CHECK: %[[B:.*]] = reduce
  // CHECK: %[[I:.*]] = arith.index_cast %[[B]] : i64 to index
  %a, %i = tile.inline_asm "mov.u32 $0, %clock; mov.u64 $1, %clock64;" constraints "=r,=l" () : () -> (i32, index)
  // CHECK: splat %[[A]]
  %t = tile.splat %a : i32 -> tensor<16xi32, #copies>
  // CHECK: %[[NUMBER:.*]] = ptr_to_int %{{.*}} : !tile.ptr<i32> -> i64
  // CHECK: int_to_ptr %{{.*}} : i64 -> !tile.ptr<i32>
  %p = tile.inline_asm "mov.u64 $0, $1;" constraints "=l,l" (%i) : (index) -> !tile.ptr<i32>
  // CHECK: %[[TILE:.*]] = inline_asm "{{.*}}" constraints "=r,r" unshared(%{{.*}}) : (tensor<16xi32, {{.*}}>)
  // CHECK: local_store %[[TILE]]
  // CHECK-NEXT: %[[L:.*]] = local_load
  %u = tile.inline_asm "mov.u32 $0, %clock;" constraints "=r,r" (%t) : (tensor<16xi32, #copies>) -> tensor<16xi32, #copies>
  // CHECK: splat
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #copies>
  // CHECK-NEXT: store %{{.*}}, %[[L]]
  tile.store %ps, %u : tensor<16x!tile.ptr<i32>, #copies>
  // What is only stored is that of the first thread without it; and what is pure is the same in all.
  // CHECK: inline_asm
  // CHECK-NOT: local_store
  %f = tile.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l" () : () -> i64
  %g = tile.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l" () : () -> i64
  %e = arith.subi %g, %f : i64
  tile.store %Q, %e : !tile.ptr<i64>
  %h = tile.inline_asm "add.s32 $0, $1, 1;" constraints "=r,r" pure (%x) : (i32) -> i32
  %v = tile.splat %h : i32 -> tensor<16xi32, #copies>
  tile.store %ps, %v : tensor<16x!tile.ptr<i32>, #copies>
  tile.return
}
