// Loops whose step is a constant that does not count up, or that count too far.

// RUN: tile-opt --tile-check-loops --split-input-file --verify-diagnostics %s | FileCheck %s
// The pipeline looks before anything is folded.
// RUN: not tile-compile %s --kernel=zero -o - 2>&1 | FileCheck %s --check-prefix=COMPILE
// COMPILE: check_loops.mlir:[[#@LINE+8]]:3: error: 'scf.for' op has a step of 0

// A step that counts up, and one that only the launch knows.
tile.kernel @zero(%n: index) {
  %c0 = arith.constant 0 : index
  // Never entered, for all that: nobody means this.
  %c9 = arith.constant 9 : index
  // expected-error @below {{'scf.for' op has a step of 0, with which it never ends: give it a step of 1 or more}}
  scf.for %i = %c9 to %c0 step %c0 {
    tile.barrier
  }
  tile.return
}

// -----

tile.kernel @negative(%n: index) {
  %c0 = arith.constant 0 : i32
  %m = arith.constant 10 : i32
  %step = arith.constant -3 : i32
  // expected-error @below {{'scf.for' op has a step of -3: loops count up; give it a step of 1 or more, and compute what counts down from its index}}
  scf.for %i = %m to %c0 step %step : i32 {
    tile.barrier
  }
  tile.return
}

// -----

// Each is told.
tile.kernel @nested(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{has a step of 0}}
  scf.for %i = %c0 to %n step %c0 {
    // expected-error @below {{has a step of 0}}
    scf.for %j = %c0 to %n step %c0 {
      tile.barrier
    }
  }
  tile.return
}

// -----

// The counter wraps around, or the number of trips would.
tile.kernel @far() {
  %low = arith.constant -100 : i8
  %c0 = arith.constant 0 : i8
  %step = arith.constant 50 : i8
  %high = arith.constant 100 : i8
  // expected-error @below {{'scf.for' op counts from -100 to 100 by 50, which is too far for 8 bits: give it nearer bounds or a wider type}}
  scf.for %i = %low to %high step %step : i8 {
    tile.barrier
  }
  %c100 = arith.constant 100 : i8
  %c101 = arith.constant 101 : i8
  // expected-error @below {{counts from 0 to 101 by 100, which is too far}}
  scf.for %i = %c0 to %c101 step %c100 : i8 {
    tile.barrier
  }
  %c250 = arith.constant -6 : i8
  // expected-error @below {{counts from 0 to 250 by 100, which is too far}}
  scf.for unsigned %i = %c0 to %c250 step %c100 : i8 {
    tile.barrier
  }
  tile.return
}

// -----

// To the last number of the type, and never entered.
// CHECK-LABEL: @near
tile.kernel @near() {
  %low = arith.constant 0 : i8
  %high = arith.constant 127 : i8
  %step = arith.constant 32 : i8
  %c127 = arith.constant 127 : i8
  %c1 = arith.constant 1 : i8
  scf.for %i = %c1 to %c127 step %c1 : i8 {
    tile.barrier
  }
  scf.for %i = %low to %c127 step %c127 : i8 {
    tile.barrier
  }
  scf.for %i = %high to %low step %step : i8 {
    tile.barrier
  }
  tile.return
}

// -----

// CHECK-LABEL: @good
tile.kernel @good(%n: index, %step: index, %big: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier
  }
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %step {
    tile.barrier
  }
  %zero = arith.constant 0 : i8
  %large = arith.constant -56 : i8
  // 200, where the comparison has no sign.
  // CHECK: scf.for unsigned
  scf.for unsigned %i = %zero to %big step %large : i8 {
    tile.barrier
  }
  tile.return
}

// -----

// A loop that may never end stays, whatever comes of it; one with an effect does anyway.
// CHECK-LABEL: @silent
tile.kernel @silent(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.while
  // CHECK: } do {
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: %[[YES:.*]] = arith.constant true
  // CHECK-NEXT: tile.assert %[[YES]], "the loop goes on" : i1
  %end = scf.while (%k = %c0) : (i32) -> i32 {
    %less = arith.cmpi slt, %k, %n : i32
    scf.condition(%less) %k : i32
  } do {
  ^bb0(%k: i32):
    scf.yield %k : i32
  }
  // Nor does a read count, which nobody else sees.
  // CHECK: scf.while
  // CHECK: tile.load
  // CHECK: tile.assert
  %read = scf.while (%k = %c0) : (i32) -> i32 {
    %t = tile.load %p : !tile.ptr<i32>
    %other = arith.cmpi ne, %t, %n : i32
    scf.condition(%other) %t : i32
  } do {
  ^bb0(%k: i32):
    scf.yield %k : i32
  }
  // CHECK: scf.while
  // CHECK-NOT: tile.assert
  // CHECK: return
  %written = scf.while (%k = %c0) : (i32) -> i32 {
    %less = arith.cmpi slt, %k, %n : i32
    scf.condition(%less) %k : i32
  } do {
  ^bb0(%k: i32):
    tile.store %p, %k : !tile.ptr<i32>
    %next = arith.addi %k, %c1 : i32
    scf.yield %next : i32
  }
  tile.return
}
