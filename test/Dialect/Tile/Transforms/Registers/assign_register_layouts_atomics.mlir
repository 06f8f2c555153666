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

// Numbers of rows are loaded by all that use them, also where two conditions of one number meet.
// CHECK-LABEL: tile.kernel @rows_by_number
// CHECK: load {{.*}} : tensor<4x!tile.ptr<i32>, #tile.register_layout<lane*32 warp[4]>>
// CHECK-NOT: convert_layout
// CHECK: return
tile.kernel @rows_by_number(%I: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32) {
  %t = tile.iota 0 : tensor<4xi32>
  %is = tile.splat %I : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %is, %t : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %row = tile.load %p : tensor<4x!tile.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %positive = arith.cmpi sge, %row, %zero : tensor<4xi32>
  %below = arith.cmpi slt, %row, %ns : tensor<4xi32>
  %known = arith.andi %positive, %below : tensor<4xi1>
  %masks = tile.expand_dims %known {axis = 1 : i32} : tensor<4xi1> -> tensor<4x1xi1>
  %mask = tile.broadcast %masks : tensor<4x1xi1> -> tensor<4x512xi1>
  %width = arith.constant dense<512> : tensor<4xi32>
  %starts = arith.muli %row, %width : tensor<4xi32>
  %first = tile.expand_dims %starts {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %firsts = tile.broadcast %first : tensor<4x1xi32> -> tensor<4x512xi32>
  %c = tile.iota 0 : tensor<512xi32>
  %column = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %columns = tile.broadcast %column : tensor<1x512xi32> -> tensor<4x512xi32>
  %at = arith.addi %firsts, %columns : tensor<4x512xi32>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<4x512x!tile.ptr<i32>>
  %y = tile.addptr %ys, %at : tensor<4x512x!tile.ptr<i32>>, tensor<4x512xi32>
  %one = arith.constant dense<1> : tensor<4x512xi32>
  %old = tile.atomic_rmw add %y, %one mask %mask order relaxed : tensor<4x512x!tile.ptr<i32>>
  tile.return
}

// Of two loads neither moves for the other.
// CHECK-LABEL: tile.kernel @conditions_of_two
// CHECK: convert_layout
// CHECK: return
tile.kernel @conditions_of_two(%I: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32> {tile.divisibility = 16 : i64}) {
  %t = tile.iota 0 : tensor<4xi32>
  %is = tile.splat %I : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %is, %t : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %row = tile.load %p : tensor<4x!tile.ptr<i32>>
  %c4 = arith.constant dense<4> : tensor<4xi32>
  %q = tile.addptr %p, %c4 : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %other = tile.load %q : tensor<4x!tile.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %a = arith.cmpi sge, %row, %zero : tensor<4xi32>
  %b = arith.cmpi sge, %other, %zero : tensor<4xi32>
  %known = arith.andi %a, %b : tensor<4xi1>
  %masks = tile.expand_dims %known {axis = 1 : i32} : tensor<4xi1> -> tensor<4x1xi1>
  %mask = tile.broadcast %masks : tensor<4x1xi1> -> tensor<4x512xi1>
  %c = tile.iota 0 : tensor<512xi32>
  %column = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %at = tile.broadcast %column : tensor<1x512xi32> -> tensor<4x512xi32>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<4x512x!tile.ptr<i32>>
  %y = tile.addptr %ys, %at : tensor<4x512x!tile.ptr<i32>>, tensor<4x512xi32>
  %one = arith.constant dense<1> : tensor<4x512xi32>
  %old = tile.atomic_rmw add %y, %one mask %mask order relaxed : tensor<4x512x!tile.ptr<i32>>
  tile.return
}
