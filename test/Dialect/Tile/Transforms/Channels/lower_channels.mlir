// Hand-overs as groups of copies: how many may be under way at each wait, and which slot is whose.

// RUN: split-file %s %t
// RUN: tile-opt --tile-lower-channels %t/ahead.mlir | FileCheck %s --check-prefix=AHEAD
// RUN: sed -e "s/.. COMBINES/%%t = tile.reduce %%some axis 1 : tensor<8x8xf32> -> tensor<8xf32> { ^bb0(%%a: f32, %%b: f32): %%o = arith.addf %%a, %%b : f32 tile.yield %%o : f32 }/" %t/ahead.mlir \
// RUN:   | tile-opt --tile-lower-channels | FileCheck %s --check-prefix=COMBINES
// RUN: tile-opt --tile-lower-channels %t/two.mlir | FileCheck %s --check-prefix=TWO
// RUN: tile-opt --tile-lower-channels %t/less.mlir | FileCheck %s --check-prefix=LESS
// RUN: tile-opt --tile-lower-channels %t/line.mlir | FileCheck %s --check-prefix=LINE
// RUN: tile-opt --tile-lower-channels %t/tiles.mlir | FileCheck %s --check-prefix=TILES
// RUN: tile-opt --tile-lower-channels %t/unknown.mlir | FileCheck %s --check-prefix=UNKNOWN
// RUN: tile-opt --tile-lower-channels %t/branch.mlir | FileCheck %s --check-prefix=BRANCH
// RUN: tile-opt --tile-lower-channels %t/twos.mlir | FileCheck %s --check-prefix=TWOS
// RUN: tile-opt --tile-lower-channels %t/while.mlir | FileCheck %s --check-prefix=WHILE
// RUN: tile-opt --tile-lower-channels %t/counts.mlir | FileCheck %s --check-prefix=COUNTS

// What tile-pipeline writes: the loop carries the slot to read and, instead of the count, the one that the iteration before has
// read. One group may be under way. The branch closes its group in any case.
// AHEAD: %[[S:.*]] = alloc_shared
// AHEAD-NOT: channel
// AHEAD: %[[ANY0:.*]] = arith.cmpi
// AHEAD: %[[ANY1:.*]] = arith.cmpi
// AHEAD: %[[S0:.*]] = subview %[[S]][%c0
// AHEAD-NEXT: copy_async %{{.*}} mask %[[ANY0]], %[[S0]]
// AHEAD-NEXT: async_commit
// AHEAD: %[[S1:.*]] = subview %[[S]][%c1
// AHEAD-NEXT: copy_async %{{.*}} mask %[[ANY1]], %[[S1]]
// AHEAD-NEXT: async_commit
// AHEAD-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// AHEAD-DAG: %[[LAST:.*]] = arith.constant 2 : i32
// AHEAD: scf.for %{{.*}} iter_args(%[[READ:.*]] = %[[ZERO]], %[[WRITE:.*]] = %[[LAST]]) -> (i32, i32)
// AHEAD-NEXT: async_wait 1
// AHEAD-NOT: scf.if
// AHEAD: %[[TO:.*]] = arith.index_castui %[[WRITE]] : i32 to index
// AHEAD-NEXT: %[[F:.*]] = tile.subview %[[S]][%[[TO]]]
// AHEAD-NEXT: copy_async %{{.*}} mask %{{.*}}, %[[F]]
// AHEAD-NEXT: async_commit
// AHEAD: %[[FROM:.*]] = arith.index_castui %[[READ]] : i32 to index
// AHEAD-NEXT: %[[R:.*]] = tile.subview %[[S]][%[[FROM]]]
// AHEAD-NEXT: local_load %[[R]]
// AHEAD: %[[NEXT:.*]] = arith.addi %[[READ]],
// AHEAD: %[[OVER:.*]] = arith.cmpi eq, %[[NEXT]], %{{.*}} : i32
// AHEAD: %[[WRAPPED:.*]] = arith.select %[[OVER]], %{{.*}}, %[[NEXT]] : i32
// AHEAD: scf.yield %[[WRAPPED]], %[[READ]] : i32, i32
// AHEAD-NEXT: }
// AHEAD-NEXT: async_wait 0

// An op with a region of its own, that combines elements, fills no slots.
// COMBINES: scf.for
// COMBINES-NEXT: async_wait 1
// COMBINES: tile.reduce

// Two stages: each slot is the other's next one, and no group may be under way.
// TWO: scf.for %{{.*}} iter_args(%[[READ:.*]] = %{{.*}}, %[[WRITE:.*]] = %{{.*}}) -> (i32, i32)
// TWO-NEXT: async_wait 0
// TWO: arith.index_castui %[[WRITE]]
// TWO: copy_async
// TWO: arith.index_castui %[[READ]]
// TWO: local_load

// Fewer ahead than there are slots: a slot two after the one that is read.
// LESS: scf.for %{{.*}} iter_args(%[[READ:[^ ]*]] = %{{[^ ]*}}) -> (i32)
// LESS-NEXT: async_wait 1
// LESS: %[[SUM:.*]] = arith.addi %[[READ]], %{{.*}} : i32
// LESS: %[[OVER:.*]] = arith.cmpi uge, %[[SUM]], %[[STAGES:.*]] : i32
// LESS: %[[REST:.*]] = arith.subi %[[SUM]], %[[STAGES]] : i32
// LESS: %[[WRITE:.*]] = arith.select %[[OVER]], %[[REST]], %[[SUM]] : i32
// LESS: %[[TO:.*]] = arith.index_castui %[[WRITE]]
// LESS: subview %{{.*}}[%[[TO]]]
// LESS: copy_async

// Hand-overs one by one: numbers are known, also of slots that come again.
// LINE: subview %{{.*}}[%c0
// LINE: async_commit
// LINE: subview %{{.*}}[%c1
// LINE: async_commit
// LINE: async_wait 1
// LINE: subview %{{.*}}[%c0
// LINE: local_load
// LINE: subview %{{.*}}[%c0
// LINE: async_commit
// LINE: async_wait 1
// LINE: subview %{{.*}}[%c1
// LINE: local_load
// LINE: async_wait 0
// LINE: subview %{{.*}}[%c0
// LINE: local_load
// LINE-NEXT: async_wait 0
// LINE-NEXT: return

// A channel for all tiles of a persistent program: the count, and so the slots, go on from tile to tile. The prologue of each is in the
// slots that follow; groups that were closed for nothing at the end of the tile before it do no harm.
// TILES: scf.for %{{.*}} iter_args({{.*}}%[[SLOT:[^ ]*]] = %{{[^ ]*}}) -> (
// TILES: copy_async
// TILES: async_commit
// TILES: copy_async
// TILES: async_commit
// TILES: %[[INNER:.*]]:{{.}} = scf.for %{{.*}} iter_args(%[[READ:[^ ]*]] = %[[SLOT]], %[[WRITE:[^ ]*]] = %{{[^ ]*}}) -> (i32, i32)
// TILES-NEXT: async_wait 1
// TILES: scf.yield {{.*}}%[[INNER]]#0
// TILES: async_wait 0
// TILES-NEXT: return

// Of a count that nothing is known of, the slot is divided for, and the wait waits for all.
// UNKNOWN: %[[STAGES:.*]] = arith.constant 3 : i32
// UNKNOWN: %[[SLOT:.*]] = arith.remui %n, %[[STAGES]] : i32
// UNKNOWN: arith.index_castui %[[SLOT]]
// UNKNOWN: async_commit
// UNKNOWN: async_wait 0
// UNKNOWN: local_load

// A branch that does more than to fill stays one. It may close a group or not: the wait waits for all.
// BRANCH-LABEL: tile.kernel @more
// BRANCH: scf.if
// BRANCH: copy_async %{{.*}}], %
// BRANCH: async_commit
// BRANCH: store_view
// BRANCH: }
// BRANCH: async_wait 0
// Both masks count.
// BRANCH-LABEL: tile.kernel @masks
// BRANCH: %[[BOTH:.*]] = arith.andi %flag, %other : i1
// BRANCH: copy_async %{{.*}} mask %[[BOTH]],
// BRANCH-NEXT: async_commit
// BRANCH: async_wait 0

// A count with another use stays, beside the slots; so does one of two channels until both are done with it.
// COUNTS-LABEL: tile.kernel @used
// COUNTS: scf.for %{{.*}} iter_args(%[[N:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}) -> (i32, i32, i32)
// COUNTS: arith.index_cast %[[N]]
// COUNTS-LABEL: tile.kernel @two_channels
// COUNTS: scf.for %{{.*}} iter_args(%[[SLOT3:[^ ]*]] = %{{[^ ]*}}, %[[SLOT2:[^ ]*]] = %{{[^ ]*}}) -> (i32, i32)
// COUNTS-DAG: arith.index_castui %[[SLOT3]]
// COUNTS-DAG: arith.index_castui %[[SLOT2]]
// Two hand-overs an iteration; the loop behind it begins where the first one ended.
// TWOS: %[[FIRST:.*]] = scf.for %{{.*}} iter_args(%[[SLOT:[^ ]*]] = %{{[^ ]*}}) -> (i32)
// TWOS: async_wait 1
// TWOS: async_wait 0
// TWOS: local_load
// TWOS: %[[SUM:.*]] = arith.addi %[[SLOT]], %{{.*}} : i32
// TWOS: arith.cmpi uge, %[[SUM]],
// TWOS: scf.for %{{.*}} iter_args(%{{[^ ]*}} = %[[FIRST]]) -> (i32)
// TWOS: async_wait 0

// Of what other loops do nothing is known.
// WHILE: scf.while (%[[N:.*]] = %{{.*}}) : (i32) -> i32
// WHILE: ^bb0(%[[M:.*]]: i32):
// WHILE: arith.remui %[[M]],
// WHILE: async_commit
// WHILE-NEXT: async_wait 0
// WHILE: async_wait 0
// WHILE-NEXT: return

//--- ahead.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @ahead(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %some = arith.constant dense<1.0> : tensor<8x8xf32>
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %any0 = arith.cmpi slt, %zero, %K : index
  %any1 = arith.cmpi slt, %one, %K : index
  scf.if %any0 {
    %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n0] : !tile.channel<3>
  }
  scf.if %any1 {
    %f = tile.acquire %c[%n1] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%one, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n1] : !tile.channel<3>
  }
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %d = arith.constant 2 : i32
    %m = arith.addi %n, %d : i32
    %far = arith.constant 2 : index
    %i = arith.addi %k, %far : index
    %more = arith.cmpi slt, %i, %K : index
    scf.if %more {
      %f = tile.acquire %c[%m] : !tile.channel<3> -> !tile.shared<8x32xf16>
      tile.copy_async %v[%i, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
      tile.commit %c[%m] : !tile.channel<3>
    }
    // COMBINES
    %x = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

//--- two.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @two(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<2x8x32xf16>
  %c = tile.channel %s : !tile.shared<2x8x32xf16> -> !tile.channel<2>
  %any0 = arith.cmpi slt, %zero, %K : index
  %any1 = arith.cmpi slt, %one, %K : index
  scf.if %any0 {
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n0] : !tile.channel<2>
  }
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<8x32xf16>
    %d = arith.constant 1 : i32
    %m = arith.addi %n, %d : i32
    %far = arith.constant 1 : index
    %i = arith.addi %k, %far : index
    %more = arith.cmpi slt, %i, %K : index
    scf.if %more {
      %f = tile.acquire %c[%m] : !tile.channel<2> -> !tile.shared<8x32xf16>
      tile.copy_async %v[%i, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
      tile.commit %c[%m] : !tile.channel<2>
    }
    %x = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<2>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

//--- less.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @less(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<4x8x32xf16>
  %c = tile.channel %s : !tile.shared<4x8x32xf16> -> !tile.channel<4>
  %any0 = arith.cmpi slt, %zero, %K : index
  %any1 = arith.cmpi slt, %one, %K : index
  scf.if %any0 {
    %f = tile.acquire %c[%n0] : !tile.channel<4> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n0] : !tile.channel<4>
  }
  scf.if %any1 {
    %f = tile.acquire %c[%n1] : !tile.channel<4> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%one, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n1] : !tile.channel<4>
  }
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    %r = tile.wait %c[%n] : !tile.channel<4> -> !tile.shared<8x32xf16>
    %d = arith.constant 2 : i32
    %m = arith.addi %n, %d : i32
    %far = arith.constant 2 : index
    %i = arith.addi %k, %far : index
    %more = arith.cmpi slt, %i, %K : index
    scf.if %more {
      %f = tile.acquire %c[%m] : !tile.channel<4> -> !tile.shared<8x32xf16>
      tile.copy_async %v[%i, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
      tile.commit %c[%m] : !tile.channel<4>
    }
    %x = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<4>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

//--- line.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @line(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
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
  %r = tile.wait %c[%n0] : !tile.channel<2> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n0] : !tile.channel<2>
  %h = tile.acquire %c[%n2] : !tile.channel<2> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%two, %zero], %h {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n2] : !tile.channel<2>
  %q = tile.wait %c[%n1] : !tile.channel<2> -> !tile.shared<8x32xf16>
  %xq = tile.local_load %q : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n1] : !tile.channel<2>
  %p = tile.wait %c[%n2] : !tile.channel<2> -> !tile.shared<8x32xf16>
  %xp = tile.local_load %p : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n2] : !tile.channel<2>
  tile.return
}

//--- tiles.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @tiles(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %any0 = arith.cmpi slt, %zero, %K : index
  %any1 = arith.cmpi slt, %one, %K : index
  %end = scf.for %t = %zero to %K step %one iter_args(%first = %n0) -> (i32) {
    %second = arith.addi %first, %n1 : i32
    scf.if %any0 {
      %f = tile.acquire %c[%first] : !tile.channel<3> -> !tile.shared<8x32xf16>
      tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
      tile.commit %c[%first] : !tile.channel<3>
    }
    scf.if %any1 {
      %f = tile.acquire %c[%second] : !tile.channel<3> -> !tile.shared<8x32xf16>
      tile.copy_async %v[%one, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
      tile.commit %c[%second] : !tile.channel<3>
    }
    %last = scf.for %k = %zero to %K step %one iter_args(%n = %first) -> (i32) {
      %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
      %d = arith.constant 2 : i32
      %m = arith.addi %n, %d : i32
      %far = arith.constant 2 : index
      %i = arith.addi %k, %far : index
      %more = arith.cmpi slt, %i, %K : index
      scf.if %more {
        %f = tile.acquire %c[%m] : !tile.channel<3> -> !tile.shared<8x32xf16>
        tile.copy_async %v[%i, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
        tile.commit %c[%m] : !tile.channel<3>
      }
      %x = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
      tile.release %c[%n] : !tile.channel<3>
      %next = arith.addi %n, %n1 : i32
      scf.yield %next : i32
    }
    scf.yield %last : i32
  }
  tile.return
}

//--- unknown.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @unknown(%A: !tile.ptr<f16>, %K: index, %n: i32) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
  tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
  tile.commit %c[%n] : !tile.channel<3>
  %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n] : !tile.channel<3>
  tile.return
}

//--- branch.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @more(%A: !tile.ptr<f16>, %K: index, %flag: i1) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  scf.if %flag {
    %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n0] : !tile.channel<3>
    %t = arith.constant dense<0.0> : tensor<8x32xf16, #rows>
    tile.store_view %t, %v[%zero, %zero] : tensor<8x32xf16, #rows>, !tile.view<?x?xf16, [?, 1]>
  }
  %r = tile.wait %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n0] : !tile.channel<3>
  tile.return
}

tile.kernel @masks(%A: !tile.ptr<f16>, %K: index, %flag: i1, %other: i1) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  scf.if %flag {
    %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero] mask %other, %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n0] : !tile.channel<3>
  }
  %r = tile.wait %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
  %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
  tile.release %c[%n0] : !tile.channel<3>
  tile.return
}

//--- counts.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @used(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %any0 = arith.cmpi slt, %zero, %K : index
  %any1 = arith.cmpi slt, %one, %K : index
  scf.if %any0 {
    %f = tile.acquire %c[%n0] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n0] : !tile.channel<3>
  }
  scf.if %any1 {
    %f = tile.acquire %c[%n1] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%one, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n1] : !tile.channel<3>
  }
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %d = arith.constant 2 : i32
    %m = arith.addi %n, %d : i32
    %far = arith.constant 2 : index
    %i = arith.addi %k, %far : index
    %more = arith.cmpi slt, %i, %K : index
    scf.if %more {
      %f = tile.acquire %c[%m] : !tile.channel<3> -> !tile.shared<8x32xf16>
      tile.copy_async %v[%i, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
      tile.commit %c[%m] : !tile.channel<3>
    }
    %x = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %at = arith.index_cast %n : i32 to index
    tile.store_view %x, %v[%at, %zero] : tensor<8x32xf16, #rows>, !tile.view<?x?xf16, [?, 1]>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

tile.kernel @two_channels(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %s2 = tile.alloc_shared : !tile.shared<2x8x32xf16>
  %c2 = tile.channel %s2 : !tile.shared<2x8x32xf16> -> !tile.channel<2>
  %last = scf.for %k = %zero to %K step %one iter_args(%n = %n0) -> (i32) {
    %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n] : !tile.channel<3>
    %g = tile.acquire %c2[%n] : !tile.channel<2> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %g {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c2[%n] : !tile.channel<2>
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %q = tile.wait %c2[%n] : !tile.channel<2> -> !tile.shared<8x32xf16>
    %xq = tile.local_load %q : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c2[%n] : !tile.channel<2>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

//--- twos.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @twos(%A: !tile.ptr<f16>, %K: index) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %between = scf.for %k = %zero to %K step %two iter_args(%n = %n0) -> (i32) {
    %m = arith.addi %n, %n1 : i32
    %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n] : !tile.channel<3>
    %g = tile.acquire %c[%m] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %g {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%m] : !tile.channel<3>
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %q = tile.wait %c[%m] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %xq = tile.local_load %q : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%m] : !tile.channel<3>
    %next = arith.addi %n, %n2 : i32
    scf.yield %next : i32
  }
  %end = scf.for %k = %zero to %K step %one iter_args(%n = %between) -> (i32) {
    %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%k, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n] : !tile.channel<3>
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}

//--- while.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4]>
tile.kernel @any_loop(%A: !tile.ptr<f16>, %K: index, %limit: i32) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %v = tile.view %A, shape [%K, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x8x32xf16>
  %c = tile.channel %s : !tile.shared<3x8x32xf16> -> !tile.channel<3>
  %end = scf.while (%n = %n0) : (i32) -> i32 {
    %more = arith.cmpi slt, %n, %limit : i32
    scf.condition(%more) %n : i32
  } do {
  ^bb0(%n: i32):
    %f = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    tile.copy_async %v[%zero, %zero], %f {registers = #rows} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<8x32xf16>
    tile.commit %c[%n] : !tile.channel<3>
    %r = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<8x32xf16>
    %xr = tile.local_load %r : !tile.shared<8x32xf16> -> tensor<8x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %n1 : i32
    scf.yield %next : i32
  }
  tile.return
}
