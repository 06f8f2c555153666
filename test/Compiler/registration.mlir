// The dialects that every tool knows.

// RUN: tile-opt --show-dialects | FileCheck %s
// CHECK: Available Dialects:
// CHECK-SAME: arith
// CHECK-SAME: func
// CHECK-SAME: llvm
// CHECK-SAME: math
// CHECK-SAME: nvvm
// CHECK-SAME: scf
