// Copies among products of a loop's body, which stood in front of them.

// RUN: tile-opt --spread-copies %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_80 --spread-copies %s | FileCheck %s --check-prefix=NUMBER

// Eight products in two steps along K. The reads of both stand first, since one step is read while the one before it is
// multiplied. Eight copies start together, and the ninth and the end of their group among the products. What a copy is
// computed from stands in front of it; where it writes zeros, it is told by a predicate.
// CHECK-LABEL: func.func @f64
// CHECK: scf.for
// CHECK-NEXT: nvvm.barrier0
// CHECK: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f64
// CHECK: %[[B:.*]] = llvm.load
// CHECK: %[[OUTSIDE:.*]] = arith.xori %{{.*}}, %{{.*}} : i1
// CHECK-NEXT: "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,b,~{memory}" %{{.*}}, %{{.*}}, %[[OUTSIDE]]
// CHECK-COUNT-7: cp.async.c
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A]], %[[A]],
// CHECK-COUNT-6: mma.m8n8k4
// CHECK: "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,b,~{memory}"
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-COUNT-1: mma.m8n8k4
// CHECK-NOT: mma.m8n8k4
// CHECK: scf.yield
// Before PTX 7.5 it takes a number, which is chosen of two constants: ptxas makes the predicate of it again.
// NUMBER-LABEL: func.func @f64
// NUMBER: %[[OUTSIDE:.*]] = arith.xori %{{.*}}, %{{.*}} : i1
// NUMBER-NEXT: %[[BYTES:.*]] = llvm.inline_asm asm_dialect = att "selp.b32 $0, 0, 8, $1;", "=r,b" %[[OUTSIDE]]
// NUMBER-NEXT: "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %{{.*}}, %{{.*}}, %[[BYTES]]
// NUMBER: "selp.b32 $0, 0, 16, $1;"
func.func @f64(%p: !llvm.ptr<3>, %to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %inside: i1, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %sixteen = arith.constant 16 : i32
  %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f64) {
    nvvm.barrier0
    %n0 = arith.select %inside, %eight, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to1 = llvm.getelementptr %to[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to1, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to2 = llvm.getelementptr %to[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to2, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to3 = llvm.getelementptr %to[192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to3, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to4 = llvm.getelementptr %to[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to4, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to5 = llvm.getelementptr %to[320] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to5, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to6 = llvm.getelementptr %to[384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to6, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to7 = llvm.getelementptr %to[448] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to7, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to8 = llvm.getelementptr %to[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %n1 = arith.select %inside, %sixteen, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %to8, %from, %n1 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    nvvm.cp.async.commit.group
    %a = llvm.load %p : !llvm.ptr<3> -> f64
    %q = llvm.getelementptr %p[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.load %q : !llvm.ptr<3> -> f64
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
    %e5 = llvm.extractvalue %d5[0] : !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e2, %e2) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e6 = llvm.extractvalue %d6[0] : !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e3, %e3) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e7 = llvm.extractvalue %d7[0] : !llvm.struct<(f64, f64)>
    %x = llvm.fadd %e4, %e5 : f64
    %y = llvm.fadd %e6, %e7 : f64
    %z = llvm.fadd %x, %y : f64
    scf.yield %z : f64
  }
  return %sum : f64
}

// A store between copies and products keeps its place, and so does all else.
// CHECK-LABEL: func.func @stays
// CHECK: nvvm.barrier0
// CHECK: cp.async.ca
// CHECK: cp.async.ca
// CHECK: nvvm.cp.async.commit.group
// CHECK: llvm.store
// CHECK: mma.m8n8k4
func.func @stays(%p: !llvm.ptr<3>, %to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %inside: i1, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f64) {
    nvvm.barrier0
    %n0 = arith.select %inside, %eight, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to1 = llvm.getelementptr %to[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to1, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to2 = llvm.getelementptr %to[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to2, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to3 = llvm.getelementptr %to[192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to3, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to4 = llvm.getelementptr %to[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to4, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    nvvm.cp.async.commit.group
    %a = llvm.load %p : !llvm.ptr<3> -> f64
    llvm.store %a, %p : f64, !llvm.ptr<3>
    %q = llvm.getelementptr %p[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.load %q : !llvm.ptr<3> -> f64
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
    %e5 = llvm.extractvalue %d5[0] : !llvm.struct<(f64, f64)>
    %d6 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e2, %e2) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e6 = llvm.extractvalue %d6[0] : !llvm.struct<(f64, f64)>
    %d7 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%b, %b, %e3, %e3) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e7 = llvm.extractvalue %d7[0] : !llvm.struct<(f64, f64)>
    %x = llvm.fadd %e4, %e5 : f64
    %y = llvm.fadd %e6, %e7 : f64
    %z = llvm.fadd %x, %y : f64
    scf.yield %z : f64
  }
  return %sum : f64
}

// Few products leave nothing to hide copies behind.
// CHECK-LABEL: func.func @few
// CHECK: nvvm.barrier0
// CHECK: cp.async.ca
// CHECK: cp.async.ca
// CHECK: nvvm.cp.async.commit.group
// CHECK: mma.m8n8k4
func.func @few(%p: !llvm.ptr<3>, %to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %inside: i1, %end: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f64) {
    nvvm.barrier0
    %n0 = arith.select %inside, %eight, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to1 = llvm.getelementptr %to[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to1, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to2 = llvm.getelementptr %to[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to2, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to3 = llvm.getelementptr %to[192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to3, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %to4 = llvm.getelementptr %to[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %to4, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    nvvm.cp.async.commit.group
    %a = llvm.load %p : !llvm.ptr<3> -> f64
    %q = llvm.getelementptr %p[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.load %q : !llvm.ptr<3> -> f64
    %d0 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e0 = llvm.extractvalue %d0[0] : !llvm.struct<(f64, f64)>
    %d1 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e1 = llvm.extractvalue %d1[0] : !llvm.struct<(f64, f64)>
    %d2 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e2 = llvm.extractvalue %d2[0] : !llvm.struct<(f64, f64)>
    %d3 = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%a, %a, %s, %s) : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %e3 = llvm.extractvalue %d3[0] : !llvm.struct<(f64, f64)>
    %x = llvm.fadd %e0, %e1 : f64
    scf.yield %x : f64
  }
  return %sum : f64
}
