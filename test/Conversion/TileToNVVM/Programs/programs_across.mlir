// Programs along the second axis first: a division, unless a launch has one of them in a row, or
// more than there are below.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @across
// CHECK-DAG: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-DAG: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK-DAG: %[[NUM_X:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK-DAG: %[[NUM_Y:.*]] = nvvm.read.ptx.sreg.nctaid.y
// CHECK-DAG: %{{.*}}, %[[HIGH:.*]] = arith.mului_extended %[[NUM_X]], %[[NUM_Y]]
// CHECK-DAG: arith.cmpi eq, %[[HIGH]], %{{.*}}
// CHECK-DAG: arith.cmpi ugt, %[[NUM_Y]], %c1_i32
// CHECK-DAG: arith.cmpi ugt, %[[NUM_X]], %[[NUM_Y]]
// CHECK: %[[NUMBERS:.*]]:2 = scf.if
// CHECK: %[[BELOW:.*]] = arith.muli %[[Y]], %[[NUM_X]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[BELOW]], %[[X]]
// CHECK: arith.divui %[[PLACE]], %[[NUM_Y]]
// CHECK: arith.remui %[[PLACE]], %[[NUM_Y]]
// CHECK: } else {
// CHECK: scf.yield %[[X]], %[[Y]]
// CHECK-NOT: scf.if
tile.kernel @across(%A: !tile.ptr<i32>) attributes {tile.second_axis_first} {
  %p = tile.program_id 0
  %q = tile.program_id 1
  %pi = arith.index_cast %p : index to i32
  %qi = arith.index_cast %q : index to i32
  %a = tile.addptr %A, %pi : !tile.ptr<i32>, i32
  tile.store %a, %qi : !tile.ptr<i32>
  %again = tile.program_id 1
  %r = arith.index_cast %again : index to i32
  %b = tile.addptr %a, %r : !tile.ptr<i32>, i32
  tile.store %b, %pi : !tile.ptr<i32>
  tile.return
}
