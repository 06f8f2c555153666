// Quotients that need not be rounded correctly.

// RUN: tile-opt --convert-arith-to-nvvm %s | FileCheck %s

// CHECK-LABEL: func.func @quotients
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : f64
func.func @quotients(%a: f32, %b: f32, %c: f64) -> (f32, f32, f64) {
  %q = arith.divf %a, %b fastmath<arcp> : f32
  %r = arith.divf %a, %b : f32
  %s = arith.divf %c, %c fastmath<arcp> : f64
  return %q, %r, %s : f32, f32, f64
}

// By one number: all are multiplied by its reciprocal.
// CHECK-LABEL: func.func @by_one
// CHECK-NOT: div.full
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%{{.*}}) : (f32) -> f32
// CHECK: arith.mulf %{{.*}}, %[[R]] : f32
// CHECK-NOT: div.full
// CHECK: return
func.func @by_one(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32) -> (f32, f32, f32, f32, f32) {
  %one = arith.constant 1.5 : f32
  %p = arith.divf %a, %e fastmath<arcp> : f32
  %q = arith.divf %b, %e fastmath<arcp> : f32
  %r = arith.divf %c, %e fastmath<arcp> : f32
  %s = arith.divf %d, %e fastmath<arcp> : f32
  %t = arith.divf %one, %e fastmath<arcp> : f32
  return %p, %q, %r, %s, %t : f32, f32, f32, f32, f32
}

// Of eight, dividends are scaled behind a branch. What is computed later has
// its own quotient.
// CHECK-LABEL: func.func @by_one_far_out
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%{{.*}}) : (f32) -> f32
// CHECK: %[[OUT:.*]] = arith.cmpf une, %[[F:.*]], %{{.*}} : f32
// CHECK: %[[S:.*]]:8 = scf.if %[[OUT]]
// CHECK-COUNT-8: arith.mulf %{{.*}}, %[[F]] : f32
// CHECK: } else {
// CHECK-NEXT: scf.yield %arg0, %arg1
// CHECK: arith.mulf %[[S]]#0, %[[R]] : f32
// CHECK: arith.mulf %[[S]]#7, %[[R]] : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK-NOT: arith.divf
// CHECK: return
func.func @by_one_far_out(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %p = arith.divf %a, %c fastmath<arcp> : f32
  %q = arith.divf %b, %c fastmath<arcp> : f32
  %r = arith.divf %a, %c fastmath<arcp> : f32
  %s = arith.divf %b, %c fastmath<arcp> : f32
  %t = arith.divf %a, %c fastmath<arcp> : f32
  %u = arith.divf %b, %c fastmath<arcp> : f32
  %v = arith.divf %a, %c fastmath<arcp> : f32
  %w = arith.divf %b, %c fastmath<arcp> : f32
  %x = arith.divf %p, %c fastmath<arcp> : f32
  return %p, %q, %r, %s, %t, %u, %v, %w, %x : f32, f32, f32, f32, f32, f32, f32, f32, f32
}
