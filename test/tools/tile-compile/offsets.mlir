// What becomes of the offsets of a thread: masks of 32 bits where the numbers have as many, and one xor of what the elements of a
// thread have in common where they are hashed.

// RUN: tile-compile %s --target=sm_90a | FileCheck %s

// CHECK-NOT: setp{{.*}}64
// CHECK: xor.b32 [[COMMON:%r[0-9]+]], %r{{[0-9]+}}, %r{{[0-9]+}};
// CHECK-DAG: xor.b32 %r{{[0-9]+}}, [[COMMON]], 1;
// CHECK-DAG: xor.b32 %r{{[0-9]+}}, [[COMMON]], 2;
// CHECK-DAG: xor.b32 %r{{[0-9]+}}, [[COMMON]], 3;
// CHECK-NOT: setp{{.*}}64
tile.kernel @hash(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) {
  %c512 = arith.constant 512 : i32
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %start = arith.muli %pid, %c512 : i32
  %starts = tile.splat %start : i32 -> tensor<512xi32>
  %iota = tile.iota 0 : tensor<512xi32>
  %i = arith.addi %starts, %iota : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %in = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %i : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %qs = tile.addptr %ys, %i : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %x = tile.load %ps mask %in : tensor<512x!tile.ptr<i32>>
  %nine = tile.constant 9 : tensor<512xi32>
  %high = arith.shrui %i, %nine : tensor<512xi32>
  %hash = arith.xori %i, %high : tensor<512xi32>
  %y = arith.muli %x, %hash : tensor<512xi32>
  tile.store %qs, %y mask %in : tensor<512x!tile.ptr<i32>>
  tile.return
}
