// How many elements an atomic access changes at once: what the addresses allow, and what the target has.

// RUN: tile-opt --tile-set-target=target=sm_80 --tile-check-vector-width %s 2>&1 | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-check-vector-width %s 2>&1 | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: tile-opt --tile-set-target=target=sm_100a --tile-check-vector-width %s 2>&1 | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: not tile-opt --tile-set-target=target=sm_80 --tile-check-vector-width %S/Inputs/atomic_width.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITTEN

#eight = #tile.register_layout<register[8] lane[32] warp[4]>

// OLD-DAG: remark: vector of 1 element, 4 bytes: one instruction of sm_80 does it to 1 element at the most
// OLD-DAG: remark: vector of 2 elements, 4 bytes: one instruction of sm_80 does it to 2 elements at the most
// CHECK-DAG: remark: vector of 1 element, 4 bytes: one instruction of sm_{{[0-9a]+}} does it to 1 element at the most
// CHECK-DAG: remark: vector of 1 element, 2 bytes: one instruction of sm_{{[0-9a]+}} does it to 1 element at the most
// NEW-DAG: remark: vector of 2 elements, 8 bytes: the pointers are only known to begin at multiples of 8 bytes
// WRITTEN: error: 'tile.atomic_rmw' op vector_width = 4 is not legal: one instruction of sm_80 does it to 1 element at the most; at most 1 is

// CHECK-LABEL: tile.kernel @widths
tile.kernel @widths(%P: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %Q: !tile.ptr<f16> {tile.divisibility = 32 : i64},
                    %R: !tile.ptr<i32> {tile.divisibility = 32 : i64}, %S: !tile.ptr<f32> {tile.divisibility = 8 : i64}) {
  %i = tile.iota 0 : tensor<1024xindex, #eight>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #eight>
  %p = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>, #eight>, tensor<1024xindex, #eight>
  %qs = tile.splat %Q : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #eight>
  %q = tile.addptr %qs, %i : tensor<1024x!tile.ptr<f16>, #eight>, tensor<1024xindex, #eight>
  %rs = tile.splat %R : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>, #eight>
  %r = tile.addptr %rs, %i : tensor<1024x!tile.ptr<i32>, #eight>, tensor<1024xindex, #eight>
  %ss = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #eight>
  %s = tile.addptr %ss, %i : tensor<1024x!tile.ptr<f32>, #eight>, tensor<1024xindex, #eight>
  %f32 = arith.constant dense<1.0> : tensor<1024xf32, #eight>
  %f16 = arith.constant dense<1.0> : tensor<1024xf16, #eight>
  %i32 = arith.constant dense<1> : tensor<1024xi32, #eight>
  // OLD: atomic_rmw add {{.*}} {vector_width = 1 : i64} : tensor<1024x!tile.ptr<f32>
  // NEW: atomic_rmw add {{.*}} {vector_width = 4 : i64} : tensor<1024x!tile.ptr<f32>
  %a = tile.atomic_rmw add %p, %f32 : tensor<1024x!tile.ptr<f32>, #eight>
  // OLD: atomic_rmw add {{.*}} {vector_width = 2 : i64} : tensor<1024x!tile.ptr<f16>
  // NEW: atomic_rmw add {{.*}} {vector_width = 8 : i64} : tensor<1024x!tile.ptr<f16>
  %b = tile.atomic_rmw add %q, %f16 : tensor<1024x!tile.ptr<f16>, #eight>
  // CHECK: atomic_rmw max {{.*}} {vector_width = 1 : i64} : tensor<1024x!tile.ptr<f16>
  %c = tile.atomic_rmw max %q, %f16 : tensor<1024x!tile.ptr<f16>, #eight>
  // CHECK: atomic_rmw add {{.*}} {vector_width = 1 : i64} : tensor<1024x!tile.ptr<i32>
  %d = tile.atomic_rmw add %r, %i32 : tensor<1024x!tile.ptr<i32>, #eight>
  // OLD: atomic_rmw add {{.*}} {vector_width = 1 : i64} : tensor<1024x!tile.ptr<f32>
  // NEW: atomic_rmw add {{.*}} {vector_width = 2 : i64} : tensor<1024x!tile.ptr<f32>
  %e = tile.atomic_rmw add %s, %f32 : tensor<1024x!tile.ptr<f32>, #eight>
  tile.return
}
