// Promises of promises are one, name their groups, and are made of remainders.

// RUN: tile-opt %s --tile-settle-promises | FileCheck %s

// CHECK-LABEL: tile.kernel @one
tile.kernel @one(%x: !tile.ptr<i32>, %n: index) {
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %i = tile.load %xs : tensor<128x!tile.ptr<i32>>
  // CHECK: %[[LOADED:.*]] = load
  // CHECK-NEXT: assume %[[LOADED]] divisibility [32] contiguity [16] :
  // CHECK-NOT: assume
  %a = tile.assume %i divisibility [16] : tensor<128xi32>
  %b = tile.assume %a contiguity [16] : tensor<128xi32>
  %c = tile.assume %b divisibility [32] : tensor<128xi32>
  %ps = tile.addptr %xs, %c : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}

// A tile that counts up has groups that are known.
// CHECK-LABEL: tile.kernel @groups
tile.kernel @groups(%x: !tile.ptr<i32>, %start: i32) {
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %iota = tile.iota 0 : tensor<128xi32>
  %i = arith.addi %starts, %iota : tensor<128xi32>
  // CHECK: assume %{{.*}} divisibility [128] contiguity [128] :
  %a = tile.assume %i divisibility [128] : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %a : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}

// CHECK-LABEL: tile.kernel @divisions
tile.kernel @divisions(%x: !tile.ptr<i32>, %m: i32 {tile.divisibility = 16}, %any: i32,
                       %shift: i32 {tile.divisibility = 16}) {
  %c128 = arith.constant 128 : i32
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %start = arith.muli %pid, %c128 : i32
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %iota = tile.iota 0 : tensor<128xi32>
  %i = arith.addi %starts, %iota : tensor<128xi32>
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16] :
  %rem = arith.remsi %i, %ms : tensor<128xi32>
  // CHECK: %[[DIV:.*]] = arith.divsi
  // CHECK-NEXT: assume %[[DIV]] constancy [16] :
  %div = arith.divsi %i, %ms : tensor<128xi32>
  // Nothing is known of the divisor, and the sign of a difference is not.
  // CHECK: arith.remsi
  // CHECK-NOT: assume
  %anys = tile.splat %any : i32 -> tensor<128xi32>
  %rest = arith.remsi %i, %anys : tensor<128xi32>
  %shifts = tile.splat %shift : i32 -> tensor<128xi32>
  %moved = arith.subi %i, %shifts : tensor<128xi32>
  %rolled = arith.remsi %moved, %ms : tensor<128xi32>
  %s1 = arith.addi %rem, %div : tensor<128xi32>
  %s2 = arith.addi %rest, %rolled : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %s1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %s2 : tensor<128x!tile.ptr<i32>>
  tile.return
}
