// What loops keep of tiles that they reduce in each trip is reduced behind them.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-reduce-behind-loops --tile-canonicalize %s | FileCheck %s

// CHECK-LABEL: tile.kernel @largest
// CHECK: %[[NOTHING:.*]] = arith.constant dense<0x7FC00000> : tensor<32x64xf32>
// CHECK: %[[TILE:.*]] = scf.for {{.*}} iter_args(%[[SO_FAR:.*]] = %[[NOTHING]]) -> (tensor<32x64xf32>)
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: reduce
// CHECK: %[[NEXT:.*]] = arith.maxnumf %[[SO_FAR]], %[[X]] : tensor<32x64xf32>
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[ALL:.*]] = reduce %[[TILE]] axis 0
// CHECK: %[[MOST:.*]] = arith.maxnumf %{{.*}}, %[[ALL]] : tensor<64xf32>
// CHECK: store %{{.*}}, %[[MOST]]
tile.kernel @largest(%ps: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: index, %first: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %firsts = tile.splat %first : f32 -> tensor<64xf32>
  %iota = tile.iota 0 : tensor<2048xi32>
  %places = tile.reshape %iota : tensor<2048xi32> -> tensor<32x64xi32>
  %most = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %firsts) -> (tensor<64xf32>) {
    %p = tile.addptr %ps, %i : !tile.ptr<f32>, index
    %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
    %qs = tile.addptr %base, %places : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    %x = tile.load %qs : tensor<32x64x!tile.ptr<f32>>
    %largest = tile.reduce %x axis 0 : tensor<32x64xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.maxnumf %so_far, %largest : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %columns = tile.iota 0 : tensor<64xi32>
  %os = tile.addptr %to, %columns : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %os, %most : tensor<64x!tile.ptr<f32>>
  tile.return
}

// Of many registers, parts of a thread are reduced in each trip.
// CHECK-LABEL: tile.kernel @columns
// CHECK: scf.for {{.*}} -> (tensor<64x64xi32>)
// CHECK: %[[PARTS:.*]] = tile.reshape %{{.*}} : tensor<128x64xi32> -> tensor<2x64x64xi32>
// CHECK: tile.reduce %[[PARTS]] axis 0 : tensor<2x64x64xi32> -> tensor<64x64xi32>
// CHECK: arith.addi
// CHECK: reduce %{{.*}} axis 0 : tensor<64x64xi32> -> tensor<64xi32>
tile.kernel @columns(%ps: !tile.ptr<i32>, %out: !tile.ptr<i32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<64xi32>
  %iota = tile.iota 0 : tensor<8192xi32>
  %places = tile.reshape %iota : tensor<8192xi32> -> tensor<128x64xi32>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %zero) -> (tensor<64xi32>) {
    %p = tile.addptr %ps, %i : !tile.ptr<i32>, index
    %base = tile.splat %p : !tile.ptr<i32> -> tensor<128x64x!tile.ptr<i32>>
    %qs = tile.addptr %base, %places : tensor<128x64x!tile.ptr<i32>>, tensor<128x64xi32>
    %x = tile.load %qs : tensor<128x64x!tile.ptr<i32>>
    %sum = tile.reduce %x axis 0 : tensor<128x64xi32> -> tensor<64xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    %next = arith.addi %sum, %so_far : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %to = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %columns = tile.iota 0 : tensor<64xi32>
  %os = tile.addptr %to, %columns : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %os, %sums : tensor<64x!tile.ptr<i32>>
  tile.return
}

// Sums of floats are rounded in their order, what else is used in a trip is needed there, and rows are reduced along lanes.
// CHECK-LABEL: tile.kernel @kept
// CHECK: scf.for {{.*}} -> (f32, i32)
// CHECK: tile.reduce
// CHECK: tile.reduce
// CHECK: scf.yield
// CHECK-NOT: reduce
tile.kernel @kept(%ps: !tile.ptr<f32>, %qs: !tile.ptr<i32>, %out: !tile.ptr<f32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i32
  %iota = tile.iota 0 : tensor<1024xi32>
  %sum, %most = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %none, %largest = %zero) -> (f32, i32) {
    %p = tile.addptr %ps, %i : !tile.ptr<f32>, index
    %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
    %xs = tile.addptr %base, %iota : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %x = tile.load %xs : tensor<1024x!tile.ptr<f32>>
    %part = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %so_far, %part : f32
    %r = tile.addptr %qs, %i : !tile.ptr<i32>, index
    %base2 = tile.splat %r : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
    %ys = tile.addptr %base2, %iota : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
    %y = tile.load %ys : tensor<1024x!tile.ptr<i32>>
    %of_trip = tile.reduce %y axis 0 : tensor<1024xi32> -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tile.yield %c : i32
    }
    %more = arith.maxsi %largest, %of_trip : i32
    tile.store %r, %more : !tile.ptr<i32>
    scf.yield %next, %more : f32, i32
  }
  tile.store %out, %sum : !tile.ptr<f32>
  tile.store %qs, %most : !tile.ptr<i32>
  tile.return
}
