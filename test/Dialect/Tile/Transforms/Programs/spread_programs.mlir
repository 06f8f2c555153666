// Programs that several blocks run: more warps, in a cluster.

// RUN: split-file %s %t
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-spread-programs %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_120a --tile-spread-programs %t/kernels.mlir | FileCheck %s --check-prefix=EIGHT
// RUN: tile-opt --tile-set-target=target=sm_89 --tile-spread-programs %t/kernels.mlir | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-spread-programs --verify-diagnostics %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: cluster_blocks

//--- kernels.mlir

// 8192 elements a block, 64 a thread.
// CHECK-LABEL: tile.kernel @row_sums
// CHECK-SAME: cluster_blocks = 4 : i32, num_warps = 16 : i32
// EIGHT-LABEL: tile.kernel @row_sums
// EIGHT-SAME: cluster_blocks = 4 : i32, num_warps = 16 : i32
tile.kernel @row_sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<32768xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %x = tile.load %xp : tensor<32768x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<32768xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// 64 elements for each thread that the kernel asks for.
// CHECK-LABEL: tile.kernel @by_eight
// CHECK-SAME: cluster_blocks = 4 : i32, num_warps = 32 : i32
// EIGHT-LABEL: tile.kernel @by_eight
// EIGHT-SAME: cluster_blocks = 4 : i32, num_warps = 32 : i32
tile.kernel @by_eight(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 8 : i32} {
  %i = tile.iota 0 : tensor<65536xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<65536xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// A row of 73665 columns at the most leaves half of its tile: half the warps, of up to 80 columns a thread.
// CHECK-LABEL: tile.kernel @leaves_half
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 32 : i32
// EIGHT-LABEL: tile.kernel @leaves_half
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 32 : i32
tile.kernel @leaves_half(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 65474, 73665>}) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<131072xi32>
  %end = tile.splat %n : i32 -> tensor<131072xi32>
  %inside = arith.cmpi slt, %i, %end : tensor<131072xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<131072x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<131072x!tile.ptr<f16>>, tensor<131072xi32>
  %x = tile.load %xp mask %inside : tensor<131072x!tile.ptr<f16>>
  %sum = tile.reduce %x axis 0 : tensor<131072xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %sum : !tile.ptr<f16>
  tile.return
}

// CHECK-LABEL: tile.kernel @leaves_half_of_f32
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 64 : i32
// EIGHT-LABEL: tile.kernel @leaves_half_of_f32
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 64 : i32
tile.kernel @leaves_half_of_f32(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32 {tile.bounds = array<i64: 65474, 73665>}) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<131072xi32>
  %end = tile.splat %n : i32 -> tensor<131072xi32>
  %inside = arith.cmpi slt, %i, %end : tensor<131072xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  %x = tile.load %xp mask %inside : tensor<131072x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<131072xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// CHECK-LABEL: tile.kernel @leaves_less
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 64 : i32
// EIGHT-LABEL: tile.kernel @leaves_less
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 64 : i32
tile.kernel @leaves_less(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 81921, 90112>}) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<131072xi32>
  %end = tile.splat %n : i32 -> tensor<131072xi32>
  %inside = arith.cmpi slt, %i, %end : tensor<131072xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<131072x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<131072x!tile.ptr<f16>>, tensor<131072xi32>
  %x = tile.load %xp mask %inside : tensor<131072x!tile.ptr<f16>>
  %sum = tile.reduce %x axis 0 : tensor<131072xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %sum : !tile.ptr<f16>
  tile.return
}

// Blocks of 16 warps would have a multiprocessor alone: twice the blocks of 8 warps, where a program loads its row alone.
// CHECK-LABEL: tile.kernel @alone
// CHECK-SAME: cluster_blocks = 16 : i32, num_warps = 128 : i32
// EIGHT-LABEL: tile.kernel @alone
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 128 : i32
tile.kernel @alone(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<262144xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<262144x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<262144x!tile.ptr<f16>>, tensor<262144xi32>
  %x = tile.load %xp : tensor<262144x!tile.ptr<f16>>
  %sum = tile.reduce %x axis 0 : tensor<262144xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %sum : !tile.ptr<f16>
  tile.return
}

// But where rows that begin anywhere are stored, and threads have room for rows ahead.
// CHECK-LABEL: tile.kernel @combined_ahead
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 128 : i32
// EIGHT-LABEL: tile.kernel @combined_ahead
tile.kernel @combined_ahead(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 131073, 147456>}) attributes {num_warps = 4 : i32} {
  %row = tile.program_id 0
  %r = arith.index_cast %row : index to i32
  %start = arith.muli %r, %n : i32
  %x0 = tile.addptr %X, %start : !tile.ptr<f16>, i32
  %y0 = tile.addptr %Y, %start : !tile.ptr<f16>, i32
  %i = tile.iota 0 : tensor<262144xi32>
  %end = tile.splat %n : i32 -> tensor<262144xi32>
  %in = arith.cmpi slt, %i, %end : tensor<262144xi32>
  %zero = arith.constant dense<0.0> : tensor<262144xf16>
  %xs = tile.splat %x0 : !tile.ptr<f16> -> tensor<262144x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<262144x!tile.ptr<f16>>, tensor<262144xi32>
  %x = tile.load %xp mask %in else %zero : tensor<262144x!tile.ptr<f16>>
  %sum = tile.reduce %x axis 0 : tensor<262144xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  %s = tile.splat %sum : f16 -> tensor<262144xf16>
  %q = arith.divf %x, %s : tensor<262144xf16>
  %ys = tile.splat %y0 : !tile.ptr<f16> -> tensor<262144x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %i : tensor<262144x!tile.ptr<f16>>, tensor<262144xi32>
  tile.store %yp, %q mask %in : tensor<262144x!tile.ptr<f16>>
  tile.return
}

// CHECK-LABEL: tile.kernel @weighted
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 128 : i32
// EIGHT-LABEL: tile.kernel @weighted
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 128 : i32
tile.kernel @weighted(%X: !tile.ptr<f16>, %W: !tile.ptr<f16>, %Y: !tile.ptr<f16>) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<262144xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<262144x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<262144x!tile.ptr<f16>>, tensor<262144xi32>
  %x = tile.load %xp : tensor<262144x!tile.ptr<f16>>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<262144x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<262144x!tile.ptr<f16>>, tensor<262144xi32>
  %w = tile.load %wp : tensor<262144x!tile.ptr<f16>>
  %xw = arith.mulf %x, %w : tensor<262144xf16>
  %sum = tile.reduce %xw axis 0 : tensor<262144xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %sum : !tile.ptr<f16>
  tile.return
}

// Blocks of 32 warps would have no registers for weights: half the warps, unless a thread would have more than 128 elements.
// CHECK-LABEL: tile.kernel @weighted_longest
// CHECK-SAME: cluster_blocks = 16 : i32, num_warps = 256 : i32
// EIGHT-LABEL: tile.kernel @weighted_longest
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 256 : i32
tile.kernel @weighted_longest(%X: !tile.ptr<f16>, %W: !tile.ptr<f16>, %Y: !tile.ptr<f16>) attributes {num_warps = 4 : i32} {
  %i = tile.iota 0 : tensor<1048576xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<1048576x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<1048576x!tile.ptr<f16>>, tensor<1048576xi32>
  %x = tile.load %xp : tensor<1048576x!tile.ptr<f16>>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<1048576x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %i : tensor<1048576x!tile.ptr<f16>>, tensor<1048576xi32>
  %w = tile.load %wp : tensor<1048576x!tile.ptr<f16>>
  %xw = arith.mulf %x, %w : tensor<1048576xf16>
  %sum = tile.reduce %xw axis 0 : tensor<1048576xf16> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %Y, %sum : !tile.ptr<f16>
  tile.return
}

// CHECK-LABEL: tile.kernel @by_sixteen
// CHECK-SAME: cluster_blocks = 2 : i32, num_warps = 32 : i32
// EIGHT-LABEL: tile.kernel @by_sixteen
// EIGHT-SAME: cluster_blocks = 2 : i32, num_warps = 32 : i32
tile.kernel @by_sixteen(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 16 : i32} {
  %i = tile.iota 0 : tensor<65536xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<65536xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// No fewer than 8192 elements a block.
// CHECK-LABEL: tile.kernel @by_two
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 32 : i32
// EIGHT-LABEL: tile.kernel @by_two
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 32 : i32
tile.kernel @by_two(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 2 : i32} {
  %i = tile.iota 0 : tensor<65536xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<65536xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// There are two blocks at the least. Who asks for all warps of a block asks for none of theirs: they are eight.
// CHECK-LABEL: tile.kernel @two_blocks
// CHECK-SAME: cluster_blocks = 2 : i32, num_warps = 16 : i32
// EIGHT-LABEL: tile.kernel @two_blocks
// EIGHT-SAME: cluster_blocks = 2 : i32, num_warps = 16 : i32
tile.kernel @two_blocks(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 32 : i32} {
  %i = tile.iota 0 : tensor<32768xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %x = tile.load %xp : tensor<32768x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<32768xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// Up to 32768 elements a block before there are more than 8.
// CHECK-LABEL: tile.kernel @long(
// CHECK-SAME: cluster_blocks = 8 : i32, num_warps = 128 : i32
// EIGHT-LABEL: tile.kernel @long(
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 128 : i32
tile.kernel @long(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>) attributes {num_warps = 16 : i32} {
  %i = tile.iota 0 : tensor<262144xi32>
  %xs = tile.splat %X : !tile.ptr<i8> -> tensor<262144x!tile.ptr<i8>>
  %xp = tile.addptr %xs, %i : tensor<262144x!tile.ptr<i8>>, tensor<262144xi32>
  %x = tile.load %xp : tensor<262144x!tile.ptr<i8>>
  %sum = tile.reduce %x axis 0 : tensor<262144xi8> -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = arith.maxsi %a, %b : i8
    tile.yield %c : i8
  }
  tile.store %Y, %sum : !tile.ptr<i8>
  tile.return
}

// As many warps a block as the kernel asks for; as many blocks as the target has.
// CHECK-LABEL: tile.kernel @longest
// CHECK-SAME: cluster_blocks = 16 : i32, num_warps = 256 : i32
// EIGHT-LABEL: tile.kernel @longest
// EIGHT-SAME: cluster_blocks = 8 : i32, num_warps = 256 : i32
tile.kernel @longest(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>) attributes {num_warps = 16 : i32} {
  %i = tile.iota 0 : tensor<524288xi32>
  %xs = tile.splat %X : !tile.ptr<i8> -> tensor<524288x!tile.ptr<i8>>
  %xp = tile.addptr %xs, %i : tensor<524288x!tile.ptr<i8>>, tensor<524288xi32>
  %x = tile.load %xp : tensor<524288x!tile.ptr<i8>>
  %sum = tile.reduce %x axis 0 : tensor<524288xi8> -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = arith.maxsi %a, %b : i8
    tile.yield %c : i8
  }
  tile.store %Y, %sum : !tile.ptr<i8>
  tile.return
}

// Of parts, one after the other, blocks have 16 warps.
// CHECK-LABEL: tile.kernel @parts_of_halves
// CHECK-SAME: cluster_blocks = 2 : i32, num_warps = 32 : i32
tile.kernel @parts_of_halves(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: index) attributes {num_warps = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %i = tile.iota 0 : tensor<32768xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<32768x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %i : tensor<32768x!tile.ptr<f16>>, tensor<32768xi32>
  %all = scf.for %part = %c0 to %n step %c1 iter_args(%so_far = %zero) -> (f16) {
    %x = tile.load %xp : tensor<32768x!tile.ptr<f16>>
    %sum = tile.reduce %x axis 0 : tensor<32768xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.addf %a, %b : f16
      tile.yield %c : f16
    }
    %more = arith.addf %so_far, %sum : f16
    scf.yield %more : f16
  }
  tile.store %Y, %all : !tile.ptr<f16>
  tile.return
}

// Of f32 as many as are asked for: the next part has no room beside 64 of them.
// CHECK-LABEL: tile.kernel @parts_of_words
// CHECK-SAME: cluster_blocks = 2 : i32, num_warps = 64 : i32
tile.kernel @parts_of_words(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) attributes {num_warps = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %i = tile.iota 0 : tensor<32768xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %all = scf.for %part = %c0 to %n step %c1 iter_args(%so_far = %zero) -> (f32) {
    %x = tile.load %xp : tensor<32768x!tile.ptr<f32>>
    %sum = tile.reduce %x axis 0 : tensor<32768xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %more = arith.addf %so_far, %sum : f32
    scf.yield %more : f32
  }
  tile.store %Y, %all : !tile.ptr<f32>
  tile.return
}

//--- declined.mlir

// A row that one block takes.
tile.kernel @short(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<16384xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %x = tile.load %xp : tensor<16384x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<16384xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// Nothing is combined: more programs do it as well.
tile.kernel @copy(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<65536xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  tile.store %yp, %x : tensor<65536x!tile.ptr<f32>>
  tile.return
}

// A scan gives elements to other threads.
tile.kernel @scan(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<65536xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  // expected-remark@+1 {{keeps several blocks from running a program}}
  %sums = tile.scan %x axis 0 : tensor<65536xf32> -> tensor<65536xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  tile.store %yp, %sums : tensor<65536x!tile.ptr<f32>>
  tile.return
}

// Halves have elements of other places.
tile.kernel @halves(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<32768xindex>
  %ps = tile.splat %X : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %p = tile.addptr %ps, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xindex>
  %x = tile.load %p : tensor<32768x!tile.ptr<f32>>
  // expected-remark@+1 {{keeps several blocks from running a program}}
  %a, %b = tile.split %x axis 0 stride 16384 : tensor<32768xf32> -> tensor<16384xf32>
  %d = arith.mulf %a, %b : tensor<16384xf32>
  %s = tile.reduce %d axis 0 : tensor<16384xf32> -> f32 {
  ^bb0(%e: f32, %f: f32):
    %c = arith.addf %e, %f : f32
    tile.yield %c : f32
  }
  tile.store %Y, %s : !tile.ptr<f32>
  tile.return
}

// Tiles of two dimensions may change threads.
tile.kernel @matrix(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %X, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{keeps several blocks from running a program}}
  %x = tile.load_view %v[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<256x256xf32>
  %sums = tile.reduce %x axis 0 : tensor<256x256xf32> -> tensor<256xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %w = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %sums, %w[%c0] : tensor<256xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// Programs that wait for one another run one by one.
// expected-remark@+1 {{runs each program in one block: what it does is seen by others while it runs}}
tile.kernel @total(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<65536xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<65536xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %old = tile.atomic_rmw add %Y, %sum : !tile.ptr<f32>
  tile.return
}
