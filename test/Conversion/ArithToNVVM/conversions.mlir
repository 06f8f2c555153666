// Integers and floats by instructions that round once and saturate.

// RUN: tile-opt --convert-arith-to-nvvm %s | FileCheck %s

// What f32 holds needs no care.
// CHECK-LABEL: func.func @i8_to_bf16
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: %[[F:.*]] = llvm.inline_asm {{.*}}"cvt.rn.f32.s32 $0, $1;", "=f,r" %[[WIDE]]
// CHECK-NEXT: arith.truncf %[[F]] : f32 to bf16
func.func @i8_to_bf16(%x: i8) -> bf16 {
  %y = arith.sitofp %x : i8 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @i1_is_minus_one
// CHECK: arith.extsi %{{.*}} : i1 to i32
func.func @i1_is_minus_one(%x: i1) -> f32 {
  %y = arith.sitofp %x : i1 to f32
  return %y : f32
}

// CHECK-LABEL: func.func @u64_to_bf16
// CHECK: %[[CUT:.*]] = llvm.inline_asm {{.*}}"cvt.rz.f32.u64 $0, $1;", "=f,l" %[[X:.*]] :
// CHECK: %[[BACK:.*]] = llvm.inline_asm {{.*}}"cvt.rzi.u64.f32 $0, $1;", "=l,f" %[[CUT]]
// CHECK: %[[LOST:.*]] = arith.cmpi ne, %[[BACK]], %[[X]] : i64
// CHECK: %[[BITS:.*]] = arith.bitcast %[[CUT]] : f32 to i32
// CHECK: %[[BIT:.*]] = arith.extui %[[LOST]] : i1 to i32
// CHECK: %[[ODD:.*]] = arith.ori %[[BITS]], %[[BIT]] : i32
// CHECK: %[[F:.*]] = arith.bitcast %[[ODD]] : i32 to f32
// CHECK: arith.truncf %[[F]] : f32 to bf16
func.func @u64_to_bf16(%x: i64) -> bf16 {
  %y = arith.uitofp %x : i64 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @i32_to_f64
// CHECK: llvm.inline_asm {{.*}}"cvt.rn.f64.s32 $0, $1;", "=d,r"
func.func @i32_to_f64(%x: i32) -> f64 {
  %y = arith.sitofp %x : i32 to f64
  return %y : f64
}

// A NaN is 0 by itself only from f32 to 32 bits.
// CHECK-LABEL: func.func @f16_to_u8
// CHECK: %[[I:.*]] = llvm.inline_asm {{.*}}"cvt.rzi.u32.f32 $0, $1;", "=r,f"
// CHECK-NOT: cmpf
// CHECK: %[[MIN:.*]] = arith.minui %[[I]], %{{.*}} : i32
// CHECK: arith.trunci %[[MIN]] : i32 to i8
func.func @f16_to_u8(%x: f16) -> i8 {
  %y = arith.fptoui %x : f16 to i8
  return %y : i8
}

// CHECK-LABEL: func.func @f64_to_i16
// CHECK: %[[I:.*]] = llvm.inline_asm {{.*}}"cvt.rzi.s32.f64 $0, $1;", "=r,d" %[[X:.*]] :
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK: arith.select %[[NAN]]
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci %{{.*}} : i32 to i16
func.func @f64_to_i16(%x: f64) -> i16 {
  %y = arith.fptosi %x : f64 to i16
  return %y : i16
}

// The bits of an f32 but for 16 zeros.
// CHECK-LABEL: func.func @bf16_to_f32
// CHECK: %[[HALF:.*]] = llvm.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[WORD:.*]] = llvm.zext %[[HALF]] : i16 to i32
// CHECK: %[[BITS:.*]] = llvm.shl %[[WORD]], %{{.*}} : i32
// CHECK: llvm.bitcast %[[BITS]] : i32 to f32
func.func @bf16_to_f32(%x: bf16) -> f32 {
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}
