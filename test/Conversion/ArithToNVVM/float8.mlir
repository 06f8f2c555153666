// Conversions of fp8, by the instructions of sm_89 and newer; what older targets say.

// RUN: tile-opt --tile-set-target=target=sm_89 --convert-arith-to-nvvm %s | FileCheck %s
// RUN: not tile-opt --tile-set-target=target=sm_80 --convert-arith-to-nvvm %s 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK-LABEL: func.func @extend
// CHECK: %[[HALVES:.*]] = llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
// CHECK: llvm.extractelement %[[HALVES]]
// CHECK: arith.extf %{{.*}} : f16 to f32
// OLD: float8.mlir:[[@LINE+2]]:8: error: 'arith.extf' op converts 'f8E4M3FN', which needs sm_89 or newer; the target is sm_80
func.func @extend(%x: f8E4M3FN) -> f32 {
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// CHECK-LABEL: func.func @truncate
// CHECK-NOT: cvt.rz
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%{{.*}}, %{{.*}}) : (f32, f32) -> i16
func.func @truncate(%x: f32) -> f8E5M2 {
  %y = arith.truncf %x : f32 to f8E5M2
  return %y : f8E5M2
}

// From f64 to f32 toward zero, made odd where something was lost: then the next rounding is right.
// CHECK-LABEL: func.func @truncate_f64
// CHECK: %[[CUT:.*]] = llvm.inline_asm {{.*}}"cvt.rz.f32.f64 $0, $1;", "=f,d" %[[X:.*]] :
// CHECK: %[[BACK:.*]] = arith.extf %[[CUT]] : f32 to f64
// CHECK: %[[LOST:.*]] = arith.cmpf une, %[[BACK]], %[[X]]
// CHECK: arith.ori
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
func.func @truncate_f64(%x: f64) -> f8E4M3FN {
  %y = arith.truncf %x : f64 to f8E4M3FN
  return %y : f8E4M3FN
}

// CHECK-LABEL: func.func @from_and_to_integers
// CHECK: cvt.rn.f32.s32
// CHECK: llvm.nvvm.ff.to.e4m3x2.rn
// CHECK: llvm.nvvm.e4m3x2.to.f16x2.rn
// CHECK: cvt.rzi.s32.f32
func.func @from_and_to_integers(%x: i8) -> i16 {
  %y = arith.sitofp %x : i8 to f8E4M3FN
  %z = arith.fptosi %y : f8E4M3FN to i16
  return %z : i16
}
