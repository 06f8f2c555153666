// Products and asynchronous copies: what is parsed is printed, and parses again.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#rows = #tile.register_layout<register[1,8] lane[16,2]>

// CHECK-LABEL: tile.kernel @dots
tile.kernel @dots(%f16: f16, %bf16: bf16, %f32: f32, %i8: i8, %i32: i32, %e4: f8E4M3FN, %e5: f8E5M2, %f64: f64) attributes {num_warps = 1 : i32} {
  %h = tile.splat %f16 : f16 -> tensor<16x16xf16>
  %bh = tile.splat %bf16 : bf16 -> tensor<16x16xbf16>
  %f = tile.splat %f32 : f32 -> tensor<16x16xf32>
  %sa = tile.splat %i8 : i8 -> tensor<16x32xi8>
  %sb = tile.splat %i8 : i8 -> tensor<32x64xi8>
  %sc = tile.splat %i32 : i32 -> tensor<16x64xi32>
  %e4a = tile.splat %e4 : f8E4M3FN -> tensor<16x32xf8E4M3FN>
  %e4b = tile.splat %e4 : f8E4M3FN -> tensor<32x16xf8E4M3FN>
  %e5a = tile.splat %e5 : f8E5M2 -> tensor<16x32xf8E5M2>
  %e5b = tile.splat %e5 : f8E5M2 -> tensor<32x16xf8E5M2>
  // CHECK: dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %0 = tile.dot %h, %h, %f : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  // CHECK: dot {{.*}} : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  %1 = tile.dot %bh, %bh, %0 : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  // CHECK: dot %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %ieee = tile.dot %f, %f, %1 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  // CHECK: dot %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} tf32 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %2 = tile.dot %f, %f, %ieee tf32 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  // CHECK: dot {{.*}} : tensor<16x32xi8>, tensor<32x64xi8>, tensor<16x64xi32>
  %3 = tile.dot %sa, %sb, %sc : tensor<16x32xi8>, tensor<32x64xi8>, tensor<16x64xi32>
  // CHECK: dot {{.*}} : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<16x16xf32>
  %4 = tile.dot %e4a, %e4b, %2 : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<16x16xf32>
  // CHECK: dot {{.*}} : tensor<16x32xf8E5M2>, tensor<32x16xf8E5M2>, tensor<16x16xf32>
  %5 = tile.dot %e5a, %e5b, %4 : tensor<16x32xf8E5M2>, tensor<32x16xf8E5M2>, tensor<16x16xf32>
  // CHECK: dot %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} imprecise 32 : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E5M2>, tensor<16x16xf32>
  %mixed = tile.dot %e4a, %e5b, %5 imprecise 32 : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E5M2>, tensor<16x16xf32>
  %hn = tile.splat %f16 : f16 -> tensor<16x8xf16>
  %sn = tile.splat %f32 : f32 -> tensor<16x8xf32>
  // CHECK: dot {{.*}} : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %eight = tile.dot %h, %hn, %sn : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %d = tile.splat %f64 : f64 -> tensor<16x16xf64>
  // CHECK: dot {{.*}} : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  %6 = tile.dot %d, %d, %d : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  tile.return
}

// CHECK-LABEL: tile.kernel @placed
tile.kernel @placed(%f16: f16, %f32: f32) attributes {num_stages = 8 : i32, num_warps = 1 : i32} {
  %ta = tile.splat %f16 : f16 -> tensor<16x16xf16, #a>
  %tb = tile.splat %f16 : f16 -> tensor<16x16xf16, #b>
  %tc = tile.splat %f32 : f32 -> tensor<16x16xf32, #acc>
  // CHECK: dot {{.*}} : tensor<16x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>, tensor<16x16xf32, #{{.*}}>
  %0 = tile.dot %ta, %tb, %tc : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
  tile.return
}

// CHECK-LABEL: tile.kernel @copies
tile.kernel @copies(%A: !tile.ptr<f16>, %M: index, %i: index, %inside: i1) attributes {num_warps = 1 : i32} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  // CHECK: copy_async %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {registers = #{{.*}}} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  tile.copy_async %v[%i, %i], %s {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  // CHECK: copy_async %{{.*}}[%{{.*}}, %{{.*}}] mask %{{.*}}, %{{.*}} {registers = #{{.*}}, vector_width = 2 : i64}
  tile.copy_async %v[%i, %i] mask %inside, %s {registers = #rows, vector_width = 2 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<16x16xf16>
  // CHECK: async_commit
  tile.async_commit
  // CHECK: async_wait 0
  tile.async_wait 0
  // CHECK: async_wait 63
  tile.async_wait 63
  // CHECK: local_load %{{.*}} {matrix} : !tile.shared<16x16xf16> -> tensor<16x16xf16, #{{.*}}>
  %t = tile.local_load %s {matrix} : !tile.shared<16x16xf16> -> tensor<16x16xf16, #a>
  tile.return
}

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
#rows128 = #tile.shared_layout<64x64, swizzle<3,3,3>>
#panel = #tile.shared_layout<64x32, swizzle<2,3,3>>

// CHECK-LABEL: tile.kernel @warpgroups
tile.kernel @warpgroups(%f32: f32, %i32: i32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %f32 : f32 -> tensor<64x32xf32>
  // CHECK: warpgroup_dot %{{.*}}, %{{.*}}, %{{.*}} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  %0 = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
  %bt = tile.alloc_shared : !tile.shared<32x64xf16>
  // CHECK: warpgroup_dot {{.*}} {a_transposed, b_transposed} : !tile.shared<64x64xf16>, !tile.shared<32x64xf16>, tensor<64x32xf32>
  %1 = tile.warpgroup_dot %a, %bt, %0 {a_transposed, b_transposed} : !tile.shared<64x64xf16>, !tile.shared<32x64xf16>, tensor<64x32xf32>
  %x = tile.alloc_shared : !tile.shared<64x32xi8>
  %y = tile.alloc_shared : !tile.shared<32x16xi8>
  %z = tile.splat %i32 : i32 -> tensor<64x16xi32>
  // CHECK: warpgroup_dot {{.*}} : !tile.shared<64x32xi8>, !tile.shared<32x16xi8>, tensor<64x16xi32>
  %2 = tile.warpgroup_dot %x, %y, %z : !tile.shared<64x32xi8>, !tile.shared<32x16xi8>, tensor<64x16xi32>
  %w = tile.splat %f32 : f32 -> tensor<64x64xf32>
  %h = arith.truncf %w : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: warpgroup_dot %{{.*}}, %{{.*}}, %{{.*}} {b_transposed} : tensor<64x64xf16>, !tile.shared<32x64xf16>, tensor<64x32xf32>
  %3 = tile.warpgroup_dot %h, %bt, %1 {b_transposed} : tensor<64x64xf16>, !tile.shared<32x64xf16>, tensor<64x32xf32>
  // CHECK: barrier {async_proxy}
  tile.barrier {async_proxy}
  tile.return
}

// CHECK-LABEL: tile.kernel @under_way
tile.kernel @under_way(%f32: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %c = tile.splat %f32 : f32 -> tensor<64x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x32xf32>) {
    // CHECK: warpgroup_dot {{.*}} {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    %d = tile.warpgroup_dot %a, %b, %s {async} : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    // CHECK: dot_wait 1{{$}}
    tile.dot_wait 1
    scf.yield %d : tensor<64x32xf32>
  }
  // CHECK: dot_wait 0, %{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64x32xf32>
  %u, %v = tile.dot_wait 0, %r, %c : tensor<64x32xf32>, tensor<64x32xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @placed_warpgroups
tile.kernel @placed_warpgroups(%f32: f32) {
  %a = tile.alloc_shared : !tile.shared<64x64xf16, #rows128>
  %b = tile.alloc_shared : !tile.shared<64x32xf16, #panel>
  %c = tile.splat %f32 : f32 -> tensor<64x32xf32, #sums>
  // CHECK: warpgroup_dot {{.*}} : !tile.shared<64x64xf16, #{{.*}}>, !tile.shared<64x32xf16, #{{.*}}>, tensor<64x32xf32, #{{.*}}>
  %0 = tile.warpgroup_dot %a, %b, %c : !tile.shared<64x64xf16, #rows128>, !tile.shared<64x32xf16, #panel>, tensor<64x32xf32, #sums>
  tile.return
}
