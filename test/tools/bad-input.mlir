// Text that is no IR is one message with its place, and a failure.

// RUN: not tile-opt %s 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: bad-input.mlir:[[@LINE+5]]:{{[0-9]+}}: error:

// RUN: not tile-opt %t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot open input file '{{.*}}.absent'

func.func @f( {
