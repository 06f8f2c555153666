// Products that only add to what a loop carries are under way while those of the next iteration are issued.

// RUN: split-file %s %t
// RUN: tile-opt --tile-issue-dots %t/one.mlir | FileCheck %s --check-prefix=ONE
// RUN: tile-opt --tile-issue-dots %t/two.mlir | FileCheck %s --check-prefix=TWO
// Products whose tiles have no layouts yet are not joined.
// RUN: tile-opt --tile-issue-dots --tile-join-dots %t/two.mlir | FileCheck %s --check-prefix=TWO --implicit-check-not=joined
// RUN: tile-opt --tile-issue-dots %t/scaled.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/written.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/stores.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/own.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/either.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/asked.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/rewritten.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-issue-dots %t/late.mlir | FileCheck %s --check-prefix=LATE
// RUN: tile-opt --tile-issue-dots %t/short.mlir | FileCheck %s --check-prefix=STAYS
// RUN: sed s/sm_90a// %t/short.mlir | sed 's/tile.target = ""/tile.none/' | tile-opt --tile-issue-dots | FileCheck %s --check-prefix=LATE
// RUN: sed s/x256xf/x128xf/g %t/short.mlir | tile-opt --tile-issue-dots | FileCheck %s --check-prefix=LATE
// RUN: tile-opt --tile-issue-dots %t/anew.mlir | FileCheck %s --check-prefix=ANEW
// RUN: sed 's/32x64xf32/64x64xf32/g; s/64x32xf32/64x64xf32/g; s/256x32xf32/256x64xf32/g; s/register.2,1.>, vec/register[4,1]>, vec/' %t/anew.mlir | tile-opt --tile-issue-dots | FileCheck %s --check-prefix=STAYS
// RUN: sed 's/<3x/<2x/g; s/channel<3>/channel<2>/g; s/constant 2 : i32/constant 1 : i32/' %t/anew.mlir | tile-opt --tile-issue-dots | FileCheck %s --check-prefix=STAYS
// RUN: sed 's/vector_width = 4/vector_width = 1/' %t/anew.mlir | tile-opt --tile-issue-dots | FileCheck %s --check-prefix=STAYS
// STAYS-NOT: async}
// STAYS-NOT: dot_wait

// The slot is released an iteration later, and copied into behind that.
// ONE: %[[MORE:.*]] = arith.cmpi
// ONE: %[[C:.*]] = channel
// ONE: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}})
// ONE: %[[SLOT:.*]]:2 = tile.wait %[[C]][%[[N]]]
// ONE-NOT: scf.if
// ONE: %[[D:.*]] = tile.warpgroup_dot %[[SLOT]]#0, %[[SLOT]]#1, %[[SUM]] {async}
// ONE-NEXT: tile.dot_wait 1
// ONE: %[[MINUS:.*]] = arith.constant -1 : i32
// ONE-NEXT: %[[BEFORE:.*]] = arith.addi %[[N]], %[[MINUS]]
// ONE-NEXT: tile.release %[[C]][%[[BEFORE]]]
// ONE-NEXT: scf.if %[[MORE]]
// ONE-NEXT: tile.acquire
// ONE: scf.yield %[[D]],
// ONE: %[[TOTAL:.*]] = dot_wait 0, %[[LOOP]]#0
// ONE: %[[LAST:.*]] = arith.addi %[[LOOP]]#1,
// ONE-NEXT: release %[[C]][%[[LAST]]]
// ONE: splat
// ONE: arith.addf %[[TOTAL]]

// Two products of an iteration are under way; nothing is copied into the slot that is released.
// TWO: warpgroup_dot {{.*}} {async}
// TWO: warpgroup_dot {{.*}} {async}
// TWO-NEXT: tile.dot_wait 2
// TWO: tile.release
// TWO: dot_wait 0, %{{.*}}, %{{.*}} : tensor<64x16xf32>, tensor<64x16xf32>

// A left operand that each iteration reads to registers has those of two, where there are as many, and not of a longer step; where no
// other block is on the multiprocessor, as with fewer slots; and where copies are wide.
// ANEW: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}})
// ANEW: %[[SLOT:.*]]:2 = tile.wait
// ANEW: %[[LOADED:.*]] = tile.local_load %[[SLOT]]#1
// ANEW: %[[LEFT:.*]] = tile.trans %[[LOADED]]
// ANEW: tile.warpgroup_dot %[[LEFT]], %[[SLOT]]#0, %[[SUM]] {async, b_transposed}
// ANEW-NEXT: tile.dot_wait 1
// ANEW: %[[BEFORE:.*]] = arith.addi %[[N]],
// ANEW-NEXT: tile.release %{{.*}}[%[[BEFORE]]]
// ANEW: dot_wait 0, %[[LOOP]]#0

// What follows a product that is waited for is under way until the next iteration waits for its first; the slot is released and copied
// into behind that.
// LATE: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}})
// LATE: %[[SLOT:.*]]:{{[23]}} = tile.wait
// LATE-NEXT: %[[S:.*]] = tile.warpgroup_dot %[[SLOT]]#0, %[[SLOT]]#1, %{{.*}} :
// LATE-NEXT: %[[DONE:.*]] = tile.dot_wait 0, %[[SUM]]
// LATE: %[[BEFORE:.*]] = arith.addi %[[N]]
// LATE-NEXT: tile.release %{{.*}}[%[[BEFORE]]]
// LATE-NEXT: scf.if
// LATE-NEXT: tile.acquire
// LATE: %[[P:.*]] = arith.truncf %[[S]]
// LATE: %[[SCALED:.*]] = arith.mulf %[[DONE]]
// LATE: %[[D:.*]] = tile.warpgroup_dot %[[P]], %[[SLOT]]#{{[12]}}, %[[SCALED]] {async}
// LATE-NOT: dot_wait
// LATE-NOT: release
// LATE: scf.yield %[[D]]
// LATE: dot_wait 0, %[[LOOP]]#0
// LATE: release

//--- late.mlir
tile.kernel @late(%p: !tile.ptr<f16>, %k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi slt, %c1, %k : index
  %view = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<2x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<2x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<2x64x16xf16>, !tile.shared<2x16x16xf16> -> !tile.channel<2>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ahead = arith.addi %n, %one : i32
    %ta, %tb = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    scf.if %more {
      %fa, %fb = tile.acquire %c[%ahead] : !tile.channel<2> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
      tile.copy_async %view[%i, %c0], %fa {registers = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x16xf16>
      tile.commit %c[%ahead] : !tile.channel<2>
    }
    %s = tile.warpgroup_dot %ta, %tb, %start : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    %w = arith.truncf %s : tensor<64x16xf32> to tensor<64x16xf16>
    %scaled = arith.mulf %sum, %s : tensor<64x16xf32>
    %d = tile.warpgroup_dot %w, %tb, %scaled : tensor<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<2>
    scf.yield %d, %ahead : tensor<64x16xf32>, i32
  }
  tile.return
}

//--- anew.mlir
module attributes {tile.target = "sm_90a"} {
tile.kernel @anew(%p: !tile.ptr<f32>, %k: index, %x: f32) attributes {num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi slt, %c1, %k : index
  %view = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %start = tile.splat %x : f32 -> tensor<64x256xf32>
  %a = tile.alloc_shared : !tile.shared<3x256x32xf32>
  %b = tile.alloc_shared : !tile.shared<3x32x64xf32>
  %c = tile.channel %a, %b : !tile.shared<3x256x32xf32>, !tile.shared<3x32x64xf32> -> !tile.channel<3>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x256xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<256x32xf32>, !tile.shared<32x64xf32>
    %ahead = arith.addi %n, %two : i32
    scf.if %more {
      %fa, %fb = tile.acquire %c[%ahead] : !tile.channel<3> -> !tile.shared<256x32xf32>, !tile.shared<32x64xf32>
      tile.copy_async %view[%i, %c0], %fb {registers = #tile.register_layout<register[1,4] lane[4,8] register[1,2] warp[4,1] register[2,1]>, vector_width = 4 : i64} : !tile.view<?x?xf32, [?, 1]>, !tile.shared<32x64xf32>
      tile.commit %c[%ahead] : !tile.channel<3>
    }
    %loaded = tile.local_load %tb : !tile.shared<32x64xf32> -> tensor<32x64xf32>
    %left = tile.trans %loaded [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %d = tile.warpgroup_dot %left, %ta, %sum {b_transposed} : tensor<64x32xf32>, !tile.shared<256x32xf32>, tensor<64x256xf32>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x256xf32>, i32
  }
  tile.return
}
}

//--- short.mlir
// 64 registers for scores, 32 for weights and 128 for sums leave too few for what becomes of scores.
module attributes {tile.target = "sm_90a"} {
tile.kernel @short(%p: !tile.ptr<f16>, %k: index, %x: f32) attributes {num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi slt, %c1, %k : index
  %view = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %none = tile.splat %x : f32 -> tensor<64x128xf32>
  %start = tile.splat %x : f32 -> tensor<64x256xf32>
  %a = tile.alloc_shared : !tile.shared<2x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<2x16x128xf16>
  %v = tile.alloc_shared : !tile.shared<2x128x256xf16>
  %c = tile.channel %a, %b, %v : !tile.shared<2x64x16xf16>, !tile.shared<2x16x128xf16>, !tile.shared<2x128x256xf16> -> !tile.channel<2>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x256xf32>, i32) {
    %ahead = arith.addi %n, %one : i32
    %ta, %tb, %tv = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x16xf16>, !tile.shared<16x128xf16>, !tile.shared<128x256xf16>
    scf.if %more {
      %fa, %fb, %fv = tile.acquire %c[%ahead] : !tile.channel<2> -> !tile.shared<64x16xf16>, !tile.shared<16x128xf16>, !tile.shared<128x256xf16>
      tile.copy_async %view[%i, %c0], %fa {registers = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x16xf16>
      tile.commit %c[%ahead] : !tile.channel<2>
    }
    %s = tile.warpgroup_dot %ta, %tb, %none : !tile.shared<64x16xf16>, !tile.shared<16x128xf16>, tensor<64x128xf32>
    %w = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xf16>
    %scaled = arith.mulf %sum, %sum : tensor<64x256xf32>
    %d = tile.warpgroup_dot %w, %tv, %scaled : tensor<64x128xf16>, !tile.shared<128x256xf16>, tensor<64x256xf32>
    tile.release %c[%n] : !tile.channel<2>
    scf.yield %d, %ahead : tensor<64x256xf32>, i32
  }
  tile.return
}
}

//--- asked.mlir
// The sums are asked for before anything is waited for.
tile.kernel @asked(%k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<2x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<2x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<2x64x16xf16>, !tile.shared<2x16x16xf16> -> !tile.channel<2>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ahead = arith.addi %n, %one : i32
    %ta, %tb = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %scaled = arith.mulf %sum, %start : tensor<64x16xf32>
    %s = tile.warpgroup_dot %ta, %tb, %start : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    %w = arith.truncf %s : tensor<64x16xf32> to tensor<64x16xf16>
    %d = tile.warpgroup_dot %w, %tb, %scaled : tensor<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<2>
    scf.yield %d, %ahead : tensor<64x16xf32>, i32
  }
  tile.return
}

//--- rewritten.mlir
// The registers of the left operand are written before anything is waited for, while the product may read them.
tile.kernel @rewritten(%k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<2x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<2x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<2x64x16xf16>, !tile.shared<2x16x16xf16> -> !tile.channel<2>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ahead = arith.addi %n, %one : i32
    %ta, %tb = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %float = arith.sitofp %n : i32 to f32
    %y = tile.splat %float : f32 -> tensor<64x16xf32>
    %w = arith.truncf %y : tensor<64x16xf32> to tensor<64x16xf16>
    %s = tile.warpgroup_dot %ta, %tb, %start : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    %scaled = arith.mulf %sum, %s : tensor<64x16xf32>
    %d = tile.warpgroup_dot %w, %tb, %scaled : tensor<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<2>
    scf.yield %d, %ahead : tensor<64x16xf32>, i32
  }
  tile.return
}

//--- one.mlir
tile.kernel @one(%p: !tile.ptr<f16>, %k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi slt, %c1, %k : index
  %view = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<3x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<3x64x16xf16>, !tile.shared<3x16x16xf16> -> !tile.channel<3>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %ahead = arith.addi %n, %two : i32
    scf.if %more {
      %fa, %fb = tile.acquire %c[%ahead] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
      tile.copy_async %view[%i, %c0], %fa {registers = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x16xf16>
      tile.commit %c[%ahead] : !tile.channel<3>
    }
    %d = tile.warpgroup_dot %ta, %tb, %sum : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x16xf32>, i32
  }
  %y = tile.splat %x : f32 -> tensor<64x16xf32>
  %z = arith.addf %r#0, %y : tensor<64x16xf32>
  tile.return
}

//--- two.mlir
tile.kernel @two(%k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<3x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<3x64x16xf16>, !tile.shared<3x16x16xf16> -> !tile.channel<3>
  %r:3 = scf.for %i = %c0 to %k step %c1 iter_args(%s = %start, %t = %start, %n = %zero) -> (tensor<64x16xf32>, tensor<64x16xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %d = tile.warpgroup_dot %ta, %tb, %s : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    %e = tile.warpgroup_dot %ta, %tb, %t : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %e, %next : tensor<64x16xf32>, tensor<64x16xf32>, i32
  }
  tile.return
}

//--- scaled.mlir
// The sums are multiplied in each iteration.
tile.kernel @scaled(%k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<3x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<3x64x16xf16>, !tile.shared<3x16x16xf16> -> !tile.channel<3>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%s = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %scaled = arith.mulf %s, %start : tensor<64x16xf32>
    %d = tile.warpgroup_dot %ta, %tb, %scaled : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x16xf32>, i32
  }
  tile.return
}

//--- written.mlir
// An operand is no slot, and is written in each iteration.
tile.kernel @written(%k: index, %x: f32, %h: f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<64x16xf16>
  %b = tile.alloc_shared : !tile.shared<16x16xf16>
  %t = tile.splat %h : f16 -> tensor<64x16xf16>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%s = %start) -> (tensor<64x16xf32>) {
    tile.local_store %t, %a : tensor<64x16xf16>, !tile.shared<64x16xf16>
    %d = tile.warpgroup_dot %a, %b, %s : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tile.return
}

//--- stores.mlir
// The copies cannot move behind the store: it may write what they read.
tile.kernel @stores(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi slt, %c1, %k : index
  %view = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %out = tile.view %q, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<3x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<3x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<3x64x16xf16>, !tile.shared<3x16x16xf16> -> !tile.channel<3>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    %ta, %tb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %ahead = arith.addi %n, %two : i32
    scf.if %more {
      %fa, %fb = tile.acquire %c[%ahead] : !tile.channel<3> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
      tile.copy_async %view[%i, %c0], %fa {registers = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x16xf16>
      tile.commit %c[%ahead] : !tile.channel<3>
    }
    tile.store_view %start, %out[%i, %c0] : tensor<64x16xf32>, !tile.view<?x?xf32, [?, 1]>
    %d = tile.warpgroup_dot %ta, %tb, %sum : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<3>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x16xf32>, i32
  }
  tile.return
}

//--- own.mlir
// The slot is filled in the iteration that reads it: the copies cannot move behind their wait.
tile.kernel @own(%p: !tile.ptr<f16>, %k: index, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi slt, %c1, %k : index
  %view = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %start = tile.splat %x : f32 -> tensor<64x16xf32>
  %a = tile.alloc_shared : !tile.shared<1x64x16xf16>
  %b = tile.alloc_shared : !tile.shared<1x16x16xf16>
  %c = tile.channel %a, %b : !tile.shared<1x64x16xf16>, !tile.shared<1x16x16xf16> -> !tile.channel<1>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %start, %n = %zero) -> (tensor<64x16xf32>, i32) {
    scf.if %more {
      %fa, %fb = tile.acquire %c[%n] : !tile.channel<1> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
      tile.copy_async %view[%i, %c0], %fa {registers = #tile.register_layout<register[1,8] lane[16,2] warp[4,1]>} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x16xf16>
      tile.commit %c[%n] : !tile.channel<1>
    }
    %ta, %tb = tile.wait %c[%n] : !tile.channel<1> -> !tile.shared<64x16xf16>, !tile.shared<16x16xf16>
    %d = tile.warpgroup_dot %ta, %tb, %sum : !tile.shared<64x16xf16>, !tile.shared<16x16xf16>, tensor<64x16xf32>
    tile.release %c[%n] : !tile.channel<1>
    %next = arith.addi %n, %one : i32
    scf.yield %d, %next : tensor<64x16xf32>, i32
  }
  tile.return
}

//--- either.mlir
// One of two tiles, who knows which.
tile.kernel @either(%x: f32, %b1: i1, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.splat %x : f32 -> tensor<64x32xf32>
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %a2 = tile.alloc_shared : !tile.shared<64x64xf16>
  %as = arith.select %b1, %a, %a2 : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x32xf16>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%s = %c) -> (tensor<64x32xf32>) {
    %d = tile.warpgroup_dot %as, %b, %s : !tile.shared<64x64xf16>, !tile.shared<64x32xf16>, tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tile.return
}
