// Atomic accesses in each form that their syntax has.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @tiles
tile.kernel @tiles(%P: !tile.ptr<i32>, %x: i32, %i: i1) {
  %p = tile.splat %P : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %v = tile.splat %x : i32 -> tensor<8xi32>
  %m = tile.splat %i : i1 -> tensor<8xi1>
  // CHECK: atomic_rmw add %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i32>>
  %a = tile.atomic_rmw add %p, %v : tensor<8x!tile.ptr<i32>>
  // CHECK: atomic_rmw max %{{.*}}, %{{.*}} mask %{{.*}} order relaxed scope cta : tensor<8x!tile.ptr<i32>>
  %b = tile.atomic_rmw max %p, %v mask %m order relaxed scope cta : tensor<8x!tile.ptr<i32>>
  // CHECK: atomic_rmw umin %{{.*}}, %{{.*}} scope sys : tensor<8x!tile.ptr<i32>>
  %c = tile.atomic_rmw umin %p, %v order acq_rel scope sys : tensor<8x!tile.ptr<i32>>
  // CHECK: atomic_cas %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} order release : tensor<8x!tile.ptr<i32>>
  %d = tile.atomic_cas %p, %v, %c mask %m order release : tensor<8x!tile.ptr<i32>>
  tile.return
}

// CHECK-LABEL: tile.kernel @scalars
tile.kernel @scalars(%P: !tile.ptr<f16>, %x: f16, %i: i1) {
  // CHECK: atomic_rmw xchg %P, %x mask %i order acquire : !tile.ptr<f16>
  %a = tile.atomic_rmw xchg %P, %x mask %i order acquire : !tile.ptr<f16>
  // CHECK: atomic_cas %P, %x, %{{.*}} unshared : !tile.ptr<f16>
  %b = tile.atomic_cas %P, %x, %a unshared : !tile.ptr<f16>
  tile.return
}
