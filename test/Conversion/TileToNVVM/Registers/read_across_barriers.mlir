// The wait, the barrier and the first reads of an iteration, in front of the last products of the one before.

// RUN: tile-opt --read-across-barriers --split-input-file %s | FileCheck %s

// Eight products in two steps along K. What the first four read is carried; the slot of the next iteration is read, if there
// is one.
// CHECK-LABEL: func.func @f64
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0, %arg3 : index
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: %[[START:.*]] = scf.if %[[RUNS]] -> (f64) {
// CHECK-NEXT: %[[P:.*]] = llvm.getelementptr %arg0[%{{.*}}]
// CHECK-NEXT: %[[READ:.*]] = llvm.load %[[P]]
// CHECK-NEXT: scf.yield %[[READ]] : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.undef : f64
// CHECK-NEXT: scf.yield %[[NONE]] : f64
// CHECK: scf.for %[[K:.*]] = %c0 to %arg3 step %c1 iter_args(%[[S:.*]] = %arg4, %[[SLOT:.*]] = %{{.*}}, %[[A:.*]] = %[[START]]) -> (f64, i32, f64)
// CHECK-NOT: nvvm.barrier0
// CHECK: cp.async.ca
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: %[[B:.*]] = llvm.load
// CHECK-COUNT-4: mma.m8n8k4.row.col.f64"(%[[A]], %[[A]],
// CHECK: %[[NEXTSLOT:.*]] = arith.xori %[[SLOT]]
// CHECK: %[[NEXTK:.*]] = arith.addi %[[K]], %c1 : index
// CHECK-NEXT: %[[GOESON:.*]] = arith.cmpi slt, %[[NEXTK]], %arg3 : index
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: %[[NEXT:.*]] = scf.if %[[GOESON]] -> (f64) {
// CHECK-NEXT: %[[Q:.*]] = llvm.getelementptr %arg0[%[[NEXTSLOT]]]
// CHECK-NEXT: %[[READNEXT:.*]] = llvm.load %[[Q]]
// CHECK-NEXT: scf.yield %[[READNEXT]] : f64
// CHECK-COUNT-4: mma.m8n8k4.row.col.f64"(%[[B]], %[[B]],
// CHECK: scf.yield %{{.*}}, %[[NEXTSLOT]], %[[NEXT]] : f64, i32, f64
func.func @f64(%p: !llvm.ptr<3>, %to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum:2 = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero, %slot = %first) -> (f64, i32) {
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to, %from, %one : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    nvvm.cp.async.commit.group
    %q = llvm.getelementptr %p[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f64
    %a = llvm.load %q : !llvm.ptr<3> -> f64
    %r = llvm.getelementptr %q[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.load %r : !llvm.ptr<3> -> f64
    %d0 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e0 = llvm.extractvalue %d0[0] : !llvm.struct<(f64, f64)>
    %d1 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e1 = llvm.extractvalue %d1[0] : !llvm.struct<(f64, f64)>
    %d2 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e2 = llvm.extractvalue %d2[0] : !llvm.struct<(f64, f64)>
    %d3 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e3 = llvm.extractvalue %d3[0] : !llvm.struct<(f64, f64)>
    %d4 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e0, %e0) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e4 = llvm.extractvalue %d4[0] : !llvm.struct<(f64, f64)>
    %d5 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e1, %e1) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e2, %e2) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e3, %e3) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %next = arith.xori %slot, %one : i32
    scf.yield %e4, %next : f64, i32
  }
  return %sum#0 : f64
}

// -----

// One step: its products need what is read.
// CHECK-LABEL: func.func @one_step
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NOT: scf.if
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
// CHECK-NOT: scf.if
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
