// Halves that were made wider for a product of tf32 are multiplied as halves.

// RUN: tile-opt --split-input-file --tile-multiply-halves %s | FileCheck %s

// CHECK-LABEL: tile.kernel @both
// CHECK: %[[A:.*]] = {{.*}}splat %{{.*}} : f16 -> tensor<32x64xf16>
// CHECK: %[[B:.*]] = {{.*}}splat %{{.*}} : f16 -> tensor<64x32xf16>
// CHECK: dot %[[A]], %[[B]], %{{.*}} : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
tile.kernel @both(%x: f16, %y: f16) attributes {num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.splat %x : f16 -> tensor<32x64xf16>
  %b = tile.splat %y : f16 -> tensor<64x32xf16>
  %c = arith.extf %a : tensor<32x64xf16> to tensor<32x64xf32>
  %d = arith.extf %b : tensor<64x32xf16> to tensor<64x32xf32>
  %p = tile.dot %c, %d, %zero tf32 : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
  tile.return
}

// -----

// What is transposed on its way is transposed as halves.
// CHECK-LABEL: tile.kernel @transposed
// CHECK: %[[T:.*]] = {{.*}}trans %{{.*}} [1, 0] : tensor<32x64xbf16> -> tensor<64x32xbf16>
// CHECK: dot %{{.*}}, %[[T]], %{{.*}} : tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x32xf32>
tile.kernel @transposed(%x: bf16) attributes {num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.splat %x : bf16 -> tensor<32x64xbf16>
  %c = arith.extf %a : tensor<32x64xbf16> to tensor<32x64xf32>
  %t = tile.trans %c [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %p = tile.dot %c, %t, %zero tf32 : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
  tile.return
}

// -----

// Not without tf32, and not of two types, nor where one operand is computed.
// CHECK-LABEL: tile.kernel @others
// CHECK-COUNT-3: dot {{.*}} : tensor<32x32xf32>, tensor<32x32xf32>
tile.kernel @others(%x: f16, %y: bf16, %z: f32) attributes {num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.splat %x : f16 -> tensor<32x32xf16>
  %b = tile.splat %y : bf16 -> tensor<32x32xbf16>
  %s = tile.splat %z : f32 -> tensor<32x32xf32>
  %c = arith.extf %a : tensor<32x32xf16> to tensor<32x32xf32>
  %d = arith.extf %b : tensor<32x32xbf16> to tensor<32x32xf32>
  %e = arith.mulf %c, %s : tensor<32x32xf32>
  %p = tile.dot %c, %c, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  %q = tile.dot %c, %d, %p tf32 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  %r = tile.dot %e, %c, %q tf32 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.return
}
