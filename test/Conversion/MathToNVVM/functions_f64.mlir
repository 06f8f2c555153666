// Functions of f64 become arithmetic: nothing of math is left but what is one instruction. An angle is reduced in one of two
// ways.

// RUN: tile-opt %s --convert-math-to-nvvm | FileCheck %s --implicit-check-not="math.{{exp|log|sin|cos|tan|pow|erf}}"

// CHECK-LABEL: @exponentials(
// CHECK: math.fma
// CHECK: arith.shli {{.*}} : i64
func.func @exponentials(%x: f64) -> (f64, f64, f64) {
  %a = math.exp %x : f64
  %b = math.exp2 %x : f64
  %c = math.tanh %x : f64
  return %a, %b, %c : f64, f64, f64
}

// CHECK-LABEL: @logarithms(
// CHECK: arith.shrsi {{.*}} : i64
func.func @logarithms(%x: f64, %y: f64) -> (f64, f64, f64, f64) {
  %a = math.log %x : f64
  %b = math.log2 %x : f64
  %c = math.log10 %x : f64
  %d = math.powf %x, %y : f64
  return %a, %b, %c, %d : f64, f64, f64, f64
}

// CHECK-LABEL: @angles(
// CHECK: %[[SMALL:.*]] = arith.cmpf olt
// CHECK: scf.if %[[SMALL]] -> (i32, f64, f64)
// CHECK: math.roundeven
// CHECK: else
// CHECK: arith.mului_extended
func.func @angles(%x: f64) -> (f64, f64, f64) {
  %a = math.sin %x : f64
  %b = math.cos %x : f64
  %c = math.tan %x : f64
  return %a, %b, %c : f64, f64, f64
}

// CHECK-LABEL: @erf(
// CHECK: arith.divf
func.func @erf(%x: f64) -> f64 {
  %a = math.erf %x : f64
  return %a : f64
}
