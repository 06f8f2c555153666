// Products of which one is made of the result of another stand over whole rows by mma.sync, so that no warp needs what another one has.

// RUN: tile-opt --tile-set-target=target=sm_80 --tile-assign-register-layouts %s | FileCheck %s

// CHECK-LABEL: tile.kernel @chained
// CHECK: dot {{.*}} tensor<128x64xf32, #[[SCORES:tile.register_layout<register\[1,2\] lane\[8,4\] register\[2,1\] register\[2,8\] warp\[4,1\]>]]>
// CHECK-NOT: convert_layout
// CHECK: %[[W:.*]] = arith.truncf
// CHECK-NOT: convert_layout
// CHECK: dot %[[W]], {{.*}} : tensor<128x64xf16, #[[SCORES]]>, {{.*}}, tensor<128x128xf32, #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>>
tile.kernel @chained(%x: f16, %z: f32, %C: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %q = tile.splat %x : f16 -> tensor<128x128xf16>
  %k = tile.splat %x : f16 -> tensor<128x64xf16>
  %v = tile.splat %x : f16 -> tensor<64x128xf16>
  %s = tile.splat %z : f32 -> tensor<128x64xf32>
  %t = tile.splat %z : f32 -> tensor<128x128xf32>
  %scores = tile.dot %q, %k, %s : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
  %scaled = arith.mulf %scores, %s : tensor<128x64xf32>
  %weights = arith.truncf %scaled : tensor<128x64xf32> to tensor<128x64xf16>
  %sums = tile.dot %weights, %v, %t : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %ps = tile.splat %C : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %ps, %sums : tensor<128x128x!tile.ptr<f32>>
  tile.return
}

// Fewer rows than fragments of all warps have: each product has its own grid.
// CHECK-LABEL: tile.kernel @few_rows
// CHECK: dot {{.*}} tensor<32x64xf32, #tile.register_layout<{{.*}} warp[2,2]>>
// CHECK: convert_layout {{.*}} : tensor<32x64xf16
// CHECK: dot {{.*}} tensor<32x128xf32, #tile.register_layout<{{.*}} warp[1,4]>>
tile.kernel @few_rows(%x: f16, %z: f32, %C: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %q = tile.splat %x : f16 -> tensor<32x128xf16>
  %k = tile.splat %x : f16 -> tensor<128x64xf16>
  %v = tile.splat %x : f16 -> tensor<64x128xf16>
  %s = tile.splat %z : f32 -> tensor<32x64xf32>
  %t = tile.splat %z : f32 -> tensor<32x128xf32>
  %scores = tile.dot %q, %k, %s : tensor<32x128xf16>, tensor<128x64xf16>, tensor<32x64xf32>
  %weights = arith.truncf %scores : tensor<32x64xf32> to tensor<32x64xf16>
  %sums = tile.dot %weights, %v, %t : tensor<32x64xf16>, tensor<64x128xf16>, tensor<32x128xf32>
  %ps = tile.splat %C : !tile.ptr<f32> -> tensor<32x128x!tile.ptr<f32>>
  tile.store %ps, %sums : tensor<32x128x!tile.ptr<f32>>
  tile.return
}
