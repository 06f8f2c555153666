// RUN: tile-opt --split-input-file --verify-diagnostics %s

#in_turns = #tile.register_layout<lane[4,8] register[1,4]>
#neighbours = #tile.register_layout<register[1,4] lane[4,8]>

// tile.any_order, C1: one shape.
tile.kernel @k(%x: i32) {
  %t = tile.splat %x : i32 -> tensor<4x32xi32>
  // expected-error@+1 {{has the elements of 'tensor<4x32xi32>', and not as many as 'tensor<4x64xi32>'}}
  %u = tile.any_order %t : tensor<4x32xi32> -> tensor<4x64xi32>
  tile.return
}

// -----

// C2: both are placed ...
#neighbours = #tile.register_layout<register[1,4] lane[4,8]>
tile.kernel @k(%x: i32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : i32 -> tensor<4x32xi32>
  // expected-error@+1 {{source and result both have a layout, or none has}}
  %u = tile.any_order %t : tensor<4x32xi32> -> tensor<4x32xi32, #neighbours>
  tile.return
}

// -----

// ... and nothing moves.
#neighbours = #tile.register_layout<register[1,4] lane[4,8]>
tile.kernel @k(%x: i32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : i32 -> tensor<4x32xi32, #neighbours>
  // expected-error@+1 {{takes its source in #tile.register_layout<lane[4,8] register[1,4]>, not in #tile.register_layout<register[1,4] lane[4,8]>}}
  %u = tile.any_order %t : tensor<4x32xi32, #neighbours> -> tensor<4x32xi32, #neighbours>
  tile.return
}

// -----

// Pairs are of i32.
tile.kernel @k(%x: i16) {
  // expected-error@+1 {{operand #0 must be i32, or a tile of it, but got 'i16'}}
  %y = tile.pair_min %x, %x : i16
  tile.return
}
