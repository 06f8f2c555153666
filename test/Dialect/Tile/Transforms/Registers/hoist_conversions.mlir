// Conversions of what loops do not change go before them, with what they are computed by.

// RUN: tile-opt --tile-hoist-conversions %s | FileCheck %s

#rows = #tile.register_layout<lane[32] warp[2] warp*2>
#column = #tile.register_layout<lane[32,1] warp[2,1] warp*2>
#own = #tile.register_layout<lane*8 lane[4,1] warp[4,1] register[4,1]>

// Out of both loops; what the inner one counts stays in it, and so does what a branch may not convert.
// CHECK-LABEL: tile.kernel @masks
// CHECK: %[[COLUMN:.*]] = expand_dims %{{.*}} {axis = 1 : i32}
// CHECK: %[[OWN:.*]] = convert_layout %[[COLUMN]]
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[PLACES:.*]] = tile.splat %[[J]]
// CHECK: convert_layout %[[PLACES]]
// CHECK: arith.andi %[[OWN]]
// CHECK: scf.if
// CHECK: convert_layout
tile.kernel @masks(%A: !tile.ptr<i8>, %n: index, %flag: i1) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0> : tensor<64xi32, #rows>
  %iota = tile.iota 0 : tensor<64xi32, #rows>
  %valid = arith.cmpi sgt, %iota, %zeros : tensor<64xi32, #rows>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %column = tile.expand_dims %valid {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #column>
      %own = tile.convert_layout %column : tensor<64x1xi1, #column> -> tensor<64x1xi1, #own>
      %places = tile.splat %j : index -> tensor<64x1xindex, #column>
      %at = tile.convert_layout %places : tensor<64x1xindex, #column> -> tensor<64x1xindex, #own>
      %ptrs = tile.splat %A : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>, #own>
      %to = tile.addptr %ptrs, %at : tensor<64x1x!tile.ptr<i8>, #own>, tensor<64x1xindex, #own>
      %both = arith.andi %own, %own : tensor<64x1xi1, #own>
      %bytes = arith.extui %both : tensor<64x1xi1, #own> to tensor<64x1xi8, #own>
      tile.store %to, %bytes : tensor<64x1x!tile.ptr<i8>, #own>
      scf.if %flag {
        %again = tile.convert_layout %column : tensor<64x1xi1, #column> -> tensor<64x1xi1, #own>
        tile.store %to, %bytes mask %again : tensor<64x1x!tile.ptr<i8>, #own>
      }
    }
  }
  tile.return
}
