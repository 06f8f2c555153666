// Registers for what an iteration loads: ptxas is told how many blocks have as many.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-load-at-once --split-input-file %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_86 --tile-load-at-once --split-input-file %s | FileCheck %s --check-prefix=SM86

#rows = #tile.register_layout<register[32] lane[32] warp[4]>
// 65536 registers, 128 threads, 24 and 32 that are carried and 16.
// CHECK-LABEL: tile.kernel @sum
// CHECK-SAME: tile.blocks_per_sm = 7 : i32
tile.kernel @sum(%x: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #rows>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sum = scf.for %i = %c0 to %n step %c4096 iter_args(%so_far = %zeros) -> (tensor<4096xf32, #rows>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf16, [1]> -> tensor<4096xf16, #rows>
    %w = arith.extf %t : tensor<4096xf16, #rows> to tensor<4096xf32, #rows>
    %next = arith.addf %so_far, %w : tensor<4096xf32, #rows>
    scf.yield %next : tensor<4096xf32, #rows>
  }
  %all = tile.reduce %sum axis 0 : tensor<4096xf32, #rows> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

#row = #tile.register_layout<register[4] lane[32]>
// The inner of two loops, and no more blocks than there are at a time: 32 here, 16 of sm_86.
// CHECK-LABEL: tile.kernel @inner
// CHECK-SAME: tile.blocks_per_sm = 32 : i32
// SM86-LABEL: tile.kernel @inner
// SM86-SAME: tile.blocks_per_sm = 16 : i32
tile.kernel @inner(%x: !tile.ptr<f32>, %n: index) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : tensor<128xf32, #row>
  %w = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %all_rows = scf.for %m = %c0 to %n step %c128 iter_args(%before = %zeros) -> (tensor<128xf32, #row>) {
    %sum = scf.for %i = %c0 to %n step %c128 iter_args(%so_far = %before) -> (tensor<128xf32, #row>) {
      %t = tile.load_view %w[%i] : !tile.view<?xf32, [1]> -> tensor<128xf32, #row>
      %next = arith.addf %so_far, %t : tensor<128xf32, #row>
      scf.yield %next : tensor<128xf32, #row>
    }
    scf.yield %sum : tensor<128xf32, #row>
  }
  %all = tile.reduce %all_rows axis 0 : tensor<128xf32, #row> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

#row = #tile.register_layout<register[4] lane[32] warp[4]>
// Neither where the loop stores, nor where it loads nothing, nor where somebody has asked.
// CHECK-LABEL: tile.kernel @stores
// CHECK-NOT: blocks_per_sm
// CHECK-LABEL: tile.kernel @loads_nothing
// CHECK-NOT: blocks_per_sm
// CHECK-LABEL: tile.kernel @asked
// CHECK-SAME: tile.blocks_per_sm = 2 : i32
tile.kernel @stores(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %ones = arith.constant dense<1.0> : tensor<512xf32, #row>
  scf.for %i = %c0 to %n step %c512 {
    %t = tile.load_view %v[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #row>
    tile.store_view %t, %o[%i] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  %all = tile.reduce %ones axis 0 : tensor<512xf32, #row> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

tile.kernel @loads_nothing(%out: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ones = arith.constant dense<1.0> : tensor<512xf32, #row>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %ones) -> (tensor<512xf32, #row>) {
    %next = arith.addf %so_far, %ones : tensor<512xf32, #row>
    scf.yield %next : tensor<512xf32, #row>
  }
  tile.store_view %sum, %o[%c0] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  %all = tile.reduce %sum axis 0 : tensor<512xf32, #row> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

tile.kernel @asked(%x: !tile.ptr<f32>, %n: index) attributes {tile.blocks_per_sm = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : tensor<512xf32, #row>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%so_far = %zeros) -> (tensor<512xf32, #row>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #row>
    %next = arith.addf %so_far, %t : tensor<512xf32, #row>
    scf.yield %next : tensor<512xf32, #row>
  }
  %all = tile.reduce %sum axis 0 : tensor<512xf32, #row> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

#row = #tile.register_layout<register[4] lane[32] warp[4]>
// Nor where much is computed of each element, nor where nothing is combined behind the loop, nor where elements are loaded alone.
// CHECK-LABEL: tile.kernel @computes
// CHECK-NOT: blocks_per_sm
// CHECK-LABEL: tile.kernel @only_adds
// CHECK-NOT: blocks_per_sm
// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: blocks_per_sm
tile.kernel @computes(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : tensor<512xf32, #row>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%so_far = %zeros) -> (tensor<512xf32, #row>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #row>
    %log = math.log %t : tensor<512xf32, #row>
    %next = arith.addf %so_far, %log : tensor<512xf32, #row>
    scf.yield %next : tensor<512xf32, #row>
  }
  %all = tile.reduce %sum axis 0 : tensor<512xf32, #row> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

tile.kernel @only_adds(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : tensor<512xf32, #row>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %o = tile.view %out, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%so_far = %zeros) -> (tensor<512xf32, #row>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #row>
    %next = arith.addf %so_far, %t : tensor<512xf32, #row>
    scf.yield %next : tensor<512xf32, #row>
  }
  tile.store_view %sum, %o[%c0] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  tile.return
}

tile.kernel @alone(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : tensor<512xf32, #row>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %i = %c0 to %n step %c512 iter_args(%so_far = %zeros) -> (tensor<512xf32, #row>) {
    %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf32, [1]> -> tensor<512xf32, #row>
    %next = arith.addf %so_far, %t : tensor<512xf32, #row>
    scf.yield %next : tensor<512xf32, #row>
  }
  %all = tile.reduce %sum axis 0 : tensor<512xf32, #row> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

// What no layout is chosen for is not known to take registers.
// CHECK-LABEL: tile.kernel @no_layouts
// CHECK-NOT: blocks_per_sm
tile.kernel @no_layouts(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<1024xf32>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %zeros) -> (tensor<1024xf32>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
    %next = arith.addf %so_far, %t : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %all = tile.reduce %sum axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

#flat = #tile.register_layout<register[16] lane[32] warp[8]>
// A loop that computes what it stores: 24, and one for each of 32 elements.
// CHECK-LABEL: tile.kernel @streams
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
tile.kernel @streams(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %w = tile.view %y, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  scf.for %i = %c0 to %n step %c4096 {
    %a = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #flat>
    %b = tile.load_view %w[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #flat>
    %c = arith.mulf %a, %b : tensor<4096xf16, #flat>
    tile.store_view %c, %v[%i] {vector_width = 8 : i64} : tensor<4096xf16, #flat>, !tile.view<?xf16, [1]>
  }
  tile.return
}

// -----

#row = #tile.register_layout<register[4] lane[32] warp[2]>
// Rows by their numbers: 24 and 4 that are carried, and of four trips 2 of a row and its number each.
// CHECK-LABEL: tile.kernel @rows_by_numbers
// CHECK-SAME: tile.blocks_per_sm = 24 : i32
tile.kernel @rows_by_numbers(%x: !tile.ptr<f16>, %numbers: !tile.ptr<i32>, %y: !tile.ptr<f32>, %n: index) attributes {num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #row>
  %columns = tile.iota 0 : tensor<256xi32, #row>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %zeros) -> (tensor<256xf32, #row>) {
    %at = tile.addptr %numbers, %i : !tile.ptr<i32>, index
    %number = tile.load %at : !tile.ptr<i32>
    %base = tile.addptr %x, %number : !tile.ptr<f16>, i32
    %bases = tile.splat %base : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #row>
    %places = tile.addptr %bases, %columns : tensor<256x!tile.ptr<f16>, #row>, tensor<256xi32, #row>
    %t = tile.load %places : tensor<256x!tile.ptr<f16>, #row>
    %w = arith.extf %t : tensor<256xf16, #row> to tensor<256xf32, #row>
    %next = arith.addf %so_far, %w : tensor<256xf32, #row>
    scf.yield %next : tensor<256xf32, #row>
  }
  %v = tile.view %y, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
  tile.store_view %sum, %v[%c0] : tensor<256xf32, #row>, !tile.view<256xf32, [1]>
  tile.return
}

// -----

#row = #tile.register_layout<register[4] lane[32] warp[2]>
// Two rows a trip: both numbers are in front of them.
// CHECK-LABEL: tile.kernel @two_rows_by_numbers
// CHECK-NOT: tile.blocks_per_sm
tile.kernel @two_rows_by_numbers(%x: !tile.ptr<f16>, %numbers: !tile.ptr<i32>, %y: !tile.ptr<f32>, %n: index) attributes {num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #row>
  %columns = tile.iota 0 : tensor<256xi32, #row>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %zeros) -> (tensor<256xf32, #row>) {
    %at = tile.addptr %numbers, %i : !tile.ptr<i32>, index
    %number = tile.load %at : !tile.ptr<i32>
    %base = tile.addptr %x, %number : !tile.ptr<f16>, i32
    %bases = tile.splat %base : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #row>
    %places = tile.addptr %bases, %columns : tensor<256x!tile.ptr<f16>, #row>, tensor<256xi32, #row>
    %t = tile.load %places : tensor<256x!tile.ptr<f16>, #row>
    %w = arith.extf %t : tensor<256xf16, #row> to tensor<256xf32, #row>
    %behind = tile.addptr %at, %c1 : !tile.ptr<i32>, index
    %second = tile.load %behind : !tile.ptr<i32>
    %base2 = tile.addptr %x, %second : !tile.ptr<f16>, i32
    %bases2 = tile.splat %base2 : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #row>
    %places2 = tile.addptr %bases2, %columns : tensor<256x!tile.ptr<f16>, #row>, tensor<256xi32, #row>
    %t2 = tile.load %places2 : tensor<256x!tile.ptr<f16>, #row>
    %w2 = arith.extf %t2 : tensor<256xf16, #row> to tensor<256xf32, #row>
    %both = arith.addf %w, %w2 : tensor<256xf32, #row>
    %next = arith.addf %so_far, %both : tensor<256xf32, #row>
    scf.yield %next : tensor<256xf32, #row>
  }
  %v = tile.view %y, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
  tile.store_view %sum, %v[%c0] : tensor<256xf32, #row>, !tile.view<256xf32, [1]>
  tile.return
}

// -----

#rows = #tile.register_layout<register[32] lane[32] warp[4]>
// Registers for another loop that computes more are there, too: 24, 64 that are carried and 32.
// CHECK-LABEL: tile.kernel @sum_and_more
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
tile.kernel @sum_and_more(%x: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #rows>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sum = scf.for %i = %c0 to %n step %c4096 iter_args(%so_far = %zeros) -> (tensor<4096xf32, #rows>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf16, [1]> -> tensor<4096xf16, #rows>
    %w = arith.extf %t : tensor<4096xf16, #rows> to tensor<4096xf32, #rows>
    %next = arith.addf %so_far, %w : tensor<4096xf32, #rows>
    scf.yield %next : tensor<4096xf32, #rows>
  }
  %both:2 = scf.for %i = %c0 to %n step %c4096 iter_args(%p = %sum, %q = %zeros) -> (tensor<4096xf32, #rows>, tensor<4096xf32, #rows>) {
    %t = tile.load_view %v[%i] : !tile.view<?xf16, [1]> -> tensor<4096xf16, #rows>
    %w = arith.extf %t : tensor<4096xf16, #rows> to tensor<4096xf32, #rows>
    %e = math.log %w : tensor<4096xf32, #rows>
    %r = arith.addf %p, %e : tensor<4096xf32, #rows>
    %s = arith.mulf %q, %e : tensor<4096xf32, #rows>
    scf.yield %r, %s : tensor<4096xf32, #rows>, tensor<4096xf32, #rows>
  }
  %one = tile.reduce %both#0 axis 0 : tensor<4096xf32, #rows> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %other = tile.reduce %both#1 axis 0 : tensor<4096xf32, #rows> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

#columns = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[2,1]>
// Down columns trips go together, as many as keep 32 KB of a block under way, here eight of 4 KB, and load first.
// Those that are left follow alone.
// CHECK-LABEL: tile.kernel @columns
// CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %n, %{{.*}} : index
// CHECK: %[[END:.*]] = arith.select %[[WRAPS]], %c0, %{{.*}} : index
// CHECK: %[[MANY:.*]]:2 = scf.for %[[I:.*]] = %c0 to %[[END]] step %c256{{.*}} iter_args(%{{.*}} = %cst, %{{.*}} = %c0)
// CHECK-COUNT-8: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-8: arith.maximumf
// CHECK: scf.for %{{.*}} = %[[MANY]]#1 to %n step %c32{{.*}} iter_args(%{{.*}} = %[[MANY]]#0)
// CHECK-NEXT: tile.load_view
tile.kernel @columns(%x: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16, #columns>
  %v = tile.view %x, shape [%n, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x64xf16, [64, 1]>
  %most = scf.for %i = %c0 to %n step %c32 iter_args(%so_far = %zeros) -> (tensor<32x64xf16, #columns>) {
    %t = tile.load_view %v[%i, %c0] : !tile.view<?x64xf16, [64, 1]> -> tensor<32x64xf16, #columns>
    %next = arith.maximumf %so_far, %t : tensor<32x64xf16, #columns>
    scf.yield %next : tensor<32x64xf16, #columns>
  }
  %all = tile.reduce %most axis 0 : tensor<32x64xf16, #columns> -> tensor<64xf16, #tile.register_layout<register[8] lane[8] lane*4 warp*4>> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  tile.return
}

// -----

#two = #tile.register_layout<register[8] lane[32] warp[8] register[2]>
#one = #tile.register_layout<register[8] lane[32] warp[8]>
// Much is computed, of two vectors a trip; what is carried leaves room for four blocks whether or not both are loaded at once. Of one
// vector nothing is asked, and nothing where threads that load one at a time leave room for another block.
// CHECK-LABEL: tile.kernel @anyway
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
tile.kernel @anyway(%x: !tile.ptr<f16>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #two>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sums:2 = scf.for %i = %c0 to %n step %c4096 iter_args(%p = %zeros, %q = %zeros) -> (tensor<4096xf32, #two>, tensor<4096xf32, #two>) {
    %t = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #two>
    %w = arith.extf %t : tensor<4096xf16, #two> to tensor<4096xf32, #two>
    %e = math.exp2 %w : tensor<4096xf32, #two>
    %f = math.exp2 %p : tensor<4096xf32, #two>
    %r = arith.addf %p, %e : tensor<4096xf32, #two>
    %s = arith.addf %q, %f : tensor<4096xf32, #two>
    scf.yield %r, %s : tensor<4096xf32, #two>, tensor<4096xf32, #two>
  }
  %all = tile.reduce %sums#1 axis 0 : tensor<4096xf32, #two> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @one_vector
// CHECK-NOT: tile.blocks_per_sm
tile.kernel @one_vector(%x: !tile.ptr<f16>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c2048 = arith.constant 2048 : index
  %zeros = arith.constant dense<0.0> : tensor<2048xf32, #one>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sums:2 = scf.for %i = %c0 to %n step %c2048 iter_args(%p = %zeros, %q = %zeros) -> (tensor<2048xf32, #one>, tensor<2048xf32, #one>) {
    %t = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<2048xf16, #one>
    %w = arith.extf %t : tensor<2048xf16, #one> to tensor<2048xf32, #one>
    %e = math.exp2 %w : tensor<2048xf32, #one>
    %f = math.exp2 %p : tensor<2048xf32, #one>
    %r = arith.addf %p, %e : tensor<2048xf32, #one>
    %s = arith.addf %q, %f : tensor<2048xf32, #one>
    scf.yield %r, %s : tensor<2048xf32, #one>, tensor<2048xf32, #one>
  }
  %all = tile.reduce %sums#1 axis 0 : tensor<2048xf32, #one> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @carries_little
// CHECK-NOT: tile.blocks_per_sm
tile.kernel @carries_little(%x: !tile.ptr<f16>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #two>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sum = scf.for %i = %c0 to %n step %c4096 iter_args(%p = %zeros) -> (tensor<4096xf32, #two>) {
    %t = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #two>
    %w = arith.extf %t : tensor<4096xf16, #two> to tensor<4096xf32, #two>
    %e = math.exp2 %w : tensor<4096xf32, #two>
    %f = math.exp2 %e : tensor<4096xf32, #two>
    %r = arith.addf %p, %f : tensor<4096xf32, #two>
    scf.yield %r : tensor<4096xf32, #two>
  }
  %all = tile.reduce %sum axis 0 : tensor<4096xf32, #two> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// -----

#two = #tile.register_layout<register[8] lane[32] warp[8] register[2]>
#much = #tile.register_layout<register[4] lane[32] warp[8] register[16]>
// Nothing is asked where another loop loads so much that fewer blocks have room, or the kernel outside of loops.
// CHECK-LABEL: tile.kernel @another_loop
// CHECK-NOT: tile.blocks_per_sm
tile.kernel @another_loop(%x: !tile.ptr<f16>, %z: !tile.ptr<f32>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #two>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sums:2 = scf.for %i = %c0 to %n step %c4096 iter_args(%p = %zeros, %q = %zeros) -> (tensor<4096xf32, #two>, tensor<4096xf32, #two>) {
    %t = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #two>
    %w = arith.extf %t : tensor<4096xf16, #two> to tensor<4096xf32, #two>
    %e = math.exp2 %w : tensor<4096xf32, #two>
    %f = math.exp2 %p : tensor<4096xf32, #two>
    %r = arith.addf %p, %e : tensor<4096xf32, #two>
    %s = arith.addf %q, %f : tensor<4096xf32, #two>
    scf.yield %r, %s : tensor<4096xf32, #two>, tensor<4096xf32, #two>
  }
  %all = tile.reduce %sums#1 axis 0 : tensor<4096xf32, #two> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %more = tile.view %z, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %total = scf.for %i = %c0 to %n step %c16384 iter_args(%p = %zero) -> (f32) {
    %t = tile.load_view %more[%i] {vector_width = 4 : i64} : !tile.view<?xf32, [1]> -> tensor<16384xf32, #much>
    %e = math.exp2 %t : tensor<16384xf32, #much>
    %r = tile.reduce %e axis 0 : tensor<16384xf32, #much> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %s = arith.addf %p, %r : f32
    scf.yield %s : f32
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @outside_of_loops
// CHECK-NOT: tile.blocks_per_sm
tile.kernel @outside_of_loops(%x: !tile.ptr<f16>, %z: !tile.ptr<f32>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #two>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sums:2 = scf.for %i = %c0 to %n step %c4096 iter_args(%p = %zeros, %q = %zeros) -> (tensor<4096xf32, #two>, tensor<4096xf32, #two>) {
    %t = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #two>
    %w = arith.extf %t : tensor<4096xf16, #two> to tensor<4096xf32, #two>
    %e = math.exp2 %w : tensor<4096xf32, #two>
    %f = math.exp2 %p : tensor<4096xf32, #two>
    %r = arith.addf %p, %e : tensor<4096xf32, #two>
    %s = arith.addf %q, %f : tensor<4096xf32, #two>
    scf.yield %r, %s : tensor<4096xf32, #two>, tensor<4096xf32, #two>
  }
  %all = tile.reduce %sums#1 axis 0 : tensor<4096xf32, #two> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %more = tile.view %z, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %more[%c0] {vector_width = 4 : i64} : !tile.view<?xf32, [1]> -> tensor<16384xf32, #much>
  tile.store_view %t, %more[%c4096] {vector_width = 4 : i64} : tensor<16384xf32, #much>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

#two = #tile.register_layout<register[8] lane[32] warp[8] register[2]>
#row = #tile.register_layout<lane[1,32] warp[1,8] register[1,64]>
#ends = #tile.register_layout<lane[2] lane*16 warp*8>
!slot = !tile.shared<1x16384xf16, #tile.shared_layout<1x16384, pad 16 every 8192>>

// What is loaded counts whether or not a view is named. A row in shared memory is no load: it waits for nothing.

// CHECK-LABEL: tile.kernel @copied_row
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
tile.kernel @copied_row(%x: !tile.ptr<f16>, %z: !tile.ptr<f16>, %n: index) attributes {num_warps = 8 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32, #two>
  %v = tile.view %x, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sums:2 = scf.for %i = %c0 to %n step %c4096 iter_args(%p = %zeros, %q = %zeros) -> (tensor<4096xf32, #two>, tensor<4096xf32, #two>) {
    %t = tile.load_view %v[%i] {vector_width = 8 : i64} : !tile.view<?xf16, [1]> -> tensor<4096xf16, #two>
    %w = arith.extf %t : tensor<4096xf16, #two> to tensor<4096xf32, #two>
    %e = math.exp2 %w : tensor<4096xf32, #two>
    %f = math.exp2 %p : tensor<4096xf32, #two>
    %r = arith.addf %p, %e : tensor<4096xf32, #two>
    %s = arith.addf %q, %f : tensor<4096xf32, #two>
    scf.yield %r, %s : tensor<4096xf32, #two>, tensor<4096xf32, #two>
  }
  %all = tile.reduce %sums#1 axis 0 : tensor<4096xf32, #two> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %slot = tile.alloc_shared : !slot
  %e = tile.load_ends %z, %n : !tile.ptr<f16> -> tensor<2xf16, #ends>
  %row = tile.load_row %slot from %z ends %e count %n : !slot, !tile.ptr<f16>, tensor<2xf16, #ends> -> tensor<1x16384xf16, #row>
  tile.return
}
