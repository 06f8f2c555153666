// Divisions by anything, and shifts by anything.

// RUN: tile-opt --convert-arith-to-nvvm %s | FileCheck %s

// CHECK-LABEL: func.func @divide
// CHECK: %[[SAFE:.*]] = llvm.inline_asm {{.*}}"max.u32 $0, $1, 1;"
// CHECK: arith.divui %{{.*}}, %[[SAFE]] : i32
func.func @divide(%a: i32, %b: i32) -> i32 {
  %r = arith.divui %a, %b : i32
  return %r : i32
}

// Quotient and remainder by one division, which ptxas makes.
// CHECK-LABEL: func.func @remainder
// CHECK: %[[SAFE:.*]] = llvm.inline_asm {{.*}}"max.u32 $0, $1, 1;"
// CHECK: llvm.inline_asm {{.*}}"rem.u32 $0, $1, $2;", "=r,r,r" %{{.*}}, %[[SAFE]]
// CHECK: llvm.inline_asm {{.*}}"rem.s32 $0, $1, $2;"
func.func @remainder(%a: i32, %b: i32) -> (i32, i32) {
  %r = arith.remui %a, %b : i32
  %s = arith.remsi %a, %b : i32
  return %r, %s : i32, i32
}

// Of what 32 bits hold: in 32 bits, by no more than those hold.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME: %[[D:.*]]: index
// CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[P:.*]] = arith.index_castui %[[X]] : i32 to index
// CHECK: %[[MOST:.*]] = arith.constant 4294967295 : index
// CHECK: %[[LEAST:.*]] = arith.minui %[[D]], %[[MOST]] : index
// CHECK: %[[LOW:.*]] = arith.index_castui %[[P]] : index to i32
// CHECK: %[[BY:.*]] = arith.index_castui %[[LEAST]] : index to i32
// CHECK: %[[SAFE:.*]] = llvm.inline_asm {{.*}}"max.u32 $0, $1, 1;", "=r,r" %[[BY]]
// CHECK: %[[Q:.*]] = arith.divui %[[LOW]], %[[SAFE]] : i32
// CHECK: arith.index_castui %[[Q]] : i32 to index
// CHECK: "rem.u32
// CHECK: "rem.u32
// CHECK: arith.divui %{{.*}} : i32
// CHECK: return
func.func @narrow(%d: index) -> (index, index, index) {
  %x = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
  %p = arith.index_castui %x : i32 to index
  %q = arith.divui %p, %d : index
  // Neither is more than the dividend was.
  %r = arith.remui %q, %d : index
  %s = arith.ceildivui %r, %d : index
  return %q, %r, %s : index, index, index
}

// There is no divisor for the largest number of 32 bits.
// CHECK-LABEL: func.func @too_wide
// CHECK: "max.u64 $0, $1, 1;"
// CHECK: arith.divui %{{.*}} : i64
func.func @too_wide(%a: i32, %b: i64) -> i64 {
  %x = arith.extui %a : i32 to i64
  %r = arith.divui %x, %b : i64
  return %r : i64
}

// CHECK-LABEL: func.func @never_zero
// CHECK-NOT: inline_asm
// CHECK: arith.divui
func.func @never_zero(%a: i64, %b: i64) -> i64 {
  %c3 = arith.constant 3 : i64
  %x = arith.ori %b, %c3 : i64
  %r = arith.divui %a, %x : i64
  return %r : i64
}

// It may be -1.
// CHECK-LABEL: func.func @never_zero_signed
// CHECK: select
// CHECK: arith.divsi
func.func @never_zero_signed(%a: i64, %b: i64) -> i64 {
  %c3 = arith.constant 3 : i64
  %x = arith.ori %b, %c3 : i64
  %r = arith.divsi %a, %x : i64
  return %r : i64
}

// CHECK-LABEL: func.func @divide_signed
// CHECK: %[[ONE:.*]] = arith.maxui %[[B:.*]], %{{.*}} : i16
// CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i16
// CHECK: %[[SAFE:.*]] = arith.select %[[MINUS]], %{{.*}}, %[[ONE]] : i16
// CHECK: %[[Q:.*]] = arith.divsi %{{.*}}, %[[SAFE]] : i16
// CHECK: %[[NEGATED:.*]] = arith.subi
// CHECK: arith.select %[[MINUS]], %[[NEGATED]], %[[Q]] : i16
func.func @divide_signed(%a: i16, %b: i16) -> i16 {
  %r = arith.divsi %a, %b : i16
  return %r : i16
}

// By a constant that does no harm, as it is.
// CHECK-LABEL: func.func @by_constant
// CHECK-NOT: inline_asm
// CHECK: arith.remsi
// CHECK-NOT: select
func.func @by_constant(%a: i32) -> i32 {
  %c = arith.constant 7 : i32
  %r = arith.remsi %a, %c : i32
  return %r : i32
}

// CHECK-LABEL: func.func @one_bit
// CHECK-SAME: (%[[A:.*]]: i1, %{{.*}}: i1)
// CHECK: return %[[A]]
func.func @one_bit(%a: i1, %b: i1) -> i1 {
  %r = arith.divsi %a, %b : i1
  return %r : i1
}

// CHECK-LABEL: func.func @round_up
// CHECK-NOT: ceildiv
// CHECK-NOT: floordiv
// CHECK: return
func.func @round_up(%a: index, %b: index) -> (index, index, index) {
  %r = arith.ceildivui %a, %b : index
  %s = arith.ceildivsi %a, %b : index
  %t = arith.floordivsi %a, %b : index
  return %r, %s, %t : index, index, index
}

// CHECK-LABEL: func.func @shift
// CHECK: %[[S:.*]] = arith.shli
// CHECK: %[[IN:.*]] = arith.cmpi ule
// CHECK: arith.select %[[IN]], %[[S]]
// CHECK: %[[MOST:.*]] = arith.minui
// CHECK: arith.shrsi %{{.*}}, %[[MOST]] : i32
func.func @shift(%a: i32, %b: i32) -> (i32, i32) {
  %r = arith.shli %a, %b : i32
  %s = arith.shrsi %a, %b : i32
  return %r, %s : i32, i32
}

// PTX takes amounts in 32 bits.
// CHECK-LABEL: func.func @shift_wide
// CHECK: %[[MOST:.*]] = arith.minui
// CHECK: %[[BITS:.*]] = arith.trunci %[[MOST]] : i64 to i32
// CHECK: llvm.inline_asm {{.*}}"shl.b64 $0, $1, $2;", "=l,l,r" %{{.*}}, %[[BITS]]
func.func @shift_wide(%a: i64, %b: i64) -> i64 {
  %r = arith.shli %a, %b : i64
  return %r : i64
}
