// Warps of products by mma.sync that have an operand in common stand in one grid, so that it is read once.

// RUN: tile-opt --tile-set-target=target=sm_80 --tile-assign-register-layouts %s | FileCheck %s

// CHECK-LABEL: tile.kernel @left
// CHECK: = dot {{.*}} : tensor<128x64xf16, [[LEFT:#tile.register_layout<[^>]*>]]>, {{.*}}, tensor<128x128xf32
// CHECK: = dot {{.*}} : tensor<128x64xf16, [[LEFT]]>, {{.*}}, tensor<128x64xf32
tile.kernel @left(%x: f16, %z: f32, %C: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %a = tile.splat %x : f16 -> tensor<128x64xf16>
  %b = tile.splat %x : f16 -> tensor<64x128xf16>
  %c = tile.splat %x : f16 -> tensor<64x64xf16>
  %s = tile.splat %z : f32 -> tensor<128x128xf32>
  %t = tile.splat %z : f32 -> tensor<128x64xf32>
  %d = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %e = tile.dot %a, %c, %t : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
  %ps = tile.splat %C : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %ps, %d : tensor<128x128x!tile.ptr<f32>>
  %qs = tile.splat %C : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %qs, %e : tensor<128x64x!tile.ptr<f32>>
  tile.return
}
// CHECK-LABEL: tile.kernel @right
// CHECK: = dot {{.*}}, tensor<64x128xf16, [[RIGHT:#tile.register_layout<[^>]*>]]>, tensor<128x128xf32
// CHECK: = dot {{.*}}, tensor<64x128xf16, [[RIGHT]]>, tensor<32x128xf32
tile.kernel @right(%x: f16, %z: f32, %C: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %a = tile.splat %x : f16 -> tensor<128x64xf16>
  %b = tile.splat %x : f16 -> tensor<64x128xf16>
  %c = tile.splat %x : f16 -> tensor<32x64xf16>
  %s = tile.splat %z : f32 -> tensor<128x128xf32>
  %t = tile.splat %z : f32 -> tensor<32x128xf32>
  %d = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %e = tile.dot %c, %b, %t : tensor<32x64xf16>, tensor<64x128xf16>, tensor<32x128xf32>
  %ps = tile.splat %C : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %ps, %d : tensor<128x128x!tile.ptr<f32>>
  %qs = tile.splat %C : !tile.ptr<f32> -> tensor<32x128x!tile.ptr<f32>>
  tile.store %qs, %e : tensor<32x128x!tile.ptr<f32>>
  tile.return
}
