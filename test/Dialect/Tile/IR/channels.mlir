// Channels: what is parsed is printed, and parses again.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

#rows = #tile.register_layout<register[1,8] lane[8,4]>
#s = #tile.shared_layout<8x32>

// CHECK-LABEL: tile.kernel @two_tiles
tile.kernel @two_tiles(%A: !tile.ptr<f16>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = tile.view %A, shape [%c8, %c8], strides [%c8, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %a = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %b = tile.alloc_shared : !tile.shared<3x64xf32>
  // CHECK: %[[C:.*]] = channel %{{.*}}, %{{.*}} : !tile.shared<3x8x32xf16>, !tile.shared<3x64xf32> -> !tile.channel<3>
  %c = tile.channel %a, %b : !tile.shared<3x8x32xf16>, !tile.shared<3x64xf32> -> !tile.channel<3>
  // CHECK: %[[F:.*]]:2 = acquire %[[C]][%{{.*}}] : !tile.channel<3> -> !tile.shared<8x32xf16>, !tile.shared<64xf32>
  %fa, %fb = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>, !tile.shared<64xf32>
  // CHECK: copy_async %{{.*}}[%{{.*}}], %[[F]]#0
  tile.copy_async %v[%c0, %c0], %fa {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  // CHECK: commit %[[C]][%{{.*}}] : !tile.channel<3>
  tile.commit %c[%n] : !tile.channel<3>
  // CHECK: %[[R:.*]]:2 = wait %[[C]][%{{.*}}] : !tile.channel<3> -> !tile.shared<8x32xf16>, !tile.shared<64xf32>
  %ra, %rb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>, !tile.shared<64xf32>
  // CHECK: local_load %[[R]]#0
  // CHECK-NEXT: local_store %{{.*}}, %[[R]]#0
  %x = tile.local_load %ra : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.local_store %x, %ra : tensor<8x32xf16, #rows>, !tile.shared<8x32xf16>
  // CHECK: release %[[C]][%{{.*}}] : !tile.channel<3>
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// Layouts go along, the slot is filled by a store, read in a branch, and a count may be one constant or another.
// CHECK-LABEL: tile.kernel @layouts
tile.kernel @layouts(%t: f16, %flag: i1) attributes {num_warps = 1 : i32} {
  %a = tile.alloc_shared : !tile.shared<1x8x32xf16, #s>
  %zero = arith.constant 0 : i32
  %nought = arith.constant 0 : i32
  %x = tile.splat %t : f16 -> tensor<8x32xf16, #rows>
  // CHECK: channel %{{.*}} : !tile.shared<1x8x32xf16, #tile.shared_layout<8x32>> -> !tile.channel<1>
  %c = tile.channel %a : !tile.shared<1x8x32xf16, #s> -> !tile.channel<1>
  // CHECK: acquire %{{.*}} : !tile.channel<1> -> !tile.shared<8x32xf16, #tile.shared_layout<8x32>>
  %f = tile.acquire %c[%zero] : !tile.channel<1> -> !tile.shared<8x32xf16, #s>
  tile.local_store %x, %f : tensor<8x32xf16, #rows>, !tile.shared<8x32xf16, #s>
  tile.commit %c[%nought] : !tile.channel<1>
  %r = tile.wait %c[%zero] : !tile.channel<1> -> !tile.shared<8x32xf16, #s>
  // CHECK: scf.if
  scf.if %flag {
    // CHECK: local_load
    %y = tile.local_load %r : !tile.shared<8x32xf16, #s> -> tensor<8x32xf16, #rows>
  }
  tile.release %c[%nought] : !tile.channel<1>
  tile.return
}

// Before hand-over 0 there is nothing to release, however its number is written.
// CHECK-LABEL: tile.kernel @before_the_first
tile.kernel @before_the_first() {
  %a = tile.alloc_shared : !tile.shared<3x64xf16>
  %c = tile.channel %a : !tile.shared<3x64xf16> -> !tile.channel<3>
  %two = arith.constant 2 : i32
  %less = arith.constant -3 : i32
  %n = arith.addi %two, %less : i32
  // CHECK: release
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

// CHECK-LABEL: tile.kernel @most_stages
tile.kernel @most_stages() {
  %a = tile.alloc_shared : !tile.shared<8x64xf16>
  // CHECK: -> !tile.channel<8>
  %c = tile.channel %a : !tile.shared<8x64xf16> -> !tile.channel<8>
  tile.return
}
