// RUN: tile-opt %s --pair-conversions | FileCheck %s

// Halves that are stored alone are made in twos, the first of which is the lower one.
// CHECK-LABEL: @alone
// CHECK: %[[BOTH:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"(%arg1, %arg0) : (f32, f32) -> vector<2xf16>
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[LOW:.*]] = llvm.extractelement %[[BOTH]][%[[ZERO]] : i32]
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[HIGH:.*]] = llvm.extractelement %[[BOTH]][%[[ONE]] : i32]
// CHECK: %[[LAST:.*]] = arith.truncf %arg2 : f32 to f16
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%arg1, %arg0) : (f32, f32) -> vector<2xbf16>
// CHECK: llvm.store %[[LOW]]
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[HIGH]]
// CHECK: llvm.store %[[BITS]]
// CHECK: llvm.store %[[LAST]]
llvm.func @alone(%a: f32, %b: f32, %c: f32, %p: !llvm.ptr<3>) {
  nvvm.wgmma.commit.group.sync.aligned
  %h = arith.truncf %a : f32 to f16
  %i = arith.truncf %b : f32 to f16
  %j = arith.truncf %c : f32 to f16
  %k = arith.truncf %a : f32 to bf16
  %l = arith.truncf %b : f32 to bf16
  llvm.store %h, %p : f16, !llvm.ptr<3>
  %bits = llvm.bitcast %i : f16 to i16
  llvm.store %bits, %p : i16, !llvm.ptr<3>
  llvm.store %j, %p : f16, !llvm.ptr<3>
  llvm.store %k, %p : bf16, !llvm.ptr<3>
  llvm.store %l, %p : bf16, !llvm.ptr<3>
  llvm.return
}

// In a word with another half; stored in front of the second one; of f64.
// CHECK-LABEL: @others
// CHECK-NOT: call_intrinsic
llvm.func @others(%a: f32, %b: f32, %d: f64, %p: !llvm.ptr<3>) {
  nvvm.wgmma.commit.group.sync.aligned
  %zero = llvm.mlir.constant(0 : i32) : i32
  %none = llvm.mlir.undef : vector<2xf16>
  %h = arith.truncf %a : f32 to f16
  %i = arith.truncf %b : f32 to f16
  %one = llvm.insertelement %h, %none[%zero : i32] : vector<2xf16>
  %two = llvm.insertelement %i, %one[%zero : i32] : vector<2xf16>
  llvm.store %two, %p : vector<2xf16>, !llvm.ptr<3>
  %j = arith.truncf %a : f32 to f16
  llvm.store %j, %p : f16, !llvm.ptr<3>
  %k = arith.truncf %b : f32 to f16
  llvm.store %k, %p : f16, !llvm.ptr<3>
  %l = arith.truncf %d : f64 to f16
  llvm.store %l, %p : f16, !llvm.ptr<3>
  llvm.return
}

// Without products by wgmma ptxas may do as it likes.
// CHECK-LABEL: @without
// CHECK-NOT: call_intrinsic
llvm.func @without(%a: f32, %b: f32, %p: !llvm.ptr<3>) {
  %h = arith.truncf %a : f32 to f16
  %i = arith.truncf %b : f32 to f16
  llvm.store %h, %p : f16, !llvm.ptr<3>
  llvm.store %i, %p : f16, !llvm.ptr<3>
  llvm.return
}
