// Every op, in each form that its syntax has.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,2]>
#columns = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[2,1] register[1,4]>
#line = #tile.register_layout<register[4] lane[32]>
#swizzled = #tile.shared_layout<64x64, swizzle<3,2,6>>

// Names, clauses and promises of a kernel survive.
// CHECK-LABEL: tile.kernel @kernel(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32>, %alpha: f32, %n: index)
// CHECK-NEXT:    shapes ["X[n]", "Y[n]"]
// CHECK-NEXT:    grid ["ceildiv(n, 1024)"]
// CHECK-NEXT:    reference ["Y[i] = alpha * X[i]"] attributes {num_warps = 8 : i32, require = ["wgmma", "tma", "roles", "persistent"]} {
// CHECK-NEXT:  return
tile.kernel @kernel(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32>, %alpha: f32, %n: index)
    grid ["ceildiv(n, 1024)"]
    reference ["Y[i] = alpha * X[i]"]
    shapes ["X[n]", "Y[n]"]
    attributes {num_warps = 8 : i32, require = ["wgmma", "tma", "roles", "persistent"]} {
  tile.return
}

// CHECK-LABEL: tile.kernel @overlaps(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.may_overlap})
tile.kernel @overlaps(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.may_overlap}) {
  tile.return
}

// No argument, no clause.
// CHECK-LABEL: tile.kernel @empty() {
tile.kernel @empty() {
  tile.return
}

// CHECK-LABEL: tile.kernel @programs
tile.kernel @programs() {
  // CHECK: program_id 0
  // CHECK: program_id 1
  // CHECK: program_id 2
  // CHECK: num_programs 0
  // CHECK: num_programs 2
  %0 = tile.program_id 0
  %1 = tile.program_id 1
  %2 = tile.program_id 2
  %3 = tile.num_programs 0
  %4 = tile.num_programs 2
  tile.return
}

// CHECK-LABEL: tile.kernel @views
tile.kernel @views(%A: !tile.ptr<f32>, %M: index, %N: index, %one: f32) {
  // CHECK: view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // CHECK: view %A, shape [16], strides [2] : !tile.ptr<f32> -> !tile.view<16xf32, [2]>
  %b = tile.view %A, shape [16], strides [2] : !tile.ptr<f32> -> !tile.view<16xf32, [2]>
  // CHECK: %[[T:.*]] = load_view %{{.*}}[%M, %N] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %t = tile.load_view %a[%M, %N] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  // CHECK: load_view %{{.*}}[%M, %N] else %one : f32 {vector_width = 4 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %u = tile.load_view %a[%M, %N] else %one : f32 {vector_width = 4 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  // CHECK: load_view %{{.*}}[%M] : !tile.view<16xf32, [2]> -> tensor<8xf32>
  %v = tile.load_view %b[%M] : !tile.view<16xf32, [2]> -> tensor<8xf32>
  // CHECK: store_view %[[T]], %{{.*}}[%N, %M] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.store_view %t, %a[%N, %M] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  // CHECK: store_view %[[T]], %{{.*}}[%N, %M] {vector_width = 2 : i64} :
  tile.store_view %t, %a[%N, %M] {vector_width = 2 : i64} : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// CHECK-LABEL: tile.kernel @pointers
tile.kernel @pointers(%A: !tile.ptr<f32>, %i: i32, %n: index) {
  // CHECK: addptr %A, %n : !tile.ptr<f32>, index
  %p = tile.addptr %A, %n : !tile.ptr<f32>, index
  // CHECK: addptr %{{.*}}, %i : !tile.ptr<f32>, i32
  %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
  // CHECK: iota 0 : tensor<128xi32>
  %is = tile.iota 0 : tensor<128xi32>
  // CHECK: splat %{{.*}} : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ps = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  // CHECK: %[[P:.*]] = addptr %{{.*}}, %{{.*}} : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %ptrs = tile.addptr %ps, %is : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %bound = tile.splat %i : i32 -> tensor<128xi32>
  // CHECK: %[[M:.*]] = arith.cmpi
  %mask = arith.cmpi slt, %is, %bound : tensor<128xi32>
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  // CHECK: %[[V:.*]] = load %[[P]] : tensor<128x!tile.ptr<f32>>
  %v = tile.load %ptrs : tensor<128x!tile.ptr<f32>>
  // CHECK: load %[[P]] mask %[[M]] : tensor<128x!tile.ptr<f32>>
  %w = tile.load %ptrs mask %mask : tensor<128x!tile.ptr<f32>>
  // CHECK: load %[[P]] mask %[[M]] else %{{.*}} {vector_width = 4 : i64} : tensor<128x!tile.ptr<f32>>
  %x = tile.load %ptrs mask %mask else %zeros {vector_width = 4 : i64} : tensor<128x!tile.ptr<f32>>
  // CHECK: store %[[P]], %[[V]] : tensor<128x!tile.ptr<f32>>
  tile.store %ptrs, %v : tensor<128x!tile.ptr<f32>>
  // CHECK: store %[[P]], %[[V]] mask %[[M]] {vector_width = 1 : i64} : tensor<128x!tile.ptr<f32>>
  tile.store %ptrs, %v mask %mask {vector_width = 1 : i64} : tensor<128x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: tile.kernel @tiles
tile.kernel @tiles(%x: f32) {
  // CHECK: iota -4 : tensor<8xi8>
  %i = tile.iota -4 : tensor<8xi8>
  // CHECK: iota 0 : tensor<64xindex>
  %j = tile.iota 0 : tensor<64xindex>
  // CHECK: %[[T:.*]] = splat %x : f32 -> tensor<64xf32>
  %t = tile.splat %x : f32 -> tensor<64xf32>
  // CHECK: %[[C:.*]] = expand_dims %[[T]] {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %c = tile.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  // CHECK: %[[B:.*]] = broadcast %[[C]] : tensor<64x1xf32> -> tensor<64x32xf32>
  %b = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x32xf32>
  // CHECK: reshape %[[B]] : tensor<64x32xf32> -> tensor<2048xf32>
  %r = tile.reshape %b : tensor<64x32xf32> -> tensor<2048xf32>
  // CHECK: trans %[[B]] [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %tt = tile.trans %b [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  tile.return
}

// The same of a placed program: layouts that follow from one another.
// CHECK-LABEL: tile.kernel @placed_tiles
tile.kernel @placed_tiles(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  // CHECK: trans
  %u = tile.trans %t [1, 0] : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  // Equal layouts print in one way, whatever order their blocks were written in.
  // CHECK: convert_layout %{{.*}} : tensor<64x64xf32, #tile.register_layout<register[4,1] lane[8,1] register[2,1] lane[1,4] warp[1,4] register[1,4]>> -> tensor<64x64xf32, #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[4,2]>>
  %v = tile.convert_layout %u : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
  // CHECK: reshape
  %r = tile.reshape %t : tensor<64x64xf32, #rows>
    -> tensor<4096xf32, #tile.register_layout<4096, register = [[1], [2], [32], [1024], [2048]], lane = [[4], [8], [16], [64], [128]], warp = [[256], [512]]>>
  %c = tile.splat %x : f32 -> tensor<64x1xf32, #tile.register_layout<register[4,1] lane[8,1] lane*4 warp*4 register[2,1]>>
  // CHECK: broadcast
  %b = tile.broadcast %c : tensor<64x1xf32, #tile.register_layout<register[4,1] lane[8,1] lane*4 warp*4 register[2,1]>> -> tensor<64x64xf32, #columns>
  %l = tile.splat %x : f32 -> tensor<64xf32, #tile.register_layout<register[4] lane[8] lane*4 warp*4 register[2]>>
  // CHECK: expand_dims
  %e = tile.expand_dims %l {axis = 1 : i32} : tensor<64xf32, #tile.register_layout<register[4] lane[8] lane*4 warp*4 register[2]>>
    -> tensor<64x1xf32, #tile.register_layout<register[4,1] lane[8,1] lane*4 warp*4 register[2,1]>>
  tile.return
}

// CHECK-LABEL: tile.kernel @shared
tile.kernel @shared(%x: f32, %i: index) attributes {shared_bytes = 65536 : i64} {
  %t = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  // CHECK: %[[S:.*]] = alloc_shared : !tile.shared<64x64xf32>
  %s = tile.alloc_shared : !tile.shared<64x64xf32>
  // CHECK: alloc_shared {layout = "pad:1"} : !tile.shared<64x64xf32>
  %p = tile.alloc_shared {layout = "pad:1"} : !tile.shared<64x64xf32>
  // CHECK: %[[Q:.*]] = alloc_shared {offset = 1024 : i64} : !tile.shared<3x64x64xf32, #tile.shared_layout<64x64, swizzle<3,2,6>>>
  %q = tile.alloc_shared {offset = 1024 : i64} : !tile.shared<3x64x64xf32, #swizzled>
  // CHECK: %[[V:.*]] = subview %[[Q]][%i] : !tile.shared<3x64x64xf32, #tile.shared_layout<64x64, swizzle<3,2,6>>> -> !tile.shared<64x64xf32, #tile.shared_layout<64x64, swizzle<3,2,6>>>
  %v = tile.subview %q[%i] : !tile.shared<3x64x64xf32, #swizzled> -> !tile.shared<64x64xf32, #swizzled>
  // CHECK: local_store %{{.*}}, %[[S]] : tensor<64x64xf32, #{{.*}}>, !tile.shared<64x64xf32>
  tile.local_store %t, %s : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32>
  // CHECK: local_store %{{.*}}, %[[V]] {vector_width = 4 : i64} :
  tile.local_store %t, %v {vector_width = 4 : i64} : tensor<64x64xf32, #rows>, !tile.shared<64x64xf32, #swizzled>
  // CHECK: barrier
  tile.barrier
  // CHECK: local_load %[[S]] : !tile.shared<64x64xf32> -> tensor<64x64xf32, #{{.*}}>
  %l = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #rows>
  // CHECK: local_load %[[V]] {vector_width = 1 : i64} :
  %m = tile.local_load %v {vector_width = 1 : i64} : !tile.shared<64x64xf32, #swizzled> -> tensor<64x64xf32, #columns>
  %numbers = tile.iota 0 : tensor<32xi32>
  %line = tile.alloc_shared : !tile.shared<64xf16>
  // CHECK: local_gather %{{.*}}[%{{.*}}] : !tile.shared<64xf16>, tensor<32xi32> -> tensor<32xf16>
  %g = tile.local_gather %line[%numbers] : !tile.shared<64xf16>, tensor<32xi32> -> tensor<32xf16>
  %counts = tile.alloc_shared : !tile.shared<64x8xi32>
  // CHECK: local_count %{{.*}}, %{{.*}} : tensor<32xi32>, !tile.shared<64x8xi32>
  tile.local_count %numbers, %counts : tensor<32xi32>, !tile.shared<64x8xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @several() attributes {block_programs = array<i32: 1, 8, 1>}
tile.kernel @several() attributes {block_programs = array<i32: 1, 8, 1>} {
  // CHECK: program_id 1
  %p = tile.program_id 1
  tile.return
}

// CHECK-LABEL: tile.kernel @blocks() attributes {persistent}
tile.kernel @blocks() attributes {persistent} {
  // CHECK: block_id
  // CHECK: num_blocks
  // CHECK: num_programs 1
  %b = tile.block_id
  %n = tile.num_blocks
  %p = tile.num_programs 1
  // CHECK: scf.for
  // CHECK: } {tile.programs}
  scf.for %i = %b to %p step %n {
  } {tile.programs}
  tile.return
}

#in_turns = #tile.register_layout<lane[4,8] register[1,4]>
#neighbours = #tile.register_layout<register[1,4] lane[4,8]>

// CHECK-LABEL: tile.kernel @sorted
tile.kernel @sorted(%x: i32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : i32 -> tensor<4x32xi32, #in_turns>
  // CHECK: any_order %{{.*}} : tensor<4x32xi32, #{{.*}}> -> tensor<4x32xi32, #{{.*}}>
  %u = tile.any_order %t : tensor<4x32xi32, #in_turns> -> tensor<4x32xi32, #neighbours>
  // CHECK: pair_min %{{.*}}, %{{.*}} : tensor<4x32xi32, #{{.*}}>
  %v = tile.pair_min %u, %u : tensor<4x32xi32, #neighbours>
  // CHECK: pair_max %{{.*}}, %{{.*}} : i32
  %r = tile.reduce %v axis 1 : tensor<4x32xi32, #neighbours> -> tensor<4xi32, #tile.register_layout<lane*8 lane[4]>> {
  ^bb0(%a: i32, %b: i32):
    %most = tile.pair_max %a, %b : i32
    tile.yield %most : i32
  }
  tile.return
}
