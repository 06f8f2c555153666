// Atomic accesses to several elements at once, which sm_90 and newer have.

// RUN: tile-opt --tile-set-target=target=sm_90a --convert-tile-to-nvvm %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_120a --convert-tile-to-nvvm %s | FileCheck %s
// RUN: not tile-opt --tile-set-target=target=sm_89 --convert-tile-to-nvvm %s 2>&1 | FileCheck %s --check-prefix=OLDER

#eight = #tile.register_layout<register[8] lane[32] warp[4]>
#four = #tile.register_layout<register[4] lane[32] warp[4]>

// OLDER: is done to 4 elements at once, which one instruction of sm_89 does to 1 at the most
// CHECK-LABEL: @reduced
tile.kernel @reduced(%P: !tile.ptr<f32>, %x: f32) {
  %p = tile.splat %P : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #eight>
  %v = tile.splat %x : f32 -> tensor<1024xf32, #eight>
  // CHECK-COUNT-2: "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
  %a = tile.atomic_rmw add %p, %v order relaxed {vector_width = 4 : i64} : tensor<1024x!tile.ptr<f32>, #eight>
  // CHECK-COUNT-4: "red.relaxed.cta.global.add.v2.f32 [$0], {$1, $2};"
  %b = tile.atomic_rmw add %p, %v order relaxed scope cta {vector_width = 2 : i64} : tensor<1024x!tile.ptr<f32>, #eight>
  tile.return
}

// CHECK-LABEL: @returned
tile.kernel @returned(%P: !tile.ptr<f32>, %x: f32, %i: i1) {
  %p = tile.splat %P : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #four>
  %v = tile.splat %x : f32 -> tensor<512xf32, #four>
  %m = tile.splat %i : i1 -> tensor<512xi1, #four>
  // One instruction bears the order.
  // CHECK: "mov.b32 $0, 0;\0Amov.b32 $1, 0;\0Amov.b32 $2, 0;\0Amov.b32 $3, 0;\0A@$4 atom.acq_rel.gpu.global.add.v4.f32 {$0, $1, $2, $3}, [$5], {$6, $7, $8, $9};"
  // CHECK-SAME: "=&r,=&r,=&r,=&r,b,l,r,r,r,r,~{memory}"
  %a = tile.atomic_rmw add %p, %v mask %m {vector_width = 4 : i64} : tensor<512x!tile.ptr<f32>, #four>
  tile.store %p, %a {vector_width = 4 : i64} : tensor<512x!tile.ptr<f32>, #four>
  tile.return
}

// CHECK-LABEL: @halves
tile.kernel @halves(%P: !tile.ptr<f16>, %x: f16, %Q: !tile.ptr<bf16>, %y: bf16) {
  %p = tile.splat %P : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #eight>
  %v = tile.splat %x : f16 -> tensor<1024xf16, #eight>
  %q = tile.splat %Q : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>, #eight>
  %w = tile.splat %y : bf16 -> tensor<1024xbf16, #eight>
  // CHECK: "red.relaxed.gpu.global.add.noftz.v4.f16x2 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
  %a = tile.atomic_rmw add %p, %v order relaxed {vector_width = 8 : i64} : tensor<1024x!tile.ptr<f16>, #eight>
  // CHECK-COUNT-2: "red.relaxed.gpu.global.add.noftz.v2.bf16x2 [$0], {$1, $2};"
  %b = tile.atomic_rmw add %q, %w order relaxed {vector_width = 4 : i64} : tensor<1024x!tile.ptr<bf16>, #eight>
  // CHECK-COUNT-8: "red.relaxed.gpu.global.add.noftz.bf16 [$0], $1;", "l,h,~{memory}"
  %c = tile.atomic_rmw add %q, %w order relaxed {vector_width = 1 : i64} : tensor<1024x!tile.ptr<bf16>, #eight>
  tile.return
}
