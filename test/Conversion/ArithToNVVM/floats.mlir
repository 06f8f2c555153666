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
