// Branches hand out words as they were loaded, and loops carry these.

// RUN: tile-opt --pack-carried-words --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @ahead
// The branch hands out a word, or zeros as one.
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: scf.yield %{{.*}} : i32
// CHECK: } else {
// CHECK: scf.yield %{{.*}} : i32
// CHECK: }
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[WORD:.*]] = %[[FIRST]]) -> (f16, i32) {
// CHECK: %[[PAIR:.*]] = llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
// CHECK: llvm.extractelement %[[PAIR]]
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: scf.yield %{{.*}}, %[[NEXT]] : f16, i32
llvm.func @ahead(%p: !llvm.ptr<1>, %m: i64, %there: i1) {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %zero = arith.constant 0.0 : f16
  %first:2 = scf.if %there -> (f16, f16) {
    %w = llvm.load %p : !llvm.ptr<1> -> i32
    %v = llvm.bitcast %w : i32 to vector<2xf16>
    %x = llvm.extractelement %v[%i0 : i32] : vector<2xf16>
    %y = llvm.extractelement %v[%i1 : i32] : vector<2xf16>
    scf.yield %x, %y : f16, f16
  } else {
    scf.yield %zero, %zero : f16, f16
  }
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %a = %first#0, %b = %first#1) -> (f16, f16, f16) {
    %next:2 = scf.if %there -> (f16, f16) {
      %w = llvm.load %p : !llvm.ptr<1> -> i32
      %v = llvm.bitcast %w : i32 to vector<2xf16>
      %x = llvm.extractelement %v[%i0 : i32] : vector<2xf16>
      %y = llvm.extractelement %v[%i1 : i32] : vector<2xf16>
      scf.yield %x, %y : f16, f16
    } else {
      scf.yield %zero, %zero : f16, f16
    }
    %c = arith.addf %a, %b : f16
    %t = arith.addf %s, %c : f16
    scf.yield %t, %next#0, %next#1 : f16, f16, f16
  }
  llvm.store %r#0, %p : f16, !llvm.ptr<1>
  llvm.return
}

// What the body loads itself stays in elements.
// CHECK-LABEL: llvm.func @loaded
// CHECK: scf.for {{.*}} -> (f16, f16)
llvm.func @loaded(%p: !llvm.ptr<1>, %m: i64) {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %zero = arith.constant 0.0 : f16
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero) -> (f16, f16) {
    %w = llvm.load %p : !llvm.ptr<1> -> i32
    %v = llvm.bitcast %w : i32 to vector<2xf16>
    %x = llvm.extractelement %v[%i0 : i32] : vector<2xf16>
    %y = llvm.extractelement %v[%i1 : i32] : vector<2xf16>
    %c = arith.addf %a, %b : f16
    llvm.store %c, %p : f16, !llvm.ptr<1>
    scf.yield %x, %y : f16, f16
  }
  llvm.store %r#0, %p : f16, !llvm.ptr<1>
  llvm.return
}

// Elements that were computed, or change places, are none of a word.
// CHECK-LABEL: llvm.func @computed
// CHECK-NOT: -> (i32)
// CHECK: scf.for {{.*}} -> (f16, f16)
llvm.func @computed(%p: !llvm.ptr<1>, %m: i64) {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %zero = arith.constant 0.0 : f16
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero) -> (f16, f16) {
    %w = llvm.load %p : !llvm.ptr<1> -> i32
    %v = llvm.bitcast %w : i32 to vector<2xf16>
    %x = llvm.extractelement %v[%i0 : i32] : vector<2xf16>
    %y = llvm.extractelement %v[%i1 : i32] : vector<2xf16>
    %c = arith.addf %a, %b : f16
    llvm.store %c, %p : f16, !llvm.ptr<1>
    scf.yield %y, %x : f16, f16
  }
  llvm.store %r#0, %p : f16, !llvm.ptr<1>
  llvm.return
}
