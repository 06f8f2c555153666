// Two iterations become one, whose products are under way while the next one's left operands are read.

// RUN: tile-opt --split-input-file --alternate-fragments %s | FileCheck %s

// The last one of an odd number stands behind the loop.
// CHECK-LABEL: llvm.func @pairs
// CHECK-SAME: %[[FROM:[^:]*]]: i32, %[[TO:[^:]*]]: i32, %[[STEP:[^:]*]]: i32
// CHECK: %[[LAST:.*]] = arith.subi %[[TO]], %[[STEP]] : i32
// CHECK: %[[TWO:.*]] = arith.addi %[[STEP]], %[[STEP]] : i32
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[FROM]] to %[[LAST]] step %[[TWO]] iter_args(%[[S:.*]] = %{{.*}}, %{{.*}} = %[[FROM]])
// CHECK: %[[W:.*]] = llvm.load
// CHECK: %[[S1:.*]] = llvm.inline_asm {{.*}}"wgmma{{.*}} %[[S]], %[[W]]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: llvm.getelementptr %{{.*}}[%[[NEXT]]]
// CHECK: %[[W2:.*]] = llvm.load
// CHECK: %[[S2:.*]] = llvm.inline_asm {{.*}}"wgmma{{.*}} %[[S1]], %[[W2]]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: %[[BEHIND:.*]] = arith.addi %[[NEXT]], %[[STEP]]
// CHECK: scf.yield %[[S2]], %[[BEHIND]]
// CHECK: %[[ODD:.*]] = arith.cmpi slt, %[[LOOP]]#1, %[[TO]] : i32
// CHECK: %[[SUM:.*]] = scf.if %[[ODD]]
// CHECK: llvm.getelementptr %{{.*}}[%[[LOOP]]#1]
// CHECK: %[[W3:.*]] = llvm.load
// CHECK: %[[S3:.*]] = llvm.inline_asm {{.*}}"wgmma{{.*}} %[[LOOP]]#0, %[[W3]]
// CHECK: scf.yield %[[S3]]
// CHECK: scf.yield %[[LOOP]]#0
// CHECK: llvm.inline_asm {{.*}}"use{{.*}} %[[SUM]]
llvm.func @pairs(%from: i32, %to: i32, %step: i32, %zero: f32, %p: !llvm.ptr<3>) {
  %r = scf.for %i = %from to %to step %step iter_args(%s = %zero) -> (f32) : i32 {
    %at = llvm.getelementptr %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %w = llvm.load %at : !llvm.ptr<3> -> i32
    %d = llvm.inline_asm has_side_effects {tilewright.left_words = array<i32: 1, 1>} "wgmma", "=f,0,r" %s, %w : (f32, i32) -> f32
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    scf.yield %d : f32
  }
  llvm.inline_asm has_side_effects "use", "f" %r : (f32) -> ()
  llvm.return
}

// -----

// Each is waited for in its iteration.
// CHECK-LABEL: llvm.func @waits
// CHECK-NOT: arith.subi
llvm.func @waits(%to: i32, %zero: f32, %p: !llvm.ptr<3>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %to step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %w = llvm.load %p : !llvm.ptr<3> -> i32
    %d = llvm.inline_asm has_side_effects {tilewright.left_words = array<i32: 1, 1>} "wgmma", "=f,0,r" %s, %w : (f32, i32) -> f32
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    scf.yield %d : f32
  }
  llvm.return
}

// -----

// All iterations take the same words.
// CHECK-LABEL: llvm.func @same
// CHECK-NOT: arith.subi
llvm.func @same(%to: i32, %zero: f32, %w: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %to step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %d = llvm.inline_asm has_side_effects {tilewright.left_words = array<i32: 1, 1>} "wgmma", "=f,0,r" %s, %w : (f32, i32) -> f32
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    scf.yield %d : f32
  }
  llvm.return
}
