// Products, ldmatrix and asynchronous copies as the instructions they become.

// RUN: split-file %s %t
// RUN: tile-opt --tile-set-target=target=sm_90a --convert-tile-to-nvvm %t/dots.mlir | FileCheck %s --check-prefix=DOT
// RUN: not tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %t/dots.mlir 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: tile-opt --tile-set-target=target=sm_90a --convert-tile-to-nvvm %t/f64.mlir | FileCheck %s --check-prefix=F64
// RUN: tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %t/f64.mlir | FileCheck %s --check-prefix=F64OLD
// RUN: tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %t/repeated.mlir | FileCheck %s --check-prefix=REPEATED
// RUN: tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %t/matrix.mlir | FileCheck %s --check-prefix=MATRIX
// RUN: tile-opt --tile-set-target=target=sm_80 --convert-tile-to-nvvm %t/copies.mlir | FileCheck %s --check-prefix=COPY

//--- dots.mlir
#d = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#a1 = #tile.register_layout<register[1,4] lane[8,4] register[2,1] register[1,2]>
#b1 = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#a2 = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b2 = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#a4 = #tile.register_layout<lane[8,4] register[2,1] register[1,2] register[1,2]>
#b4 = #tile.register_layout<lane[4,1] lane[1,8] register[2,1] register[2,1] register[1,2]>

// Two instructions an operand tile of 16 x 16.
// DOT-LABEL: llvm.func @f16
// DOT-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.*}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// DOT-NOT: nvvm.mma
tile.kernel @f16(%x: f16, %y: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f16 -> tensor<16x16xf16, #a2>
  %b = tile.splat %x : f16 -> tensor<16x16xf16, #b2>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x16xf16, #a2>, tensor<16x16xf16, #b2>, tensor<16x16xf32, #d>
  tile.return
}
// DOT-LABEL: llvm.func @bf16
// DOT-COUNT-2: "llvm.nvvm.mma.m16n8k16.row.col.bf16"
tile.kernel @bf16(%x: bf16, %y: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : bf16 -> tensor<16x16xbf16, #a2>
  %b = tile.splat %x : bf16 -> tensor<16x16xbf16, #b2>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x16xbf16, #a2>, tensor<16x16xbf16, #b2>, tensor<16x16xf32, #d>
  tile.return
}
// K of 16 is two instructions deep.
// DOT-LABEL: llvm.func @tf32
// DOT-COUNT-4: "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// DOT-NOT: nvvm.mma
tile.kernel @tf32(%x: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<16x16xf32, #a4>
  %b = tile.splat %x : f32 -> tensor<16x16xf32, #b4>
  %c = tile.splat %x : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c tf32 : tensor<16x16xf32, #a4>, tensor<16x16xf32, #b4>, tensor<16x16xf32, #d>
  tile.return
}
// DOT-LABEL: llvm.func @s8
// DOT-COUNT-2: "llvm.nvvm.mma.m16n8k32.row.col.s8"
tile.kernel @s8(%x: i8, %y: i32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : i8 -> tensor<16x32xi8, #a1>
  %b = tile.splat %x : i8 -> tensor<32x16xi8, #b1>
  %c = tile.splat %y : i32 -> tensor<16x16xi32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x32xi8, #a1>, tensor<32x16xi8, #b1>, tensor<16x16xi32, #d>
  tile.return
}
// DOT-LABEL: llvm.func @e4m3
// DOT-COUNT-2: "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"
// OLD: dots.mlir:[[#]]:8: error: 'tile.dot' op products of 'f8E4M3FN' need sm_89 or newer; the target is sm_80
// OLD-NOT: error
tile.kernel @e4m3(%x: f8E4M3FN, %y: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a1>
  %b = tile.splat %x : f8E4M3FN -> tensor<32x16xf8E4M3FN, #b1>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x32xf8E4M3FN, #a1>, tensor<32x16xf8E4M3FN, #b1>, tensor<16x16xf32, #d>
  tile.return
}
// DOT-LABEL: llvm.func @e5m2
// DOT-COUNT-2: "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32"
tile.kernel @e5m2(%x: f8E5M2, %y: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f8E5M2 -> tensor<16x32xf8E5M2, #a1>
  %b = tile.splat %x : f8E5M2 -> tensor<32x16xf8E5M2, #b1>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x32xf8E5M2, #a1>, tensor<32x16xf8E5M2, #b1>, tensor<16x16xf32, #d>
  tile.return
}
// Of two types.
// DOT-LABEL: llvm.func @e4m3_e5m2
// DOT-COUNT-2: "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"
tile.kernel @e4m3_e5m2(%x: f8E4M3FN, %z: f8E5M2, %y: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a1>
  %b = tile.splat %z : f8E5M2 -> tensor<32x16xf8E5M2, #b1>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x32xf8E4M3FN, #a1>, tensor<32x16xf8E5M2, #b1>, tensor<16x16xf32, #d>
  tile.return
}

// Half of the instruction's K: words of zeros beside those of the operands.
// DOT-LABEL: llvm.func @half
// DOT: %[[ZERO:.*]] = llvm.mlir.zero : i32
// DOT: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8"(%{{[^,]*}}, %{{[^,]*}}, %[[ZERO]]{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}})
#ah = #tile.register_layout<register[1,4] lane[8,4] register[2,1]>
#bh = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] register[1,2]>
tile.kernel @half(%x: i8, %y: i32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : i8 -> tensor<16x16xi8, #ah>
  %b = tile.splat %x : i8 -> tensor<16x16xi8, #bh>
  %c = tile.splat %y : i32 -> tensor<16x16xi32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x16xi8, #ah>, tensor<16x16xi8, #bh>, tensor<16x16xi32, #d>
  tile.return
}
// Of f8 it is a zero that ptxas does not know.
// DOT-LABEL: llvm.func @half_of_f8
// DOT-DAG: %[[OWN:.*]] = nvvm.read.ptx.sreg.lanemask.eq
// DOT-DAG: %[[BELOW:.*]] = nvvm.read.ptx.sreg.lanemask.lt
// DOT: %[[ZERO:.*]] = llvm.and %[[OWN]], %[[BELOW]] : i32
// DOT: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32"(%{{[^,]*}}, %{{[^,]*}}, %[[ZERO]], %[[ZERO]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}})
tile.kernel @half_of_f8(%x: f8E5M2, %y: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f8E5M2 -> tensor<16x16xf8E5M2, #ah>
  %b = tile.splat %x : f8E5M2 -> tensor<16x16xf8E5M2, #bh>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x16xf8E5M2, #ah>, tensor<16x16xf8E5M2, #bh>, tensor<16x16xf32, #d>
  tile.return
}
// Without tensor cores: 8 elements a thread, 16 steps.
// DOT-LABEL: llvm.func @ieee
// DOT-COUNT-128: llvm.intr.fma
// DOT-NOT: llvm.intr.fma
#df = #tile.register_layout<register[2,4] lane[8,4]>
#af = #tile.register_layout<register[2,1] register[1,16] lane*4 lane[8,1]>
#bf = #tile.register_layout<register[1,4] register[16,1] lane[1,4] lane*8>
tile.kernel @ieee(%x: f32) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<16x16xf32, #af>
  %b = tile.splat %x : f32 -> tensor<16x16xf32, #bf>
  %c = tile.splat %x : f32 -> tensor<16x16xf32, #df>
  %0 = tile.dot %a, %b, %c : tensor<16x16xf32, #af>, tensor<16x16xf32, #bf>, tensor<16x16xf32, #df>
  tile.return
}

//--- f64.mlir
#d = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#a8 = #tile.register_layout<16x16, register = [[8, 0], [0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
#b8 = #tile.register_layout<16x16, register = [[4, 0], [8, 0], [0, 8]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]>
// Before sm_90 each instruction is four.
// F64-LABEL: llvm.func @f64
// F64-COUNT-4: "llvm.nvvm.mma.m16n8k8.row.col.f64"
// F64-NOT: nvvm.mma
// F64OLD-LABEL: llvm.func @f64
// F64OLD-COUNT-16: "llvm.nvvm.mma.m8n8k4.row.col.f64"
// F64OLD-NOT: nvvm.mma
tile.kernel @f64(%x: f64) attributes {num_warps = 1 : i32} {
  %a = tile.splat %x : f64 -> tensor<16x16xf64, #a8>
  %b = tile.splat %x : f64 -> tensor<16x16xf64, #b8>
  %c = tile.splat %x : f64 -> tensor<16x16xf64, #d>
  %0 = tile.dot %a, %b, %c : tensor<16x16xf64, #a8>, tensor<16x16xf64, #b8>, tensor<16x16xf64, #d>
  tile.return
}

//--- repeated.mlir
// 64 x 64 x 32 with 4 warps: each has 32 x 32, which is 2 x 4 fragments, K is 2: 16 instructions.
#d = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] register[2,1] warp[1,2] warp[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] register[2,1] warp*2 warp[2,1]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[4,1] register[1,4] warp[1,2] warp*2>
// REPEATED-LABEL: llvm.func @repeated
// REPEATED-COUNT-16: nvvm.mma
// REPEATED-NOT: nvvm.mma
tile.kernel @repeated(%x: f16, %y: f32) {
  %a = tile.splat %x : f16 -> tensor<64x32xf16, #a>
  %b = tile.splat %x : f16 -> tensor<32x64xf16, #b>
  %c = tile.splat %y : f32 -> tensor<64x64xf32, #d>
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b>, tensor<64x64xf32, #d>
  tile.return
}

//--- matrix.mlir
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#s = #tile.shared_layout<16x16, swizzle<1,3,3>>
// Rows of A as they are; rows of B give columns of its fragments.
// MATRIX-LABEL: llvm.func @matrix
// MATRIX: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}, layout = #nvvm.mma_layout<row>, num = 4 : i32, {{.*}}}
// MATRIX: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}, layout = #nvvm.mma_layout<col>, num = 4 : i32, {{.*}}}
// MATRIX-NOT: ldmatrix
tile.kernel @matrix() attributes {num_warps = 1 : i32, shared_bytes = 512 : i64} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x16xf16, #s>
  %t = tile.local_load %s {matrix, vector_width = 8 : i64} : !tile.shared<16x16xf16, #s> -> tensor<16x16xf16, #a>
  %u = tile.local_load %s {matrix, vector_width = 8 : i64} : !tile.shared<16x16xf16, #s> -> tensor<16x16xf16, #b>
  tile.return
}

//--- copies.mlir
#rows = #tile.register_layout<register[1,8] lane[16,2]>
#narrow = #tile.register_layout<register[1,2] lane[4,8] register[4,1]>
#s = #tile.shared_layout<16x16, swizzle<1,3,3>>
!view = !tile.view<?x?xf16, [?, 1]>
!shared = !tile.shared<16x16xf16, #s>
// Outside of the view no byte is read, and zeros are written.
// COPY-LABEL: llvm.func @copies
// COPY: %[[BYTES:.*]] = {{.*}}select %{{.*}}, %{{.*}}, %{{.*}} : i{{1, i32|32}}
// COPY: llvm.inline_asm has_side_effects asm_dialect = att "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %{{.*}}, %{{.*}}, %[[BYTES]] :
// COPY: nvvm.cp.async.commit.group
// COPY: "@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,b,~{memory}"
// COPY-COUNT-4: "cp.async.ca.shared.global [$0], [$1], 4, $2;"
// COPY: nvvm.cp.async.commit.group
// COPY: nvvm.cp.async.wait.group 1
tile.kernel @copies(%A: !tile.ptr<f16>, %M: index, %i: index, %go: i1) attributes {num_warps = 1 : i32, shared_bytes = 512 : i64} {
  %v = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !view
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.copy_async %v[%i, %i], %s {registers = #rows, vector_width = 8 : i64} : !view, !shared
  tile.async_commit
  tile.copy_async %v[%i, %i] mask %go, %s {registers = #rows, vector_width = 8 : i64} : !view, !shared
  tile.copy_async %v[%i, %i], %s {registers = #narrow, vector_width = 2 : i64} : !view, !shared
  tile.async_commit
  tile.async_wait 1
  tile.return
}
