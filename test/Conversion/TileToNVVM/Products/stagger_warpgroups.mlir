// Warpgroups begin a loop apart that multiplies, computes and multiplies.

// RUN: tile-opt --split-input-file --stagger-warpgroups %s | FileCheck %s

// Every other one of two waits, where there are eight trips or more.
// CHECK-LABEL: llvm.func @apart
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: %[[LENGTH:.*]] = arith.subi %[[LAST:.*]], %[[FIRST:.*]] : index
// CHECK: %[[LEAST:.*]] = arith.muli %[[STEP:.*]], %[[EIGHT]] : index
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %[[LENGTH]], %[[LEAST]] : index
// CHECK: %[[ODD:.*]] = arith.trunci %{{.*}} : i32 to i1
// CHECK: %[[WAITS:.*]] = arith.andi %[[LONG]], %[[ODD]] : i1
// CHECK: scf.if %[[WAITS]] {
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}%clock
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %[[STEP]]
llvm.func @apart(%first: i32, %last: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>} {
  %c1 = arith.constant 1 : index
  %from = arith.index_cast %first : i32 to index
  %to = arith.index_cast %last : i32 to index
  scf.for %k = %from to %to step %c1 {
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    nvvm.wgmma.commit.group.sync.aligned
  }
  llvm.return
}

// -----

// Two compute, and a third one copies.
// CHECK-LABEL: llvm.func @roles
// CHECK: %clock
// CHECK: scf.for
llvm.func @roles(%last: i32, %sum: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %threads = arith.constant 256 : i32
  %to = arith.index_cast %last : i32 to index
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %computes = arith.cmpi ult, %t, %threads : i32
  scf.if %computes {
    scf.for %k = %c0 to %to step %c1 {
      nvvm.wgmma.commit.group.sync.aligned
      %s = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0" %sum : (f32) -> f32
      nvvm.wgmma.commit.group.sync.aligned
    }
  }
  llvm.return
}

// -----

// One computes, and another one copies: there is nobody to be apart from.
// CHECK-LABEL: llvm.func @alone
// CHECK-NOT: %clock
llvm.func @alone(%last: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : i32
  %to = arith.index_cast %last : i32 to index
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %computes = arith.cmpi ult, %t, %threads : i32
  scf.if %computes {
    scf.for %k = %c0 to %to step %c1 {
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      nvvm.wgmma.commit.group.sync.aligned
    }
  }
  llvm.return
}

// -----

// Not where they meet in the loop, where the products before are waited for only, or all are waited for at the end.
// CHECK-LABEL: llvm.func @together
// CHECK-NOT: %clock
llvm.func @together(%last: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %to = arith.index_cast %last : i32 to index
  scf.for %k = %c0 to %to step %c1 {
    nvvm.barrier0
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    nvvm.wgmma.commit.group.sync.aligned
  }
  scf.for %k = %c0 to %to step %c1 {
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    nvvm.wgmma.commit.group.sync.aligned
  }
  scf.for %k = %c0 to %to step %c1 {
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
  }
  llvm.return
}
