// Loads by tiles of pointers that a loop moves run ahead, over stores only where these cannot meet.

// RUN: tile-opt --tile-placement %s 2>/dev/null | FileCheck %s
// RUN: tile-opt --tile-specialize=disjoint=C --tile-placement %s 2>/dev/null | FileCheck %s --check-prefix=APART

// A loop that stores through pointers, which promise nothing.
// CHECK-LABEL: tile.kernel @stores
// CHECK-NOT: copy_async
// CHECK: scf.for
// CHECK-NOT: copy_async
// CHECK: return
// What the launch knows lets them run ahead.
// APART-LABEL: tile.kernel @stores
// APART: copy_async {{.*}}tensor<32x32x!tile.ptr<f32>
// APART: scf.for
// APART-NOT: tile.load
// APART: copy_async {{.*}}tensor<32x32x!tile.ptr<f32>
// APART-NOT: tile.load
// APART: return
tile.kernel @stores(%A: !tile.ptr<f32> {tile.divisibility = 16}, %C: !tile.ptr<f32> {tile.divisibility = 16},
                    %n: i32 {tile.divisibility = 16}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %iota = tile.iota 0 : tensor<32xi32>
  %rows = tile.expand_dims %iota {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ns = tile.splat %n : i32 -> tensor<32x1xi32>
  %row = arith.muli %rows, %ns : tensor<32x1xi32>
  %r = tile.broadcast %row : tensor<32x1xi32> -> tensor<32x32xi32>
  %c = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %i = arith.addi %r, %c : tensor<32x32xi32>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %cs = tile.splat %C : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %first = tile.addptr %as, %i : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %stored = tile.addptr %cs, %i : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %steps = arith.constant dense<32> : tensor<32x32xi32>
  %r2:3 = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero, %ps = %first, %qs = %stored)
      -> (tensor<32x32xf32>, tensor<32x32x!tile.ptr<f32>>, tensor<32x32x!tile.ptr<f32>>) {
    %t = tile.load %ps : tensor<32x32x!tile.ptr<f32>>
    %next = tile.dot %t, %acc, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store %qs, %next : tensor<32x32x!tile.ptr<f32>>
    %p2 = tile.addptr %ps, %steps : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    %q2 = tile.addptr %qs, %steps : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    scf.yield %next, %p2, %q2 : tensor<32x32xf32>, tensor<32x32x!tile.ptr<f32>>, tensor<32x32x!tile.ptr<f32>>
  }
  tile.return
}
