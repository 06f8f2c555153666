// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{divisibility=Y:16}))" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{divisibility=X:12}))" %s 2>&1 | FileCheck %s --check-prefix=TWELVE
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{divisibility=X}))" %s 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{divisibility=X:99999999999999999999}))" %s 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{divisibility=alpha:4}))" %s 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{num-warps=3}))" %s 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{num-warps=-4}))" %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{num-warps=8}))" %s 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{num-stages=9}))" %s 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{num-stages=-1}))" %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE-STAGES
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{disjoint=Y}))" %s 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{disjoint=alpha}))" %s 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{require=wgmma,wgma}))" %s 2>&1 | FileCheck %s --check-prefix=WORD

// WORD: error: nothing can require 'wgma': wgmma, tma, roles and persistent are known
// NOBODY: error: 'Y', which is disjoint, is no argument of 'copy'; it has: X, alpha
// NUMBER: error: {{.*}}'alpha' is no pointer: only what pointers reach may overlap or be disjoint
// UNKNOWN: specialize_invalid.mlir:[[@LINE+10]]:1: error: 'Y', which has a divisibility, is no argument of 'copy'; it has: X, alpha
// TWELVE: error: a divisibility is NAME:D with D a power of two from 1 to 2^30, not 'X:12'
// BARE: error: a divisibility is NAME:D with D a power of two from 1 to 2^30, not 'X'
// HUGE: error: a divisibility is NAME:D with D a power of two from 1 to 2^30, not 'X:99999999999999999999'
// FLOAT: error: {{.*}}'alpha' is a float: only integers and pointers have a divisibility
// WARPS: error: num-warps is a power of two from 1 to 32, not 3
// NEGATIVE: error: num-warps is a power of two from 1 to 32, not -4
// STAGES: error: num-stages is a number from 1 to 8, not 9
// NEGATIVE-STAGES: error: num-stages is a number from 1 to 8, not -1
// PLACED: error: {{.*}}has a register layout of 32 lanes and 4 warps; a warp has 32 lanes, and the kernel 8 warps
tile.kernel @copy(%X: !tile.ptr<f32>, %alpha: f32) {
  %t = tile.splat %alpha : f32 -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
  tile.return
}
