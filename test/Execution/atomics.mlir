// Atomic accesses, each kernel run and checked: kinds and elements, masks, copies, and what they order.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --target=%{target}
// DEFINE: %{all} = %{run} --kernel=add_i32 --args "n=1000" && %{run} --kernel=max_i64 --args "n=700" \
// DEFINE:   && %{run} --kernel=floats && %{run} --kernel=bits && %{run} --kernel=unsigned --args "n=300" \
// DEFINE:   && %{run} --kernel=exchange --args "n=100" && %{run} --kernel=copies && %{run} --kernel=halves \
// DEFINE:   && %{run} --kernel=tickets --args "P=7" && %{run} --kernel=lock --args "P=5" \
// DEFINE:   && %{run} --kernel=last_one --args "P=6" && %{run} --kernel=turns --args "P=4"

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

// Many elements with one address, in one program and in several.
tile.kernel @add_i32(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %n: index)
    shapes ["X[n]", "Y[8]"]
    grid ["ceildiv(n, 256)"]
    reference ["Y[j] = Y[j] + sum(i, select(i % 8 == j, X[i], 0))"] {
  %c256 = arith.constant 256 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c256 : index
  %starts = tile.splat %start : index -> tensor<256xindex>
  %iota = tile.iota 0 : tensor<256xindex>
  %i = arith.addi %starts, %iota : tensor<256xindex>
  %ns = tile.splat %n : index -> tensor<256xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<256xindex>
  %eight = arith.constant dense<8> : tensor<256xindex>
  %j = arith.remui %i, %eight : tensor<256xindex>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %y = tile.addptr %ys, %j : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %v = tile.load %x mask %inside : tensor<256x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %y, %v mask %inside : tensor<256x!tile.ptr<i32>>
  tile.return
}

tile.kernel @max_i64(%X: !tile.ptr<i64>, %Y: !tile.ptr<i64>, %Z: !tile.ptr<i64>, %n: index)
    shapes ["X[n]", "Y[8]", "Z[8]"]
    grid ["ceildiv(n, 128)"]
    reference ["Y[j] = max(Y[j], max(i, select(i % 8 == j, X[i], Y[j])))",
               "Z[j] = min(Z[j], min(i, select(i % 8 == j, X[i], Z[j])))"] {
  %c128 = arith.constant 128 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c128 : index
  %starts = tile.splat %start : index -> tensor<128xindex>
  %iota = tile.iota 0 : tensor<128xindex>
  %i = arith.addi %starts, %iota : tensor<128xindex>
  %ns = tile.splat %n : index -> tensor<128xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<128xindex>
  %eight = arith.constant dense<8> : tensor<128xindex>
  %j = arith.remui %i, %eight : tensor<128xindex>
  %xs = tile.splat %X : !tile.ptr<i64> -> tensor<128x!tile.ptr<i64>>
  %ys = tile.splat %Y : !tile.ptr<i64> -> tensor<128x!tile.ptr<i64>>
  %zs = tile.splat %Z : !tile.ptr<i64> -> tensor<128x!tile.ptr<i64>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<i64>>, tensor<128xindex>
  %y = tile.addptr %ys, %j : tensor<128x!tile.ptr<i64>>, tensor<128xindex>
  %z = tile.addptr %zs, %j : tensor<128x!tile.ptr<i64>>, tensor<128xindex>
  %v = tile.load %x mask %inside : tensor<128x!tile.ptr<i64>>
  %old = tile.atomic_rmw max %y, %v mask %inside order relaxed : tensor<128x!tile.ptr<i64>>
  %older = tile.atomic_rmw min %z, %v mask %inside order relaxed scope sys : tensor<128x!tile.ptr<i64>>
  tile.return
}

// All floats: what is added, and what the larger one is; the number that stood there.
tile.kernel @floats(%A: !tile.ptr<f32>, %B: !tile.ptr<f64>, %X: !tile.ptr<f32>, %Y: !tile.ptr<f64>, %O: !tile.ptr<f32>)
    shapes ["A[512]", "B[512]", "X[512]", "Y[512]", "O[512]"]
    grid ["1"]
    reference ["X[i] = X[i] + A[i]", "Y[i] = min(Y[i] + B[i], B[i])", "O[i] = X[i]"] {
  %i = tile.iota 0 : tensor<512xi32>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %bs = tile.splat %B : !tile.ptr<f64> -> tensor<512x!tile.ptr<f64>>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f64> -> tensor<512x!tile.ptr<f64>>
  %os = tile.splat %O : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %a = tile.addptr %as, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %b = tile.addptr %bs, %i : tensor<512x!tile.ptr<f64>>, tensor<512xi32>
  %x = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %y = tile.addptr %ys, %i : tensor<512x!tile.ptr<f64>>, tensor<512xi32>
  %o = tile.addptr %os, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %va = tile.load %a : tensor<512x!tile.ptr<f32>>
  %vb = tile.load %b : tensor<512x!tile.ptr<f64>>
  %old = tile.atomic_rmw add %x, %va scope cta : tensor<512x!tile.ptr<f32>>
  tile.store %o, %old : tensor<512x!tile.ptr<f32>>
  %u = tile.atomic_rmw add %y, %vb : tensor<512x!tile.ptr<f64>>
  %w = tile.atomic_rmw min %y, %vb : tensor<512x!tile.ptr<f64>>
  tile.return
}

// Of 16 bits: by instructions, and by exchanges where there are none. Elements of one word do not disturb each other.
tile.kernel @halves(%A: !tile.ptr<f16>, %B: !tile.ptr<bf16>, %C: !tile.ptr<i16>,
                    %X: !tile.ptr<f16>, %Y: !tile.ptr<bf16>, %Z: !tile.ptr<i16>, %O: !tile.ptr<bf16>)
    shapes ["A[256]", "B[256]", "C[256]", "X[256]", "Y[256]", "Z[4]", "O[256]"]
    grid ["1"]
    reference ["X[i] = X[i] + A[i]", "Y[i] = Y[i] + B[i]", "O[i] = Y[i]", "Z[j] = Z[j] + sum(i, select(i % 4 == j, C[i], 0))"] {
  %i = tile.iota 0 : tensor<256xi32>
  %three = arith.constant dense<3> : tensor<256xi32>
  %j = arith.andi %i, %three : tensor<256xi32>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %bs = tile.splat %B : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %cs = tile.splat %C : !tile.ptr<i16> -> tensor<256x!tile.ptr<i16>>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %ys = tile.splat %Y : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %zs = tile.splat %Z : !tile.ptr<i16> -> tensor<256x!tile.ptr<i16>>
  %os = tile.splat %O : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %a = tile.addptr %as, %i : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %b = tile.addptr %bs, %i : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %c = tile.addptr %cs, %i : tensor<256x!tile.ptr<i16>>, tensor<256xi32>
  %x = tile.addptr %xs, %i : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %y = tile.addptr %ys, %i : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %z = tile.addptr %zs, %j : tensor<256x!tile.ptr<i16>>, tensor<256xi32>
  %o = tile.addptr %os, %i : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %va = tile.load %a : tensor<256x!tile.ptr<f16>>
  %vb = tile.load %b : tensor<256x!tile.ptr<bf16>>
  %vc = tile.load %c : tensor<256x!tile.ptr<i16>>
  %u = tile.atomic_rmw add %x, %va : tensor<256x!tile.ptr<f16>>
  %v = tile.atomic_rmw add %y, %vb : tensor<256x!tile.ptr<bf16>>
  %w = tile.atomic_rmw add %z, %vc : tensor<256x!tile.ptr<i16>>
  tile.store %o, %v : tensor<256x!tile.ptr<bf16>>
  tile.return
}

// Bits: the low ones are kept, one is set, all are turned.
tile.kernel @bits(%A: !tile.ptr<i32>, %O: !tile.ptr<i32>, %X: !tile.ptr<i16>)
    shapes ["A[256] in 0 .. 1000000", "O[256] in 0 .. 1000000", "X[256]"]
    grid ["1"]
    reference ["A[i] = A[i] % 4096", "O[i] = O[i] + 1048576", "X[i] = -1 - X[i]"] {
  %i = tile.iota 0 : tensor<256xi32>
  %as = tile.splat %A : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %os = tile.splat %O : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %xs = tile.splat %X : !tile.ptr<i16> -> tensor<256x!tile.ptr<i16>>
  %a = tile.addptr %as, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %o = tile.addptr %os, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %x = tile.addptr %xs, %i : tensor<256x!tile.ptr<i16>>, tensor<256xi32>
  %low = arith.constant dense<4095> : tensor<256xi32>
  %bit = arith.constant dense<1048576> : tensor<256xi32>
  %ones = arith.constant dense<-1> : tensor<256xi16>
  %u = tile.atomic_rmw and %a, %low : tensor<256x!tile.ptr<i32>>
  %v = tile.atomic_rmw or %o, %bit order release : tensor<256x!tile.ptr<i32>>
  %w = tile.atomic_rmw xor %x, %ones : tensor<256x!tile.ptr<i16>>
  tile.return
}

tile.kernel @unsigned(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %Z: !tile.ptr<i32>, %n: index)
    shapes ["X[n]", "Y[n]", "Z[n]"]
    grid ["ceildiv(n, 128)"]
    reference ["Y[i] = select((Y[i] < 0) == (X[i] < 0), max(X[i], Y[i]), min(X[i], Y[i]))",
               "Z[i] = select((Z[i] < 0) == (X[i] < 0), min(X[i], Z[i]), max(X[i], Z[i]))"] {
  %c128 = arith.constant 128 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c128 : index
  %starts = tile.splat %start : index -> tensor<128xindex>
  %iota = tile.iota 0 : tensor<128xindex>
  %i = arith.addi %starts, %iota : tensor<128xindex>
  %ns = tile.splat %n : index -> tensor<128xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<128xindex>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %zs = tile.splat %Z : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %y = tile.addptr %ys, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %z = tile.addptr %zs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %v = tile.load %x mask %inside : tensor<128x!tile.ptr<i32>>
  %u = tile.atomic_rmw umax %y, %v mask %inside : tensor<128x!tile.ptr<i32>>
  %w = tile.atomic_rmw umin %z, %v mask %inside : tensor<128x!tile.ptr<i32>>
  tile.return
}

// Every second element is the expected one; the others stay. What stood there comes back, and nothing behind a mask.
tile.kernel @exchange(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %O: !tile.ptr<i32>, %P: !tile.ptr<i16>, %Q: !tile.ptr<i16>, %n: index)
    shapes ["X[n]", "Y[n]", "O[128]", "P[128]", "Q[128]"]
    grid ["1"]
    reference ["Y[i] = select(i % 2 == 0, X[i], Y[i])", "O[i] = select(i < n, Y[min(i, n - 1)], 0)", "P[i] = Q[i]", "Q[i] = P[i]"] {
  %i = tile.iota 0 : tensor<128xindex>
  %ns = tile.splat %n : index -> tensor<128xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<128xindex>
  %one = arith.constant dense<1> : tensor<128xindex>
  %odd = arith.andi %i, %one : tensor<128xindex>
  %odd32 = arith.index_cast %odd : tensor<128xindex> to tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %os = tile.splat %O : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.splat %P : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>>
  %qs = tile.splat %Q : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>>
  %x = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %y = tile.addptr %ys, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %o = tile.addptr %os, %i : tensor<128x!tile.ptr<i32>>, tensor<128xindex>
  %p = tile.addptr %ps, %i : tensor<128x!tile.ptr<i16>>, tensor<128xindex>
  %q = tile.addptr %qs, %i : tensor<128x!tile.ptr<i16>>, tensor<128xindex>
  %v = tile.load %x mask %inside : tensor<128x!tile.ptr<i32>>
  %here = tile.load %y mask %inside : tensor<128x!tile.ptr<i32>>
  %expected = arith.addi %here, %odd32 : tensor<128xi32>
  %old = tile.atomic_cas %y, %expected, %v mask %inside : tensor<128x!tile.ptr<i32>>
  tile.store %o, %old : tensor<128x!tile.ptr<i32>>
  %a = tile.load %p : tensor<128x!tile.ptr<i16>>
  %b = tile.atomic_rmw xchg %q, %a : tensor<128x!tile.ptr<i16>>
  tile.store %p, %b : tensor<128x!tile.ptr<i16>>
  tile.return
}

// Sixteen elements of which 128 threads hold copies: each is added once, and all get what stood there.
tile.kernel @copies(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %O: !tile.ptr<i32>)
    shapes ["X[16]", "Y[16]", "O[16, 64]"]
    grid ["1"]
    reference ["Y[i] = Y[i] + X[i]", "O[i, j] = Y[i] + X[i]"] {
  %i = tile.iota 0 : tensor<16xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %x = tile.addptr %xs, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %y = tile.addptr %ys, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %v = tile.load %x : tensor<16x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %y, %v : tensor<16x!tile.ptr<i32>>
  %sum = arith.addi %old, %v : tensor<16xi32>
  %column = tile.expand_dims %sum {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %all = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x64xi32>
  %c0 = arith.constant 0 : index
  %o = tile.view %O, shape [16, 64], strides [64, 1] : !tile.ptr<i32> -> !tile.view<16x64xi32, [64, 1]>
  tile.store_view %all, %o[%c0, %c0] : tensor<16x64xi32>, !tile.view<16x64xi32, [64, 1]>
  tile.return
}

// Each program draws a number, which all of its threads have, and fills the row of that number.
tile.kernel @tickets(%C: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %P: index)
    shapes ["C[1] in 0 .. 0", "Y[P, 256]"]
    grid ["P"]
    reference ["C[i] = C[i] + P", "Y[i, j] = i"] {
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %ticket = tile.atomic_rmw add %C, %one order relaxed : !tile.ptr<i32>
  %row = arith.index_cast %ticket : i32 to index
  %y = tile.view %Y, shape [%P, 256], strides [256, 1] : !tile.ptr<i32> -> !tile.view<?x256xi32, [256, 1]>
  %t = tile.splat %ticket : i32 -> tensor<1x256xi32>
  tile.store_view %t, %y[%row, %c0] : tensor<1x256xi32>, !tile.view<?x256xi32, [256, 1]>
  tile.return
}

// Programs add to the same row, which a lock guards: all of their threads load and store.
tile.kernel @lock(%L: !tile.ptr<i32>, %X: !tile.ptr<i32>, %Y: !tile.ptr<i32> {tile.may_overlap}, %P: index)
    shapes ["L[1] in 0 .. 0", "X[P, 256]", "Y[256]"]
    grid ["P"]
    reference ["L[i] = L[i]", "Y[j] = Y[j] + sum(p, X[p, j])"] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %x = tile.view %X, shape [%P, 256], strides [256, 1] : !tile.ptr<i32> -> !tile.view<?x256xi32, [256, 1]>
  %row = tile.load_view %x[%p, %c0] : !tile.view<?x256xi32, [256, 1]> -> tensor<1x256xi32>
  %v = tile.reshape %row : tensor<1x256xi32> -> tensor<256xi32>
  scf.while : () -> () {
    %held = tile.atomic_cas %L, %zero, %one : !tile.ptr<i32>
    %wait = arith.cmpi eq, %held, %one : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %i = tile.iota 0 : tensor<256xi32>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %y = tile.addptr %ys, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %sum = tile.load %y : tensor<256x!tile.ptr<i32>>
  %next = arith.addi %sum, %v : tensor<256xi32>
  tile.store %y, %next : tensor<256x!tile.ptr<i32>>
  %free = tile.atomic_rmw xchg %L, %zero : !tile.ptr<i32>
  tile.return
}

// The last program to finish adds up what all have stored.
tile.kernel @last_one(%C: !tile.ptr<i32>, %X: !tile.ptr<i32>, %T: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %P: index)
    shapes ["C[1] in 0 .. 0", "X[P, 256]", "T[P, 256]", "Y[256]"]
    grid ["P"]
    reference ["C[i] = C[i] + P", "T[p, j] = 2 * X[p, j]", "Y[j] = sum(p, 2 * X[p, j])"] {
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<256xindex>
  %start = arith.muli %p, %c256 : index
  %starts = tile.splat %start : index -> tensor<256xindex>
  %at = arith.addi %starts, %i : tensor<256xindex>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ts = tile.splat %T : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %x = tile.addptr %xs, %at : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %t = tile.addptr %ts, %at : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %y = tile.addptr %ys, %i : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
  %v = tile.load %x : tensor<256x!tile.ptr<i32>>
  %v2 = arith.addi %v, %v : tensor<256xi32>
  tile.store %t, %v2 : tensor<256x!tile.ptr<i32>>
  %before = tile.atomic_rmw add %C, %one : !tile.ptr<i32>
  %count = arith.index_cast %before : i32 to index
  %others = arith.subi %P, %c1 : index
  %is_last = arith.cmpi eq, %count, %others : index
  scf.if %is_last {
    %zeros = arith.constant dense<0> : tensor<256xi32>
    %sum = scf.for %q = %c0 to %P step %c1 iter_args(%s = %zeros) -> tensor<256xi32> {
      %qs = arith.muli %q, %c256 : index
      %from = tile.splat %qs : index -> tensor<256xindex>
      // Another thread's element of the row.
      %last = arith.constant dense<255> : tensor<256xindex>
      %back = arith.subi %last, %i : tensor<256xindex>
      %where = arith.addi %from, %back : tensor<256xindex>
      %tq = tile.addptr %ts, %where : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
      %w = tile.load %tq : tensor<256x!tile.ptr<i32>>
      %n = arith.addi %s, %w : tensor<256xi32>
      scf.yield %n : tensor<256xi32>
    }
    %last = arith.constant dense<255> : tensor<256xindex>
    %back = arith.subi %last, %i : tensor<256xindex>
    %yb = tile.addptr %ys, %back : tensor<256x!tile.ptr<i32>>, tensor<256xindex>
    tile.store %yb, %sum : tensor<256x!tile.ptr<i32>>
  }
  tile.return
}

// Programs take turns: each waits for its number by volatile loads, and hands it on by a release.
tile.kernel @turns(%C: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %P: index)
    shapes ["C[1] in 0 .. 0", "Y[256] in 0 .. 100"]
    grid ["P"]
    reference ["C[i] = C[i] + P", "Y[j] = 16 * Y[j] + 15"] {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %p = tile.program_id 0
  %number = arith.index_cast %p : index to i32
  scf.while : () -> () {
    %turn = tile.load %C volatile : !tile.ptr<i32>
    %wait = arith.cmpi ne, %turn, %number : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %seen = tile.atomic_rmw add %C, %zero order acquire : !tile.ptr<i32>
  %i = tile.iota 0 : tensor<256xi32>
  %ys = tile.splat %Y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %y = tile.addptr %ys, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %y : tensor<256x!tile.ptr<i32>>
  %v2 = arith.addi %v, %v : tensor<256xi32>
  %ones = arith.constant dense<1> : tensor<256xi32>
  %next = arith.addi %v2, %ones : tensor<256xi32>
  tile.store %y, %next : tensor<256x!tile.ptr<i32>>
  %done = tile.atomic_rmw add %C, %one order release : !tile.ptr<i32>
  tile.return
}
