// RUN: tile-opt --tile-insert-barriers --split-input-file --verify-diagnostics %s

tile.kernel @no_offset() {
  // expected-error@+1 {{needs its layout and its bytes before barriers can be placed: run tile-assign-shared-layouts and tile-allocate-shared}}
  %s = tile.alloc_shared : !tile.shared<64xf32, #tile.shared_layout<64>>
  tile.return
}

// -----

tile.kernel @no_layout() {
  // expected-error@+1 {{needs its layout and its bytes before barriers can be placed: run tile-assign-shared-layouts and tile-allocate-shared}}
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64xf32>
  tile.return
}

// -----

tile.kernel @no_registers() {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64xf32, #tile.shared_layout<64>>
  // expected-error@+1 {{needs a register layout before barriers can be placed: run tile-assign-register-layouts}}
  %t = tile.local_load %s : !tile.shared<64xf32, #tile.shared_layout<64>> -> tensor<64xf32>
  tile.return
}

// -----

tile.kernel @blocks() {
  // expected-error@+1 {{has a region of several blocks: barriers are placed in structured control flow only}}
  scf.execute_region {
    llvm.br ^next
  ^next:
    scf.yield
  }
  tile.return
}

// -----

#s = #tile.shared_layout<64>
tile.kernel @passed_on(%c: i1) {
  %a = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64xf32, #s>
  // expected-error@+1 {{a shared tile is only loaded, stored, multiplied and subviewed; it is no value to pass on}}
  %b = arith.select %c, %a, %a : !tile.shared<64xf32, #s>
  tile.return
}

// -----

tile.kernel @channel(%n: i32) {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<3x64xf16, #tile.shared_layout<64>>
  %c = tile.channel %s : !tile.shared<3x64xf16, #tile.shared_layout<64>> -> !tile.channel<3>
  // expected-error@+1 {{orders copies in a way that barriers know nothing of: run tile-lower-channels}}
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16, #tile.shared_layout<64>>
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}
