// Of what a loop over rows loads element by element slots hold nothing: it counts as registers.
//
// RUN: tile-opt --keep-in-slots --split-input-file %s | FileCheck %s

// A loop that loads its next row by elements: ptxas is told of two blocks of 256 threads that are to have room. Not where the kernel has asked, where one block has 512 threads, where few elements are
// loaded, or where they are loaded in words or in a branch.
module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @elements_ahead
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK-LABEL: llvm.func @asked
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK-LABEL: llvm.func @one_block
// CHECK-NOT: nvvm.minctasm
// CHECK-LABEL: llvm.func @few
// CHECK-NOT: nvvm.minctasm
// CHECK-LABEL: llvm.func @words
// CHECK-NOT: nvvm.minctasm
// CHECK-LABEL: llvm.func @in_branch
// CHECK-NOT: nvvm.minctasm
// CHECK: llvm.return
llvm.func @elements_ahead(%m: i64, %row: !llvm.ptr<1>, %first: i16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:16 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %first, %x1 = %first, %x2 = %first, %x3 = %first, %x4 = %first, %x5 = %first, %x6 = %first, %x7 = %first, %x8 = %first, %x9 = %first, %x10 = %first, %x11 = %first, %x12 = %first, %x13 = %first, %x14 = %first, %x15 = %first) -> (i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16) {
    %next = llvm.load %row : !llvm.ptr<1> -> i16
    %wide = arith.extui %x0 : i16 to i32
    %of_lanes = nvvm.shfl.sync bfly %all, %wide, %one, %clamp : i32 -> i32
    llvm.store %of_lanes, %out : i32, !llvm.ptr<1>
    scf.yield %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next : i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16
  }
  llvm.return
}
llvm.func @asked(%m: i64, %row: !llvm.ptr<1>, %first: i16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, nvvm.minctasm = 1 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:16 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %first, %x1 = %first, %x2 = %first, %x3 = %first, %x4 = %first, %x5 = %first, %x6 = %first, %x7 = %first, %x8 = %first, %x9 = %first, %x10 = %first, %x11 = %first, %x12 = %first, %x13 = %first, %x14 = %first, %x15 = %first) -> (i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16) {
    %next = llvm.load %row : !llvm.ptr<1> -> i16
    %wide = arith.extui %x0 : i16 to i32
    %of_lanes = nvvm.shfl.sync bfly %all, %wide, %one, %clamp : i32 -> i32
    llvm.store %of_lanes, %out : i32, !llvm.ptr<1>
    scf.yield %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next : i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16
  }
  llvm.return
}
llvm.func @one_block(%m: i64, %row: !llvm.ptr<1>, %first: i16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:16 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %first, %x1 = %first, %x2 = %first, %x3 = %first, %x4 = %first, %x5 = %first, %x6 = %first, %x7 = %first, %x8 = %first, %x9 = %first, %x10 = %first, %x11 = %first, %x12 = %first, %x13 = %first, %x14 = %first, %x15 = %first) -> (i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16) {
    %next = llvm.load %row : !llvm.ptr<1> -> i16
    %wide = arith.extui %x0 : i16 to i32
    %of_lanes = nvvm.shfl.sync bfly %all, %wide, %one, %clamp : i32 -> i32
    llvm.store %of_lanes, %out : i32, !llvm.ptr<1>
    scf.yield %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next : i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16
  }
  llvm.return
}
llvm.func @few(%m: i64, %row: !llvm.ptr<1>, %first: i16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %first, %x1 = %first, %x2 = %first, %x3 = %first) -> (i16, i16, i16, i16) {
    %next = llvm.load %row : !llvm.ptr<1> -> i16
    %wide = arith.extui %x0 : i16 to i32
    %of_lanes = nvvm.shfl.sync bfly %all, %wide, %one, %clamp : i32 -> i32
    llvm.store %of_lanes, %out : i32, !llvm.ptr<1>
    scf.yield %next, %next, %next, %next : i16, i16, i16, i16
  }
  llvm.return
}
llvm.func @words(%m: i64, %row: !llvm.ptr<1>, %first: i16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:16 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %first, %x1 = %first, %x2 = %first, %x3 = %first, %x4 = %first, %x5 = %first, %x6 = %first, %x7 = %first, %x8 = %first, %x9 = %first, %x10 = %first, %x11 = %first, %x12 = %first, %x13 = %first, %x14 = %first, %x15 = %first) -> (i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16) {
    %word = llvm.load %row : !llvm.ptr<1> -> i32
    %halves = llvm.bitcast %word : i32 to vector<2xi16>
    %next = llvm.extractelement %halves[%one : i32] : vector<2xi16>
    %wide = arith.extui %x0 : i16 to i32
    %of_lanes = nvvm.shfl.sync bfly %all, %wide, %one, %clamp : i32 -> i32
    llvm.store %of_lanes, %out : i32, !llvm.ptr<1>
    scf.yield %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next : i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16
  }
  llvm.return
}
llvm.func @in_branch(%m: i64, %row: !llvm.ptr<1>, %first: i16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:16 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %first, %x1 = %first, %x2 = %first, %x3 = %first, %x4 = %first, %x5 = %first, %x6 = %first, %x7 = %first, %x8 = %first, %x9 = %first, %x10 = %first, %x11 = %first, %x12 = %first, %x13 = %first, %x14 = %first, %x15 = %first) -> (i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16) {
    %more = arith.cmpi ne, %i, %n : index
    %next = scf.if %more -> (i16) {
      %loaded = llvm.load %row : !llvm.ptr<1> -> i16
      scf.yield %loaded : i16
    } else {
      scf.yield %first : i16
    }
    %wide = arith.extui %x0 : i16 to i32
    %of_lanes = nvvm.shfl.sync bfly %all, %wide, %one, %clamp : i32 -> i32
    llvm.store %of_lanes, %out : i32, !llvm.ptr<1>
    scf.yield %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next, %next : i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16
  }
  llvm.return
}
}

// -----

// What is loaded element by element takes a register each, as long as it is under way.
module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @alone
// CHECK-SAME: tilewright.slot_bytes = 8192 : i64
// CHECK-LABEL: llvm.func @in_pairs
// CHECK-NOT: tilewright.slot_bytes
// CHECK: llvm.return
llvm.func @alone(%m: i64, %row: !llvm.ptr<1>, %first: f16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %all = arith.constant -1 : i32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:12 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero, %h0 = %first, %h1 = %first, %h2 = %first, %h3 = %first, %h4 = %first, %h5 = %first, %h6 = %first, %h7 = %first) -> (f32, f32, f32, f32, f16, f16, f16, f16, f16, f16, f16, f16) {
    %g0 = llvm.load %row : !llvm.ptr<1> -> f16
    %g1 = llvm.load %row : !llvm.ptr<1> -> f16
    %g2 = llvm.load %row : !llvm.ptr<1> -> f16
    %g3 = llvm.load %row : !llvm.ptr<1> -> f16
    %g4 = llvm.load %row : !llvm.ptr<1> -> f16
    %g5 = llvm.load %row : !llvm.ptr<1> -> f16
    %g6 = llvm.load %row : !llvm.ptr<1> -> f16
    %g7 = llvm.load %row : !llvm.ptr<1> -> f16
    %x = arith.extf %h0 : f16 to f32
    %s = nvvm.shfl.sync bfly %all, %x, %one, %clamp : f32 -> f32
    %a1 = arith.addf %a, %s : f32
    %b1 = arith.addf %b, %s : f32
    %c2 = arith.addf %c, %s : f32
    %d1 = arith.addf %d, %s : f32
    scf.yield %a1, %b1, %c2, %d1, %g0, %g1, %g2, %g3, %g4, %g5, %g6, %g7 : f32, f32, f32, f32, f16, f16, f16, f16, f16, f16, f16, f16
  }
  llvm.store %r#0, %out : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @in_pairs(%m: i64, %row: !llvm.ptr<1>, %first: f16, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512>, nvvm.minctasm = 4 : i32, tilewright.shared_bytes = 0 : i64} {
  %n = arith.index_cast %m : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %all = arith.constant -1 : i32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %clamp = arith.constant 31 : i32
  %r:12 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero, %h0 = %first, %h1 = %first, %h2 = %first, %h3 = %first, %h4 = %first, %h5 = %first, %h6 = %first, %h7 = %first) -> (f32, f32, f32, f32, f16, f16, f16, f16, f16, f16, f16, f16) {
    %w0 = llvm.load %row : !llvm.ptr<1> -> i32
    %v0 = llvm.bitcast %w0 : i32 to vector<2xf16>
    %g0 = llvm.extractelement %v0[%none : i32] : vector<2xf16>
    %g1 = llvm.extractelement %v0[%one : i32] : vector<2xf16>
    %w1 = llvm.load %row : !llvm.ptr<1> -> i32
    %v1 = llvm.bitcast %w1 : i32 to vector<2xf16>
    %g2 = llvm.extractelement %v1[%none : i32] : vector<2xf16>
    %g3 = llvm.extractelement %v1[%one : i32] : vector<2xf16>
    %w2 = llvm.load %row : !llvm.ptr<1> -> i32
    %v2 = llvm.bitcast %w2 : i32 to vector<2xf16>
    %g4 = llvm.extractelement %v2[%none : i32] : vector<2xf16>
    %g5 = llvm.extractelement %v2[%one : i32] : vector<2xf16>
    %w3 = llvm.load %row : !llvm.ptr<1> -> i32
    %v3 = llvm.bitcast %w3 : i32 to vector<2xf16>
    %g6 = llvm.extractelement %v3[%none : i32] : vector<2xf16>
    %g7 = llvm.extractelement %v3[%one : i32] : vector<2xf16>
    %x = arith.extf %h0 : f16 to f32
    %s = nvvm.shfl.sync bfly %all, %x, %one, %clamp : f32 -> f32
    %a1 = arith.addf %a, %s : f32
    %b1 = arith.addf %b, %s : f32
    %c2 = arith.addf %c, %s : f32
    %d1 = arith.addf %d, %s : f32
    scf.yield %a1, %b1, %c2, %d1, %g0, %g1, %g2, %g3, %g4, %g5, %g6, %g7 : f32, f32, f32, f32, f16, f16, f16, f16, f16, f16, f16, f16
  }
  llvm.store %r#0, %out : f32, !llvm.ptr<1>
  llvm.return
}
}
