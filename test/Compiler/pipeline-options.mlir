// The pipelines in tile-opt take the options of the compiler, and say what is
// wrong with one.

// RUN: tile-opt %examples/transpose_f32.mlir --tile-placement="target=sm_80 num-warps=2 shared-layout=pad:1" | FileCheck %s
// CHECK: num_warps = 2 : i32
// CHECK: #tile.shared_layout<64x128, pad 1 every

// RUN: tile-opt %examples/transpose_f32.mlir --tile-placement --tile-lowering | FileCheck %s --check-prefix=THREADS
// THREADS: llvm.func @transpose_f32(

// Blocks are moved in rows only where gaps may be read.
// RUN: tile-opt %examples/transpose_odd_i8.mlir --tile-placement | FileCheck %s --check-prefix=GAPS
// GAPS: copy_sectors
// RUN: tile-opt %examples/transpose_odd_i8.mlir --tile-placement=reads-gaps=false | FileCheck %s --check-prefix=NO-GAPS
// NO-GAPS-NOT: copy_{{rows|sectors}}
// NO-GAPS: store_view
// NO-GAPS-NOT: copy_{{rows|sectors}}

// RUN: not tile-opt %s --tile-placement=target=sm_70 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="LLVM ERROR"
// TARGET: unknown target 'sm_70': the known targets are sm_80
// RUN: not tile-opt %examples/copy_f32.mlir --tile-placement=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: copy_f32.mlir:9:1: error: num-warps is a power of two from 1 to 32, not 3
// RUN: not tile-opt %examples/copy_f32.mlir --tile-placement=shared-layout=zigzag 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: copy_f32.mlir:9:1: error: unknown shared layout policy 'zigzag'; expected auto, none, pad, pad:N or swizzle
// RUN: not tile-opt %examples/copy_f32.mlir --tile-placement=num-stages=-1 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: copy_f32.mlir:9:1: error: num-stages is a number from 1 to 8, not -1
// RUN: not tile-opt %s --tile-placement=colour=red 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option colour
