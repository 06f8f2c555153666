// Placed programs with channels, written by hand: sums of slices that are handed over, in forms that tile-pipeline does not
// write. Trip counts are fewer than the stages, as many, and more.

// DEFINE: %{stages} =
// DEFINE: %{target} = sm_80
// DEFINE: %{run} = sed -e "s/STAGES/%{stages}/g" %s | tile-run - --device=sim --check --specials --target=%{target}

// REDEFINE: %{stages} = 3
// RUN: %{run} --kernel=program_long --args "T=3 K=0" && %{run} --kernel=program_long --args "T=1 K=1" && %{run} --kernel=program_long --args "T=4 K=2"
// RUN: %{run} --kernel=program_long --args "T=5 K=3" && %{run} --kernel=program_long --args "T=2 K=7" && %{run} --kernel=program_long --args "T=0 K=7"
// RUN: %{run} --kernel=by_twos --args "K=0 L=0" && %{run} --kernel=by_twos --args "K=7 L=4" && %{run} --kernel=by_twos --args "K=4 L=1"
// RUN: %{run} --kernel=stored --args "K=0" && %{run} --kernel=stored --args "K=1" && %{run} --kernel=stored --args "K=8"
// More slots than hand-overs ahead.
// REDEFINE: %{stages} = 4
// RUN: %{run} --kernel=program_long --args "T=4 K=1" && %{run} --kernel=program_long --args "T=4 K=5"
// REDEFINE: %{stages} = 8
// RUN: %{run} --kernel=program_long --args "T=5 K=3" && %{run} --kernel=program_long --args "T=2 K=11"
// RUN: %{run} --kernel=stored --args "K=11" --optimize=0 && %{run} --kernel=by_twos --args "K=17 L=9" --optimize=0
// One slot: nothing runs ahead.
// REDEFINE: %{stages} = 1
// RUN: %{run} --kernel=stored --args "K=1" && %{run} --kernel=stored --args "K=8"

// REDEFINE: %{stages} = 3
// REDEFINE: %{target} = sm_86
// RUN: %{run} --kernel=program_long --args "T=4 K=4" && %{run} --kernel=stored --args "K=5"
// REDEFINE: %{target} = sm_89
// RUN: %{run} --kernel=program_long --args "T=4 K=4" && %{run} --kernel=stored --args "K=5"
// REDEFINE: %{target} = sm_90a
// RUN: %{run} --kernel=program_long --args "T=4 K=4" && %{run} --kernel=stored --args "K=5"
// REDEFINE: %{target} = sm_100a
// RUN: %{run} --kernel=program_long --args "T=4 K=4" && %{run} --kernel=stored --args "K=5"
// REDEFINE: %{target} = sm_120a
// RUN: %{run} --kernel=program_long --args "T=4 K=4" && %{run} --kernel=stored --args "K=5"

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[2,1]>
#columns = #tile.register_layout<register[2,1] lane[4,8] warp[1,2] register[1,2]>
!stages = !tile.shared<STAGESx8x32xi32>
!slot = !tile.shared<8x32xi32>
!channel = !tile.channel<STAGES>

// One channel for all sums of a program, whose count goes on from sum to sum: hand-overs are two ahead.
tile.kernel @program_long(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32>, %T: index, %K: index)
    shapes ["X[T, K, 8, 32]", "Y[T, 8, 32]"] grid ["1"] reference ["Y[t, i, j] = sum(k, X[t, k, i, j])"]
    attributes {num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %zero = arith.constant dense<0> : tensor<8x32xi32, #columns>
  %slices = arith.muli %T, %K : index
  %xrows = arith.muli %slices, %c8 : index
  %yrows = arith.muli %T, %c8 : index
  %x = tile.view %X, shape [%xrows, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<?x32xi32, [32, 1]>
  %y = tile.view %Y, shape [%yrows, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<?x32xi32, [32, 1]>
  %s = tile.alloc_shared : !stages
  %c = tile.channel %s : !stages -> !channel
  %any0 = arith.cmpi slt, %c0, %K : index
  %any1 = arith.cmpi slt, %c1, %K : index
  %end = scf.for %t = %c0 to %T step %c1 iter_args(%first = %n0) -> (i32) {
    %slice = arith.muli %t, %K : index
    %row0 = arith.muli %slice, %c8 : index
    %row1 = arith.addi %row0, %c8 : index
    %second = arith.addi %first, %n1 : i32
    scf.if %any0 {
      %f = tile.acquire %c[%first] : !channel -> !slot
      tile.copy_async %x[%row0, %c0], %f {registers = #rows} : !tile.view<?x32xi32, [32, 1]>, !slot
      tile.commit %c[%first] : !channel
    }
    scf.if %any1 {
      %f = tile.acquire %c[%second] : !channel -> !slot
      tile.copy_async %x[%row1, %c0], %f {registers = #rows} : !tile.view<?x32xi32, [32, 1]>, !slot
      tile.commit %c[%second] : !channel
    }
    %sum, %last = scf.for %k = %c0 to %K step %c1 iter_args(%acc = %zero, %n = %first) -> (tensor<8x32xi32, #columns>, i32) {
      %r = tile.wait %c[%n] : !channel -> !slot
      %u = tile.local_load %r : !slot -> tensor<8x32xi32, #columns>
      %next = arith.addi %acc, %u : tensor<8x32xi32, #columns>
      tile.release %c[%n] : !channel
      %ahead = arith.addi %k, %c2 : index
      %more = arith.cmpi slt, %ahead, %K : index
      %m = arith.addi %n, %n2 : i32
      scf.if %more {
        %slice2 = arith.addi %slice, %ahead : index
        %row2 = arith.muli %slice2, %c8 : index
        %f = tile.acquire %c[%m] : !channel -> !slot
        tile.copy_async %x[%row2, %c0], %f {registers = #rows} : !tile.view<?x32xi32, [32, 1]>, !slot
        tile.commit %c[%m] : !channel
      }
      %after = arith.addi %n, %n1 : i32
      scf.yield %next, %after : tensor<8x32xi32, #columns>, i32
    }
    %yrow = arith.muli %t, %c8 : index
    tile.store_view %sum, %y[%yrow, %c0] : tensor<8x32xi32, #columns>, !tile.view<?x32xi32, [32, 1]>
    scf.yield %last : i32
  }
  tile.return
}

// A filler that stores, in the iteration that reads; and a count that starts elsewhere.
tile.kernel @stored(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %K: index)
    shapes ["X[K, 8, 32]", "Y[8, 32]"] grid ["1"] reference ["Y[i, j] = sum(k, X[k, i, j])"]
    attributes {num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : tensor<8x32xi32, #columns>
  %xrows = arith.muli %K, %c8 : index
  %x = tile.view %X, shape [%xrows, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<?x32xi32, [32, 1]>
  %y = tile.view %Y, shape [8, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<8x32xi32, [32, 1]>
  %s = tile.alloc_shared : !stages
  %c = tile.channel %s : !stages -> !channel
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%acc = %zero) -> tensor<8x32xi32, #columns> {
    %n = arith.index_cast %k : index to i32
    %row = arith.muli %k, %c8 : index
    %t = tile.load_view %x[%row, %c0] : !tile.view<?x32xi32, [32, 1]> -> tensor<8x32xi32, #rows>
    %f = tile.acquire %c[%n] : !channel -> !slot
    tile.local_store %t, %f : tensor<8x32xi32, #rows>, !slot
    tile.commit %c[%n] : !channel
    %r = tile.wait %c[%n] : !channel -> !slot
    %u = tile.local_load %r : !slot -> tensor<8x32xi32, #columns>
    tile.release %c[%n] : !channel
    %next = arith.addi %acc, %u : tensor<8x32xi32, #columns>
    scf.yield %next : tensor<8x32xi32, #columns>
  }
  tile.store_view %sum, %y[%c0, %c0] : tensor<8x32xi32, #columns>, !tile.view<8x32xi32, [32, 1]>
  tile.return
}

// Two hand-overs an iteration, so the count goes on by two; and a second loop, over other tiles, that goes on with the count of the first.
tile.kernel @by_twos(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Z: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32>,
                     %K: index, %L: index)
    shapes ["X[K, 8, 32]", "Z[L, 8, 32]", "Y[8, 32]"] grid ["1"]
    reference ["Y[i, j] = sum(k, X[k, i, j]) - sum(l, Z[l, i, j])"]
    attributes {num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %zero = arith.constant dense<0> : tensor<8x32xi32, #columns>
  %xrows = arith.muli %K, %c8 : index
  %zrows = arith.muli %L, %c8 : index
  %x = tile.view %X, shape [%xrows, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<?x32xi32, [32, 1]>
  %z = tile.view %Z, shape [%zrows, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<?x32xi32, [32, 1]>
  %y = tile.view %Y, shape [8, 32], strides [32, 1] : !tile.ptr<i32> -> !tile.view<8x32xi32, [32, 1]>
  %s = tile.alloc_shared : !stages
  %c = tile.channel %s : !stages -> !channel
  %sum, %between = scf.for %k = %c0 to %K step %c2 iter_args(%acc = %zero, %n = %n0) -> (tensor<8x32xi32, #columns>, i32) {
    %m = arith.addi %n, %n1 : i32
    %row = arith.muli %k, %c8 : index
    %next_row = arith.addi %row, %c8 : index // Zeros behind the last.
    %f = tile.acquire %c[%n] : !channel -> !slot
    tile.copy_async %x[%row, %c0], %f {registers = #rows} : !tile.view<?x32xi32, [32, 1]>, !slot
    tile.commit %c[%n] : !channel
    %g = tile.acquire %c[%m] : !channel -> !slot
    tile.copy_async %x[%next_row, %c0], %g {registers = #rows} : !tile.view<?x32xi32, [32, 1]>, !slot
    tile.commit %c[%m] : !channel
    %r = tile.wait %c[%n] : !channel -> !slot
    %u = tile.local_load %r : !slot -> tensor<8x32xi32, #columns>
    tile.release %c[%n] : !channel
    %q = tile.wait %c[%m] : !channel -> !slot
    %v = tile.local_load %q : !slot -> tensor<8x32xi32, #columns>
    tile.release %c[%m] : !channel
    %more = arith.addi %acc, %u : tensor<8x32xi32, #columns>
    %most = arith.addi %more, %v : tensor<8x32xi32, #columns>
    %after = arith.addi %n, %n2 : i32
    scf.yield %most, %after : tensor<8x32xi32, #columns>, i32
  }
  %rest, %end = scf.for %l = %c0 to %L step %c1 iter_args(%acc = %sum, %n = %between) -> (tensor<8x32xi32, #columns>, i32) {
    %row = arith.muli %l, %c8 : index
    %f = tile.acquire %c[%n] : !channel -> !slot
    tile.copy_async %z[%row, %c0], %f {registers = #rows} : !tile.view<?x32xi32, [32, 1]>, !slot
    tile.commit %c[%n] : !channel
    %r = tile.wait %c[%n] : !channel -> !slot
    %u = tile.local_load %r : !slot -> tensor<8x32xi32, #columns>
    tile.release %c[%n] : !channel
    %less = arith.subi %acc, %u : tensor<8x32xi32, #columns>
    %after = arith.addi %n, %n1 : i32
    scf.yield %less, %after : tensor<8x32xi32, #columns>, i32
  }
  tile.store_view %rest, %y[%c0, %c0] : tensor<8x32xi32, #columns>, !tile.view<8x32xi32, [32, 1]>
  tile.return
}
