// RUN: tile-opt %s | tile-opt | FileCheck %s

#whole = #tile.register_layout<register[1,2] lane[4,8] register[2,1] warp[1,4]>
#half = #tile.register_layout<register[1,2] lane[4,8] warp[1,4]>
// CHECK-LABEL: tile.kernel @halves
// CHECK: split %{{.*}} axis 0 stride 4 : tensor<8x64xf32, #{{.*}}> -> tensor<4x64xf32, #{{.*}}>
// CHECK: join %{{.*}}, %{{.*}} axis 0 stride 4 : tensor<4x64xf32, #{{.*}}> -> tensor<8x64xf32, #{{.*}}>
tile.kernel @halves(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<8x64xf32, #whole>
  %a, %b = tile.split %t axis 0 stride 4 : tensor<8x64xf32, #whole> -> tensor<4x64xf32, #half>
  %u = tile.join %b, %a axis 0 stride 4 : tensor<4x64xf32, #half> -> tensor<8x64xf32, #whole>
  tile.return
}
