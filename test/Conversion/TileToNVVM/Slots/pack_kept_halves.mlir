// Two halves that a loop keeps are one register.

// RUN: tile-opt --pack-kept-halves --cse %s | FileCheck %s
// Threads of 13 blocks have no more than those of 16, since a warp gets registers by 256.
// RUN: sed 's/minctasm = 16/minctasm = 13/' %s | tile-opt --pack-kept-halves --cse | FileCheck %s
// Where threads have more registers than they need, halves stay as they are.
// RUN: sed 's/minctasm = 16/minctasm = 12/' %s | tile-opt --pack-kept-halves | FileCheck %s --check-prefix=ENOUGH
// RUN: sed 's/minctasm = 16/minctasm = 2/' %s | tile-opt --pack-kept-halves | FileCheck %s --check-prefix=ENOUGH
// ENOUGH-NOT: prmt

// CHECK-LABEL: llvm.func @weights
// Neighbours are put together in front of the loop, whatever loaded them.
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f16
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[FIRST]] : f16 to i16
// CHECK: %[[LOW:.*]] = llvm.zext %[[BITS]] : i16 to i32
// CHECK: %[[WORD:.*]] = llvm.inline_asm {{.*}}"prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r" %[[LOW]], %{{.*}} : (i32, i32) -> i32
// CHECK-COUNT-3: prmt.b32
// CHECK-NOT: prmt.b32
// CHECK: scf.for
// CHECK: %[[HALVES:.*]] = llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
// CHECK: %[[A:.*]] = llvm.extractelement %[[HALVES]]
// CHECK: arith.extf %[[A]] : f16 to f32
// CHECK: %[[B:.*]] = llvm.extractelement %[[HALVES]]
// CHECK: arith.extf %[[B]] : f16 to f32
llvm.func @weights(%p: !llvm.ptr<1>, %out: !llvm.ptr<1>, %m: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, nvvm.minctasm = 16 : i32} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %all = llvm.mlir.constant(-1 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %clamp = llvm.mlir.constant(31 : i32) : i32
  %w0 = llvm.load %p : !llvm.ptr<1> -> f16
  %p1 = llvm.getelementptr %p[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w1 = llvm.load %p1 : !llvm.ptr<1> -> f16
  %p2 = llvm.getelementptr %p[512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w2 = llvm.load %p2 : !llvm.ptr<1> -> f16
  %p3 = llvm.getelementptr %p[768] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w3 = llvm.load %p3 : !llvm.ptr<1> -> f16
  %p4 = llvm.getelementptr %p[1024] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w4 = llvm.load %p4 : !llvm.ptr<1> -> f16
  %p5 = llvm.getelementptr %p[1280] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w5 = llvm.load %p5 : !llvm.ptr<1> -> f16
  %p6 = llvm.getelementptr %p[1536] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w6 = llvm.load %p6 : !llvm.ptr<1> -> f16
  %p7 = llvm.getelementptr %p[1792] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %bits7 = llvm.inline_asm "ld.global.b16 $0, [$1];", "=h,l" %p7 : (!llvm.ptr<1>) -> i16
  %w7 = llvm.bitcast %bits7 : i16 to f16
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x0 = arith.extf %w0 : f16 to f32
    %s0 = arith.addf %s, %x0 : f32
    %x1 = arith.extf %w1 : f16 to f32
    %s1 = arith.mulf %s0, %x1 : f32
    %x2 = arith.extf %w2 : f16 to f32
    %s2 = arith.addf %s1, %x2 : f32
    %x3 = arith.extf %w3 : f16 to f32
    %s3 = arith.mulf %s2, %x3 : f32
    %x4 = arith.extf %w4 : f16 to f32
    %s4 = arith.addf %s3, %x4 : f32
    %x5 = arith.extf %w5 : f16 to f32
    %s5 = arith.mulf %s4, %x5 : f32
    %x6 = arith.extf %w6 : f16 to f32
    %s6 = arith.addf %s5, %x6 : f32
    %x7 = arith.extf %w7 : f16 to f32
    %s7 = arith.mulf %s6, %x7 : f32
    %other = nvvm.shfl.sync bfly %all, %s7, %one, %clamp : f32 -> f32
    %s8 = arith.addf %s7, %other : f32
    scf.yield %s8 : f32
  }
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Few save nothing.
// CHECK-LABEL: llvm.func @few
// CHECK-NOT: prmt
llvm.func @few(%p: !llvm.ptr<1>, %out: !llvm.ptr<1>, %m: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, nvvm.minctasm = 16 : i32} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %w0 = llvm.load %p : !llvm.ptr<1> -> f16
  %p1 = llvm.getelementptr %p[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w1 = llvm.load %p1 : !llvm.ptr<1> -> f16
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f16) {
    %s0 = arith.addf %s, %w0 : f16
    %s1 = arith.mulf %s0, %w1 : f16
    scf.yield %s1 : f16
  }
  llvm.store %sum, %out : f16, !llvm.ptr<1>
  llvm.return
}
