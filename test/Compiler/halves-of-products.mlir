// Both halves of a product are those of one instruction.

// RUN: tile-compile %s --kernel=both --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=BOTH
// RUN: tile-compile %s --kernel=low_alone --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=LOW

// BOTH: mul.wide.u32
// BOTH-NOT: mul.{{hi|lo}}
// BOTH: ret;
tile.kernel @both(%X: !tile.ptr<i32>, %H: !tile.ptr<i32>, %L: !tile.ptr<i32>) {
  %c32 = arith.constant 32 : i64
  %f = arith.constant -766435501 : i32
  %wide = arith.constant 3528531795 : i64
  %x = tile.load %X : !tile.ptr<i32>
  %z = arith.extui %x : i32 to i64
  %p = arith.muli %z, %wide : i64
  %s = arith.shrui %p, %c32 : i64
  %h = arith.trunci %s : i64 to i32
  %l = arith.muli %x, %f : i32
  tile.store %H, %h : !tile.ptr<i32>
  tile.store %L, %l : !tile.ptr<i32>
  tile.return
}

// Of another factor it is a product of its own.
// LOW: mul.hi.u32
// LOW: mul.lo.s32
tile.kernel @low_alone(%X: !tile.ptr<i32>, %H: !tile.ptr<i32>, %L: !tile.ptr<i32>) {
  %c32 = arith.constant 32 : i64
  %f = arith.constant 12345677 : i32
  %wide = arith.constant 3528531795 : i64
  %x = tile.load %X : !tile.ptr<i32>
  %z = arith.extui %x : i32 to i64
  %p = arith.muli %z, %wide : i64
  %s = arith.shrui %p, %c32 : i64
  %h = arith.trunci %s : i64 to i32
  %l = arith.muli %x, %f : i32
  tile.store %H, %h : !tile.ptr<i32>
  tile.store %L, %l : !tile.ptr<i32>
  tile.return
}
