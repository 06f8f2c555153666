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

// The inner loop's pointer starts anew in each iteration of the outer one.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: %[[START:.*]] = llvm.getelementptr
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[START]]) -> (!llvm.ptr<1>)
// CHECK: llvm.load %[[P]]
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

// Along a row: by a constant, which is added at the end, if copies run ahead.
// CHECK-LABEL: func.func @constant_stride
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (!llvm.ptr<1>)
// CHECK: llvm.load %[[P]]
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[P]][16]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: return
func.func @constant_stride(%a: !llvm.ptr<1>, %end: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %end step %c4 {
    nvvm.cp.async.wait.group 1
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
  }
  scf.for %k = %c0 to %end step %c4 {
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
  }
  return
}

// Beside wgmma: advanced before the use, from one step back, and with the rows
// that are an invariant away. What a constant is away stays so.
// CHECK-LABEL: func.func @before_products
// CHECK-SAME: %[[A:[^:]*]]: !llvm.ptr<1>, %[[ROWS:[^:]*]]: i64
// CHECK-DAG: %[[ROW:.*]] = llvm.getelementptr %[[A]][%[[ROWS]]]
// CHECK-DAG: %[[BACK:.*]] = llvm.getelementptr %[[A]][-16]
// CHECK-DAG: %[[ROW_BACK:.*]] = llvm.getelementptr %[[ROW]][-16]
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[BACK]], %[[Q:.*]] = %[[ROW_BACK]])
// CHECK-DAG: %[[P1:.*]] = llvm.getelementptr %[[P]][16]
// CHECK-DAG: %[[Q1:.*]] = llvm.getelementptr %[[Q]][16]
// CHECK: %[[NEAR:.*]] = llvm.getelementptr %[[Q1]][8]
// CHECK: llvm.load %[[P1]]
// CHECK: llvm.load %[[Q1]]
// CHECK: llvm.load %[[NEAR]]
// CHECK: scf.yield %[[P1]], %[[Q1]]
func.func @before_products(%a: !llvm.ptr<1>, %rows: i64, %end: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %end step %c4 {
    nvvm.cp.async.wait.group 1
    nvvm.wgmma.wait.group.sync.aligned 1
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %p[%rows] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %near = llvm.getelementptr %q[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.load %q : !llvm.ptr<1> -> f32
    %z = llvm.load %near : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
    func.call @use(%y) : (f32) -> ()
    func.call @use(%z) : (f32) -> ()
  }
  return
}

// Where no other warpgroup runs meanwhile, pointers that move on by the same share how
// far they have moved, which LLVM does not see.
// CHECK-LABEL: func.func @alone
// CHECK-SAME: %[[A:[^:]*]]: !llvm.ptr<1>, %[[ROWS:[^:]*]]: i64
// CHECK: %[[ROW:.*]] = llvm.getelementptr %[[A]][%[[ROWS]]]
// CHECK: scf.for {{.*}} iter_args(%[[MOVED:.*]] = %c-16_i64)
// CHECK: %[[NEXT:.*]] = arith.addi %[[MOVED]], %c16_i64 : i64
// CHECK: %[[HIDDEN:.*]] = llvm.inline_asm {{.*}}"mov.b64 $0, $1;", "=l,l" %[[NEXT]]
// CHECK-DAG: %[[P1:.*]] = llvm.getelementptr %[[A]][%[[HIDDEN]]]
// CHECK-DAG: %[[Q1:.*]] = llvm.getelementptr %[[ROW]][%[[HIDDEN]]]
// CHECK: %[[NEAR:.*]] = llvm.getelementptr %[[Q1]][8]
// CHECK: llvm.load %[[P1]]
// CHECK: llvm.load %[[Q1]]
// CHECK: llvm.load %[[NEAR]]
// CHECK: scf.yield %[[NEXT]]
func.func @alone(%a: !llvm.ptr<1>, %rows: i64, %end: index) attributes {tilewright.one_warpgroup} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %end step %c4 {
    nvvm.cp.async.wait.group 1
    nvvm.wgmma.wait.group.sync.aligned 1
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %p[%rows] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %near = llvm.getelementptr %q[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.load %q : !llvm.ptr<1> -> f32
    %z = llvm.load %near : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
    func.call @use(%y) : (f32) -> ()
    func.call @use(%z) : (f32) -> ()
  }
  return
}

// What has a step of its own is carried itself, and all are where registers are
// few.
// CHECK-LABEL: func.func @alone_by_two_steps
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (!llvm.ptr<1>, !llvm.ptr<1>)
// CHECK-DAG: %[[P1:.*]] = llvm.getelementptr %[[P]][16]
// CHECK-DAG: %[[Q1:.*]] = llvm.getelementptr %[[Q]][32]
// CHECK: scf.yield %[[P1]], %[[Q1]]
// CHECK: scf.for {{.*}} -> (!llvm.ptr<1>, !llvm.ptr<1>)
func.func @alone_by_two_steps(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %end: index) attributes {tilewright.one_warpgroup} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %end step %c4 {
    nvvm.cp.async.wait.group 1
    nvvm.wgmma.wait.group.sync.aligned 1
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %f = arith.muli %k, %c8 : index
    %u = arith.index_cast %f : index to i64
    %q = llvm.getelementptr %b[%u] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.load %q : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
    func.call @use(%y) : (f32) -> ()
  }
  scf.for %k = %c0 to %end step %c4 {
    nvvm.cp.async.wait.group 1
    nvvm.wgmma.wait.group.sync.aligned 1
    %e = arith.muli %k, %c4 : index
    %o = arith.index_cast %e : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %b[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.load %q : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
    func.call @use(%y) : (f32) -> ()
  } {tilewright.few_registers}
  return
}

// Offsets computed in i64, as those of block pointers are. One that was
// narrower may have wrapped.
// CHECK-LABEL: func.func @casts
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (!llvm.ptr<1>)
// CHECK: llvm.load %[[P]]
// CHECK: %[[NARROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[NARROW]] : index to i64
// CHECK: llvm.getelementptr %{{.*}}[%[[WIDE]]]
func.func @casts(%a: !llvm.ptr<1>, %stride: i64, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %end step %c1 {
    %k64 = arith.index_cast %k : index to i64
    %e = arith.muli %k64, %stride : i64
    %i = arith.index_cast %e : i64 to index
    %next = arith.addi %i, %c1 : index
    %o = arith.index_cast %next : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
    %k32 = arith.index_cast %k : index to i32
    %next32 = arith.addi %k32, %k32 : i32
    %n = arith.index_cast %next32 : i32 to index
    %w = arith.index_cast %n : index to i64
    %q = llvm.getelementptr %a[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %y = llvm.load %q : !llvm.ptr<1> -> f32
    func.call @use(%y) : (f32) -> ()
  }
  return
}

// What is used twice at each step of a long chain is looked at once.
// CHECK-LABEL: func.func @chain
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (!llvm.ptr<1>)
// CHECK: llvm.load %[[P]]
func.func @chain(%a: !llvm.ptr<1>, %s: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %end step %c1 {
    %d0 = arith.addi %k, %k : index
    %d1 = arith.addi %d0, %d0 : index
    %d2 = arith.addi %d1, %d1 : index
    %d3 = arith.addi %d2, %d2 : index
    %d4 = arith.addi %d3, %d3 : index
    %d5 = arith.addi %d4, %d4 : index
    %d6 = arith.addi %d5, %d5 : index
    %d7 = arith.addi %d6, %d6 : index
    %d8 = arith.addi %d7, %d7 : index
    %d9 = arith.addi %d8, %d8 : index
    %d10 = arith.addi %d9, %d9 : index
    %d11 = arith.addi %d10, %d10 : index
    %d12 = arith.addi %d11, %d11 : index
    %d13 = arith.addi %d12, %d12 : index
    %d14 = arith.addi %d13, %d13 : index
    %d15 = arith.addi %d14, %d14 : index
    %d16 = arith.addi %d15, %d15 : index
    %d17 = arith.addi %d16, %d16 : index
    %d18 = arith.addi %d17, %d17 : index
    %d19 = arith.addi %d18, %d18 : index
    %d20 = arith.addi %d19, %d19 : index
    %d21 = arith.addi %d20, %d20 : index
    %d22 = arith.addi %d21, %d21 : index
    %d23 = arith.addi %d22, %d22 : index
    %d24 = arith.addi %d23, %d23 : index
    %d25 = arith.addi %d24, %d24 : index
    %d26 = arith.addi %d25, %d25 : index
    %d27 = arith.addi %d26, %d26 : index
    %d28 = arith.addi %d27, %d27 : index
    %d29 = arith.addi %d28, %d28 : index
    %d30 = arith.addi %d29, %d29 : index
    %d31 = arith.addi %d30, %d30 : index
    %d32 = arith.addi %d31, %d31 : index
    %d33 = arith.addi %d32, %d32 : index
    %d34 = arith.addi %d33, %d33 : index
    %d35 = arith.addi %d34, %d34 : index
    %d36 = arith.addi %d35, %d35 : index
    %d37 = arith.addi %d36, %d36 : index
    %d38 = arith.addi %d37, %d37 : index
    %d39 = arith.addi %d38, %d38 : index
    %d40 = arith.addi %d39, %d39 : index
    %d41 = arith.addi %d40, %d40 : index
    %d42 = arith.addi %d41, %d41 : index
    %d43 = arith.addi %d42, %d42 : index
    %d44 = arith.addi %d43, %d43 : index
    %d45 = arith.addi %d44, %d44 : index
    %d46 = arith.addi %d45, %d45 : index
    %d47 = arith.addi %d46, %d46 : index
    %d48 = arith.addi %d47, %d47 : index
    %e0 = arith.addi %s, %s : index
    %e1 = arith.muli %e0, %e0 : index
    %e2 = arith.muli %e1, %e1 : index
    %e3 = arith.muli %e2, %e2 : index
    %e4 = arith.muli %e3, %e3 : index
    %e5 = arith.muli %e4, %e4 : index
    %e6 = arith.muli %e5, %e5 : index
    %e7 = arith.muli %e6, %e6 : index
    %e8 = arith.muli %e7, %e7 : index
    %e9 = arith.muli %e8, %e8 : index
    %e10 = arith.muli %e9, %e9 : index
    %e11 = arith.muli %e10, %e10 : index
    %e12 = arith.muli %e11, %e11 : index
    %e13 = arith.muli %e12, %e12 : index
    %e14 = arith.muli %e13, %e13 : index
    %e15 = arith.muli %e14, %e14 : index
    %e16 = arith.muli %e15, %e15 : index
    %e17 = arith.muli %e16, %e16 : index
    %e18 = arith.muli %e17, %e17 : index
    %e19 = arith.muli %e18, %e18 : index
    %e20 = arith.muli %e19, %e19 : index
    %e21 = arith.muli %e20, %e20 : index
    %e22 = arith.muli %e21, %e21 : index
    %e23 = arith.muli %e22, %e22 : index
    %e24 = arith.muli %e23, %e23 : index
    %e25 = arith.muli %e24, %e24 : index
    %e26 = arith.muli %e25, %e25 : index
    %e27 = arith.muli %e26, %e26 : index
    %e28 = arith.muli %e27, %e27 : index
    %e29 = arith.muli %e28, %e28 : index
    %e30 = arith.muli %e29, %e29 : index
    %e31 = arith.muli %e30, %e30 : index
    %e32 = arith.muli %e31, %e31 : index
    %e33 = arith.muli %e32, %e32 : index
    %e34 = arith.muli %e33, %e33 : index
    %e35 = arith.muli %e34, %e34 : index
    %e36 = arith.muli %e35, %e35 : index
    %e37 = arith.muli %e36, %e36 : index
    %e38 = arith.muli %e37, %e37 : index
    %e39 = arith.muli %e38, %e38 : index
    %e40 = arith.muli %e39, %e39 : index
    %e41 = arith.muli %e40, %e40 : index
    %e42 = arith.muli %e41, %e41 : index
    %e43 = arith.muli %e42, %e42 : index
    %e44 = arith.muli %e43, %e43 : index
    %e45 = arith.muli %e44, %e44 : index
    %e46 = arith.muli %e45, %e45 : index
    %e47 = arith.muli %e46, %e46 : index
    %e48 = arith.muli %e47, %e47 : index
    %sum = arith.addi %d48, %e48 : index
    %rows = arith.muli %sum, %s : index
    %o = arith.index_cast %rows : index to i64
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    func.call @use(%x) : (f32) -> ()
  }
  return
}

// Squares, quotients, offsets of 32 bits, which may wrap, pointers that follow a
// loaded one, pointers of several indices and pointers in a branch stay.
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
    %p6 = llvm.getelementptr %a[0, %o3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.array<64 x f32>
    %w = llvm.load %p6 : !llvm.ptr<1> -> f32
    func.call @use(%w) : (f32) -> ()
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
