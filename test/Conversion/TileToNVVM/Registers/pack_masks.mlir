// Masks of copies that a loop does not change, as bits.

// RUN: tile-opt --pack-masks --split-input-file %s | FileCheck %s

// Four rows and one step along K: a bit for each row in front of the loop, and one word of them in each iteration.
// CHECK-LABEL: func.func @rows
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %arg2, %arg3 : i32
// CHECK: arith.select %[[FIRST]], %{{.*}}, %{{.*}} : i32
// CHECK-COUNT-3: arith.ori
// CHECK: %[[ROWS:.*]] = llvm.inline_asm asm_dialect = att "mov.b32 $0, $1;", "=r,r"
// CHECK: scf.for
// CHECK: %[[STEP:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[WORD:.*]] = arith.select %[[STEP]], %[[ROWS]], %{{.*}} : i32
// CHECK: %[[BIT:.*]] = arith.andi %[[WORD]], %c1_i32{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ne, %[[BIT]], %{{.*}} : i32
// CHECK: %[[BYTES:.*]] = arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : i32
// CHECK: "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %{{.*}}, %{{.*}}, %[[BYTES]]
// CHECK: arith.andi %[[WORD]], %c2_i32
// CHECK: arith.andi %[[WORD]], %c4_i32
// CHECK: arith.andi %[[WORD]], %c8_i32
func.func @rows(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %row: i32, %height: i32, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i32
  %twelve = arith.constant 12 : i32
  scf.for %k = %c0 to %end step %c1 {
    %next = arith.addi %k, %c1 : index
    %step = arith.cmpi ult, %next, %end : index
    %in0 = arith.cmpi ult, %row, %height : i32
    %both0 = arith.andi %in0, %step : i1
    %n0 = arith.select %both0, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %row1 = arith.addi %row, %four : i32
    %in1 = arith.cmpi ult, %row1, %height : i32
    %both1 = arith.andi %step, %in1 : i1
    %n1 = arith.select %both1, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n1 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %row2 = arith.addi %row, %eight : i32
    %in2 = arith.cmpi ult, %row2, %height : i32
    %both2 = arith.andi %in2, %step : i1
    %n2 = arith.select %both2, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n2 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %row3 = arith.addi %row, %twelve : i32
    %in3 = arith.cmpi ult, %row3, %height : i32
    %both3 = arith.andi %in3, %step : i1
    %n3 = arith.select %both3, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n3 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
  }
  return
}

// -----

// What fits into predicates stays, and so do copies of 16 bytes.
// CHECK-LABEL: func.func @few
// CHECK-NOT: mov.b32
// CHECK: return
func.func @few(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %a: i1, %b: i1, %c: i1, %d: i1, %e: i1, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %sixteen = arith.constant 16 : i32
  scf.for %k = %c0 to %end step %c1 {
    %n0 = arith.select %a, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %n1 = arith.select %b, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n1 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %n2 = arith.select %c, %sixteen, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %to, %from, %n2 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %n3 = arith.select %d, %sixteen, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %to, %from, %n3 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %n4 = arith.select %e, %sixteen, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %to, %from, %n4 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
  }
  return
}

// -----

// Lanes meet the end along K one by one, among FMAs.
// CHECK-LABEL: func.func @lanes
// CHECK-NOT: mov.b32
// CHECK: return
func.func @lanes(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %a: i1, %b: i1, %c: i1, %d: i1, %end: i32, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %none = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%s = %x) -> (f32) {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %row = arith.index_cast %k : index to i32
    %step = arith.cmpi ult, %row, %thread : i32
    %both0 = arith.andi %a, %step : i1
    %n0 = arith.select %both0, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n0 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %both1 = arith.andi %b, %step : i1
    %n1 = arith.select %both1, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n1 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %both2 = arith.andi %c, %step : i1
    %n2 = arith.select %both2, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n2 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %both3 = arith.andi %d, %step : i1
    %n3 = arith.select %both3, %four, %none : i32
    llvm.inline_asm has_side_effects asm_dialect = att "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %to, %from, %n3 : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    %next = llvm.intr.fma(%x, %x, %s) : (f32, f32, f32) -> f32
    scf.yield %next : f32
  }
  return %sum : f32
}
