// The instructions of atomic accesses: vectors, pairs, single elements and loops, with and without a result.

// RUN: tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_90a --convert-tile-to-nvvm %s | FileCheck %s

#eight = #tile.register_layout<register[8] lane[32] warp[4]>
#one = #tile.register_layout<lane[32] warp[4]>

// Who only adds gets no result; the order stands on an instruction that is alone.
// CHECK-LABEL: @pairs
tile.kernel @pairs(%P: !tile.ptr<f16>, %x: f16) {
  %p = tile.splat %P : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #eight>
  %v = tile.splat %x : f16 -> tensor<1024xf16, #eight>
  // CHECK: fence.acq_rel.gpu
  // CHECK-COUNT-4: "red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"
  // CHECK-NOT: nvvm.bar.warp.sync
  // CHECK: fence.acq_rel.gpu
  %a = tile.atomic_rmw add %p, %v {vector_width = 2 : i64} : tensor<1024x!tile.ptr<f16>, #eight>
  tile.return
}

// A thread that makes no access has nothing to order.
// CHECK-LABEL: @masked
tile.kernel @masked(%P: !tile.ptr<f32>, %x: f32, %n: i32) {
  %p = tile.splat %P : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #eight>
  %v = tile.splat %x : f32 -> tensor<1024xf32, #eight>
  %i = tile.iota 0 : tensor<1024xi32, #eight>
  %count = tile.splat %n : i32 -> tensor<1024xi32, #eight>
  %m = arith.cmpi slt, %i, %count : tensor<1024xi32, #eight>
  // CHECK-COUNT-7: arith.ori %{{.*}}, %{{.*}} : i1
  // CHECK: "@$0 fence.acq_rel.gpu;", "b,~{memory}"
  // CHECK-COUNT-8: red.relaxed.gpu.global.add.f32
  // CHECK: "@$0 fence.acq_rel.gpu;", "b,~{memory}"
  %a = tile.atomic_rmw add %p, %v mask %m {vector_width = 1 : i64} : tensor<1024x!tile.ptr<f32>, #eight>
  tile.return
}

// CHECK-LABEL: @loops
tile.kernel @loops(%P: !tile.ptr<i16>, %x: i16) {
  %p = tile.splat %P : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>, #one>
  %v = tile.splat %x : i16 -> tensor<128xi16, #one>
  // Lanes leave the loop one by one.
  // CHECK: atom.relaxed.gpu.global.cas.b16 $0, [$1], $2, $3;
  // CHECK: %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK: nvvm.bar.warp.sync %[[ALL]]
  // CHECK-NOT: nvvm.bar.warp.sync
  %a = tile.atomic_rmw max %p, %v order relaxed {vector_width = 1 : i64} : tensor<128x!tile.ptr<i16>, #one>
  tile.return
}

// ptxas makes a loop of one element of 16 bits.
// CHECK-LABEL: @half
tile.kernel @half(%P: !tile.ptr<f16>, %x: f16) {
  %p = tile.splat %P : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #one>
  %v = tile.splat %x : f16 -> tensor<128xf16, #one>
  // CHECK: "red.relaxed.gpu.global.add.noftz.f16 [$0], $1;"
  // CHECK: nvvm.bar.warp.sync
  %a = tile.atomic_rmw add %p, %v order relaxed {vector_width = 1 : i64} : tensor<128x!tile.ptr<f16>, #one>
  tile.return
}

// CHECK-LABEL: @alone
tile.kernel @alone(%P: !tile.ptr<i64>, %x: i64, %m: i1) {
  %p = tile.splat %P : !tile.ptr<i64> -> tensor<128x!tile.ptr<i64>, #one>
  %v = tile.splat %x : i64 -> tensor<128xi64, #one>
  // CHECK: "red.release.sys.global.max.u64 [$0], $1;", "l,l,~{memory}"
  %a = tile.atomic_rmw umax %p, %v order release scope sys {vector_width = 1 : i64} : tensor<128x!tile.ptr<i64>, #one>
  // There is no red of an exchange.
  // CHECK: "mov.b64 $0, 0;\0A@$1 atom.acq_rel.gpu.global.exch.b64 $0, [$2], $3;", "=&l,b,l,l,~{memory}"
  %b = tile.atomic_rmw xchg %P, %x mask %m : !tile.ptr<i64>
  // CHECK: atom.release.gpu.global.exch.b64 $0
  %c = tile.atomic_rmw xchg %P, %x mask %m order release : !tile.ptr<i64>
  tile.return
}

// Who writes back what is there only asks for it: a load does, unless what came before is to be seen by then. A negative zero
// would be another number.
// CHECK-LABEL: @asks
tile.kernel @asks(%P: !tile.ptr<i32>, %F: !tile.ptr<f32>) {
  %p = tile.splat %P : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #one>
  %f = tile.splat %F : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #one>
  %zeros = arith.constant dense<0> : tensor<128xi32, #one>
  %none = arith.constant dense<0.0> : tensor<128xf32, #one>
  // CHECK: "ld.acquire.gpu.global.b32 $0, [$1];", "=r,l,~{memory}"
  %a = tile.atomic_rmw add %p, %zeros order acquire {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #one>
  // CHECK: "ld.relaxed.gpu.global.b32 $0, [$1];"
  %b = tile.atomic_rmw or %p, %zeros order relaxed {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #one>
  // CHECK: atom.acq_rel.gpu.global.add.u32
  %c = tile.atomic_rmw add %p, %zeros {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #one>
  // CHECK: atom.relaxed.gpu.global.add.f32
  %d = tile.atomic_rmw add %f, %none order relaxed {vector_width = 1 : i64} : tensor<128x!tile.ptr<f32>, #one>
  %s = arith.addi %a, %b : tensor<128xi32, #one>
  %t = arith.addi %s, %c : tensor<128xi32, #one>
  tile.store %p, %t {vector_width = 1 : i64} : tensor<128x!tile.ptr<i32>, #one>
  tile.store %f, %d {vector_width = 1 : i64} : tensor<128x!tile.ptr<f32>, #one>
  tile.return
}

// CHECK-LABEL: @asks_for_some
tile.kernel @asks_for_some(%P: !tile.ptr<i64>, %n: i32) {
  %p = tile.splat %P : !tile.ptr<i64> -> tensor<128x!tile.ptr<i64>, #one>
  %i = tile.iota 0 : tensor<128xi32, #one>
  %count = tile.splat %n : i32 -> tensor<128xi32, #one>
  %m = arith.cmpi slt, %i, %count : tensor<128xi32, #one>
  %zeros = arith.constant dense<0> : tensor<128xi64, #one>
  // CHECK: "mov.b64 $0, 0;\0A@$1 ld.relaxed.cta.global.b64 $0, [$2];", "=&l,b,l,~{memory}"
  %a = tile.atomic_rmw xor %p, %zeros mask %m order relaxed scope cta {vector_width = 1 : i64} : tensor<128x!tile.ptr<i64>, #one>
  tile.store %p, %a {vector_width = 1 : i64} : tensor<128x!tile.ptr<i64>, #one>
  tile.return
}
