// What is inside is told by where it stands: one comparison, where the place is a sum without carries.

// RUN: tile-compile %s --kernel=block --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=BLOCK
// BLOCK: or.b32 [[PLACE:%r[0-9]+]], [[START:%r[0-9]+]], %r{{[0-9]+}};
// BLOCK-NOT: sub.s32
// BLOCK-NOT: setp
// BLOCK: setp.lt.s32 %p{{[0-9]+}}, [[PLACE]],
// BLOCK-NOT: setp
// BLOCK: mul.wide.s32 %rd{{[0-9]+}}, [[PLACE]], 4;
// BLOCK: ld.global

// Where threads have several vectors and nobody wants their places, one comparison each with what is left.
// RUN: tile-compile %s --kernel=block --num-warps=4 --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=VECTORS
// VECTORS: setp.{{gt|lt}}.s32
// VECTORS: sub.s32
// VECTORS-COUNT-2: setp.{{gt|lt}}.u32
tile.kernel @block(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.disjoint}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.disjoint}, %n: i32 {tile.divisibility = 16 : i64})
    attributes {num_warps = 8 : i32} {
  %c1024 = arith.constant 1024 : i32
  %program = tile.program_id 0
  %number = arith.index_cast %program : index to i32
  %start = arith.muli %number, %c1024 : i32
  %i = tile.iota 0 : tensor<1024xi32>
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %places = arith.addi %starts, %i : tensor<1024xi32>
  %ends = tile.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %places, %ends : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %places : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %xp mask %inside : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %places : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %x mask %inside : tensor<1024x!tile.ptr<f32>>
  tile.return
}
