// One pointer, scalars behind it, pointers as other things, and stores that other threads read behind a barrier.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --specials --target=%{target}
// DEFINE: %{all} = %{run} --kernel=scalars --args "n=5" && %{run} --kernel=scalars --args "n=64" --num-warps=1 \
// DEFINE:   && %{run} --kernel=narrow --args "n=9" && %{run} --kernel=casts --args "n=1000" \
// DEFINE:   && %{run} --kernel=neighbours && %{run} --kernel=flags

// REDEFINE: %{target} = sm_80
// RUN: %{all}
// REDEFINE: %{target} = sm_86
// RUN: %{all}
// REDEFINE: %{target} = sm_89
// RUN: %{all}
// REDEFINE: %{target} = sm_90a
// RUN: %{all}
// REDEFINE: %{target} = sm_100a
// RUN: %{all}
// REDEFINE: %{target} = sm_120a
// RUN: %{all}

// Two elements a program; the second one may not be there.
tile.kernel @scalars(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "Y[n]"]
    grid ["ceildiv(n, 2)"]
    reference ["Y[i] = 2 * X[i]"] {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %program = tile.program_id 0
  %i = arith.muli %program, %c2 : index
  %j = arith.addi %i, %c1 : index
  %inside = arith.cmpi slt, %j, %n : index
  %xi = tile.addptr %X, %i : !tile.ptr<f32>, index
  %yi = tile.addptr %Y, %i : !tile.ptr<f32>, index
  %a = tile.load %xi : !tile.ptr<f32>
  %a2 = arith.addf %a, %a : f32
  tile.store %yi, %a2 : !tile.ptr<f32>
  %xj = tile.addptr %X, %j : !tile.ptr<f32>, index
  %yj = tile.addptr %Y, %j : !tile.ptr<f32>, index
  %b = tile.load %xj mask %inside volatile : !tile.ptr<f32>
  %b2 = arith.addf %b, %b : f32
  tile.store %yj, %b2 mask %inside volatile : !tile.ptr<f32>
  tile.return
}

// Of one byte, with a value where nothing is read.
tile.kernel @narrow(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %n: index)
    shapes ["X[n]", "Y[n + 1]"]
    grid ["n + 1"]
    reference ["Y[i] = select(i < n, X[min(i, n - 1)], i8(-7))"] {
  %other = arith.constant -7 : i8
  %i = tile.program_id 0
  %inside = arith.cmpi slt, %i, %n : index
  %x = tile.addptr %X, %i : !tile.ptr<i8>, index
  %y = tile.addptr %Y, %i : !tile.ptr<i8>, index
  %a = tile.load %x mask %inside else %other : !tile.ptr<i8>
  tile.store %y, %a : !tile.ptr<i8>
  tile.return
}

// Floats in pairs of 32 bits, at addresses that were numbers: those at odd places and at even ones change places.
tile.kernel @casts(%X: !tile.ptr<f16> {tile.divisibility = 16}, %Y: !tile.ptr<f16> {tile.divisibility = 16}, %n: index)
    shapes ["X[n, 2]", "Y[n, 2]"]
    grid ["ceildiv(n, 512)"]
    reference ["Y[i, j] = X[i, 1 - j]"] {
  %c512 = arith.constant 512 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c512 : index
  %starts = tile.splat %start : index -> tensor<512xindex>
  %iota = tile.iota 0 : tensor<512xindex>
  %i = arith.addi %starts, %iota : tensor<512xindex>
  %ns = tile.splat %n : index -> tensor<512xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<512xindex>
  %x32 = tile.ptr_cast %X : !tile.ptr<f16> -> !tile.ptr<i32>
  %xs = tile.splat %x32 : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<512x!tile.ptr<i32>>, tensor<512xindex>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %c2 = arith.constant dense<2> : tensor<512xindex>
  %i2 = arith.muli %i, %c2 : tensor<512xindex>
  %y16 = tile.addptr %ys, %i2 : tensor<512x!tile.ptr<f16>>, tensor<512xindex>
  %address = tile.ptr_to_int %y16 : tensor<512x!tile.ptr<f16>> -> tensor<512xi64>
  %y = tile.int_to_ptr %address : tensor<512xi64> -> tensor<512x!tile.ptr<i32>>
  %pair = tile.load %x mask %inside volatile : tensor<512x!tile.ptr<i32>>
  %c16 = arith.constant dense<16> : tensor<512xi32>
  %low = arith.shrui %pair, %c16 : tensor<512xi32>
  %high = arith.shli %pair, %c16 : tensor<512xi32>
  %other = arith.ori %low, %high : tensor<512xi32>
  tile.store %y, %other mask %inside volatile : tensor<512x!tile.ptr<i32>>
  tile.return
}

// What a thread stored, another one loads; no barrier but the compiler's.
tile.kernel @neighbours(%X: !tile.ptr<i32>, %T: !tile.ptr<i32>, %Y: !tile.ptr<i32>)
    shapes ["X[256]", "T[256]", "Y[256]"]
    grid ["1"]
    reference ["T[i] = X[i]", "Y[i] = X[255 - i]"] {
  %c255 = arith.constant dense<255> : tensor<256xi32>
  %i = tile.iota 0 : tensor<256xi32>
  %back = arith.subi %c255, %i : tensor<256xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ts = tile.splat %T : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %t = tile.addptr %ts, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %tb = tile.addptr %ts, %back : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %y = tile.addptr %ys, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %a = tile.load %x : tensor<256x!tile.ptr<i32>>
  tile.store %t, %a : tensor<256x!tile.ptr<i32>>
  tile.barrier
  %b = tile.load %tb : tensor<256x!tile.ptr<i32>>
  tile.store %y, %b : tensor<256x!tile.ptr<i32>>
  tile.return
}

// A scalar that is stored and loaded again, in a loop: all threads see each sum.
tile.kernel @flags(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>)
    shapes ["X[10]", "Y[1]"]
    grid ["1"]
    reference ["Y[i] = sum(k, X[k])"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i32
  tile.store %Y, %zero : !tile.ptr<i32>
  scf.for %i = %c0 to %c10 step %c1 {
    %x = tile.addptr %X, %i : !tile.ptr<i32>, index
    %a = tile.load %x : !tile.ptr<i32>
    %sum = tile.load %Y : !tile.ptr<i32>
    %next = arith.addi %sum, %a : i32
    tile.store %Y, %next : !tile.ptr<i32>
  }
  tile.return
}
