// Divisions by anything, and shifts by anything.

// RUN: tile-opt --convert-arith-to-nvvm %s | FileCheck %s

// CHECK-LABEL: func.func @divide
// CHECK: %[[SAFE:.*]] = llvm.inline_asm {{.*}}"max.u32 $0, $1, 1;"
// CHECK: arith.divui %{{.*}}, %[[SAFE]] : i32
func.func @divide(%a: i32, %b: i32) -> i32 {
  %r = arith.divui %a, %b : i32
  return %r : i32
}

// What 32 bits hold is at least 1 in 32 bits: LLVM then divides by it in 32.
// CHECK-LABEL: func.func @divide_by_few
// CHECK: %[[FEW:.*]] = arith.minui
// CHECK: %[[NARROW:.*]] = arith.index_castui %[[FEW]] : index to i32
// CHECK: %[[ONE:.*]] = llvm.inline_asm {{.*}}"max.u32 $0, $1, 1;", "=r,r" %[[NARROW]]
// CHECK: %[[SAFE:.*]] = arith.index_castui %[[ONE]] : i32 to index
// CHECK: arith.divui %{{.*}}, %[[SAFE]] : index
func.func @divide_by_few(%a: index, %b: index) -> index {
  %c4294967295 = arith.constant 4294967295 : index
  %few = arith.minui %b, %c4294967295 : index
  %r = arith.divui %a, %few : index
  return %r : index
}

// One more needs more, and nothing is known of an argument.
// CHECK-LABEL: func.func @divide_by_many
// CHECK-COUNT-2: "max.u64 $0, $1, 1;"
func.func @divide_by_many(%a: index, %b: index) -> (index, index) {
  %c4294967296 = arith.constant 4294967296 : index
  %many = arith.minui %b, %c4294967296 : index
  %r = arith.divui %a, %many : index
  %s = arith.divui %a, %b : index
  return %r, %s : index, index
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

// The number of a program, and what is left of it, is no least integer: a
// division by -1 is as any other.
// CHECK-LABEL: func.func @divide_number
// CHECK: %[[NUMBER:.*]] = arith.index_cast %
// CHECK-NOT: arith.select
// CHECK: %[[SAFE:.*]] = llvm.inline_asm {{.*}}"max.u32 $0, $1, 1;"
// CHECK: %[[REST:.*]] = arith.remsi %[[NUMBER]], %[[SAFE]] : i32
// CHECK-NOT: arith.select
// CHECK: arith.divsi %[[REST]]
// CHECK-NOT: arith.select
// CHECK: return
func.func @divide_number(%a: i32, %b: i32) -> i32 {
  %x = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
  %wide = arith.index_castui %x : i32 to index
  %number = arith.index_cast %wide : index to i32
  %rest = arith.remsi %number, %a : i32
  %r = arith.divsi %rest, %b : i32
  return %r : i32
}

// Without a range it may be anything, and so may its negative.
// CHECK-LABEL: func.func @divide_anything
// CHECK-COUNT-2: arith.cmpi eq
// CHECK: return
func.func @divide_anything(%a: i32, %b: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %x = nvvm.read.ptx.sreg.laneid : i32
  %some = arith.addi %a, %c1 : i32
  %r = arith.divsi %x, %b : i32
  %s = arith.divsi %some, %b : i32
  return %r, %s : i32, i32
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

// PTX takes amounts in 32 bits, and ptxas knows a number shifted by 64 bits for itself.
// CHECK-LABEL: func.func @shift_wide
// CHECK: %[[MOST:.*]] = arith.minui %{{.*}}, %c63
// CHECK: %[[BITS:.*]] = arith.trunci %[[MOST]] : i64 to i32
// CHECK: %[[S:.*]] = llvm.inline_asm {{.*}}"shl.b64 $0, $1, $2;", "=l,l,r" %{{.*}}, %[[BITS]]
// CHECK: %[[IN:.*]] = arith.cmpi ule, %{{.*}}, %c63
// CHECK: arith.select %[[IN]], %[[S]], %c0
func.func @shift_wide(%a: i64, %b: i64) -> i64 {
  %r = arith.shli %a, %b : i64
  return %r : i64
}

// By the number of a trip a number is found as if it had not been cut, where the bounds of the loop had no more bits.
// CHECK-LABEL: func.func @trips
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: llvm.getelementptr %{{.*}}[%[[WIDE]]]
// CHECK: %[[CUT:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: arith.extsi %[[CUT]] : i32 to i64
// CHECK: scf.for
// CHECK: %[[CUT:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: arith.extsi %[[CUT]] : i32 to i64
func.func private @use(i32, vector<4xf32>)
func.func @trips(%p: !llvm.ptr<1>, %n: i32, %m: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.index_cast %n : i32 to index
  %many = arith.index_cast %m : i64 to index
  scf.for %i = %c0 to %few step %c1 {
    %cut = arith.index_cast %i : index to i32
    %wide = arith.extsi %cut : i32 to i64
    %a = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %a : !llvm.ptr<1> -> i32
    %cut2 = arith.index_cast %i : index to i32
    %wide2 = arith.extsi %cut2 : i32 to i64
    %b = llvm.getelementptr %p[%wide2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %y = llvm.load %b : !llvm.ptr<1> -> vector<4xf32>
    func.call @use(%x, %y) : (i32, vector<4xf32>) -> ()
  }
  scf.for %i = %c0 to %many step %c1 {
    %cut = arith.index_cast %i : index to i32
    %wide = arith.extsi %cut : i32 to i64
    %a = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %a : !llvm.ptr<1> -> i32
    %y = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
    func.call @use(%x, %y) : (i32, vector<4xf32>) -> ()
  }
  return
}
