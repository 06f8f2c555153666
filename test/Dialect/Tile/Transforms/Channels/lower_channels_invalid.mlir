// Hand-overs that can never be.

// RUN: tile-opt --tile-lower-channels --split-input-file --verify-diagnostics %s

// Nobody fills what is waited for.
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @unfilled(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  // expected-error@+1 {{waits for ever: the filler is 1 hand-over behind}}
  %r = tile.wait %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n0] : !tile.channel<3>
  tile.return
}

// -----

// The reader is ahead of the filler.
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @early(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n0] : !tile.channel<3>
  // expected-error@+1 {{waits for ever: the filler is 2 hand-overs behind}}
  %r = tile.wait %c[%n2] : !tile.channel<3> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n2] : !tile.channel<3>
  tile.return
}

// -----

// In each iteration: what is waited for is only filled behind the wait.
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @in_loop(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    // expected-error@+1 {{waits for ever: the filler is 1 hand-over behind}}
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

// -----

// More slots are filled than there are.
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @too_many(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<2x8x32xf16>
  %c = tile.channel %s : !tile.shared<2x8x32xf16> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n0] : !tile.channel<2>
  %g = tile.acquire %c[%n1] : !tile.channel<2> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%one, %zero], %g {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n1] : !tile.channel<2>
  // expected-error@+1 {{waits for ever: the reader is 3 hand-overs behind, and the channel has 2}}
  %h = tile.acquire %c[%n2] : !tile.channel<2> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%two, %zero], %h {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n2] : !tile.channel<2>
  %r = tile.wait %c[%n0] : !tile.channel<2> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n0] : !tile.channel<2>
  tile.return
}

// -----

// As many ahead as there are slots: the one that is read would be filled.
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @too_far(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<2x8x32xf16>
  %c = tile.channel %s : !tile.shared<2x8x32xf16> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n0] : !tile.channel<2>
  %g = tile.acquire %c[%n1] : !tile.channel<2> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%one, %zero], %g {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n1] : !tile.channel<2>
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<8x32xf16>
    %ahead = arith.addi %n, %n2 : i32
    // expected-error@+1 {{waits for ever: the reader is 3 hand-overs behind, and the channel has 2}}
    %h = tile.acquire %c[%ahead] : !tile.channel<2> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %h {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%ahead] : !tile.channel<2>
    tile.release %c[%n] : !tile.channel<2>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

// -----

// Blocks of which nobody knows in which order they run.
tile.kernel @blocks(%n: i32) {
  scf.execute_region {
    %s = tile.alloc_shared : !tile.shared<3x64xf16>
    %c = tile.channel %s : !tile.shared<3x64xf16> -> !tile.channel<3>
    llvm.br ^next
  ^next:
    // expected-error@+1 {{stands in another block than its channel: groups of copies are counted in structured control flow only}}
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64xf16>
    tile.release %c[%n] : !tile.channel<3>
    scf.yield
  }
  tile.return
}
