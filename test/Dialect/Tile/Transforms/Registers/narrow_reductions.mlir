// Maxima and minima are found before elements become wider.

// RUN: tile-opt %s --tile-narrow-reductions | FileCheck %s

#row = #tile.register_layout<register[8] lane[32] warp[4]>
#warps = #tile.register_layout<lane*32 warp[4]>
#gathered = #tile.register_layout<register[4] lane*32 warp*4>

// CHECK-LABEL: tile.kernel @row
// CHECK-SAME: %[[X:[a-z]+]]: bf16
// CHECK: %[[T:.*]] = splat
// CHECK: %[[W:.*]] = arith.extf %[[T]]
// CHECK: %[[N:.*]] = reduce %[[T]] axis 0 : tensor<1024xbf16> -> bf16 {
// CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16):
// CHECK: %[[C:.*]] = arith.maxnumf %[[A]], %[[B]] : bf16
// CHECK: yield %[[C]] : bf16
// CHECK: %[[M:.*]] = arith.extf %[[N]] : bf16 to f32
// CHECK: %[[S:.*]] = splat %[[M]]
// CHECK: arith.subf %[[W]], %[[S]]
tile.kernel @row(%x: bf16) {
  %t = tile.splat %x : bf16 -> tensor<1024xbf16>
  %w = arith.extf %t : tensor<1024xbf16> to tensor<1024xf32>
  %m = tile.reduce %w axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %s = tile.splat %m : f32 -> tensor<1024xf32>
  %d = arith.subf %w, %s : tensor<1024xf32>
  tile.return
}

// Of tiles, with NaN, from the other side, and to f64; what nobody else wants
// is not made wide.
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[T:.*]] = splat
// CHECK-NOT: extf
// CHECK: %[[N:.*]] = reduce %[[T]] axis 1 : tensor<4x64xf16> -> tensor<4xf16> {
// CHECK: arith.minimumf %{{.*}}, %{{.*}} : f16
// CHECK: %[[M:.*]] = arith.extf %[[N]] : tensor<4xf16> to tensor<4xf64>
// CHECK: arith.negf %[[M]]
tile.kernel @rows(%x: f16) {
  %t = tile.splat %x : f16 -> tensor<4x64xf16>
  %w = arith.extf %t : tensor<4x64xf16> to tensor<4x64xf64>
  %m = tile.reduce %w axis 1 : tensor<4x64xf64> -> tensor<4xf64> {
  ^bb0(%a: f64, %b: f64):
    %c = arith.minimumf %b, %a : f64
    tile.yield %c : f64
  }
  %n = arith.negf %m : tensor<4xf64>
  tile.return
}

// In place.
// CHECK-LABEL: tile.kernel @placed
// CHECK: %[[N:.*]] = reduce %{{.*}} axis 0 per_warp : tensor<1024xbf16, #[[ROW:.*]]> -> tensor<4xbf16, #[[WARPS:.*]]> {
// CHECK: arith.extf %[[N]] : tensor<4xbf16, #[[WARPS]]> to tensor<4xf32, #[[WARPS]]>
// CHECK: convert_layout
tile.kernel @placed(%x: bf16) attributes {num_warps = 4 : i32} {
  %t = tile.splat %x : bf16 -> tensor<1024xbf16, #row>
  %w = arith.extf %t : tensor<1024xbf16, #row> to tensor<1024xf32, #row>
  %m = tile.reduce %w axis 0 per_warp : tensor<1024xf32, #row> -> tensor<4xf32, #warps> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %g = tile.convert_layout %m : tensor<4xf32, #warps> -> tensor<4xf32, #gathered>
  tile.return
}

// Sums round, the larger of two is not that of one twice, no instruction
// compares fp8, and places come along.
// CHECK-LABEL: tile.kernel @others
// CHECK-COUNT-2: reduce %{{.*}} axis 0 : tensor<256xf32> -> f32
// CHECK: reduce %{{.*}} axis 0 : tensor<256xf16> -> f16
// CHECK: reduce %{{.*}}, %{{.*}} axis 0 : tensor<256xf32>, tensor<256xi32> -> f32, i32
tile.kernel @others(%x: f16, %y: f8E5M2) {
  %t = tile.splat %x : f16 -> tensor<256xf16>
  %w = arith.extf %t : tensor<256xf16> to tensor<256xf32>
  %s = tile.reduce %w axis 0 : tensor<256xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %f = tile.reduce %w axis 0 : tensor<256xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %a : f32
    tile.yield %c : f32
  }
  %y8 = tile.splat %y : f8E5M2 -> tensor<256xf8E5M2>
  %y16 = arith.extf %y8 : tensor<256xf8E5M2> to tensor<256xf16>
  %m = tile.reduce %y16 axis 0 : tensor<256xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maxnumf %a, %b : f16
    tile.yield %c : f16
  }
  %i = tile.iota 0 : tensor<256xi32>
  %v, %p = tile.reduce %w, %i axis 0 : tensor<256xf32>, tensor<256xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %g = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %g, %a, %b : f32
    %d = arith.select %g, %ai, %bi : i32
    tile.yield %c, %d : f32, i32
  }
  tile.return
}
