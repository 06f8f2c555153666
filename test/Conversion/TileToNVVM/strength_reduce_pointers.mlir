// Pointers that a loop carries instead of multiplying anew.

// RUN: tile-opt --strength-reduce-pointers --canonicalize %s | FileCheck %s

// Rows of a matrix: start and step are computed before the loop.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[A:[^:]*]]: !llvm.ptr<1>, %[[STRIDE:[^:]*]]: index, %[[ROW:[^:]*]]: index, %[[END:[^:]*]]: index
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[ROW]], %c4 : index
// CHECK-DAG: %[[ELEMENTS:.*]] = arith.muli %[[FIRST]], %[[STRIDE]] : index
// CHECK-DAG: %[[OFFSET:.*]] = arith.index_cast %[[ELEMENTS]] : index to i64
// CHECK-DAG: %[[START:.*]] = llvm.getelementptr %[[A]][%[[OFFSET]]]
// CHECK-DAG: %[[SLOPE:.*]] = arith.index_cast %[[STRIDE]] : index to i64
// CHECK-DAG: %[[STEP:.*]] = arith.muli %[[SLOPE]], %c32_i64 : i64
// CHECK: scf.for %{{.*}} = %c4 to %[[END]] step %c32 iter_args(%[[P:.*]] = %[[START]]) -> (!llvm.ptr<1>)
// CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[P]][%[[STEP]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT: llvm.load %[[P]]
// CHECK: scf.yield %[[NEXT]]
func.func @rows(%a: !llvm.ptr<1>, %stride: index, %row: index, %end: index) {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  scf.for %k = %c4 to %end step %c32 {
    %r = arith.addi %k, %row : index
    %e = arith.muli %r, %stride : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
  }
  return
}

// Beside values that the loop carries already; a step, a stride and a base that
// are computed in the loop from what does not change there go before it. What
// is subtracted makes the pointer run backwards.
// CHECK-LABEL: func.func @backwards
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (f32, !llvm.ptr<1>)
// CHECK-NEXT: llvm.getelementptr %[[P]]
// CHECK-NEXT: llvm.load %[[P]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
func.func @backwards(%a: !llvm.ptr<1>, %s: index, %end: index, %step: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %end step %step iter_args(%acc = %zero) -> (f32) {
    %base = llvm.getelementptr %a[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %stride = arith.muli %s, %c2 : index
    %left = arith.subi %end, %k : index
    %e = arith.muli %stride, %left : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %base[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %n = arith.addf %acc, %x : f32
    scf.yield %n : f32
  }
  return %sum : f32
}

// The inner loop's pointer starts, in each iteration of the outer one, where
// that one carries it.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}}) -> (!llvm.ptr<1>)
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[OUTER]]) -> (!llvm.ptr<1>)
// CHECK: llvm.load %[[P]]
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[OUTER]][1]
// CHECK-NEXT: scf.yield %[[NEXT]]
func.func @nested(%a: !llvm.ptr<1>, %s: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %end step %c1 {
    scf.for %k = %c0 to %end step %c1 {
      %e = arith.muli %k, %s : index
      %f = arith.addi %e, %i : index
      %o = arith.index_cast %f : index to i64
      %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %p : !llvm.ptr<1> -> f32
      func.call @use(%x) : (f32) -> ()
    }
  }
  return
}

// Along a row: by a constant, which is added at the end.
// CHECK-LABEL: func.func @constant_stride
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (!llvm.ptr<1>)
// CHECK-NEXT: llvm.load %[[P]]
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[P]][16]
// CHECK-NEXT: scf.yield %[[NEXT]]
func.func @constant_stride(%a: !llvm.ptr<1>, %end: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %end step %c4 {
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
  }
  return
}

// Squares, quotients, offsets of 32 bits, which may wrap, pointers that follow a
// loaded one, and pointers in a branch stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: iter_args
func.func @others(%a: !llvm.ptr<1>, %s: index, %end: index, %end32: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  scf.for %k = %c0 to %end step %c1 {
    %square = arith.muli %k, %k : index
    %o1 = arith.index_cast %square : index to i64
    %p1 = llvm.getelementptr %a[%o1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %quotient = arith.divui %k, %s : index
    %e2 = arith.muli %quotient, %s : index
    %o2 = arith.index_cast %e2 : index to i64
    %p2 = llvm.getelementptr %p1[%o2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = llvm.load %p2 : !llvm.ptr<1> -> !llvm.ptr<1>
    %e3 = arith.muli %k, %s : index
    %o3 = arith.index_cast %e3 : index to i64
    %p3 = llvm.getelementptr %q[%o3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p3 : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
    %n = arith.index_cast %e3 : index to i32
    %p4 = llvm.getelementptr %a[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %y = llvm.load %p4 : !llvm.ptr<1> -> f32
    func.call @use(%y) : (f32) -> ()
    scf.if %c {
      %p5 = llvm.getelementptr %a[%o3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %z = llvm.load %p5 : !llvm.ptr<1> -> f32
      func.call @use(%z) : (f32) -> ()
    }
  }
  scf.for %k = %i0 to %end32 step %i1 : i32 {
    %o = arith.extsi %k : i32 to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
  }
  return
}

func.func private @use(f32)
