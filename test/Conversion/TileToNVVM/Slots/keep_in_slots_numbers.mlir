// Single words that are known of a row come with it, to slots in shared memory.
//
// RUN: tile-opt --keep-in-slots --split-input-file %s | FileCheck %s

// Those that are the same for all threads each warp copies once, to the slot of its first thread.
module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @numbers
// CHECK-SAME: tilewright.slot_bytes = 32768 : i64
// CHECK: %[[WARP:.*]] = arith.andi %{{.*}}, %c-32_i32
// CHECK: %[[NUMBERS:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<3>, i32)
// CHECK: "@$0 st.shared.v2.b32 [$1], {$2, $3};", {{.*}} %{{.*}}, %[[NUMBERS]],
// CHECK: scf.for {{.*}} iter_args(%[[TURN:.*]] = %{{.*}}) -> (i32)
// CHECK: cp.async.cg.shared.global
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[NEXT:.*]] = llvm.getelementptr inbounds %[[NUMBERS]]
// CHECK: %[[BEHIND:.*]] = llvm.getelementptr inbounds %[[NEXT]][4]
// CHECK: "@$3 cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,b,~{memory}" %[[NEXT]], %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK: "@$3 cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,b,~{memory}" %[[BEHIND]], %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[THIS:.*]] = llvm.getelementptr inbounds %[[NUMBERS]][%[[TURN]]]
// CHECK: llvm.load %[[THIS]] {{.*}} -> vector<2xi32>
// CHECK: scf.yield
// CHECK: nvvm.bar.warp.sync
// Others each thread copies for itself.
// CHECK-LABEL: llvm.func @of_threads
// CHECK-SAME: tilewright.slot_bytes = 32768 : i64
// CHECK: scf.for
// CHECK-NOT: bar.warp.sync
// CHECK-COUNT-2: "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}"
// CHECK-NOT: bar.warp.sync
// CHECK: scf.yield
// Nor are words the same whose address the loop carries on from the thread's.
// CHECK-LABEL: llvm.func @moving
// CHECK: scf.for
// CHECK-NOT: bar.warp.sync
// CHECK-COUNT-2: "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}"
// CHECK-NOT: bar.warp.sync
// CHECK: scf.yield
llvm.func @numbers(%m: i64, %row: !llvm.ptr<1>, %means: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero, %mean = %zero, %rstd = %zero) -> (i32, i32, i32, i32, i32, i32) {
    %x = llvm.load %row {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %at = llvm.getelementptr %means[%m] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %behind = llvm.getelementptr %at[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %mean1 = llvm.load %at {tilewright.read_only} : !llvm.ptr<1> -> i32
    %rstd1 = llvm.load %behind {tilewright.read_only} : !llvm.ptr<1> -> i32
    %ab = arith.addi %mean, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t0 = arith.addi %more, %rstd : i32
    %t = arith.addi %t0, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1, %mean1, %rstd1 : i32, i32, i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @of_threads(%m: i64, %row: !llvm.ptr<1>, %means: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero, %mean = %zero, %rstd = %zero) -> (i32, i32, i32, i32, i32, i32) {
    %x = llvm.load %row {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %means[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %behind = llvm.getelementptr %at[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %mean1 = llvm.load %at {tilewright.read_only} : !llvm.ptr<1> -> i32
    %rstd1 = llvm.load %behind {tilewright.read_only} : !llvm.ptr<1> -> i32
    %ab = arith.addi %mean, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t0 = arith.addi %more, %rstd : i32
    %t = arith.addi %t0, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1, %mean1, %rstd1 : i32, i32, i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @moving(%m: i64, %row: !llvm.ptr<1>, %means: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %step = arith.constant 128 : i32
  %r:7 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero, %mean = %zero, %rstd = %zero, %from = %thread) -> (i32, i32, i32, i32, i32, i32, i32) {
    %x = llvm.load %row {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %next = arith.addi %from, %step : i32
    %at = llvm.getelementptr %means[%next] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %behind = llvm.getelementptr %at[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %mean1 = llvm.load %at {tilewright.read_only} : !llvm.ptr<1> -> i32
    %rstd1 = llvm.load %behind {tilewright.read_only} : !llvm.ptr<1> -> i32
    %ab = arith.addi %mean, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t0 = arith.addi %more, %rstd : i32
    %t = arith.addi %t0, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1, %mean1, %rstd1, %next : i32, i32, i32, i32, i32, i32, i32
  }
  llvm.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {

// A number that is loaded for the next iteration is no sum: the loop carries it, and what follows leaves.
// CHECK-LABEL: llvm.func @number_before_sums
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
// CHECK: %[[NEXT:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: scf.yield %[[NEXT]], %{{.*}} : f32, f32
llvm.func @number_before_sums(%m: i64, %row: !llvm.ptr<1>, %mean: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%number = %zero, %a = %zero, %b = %zero, %c = %zero, %d = %zero, %before = %zero) -> (f32, f32, f32, f32, f32, f32) {
    %next = llvm.load %mean : !llvm.ptr<1> -> f32
    %x = llvm.load %row : !llvm.ptr<1> -> vector<4xf32>
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %x0 = llvm.extractelement %x[%i0 : i32] : vector<4xf32>
    %x1 = llvm.extractelement %x[%i1 : i32] : vector<4xf32>
    %x2 = llvm.extractelement %x[%i2 : i32] : vector<4xf32>
    %x3 = llvm.extractelement %x[%i3 : i32] : vector<4xf32>
    %s = nvvm.shfl.sync bfly %all, %x0, %one, %clamp : f32 -> f32
    %y = arith.subf %s, %number : f32
    %a1 = arith.addf %a, %x0 : f32
    %b1 = arith.addf %b, %x1 : f32
    %c2 = arith.addf %c, %x2 : f32
    %d1 = arith.addf %d, %x3 : f32
    %e = arith.addf %before, %y : f32
    %f = arith.mulf %e, %before : f32
    scf.yield %next, %a1, %b1, %c2, %d1, %f : f32, f32, f32, f32, f32, f32
  }
  %ab = arith.addf %r#1, %r#2 : f32
  %cd = arith.addf %r#3, %r#4 : f32
  %abcd = arith.addf %ab, %cd : f32
  %sum = arith.addf %abcd, %r#5 : f32
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.return
}
}
