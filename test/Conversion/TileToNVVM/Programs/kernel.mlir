// Kernels, their parameters and their place in the grid.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

// CHECK: llvm.func @parameters(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.*}}: !llvm.ptr<1> {llvm.align = 1 : i64}, %{{.*}}: i64, %{{.*}}: i32, %{{.*}}: bf16, %{{.*}}: i8, %{{.*}}: i1)
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>}
tile.kernel @parameters(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<i8>, %n: index, %k: i32, %x: bf16, %y: f8E5M2, %c: i1)
    attributes {num_warps = 8 : i32} {
  tile.return
}

// Four warps where nothing is said.
// CHECK: llvm.func @programs() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
// CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
// CHECK: arith.index_castui %[[X]] : i32 to index
// CHECK: nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 65535>
// CHECK: nvvm.read.ptx.sreg.ctaid.z range <i32, 0, 65535>
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK: nvvm.read.ptx.sreg.nctaid.y
// CHECK: nvvm.read.ptx.sreg.nctaid.z
// CHECK: llvm.return
tile.kernel @programs() {
  %0 = tile.program_id 0
  %1 = tile.program_id 1
  %2 = tile.program_id 2
  %3 = tile.num_programs 0
  %4 = tile.num_programs 1
  %5 = tile.num_programs 2
  tile.return
}

// Of a block that runs several programs at once the number is that of the first; how many programs there are, the launch says.
// CHECK: llvm.func @several(%[[PX:.*]]: i32, %[[PY:.*]]: i32, %[[PZ:.*]]: i32)
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK: arith.muli %[[BLOCK]], %[[EIGHT]] : i32
// CHECK: arith.index_castui %[[PY]]
// CHECK-NOT: nctaid
tile.kernel @several() attributes {block_programs = array<i32: 1, 8, 1>} {
  %0 = tile.program_id 1
  %1 = tile.num_programs 1
  tile.return
}

// Of a persistent kernel the numbers of programs are parameters, behind all others.
// CHECK: llvm.func @persistent(%{{.*}}: i64, %[[PX:.*]]: i32, %[[PY:.*]]: i32, %[[PZ:.*]]: i32)
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK-DAG: arith.index_castui %[[PX]]
// CHECK-DAG: arith.index_castui %[[PY]]
// CHECK-DAG: arith.index_castui %[[PZ]]
// CHECK-NOT: nctaid
tile.kernel @persistent(%n: index) attributes {persistent} {
  %0 = tile.block_id
  %1 = tile.num_blocks
  %2 = tile.num_programs 0
  %3 = tile.num_programs 1
  %4 = tile.num_programs 2
  tile.return
}

// Registers are to leave room for so many blocks.
// CHECK: llvm.func @counted() attributes {{.*}}nvvm.minctasm = 2 : i32
tile.kernel @counted() attributes {tile.blocks_per_sm = 2 : i32} {
  tile.return
}

// Where a loop carries nearly all that a thread has, one block is enough.
#wide = #tile.register_layout<lane[1,32] warp[4,1] register[32,4]>
#narrow = #tile.register_layout<lane[1,32] warp[4,1] register[32,2]>
// CHECK: llvm.func @full({{.*}}) attributes {{.*}}nvvm.minctasm = 1 : i32
tile.kernel @full(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant dense<0.0> : tensor<128x128xf32, #wide>
  %b = arith.constant dense<0.0> : tensor<128x64xf32, #narrow>
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
      -> (tensor<128x128xf32, #wide>, tensor<128x64xf32, #narrow>) {
    scf.yield %x, %y : tensor<128x128xf32, #wide>, tensor<128x64xf32, #narrow>
  }
  tile.return
}
// CHECK: llvm.func @half({{.*}}) attributes {
// CHECK-NOT: minctasm
tile.kernel @half(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant dense<0.0> : tensor<128x128xf32, #wide>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<128x128xf32, #wide>) {
    scf.yield %x : tensor<128x128xf32, #wide>
  }
  tile.return
}

// So it is where a thread has as many elements of a row.
#row = #tile.register_layout<lane[32] warp[4] register[256]>
// CHECK: llvm.func @long_row({{.*}}) attributes {{.*}}nvvm.minctasm = 1 : i32
tile.kernel @long_row(%p: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<32768xi32, #row>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>, #row>
  %ps = tile.addptr %s, %i : tensor<32768x!tile.ptr<f32>, #row>, tensor<32768xi32, #row>
  %x = tile.load %ps {vector_width = 1 : i64} : tensor<32768x!tile.ptr<f32>, #row>
  %m = tile.reduce %x axis 0 per_warp : tensor<32768xf32, #row> -> tensor<4xf32, #tile.register_layout<lane*32 warp[4]>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %y = arith.negf %x : tensor<32768xf32, #row>
  tile.store %ps, %y {vector_width = 1 : i64} : tensor<32768x!tile.ptr<f32>, #row>
  tile.return
}
#halves = #tile.register_layout<lane[32] warp[4] register[128]>
// CHECK: llvm.func @half_a_row({{.*}}) attributes {
// CHECK-NOT: minctasm
tile.kernel @half_a_row(%p: !tile.ptr<f16>) {
  %i = tile.iota 0 : tensor<16384xi32, #halves>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<16384x!tile.ptr<f16>, #halves>
  %ps = tile.addptr %s, %i : tensor<16384x!tile.ptr<f16>, #halves>, tensor<16384xi32, #halves>
  %h = tile.load %ps {vector_width = 1 : i64} : tensor<16384x!tile.ptr<f16>, #halves>
  %x = arith.extf %h : tensor<16384xf16, #halves> to tensor<16384xf32, #halves>
  %m = tile.reduce %x axis 0 per_warp : tensor<16384xf32, #halves> -> tensor<4xf32, #tile.register_layout<lane*32 warp[4]>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %y = arith.negf %h : tensor<16384xf16, #halves>
  %z = arith.negf %x : tensor<16384xf32, #halves>
  %t = arith.truncf %z : tensor<16384xf32, #halves> to tensor<16384xf16, #halves>
  %w = arith.addf %y, %t : tensor<16384xf16, #halves>
  tile.store %ps, %w {vector_width = 1 : i64} : tensor<16384x!tile.ptr<f16>, #halves>
  tile.return
}

// One thread runs it: the others end, and nothing has a predicate.
// CHECK: llvm.func @first_thread(
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[IS_OTHER:.*]] = arith.cmpi ne, %[[THREAD]],
// CHECK: "@$0 exit;", "b" %[[IS_OTHER]] :
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK-NEXT: llvm.return
tile.kernel @first_thread(%P: !tile.ptr<i32>) attributes {tile.first_thread} {
  %c1 = arith.constant 1 : i32
  %x = tile.load %P unshared : !tile.ptr<i32>
  %next = arith.addi %x, %c1 : i32
  tile.store %P, %next : !tile.ptr<i32>
  tile.return
}

// It waits for the kernel in front before it does anything else.
// CHECK: llvm.func @begins_early(
// CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "griddepcontrol.launch_dependents;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "griddepcontrol.wait;", "~{memory}"
// CHECK: nvvm.read.ptx.sreg.ctaid.x
tile.kernel @begins_early() attributes {begins_early} {
  %0 = tile.program_id 0
  tile.return
}
