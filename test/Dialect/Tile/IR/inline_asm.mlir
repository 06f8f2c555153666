// PTX that the user writes, and what a running kernel prints: what is written is what is read.

// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @assembly
tile.kernel @assembly(%p: !tile.ptr<i8>, %n: i32, %i: index, %x: f32) {
  // CHECK: inline_asm "add.s32 $0, $1, 1;" constraints "=r,r" pure(%{{.*}}) : (i32) -> i32
  %a = tile.inline_asm "add.s32 $0, $1, 1;" constraints "=r,r" pure (%n) : (i32) -> i32
  // CHECK: inline_asm "mov.u32 $0, %clock; // $$" constraints "=r,~{memory}"() : () -> i32
  %b = tile.inline_asm "mov.u32 $0, %clock; // $$" constraints "=r,~{memory}" () : () -> i32
  // CHECK: inline_asm "{{.*}}" constraints "=r" unshared() : () -> i32
  %u = tile.inline_asm "mov.u32 $0, %clock;" constraints "=r" unshared () : () -> i32
  %s = tile.splat %n : i32 -> tensor<64xi32>
  %t = arith.trunci %s : tensor<64xi32> to tensor<64xi8>
  // CHECK: %{{.*}}:2 = inline_asm "{{.*}}" constraints "=r,=r,=r,r" pack 4 pure(%{{.*}}) : (tensor<64xi8>) -> (tensor<64xf16>, tensor<64xi8>)
  %h, %l = tile.inline_asm "mov.b32 $0, $3; mov.b32 $1, $3; mov.b32 $2, $3;" constraints "=r,=r,=r,r" pack 4 pure (%t)
      : (tensor<64xi8>) -> (tensor<64xf16>, tensor<64xi8>)
  // CHECK: inline_asm "mov.b64 $0, $1;" constraints "=l,l" pure(%{{.*}}) : (!tile.ptr<i8>) -> index
  %j = tile.inline_asm "mov.b64 $0, $1;" constraints "=l,l" pure (%p) : (!tile.ptr<i8>) -> index
  tile.return
}

// CHECK-LABEL: tile.kernel @prints
tile.kernel @prints(%p: !tile.ptr<f32>, %n: i32) {
  // CHECK: print " begins"
  tile.print " begins"
  // CHECK: print " p: " %{{.*}} hex : !tile.ptr<f32>
  tile.print " p: " %p hex : !tile.ptr<f32>
  %s = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: print " s: " %{{.*}} hex unsigned : tensor<64xi32>
  tile.print " s: " %s hex unsigned : tensor<64xi32>
  tile.return
}
