// Which registers the user's PTX gets: elements of less than 32 bits are packed, the first one lowest; where a thread has
// fewer than the pack, the last one is repeated.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

#bytes = #tile.register_layout<register[4] lane[32]>
#two = #tile.register_layout<register[2] lane[32]>

// CHECK-LABEL: llvm.func @packs
// CHECK: %[[V:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: %[[R:.*]] = llvm.inline_asm asm_dialect = att "not.b32 $0, $1;", "=r,r" %[[V]] : (i32) -> i32
// CHECK: llvm.bitcast %[[R]] : i32 to vector<4xi8>
// Alone in its register, a byte is extended by zeros.
// CHECK-COUNT-4: llvm.inline_asm asm_dialect = att "neg.s16 $0, $1;", "=h,r" %{{.*}} : (i32) -> i16
// CHECK-NOT: inline_asm
// What is not pure has side effects.
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %{{.*}};", "=r,~{memory}" : () -> i32
tile.kernel @packs(%P: !tile.ptr<i8>, %x: i8) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : i8 -> tensor<128xi8, #bytes>
  %a = tile.inline_asm "not.b32 $0, $1;" constraints "=r,r" pack 4 pure (%t)
      : (tensor<128xi8, #bytes>) -> tensor<128xi8, #bytes>
  %b = tile.inline_asm "neg.s16 $0, $1;" constraints "=h,r" pure (%a)
      : (tensor<128xi8, #bytes>) -> tensor<128xi8, #bytes>
  %c = tile.inline_asm "mov.u32 $0, %clock;" constraints "=r,~{memory}" () : () -> i32
  tile.return
}

// CHECK-LABEL: llvm.func @repeats
// CHECK: %[[OWN:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: %[[AGAIN:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: %[[ALL:.*]] = llvm.inline_asm {{.*}} %[[OWN]], %[[AGAIN]] : (i32, i32) -> !llvm.struct<(i32, i32)>
// CHECK: llvm.extractvalue %[[ALL]][0]
// CHECK: llvm.extractvalue %[[ALL]][1]
tile.kernel @repeats(%P: !tile.ptr<i8>, %x: f16, %y: f16) attributes {num_warps = 1 : i32} {
  %s = tile.splat %x : f16 -> tensor<64xf16, #two>
  %d = tile.inline_asm "mov.b32 $0, $2; mov.b32 $1, $3;" constraints "=r,=r,r,r" pack 4 pure (%s)
      : (tensor<64xf16, #two>) -> tensor<64xf16, #two>
  tile.return
}
