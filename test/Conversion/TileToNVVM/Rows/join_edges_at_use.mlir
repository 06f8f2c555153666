// A loop carries a row as it was loaded, in the order of the loads, and joins its edges where it uses it.

// RUN: tile-opt --join-edges-at-use --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @ahead
// CHECK: %[[FIRST:.*]]:2 = scf.if %{{.*}} -> (i32, i16) {
// CHECK-NOT: joins_edges
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[WORD:.*]] = %[[FIRST]]#0, %[[EDGE:.*]] = %[[FIRST]]#1) -> (i32, i32, i16) {
// CHECK: %[[NEXT:.*]]:2 = scf.if %{{.*}} -> (i32, i16) {
// CHECK-NOT: joins_edges
// CHECK: } else {
// CHECK: %[[HAS:.*]] = arith.cmpi eq, %[[I]]
// CHECK: %[[JOINED:.*]] = scf.if %[[HAS]] -> (i32) {
// CHECK: arith.extui %[[EDGE]]
// CHECK: } else {
// CHECK: scf.yield %[[WORD]] : i32
// CHECK: } {tile.joins_edges}
// CHECK: arith.addi %{{.*}}, %[[JOINED]] : i32
// CHECK: scf.yield %{{.*}}, %[[NEXT]]#0, %[[NEXT]]#1 : i32, i32, i16
llvm.func @ahead(%p: !llvm.ptr<1>, %e: !llvm.ptr<1>, %m: i64, %there: i1) -> i32 {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %first = scf.if %there -> (i32) {
    %word = llvm.load %p : !llvm.ptr<1> -> i32
    %edge = llvm.load %e : !llvm.ptr<1> -> i16
    %has = arith.cmpi eq, %c0, %c5 : index
    %joined = scf.if %has -> (i32) {
      %wide = arith.extui %edge : i16 to i32
      scf.yield %wide : i32
    } else {
      scf.yield %word : i32
    } {tile.joins_edges}
    scf.yield %joined : i32
  } else {
    scf.yield %zero : i32
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %row = %first) -> (i32, i32) {
    %number = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %number, %n : index
    %next = scf.if %more -> (i32) {
      %word = llvm.load %p : !llvm.ptr<1> -> i32
      %edge = llvm.load %e : !llvm.ptr<1> -> i16
      %has = arith.cmpi eq, %number, %c5 : index
      %joined = scf.if %has -> (i32) {
        %wide = arith.extui %edge : i16 to i32
        scf.yield %wide : i32
      } else {
        scf.yield %word : i32
      } {tile.joins_edges}
      scf.yield %joined : i32
    } else {
      scf.yield %zero : i32
    }
    %s = arith.addi %sum, %row : i32
    scf.yield %s, %next : i32, i32
  } {tile.loads_ahead}
  llvm.return %r#0 : i32
}

// What is used before the next one is loaded stays as it is.
// CHECK-LABEL: llvm.func @used_before
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[ROW:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK-NEXT: arith.addi %[[SUM]], %[[ROW]] : i32
llvm.func @used_before(%p: !llvm.ptr<1>, %e: !llvm.ptr<1>, %m: i64, %there: i1) -> i32 {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %first = scf.if %there -> (i32) {
    %word = llvm.load %p : !llvm.ptr<1> -> i32
    %edge = llvm.load %e : !llvm.ptr<1> -> i16
    %has = arith.cmpi eq, %c0, %c5 : index
    %joined = scf.if %has -> (i32) {
      %wide = arith.extui %edge : i16 to i32
      scf.yield %wide : i32
    } else {
      scf.yield %word : i32
    } {tile.joins_edges}
    scf.yield %joined : i32
  } else {
    scf.yield %zero : i32
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %row = %first) -> (i32, i32) {
    %s = arith.addi %sum, %row : i32
    %number = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %number, %n : index
    %next = scf.if %more -> (i32) {
      %word = llvm.load %p : !llvm.ptr<1> -> i32
      %edge = llvm.load %e : !llvm.ptr<1> -> i16
      %has = arith.cmpi eq, %number, %c5 : index
      %joined = scf.if %has -> (i32) {
        %wide = arith.extui %edge : i16 to i32
        scf.yield %wide : i32
      } else {
        scf.yield %word : i32
      } {tile.joins_edges}
      scf.yield %joined : i32
    } else {
      scf.yield %zero : i32
    }
    scf.yield %s, %next : i32, i32
  } {tile.loads_ahead}
  llvm.return %r#0 : i32
}

// A loop that does not say that it loads ahead may look at what it has not loaded.
// CHECK-LABEL: llvm.func @of_another_kind
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[ROW:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK: scf.if
// CHECK: } {tile.joins_edges}
// CHECK: arith.addi %[[SUM]], %[[ROW]] : i32
llvm.func @of_another_kind(%p: !llvm.ptr<1>, %e: !llvm.ptr<1>, %m: i64, %there: i1) -> i32 {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %first = scf.if %there -> (i32) {
    %word = llvm.load %p : !llvm.ptr<1> -> i32
    %edge = llvm.load %e : !llvm.ptr<1> -> i16
    %has = arith.cmpi eq, %c0, %c5 : index
    %joined = scf.if %has -> (i32) {
      %wide = arith.extui %edge : i16 to i32
      scf.yield %wide : i32
    } else {
      scf.yield %word : i32
    } {tile.joins_edges}
    scf.yield %joined : i32
  } else {
    scf.yield %zero : i32
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %row = %first) -> (i32, i32) {
    %number = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %number, %n : index
    %next = scf.if %more -> (i32) {
      %word = llvm.load %p : !llvm.ptr<1> -> i32
      %edge = llvm.load %e : !llvm.ptr<1> -> i16
      %has = arith.cmpi eq, %number, %c5 : index
      %joined = scf.if %has -> (i32) {
        %wide = arith.extui %edge : i16 to i32
        scf.yield %wide : i32
      } else {
        scf.yield %word : i32
      } {tile.joins_edges}
      scf.yield %joined : i32
    } else {
      scf.yield %zero : i32
    }
    %s = arith.addi %sum, %row : i32
    scf.yield %s, %next : i32, i32
  }
  llvm.return %r#0 : i32
}
