// Loads in some trips of a loop only.
tile.kernel @guarded(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %w: i1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %i = tile.iota 0 : tensor<128xi32>
  %x = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %y = tile.splat %Y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %x, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %q = tile.addptr %y, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  scf.for %k = %c0 to %c40 step %c4 {
    // In all but the last two of ten.
    %far = arith.addi %k, %c8 : index
    %is_there = arith.cmpi slt, %far, %c40 : index
    %both = arith.andi %is_there, %w : i1
    scf.if %both {
      %a = tile.load %p volatile : tensor<128x!tile.ptr<f32>>
      tile.store %q, %a volatile : tensor<128x!tile.ptr<f32>>
    }
    // By a mask.
    %mask = tile.splat %is_there : i1 -> tensor<128xi1>
    %b = tile.load %p mask %mask volatile : tensor<128x!tile.ptr<f32>>
    // Says nothing of trips.
    scf.if %w {
      tile.store %q, %b volatile : tensor<128x!tile.ptr<f32>>
    }
  }
  tile.return
}
