// A kernel that does not compute its reference: the exit code says so, and the
// output where.

// RUN: not tile-run %s --device=sim --kernel=off_by_one --args n=10 --check | FileCheck %s
// CHECK: check     Y: 10 WRONG, checked 10 of 10 elements
// CHECK-NEXT: Y[0]: expected {{-?[0-9]+}}, got {{-?[0-9]+}} (0x
// CHECK: Y[7]:
// CHECK-NEXT: ... and 2 more

// RUN: not tile-run %s --device=sim --kernel=off_by_one --args n=10 --check --json | FileCheck %s --check-prefix=JSON
// JSON: "passed": false

// The inputs come from the seed.
// RUN: not tile-run %s --device=sim --kernel=off_by_one --args n=10 --check --seed=1 > %t.1
// RUN: not tile-run %s --device=sim --kernel=off_by_one --args n=10 --check --seed=1 | diff %t.1 -
// RUN: not tile-run %s --device=sim --kernel=off_by_one --args n=10 --check --seed=2 | not diff %t.1 -

// Without --check nothing is compared, and nothing said of it.
// RUN: tile-run %s --device=sim --kernel=off_by_one --args n=10 | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED: check     none

tile.kernel @off_by_one(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, 64)"] reference ["Y[i] = X[i]"] {
  %c64 = arith.constant 64 : index
  %one = arith.constant dense<1> : tensor<64xi32>
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xi32, [1]> -> tensor<64xi32>
  %u = arith.addi %t, %one : tensor<64xi32>
  tile.store_view %u, %y[%start] : tensor<64xi32>, !tile.view<?xi32, [1]>
  tile.return
}

// The last element is never written.
// RUN: not tile-run %s --device=sim --kernel=too_short --args n=100 --check | FileCheck %s --check-prefix=SHORT
// SHORT: check     Y: 36 WRONG (36 never written), checked 100 of 100 elements
// SHORT-NEXT: Y[64]: expected {{.*}}, got

tile.kernel @too_short(%Y: !tile.ptr<i32>, %n: index)
    shapes ["Y[n]"] grid ["n / 64"] reference ["Y[i] = i"] {
  %c64 = arith.constant 64 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : index
  %iota = tile.iota 0 : tensor<64xi32>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  tile.store_view %iota, %y[%start] : tensor<64xi32>, !tile.view<?xi32, [1]>
  tile.return
}

// Stores without a mask leave the tensor: the simulator says where, with the
// line of the source.
// RUN: not tile-run %s --device=sim --kernel=no_mask --args n=10 --check 2>&1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: tile-run: error: the simulator found:
// BOUNDS-NEXT: no_mask: {{.*}}wrong.mlir:[[#@LINE+8]]: out-of-bounds: PTX line {{.*}} writes 4 bytes

tile.kernel @no_mask(%Y: !tile.ptr<i32>, %n: index)
    shapes ["Y[n]"] grid ["1"] reference ["Y[i] = i"] {
  %iota = tile.iota 0 : tensor<64xi32>
  %places = tile.iota 0 : tensor<64xindex>
  %base = tile.splat %Y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %y = tile.addptr %base, %places : tensor<64x!tile.ptr<i32>>, tensor<64xindex>
  tile.store %y, %iota : tensor<64x!tile.ptr<i32>>
  tile.return
}
