// Numbers, infinities and NaN: as they are written, and the same after printing
// and reading again; and what they fold to.

// RUN: tile-opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: tile-opt --allow-unregistered-dialect %s | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt --allow-unregistered-dialect %s --canonicalize | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @constants
tile.kernel @constants(%p: !tile.ptr<f32>) {
  // CHECK: constant -inf : tensor<128xf32>
  // FOLDED-DAG: arith.constant dense<0xFF800000> : tensor<128xf32>
  %a = tile.constant -inf : tensor<128xf32>
  // CHECK: constant inf : f16
  // FOLDED-DAG: arith.constant 0x7C00 : f16
  %b = tile.constant inf : f16
  // CHECK: constant nan : bf16
  // FOLDED-DAG: arith.constant 0x7FC0 : bf16
  %c = tile.constant nan : bf16
  // CHECK: constant nan : f8E4M3FN
  // FOLDED-DAG: arith.constant 0x7F : f8E4M3FN
  %d = tile.constant nan : f8E4M3FN
  // CHECK: constant -inf : f64
  // FOLDED-DAG: arith.constant 0xFFF0000000000000 : f64
  %e = tile.constant -inf : f64
  // CHECK: constant 1.5{{0*}}e+00 : f32
  // FOLDED-DAG: arith.constant 1.500000e+00 : f32
  %f = tile.constant 1.5 : f32
  // CHECK: constant -2.0{{0*}}e+00 : tensor<64x64xf32>
  // FOLDED-DAG: arith.constant dense<-2.000000e+00> : tensor<64x64xf32>
  %g = tile.constant -2 : tensor<64x64xf32>
  // CHECK: constant -0.0e+00 : f32
  // FOLDED-DAG: arith.constant -0.000000e+00 : f32
  %h = tile.constant -0 : f32
  // The largest number of f16; rounded to even.
  // CHECK: constant 6.5504{{0*}}e+04 : f16
  // FOLDED-DAG: arith.constant 6.550400e+04 : f16
  %i = tile.constant 65504 : f16
  // CHECK: constant 2.56{{0*}}e+02 : bf16
  // FOLDED-DAG: arith.constant 2.560000e+02 : bf16
  %j = tile.constant 257 : bf16
  // CHECK: constant -1 : i8
  // FOLDED-DAG: arith.constant -1 : i8
  %k = tile.constant 255 : i8
  // CHECK: constant -128 : i8
  // FOLDED-DAG: arith.constant -128 : i8
  %l = tile.constant -128 : i8
  // CHECK: constant 1 : i1
  // FOLDED-DAG: arith.constant true
  %m = tile.constant 1 : i1
  // CHECK: constant -1 : i64
  // FOLDED-DAG: arith.constant -1 : i64
  %n = tile.constant 0xFFFFFFFFFFFFFFFF : i64
  // CHECK: constant 7 : tensor<4xindex>
  // FOLDED-DAG: arith.constant dense<7> : tensor<4xindex>
  %o = tile.constant 7 : tensor<4xindex>
  // CHECK: constant 1 {note = "kept"} : index
  %q = tile.constant 1 {note = "kept"} : index
  // A use for each, or none would be folded to anything.
  %x = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %x, %a : tensor<128x!tile.ptr<f32>>
  "test.use"(%b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o) : (f16, bf16, f8E4M3FN, f64, f32, tensor<64x64xf32>, f32, f16, bf16, i8, i8, i1, i64, tensor<4xindex>) -> ()
  tile.return
}
