// One broken op for each constraint of TileAtomicOps.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C1: one shape and one element type.
tile.kernel @k(%P: !tile.ptr<i32>, %x: i32) {
  %v = tile.splat %x : i32 -> tensor<8xi32>
  // expected-error@+1 {{failed to verify that value has the pointers' element type, shape and layout}}
  %a = "tile.atomic_rmw"(%P, %v) <{kind = #tile<atomic_kind add>}> : (!tile.ptr<i32>, tensor<8xi32>) -> i32
  tile.return
}

// -----
tile.kernel @k(%P: !tile.ptr<i32>, %x: i32, %m: i32) {
  // expected-error@+1 {{operand #2 must be i1 or a tile of it, but got 'i32'}}
  %a = "tile.atomic_rmw"(%P, %x, %m) <{kind = #tile<atomic_kind add>}> : (!tile.ptr<i32>, i32, i32) -> i32
  tile.return
}

// -----
// C2: elements of the kind.
tile.kernel @k(%P: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{there is no atomic and of 'f32': it is of integers}}
  %a = tile.atomic_rmw and %P, %x : !tile.ptr<f32>
  tile.return
}

// -----
tile.kernel @k(%P: !tile.ptr<f64>, %x: f64) {
  // expected-error@+1 {{there is no atomic umax of 'f64': it is of integers}}
  %a = tile.atomic_rmw umax %P, %x : !tile.ptr<f64>
  tile.return
}

// -----
tile.kernel @k(%P: !tile.ptr<i8>, %x: i8) {
  // expected-error@+1 {{there is no atomic add of 'i8': elements have 16 bits or more}}
  %a = tile.atomic_rmw add %P, %x : !tile.ptr<i8>
  tile.return
}

// -----
tile.kernel @k(%P: !tile.ptr<f8E5M2>, %x: f8E5M2) {
  // expected-error@+1 {{there is no atomic exchange of 'f8E5M2': elements have 16 bits or more}}
  %a = tile.atomic_cas %P, %x, %x : !tile.ptr<f8E5M2>
  tile.return
}

// -----
// C3: of placed programs.
tile.kernel @k(%P: !tile.ptr<i32>, %x: i32) {
  %p = tile.splat %P : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %v = tile.splat %x : i32 -> tensor<8xi32>
  // expected-error@+1 {{unshared needs a layout, which says who holds what}}
  %a = tile.atomic_rmw add %p, %v unshared : tensor<8x!tile.ptr<i32>>
  tile.return
}

// -----
// Words that there are not.
tile.kernel @k(%P: !tile.ptr<i32>, %x: i32) {
  // expected-error@+2 {{to be one of: add, max, min, umax, umin, and, or, xor, xchg}}
  // expected-error@+1 {{failed to parse Tile_AtomicKindAttr}}
  %a = tile.atomic_rmw nand %P, %x : !tile.ptr<i32>
  tile.return
}
