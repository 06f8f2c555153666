// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-placement{target=sm_90a})' 2>/dev/null | FileCheck %s

// Three rows are under way. The barrier at which warps meet orders all.

// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME: tile.blocks_per_sm = 4
// CHECK: %[[ROWS:.*]] = alloc_shared {{.*}} : !tile.shared<3x1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
// CHECK-COUNT-3: copy_row %{{.*}}, %{{.*}}, %{{.*}} : <f16>
// CHECK: async_wait 2
// CHECK: scf.for {{.*}} -> (!tile.ptr<f16>, tensor<2xf16, #{{.*}}>, index)
// CHECK: %[[SLOT:.*]] = tile.subview %[[ROWS]][%{{.*}}]
// CHECK: tile.load_row %[[SLOT]] from %{{.*}} ends %{{.*}} count %{{.*}}
// CHECK: tile.local_store
// CHECK-NEXT: tile.async_wait 1
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: tile.copy_row %{{.*}}, %{{.*}}, %[[SLOT]] : <f16>
// CHECK-NEXT: tile.async_commit
// CHECK: scf.yield
// CHECK: async_wait 0

tile.kernel @sums(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %first = tile.load_view %x[%p, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x2048xf16>) {
    %next = arith.addi %i, %ps : index
    %ahead = tile.load_view %x[%next, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %sum = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store_view %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x2048xf16>
  }
  tile.return
}

// As many elements of the tile as the launch tells.

// CHECK-LABEL: tile.kernel @bounded
// CHECK-COUNT-3: copy_row {{.*}} {most = 1152 : i64}
// CHECK: load_row {{.*}} {least = 1025 : i64, most = 1152 : i64}
// CHECK: copy_row {{.*}} {most = 1152 : i64}
tile.kernel @bounded(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %m: index, %n: i32 {tile.bounds = array<i64: 1025, 1152>}, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %columns = arith.index_cast %n : i32 to index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %columns], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %first = tile.load_view %x[%p, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x2048xf16>) {
    %next = arith.addi %i, %ps : index
    %ahead = tile.load_view %x[%next, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %sum = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store_view %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x2048xf16>
  }
  tile.return
}

// Rows of an array that may be what is written are loaded as the program says.

// CHECK-LABEL: tile.kernel @written
// CHECK-NOT: copy_row
// CHECK: {{^ *}}return
tile.kernel @written(%X: !tile.ptr<f16> {tile.may_overlap}, %Y: !tile.ptr<f32> {tile.may_overlap}, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %first = tile.load_view %x[%p, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x2048xf16>) {
    %next = arith.addi %i, %ps : index
    %ahead = tile.load_view %x[%next, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<1x2048xf16>
    %wide = arith.extf %row : tensor<1x2048xf16> to tensor<1x2048xf32>
    %sum = tile.reduce %wide axis 1 : tensor<1x2048xf32> -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store_view %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x2048xf16>
  }
  tile.return
}

// A program has a row, and all have weights and bias: blocks take rows in turn. The next row is loaded in a branch, in
// whose place the copy has no elements.

// CHECK-LABEL: tile.kernel @in_turn
// CHECK-SAME: persistent
// CHECK-NOT: scf.if
// CHECK: load_view {{.*}}4096xf16
// CHECK: load_view {{.*}}4096xf16
// CHECK-COUNT-3: copy_row %{{.*}}, %{{.*}}, %{{.*}} : <f16>
// CHECK: scf.for
// CHECK: tile.load_row
// CHECK-NOT: load_view
// CHECK: tile.barrier
// CHECK: tile.copy_row
// CHECK: tile.store_row
// CHECK: tile.barrier
// CHECK-NOT: tile.barrier
// CHECK: tile.place_row
// CHECK: tile.programs
tile.kernel @in_turn(%X: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %n: i32, %stride: i32) attributes {num_warps = 4 : i32} {
  %p = tile.program_id 0
  %row = arith.index_cast %p : index to i32
  %place = arith.muli %row, %stride : i32
  %x = tile.addptr %X, %place : !tile.ptr<f16>, i32
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, i32
  %columns = tile.iota 0 : tensor<4096xi32>
  %ns = tile.splat %n : i32 -> tensor<4096xi32>
  %inside = arith.cmpi slt, %columns, %ns : tensor<4096xi32>
  %none = arith.constant dense<0.0> : tensor<4096xf16>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %v = tile.load %xp mask %inside else %none : tensor<4096x!tile.ptr<f16>>
  %wide = arith.extf %v : tensor<4096xf16> to tensor<4096xf32>
  %sum = tile.reduce %wide axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<4096xf32>
  %less = arith.subf %wide, %sums : tensor<4096xf32>
  %max = tile.reduce %less axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    tile.yield %s : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<4096xf32>
  %scaled = arith.mulf %less, %maxes : tensor<4096xf32>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %w = tile.load %wp mask %inside else %none : tensor<4096x!tile.ptr<f16>>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %b = tile.load %bp mask %inside else %none : tensor<4096x!tile.ptr<f16>>
  %narrow = arith.truncf %scaled : tensor<4096xf32> to tensor<4096xf16>
  %product = arith.mulf %narrow, %w : tensor<4096xf16>
  %result = arith.addf %product, %b : tensor<4096xf16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  tile.store %yp, %result mask %inside : tensor<4096x!tile.ptr<f16>>
  tile.return
}

// Rows that begin with vectors are moved in these.

// CHECK-LABEL: tile.kernel @aligned
// CHECK-NOT: persistent
// CHECK: {{^ *}}return
tile.kernel @aligned(%X: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %n: i32, %stride: i32 {tile.divisibility = 16 : i64}) attributes {num_warps = 4 : i32} {
  %p = tile.program_id 0
  %row = arith.index_cast %p : index to i32
  %place = arith.muli %row, %stride : i32
  %x = tile.addptr %X, %place : !tile.ptr<f16>, i32
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, i32
  %columns = tile.iota 0 : tensor<4096xi32>
  %ns = tile.splat %n : i32 -> tensor<4096xi32>
  %inside = arith.cmpi slt, %columns, %ns : tensor<4096xi32>
  %none = arith.constant dense<0.0> : tensor<4096xf16>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %v = tile.load %xp mask %inside else %none : tensor<4096x!tile.ptr<f16>>
  %wide = arith.extf %v : tensor<4096xf16> to tensor<4096xf32>
  %sum = tile.reduce %wide axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<4096xf32>
  %less = arith.subf %wide, %sums : tensor<4096xf32>
  %max = tile.reduce %less axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    tile.yield %s : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<4096xf32>
  %scaled = arith.mulf %less, %maxes : tensor<4096xf32>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %w = tile.load %wp mask %inside else %none : tensor<4096x!tile.ptr<f16>>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %b = tile.load %bp mask %inside else %none : tensor<4096x!tile.ptr<f16>>
  %narrow = arith.truncf %scaled : tensor<4096xf32> to tensor<4096xf16>
  %product = arith.mulf %narrow, %w : tensor<4096xf16>
  %result = arith.addf %product, %b : tensor<4096xf16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  tile.store %yp, %result mask %inside : tensor<4096x!tile.ptr<f16>>
  tile.return
}

// Where a thread has 64 elements rows are taken in phases, and rotated (persist_rows.mlir).

// CHECK-LABEL: tile.kernel @wide
// CHECK-SAME: persistent
// CHECK-NOT: copy_row
// CHECK: {{^ *}}return
tile.kernel @wide(%X: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %W: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %n: i32, %stride: i32) attributes {num_warps = 4 : i32} {
  %p = tile.program_id 0
  %row = arith.index_cast %p : index to i32
  %place = arith.muli %row, %stride : i32
  %x = tile.addptr %X, %place : !tile.ptr<f16>, i32
  %y = tile.addptr %Y, %place : !tile.ptr<f16>, i32
  %columns = tile.iota 0 : tensor<8192xi32>
  %ns = tile.splat %n : i32 -> tensor<8192xi32>
  %inside = arith.cmpi slt, %columns, %ns : tensor<8192xi32>
  %none = arith.constant dense<0.0> : tensor<8192xf16>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %columns : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %v = tile.load %xp mask %inside else %none : tensor<8192x!tile.ptr<f16>>
  %wide = arith.extf %v : tensor<8192xf16> to tensor<8192xf32>
  %sum = tile.reduce %wide axis 0 : tensor<8192xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<8192xf32>
  %less = arith.subf %wide, %sums : tensor<8192xf32>
  %max = tile.reduce %less axis 0 : tensor<8192xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    tile.yield %s : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<8192xf32>
  %scaled = arith.mulf %less, %maxes : tensor<8192xf32>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %columns : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %w = tile.load %wp mask %inside else %none : tensor<8192x!tile.ptr<f16>>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %columns : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %b = tile.load %bp mask %inside else %none : tensor<8192x!tile.ptr<f16>>
  %narrow = arith.truncf %scaled : tensor<8192xf32> to tensor<8192xf16>
  %product = arith.mulf %narrow, %w : tensor<8192xf16>
  %result = arith.addf %product, %b : tensor<8192xf16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %columns : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  tile.store %yp, %result mask %inside : tensor<8192x!tile.ptr<f16>>
  tile.return
}
