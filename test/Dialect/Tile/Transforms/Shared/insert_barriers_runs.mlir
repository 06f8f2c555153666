// Runs of rows: each warp touches its own bytes of a shared tile, and its lanes wait for each other.

// RUN: tile-opt --tile-insert-barriers %s | FileCheck %s

#all = #tile.register_layout<register[2,1] lane[1,32] register[1,2] warp[2,1]>
#padded = #tile.shared_layout<4x64, pad 16 every 64>

// Two tiles that have the same bytes in turn.
// CHECK-LABEL: tile.kernel @same
// CHECK: load_run
// CHECK-NOT: barrier
// CHECK: store_run
tile.kernel @same(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {num_warps = 2 : i32} {
  %rows = tile.splat %A : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #all>
  %results = tile.splat %B : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #all>
  %active = arith.constant dense<true> : tensor<4x64xi1, #all>
  %zeros = arith.constant dense<0.0> : tensor<4x64xf16, #all>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %t = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %x = tile.load_run %rows mask %active, %active else %zeros count %n through %s {most = 40 : i64}
      : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded> -> tensor<4x64xf16, #all>
  tile.store_run %x, %results mask %active, %active count %n through %t {most = 40 : i64}
      : tensor<4x64xf16, #all>, tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded>
  tile.return
}

// Bytes that one warp has for the first tile are another one's for the second.
// CHECK-LABEL: tile.kernel @moved
// CHECK: load_run
// CHECK: barrier
// CHECK: store_run
tile.kernel @moved(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {num_warps = 2 : i32} {
  %rows = tile.splat %A : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #all>
  %results = tile.splat %B : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #all>
  %active = arith.constant dense<true> : tensor<4x64xi1, #all>
  %zeros = arith.constant dense<0.0> : tensor<4x64xf16, #all>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %t = tile.alloc_shared {offset = 320 : i64} : !tile.shared<4x64xf16, #padded>
  %x = tile.load_run %rows mask %active, %active else %zeros count %n through %s {most = 40 : i64}
      : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded> -> tensor<4x64xf16, #all>
  tile.store_run %x, %results mask %active, %active count %n through %t {most = 40 : i64}
      : tensor<4x64xf16, #all>, tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded>
  tile.return
}

// All threads have written there meanwhile.
// CHECK-LABEL: tile.kernel @between
// CHECK: load_run
// CHECK: barrier
// CHECK: local_store
// CHECK: barrier
// CHECK: store_run
tile.kernel @between(%A: !tile.ptr<f16> {tile.disjoint}, %B: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {num_warps = 2 : i32} {
  %rows = tile.splat %A : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #all>
  %results = tile.splat %B : !tile.ptr<f16> -> tensor<4x64x!tile.ptr<f16>, #all>
  %active = arith.constant dense<true> : tensor<4x64xi1, #all>
  %zeros = arith.constant dense<0.0> : tensor<4x64xf16, #all>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %t = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  %x = tile.load_run %rows mask %active, %active else %zeros count %n through %s {most = 40 : i64}
      : tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded> -> tensor<4x64xf16, #all>
  %u = tile.alloc_shared {offset = 0 : i64} : !tile.shared<4x64xf16, #padded>
  tile.local_store %x, %u : tensor<4x64xf16, #all>, !tile.shared<4x64xf16, #padded>
  tile.store_run %x, %results mask %active, %active count %n through %t {most = 40 : i64}
      : tensor<4x64xf16, #all>, tensor<4x64x!tile.ptr<f16>, #all>, tensor<4x64xi1, #all>, tensor<4x64xi1, #all>, !tile.shared<4x64xf16, #padded>
  tile.return
}
