// What is not part of the language, each by its name and at its place, and what
// is too large.

// RUN: tile-opt --tile-check-program --split-input-file --verify-diagnostics %s

tile.kernel @thread(%Y: !tile.ptr<i32>) {
  // expected-error@+1 {{'nvvm.read.ptx.sreg.tid.x' op is not part of the language: a program is made of tile, arith and math ops, scf.for, scf.while and scf.if, and does not say what a thread does}}
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  tile.return
}

// -----
tile.kernel @barrier() {
  // expected-error@+1 {{'nvvm.barrier0' op is not part of the language}}
  nvvm.barrier0
  tile.return
}

// -----
tile.kernel @assembly() {
  // expected-error@+1 {{'llvm.inline_asm' op is not part of the language}}
  %lane = llvm.inline_asm "mov.u32 $0, %laneid;", "=r" : () -> i32
  tile.return
}

// -----
tile.kernel @stack(%n: i32) {
  // expected-error@+1 {{'llvm.alloca' op is not part of the language}}
  %p = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
  tile.return
}

// -----
tile.kernel @load(%n: i64) {
  // expected-error@+1 {{'llvm.inttoptr' op is not part of the language}}
  %p = llvm.inttoptr %n : i64 to !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> f32
  tile.return
}

// -----
tile.kernel @trap() {
  // expected-error@+1 {{'llvm.intr.trap' op is not part of the language}}
  "llvm.intr.trap"() : () -> ()
  tile.return
}

// -----
tile.kernel @cast(%n: index) {
  // expected-error@+1 {{'builtin.unrealized_conversion_cast' op is not part of the language}}
  %m = builtin.unrealized_conversion_cast %n : index to i64
  tile.return
}

// -----
tile.kernel @parallel(%n: index) {
  // expected-error@+1 {{'scf.parallel' op is not part of the language: a program is made of tile, arith and math ops, scf.for, scf.while and scf.if; loops are scf.for and scf.while, choices are scf.if}}
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    scf.reduce
  }
  tile.return
}

// -----
tile.kernel @forall() {
  // expected-error@+1 {{'scf.forall' op is not part of the language}}
  scf.forall (%i) in (4) {
  }
  tile.return
}

// -----
tile.kernel @region() {
  // expected-error@+1 {{'scf.execute_region' op is not part of the language}}
  scf.execute_region {
    scf.yield
  }
  tile.return
}

// -----
tile.kernel @switch(%n: index) {
  // expected-error@+1 {{'scf.index_switch' op is not part of the language}}
  scf.index_switch %n
  case 2 {
    scf.yield
  }
  default {
    scf.yield
  }
  tile.return
}

// -----
// Loops and choices there are only two and one of; the loop is named, not what
// is in it.
tile.kernel @index_switch(%i: index) {
  %t = arith.constant dense<1> : tensor<32xi32>
  // expected-error@+1 {{'scf.index_switch' op is not part of the language}}
  %r = scf.index_switch %i -> tensor<32xi32>
  case 0 {
    scf.yield %t : tensor<32xi32>
  }
  default {
    scf.yield %t : tensor<32xi32>
  }
  tile.return
}

// -----
// A tile that is too large may come out of any region.
tile.kernel @too_large_while(%c: i1) {
  %n = arith.constant 0 : i32
  // expected-error@+1 {{'scf.while' op has 'tensor<3xi32>', which is no tile}}
  %r = scf.while (%x = %n) : (i32) -> tensor<3xi32> {
    %t = arith.constant dense<1> : tensor<3xi32>
    scf.condition(%c) %t : tensor<3xi32>
  } do {
  ^bb0(%t: tensor<3xi32>):
    scf.yield %n : i32
  }
  tile.return
}

// -----
// Inside of what is known, too.
tile.kernel @nested(%c: i1) {
  scf.if %c {
    // expected-error@+1 {{'nvvm.barrier0' op is not part of the language}}
    nvvm.barrier0
  }
  tile.return
}

// -----
tile.kernel @two_results(%n: i32) {
  // expected-error@+1 {{'arith.mulsi_extended' op is not part of the language: arithmetic has one result}}
  %low, %high = arith.mulsi_extended %n, %n : i32
  tile.return
}

// -----
tile.kernel @f80() {
  // expected-error@+1 {{'arith.constant' op makes a value of type 'f80', which the language does not have: scalars are index, integers of 1 to 64 bits, f8E4M3FN, f8E5M2, f16, bf16, f32 and f64, and all else is tiles, pointers and views}}
  %x = arith.constant 1.0 : f80
  tile.return
}

// -----
tile.kernel @f128(%x: f64) {
  // expected-error@+1 {{'arith.extf' op makes a value of type 'f128', which the language does not have}}
  %y = arith.extf %x : f64 to f128
  tile.return
}

// -----
tile.kernel @f8(%x: f32) {
  // expected-error@+1 {{'arith.truncf' op makes a value of type 'f8E4M3FNUZ', which the language does not have}}
  %y = arith.truncf %x : f32 to f8E4M3FNUZ
  tile.return
}

// -----
tile.kernel @i128(%x: i64) {
  // expected-error@+1 {{'arith.extsi' op makes a value of type 'i128', which the language does not have}}
  %y = arith.extsi %x : i64 to i128
  tile.return
}

// -----
tile.kernel @vector() {
  // expected-error@+1 {{'arith.constant' op makes a value of type 'vector<4xf32>', which the language does not have}}
  %x = arith.constant dense<1.0> : vector<4xf32>
  tile.return
}

// -----
tile.kernel @tile_of_f8() {
  // expected-error@+1 {{'arith.constant' op has 'tensor<4xf8E4M3FNUZ>', which is no tile}}
  %x = arith.constant dense<1.0> : tensor<4xf8E4M3FNUZ>
  tile.return
}

// -----
tile.kernel @any_extent() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error@+1 {{'arith.constant' op has 'tensor<3xf32>', which is no tile: a tile has 1 to 1048576 elements}}
  %y = arith.constant dense<1.0> : tensor<3xf32>
  tile.return
}

// -----
// A reduction combines in any order.
tile.kernel @difference(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32>
  // expected-error@+1 {{'tile.reduce' op has a region whose result depends on the order of the elements, which is not said: combine(1, 2) is -1, combine(2, 1) is 1; a scan combines in order, and its last element is that of all}}
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----
// Commutative, and not associative: squares of squares.
tile.kernel @sum_of_squares(%x: i32) {
  %t = tile.splat %x : i32 -> tensor<32xi32>
  // expected-error@+1 {{combine(combine(1, 2), 4) is 41, combine(1, combine(2, 4)) is 401}}
  %s = tile.reduce %t axis 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %aa = arith.muli %a, %a : i32
    %bb = arith.muli %b, %b : i32
    %c = arith.addi %aa, %bb : i32
    tile.yield %c : i32
  }
  tile.return
}

// -----
// Only one of the two is made positive; it shows with negative numbers.
tile.kernel @largest_of_half(%x: f16) {
  %t = tile.splat %x : f16 -> tensor<32xf16>
  // expected-error@+1 {{combine(1, -2) is 1, combine(-2, 1) is 2}}
  %s = tile.reduce %t axis 0 : tensor<32xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %p = math.absf %a : f16
    %c = arith.maximumf %p, %b : f16
    tile.yield %c : f16
  }
  tile.return
}

// -----
tile.kernel @average(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32>
  // expected-error@+1 {{combine(combine(1, 2), 4) is 2.75, combine(1, combine(2, 4)) is 2}}
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %half = tile.constant 0.5 : f32
    %ab = arith.addf %a, %b : f32
    %c = arith.mulf %ab, %half : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----
tile.kernel @ignores_one(%x: i32) {
  %t = tile.splat %x : i32 -> tensor<32xi32>
  // expected-error@+1 {{combine(1, 2) is 2, combine(2, 1) is 3}}
  %s = tile.reduce %t axis 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %one = arith.constant 1 : i32
    %c = arith.addi %a, %one : i32
    tile.yield %c : i32
  }
  tile.return
}

// -----
tile.kernel @less(%x: i1) {
  %t = tile.splat %x : i1 -> tensor<32xi1>
  // expected-error@+1 {{combine(1, 0) is 0, combine(0, 1) is 1}}
  %s = tile.reduce %t axis 0 : tensor<32xi1> -> i1 {
  ^bb0(%a: i1, %b: i1):
    %c = arith.cmpi ult, %a, %b : i1
    tile.yield %c : i1
  }
  tile.return
}

// -----
// A linear recurrence is associative, and not commutative.
tile.kernel @recurrence(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32xf32>
  // expected-error@+1 {{combine((1, 4), (2, 5)) is (2, 13), combine((2, 5), (1, 4)) is (2, 9)}}
  %p, %q = tile.reduce %t, %t axis 0 : tensor<32xf32>, tensor<32xf32> -> f32, f32 {
  ^bb0(%a: f32, %u: f32, %b: f32, %v: f32):
    %c = arith.mulf %a, %b : f32
    %ub = arith.mulf %u, %b : f32
    %w = arith.addf %ub, %v : f32
    tile.yield %c, %w : f32, f32
  }
  tile.return
}

// -----
// Tiles that spill are made all the same.
tile.kernel @spills(%X: !tile.ptr<f32>, %n: index) attributes {num_warps = 1} {
  %x = tile.view %X, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %a = tile.load_view %x[%n, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<128x128xf32>
  // expected-warning@+1 {{'tile.load_view' op makes a tile of 1024 registers a thread, of which there are 255: the rest goes to slow memory; use smaller tiles or more warps}}
  %b = tile.load_view %x[%n, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<256x128xf32>
  tile.return
}

// -----
// No warning of what is made anew where it is used, nor of two bytes in half a register.
tile.kernel @fits(%X: !tile.ptr<i16>, %n: index) attributes {num_warps = 1} {
  %x = tile.view %X, shape [%n, %n], strides [%n, 1] : !tile.ptr<i16> -> !tile.view<?x?xi16, [?, 1]>
  %a = tile.load_view %x[%n, %n] : !tile.view<?x?xi16, [?, 1]> -> tensor<128x128xi16>
  %zeros = tile.constant 0 : tensor<512x128xf32>
  tile.return
}

// -----
tile.kernel @too_large(%x: f32) attributes {num_warps = 1} {
  // expected-error@+1 {{'tile.splat' op lets a thread hold 8192 elements of 'tensor<512x512xf32>', more than 4096: use smaller tiles or more warps}}
  %t = tile.splat %x : f32 -> tensor<512x512xf32>
  tile.return
}

// -----

// The region of a scan need not commute, but must be associative.
tile.kernel @scan_not_associative(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<64xf32>
  // expected-error@+1 {{has a region whose result depends on how the elements are grouped, which is not said: combine(combine(}}
  %s = tile.scan %t axis 0 : tensor<64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    tile.yield %d : f32
  }
  tile.return
}
