// The last products of an iteration, behind the first reads of the next one; the wait and the barrier at the end.

// RUN: tile-opt --read-across-barriers --split-input-file %s | FileCheck %s

// Eight products, one after the other along K. What the last one multiplies is carried, and in the first iteration it adds
// nothing: as left and right factor, a register has zeros of two signs.
// CHECK-LABEL: func.func @f64
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK-DAG: %[[LEFT:.*]] = arith.constant -0.000000e+00 : f64
// CHECK-DAG: %[[RIGHT:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: %[[LOOP:.*]]:5 = scf.for %{{.*}} = %c0 to %arg3 step %c1
// CHECK-SAME: iter_args(%[[S:.*]] = %arg4, %[[T:.*]] = %arg4, %[[SLOT:.*]] = %{{.*}}, %[[L:.*]] = %[[LEFT]], %[[R:.*]] = %[[RIGHT]])
// CHECK-NEXT: %[[P:.*]] = llvm.getelementptr %arg0[%[[SLOT]]]
// CHECK-NEXT: %[[A:.*]] = llvm.load %[[P]]
// CHECK-NEXT: llvm.inline_asm {{.*}}cp.async.ca
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: %[[B:.*]] = llvm.load
// CHECK-NEXT: %[[D:.*]] = llvm.call_intrinsic {{.*}}(%[[L]], %[[R]], %[[S]], %[[T]])
// CHECK-DAG: %[[D0:.*]] = llvm.extractvalue %[[D]][0]
// CHECK-DAG: %[[D1:.*]] = llvm.extractvalue %[[D]][1]
// CHECK: %[[E:.*]] = llvm.call_intrinsic {{.*}}(%[[A]], %[[A]], %[[D0]], %[[D1]])
// CHECK-COUNT-6: (%[[B]], %[[B]],
// CHECK-DAG: %[[E0:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK-DAG: %[[E1:.*]] = llvm.extractvalue %{{.*}}[1]
// CHECK: %[[NEXTSLOT:.*]] = arith.xori %[[SLOT]]
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: scf.yield %[[E0]], %[[E1]], %[[NEXTSLOT]], %[[B]], %[[B]]
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0, %arg3 : index
// CHECK-NEXT: %[[ENDS:.*]]:2 = scf.if %[[RUNS]] -> (f64, f64) {
// CHECK-NEXT: %[[F:.*]] = llvm.call_intrinsic {{.*}}(%[[LOOP]]#3, %[[LOOP]]#4, %[[LOOP]]#0, %[[LOOP]]#1)
// CHECK-DAG: %[[F0:.*]] = llvm.extractvalue %[[F]][0]
// CHECK-DAG: %[[F1:.*]] = llvm.extractvalue %[[F]][1]
// CHECK: scf.yield %[[F0]], %[[F1]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[LOOP]]#0, %[[LOOP]]#1
// CHECK: return %[[ENDS]]#0, %[[ENDS]]#1, %[[LOOP]]#2
func.func @f64(%p: !llvm.ptr<3>, %to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %end: index, %zero: f64) -> (f64, f64, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum:3 = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero, %t = %zero, %slot = %first) -> (f64, f64, i32) {
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8;", "r,l,~{memory}" %to, %from : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
    nvvm.cp.async.commit.group
    %q = llvm.getelementptr %p[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f64
    %a = llvm.load %q : !llvm.ptr<3> -> f64
    %r = llvm.getelementptr %q[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.load %r : !llvm.ptr<3> -> f64
    %d0 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %t) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e0 = llvm.extractvalue %d0[0] : !llvm.struct<(f64, f64)>
    %e0_1 = llvm.extractvalue %d0[1] : !llvm.struct<(f64, f64)>
    %d1 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e0, %e0_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e1 = llvm.extractvalue %d1[0] : !llvm.struct<(f64, f64)>
    %e1_1 = llvm.extractvalue %d1[1] : !llvm.struct<(f64, f64)>
    %d2 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e1, %e1_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e2 = llvm.extractvalue %d2[0] : !llvm.struct<(f64, f64)>
    %e2_1 = llvm.extractvalue %d2[1] : !llvm.struct<(f64, f64)>
    %d3 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e2, %e2_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e3 = llvm.extractvalue %d3[0] : !llvm.struct<(f64, f64)>
    %e3_1 = llvm.extractvalue %d3[1] : !llvm.struct<(f64, f64)>
    %d4 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e3, %e3_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e4 = llvm.extractvalue %d4[0] : !llvm.struct<(f64, f64)>
    %e4_1 = llvm.extractvalue %d4[1] : !llvm.struct<(f64, f64)>
    %d5 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e4, %e4_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e5 = llvm.extractvalue %d5[0] : !llvm.struct<(f64, f64)>
    %e5_1 = llvm.extractvalue %d5[1] : !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e5, %e5_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e6 = llvm.extractvalue %d6[0] : !llvm.struct<(f64, f64)>
    %e6_1 = llvm.extractvalue %d6[1] : !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e6, %e6_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e7 = llvm.extractvalue %d7[0] : !llvm.struct<(f64, f64)>
    %e7_1 = llvm.extractvalue %d7[1] : !llvm.struct<(f64, f64)>
    %next = arith.xori %slot, %one : i32
    scf.yield %e7, %e7_1, %next : f64, f64, i32
  }
  return %sum#0, %sum#1, %sum#2 : f64, f64, i32
}

// -----

// The sum of an iteration is used in it, beside the sum that goes on.
// CHECK-LABEL: func.func @used_at_once
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK: return
func.func @used_at_once(%p: !llvm.ptr<3>, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum:2 = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero, %t = %zero) -> (f64, f64) {
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %a = llvm.load %p : !llvm.ptr<3> -> f64
    %d0 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e0 = llvm.extractvalue %d0[0] : !llvm.struct<(f64, f64)>
    %e0_1 = llvm.extractvalue %d0[1] : !llvm.struct<(f64, f64)>
    %d1 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e0, %e0_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e1 = llvm.extractvalue %d1[0] : !llvm.struct<(f64, f64)>
    %e1_1 = llvm.extractvalue %d1[1] : !llvm.struct<(f64, f64)>
    %d2 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e1, %e1_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e2 = llvm.extractvalue %d2[0] : !llvm.struct<(f64, f64)>
    %e2_1 = llvm.extractvalue %d2[1] : !llvm.struct<(f64, f64)>
    %d3 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e2, %e2_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e3 = llvm.extractvalue %d3[0] : !llvm.struct<(f64, f64)>
    %e3_1 = llvm.extractvalue %d3[1] : !llvm.struct<(f64, f64)>
    %d4 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e3, %e3_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e4 = llvm.extractvalue %d4[0] : !llvm.struct<(f64, f64)>
    %e4_1 = llvm.extractvalue %d4[1] : !llvm.struct<(f64, f64)>
    %d5 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e4, %e4_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e5 = llvm.extractvalue %d5[0] : !llvm.struct<(f64, f64)>
    %e5_1 = llvm.extractvalue %d5[1] : !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e5, %e5_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e6 = llvm.extractvalue %d6[0] : !llvm.struct<(f64, f64)>
    %e6_1 = llvm.extractvalue %d6[1] : !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e6, %e6_1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e7 = llvm.extractvalue %d7[0] : !llvm.struct<(f64, f64)>
    %e7_1 = llvm.extractvalue %d7[1] : !llvm.struct<(f64, f64)>
    %u = arith.addf %e7, %e7_1 : f64
    scf.yield %e7, %u : f64, f64
  }
  return %sum#1 : f64
}

// -----

// One step: its products need what is read.
// CHECK-LABEL: func.func @one_step
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK: return
func.func @one_step(%p: !llvm.ptr<3>, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f64) {
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %a = llvm.load %p : !llvm.ptr<3> -> f64
    %d0 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e0 = llvm.extractvalue %d0[0] : !llvm.struct<(f64, f64)>
    %d1 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d2 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d3 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d4 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d5 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    scf.yield %e0 : f64
  }
  return %sum : f64
}

// -----

// A store must stay behind the barrier that it stands behind.
// CHECK-LABEL: func.func @store
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK: return
func.func @store(%p: !llvm.ptr<3>, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f64) {
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %a = llvm.load %p : !llvm.ptr<3> -> f64
    llvm.store %s, %p : f64, !llvm.ptr<3>
    %d0 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e0 = llvm.extractvalue %d0[0] : !llvm.struct<(f64, f64)>
    %d1 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e0, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e1 = llvm.extractvalue %d1[0] : !llvm.struct<(f64, f64)>
    %d2 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e1, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e2 = llvm.extractvalue %d2[0] : !llvm.struct<(f64, f64)>
    %d3 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e2, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e3 = llvm.extractvalue %d3[0] : !llvm.struct<(f64, f64)>
    %d4 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e3, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e4 = llvm.extractvalue %d4[0] : !llvm.struct<(f64, f64)>
    %d5 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e4, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e5 = llvm.extractvalue %d5[0] : !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e5, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e6 = llvm.extractvalue %d6[0] : !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %e6, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e7 = llvm.extractvalue %d7[0] : !llvm.struct<(f64, f64)>
    scf.yield %e7 : f64
  }
  return %sum : f64
}
