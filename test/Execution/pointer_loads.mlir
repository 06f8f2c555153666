// Offsets that wrap around, rows with -inf beyond their end, and promises, kept and broken.

// DEFINE: %{run} = tile-run %s --device=sim --check --kernel

// An i32 sum that wraps around in the middle of the tile, and back after it is extended: not what
// the same sum would be with 64 bits. The mask wraps too.
// RUN: %{run}=wraps --args n=64 --target=sm_80
// RUN: %{run}=wraps --args n=64 --target=sm_90a
tile.kernel @wraps(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: i32)
    shapes ["X[n]", "Y[n]"]
    grid ["1"]
    reference ["Y[i] = select(i < 32, 0, X[max(i - 32, 0)])"] {
  %iota = tile.iota 0 : tensor<64xi32>
  // 2^31 - 32 and up: negative from the 32nd on.
  %far = arith.constant dense<2147483616> : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %i = arith.addi %iota, %far : tensor<64xi32>
  %negative = arith.cmpi slt, %i, %zero : tensor<64xi32>
  // The first negative one is -2^31, of the first element.
  %c = arith.constant 2147483648 : index
  %first = tile.addptr %X, %c : !tile.ptr<i32>, index
  %xs = tile.splat %first : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %t = tile.load %ps mask %negative else %zero : tensor<64x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qs = tile.addptr %ys, %iota : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %qs, %t : tensor<64x!tile.ptr<i32>>
  tile.return
}

// A row for each program, and the largest of it: what is beyond the end is -inf.
// RUN: %{run}=row_maximum --args "M=5 N=100 stride=100"
// RUN: %{run}=row_maximum --args "M=3 N=1 stride=1" --target=sm_80
// RUN: %{run}=row_maximum --args "M=2 N=128 stride=128" --target=sm_120a
// RUN: tile-compile %s --kernel=row_maximum --batch-programs=false --emit=placed | FileCheck %s --check-prefix=ROW
// ROW: tile.kernel @row_maximum
// ROW: load_view {{.*}} else {{.*}} {vector_width = 1 : i64}
tile.kernel @row_maximum(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %M: i32, %N: i32, %stride: i32)
    shapes ["X[M, N]", "Y[M]"]
    grid ["M"]
    reference ["Y[i] = max(k, X[i, k])"] {
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %offset = arith.muli %pid, %stride : i32
  %row = tile.addptr %X, %offset : !tile.ptr<f32>, i32
  %iota = tile.iota 0 : tensor<128xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ps = tile.addptr %rows, %iota : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %ns = tile.splat %N : i32 -> tensor<128xi32>
  %in = arith.cmpi slt, %iota, %ns : tensor<128xi32>
  %lowest = tile.constant -inf : tensor<128xf32>
  %t = tile.load %ps mask %in else %lowest : tensor<128x!tile.ptr<f32>>
  %most = tile.reduce %t axis 0 : tensor<128xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.addptr %Y, %program : !tile.ptr<f32>, index
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  %r = tile.splat %most : f32 -> tensor<1xf32>
  tile.store %ys, %r : tensor<1x!tile.ptr<f32>>
  tile.return
}

// Rows that are read from memory: a promise says that they are multiples of 4, and follow one another.
// RUN: %{run}=promise --args "n=256 start=4"
// RUN: %{run}=promise --args "n=256 start=4" --target=sm_80
// RUN: not %{run}=promise --args "n=256 start=6" 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: pointer_loads.mlir:[[#@LINE+18]]: broken-promise: {{.*}} 6 is promised to be a multiple of 4 (block 0,0,0, thread 0,0,0
// RUN: tile-compile %s --kernel=promise --emit=placed | FileCheck %s --check-prefix=WIDE
// WIDE: tile.kernel @promise
// WIDE: load {{.*}}vector_width = 4 : i64}
tile.kernel @promise(%X: !tile.ptr<i32> {tile.divisibility = 16}, %Y: !tile.ptr<i32> {tile.divisibility = 16}, %n: i32, %start: i32)
    shapes ["X[n]", "Y[128]"]
    grid ["1"]
    reference ["Y[i] = X[i + start]"]
    attributes {num_warps = 1 : i32} {
  %iota = tile.iota 0 : tensor<128xi32>
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %two = arith.constant dense<2> : tensor<128xi32>
  %one = arith.constant dense<1> : tensor<128xi32>
  %halves = arith.shrui %iota, %one : tensor<128xi32>
  %again = arith.muli %halves, %two : tensor<128xi32>
  %odd = arith.andi %iota, %one : tensor<128xi32>
  %i = arith.addi %again, %odd : tensor<128xi32>
  %j = arith.addi %i, %starts : tensor<128xi32>
  %k = tile.assume %j divisibility [4] contiguity [4] : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %k : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %t = tile.load %ps : tensor<128x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %qs = tile.addptr %ys, %iota : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %qs, %t : tensor<128x!tile.ptr<i32>>
  tile.return
}

// Numbers that are not consecutive, although each group begins right; and numbers that are not equal.
// RUN: not tile-run %s --device=sim --kernel=gap 2>&1 | FileCheck %s --check-prefix=GAP
// GAP: pointer_loads.mlir:[[#@LINE+16]]: broken-promise: {{.*}}8 elements are promised to be consecutive, and element 2 of the dimension is 10, which does not go with 0
// GAP: pointer_loads.mlir:[[#@LINE+16]]: broken-promise: {{.*}}2 elements are promised to be equal, and element 1 of the dimension is 1, which does not go with 0
tile.kernel @gap(%Y: !tile.ptr<i32>)
    shapes ["Y[1024]"]
    grid ["1"] {
  %iota = tile.iota 0 : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %thirty_two = arith.constant dense<32> : tensor<64xi32>
  %low = arith.remui %iota, %eight : tensor<64xi32>
  %is_two = arith.cmpi eq, %low, %two : tensor<64xi32>
  %jump = arith.select %is_two, %eight, %zero : tensor<64xi1>, tensor<64xi32>
  %i = arith.addi %iota, %jump : tensor<64xi32>
  %more = arith.andi %iota, %thirty_two : tensor<64xi32>
  %j = arith.addi %i, %more : tensor<64xi32>
  %k = tile.assume %j divisibility [2] contiguity [8] : tensor<64xi32>
  %l = tile.assume %iota constancy [2] : tensor<64xi32>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ps = tile.addptr %ys, %k : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %ps, %l : tensor<64x!tile.ptr<i32>>
  tile.return
}

// A loop that reads what its last trip has stored, through the same argument: loads stay behind stores,
// although blocks go through shared memory.
// RUN: %{run}=chain --args n=5 --target=sm_80
// RUN: %{run}=chain --args n=4 --target=sm_90a
// RUN: tile-compile %s --kernel=chain --emit=placed | FileCheck %s --check-prefix=CHAIN
// CHAIN: tile.kernel @chain
// CHAIN-NOT: copy_async
tile.kernel @chain(%X: !tile.ptr<i32> {tile.divisibility = 16}, %n: i32)
    shapes ["X[32 * n, 32]"]
    grid ["1"]
    reference ["X[r, c] = select((r / 32) % 2 == 0, X[r % 32, c], X[c, r % 32]) + r / 32"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %iota = tile.iota 0 : tensor<32xi32>
  %rows1 = tile.expand_dims %iota {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns1 = tile.expand_dims %iota {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns = tile.broadcast %columns1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %stride = arith.constant dense<32> : tensor<32x32xi32>
  %block = arith.constant dense<1024> : tensor<32x32xi32>
  %one = arith.constant dense<1> : tensor<32x32xi32>
  %r = arith.muli %rows, %stride : tensor<32x32xi32>
  %i = arith.addi %r, %columns : tensor<32x32xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<32x32x!tile.ptr<i32>>
  %first = tile.addptr %xs, %i : tensor<32x32x!tile.ptr<i32>>, tensor<32x32xi32>
  %last = scf.for %k = %c1 to %n step %c1 iter_args(%ps = %first) -> (tensor<32x32x!tile.ptr<i32>>) : i32 {
    %t = tile.load %ps : tensor<32x32x!tile.ptr<i32>>
    %u = tile.trans %t [1, 0] : tensor<32x32xi32> -> tensor<32x32xi32>
    %v = arith.addi %u, %one : tensor<32x32xi32>
    %next = tile.addptr %ps, %block : tensor<32x32x!tile.ptr<i32>>, tensor<32x32xi32>
    tile.store %next, %v : tensor<32x32x!tile.ptr<i32>>
    scf.yield %next : tensor<32x32x!tile.ptr<i32>>
  }
  tile.return
}
