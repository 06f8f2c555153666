// Blocks that run several programs at once: tiles get a dimension for them.

// RUN: split-file %s %t
// RUN: tile-opt --tile-batch-programs %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-batch-programs --verify-diagnostics %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: block_programs

//--- kernels.mlir

// What the program's number is part of has 16 rows; what has none has one, and is repeated. The last block may have fewer programs.
// CHECK-LABEL: tile.kernel @row_sums
// CHECK-SAME: block_programs = array<i32: 16, 1, 1>
// CHECK-DAG: %[[FIRST:.*]] = program_id 0
// CHECK-DAG: %[[COUNT:.*]] = num_programs 0
// CHECK: %[[LEFT:.*]] = arith.subi %[[COUNT]], %[[FIRST]]
// CHECK: %[[PLACES:.*]] = iota 0 : tensor<16xindex>
// CHECK: %[[LEFTS:.*]] = splat %[[LEFT]] : index -> tensor<16xindex>
// CHECK: %[[ACTIVE:.*]] = arith.cmpi slt, %[[PLACES]], %[[LEFTS]]
// CHECK: %[[FIRSTS:.*]] = splat %[[FIRST]] : index -> tensor<16xindex>
// CHECK: %[[ROWS:.*]] = arith.addi %[[FIRSTS]], %[[PLACES]]
// CHECK: %[[W:.*]] = load %{{.*}} : tensor<256x!tile.ptr<f32>>
// CHECK: %[[ACTIVES:.*]] = broadcast %{{.*}} : tensor<16x1xi1> -> tensor<16x256xi1>
// CHECK: %[[X:.*]] = load %{{.*}} mask %[[ACTIVES]] : tensor<16x256x!tile.ptr<f32>>
// CHECK: %[[ONE:.*]] = expand_dims %[[W]] {axis = 0 : i32}
// CHECK: %[[WS:.*]] = broadcast %[[ONE]] : tensor<1x256xf32> -> tensor<16x256xf32>
// CHECK: arith.mulf %[[X]], %[[WS]]
// CHECK: %[[SUM:.*]] = reduce %{{.*}} axis 1 : tensor<16x256xf32> -> tensor<16xf32>
// CHECK: store %{{.*}}, %[[SUM]] mask %[[ACTIVE]] : tensor<16x!tile.ptr<f32>>
tile.kernel @row_sums(%X: !tile.ptr<f32>, %W: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<256xindex>
  %ws = tile.splat %W : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %wp = tile.addptr %ws, %i : tensor<256x!tile.ptr<f32>>, tensor<256xindex>
  %w = tile.load %wp : tensor<256x!tile.ptr<f32>>
  %first = arith.muli %p, %c256 : index
  %row = tile.addptr %X, %first : !tile.ptr<f32>, index
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %rows, %i : tensor<256x!tile.ptr<f32>>, tensor<256xindex>
  %x = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %m = arith.mulf %x, %w : tensor<256xf32>
  %sum = tile.reduce %m axis 0 : tensor<256xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
  tile.store %y, %sum : !tile.ptr<f32>
  tile.return
}

// Each program's row is in any order by itself.
// CHECK-LABEL: tile.kernel @any_order
// CHECK-SAME: block_programs = array<i32: 16, 1, 1>
// CHECK: %[[X:.*]] = load %{{.*}} : tensor<16x256x!tile.ptr<i32>>
// CHECK: %[[KEYS:.*]] = any_order %[[X]] : tensor<16x256xi32> -> tensor<16x256xi32>
// CHECK: %[[LEAST:.*]] = pair_min %[[KEYS]], %[[X]] : tensor<16x256xi32>
// CHECK: reduce %[[LEAST]] axis 1 : tensor<16x256xi32> -> tensor<16xi32>
tile.kernel @any_order(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>) {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<256xindex>
  %first = arith.muli %p, %c256 : index
  %row = tile.addptr %X, %first : !tile.ptr<i32>, index
  %rows = tile.splat %row : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %xp = tile.addptr %rows, %i : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %x = tile.load %xp : tensor<256x!tile.ptr<i32>>
  %keys = tile.any_order %x : tensor<256xi32> -> tensor<256xi32>
  %least = tile.pair_min %keys, %x : tensor<256xi32>
  %most = tile.reduce %least axis 0 : tensor<256xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = tile.pair_max %a, %b : i32
    tile.yield %c : i32
  }
  %y = tile.addptr %Y, %p : !tile.ptr<i32>, index
  tile.store %y, %most : !tile.ptr<i32>
  tile.return
}

// What a program loads by what it loaded is no part of its row, which is as long as that of another program.
// CHECK-LABEL: tile.kernel @loaded_by_what_was_loaded
// CHECK-SAME: block_programs = array<i32: 16, 1, 1>
// CHECK: load %{{.*}} : tensor<16x256x!tile.ptr<i32>>
// CHECK: load %{{.*}} : tensor<16x32x!tile.ptr<i32>>
tile.kernel @loaded_by_what_was_loaded(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>) {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %first = arith.muli %p, %c256 : index
  %row = tile.addptr %X, %first : !tile.ptr<i32>, index
  %i = tile.iota 0 : tensor<256xindex>
  %rows = tile.splat %row : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %xp = tile.addptr %rows, %i : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %x = tile.load %xp : tensor<256x!tile.ptr<i32>>
  %place = tile.reduce %x axis 0 : tensor<256xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  %group = tile.addptr %row, %place : !tile.ptr<i32>, i32
  %j = tile.iota 0 : tensor<32xindex>
  %groups = tile.splat %group : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %gp = tile.addptr %groups, %j : tensor<32x!tile.ptr<i32>>, tensor<32xindex>
  %g = tile.load %gp : tensor<32x!tile.ptr<i32>>
  %most = tile.reduce %g axis 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  %y = tile.addptr %Y, %p : !tile.ptr<i32>, index
  tile.store %y, %most : !tile.ptr<i32>
  tile.return
}

// A branch by a condition that differs is both of its ways, with masks; one that does not is a branch.
// CHECK-LABEL: tile.kernel @branches
// CHECK-SAME: block_programs = array<i32: 1, 64, 1>
// CHECK: %[[ACTIVE:.*]] = arith.cmpi slt
// CHECK: %[[X:.*]] = load %{{.*}} mask %[[ACTIVE]] : tensor<64x!tile.ptr<i32>>
// CHECK: %[[IS:.*]] = arith.cmpi sgt, %[[X]]
// CHECK-NOT: scf.if
// CHECK: %[[THEN:.*]] = arith.andi %[[ACTIVE]], %[[IS]]
// CHECK: %[[ELSE:.*]] = arith.andi %[[ACTIVE]], %{{.*}}
// CHECK: %[[A:.*]] = load %{{.*}} mask %[[THEN]] : tensor<64x!tile.ptr<i32>>
// CHECK: %[[R:.*]] = arith.select %[[IS]], %[[A]], %[[X]] : tensor<64xi1>, tensor<64xi32>
// CHECK: %[[S:.*]] = scf.if %{{.*}} -> (tensor<64xi32>)
// CHECK: store %{{.*}}, %[[S]] mask %[[ACTIVE]]
tile.kernel @branches(%X: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %p = tile.program_id 1
  %at = tile.addptr %X, %p : !tile.ptr<i32>, index
  %x = tile.load %at : !tile.ptr<i32>
  %is = arith.cmpi sgt, %x, %zero : i32
  %r = scf.if %is -> (i32) {
    %a = tile.load %X : !tile.ptr<i32>
    scf.yield %a : i32
  } else {
    scf.yield %x : i32
  }
  %same = arith.cmpi sgt, %n, %zero : i32
  %s = scf.if %same -> (i32) {
    %t = tile.splat %r : i32 -> tensor<32xi32>
    %sum = tile.reduce %t axis 0 : tensor<32xi32> -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    scf.yield %sum : i32
  } else {
    scf.yield %n : i32
  }
  tile.store %at, %s : !tile.ptr<i32>
  tile.return
}

// A loop from the program's number goes on as long as the first program does; the others are masked then, and keep what they carry.
// CHECK-LABEL: tile.kernel @grid_stride
// CHECK-DAG: %[[FIRST:.*]] = program_id 0
// CHECK: %[[ACTIVE:.*]] = arith.cmpi slt
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %n step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<32xf32>) {
// CHECK: %[[PLACES:.*]] = tile.iota 0 : tensor<32xindex>
// CHECK: %[[LEFT:.*]] = arith.subi %n, %[[I]]
// CHECK: %[[YET:.*]] = arith.cmpi slt, %[[PLACES]], %{{.*}}
// CHECK: %[[NOW:.*]] = arith.andi %[[ACTIVE]], %[[YET]]
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<32x128x!tile.ptr<f32>>
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]]
// CHECK: %[[KEPT:.*]] = arith.select %[[NOW]], %[[NEXT]], %[[SUM]]
// CHECK: scf.yield %[[KEPT]]
// CHECK: store %{{.*}} mask %[[ACTIVE]]
tile.kernel @grid_stride(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %p = tile.program_id 0
  %all = tile.num_programs 0
  %i = tile.iota 0 : tensor<128xindex>
  %total = scf.for %r = %p to %n step %all iter_args(%sum = %zero) -> (f32) {
    %first = arith.muli %r, %c128 : index
    %row = tile.addptr %X, %first : !tile.ptr<f32>, index
    %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %xp = tile.addptr %rows, %i : tensor<128x!tile.ptr<f32>>, tensor<128xindex>
    %x = tile.load %xp : tensor<128x!tile.ptr<f32>>
    %part = tile.reduce %x axis 0 : tensor<128xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %sum, %part : f32
    scf.yield %next : f32
  }
  %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
  tile.store %y, %total : !tile.ptr<f32>
  tile.return
}

// What is checked holds of programs that are there.
// CHECK-LABEL: tile.kernel @checks
// CHECK: %[[ACTIVE:.*]] = arith.cmpi slt
// CHECK: assert %{{.*}} mask %[[ACTIVE]], "positive" : tensor<64xi1>
// CHECK: assert %{{.*}}, "same for all" : i1
tile.kernel @checks(%X: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<i32>, index
  %x = tile.load %at : !tile.ptr<i32>
  %is = arith.cmpi sgt, %x, %zero : i32
  tile.assert %is, "positive" : i1
  %same = arith.cmpi sgt, %n, %zero : i32
  tile.assert %same, "same for all" : i1
  %t = tile.splat %x : i32 -> tensor<32xi32>
  %s = tile.reduce %t axis 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %at, %s : !tile.ptr<i32>
  tile.return
}

// Nothing is combined, and a program has few bytes.
// CHECK-LABEL: tile.kernel @few_bytes
// CHECK-SAME: block_programs = array<i32: 8, 1, 1>
// CHECK: load %{{.*}} mask %{{.*}} : tensor<8x512x!tile.ptr<f16>>
// CHECK: store %{{.*}} mask %{{.*}} : tensor<8x512x!tile.ptr<f16>>
tile.kernel @few_bytes(%X: !tile.ptr<f16>, %stride: index) {
  %p = tile.program_id 0
  %first = arith.muli %p, %stride : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %rows = tile.splat %row : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %i = tile.iota 0 : tensor<512xindex>
  %at = tile.addptr %rows, %i : tensor<512x!tile.ptr<f16>>, tensor<512xindex>
  %x = tile.load %at : tensor<512x!tile.ptr<f16>>
  %y = arith.negf %x : tensor<512xf16>
  tile.store %at, %y : tensor<512x!tile.ptr<f16>>
  tile.return
}

// The shortest rows: as many as have 16 elements a thread.
// CHECK-LABEL: tile.kernel @shortest
// CHECK-SAME: block_programs = array<i32: 512, 1, 1>
// CHECK: load %{{.*}} : tensor<512x4x!tile.ptr<f16>>
tile.kernel @shortest(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>) {
  %p = tile.program_id 0
  %c4 = arith.constant 4 : index
  %first = arith.muli %p, %c4 : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %rows = tile.splat %row : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %i = tile.iota 0 : tensor<4xindex>
  %at = tile.addptr %rows, %i : tensor<4x!tile.ptr<f16>>, tensor<4xindex>
  %x = tile.load %at : tensor<4x!tile.ptr<f16>>
  %s = tile.reduce %x axis 0 : tensor<4xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  %y = tile.addptr %Y, %p : !tile.ptr<f16>, index
  tile.store %y, %s : !tile.ptr<f16>
  tile.return
}

// Programs that scan rows that begin anywhere: a thread moves elements of one row by themselves.
// CHECK-LABEL: tile.kernel @scans_of_odd_rows
// CHECK-SAME: block_programs = array<i32: 4, 1, 1>
tile.kernel @scans_of_odd_rows(%X: !tile.ptr<f16>, %n: index {tile.bounds = array<i64: 321, 336>}) attributes {num_warps = 1 : i32} {
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<512xindex>
  %first = arith.muli %p, %n : index
  %row = tile.addptr %X, %first : !tile.ptr<f16>, index
  %rows = tile.splat %row : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %xp = tile.addptr %rows, %i : tensor<512x!tile.ptr<f16>>, tensor<512xindex>
  %ns = tile.splat %n : index -> tensor<512xindex>
  %m = arith.cmpi slt, %i, %ns : tensor<512xindex>
  %x = tile.load %xp mask %m : tensor<512x!tile.ptr<f16>>
  %s = tile.scan %x axis 0 : tensor<512xf16> -> tensor<512xf16> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %xp, %s mask %m : tensor<512x!tile.ptr<f16>>
  tile.return
}

//--- declined.mlir

// Nothing is combined, and a program has bytes enough.
tile.kernel @more_bytes(%X: !tile.ptr<f32>, %stride: index) {
  %p = tile.program_id 0
  %first = arith.muli %p, %stride : index
  %row = tile.addptr %X, %first : !tile.ptr<f32>, index
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %i = tile.iota 0 : tensor<512xindex>
  %at = tile.addptr %rows, %i : tensor<512x!tile.ptr<f32>>, tensor<512xindex>
  %x = tile.load %at : tensor<512x!tile.ptr<f32>>
  %y = arith.negf %x : tensor<512xf32>
  tile.store %at, %y : tensor<512x!tile.ptr<f32>>
  tile.return
}

// Others see what it does, of which nobody need be told where nothing is combined.
tile.kernel @seen(%X: !tile.ptr<f16>) {
  %p = tile.program_id 0
  %row = tile.addptr %X, %p : !tile.ptr<f16>, index
  %rows = tile.splat %row : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %i = tile.iota 0 : tensor<128xindex>
  %at = tile.addptr %rows, %i : tensor<128x!tile.ptr<f16>>, tensor<128xindex>
  %x = tile.load %at volatile : tensor<128x!tile.ptr<f16>>
  tile.store %at, %x : tensor<128x!tile.ptr<f16>>
  tile.return
}

// Programs may meet where they store: they are told apart.
tile.kernel @scatter(%X: !tile.ptr<i32>) {
  %p = tile.program_id 0
  %row = tile.addptr %X, %p : !tile.ptr<i32>, index
  %rows = tile.splat %row : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %i = tile.iota 0 : tensor<128xindex>
  %at = tile.addptr %rows, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %x = tile.load %at : tensor<128x!tile.ptr<i32>>
  %to = tile.addptr %rows, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %to, %x : tensor<128x!tile.ptr<i32>>
  tile.return
}

// No tile at all.
tile.kernel @copy(%X: !tile.ptr<f32>) {
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  %x = tile.load %at : !tile.ptr<f32>
  tile.store %at, %x : !tile.ptr<f32>
  tile.return
}

// A row is more than a warp's part.
tile.kernel @long(%X: !tile.ptr<f32>) {
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  %x = tile.load %at : !tile.ptr<f32>
  %t = tile.splat %x : f32 -> tensor<2048xf32>
  %s = tile.reduce %t axis 0 : tensor<2048xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %at, %s : !tile.ptr<f32>
  tile.return
}

// There are no neighbours.
tile.kernel @alone(%X: !tile.ptr<f32>) {
  %x = tile.load %X : !tile.ptr<f32>
  %t = tile.splat %x : f32 -> tensor<32xf32>
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %X, %s : !tile.ptr<f32>
  tile.return
}

// Others see what it does.
// expected-remark@+1 {{runs one program a block: what it does is seen by others while it runs}}
tile.kernel @volatile(%X: !tile.ptr<f32>) {
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  %x = tile.load %at volatile : !tile.ptr<f32>
  %t = tile.splat %x : f32 -> tensor<32xf32>
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %at, %s : !tile.ptr<f32>
  tile.return
}

// expected-remark@+1 {{runs one program a block: what it does is seen by others while it runs}}
tile.kernel @volatile_store(%X: !tile.ptr<f32>) {
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  %x = tile.load %at : !tile.ptr<f32>
  %t = tile.splat %x : f32 -> tensor<32xf32>
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %at, %s volatile : !tile.ptr<f32>
  tile.return
}

// Each program prints a line.
tile.kernel @prints(%X: !tile.ptr<f32>) {
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  // expected-remark@+1 {{keeps a block from running several programs}}
  tile.print " begins: " %p : index
  %x = tile.load %at : !tile.ptr<f32>
  %t = tile.splat %x : f32 -> tensor<32xf32>
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %at, %s : !tile.ptr<f32>
  tile.return
}

// Trips differ by more than where they begin.
tile.kernel @trips(%X: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %p = tile.program_id 0
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  // expected-remark@+1 {{keeps a block from running several programs}}
  %y = scf.for %i = %c1 to %p step %c1 iter_args(%sum = %zero) -> (f32) {
    %x = tile.load %at : !tile.ptr<f32>
    %t = tile.splat %x : f32 -> tensor<32xf32>
    %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %s, %sum : f32
    scf.yield %next : f32
  }
  tile.store %at, %y : !tile.ptr<f32>
  tile.return
}

// A view that differs has no form for several programs.
tile.kernel @views(%X: !tile.ptr<f32>, %n: index) {
  %p = tile.program_id 0
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  // expected-remark@+1 {{keeps a block from running several programs}}
  %t = tile.load_view %x[%p] : !tile.view<?xf32, [1]> -> tensor<32xf32>
  %s = tile.reduce %t axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %at = tile.addptr %X, %p : !tile.ptr<f32>, index
  tile.store %at, %s : !tile.ptr<f32>
  tile.return
}

// A program that scans eight elements a thread is busy.
tile.kernel @scans(%X: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %c1024 = arith.constant 1024 : index
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<1024xindex>
  %first = arith.muli %p, %c1024 : index
  %row = tile.addptr %X, %first : !tile.ptr<f32>, index
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %rows, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %s = tile.scan %x axis 0 : tensor<1024xf32> -> tensor<1024xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %xp, %s : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// A program that computes in a loop does not wait for memory.
tile.kernel @computes(%Y: !tile.ptr<f32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<256xindex>
  %ones = arith.constant dense<1.0> : tensor<256xf32>
  %y = scf.for %k = %c0 to %n step %c1 iter_args(%x = %ones) -> (tensor<256xf32>) {
    %square = arith.mulf %x, %x : tensor<256xf32>
    %next = arith.addf %square, %ones : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  %first = arith.muli %p, %c256 : index
  %row = tile.addptr %Y, %first : !tile.ptr<f32>, index
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %rows, %i : tensor<256x!tile.ptr<f32>>, tensor<256xindex>
  tile.store %yp, %y : tensor<256x!tile.ptr<f32>>
  tile.return
}
