// A branch of a short loop is left with a pointer from before the loop, and a constant times the counter.

// RUN: tile-opt --strength-reduce-pointers --cse --canonicalize %s | FileCheck %s

// A multiple of 2048, and 15 * 128 at the most. What the thread adds stands before the loop as well.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[BLOCK:.*]]: i32, %[[THREAD:.*]]: i32, %[[IS:.*]]: i1
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[P]][%[[WIDE]]]
// CHECK: %[[TID:.*]] = arith.extui %[[THREAD]] : i32 to i64
// CHECK: %[[START:.*]] = llvm.getelementptr %[[FIRST]][%[[TID]]]
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: scf.if %[[IS]]
// CHECK-NEXT: %[[TRIP:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT: %[[STEPS:.*]] = arith.muli %[[TRIP]], %c128_i64
// CHECK-NEXT: %[[NOW:.*]] = llvm.getelementptr %[[START]][%[[STEPS]]]
// CHECK-NEXT: llvm.load %[[NOW]]
func.func @parts(%p: !llvm.ptr<1>, %block: i32, %thread: i32, %is: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %parts = arith.constant 16 : i32
  %width = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%so_far = %zero) -> f32 {
    %part = arith.index_cast %i : index to i32
    %next = scf.if %is -> f32 {
      %first = arith.muli %block, %parts : i32
      %number = arith.addi %first, %part : i32
      %offset = arith.muli %number, %width : i32
      %wide = arith.extsi %offset : i32 to i64
      %q = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %tid = arith.extui %thread : i32 to i64
      %r = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %r : !llvm.ptr<1> -> f32
      %more = arith.addf %so_far, %x : f32
      scf.yield %more : f32
    } else {
      scf.yield %so_far : f32
    }
    scf.yield %next : f32
  }
  return %sum : f32
}

// 17 parts of which the first is any: the sum may wrap around. Of i8, 127 is followed by -128.
// CHECK-LABEL: func.func @wraps(
// CHECK: scf.if
// CHECK: arith.addi
// CHECK: arith.extsi
// CHECK: arith.extsi
// CHECK: scf.yield
func.func @wraps(%p: !llvm.ptr<1>, %any: i32, %is: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c17 = arith.constant 17 : index
  %c16_i32 = arith.constant 16 : i32
  %c8_i8 = arith.constant 8 : i8
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c17 step %c1 iter_args(%so_far = %zero) -> f32 {
    %part = arith.index_cast %i : index to i32
    %narrow = arith.index_cast %i : index to i8
    %next = scf.if %is -> f32 {
      %first = arith.muli %any, %c16_i32 : i32
      %number = arith.addi %first, %part : i32
      %wide = arith.extsi %number : i32 to i64
      %q = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %q : !llvm.ptr<1> -> f32
      %eights = arith.muli %narrow, %c8_i8 : i8
      %signed = arith.extsi %eights : i8 to i64
      %r = llvm.getelementptr %p[%signed] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %y = llvm.load %r : !llvm.ptr<1> -> f32
      %both = arith.addf %x, %y : f32
      %more = arith.addf %so_far, %both : f32
      scf.yield %more : f32
    } else {
      scf.yield %so_far : f32
    }
    scf.yield %next : f32
  }
  return %sum : f32
}

// Where threads meet there is a branch in any case.
// CHECK-LABEL: func.func @meets(
// CHECK: scf.if
// CHECK: llvm.getelementptr
// CHECK: llvm.getelementptr
// CHECK: nvvm.barrier
func.func @meets(%p: !llvm.ptr<1>, %thread: i64, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.if %is {
      %at = arith.index_cast %i : index to i64
      %q = llvm.getelementptr %p[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %r = llvm.getelementptr %q[%thread] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %r : !llvm.ptr<1> -> f32
      nvvm.barrier0
      llvm.store %x, %r : f32, !llvm.ptr<1>
    }
  }
  return
}

// Nor is a cast to more bits taken apart where the number may wrap around: index has 64. What is known of iterations that the branch takes is not known of the first.
// CHECK-LABEL: func.func @casts(
// CHECK: %[[START:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[NUMBER:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: arith.index_cast %[[NUMBER]] : i32 to index
// CHECK: llvm.getelementptr %[[START]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
func.func @casts(%p: !llvm.ptr<1>, %any: i32, %thread: i64, %is: i1, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%so_far = %zero) -> f32 {
    %next = scf.if %is -> f32 {
      %trip = arith.index_cast %i : index to i32
      %number = arith.addi %any, %trip : i32
      %place = arith.index_cast %number : i32 to index
      %wide = arith.index_cast %place : index to i64
      %q = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %q : !llvm.ptr<1> -> f32
      %at = arith.index_cast %i : index to i64
      %behind = arith.addi %at, %thread overflow<nsw> : i64
      %r = llvm.getelementptr inbounds %p[%behind] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %y = llvm.load %r : !llvm.ptr<1> -> f32
      %both = arith.addf %x, %y : f32
      %more = arith.addf %so_far, %both : f32
      scf.yield %more : f32
    } else {
      scf.yield %so_far : f32
    }
    scf.yield %next : f32
  }
  return %sum : f32
}
