// Atomic additions to elements that follow one another: as many at once as the place, the mask and the target allow, with
// and without what stood there.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --target=%{target}
// DEFINE: %{f32} = %{run} --kernel=f32 --args "n=2048" && %{run} --kernel=f32 --args "n=1500" \
// DEFINE:   && %{run} --kernel=f32 --args "n=1002" && %{run} --kernel=f32 --args "n=1001" \
// DEFINE:   && %{run} --kernel=f32 --args "n=2048" --offset=8 && %{run} --kernel=f32 --args "n=2048" --offset=4
// DEFINE: %{f16} = %{run} --kernel=f16 --args "n=2048" --specials && %{run} --kernel=f16 --args "n=1500" --specials \
// DEFINE:   && %{run} --kernel=f16 --args "n=1002" --specials && %{run} --kernel=f16 --args "n=1001" --specials \
// DEFINE:   && %{run} --kernel=f16 --args "n=2048" --offset=4 && %{run} --kernel=f16 --args "n=2048" --offset=2
// DEFINE: %{bf16} = %{run} --kernel=bf16 --args "n=2048" --specials && %{run} --kernel=bf16 --args "n=1500" --specials \
// DEFINE:   && %{run} --kernel=bf16 --args "n=1001" --specials && %{run} --kernel=bf16 --args "n=2048" --offset=4
// DEFINE: %{all} = %{f32} && %{f16} && %{bf16} && %{run} --kernel=matrix --args "M=37,N=100" \
// DEFINE:   && %{run} --kernel=matrix --args "M=33,N=65"

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

tile.kernel @f32(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %Z: !tile.ptr<f32>, %O: !tile.ptr<f32>, %n: index)
    shapes ["X[n]", "Y[n]", "Z[n]", "O[n]"]
    grid ["ceildiv(n, 1024)"]
    reference ["Y[i] = Y[i] + X[i]", "Z[i] = Z[i] + X[i]", "O[i] = Z[i]"] {
  %c1024 = arith.constant 1024 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c1024 : index
  %starts = tile.splat %start : index -> tensor<1024xindex>
  %iota = tile.iota 0 : tensor<1024xindex>
  %i = arith.addi %starts, %iota : tensor<1024xindex>
  %ns = tile.splat %n : index -> tensor<1024xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xindex>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %zs = tile.splat %Z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %os = tile.splat %O : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %y = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %z = tile.addptr %zs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %o = tile.addptr %os, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %v = tile.load %x mask %inside : tensor<1024x!tile.ptr<f32>>
  %u = tile.atomic_rmw add %y, %v mask %inside order relaxed : tensor<1024x!tile.ptr<f32>>
  %w = tile.atomic_rmw add %z, %v mask %inside : tensor<1024x!tile.ptr<f32>>
  tile.store %o, %w mask %inside : tensor<1024x!tile.ptr<f32>>
  tile.return
}

tile.kernel @f16(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %Z: !tile.ptr<f16>, %O: !tile.ptr<f16>, %n: index)
    shapes ["X[n]", "Y[n]", "Z[n]", "O[n]"]
    grid ["ceildiv(n, 1024)"]
    reference ["Y[i] = Y[i] + X[i]", "Z[i] = Z[i] + X[i]", "O[i] = Z[i]"] {
  %c1024 = arith.constant 1024 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c1024 : index
  %starts = tile.splat %start : index -> tensor<1024xindex>
  %iota = tile.iota 0 : tensor<1024xindex>
  %i = arith.addi %starts, %iota : tensor<1024xindex>
  %ns = tile.splat %n : index -> tensor<1024xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xindex>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %zs = tile.splat %Z : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %os = tile.splat %O : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %x = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xindex>
  %y = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xindex>
  %z = tile.addptr %zs, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xindex>
  %o = tile.addptr %os, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xindex>
  %v = tile.load %x mask %inside : tensor<1024x!tile.ptr<f16>>
  %u = tile.atomic_rmw add %y, %v mask %inside order relaxed : tensor<1024x!tile.ptr<f16>>
  %w = tile.atomic_rmw add %z, %v mask %inside : tensor<1024x!tile.ptr<f16>>
  tile.store %o, %w mask %inside : tensor<1024x!tile.ptr<f16>>
  tile.return
}

tile.kernel @bf16(%X: !tile.ptr<bf16>, %Y: !tile.ptr<bf16>, %Z: !tile.ptr<bf16>, %O: !tile.ptr<bf16>, %n: index)
    shapes ["X[n]", "Y[n]", "Z[n]", "O[n]"]
    grid ["ceildiv(n, 1024)"]
    reference ["Y[i] = Y[i] + X[i]", "Z[i] = Z[i] + X[i]", "O[i] = Z[i]"] {
  %c1024 = arith.constant 1024 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c1024 : index
  %starts = tile.splat %start : index -> tensor<1024xindex>
  %iota = tile.iota 0 : tensor<1024xindex>
  %i = arith.addi %starts, %iota : tensor<1024xindex>
  %ns = tile.splat %n : index -> tensor<1024xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xindex>
  %xs = tile.splat %X : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ys = tile.splat %Y : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %zs = tile.splat %Z : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %os = tile.splat %O : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %x = tile.addptr %xs, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xindex>
  %y = tile.addptr %ys, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xindex>
  %z = tile.addptr %zs, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xindex>
  %o = tile.addptr %os, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xindex>
  %v = tile.load %x mask %inside : tensor<1024x!tile.ptr<bf16>>
  %u = tile.atomic_rmw add %y, %v mask %inside order relaxed : tensor<1024x!tile.ptr<bf16>>
  %w = tile.atomic_rmw add %z, %v mask %inside : tensor<1024x!tile.ptr<bf16>>
  tile.store %o, %w mask %inside : tensor<1024x!tile.ptr<bf16>>
  tile.return
}

// Of a matrix: numbers are wider than what they came from, and two rows of X go to one of Y.
tile.kernel @matrix(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[ceildiv(M, 2), N]"]
    grid ["ceildiv(M, 16)", "ceildiv(N, 64)"]
    reference ["Y[i, j] = Y[i, j] + X[2 * i, j] + select(2 * i + 1 < M, X[min(2 * i + 1, M - 1), j], 0)"] {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %row0 = arith.muli %p, %c16 : index
  %column0 = arith.muli %q, %c64 : index
  %rows0 = tile.splat %row0 : index -> tensor<16xindex>
  %columns0 = tile.splat %column0 : index -> tensor<64xindex>
  %r = tile.iota 0 : tensor<16xindex>
  %c = tile.iota 0 : tensor<64xindex>
  %rows = arith.addi %rows0, %r : tensor<16xindex>
  %columns = arith.addi %columns0, %c : tensor<64xindex>
  %ms = tile.splat %M : index -> tensor<16xindex>
  %ns = tile.splat %N : index -> tensor<64xindex>
  %in_rows = arith.cmpi slt, %rows, %ms : tensor<16xindex>
  %in_columns = arith.cmpi slt, %columns, %ns : tensor<64xindex>
  %mask_r1 = tile.expand_dims %in_rows {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask_c1 = tile.expand_dims %in_columns {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %mask_r = tile.broadcast %mask_r1 : tensor<16x1xi1> -> tensor<16x64xi1>
  %mask_c = tile.broadcast %mask_c1 : tensor<1x64xi1> -> tensor<16x64xi1>
  %mask = arith.andi %mask_r, %mask_c : tensor<16x64xi1>
  %one = arith.constant dense<1> : tensor<16xindex>
  %half = arith.shrui %rows, %one : tensor<16xindex>
  %ns16 = tile.splat %N : index -> tensor<16xindex>
  %from_rows = arith.muli %rows, %ns16 : tensor<16xindex>
  %to_rows = arith.muli %half, %ns16 : tensor<16xindex>
  %from1 = tile.expand_dims %from_rows {axis = 1 : i32} : tensor<16xindex> -> tensor<16x1xindex>
  %to1 = tile.expand_dims %to_rows {axis = 1 : i32} : tensor<16xindex> -> tensor<16x1xindex>
  %at1 = tile.expand_dims %columns {axis = 0 : i32} : tensor<64xindex> -> tensor<1x64xindex>
  %from0 = tile.broadcast %from1 : tensor<16x1xindex> -> tensor<16x64xindex>
  %to0 = tile.broadcast %to1 : tensor<16x1xindex> -> tensor<16x64xindex>
  %at = tile.broadcast %at1 : tensor<1x64xindex> -> tensor<16x64xindex>
  %from = arith.addi %from0, %at : tensor<16x64xindex>
  %to = arith.addi %to0, %at : tensor<16x64xindex>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %x = tile.addptr %xs, %from : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xindex>
  %y = tile.addptr %ys, %to : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xindex>
  %v = tile.load %x mask %mask : tensor<16x64x!tile.ptr<f16>>
  %w = arith.extf %v : tensor<16x64xf16> to tensor<16x64xf32>
  %old = tile.atomic_rmw add %y, %w mask %mask order relaxed : tensor<16x64x!tile.ptr<f32>>
  tile.return
}
