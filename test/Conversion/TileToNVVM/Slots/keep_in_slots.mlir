// What a loop over rows uses once an iteration, and registers do not hold, is in slots of threads in shared memory.
//
// RUN: tile-opt --keep-in-slots --split-input-file %s | FileCheck %s

module attributes {tile.target = "sm_90a"} {

// Of 32 registers a thread some are for what is computed: the sums leave.
// CHECK: llvm.mlir.global external @sums$slots() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @sums
// CHECK-SAME: tilewright.slot_bytes = 8192 : i64
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @sums$slots
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[BYTES:.*]] = arith.muli %[[TID]], %{{.*}} : i32
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[BASE]]
// CHECK: llvm.store %{{.*}}, %[[SLOT]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: %[[LEFT:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: nvvm.shfl.sync
// CHECK: llvm.load %[[SLOT]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: arith.addf
// CHECK: llvm.store %{{.*}}, %[[SLOT]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: scf.yield %{{.*}} : f32
// CHECK: llvm.load %[[SLOT]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
llvm.func @sums(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero, %before = %zero) -> (f32, f32, f32, f32, f32) {
    %x = llvm.load %row : !llvm.ptr<1> -> vector<4xf32>
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %x0 = llvm.extractelement %x[%i0 : i32] : vector<4xf32>
    %x1 = llvm.extractelement %x[%i1 : i32] : vector<4xf32>
    %x2 = llvm.extractelement %x[%i2 : i32] : vector<4xf32>
    %x3 = llvm.extractelement %x[%i3 : i32] : vector<4xf32>
    %s = nvvm.shfl.sync bfly %all, %x0, %one, %clamp : f32 -> f32
    %a1 = arith.addf %a, %x0 : f32
    %b1 = arith.addf %b, %x1 : f32
    %c2 = arith.addf %c, %x2 : f32
    %d1 = arith.addf %d, %x3 : f32
    // Taken twice, and so no sum.
    %e = arith.addf %before, %s : f32
    %f = arith.mulf %e, %before : f32
    scf.yield %a1, %b1, %c2, %d1, %f : f32, f32, f32, f32, f32
  }
  %ab = arith.addf %r#0, %r#1 : f32
  %cd = arith.addf %r#2, %r#3 : f32
  %abcd = arith.addf %ab, %cd : f32
  %sum = arith.addf %abcd, %r#4 : f32
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.return
}
}

// -----

// With room in registers all stays there.
module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @room
// CHECK-NOT: tilewright.slot_bytes
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32)
llvm.func @room(%m: i64, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (f32, f32, f32, f32) {
    %s = nvvm.shfl.sync bfly %all, %x, %one, %clamp : f32 -> f32
    %a1 = arith.addf %a, %s : f32
    %b1 = arith.addf %b, %s : f32
    %c2 = arith.addf %c, %s : f32
    %d1 = arith.addf %d, %s : f32
    scf.yield %a1, %b1, %c2, %d1 : f32, f32, f32, f32
  }
  %ab = arith.addf %r#0, %r#1 : f32
  llvm.store %ab, %out : f32, !llvm.ptr<1>
  llvm.return
}
}

// -----

// Words that are loaded in front of the loop, and those that it loads for its next iteration: these are copied, where the kernel does not write the array.
module attributes {tile.target = "sm_90a"} {
// Two slots take turns, so that the copy begins before anything of this row is read.
// CHECK-LABEL: llvm.func @ahead
// CHECK-SAME: tilewright.slot_bytes = 16384 : i64
// CHECK: %[[SLOT:.*]] = llvm.getelementptr
// CHECK: llvm.store %{{.*}}, %[[SLOT]]
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[TURN:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[BYTES:.*]] = arith.constant 8192 : i32
// CHECK: %[[OTHER:.*]] = arith.subi %[[BYTES]], %[[TURN]] : i32
// CHECK: %[[NEXT:.*]] = llvm.getelementptr inbounds %[[SLOT]][%[[OTHER]]]
// CHECK: cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %[[NEXT]], %{{.*}}, %{{.*}}
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK: %[[THIS:.*]] = llvm.getelementptr inbounds %[[SLOT]][%[[TURN]]]
// CHECK: llvm.load %[[THIS]]
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK: nvvm.shfl.sync
// CHECK: scf.yield %[[OTHER]] : i32
// CHECK: cp.async.wait_all;
// CHECK: llvm.getelementptr inbounds %[[SLOT]][%[[LAST]]]
// With room for one it is copied behind its reads.
// CHECK-LABEL: llvm.func @one_slot
// CHECK-SAME: tilewright.slot_bytes = 8192 : i64
// CHECK: %[[SLOT:.*]] = llvm.getelementptr
// CHECK: scf.for
// CHECK-NEXT: cp.async.wait_all;
// CHECK-NEXT: %[[ROW:.*]] = llvm.load %[[SLOT]]
// CHECK: cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %[[SLOT]], %{{.*}}, %{{.*}}
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK: nvvm.shfl.sync
// CHECK: }
// CHECK: cp.async.wait_all;
// So it is where the next address hangs on what this row says.
// CHECK-LABEL: llvm.func @hangs_on_row
// CHECK-SAME: tilewright.slot_bytes = 8192 : i64
// CHECK: scf.for
// CHECK-NEXT: cp.async.wait_all;
// CHECK-LABEL: llvm.func @written
// CHECK-NOT: cp.async
// CHECK-LABEL: llvm.func @used_now
// CHECK-NOT: cp.async
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: cp.async
// CHECK: llvm.return
llvm.func @ahead(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %x = llvm.load %row {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t = arith.addi %more, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1 : i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @one_slot(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 45056 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %x = llvm.load %row {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t = arith.addi %more, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1 : i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @hangs_on_row(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %at = llvm.getelementptr %row[%a] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %x = llvm.load %at {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t = arith.addi %more, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1 : i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @written(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %x = llvm.load %row : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t = arith.addi %more, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1 : i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @used_now(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %x = llvm.load %row {tilewright.read_only} : !llvm.ptr<1> -> vector<4xi32>
    %a1 = llvm.extractelement %x[%i0 : i32] : vector<4xi32>
    %b1 = llvm.extractelement %x[%i1 : i32] : vector<4xi32>
    %c2 = llvm.extractelement %x[%i2 : i32] : vector<4xi32>
    %d1 = llvm.extractelement %x[%i3 : i32] : vector<4xi32>
    %now = llvm.bitcast %x : vector<4xi32> to vector<4xf32>
    llvm.store %now, %out : vector<4xf32>, !llvm.ptr<1>
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %more = arith.addi %s, %ab : i32
    %t = arith.addi %more, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %a1, %b1, %c2, %d1 : i32, i32, i32, i32
  }
  llvm.return
}
}

// -----

// A branch may load for the next iteration, by instructions of 8 bytes, of which two fill a slot. Those of a row that begins anywhere copy only where their predicate holds, since
// elsewhere their addresses are none of vectors: there a word that somebody looks at is stored. Where no words of the loop are in slots, branches are left alone.
module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @branch
// CHECK-SAME: tilewright.slot_bytes = 40960 : i64
// CHECK: %[[SLOT:.*]] = llvm.getelementptr
// CHECK: %[[SECOND:.*]] = llvm.getelementptr {{.*}}%[[SLOT]][8]
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}}, %[[SLOT]] {alignment = 16 : i64} : vector<4xi32>
// CHECK: scf.for
// CHECK-NEXT: cp.async.wait_all;
// CHECK-NEXT: %[[ROW:.*]] = llvm.load %[[SLOT]]
// CHECK: scf.if
// CHECK: "@$3 cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,b,~{memory}" %[[SLOT]], %{{.*}}, %{{.*}}, %[[HOLDS:.*]] :
// CHECK-NOT: st.shared
// CHECK: "@$3 cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,b,~{memory}" %[[SECOND]], %{{.*}}, %{{.*}}, %[[HOLDS]] :
// CHECK: %[[NOT:.*]] = arith.xori %[[HOLDS]]
// CHECK: "@$0 st.shared.v2.b32 [$1], {$2, $3};", "b,r,r,r,~{memory}" %[[NOT]], %[[SECOND]], %{{.*}}, %{{.*}} :
// CHECK-NOT: ld.global
// CHECK: } else {
// CHECK: llvm.store %{{.*}}, %[[SLOT]] {alignment = 8 : i64} : vector<2xi32>
// CHECK: llvm.store %{{.*}}, %[[SECOND]] {alignment = 8 : i64} : vector<2xi32>
// CHECK: nvvm.shfl.sync
// CHECK-LABEL: llvm.func @branch_alone
// CHECK-NOT: cp.async
// CHECK: llvm.return
llvm.func @branch(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>, %holds: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %k0 = llvm.load %out : !llvm.ptr<1> -> vector<4xi32>
  %k00 = llvm.extractelement %k0[%i0 : i32] : vector<4xi32>
  %k01 = llvm.extractelement %k0[%i1 : i32] : vector<4xi32>
  %k02 = llvm.extractelement %k0[%i2 : i32] : vector<4xi32>
  %k03 = llvm.extractelement %k0[%i3 : i32] : vector<4xi32>
  %k1 = llvm.load %out : !llvm.ptr<1> -> vector<4xi32>
  %k10 = llvm.extractelement %k1[%i0 : i32] : vector<4xi32>
  %k11 = llvm.extractelement %k1[%i1 : i32] : vector<4xi32>
  %k12 = llvm.extractelement %k1[%i2 : i32] : vector<4xi32>
  %k13 = llvm.extractelement %k1[%i3 : i32] : vector<4xi32>
  %k2 = llvm.load %out : !llvm.ptr<1> -> vector<4xi32>
  %k20 = llvm.extractelement %k2[%i0 : i32] : vector<4xi32>
  %k21 = llvm.extractelement %k2[%i1 : i32] : vector<4xi32>
  %k22 = llvm.extractelement %k2[%i2 : i32] : vector<4xi32>
  %k23 = llvm.extractelement %k2[%i3 : i32] : vector<4xi32>
  %k3 = llvm.load %out : !llvm.ptr<1> -> vector<4xi32>
  %k30 = llvm.extractelement %k3[%i0 : i32] : vector<4xi32>
  %k31 = llvm.extractelement %k3[%i1 : i32] : vector<4xi32>
  %k32 = llvm.extractelement %k3[%i2 : i32] : vector<4xi32>
  %k33 = llvm.extractelement %k3[%i3 : i32] : vector<4xi32>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %next, %n : index
    %words:4 = scf.if %more -> (i32, i32, i32, i32) {
      %x = llvm.inline_asm has_side_effects asm_dialect = att {tilewright.read_only, tilewright.vector_of_row = true} "mov.b32 $0, 0;\0Amov.b32 $1, 0;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,~{memory}" %row, %holds : (!llvm.ptr<1>, i1) -> !llvm.struct<(i32, i32)>
      %y = llvm.inline_asm has_side_effects asm_dialect = att {tilewright.read_only, tilewright.vector_of_row = false} "mov.b32 $0, $4;\0Amov.b32 $1, $5;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r,r,~{memory}" %row, %holds, %one, %clamp : (!llvm.ptr<1>, i1, i32, i32) -> !llvm.struct<(i32, i32)>
      %x0 = llvm.extractvalue %x[0] : !llvm.struct<(i32, i32)>
      %x1 = llvm.extractvalue %x[1] : !llvm.struct<(i32, i32)>
      %y0 = llvm.extractvalue %y[0] : !llvm.struct<(i32, i32)>
      %y1 = llvm.extractvalue %y[1] : !llvm.struct<(i32, i32)>
      scf.yield %x0, %x1, %y0, %y1 : i32, i32, i32, i32
    } else {
      scf.yield %zero, %zero, %zero, %zero : i32, i32, i32, i32
    }
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %sum = arith.addi %s, %ab : i32
    %t = arith.addi %sum, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    %u00 = arith.addi %w, %k00 : i32
    %u01 = arith.addi %u00, %k01 : i32
    %u02 = arith.addi %u01, %k02 : i32
    %u03 = arith.addi %u02, %k03 : i32
    %u10 = arith.addi %u03, %k10 : i32
    %u11 = arith.addi %u10, %k11 : i32
    %u12 = arith.addi %u11, %k12 : i32
    %u13 = arith.addi %u12, %k13 : i32
    %u20 = arith.addi %u13, %k20 : i32
    %u21 = arith.addi %u20, %k21 : i32
    %u22 = arith.addi %u21, %k22 : i32
    %u23 = arith.addi %u22, %k23 : i32
    %u30 = arith.addi %u23, %k30 : i32
    %u31 = arith.addi %u30, %k31 : i32
    %u32 = arith.addi %u31, %k32 : i32
    %u33 = arith.addi %u32, %k33 : i32
    llvm.store %u33, %out : i32, !llvm.ptr<1>
    scf.yield %words#0, %words#1, %words#2, %words#3 : i32, i32, i32, i32
  }
  llvm.return
}
llvm.func @branch_alone(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>, %holds: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %next, %n : index
    %words:4 = scf.if %more -> (i32, i32, i32, i32) {
      %x = llvm.inline_asm has_side_effects asm_dialect = att {tilewright.read_only, tilewright.vector_of_row = true} "mov.b32 $0, 0;\0Amov.b32 $1, 0;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,~{memory}" %row, %holds : (!llvm.ptr<1>, i1) -> !llvm.struct<(i32, i32)>
      %y = llvm.inline_asm has_side_effects asm_dialect = att {tilewright.read_only, tilewright.vector_of_row = false} "mov.b32 $0, $4;\0Amov.b32 $1, $5;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r,r,~{memory}" %row, %holds, %one, %clamp : (!llvm.ptr<1>, i1, i32, i32) -> !llvm.struct<(i32, i32)>
      %x0 = llvm.extractvalue %x[0] : !llvm.struct<(i32, i32)>
      %x1 = llvm.extractvalue %x[1] : !llvm.struct<(i32, i32)>
      %y0 = llvm.extractvalue %y[0] : !llvm.struct<(i32, i32)>
      %y1 = llvm.extractvalue %y[1] : !llvm.struct<(i32, i32)>
      scf.yield %x0, %x1, %y0, %y1 : i32, i32, i32, i32
    } else {
      scf.yield %zero, %zero, %zero, %zero : i32, i32, i32, i32
    }
    %ab = arith.addi %a, %b : i32
    %s = nvvm.shfl.sync bfly %all, %ab, %one, %clamp : i32 -> i32
    %sum = arith.addi %s, %ab : i32
    %t = arith.addi %sum, %a : i32
    %u = arith.addi %t, %b : i32
    %v = arith.addi %u, %c : i32
    %w = arith.addi %v, %d : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    scf.yield %words#0, %words#1, %words#2, %words#3 : i32, i32, i32, i32
  }
  llvm.return
}

}

// -----

module attributes {tile.target = "sm_90a"} {

// Two halves of a slot have one type: here each has a slot.
// CHECK-LABEL: llvm.func @mixed
// CHECK-SAME: tilewright.slot_bytes = 32768 : i64
// CHECK: scf.for
// CHECK-COUNT-2: cp.async.ca.shared.global [$0], [$1], 8, $2;
// CHECK-NOT: cp.async.ca
llvm.func @mixed(%m: i64, %row: !llvm.ptr<1>, %out: !llvm.ptr<1>, %holds: i1, %h1: f16, %h2: bf16) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024>, nvvm.minctasm = 2 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %r:8 = scf.for %i = %c0 to %n step %c1 iter_args(%a0 = %h1, %a1 = %h1, %a2 = %h1, %a3 = %h1, %b0 = %h2, %b1 = %h2, %b2 = %h2, %b3 = %h2) -> (f16, f16, f16, f16, bf16, bf16, bf16, bf16) {
    %x = llvm.inline_asm has_side_effects asm_dialect = att {tilewright.read_only, tilewright.vector_of_row = true} "mov.b32 $0, 0;\0Amov.b32 $1, 0;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,~{memory}" %row, %holds : (!llvm.ptr<1>, i1) -> !llvm.struct<(i32, i32)>
    %xw0 = llvm.extractvalue %x[0] : !llvm.struct<(i32, i32)>
    %xv0 = llvm.bitcast %xw0 : i32 to vector<2xf16>
    %xe0 = llvm.extractelement %xv0[%i0 : i32] : vector<2xf16>
    %xe1 = llvm.extractelement %xv0[%i1 : i32] : vector<2xf16>
    %xw1 = llvm.extractvalue %x[1] : !llvm.struct<(i32, i32)>
    %xv1 = llvm.bitcast %xw1 : i32 to vector<2xf16>
    %xe2 = llvm.extractelement %xv1[%i0 : i32] : vector<2xf16>
    %xe3 = llvm.extractelement %xv1[%i1 : i32] : vector<2xf16>
    %y = llvm.inline_asm has_side_effects asm_dialect = att {tilewright.read_only, tilewright.vector_of_row = true} "mov.b32 $0, 0;\0Amov.b32 $1, 0;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,~{memory}" %row, %holds : (!llvm.ptr<1>, i1) -> !llvm.struct<(i32, i32)>
    %yw0 = llvm.extractvalue %y[0] : !llvm.struct<(i32, i32)>
    %yv0 = llvm.bitcast %yw0 : i32 to vector<2xbf16>
    %ye0 = llvm.extractelement %yv0[%i0 : i32] : vector<2xbf16>
    %ye1 = llvm.extractelement %yv0[%i1 : i32] : vector<2xbf16>
    %yw1 = llvm.extractvalue %y[1] : !llvm.struct<(i32, i32)>
    %yv1 = llvm.bitcast %yw1 : i32 to vector<2xbf16>
    %ye2 = llvm.extractelement %yv1[%i0 : i32] : vector<2xbf16>
    %ye3 = llvm.extractelement %yv1[%i1 : i32] : vector<2xbf16>
    %f0 = arith.extf %a0 : f16 to f32
    %f1 = arith.extf %a1 : f16 to f32
    %f2 = arith.extf %a2 : f16 to f32
    %f3 = arith.extf %a3 : f16 to f32
    %f4 = arith.extf %b0 : bf16 to f32
    %f5 = arith.extf %b1 : bf16 to f32
    %f6 = arith.extf %b2 : bf16 to f32
    %f7 = arith.extf %b3 : bf16 to f32
    %s0 = nvvm.shfl.sync bfly %all, %f0, %one, %clamp : f32 -> f32
    %s1 = arith.addf %s0, %f0 : f32
    %s2 = arith.addf %s1, %f1 : f32
    %s3 = arith.addf %s2, %f2 : f32
    %s4 = arith.addf %s3, %f3 : f32
    %s5 = arith.addf %s4, %f4 : f32
    %s6 = arith.addf %s5, %f5 : f32
    %s7 = arith.addf %s6, %f6 : f32
    %s8 = arith.addf %s7, %f7 : f32
    llvm.store %s8, %out : f32, !llvm.ptr<1>
    scf.yield %xe0, %xe1, %xe2, %xe3, %ye0, %ye1, %ye2, %ye3 : f16, f16, f16, f16, bf16, bf16, bf16, bf16
  }
  llvm.return
}
}
