// What functions become. test/Execution/math.test says that it is right.

// RUN: tile-opt %s --convert-math-to-nvvm | FileCheck %s

// CHECK-LABEL: @exp(
// CHECK-NOT: math.exp %
// CHECK: math.exp2
// CHECK: arith.mulf
func.func @exp(%x: f32) -> f32 {
  %r = math.exp %x : f32
  return %r : f32
}

// One conversion to f32 and one back.
// CHECK-LABEL: @tanh_f16(
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK-NOT: f16
// CHECK: arith.truncf {{.*}} : f32 to f16
// CHECK-NEXT: return
func.func @tanh_f16(%x: f16) -> f16 {
  %r = math.tanh %x : f16
  return %r : f16
}

// The long way round is taken for large angles only, and what is infinite is
// looked for there. The short way has no conversion, which would be slow.
// CHECK-LABEL: @sin(
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, {{.*}} : f32
// CHECK: scf.if %[[SMALL]]
// CHECK-NOT: math.roundeven
// CHECK-NOT: arith.fptosi
// CHECK: } else {
// CHECK: arith.sitofp
// CHECK: arith.cmpf
// CHECK: }
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @sin(%x: f32) -> f32 {
  %r = math.sin %x : f32
  return %r : f32
}

// An angle of which both are wanted is reduced once.
// CHECK-LABEL: @sine_and_cosine(
// CHECK: %[[ANGLE:.*]]:2 = scf.if
// CHECK: } else {
// CHECK: }
// CHECK-NOT: scf.if
// CHECK: return
func.func @sine_and_cosine(%x: f32) -> (f32, f32) {
  %c = math.cos %x : f32
  %s = math.sin %x : f32
  return %s, %c : f32, f32
}

// Functions of constants are no exception: MLIR would fold this one to NaN.
// CHECK-LABEL: @atan2_of_zeros(
// CHECK: arith.divf
// CHECK: return
func.func @atan2_of_zeros() -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = math.atan2 %zero, %zero : f32
  return %r : f32
}

// Logarithm and power are sums of two f32: f64 is slow on most GPUs.
// CHECK-LABEL: @powf(
// CHECK-NOT: f64
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK-NOT: f64
// CHECK: return
func.func @powf(%x: f32, %y: f32) -> f32 {
  %r = math.powf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: @square(
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT: return %[[SQUARE]]
func.func @square(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %r = math.powf %x, %two : f32
  return %r : f32
}

// What is one instruction stays.
// CHECK-LABEL: @flushed(
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
func.func @flushed(%x: f32) -> f32 {
  %a = math.exp2 %x fastmath<afn> : f32
  return %a : f32
}

// CHECK-LABEL: @approximate_root(
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"
// CHECK-NEXT: return
func.func @approximate_root(%x: f32) -> f32 {
  %a = math.sqrt %x fastmath<afn> : f32
  return %a : f32
}

// CHECK-LABEL: @native(
// CHECK-NEXT: math.exp2
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.fma
// CHECK-NEXT: math.floor
// CHECK-NEXT: return
func.func @native(%x: f32) -> f32 {
  %a = math.exp2 %x : f32
  %b = math.sqrt %a : f32
  %c = math.fma %b, %a, %x : f32
  %d = math.floor %c : f32
  return %d : f32
}

// A function of f64 that rounds exactly is native too.
// CHECK-LABEL: @native_f64(
// CHECK-NEXT: math.sqrt {{.*}} : f64
func.func @native_f64(%x: f64) -> f64 {
  %r = math.sqrt %x : f64
  return %r : f64
}


// Maxima and minima are instructions.
// CHECK-LABEL: @extremes(
// CHECK-NEXT: llvm.call_intrinsic "llvm.maximum"({{.*}}) : (f32, f32) -> f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.minimum"({{.*}}) : (f32, f32) -> f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.maximumnum"({{.*}}) : (f32, f32) -> f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.minimumnum"({{.*}}) : (f32, f32) -> f32
// CHECK-NEXT: return
func.func @extremes(%x: f32, %y: f32) -> f32 {
  %a = arith.maximumf %x, %y : f32
  %b = arith.minimumf %a, %y : f32
  %c = arith.maxnumf %b, %x : f32
  %d = arith.minnumf %c, %x : f32
  return %d : f32
}

// One instruction in f32, and of f16 in f32; f64 has none.
// CHECK-LABEL: func.func @inverse_roots
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%{{.*}}) : (f32) -> f32
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[W]]) : (f32) -> f32
// CHECK: math.rsqrt %{{.*}} : f64
func.func @inverse_roots(%x: f32, %y: f16, %z: f64) -> (f32, f16, f64) {
  %a = math.rsqrt %x : f32
  %b = math.rsqrt %y : f16
  %c = math.rsqrt %z : f64
  return %a, %b, %c : f32, f16, f64
}

// Denormals have no exponent. Zero, infinity, what is below and what is no
// number are one case, of the number that has an exponent.
// CHECK-LABEL: @log(
// CHECK: %[[LESS:.*]] = arith.cmpf olt
// CHECK: %[[NORMAL:.*]] = arith.select %[[LESS]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[NORMAL]] : f32 to i32
// CHECK: %[[OTHER:.*]] = arith.cmpi uge
// CHECK: %[[LOG:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[NORMAL]])
// CHECK: arith.select %[[OTHER]], %[[LOG]],
func.func @log(%x: f32) -> f32 {
  %r = math.log %x : f32
  return %r : f32
}

// What is kept above a bound is none of the first two.
// CHECK-LABEL: @log_of_bounded(
// CHECK-NOT: arith.cmpf
// CHECK: arith.cmpi uge
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @log_of_bounded(%x: f32) -> f32 {
  %least = arith.constant 1.0e-10 : f32
  %bounded = arith.maxnumf %x, %least : f32
  %r = math.log %bounded : f32
  return %r : f32
}

// A bound that is a denormal itself, or below, is none.
// CHECK-LABEL: @log_of_nearly_bounded(
// CHECK-COUNT-2: arith.cmpf olt
// CHECK: return
func.func @log_of_nearly_bounded(%x: f32, %y: f32) -> (f32, f32) {
  %denormal = arith.constant 1.0e-40 : f32
  %negative = arith.constant -1.0 : f32
  %a = arith.maxnumf %x, %denormal : f32
  %b = arith.maximumf %y, %negative : f32
  %r = math.log %a : f32
  %s = math.log %b : f32
  return %r, %s : f32, f32
}
