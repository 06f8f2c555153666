// Lanes stand side by side for atomic accesses, in runs of what the target changes at once.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-assign-register-layouts %s | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: tile-opt --tile-set-target=target=sm_80 --tile-assign-register-layouts %s | FileCheck %s --check-prefixes=CHECK,OLD

// What is loaded in eights, and needed so by a store, changes threads.
// CHECK-LABEL: tile.kernel @wider
tile.kernel @wider(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Z: !tile.ptr<f16> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<2048xindex>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %x = tile.addptr %xs, %i : tensor<2048x!tile.ptr<f16>>, tensor<2048xindex>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %y = tile.addptr %ys, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xindex>
  // CHECK: load {{.*}} : tensor<2048x!tile.ptr<f16>, #tile.register_layout<register[8] lane[32] warp[4] register[2]>>
  %v = tile.load %x : tensor<2048x!tile.ptr<f16>>
  %zs = tile.splat %Z : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %z = tile.addptr %zs, %i : tensor<2048x!tile.ptr<f16>>, tensor<2048xindex>
  tile.store %z, %v : tensor<2048x!tile.ptr<f16>>
  %w = arith.extf %v : tensor<2048xf16> to tensor<2048xf32>
  // NEW: convert_layout {{.*}} -> tensor<2048xf32, #tile.register_layout<register[4] lane[32] warp[4] register[4]>>
  // OLD: convert_layout {{.*}} -> tensor<2048xf32, #tile.register_layout<lane[32] warp[4] register[16]>>
  // CHECK: atomic_rmw
  %old = tile.atomic_rmw add %y, %w order relaxed : tensor<2048x!tile.ptr<f32>>
  tile.return
}

// What is loaded for the sums alone is loaded where they are added.
// CHECK-LABEL: tile.kernel @loaded_there
// NEW: load {{.*}} : tensor<2048x!tile.ptr<f16>, #tile.register_layout<register[4] lane[32] warp[4] register[4]>>
// NEW-NOT: convert_layout
// CHECK: return
tile.kernel @loaded_there(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<2048xindex>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %x = tile.addptr %xs, %i : tensor<2048x!tile.ptr<f16>>, tensor<2048xindex>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %y = tile.addptr %ys, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xindex>
  %v = tile.load %x : tensor<2048x!tile.ptr<f16>>
  %w = arith.extf %v : tensor<2048xf16> to tensor<2048xf32>
  %old = tile.atomic_rmw add %y, %w order relaxed : tensor<2048x!tile.ptr<f32>>
  tile.return
}

// A store of the same stays where the value is: half a line is met by the other half in the cache.
// CHECK-LABEL: tile.kernel @stored
// NEW-NOT: convert_layout
// CHECK: return
tile.kernel @stored(%X: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<2048xindex>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %x = tile.addptr %xs, %i : tensor<2048x!tile.ptr<f16>>, tensor<2048xindex>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %y = tile.addptr %ys, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xindex>
  %v = tile.load %x : tensor<2048x!tile.ptr<f16>>
  %w = arith.extf %v : tensor<2048xf16> to tensor<2048xf32>
  tile.store %y, %w : tensor<2048x!tile.ptr<f32>>
  tile.return
}

// Places that nobody knows beforehand: lanes as the value has them.
// CHECK-LABEL: tile.kernel @anywhere
tile.kernel @anywhere(%I: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<2048xindex>
  %is = tile.splat %I : !tile.ptr<i32> -> tensor<2048x!tile.ptr<i32>>
  %p = tile.addptr %is, %i : tensor<2048x!tile.ptr<i32>>, tensor<2048xindex>
  %at = tile.load %p : tensor<2048x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<2048x!tile.ptr<i32>>
  %y = tile.addptr %ys, %at : tensor<2048x!tile.ptr<i32>>, tensor<2048xi32>
  %one = arith.constant dense<1> : tensor<2048xi32>
  // CHECK-NOT: convert_layout
  // CHECK: atomic_rmw {{.*}} : tensor<2048x!tile.ptr<i32>, #tile.register_layout<register[4] lane[32] warp[4] register[4]>>
  %old = tile.atomic_rmw add %y, %one order relaxed : tensor<2048x!tile.ptr<i32>>
  tile.return
}
