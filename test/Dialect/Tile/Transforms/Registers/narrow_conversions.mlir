// Conversions go before what makes elements wider.

// RUN: tile-opt %s --tile-narrow-conversions | FileCheck %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
#columns = #tile.register_layout<register[4,1] lane[8,4] warp[1,4] register[1,2]>
#trans = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[1,2]>

// CHECK-LABEL: tile.kernel @extended
// CHECK-SAME: %[[X:[a-z]+]]: f16
// CHECK: %[[T:.*]] = splat
// CHECK: %[[C:.*]] = convert_layout %[[T]] : tensor<32x32xf16, {{.*}}> -> tensor<32x32xf16, #[[TO:.*]]>
// CHECK: %[[W:.*]] = arith.extf %[[C]] : tensor<32x32xf16, #[[TO]]> to tensor<32x32xf32, #[[TO]]>
// CHECK: arith.negf %[[W]]
// CHECK-NOT: convert_layout
tile.kernel @extended(%x: f16) {
  %t = tile.splat %x : f16 -> tensor<32x32xf16, #rows>
  %w = arith.extf %t : tensor<32x32xf16, #rows> to tensor<32x32xf32, #rows>
  %c = tile.convert_layout %w : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  %n = arith.negf %c : tensor<32x32xf32, #columns>
  tile.return
}

// Past a transpose, and past two casts: i8 to i32, and that to f64.
// CHECK-LABEL: tile.kernel @casts_and_transpose
// CHECK: %[[C:.*]] = convert_layout %{{.*}} : tensor<32x32xi8, {{.*}}> -> tensor<32x32xi8, {{.*}}>
// CHECK: %[[I:.*]] = arith.extsi %[[C]] : tensor<32x32xi8, {{.*}}> to tensor<32x32xi32, {{.*}}>
// CHECK: %[[T:.*]] = trans %[[I]] [1, 0]
// CHECK: %[[F:.*]] = arith.sitofp %[[T]] : {{.*}} to tensor<32x32xf64, {{.*}}>
// CHECK: arith.negf %[[F]]
// CHECK-NOT: convert_layout
tile.kernel @casts_and_transpose(%x: i8) {
  %t = tile.splat %x : i8 -> tensor<32x32xi8, #rows>
  %i = arith.extsi %t : tensor<32x32xi8, #rows> to tensor<32x32xi32, #rows>
  %u = tile.trans %i [1, 0] : tensor<32x32xi32, #rows> -> tensor<32x32xi32, #trans>
  %f = arith.sitofp %u : tensor<32x32xi32, #trans> to tensor<32x32xf64, #trans>
  %c = tile.convert_layout %f : tensor<32x32xf64, #trans> -> tensor<32x32xf64, #rows>
  %n = arith.negf %c : tensor<32x32xf64, #rows>
  tile.return
}

// Nothing to gain: as wide, or narrower after the cast, or only transposed.
// CHECK-LABEL: tile.kernel @not_wider
// CHECK: arith.sitofp
// CHECK-NEXT: convert_layout {{.*}} -> tensor<32x32xf32
// CHECK: arith.truncf
// CHECK-NEXT: convert_layout {{.*}} -> tensor<32x32xf16
// CHECK: trans
// CHECK-NEXT: convert_layout {{.*}} -> tensor<32x32xi32
tile.kernel @not_wider(%x: i32, %y: f32) {
  %t = tile.splat %x : i32 -> tensor<32x32xi32, #rows>
  %f = arith.sitofp %t : tensor<32x32xi32, #rows> to tensor<32x32xf32, #rows>
  %c = tile.convert_layout %f : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  %s = tile.splat %y : f32 -> tensor<32x32xf32, #rows>
  %h = arith.truncf %s : tensor<32x32xf32, #rows> to tensor<32x32xf16, #rows>
  %d = tile.convert_layout %h : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #columns>
  %u = tile.trans %t [1, 0] : tensor<32x32xi32, #rows> -> tensor<32x32xi32, #trans>
  %e = tile.convert_layout %u : tensor<32x32xi32, #trans> -> tensor<32x32xi32, #rows>
  tile.return
}

// The wide elements are needed where they are, too.
// CHECK-LABEL: tile.kernel @used_twice
// CHECK: arith.extf
// CHECK-NEXT: convert_layout {{.*}} -> tensor<32x32xf32
tile.kernel @used_twice(%x: f16) {
  %t = tile.splat %x : f16 -> tensor<32x32xf16, #rows>
  %w = arith.extf %t : tensor<32x32xf16, #rows> to tensor<32x32xf32, #rows>
  %c = tile.convert_layout %w : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  %n = arith.negf %w : tensor<32x32xf32, #rows>
  tile.return
}

// Past any op that only gives elements other names.
// CHECK-LABEL: tile.kernel @reshaped
// CHECK: %[[C:.*]] = convert_layout %{{.*}} : tensor<32x32xf16, {{.*}}> -> tensor<32x32xf16, #[[TO:.*]]>
// CHECK: %[[W:.*]] = arith.extf %[[C]] : tensor<32x32xf16, #[[TO]]> to tensor<32x32xf32, #[[TO]]>
// CHECK: reshape %[[W]]
// CHECK-NOT: convert_layout
#flat = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
#flat_other = #tile.register_layout<register[8] lane[32] warp[4]>
tile.kernel @reshaped(%x: f16) {
  %t = tile.splat %x : f16 -> tensor<32x32xf16, #rows>
  %w = arith.extf %t : tensor<32x32xf16, #rows> to tensor<32x32xf32, #rows>
  %r = tile.reshape %w : tensor<32x32xf32, #rows> -> tensor<1024xf32, #flat>
  %c = tile.convert_layout %r : tensor<1024xf32, #flat> -> tensor<1024xf32, #flat_other>
  %n = arith.negf %c : tensor<1024xf32, #flat_other>
  tile.return
}

// Where threads have more copies afterwards, each would widen its own.
// CHECK-LABEL: tile.kernel @repeated
// CHECK: arith.extf
// CHECK: convert_layout
#apart = #tile.register_layout<lane[32] warp[4]>
#copies = #tile.register_layout<register[2] lane[4] register[8] lane*8 warp[2] warp*2>
tile.kernel @repeated(%x: f16) {
  %t = tile.splat %x : f16 -> tensor<128xf16, #apart>
  %w = arith.extf %t : tensor<128xf16, #apart> to tensor<128xf32, #apart>
  %c = tile.convert_layout %w : tensor<128xf32, #apart> -> tensor<128xf32, #copies>
  %n = arith.negf %c : tensor<128xf32, #copies>
  tile.return
}
