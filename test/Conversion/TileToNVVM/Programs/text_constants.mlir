// Texts that the code prints stand in the module, and so does their place: that of an op which was inlined is one in a
// function.

// RUN: tile-opt %s --tile-placement --tile-lowering --mlir-print-debuginfo | FileCheck %s
// RUN: tile-compile %s -o - | FileCheck %s --check-prefix=PTX
// RUN: tile-compile %s -o - | FileCheck %s --check-prefix=ENDS

// CHECK: llvm.mlir.global private constant {{.*}}idx ()n{{.*}} loc(#[[MODULE:.*]])
// CHECK: llvm.mlir.global private constant {{.*}}("helper.py\00") {{.*}} loc(#[[MODULE]])
// CHECK: llvm.mlir.global private constant {{.*}}("it holds\00") {{.*}} loc(#[[MODULE]])
// CHECK: llvm.func @assert_inlined
// CHECK: } loc(#[[MODULE]])
// CHECK: loc(callsite(
// PTX-DAG: call.uni __assertfail
// PTX-DAG: vprintf,

// Nothing goes on behind an assertion that failed.
// ENDS: call.uni __assertfail
// ENDS-NEXT: callseq
// ENDS-NEXT: trap;

tile.kernel @assert_inlined(%X: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %holds = arith.cmpi sgt, %n, %zero : i32
  tile.assert %holds, "it holds" : i1 loc(#inlined)
  tile.print "n" %n : i32 loc(#inlined)
  tile.return
}
#callee = loc("helper.py":7:3)
#caller = loc("kernel.py":3:5)
#inlined = loc(callsite(#callee at #caller))
