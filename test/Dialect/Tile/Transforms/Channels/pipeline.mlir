// Loads that run ahead: what each number of stages makes, and which loads stay.

// RUN: split-file %s %t
// RUN: tile-opt --tile-specialize=num-stages=1 --tile-pipeline %t/loop.mlir | FileCheck %s --check-prefix=ONE
// RUN: tile-opt --tile-specialize=num-stages=2 --tile-pipeline %t/loop.mlir | FileCheck %s --check-prefixes=ALL,TWO
// RUN: tile-opt --tile-specialize=num-stages=3 --tile-pipeline %t/loop.mlir | FileCheck %s --check-prefixes=ALL,THREE
// RUN: tile-opt --tile-specialize=num-stages=8 --tile-pipeline %t/loop.mlir | FileCheck %s --check-prefixes=ALL,EIGHT
// RUN: tile-opt --tile-pipeline %t/kernel.mlir | FileCheck %s --check-prefix=KERNEL
// RUN: tile-opt --tile-pipeline %t/unsigned.mlir | FileCheck %s --check-prefix=UNSIGNED
// RUN: tile-opt --tile-pipeline %t/coordinates.mlir | FileCheck %s --check-prefix=COORDINATES
// RUN: tile-opt --tile-pipeline %t/loads.mlir | FileCheck %s --check-prefix=LOADS
// RUN: tile-opt --tile-pipeline %t/two.mlir | FileCheck %s --check-prefix=LOOPS
// RUN: tile-opt --tile-pipeline %t/nested.mlir | FileCheck %s --check-prefix=NESTED
// RUN: tile-opt --tile-pipeline %t/beside.mlir | FileCheck %s --check-prefix=BESIDE
// RUN: tile-opt --tile-pipeline %t/stay.mlir | FileCheck %s --check-prefix=STAY

// One stage is the loop as it was: there are registers for what it loads.
// ONE-NOT: channel
// ONE: scf.for
// ONE: load_view
// ONE: local_store
// ONE: local_load
// ONE-NOT: channel

// All but one stage are filled in front of the loop, each if there is such an iteration.
// ALL-LABEL: tile.kernel @loop
// TWO: %[[S:.*]] = alloc_shared : !tile.shared<2x64x32xf16>
// TWO: %[[C:.*]] = channel %[[S]] : !tile.shared<2x64x32xf16> -> !tile.channel<2>
// THREE: %[[S:.*]] = alloc_shared : !tile.shared<3x64x32xf16>
// THREE: %[[C:.*]] = channel %[[S]] : !tile.shared<3x64x32xf16> -> !tile.channel<3>
// EIGHT: %[[S:.*]] = alloc_shared : !tile.shared<8x64x32xf16>
// EIGHT: %[[C:.*]] = channel %[[S]] : !tile.shared<8x64x32xf16> -> !tile.channel<8>
// ALL: %[[ZERO:.*]] = arith.constant 0 : i32
// ALL: %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}}, %[[LAST:.*]] : index
// ALL-NEXT: scf.if %[[EXISTS]] {
// ALL-NEXT: %[[FIRST:.*]] = tile.acquire %[[C]][%[[ZERO]]]
// ALL-NEXT: copy_async %{{.*}}, %[[FIRST]]
// ALL-NEXT: commit %[[C]][%[[ZERO]]]
// ALL-NEXT: }
// TWO-NOT: acquire
// THREE-COUNT-1: acquire
// EIGHT-COUNT-6: acquire
// ALL-NOT: acquire
// The loop counts its iterations, which are the hand-overs.
// ALL: scf.for %[[K:[^ ]*]] = %{{.*}} to %[[LAST]] step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}) -> ({{.*}}, i32)
// ALL-NEXT: %[[R:.*]] = tile.wait %[[C]][%[[N]]]
// TWO: %[[FAR:.*]] = arith.constant 1 : i32
// THREE: %[[FAR:.*]] = arith.constant 2 : i32
// EIGHT: %[[FAR:.*]] = arith.constant 7 : i32
// ALL: %[[M:.*]] = arith.addi %[[N]], %[[FAR]] : i32
// ALL: %[[AHEAD:.*]] = arith.addi %[[K]],
// ALL: %[[GUARD:.*]] = arith.cmpi slt, %[[AHEAD]], %[[LAST]] : index
// ALL-NEXT: scf.if %[[GUARD]] {
// ALL-NEXT: %[[F:.*]] = tile.acquire %[[C]][%[[M]]]
// ALL-NEXT: copy_async %{{.*}}[%{{.*}}, %[[AHEAD]]], %[[F]] {registers = #{{.*}}, vector_width = 8 : i64}
// ALL-NEXT: commit %[[C]][%[[M]]]
// ALL-NEXT: }
// ALL-NOT: load_view
// ALL-NOT: local_store
// ALL: local_load %[[R]]
// ALL: %[[INC:.*]] = arith.constant 1 : i32
// ALL: %[[NEXT:.*]] = arith.addi %[[N]], %[[INC]] : i32
// ALL-NEXT: release %[[C]][%[[N]]]
// ALL-NEXT: scf.yield %{{.*}}, %[[NEXT]] :

// As many as the kernel says, or three.
// KERNEL-LABEL: tile.kernel @five
// KERNEL: !tile.channel<5>
// KERNEL-COUNT-4: acquire
// KERNEL: scf.for
// KERNEL-LABEL: tile.kernel @three
// KERNEL: !tile.channel<3>
// KERNEL-COUNT-2: acquire
// KERNEL: scf.for

// The guard compares as the loop does.
// UNSIGNED: arith.cmpi ult
// UNSIGNED: scf.for unsigned
// UNSIGNED: arith.cmpi ult

// What computes the coordinates, and the view, goes along, and stands in front of the branch.
// COORDINATES: scf.for %[[K:[^ ]*]] =
// COORDINATES: wait
// COORDINATES: %[[AHEAD:.*]] = arith.addi %[[K]],
// COORDINATES: %[[HALF:.*]] = arith.divui %[[AHEAD]],
// COORDINATES: %[[P:[^ ]*]] = {{(tile.)?}}addptr %{{.*}}, %[[HALF]]
// COORDINATES: %[[V:[^ ]*]] = {{(tile.)?}}view %[[P]],
// COORDINATES-NEXT: scf.if
// COORDINATES-NEXT: acquire
// COORDINATES-NEXT: copy_async %[[V]]

// All loads of a loop have one channel, in the order of the program.
// LOADS: %[[A:.*]] = alloc_shared : !tile.shared<3x64x32xf16>
// LOADS: %[[B:.*]] = alloc_shared : !tile.shared<3x32x64xf16>
// LOADS: channel %[[A]], %[[B]] :
// LOADS-NOT: channel %
// LOADS: scf.for
// LOADS: %[[R:.*]]:2 = tile.wait
// LOADS: %[[F:.*]]:2 = tile.acquire
// LOADS-NEXT: copy_async %{{.*}}, %[[F]]#0
// LOADS-NEXT: copy_async %{{.*}}, %[[F]]#1
// LOADS-NEXT: commit
// LOADS: local_load %[[R]]#0
// LOADS: local_load %[[R]]#1

// Loops one after the other have a channel each.
// LOOPS: %[[C:.*]] = channel
// LOOPS: scf.for
// LOOPS: wait %[[C]]
// LOOPS: %[[D:.*]] = channel
// LOOPS: scf.for
// LOOPS: wait %[[D]]

// Loads of an inner and of an outer loop: an inner channel for each iteration of the outer loop.
// NESTED: %[[C:.*]] = channel
// NESTED: scf.for
// NESTED: wait %[[C]]
// NESTED: %[[D:.*]] = tile.channel
// NESTED: scf.for
// NESTED: wait %[[D]]
// NESTED: release %[[D]]
// NESTED: release %[[C]]

// Hand-overs that are written already order shared memory only: a load beside them runs ahead.
// BESIDE: %[[OLD:.*]] = channel %{{.*}} -> !tile.channel<1>
// BESIDE: %[[NEW:.*]] = channel %{{.*}} -> !tile.channel<3>
// BESIDE: scf.for
// BESIDE: wait %[[NEW]]
// BESIDE: acquire %[[OLD]]

// STAY-NOT: channel

//--- loop.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @loop(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

//--- kernel.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>

tile.kernel @five(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32, num_stages = 5 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

tile.kernel @three(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

//--- unsigned.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @unsigned(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for unsigned %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

//--- coordinates.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @coordinates(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %h = arith.divui %k, %c2 : index
    %p = tile.addptr %A, %h : !tile.ptr<f16>, index
    %w = tile.view %p, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %tk = tile.load_view %w[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

//--- loads.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#wide = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[2,1]>
tile.kernel @loads(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %k = %c0 to %K step %c32 {
    %ta = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %tb = tile.load_view %v[%k, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<32x64xf16, #wide>
    %sb = tile.alloc_shared : !tile.shared<32x64xf16>
    tile.local_store %tb, %sb : tensor<32x64xf16, #wide>, !tile.shared<32x64xf16>
    %sa = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %ta, %sa : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %ua = tile.local_load %sa : !tile.shared<64x32xf16> -> tensor<64x32xf16, #rows>
    %ub = tile.local_load %sb : !tile.shared<32x64xf16> -> tensor<32x64xf16, #wide>
  }
  tile.return
}

//--- two.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @two(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  %sum2 = scf.for %j = %c0 to %K step %c32 iter_args(%acc2 = %sum) -> (tensor<64x32xf16, #a>) {
    %tj = tile.load_view %v[%c0, %j] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sj = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tj, %sj : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uj = tile.local_load %sj : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nj = arith.addf %acc2, %uj : tensor<64x32xf16, #a>
    scf.yield %nj : tensor<64x32xf16, #a>
  }
  tile.return
}

//--- nested.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>
tile.kernel @nested(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %inner = scf.for %j = %c0 to %K step %c32 iter_args(%acc2 = %acc) -> (tensor<64x32xf16, #a>) {
      %tj = tile.load_view %v[%k, %j] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
      %sj = tile.alloc_shared : !tile.shared<64x32xf16>
      tile.local_store %tj, %sj : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
      %uj = tile.local_load %sj : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
      %nj = arith.addf %acc2, %uj : tensor<64x32xf16, #a>
      scf.yield %nj : tensor<64x32xf16, #a>
    }
    %nk = arith.addf %inner, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

//--- beside.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
tile.kernel @beside(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}, %n: i32)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #rows>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<1x64x32xf16>
  %c = tile.channel %s : !tile.shared<1x64x32xf16> -> !tile.channel<1>
  scf.for %k = %c0 to %K step %c32 {
    %ta = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sa = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %ta, %sa : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %f = tile.acquire %c[%n] : !tile.channel<1> -> !tile.shared<64x32xf16>
    tile.local_store %zero, %f : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    tile.commit %c[%n] : !tile.channel<1>
    %r = tile.wait %c[%n] : !tile.channel<1> -> !tile.shared<64x32xf16>
    %u = tile.local_load %r : !tile.shared<64x32xf16> -> tensor<64x32xf16, #rows>
    tile.release %c[%n] : !tile.channel<1>
    %ua = tile.local_load %sa : !tile.shared<64x32xf16> -> tensor<64x32xf16, #rows>
  }
  tile.return
}

//--- stay.mlir
#rows = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp[4,1]>

// A load whose tile has another use.
tile.kernel @used_twice(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    %more = arith.addf %tk, %tk : tensor<64x32xf16, #rows>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// Coordinates that the loop computes.
tile.kernel @carried(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum:2 = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero, %i = %c0) -> (tensor<64x32xf16, #a>, index) {
    %t = tile.load_view %v[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %n = arith.addf %acc, %u : tensor<64x32xf16, #a>
    %next = arith.addi %i, %c32 : index
    scf.yield %n, %next : tensor<64x32xf16, #a>, index
  }
  tile.return
}

// Elements outside that are not zero.
tile.kernel @with_else(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %one = arith.constant 1.0 : f16
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] else %one : f16 : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// Vectors of 2 bytes: the row's length is odd.
tile.kernel @narrow(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 1 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// What this iteration stores, a later one may load.
tile.kernel @stores(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    tile.store_view %nk, %v[%c0, %k] : tensor<64x32xf16, #a>, !tile.view<?x?xf16, [?, 1]>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// The same, in a branch.
tile.kernel @stores_inside(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}, %flag: i1)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.if %flag {
      tile.store_view %nk, %v[%c0, %k] : tensor<64x32xf16, #a>, !tile.view<?x?xf16, [?, 1]>
    }
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// A coordinate out of a region.
tile.kernel @region(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}, %flag: i1)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %i = scf.if %flag -> index {
      scf.yield %k : index
    } else {
      scf.yield %c0 : index
    }
    %tk = tile.load_view %v[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// No shared tile at all.
tile.kernel @registers(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %z = arith.constant dense<0.0> : tensor<64x32xf16, #rows>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %z) -> (tensor<64x32xf16, #rows>) {
    %t = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %n = arith.addf %acc, %t : tensor<64x32xf16, #rows>
    scf.yield %n : tensor<64x32xf16, #rows>
  }
  tile.return
}

// A shared tile of the whole kernel, which other iterations may use.
tile.kernel @outside(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sk = tile.alloc_shared : !tile.shared<64x32xf16>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// A shared tile that is read before it is written.
tile.kernel @read_before(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64})
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf16, #a>) {
    %tk = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
    %sk = tile.alloc_shared : !tile.shared<64x32xf16>
    %early = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    tile.local_store %tk, %sk : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
    %uk = tile.local_load %sk : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    %nk = arith.addf %acc, %uk : tensor<64x32xf16, #a>
    scf.yield %nk : tensor<64x32xf16, #a>
  }
  tile.return
}

// A load in a branch.
tile.kernel @branch(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}, %flag: i1)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %v = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  scf.for %k = %c0 to %K step %c32 {
    scf.if %flag {
      %t = tile.load_view %v[%c0, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #rows>
      %s = tile.alloc_shared : !tile.shared<64x32xf16>
      tile.local_store %t, %s : tensor<64x32xf16, #rows>, !tile.shared<64x32xf16>
      %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #a>
    }
  }
  tile.return
}
