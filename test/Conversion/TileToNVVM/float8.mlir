// Conversions of fp8, by the instructions of sm_89 and newer; what older targets say.

// RUN: tile-opt --convert-tile-to-nvvm=capability=89 %s | FileCheck %s
// RUN: not tile-opt --convert-tile-to-nvvm=capability=80 %s 2>&1 | FileCheck %s --check-prefix=OLD

#line = #tile.register_layout<lane[32] warp*4>
// CHECK-LABEL: llvm.func @convert
// CHECK: %[[HALVES:.*]] = llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
// CHECK: llvm.extractelement %[[HALVES]]
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%{{.*}}, %{{.*}}) : (f32, f32) -> i16
// OLD: float8.mlir:[[@LINE+5]]:8: error: conversions of 'f8E4M3FN' need sm_89 or newer; the target is sm_80
tile.kernel @convert(%P: !tile.ptr<f8E4M3FN>, %Q: !tile.ptr<f8E5M2>) {
  %ps = tile.splat %P : !tile.ptr<f8E4M3FN> -> tensor<32x!tile.ptr<f8E4M3FN>, #line>
  %qs = tile.splat %Q : !tile.ptr<f8E5M2> -> tensor<32x!tile.ptr<f8E5M2>, #line>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<32x!tile.ptr<f8E4M3FN>, #line>
  %u = arith.extf %t : tensor<32xf8E4M3FN, #line> to tensor<32xf32, #line>
  %v = arith.truncf %u : tensor<32xf32, #line> to tensor<32xf8E5M2, #line>
  tile.store %qs, %v {vector_width = 1 : i64} : tensor<32x!tile.ptr<f8E5M2>, #line>
  tile.return
}
