// Arguments that are constants of one class of launches.

// DEFINE: %{constants} =
// DEFINE: %{specialize} = tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{constants=%{constants}}))"

// REDEFINE: %{constants} = stride:1,n:-7,on:1,wide:18446744073709551615,small:-128
// RUN: %{specialize} %s | FileCheck %s
// REDEFINE: %{constants} = stride:0,n:4294967289,on:0,wide:-9223372036854775808,small:255
// RUN: %{specialize} %s | FileCheck %s --check-prefix=OTHER

// The signature and the clauses stay, and so do the promises.
// CHECK-LABEL: tile.kernel @uses(
// CHECK-SAME: %X: !tile.ptr<i32>{{.*}}, %stride: index {tile.divisibility = 4 : i64}, %n: i32, %on: i1, %wide: i64, %small: i8
// CHECK-NEXT: shapes ["X[16, max(stride, 16)]"]
// CHECK-NEXT: grid ["stride"]
// CHECK-NEXT: reference ["X[i, j] = stride"]
// CHECK-DAG: %[[STRIDE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[N:.*]] = arith.constant -7 : i32
// CHECK-DAG: %[[ON:.*]] = arith.constant true
// CHECK-DAG: %[[WIDE:.*]] = arith.constant -1 : i64
// CHECK-DAG: %[[SMALL:.*]] = arith.constant -128 : i8
// CHECK: view %X, shape [16, %[[STRIDE]]], strides [%[[STRIDE]], 1]
// CHECK: assume %[[N]] divisibility [16] : i32
// CHECK: assume %[[STRIDE]] divisibility [2] : index
// CHECK: scf.if %[[ON]]
// CHECK: print "wide"{{.*}} %[[WIDE]]
// CHECK: print "small"{{.*}} %[[SMALL]]

// OTHER-LABEL: tile.kernel @uses(
// OTHER-DAG: arith.constant 0 : index
// OTHER-DAG: arith.constant -7 : i32
// OTHER-DAG: arith.constant false
// OTHER-DAG: arith.constant -9223372036854775808 : i64
// OTHER-DAG: arith.constant -1 : i8
tile.kernel @uses(%X: !tile.ptr<i32>, %stride: index {tile.divisibility = 4}, %n: i32, %on: i1, %wide: i64, %small: i8)
    shapes ["X[16, max(stride, 16)]"] grid ["stride"] reference ["X[i, j] = stride"] {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [16, %stride], strides [%stride, 1] : !tile.ptr<i32> -> !tile.view<16x?xi32, [?, 1]>
  %promised = tile.assume %n divisibility [16] : i32
  %even = tile.assume %stride divisibility [2] : index
  %t = tile.splat %promised : i32 -> tensor<16x16xi32>
  scf.if %on {
    tile.store_view %t, %x[%c0, %even] : tensor<16x16xi32>, !tile.view<16x?xi32, [?, 1]>
  }
  tile.print "wide" %wide : i64
  tile.print "small" %small : i8
  tile.return
}

// What nothing uses leaves nothing behind.
// CHECK-LABEL: tile.kernel @unused(
// CHECK-NEXT: return
tile.kernel @unused(%stride: i32, %n: i64, %on: i1, %wide: index, %small: i16) {
  tile.return
}
