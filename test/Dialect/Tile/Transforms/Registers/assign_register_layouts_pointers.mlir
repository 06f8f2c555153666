// Pointers that are made of what is loaded.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// Numbers of rows change threads, not the pointers that are made of them.
// CHECK-LABEL: tile.kernel @rows_by_number
// CHECK: %[[I:.*]] = load_view {{.*}} -> tensor<64xi32, #[[ROWS:.*]]>
// CHECK: %[[MOVED:.*]] = convert_layout %{{.*}} : tensor<64x1xi64, #{{.*}}> -> tensor<64x1xi64, #[[HERE:.*]]>
// CHECK: addptr %{{.*}}, %[[MOVED]] : tensor<64x1x!tile.ptr<f32>, #[[HERE]]>
// CHECK-NOT: convert_layout {{.*}}!tile.ptr
// CHECK: load %
tile.kernel @rows_by_number(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32>, %Z: !tile.ptr<f32>, %n: i64)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = tile.view %X, shape [%c64], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %i = tile.load_view %x[%c0] : !tile.view<?xi32, [1]> -> tensor<64xi32>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %wide = arith.extsi %rows : tensor<64x1xi32> to tensor<64x1xi64>
  %stride = tile.splat %n : i64 -> tensor<64x1xi64>
  %starts = arith.muli %wide, %stride : tensor<64x1xi64>
  %base = tile.splat %Y : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %begins = tile.addptr %base, %starts : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi64>
  %iota = tile.iota 0 : tensor<64xi64>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %ps = tile.broadcast %begins : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %js = tile.broadcast %columns : tensor<1x64xi64> -> tensor<64x64xi64>
  %q = tile.addptr %ps, %js : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi64>
  %y = tile.load %q : tensor<64x64x!tile.ptr<f32>>
  %to = tile.splat %Z : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %out = tile.addptr %to, %js : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi64>
  tile.store %out, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Pointers that a loop hands on go to other threads as numbers.
// CHECK-LABEL: tile.kernel @lists
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (tensor<64x!tile.ptr<i32>, #[[HOME:.*]]>) {
// CHECK-NOT: convert_layout
// CHECK: }
// CHECK: %[[NUMBERS:.*]] = ptr_to_int %[[LAST]]
// CHECK: %[[MOVED:.*]] = convert_layout %[[NUMBERS]] : tensor<64xi64, #[[HOME]]> -> tensor<64xi64, #[[HERE:.*]]>
// CHECK: int_to_ptr %[[MOVED]] : tensor<64xi64, #[[HERE]]> -> tensor<64x!tile.ptr<i32>, #[[HERE]]>
tile.kernel @lists(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32>, %Z: !tile.ptr<i32>, %n: index)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = tile.view %X, shape [%c64], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %i = tile.load_view %x[%c0] : !tile.view<?xi32, [1]> -> tensor<64xi32>
  %base = tile.splat %Y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %first = tile.addptr %base, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> (tensor<64x!tile.ptr<i32>>) {
    %next = tile.load %p : tensor<64x!tile.ptr<i32>>
    %q = tile.addptr %base, %next : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tile.ptr<i32>>
  }
  %column = tile.expand_dims %last {axis = 1 : i32} : tensor<64x!tile.ptr<i32>> -> tensor<64x1x!tile.ptr<i32>>
  %ps = tile.broadcast %column : tensor<64x1x!tile.ptr<i32>> -> tensor<64x64x!tile.ptr<i32>>
  %iota = tile.iota 0 : tensor<64xi32>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %js = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %from = tile.addptr %ps, %js : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  %y = tile.load %from : tensor<64x64x!tile.ptr<i32>>
  %to = tile.splat %Z : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %out = tile.addptr %to, %js : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %out, %y : tensor<64x64x!tile.ptr<i32>>
  tile.return
}

// -----

// A load of what is the same for 64 neighbours is no reason to take a tile's elements apart: it stands where the store is in vectors.
// CHECK-LABEL: tile.kernel @repeated
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view %{{.*}} : tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
tile.kernel @repeated(%S: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %group = arith.constant dense<64> : tensor<1024xi32>
  %i = tile.iota 0 : tensor<1024xi32>
  %d = arith.divsi %i, %group : tensor<1024xi32>
  %g = tile.assume %d constancy [64] : tensor<1024xi32>
  %p = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %p, %g : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %s = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}

// -----

// A quotient by an unknown number is the same for most neighbours, too.
// CHECK-LABEL: tile.kernel @channels
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view
tile.kernel @channels(%S: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %size: i32) {
  %c0 = arith.constant 0 : index
  %sizes = tile.splat %size : i32 -> tensor<1024xi32>
  %i = tile.iota 0 : tensor<1024xi32>
  %channel = arith.divsi %i, %sizes : tensor<1024xi32>
  %p = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %p, %channel : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %s = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}

// -----

// Bytes of two numbers each have one scale for 64 numbers.
// CHECK-LABEL: tile.kernel @pairs
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view
tile.kernel @pairs(%S: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant dense<2> : tensor<1024xi32>
  %c64 = arith.constant dense<64> : tensor<1024xi32>
  %byte = tile.iota 0 : tensor<1024xi32>
  %number = arith.muli %byte, %c2 : tensor<1024xi32>
  %group = arith.divsi %number, %c64 : tensor<1024xi32>
  %p = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %p, %group : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %s = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}

// -----

// So it is of numbers that begin anywhere, of which nothing else is known, and by a shift as by a division.
// CHECK-LABEL: tile.kernel @pairs_from_anywhere
// CHECK-COUNT-2: load %{{.*}} : tensor<1024x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK: load_view %{{.*}} -> tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
tile.kernel @pairs_from_anywhere(%S: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %start: i32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant dense<2> : tensor<1024xi32>
  %c6 = arith.constant dense<6> : tensor<1024xi32>
  %c64 = arith.constant dense<64> : tensor<1024xi32>
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %i = tile.iota 0 : tensor<1024xi32>
  %byte = arith.addi %starts, %i : tensor<1024xi32>
  %number = arith.muli %byte, %c2 : tensor<1024xi32>
  %divided = arith.divsi %number, %c64 : tensor<1024xi32>
  %shifted = arith.shrsi %number, %c6 : tensor<1024xi32>
  %p = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %p, %divided : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %r = tile.addptr %p, %shifted : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %s = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %t = tile.load %r : tensor<1024x!tile.ptr<f32>>
  %view = tile.view %X, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %x = tile.load_view %view[%c0] : !tile.view<1024xf32, [1]> -> tensor<1024xf32>
  %scaled = arith.mulf %x, %s : tensor<1024xf32>
  %both = arith.mulf %scaled, %t : tensor<1024xf32>
  %sum = tile.reduce %both axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%lhs: f32, %rhs: f32):
    %added = arith.addf %lhs, %rhs : f32
    tile.yield %added : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// -----

// Nothing is consecutive in a block of an image whose width is not known. Lanes go along its pixels, which mostly follow one another, not along
// channels, of whose stride nothing is known; and of weights along what is nine apart.
// CHECK-LABEL: tile.kernel @convolution
// CHECK: load %{{.*}} : tensor<64x32x!tile.ptr<f16>, #tile.register_layout<lane[32,1]
// CHECK: load %{{.*}} : tensor<32x64x!tile.ptr<f16>, #tile.register_layout<lane[32,1]
// CHECK-NOT: convert_layout
// CHECK: store %{{.*}}, %{{.*}} : tensor<64x32x!tile.ptr<f16>
// CHECK: store %{{.*}}, %{{.*}} : tensor<32x64x!tile.ptr<f16>
tile.kernel @convolution(%X: !tile.ptr<f16>, %W: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %Z: !tile.ptr<f16>, %width: i32, %row: i32, %plane: i32, %image: i32) {
  %pixel = tile.iota 0 : tensor<64xi32>
  %channel = tile.iota 0 : tensor<32xi32>
  %widths = tile.splat %width : i32 -> tensor<64xi32>
  %rows = tile.splat %row : i32 -> tensor<64xi32>
  %planes = tile.splat %plane : i32 -> tensor<32xi32>
  %h = arith.divsi %pixel, %widths : tensor<64xi32>
  %w = arith.remsi %pixel, %widths : tensor<64xi32>
  %ofRow = arith.muli %h, %rows : tensor<64xi32>
  %inPlane = arith.addi %ofRow, %w : tensor<64xi32>
  %ofPlane = arith.muli %channel, %planes : tensor<32xi32>
  %column = tile.expand_dims %inPlane {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %line = tile.expand_dims %ofPlane {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %column : tensor<64x1xi32> -> tensor<64x32xi32>
  %lines = tile.broadcast %line : tensor<1x32xi32> -> tensor<64x32xi32>
  %places = arith.addi %columns, %lines : tensor<64x32xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %places : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %x = tile.load %xp : tensor<64x32x!tile.ptr<f16>>
  %nine = arith.constant dense<9> : tensor<32xi32>
  %images = tile.splat %image : i32 -> tensor<64xi32>
  %near = arith.muli %channel, %nine : tensor<32xi32>
  %far = arith.muli %pixel, %images : tensor<64xi32>
  %nears = tile.expand_dims %near {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %fars = tile.expand_dims %far {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %allNear = tile.broadcast %nears : tensor<32x1xi32> -> tensor<32x64xi32>
  %allFar = tile.broadcast %fars : tensor<1x64xi32> -> tensor<32x64xi32>
  %of = arith.addi %allNear, %allFar : tensor<32x64xi32>
  %ws = tile.splat %W : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %of : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %weight = tile.load %wp : tensor<32x64x!tile.ptr<f16>>
  %ys = tile.splat %Y : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %yp = tile.addptr %ys, %places : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  tile.store %yp, %x : tensor<64x32x!tile.ptr<f16>>
  %zs = tile.splat %Z : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %zp = tile.addptr %zs, %of : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  tile.store %zp, %weight : tensor<32x64x!tile.ptr<f16>>
  tile.return
}

// -----

// What a program promises of a quotient, it is a quotient all the same; and places in an image of another size are neighbours still.
// CHECK-LABEL: tile.kernel @promised_quotient
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<i8>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view
tile.kernel @promised_quotient(%S: !tile.ptr<i8>, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %i = tile.iota 0 : tensor<1024xi32>
  %two = arith.constant dense<2> : tensor<1024xi32>
  %half = arith.divsi %i, %two : tensor<1024xi32>
  %place = tile.assume %half constancy [2] : tensor<1024xi32>
  %ss = tile.splat %S : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %sp = tile.addptr %ss, %place : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %s = tile.load %sp : tensor<1024x!tile.ptr<i8>>
  %r = arith.sitofp %s : tensor<1024xi8> to tensor<1024xf32>
  %y = tile.view %Y, shape [%c1024], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %r, %y[%c0] : tensor<1024xf32>, !tile.view<?xf32, [1]>
  tile.return
}

// CHECK-LABEL: tile.kernel @resized
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<f16>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view
tile.kernel @resized(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %scale: f32, %width: i32) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %i = tile.iota 0 : tensor<1024xi32>
  %widths = tile.splat %width : i32 -> tensor<1024xi32>
  %column = arith.remsi %i, %widths : tensor<1024xi32>
  %float = arith.sitofp %column : tensor<1024xi32> to tensor<1024xf32>
  %scales = tile.splat %scale : f32 -> tensor<1024xf32>
  %scaled = arith.mulf %float, %scales : tensor<1024xf32>
  %half = arith.constant dense<0.5> : tensor<1024xf32>
  %moved = arith.subf %scaled, %half : tensor<1024xf32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %inside = arith.maxnumf %moved, %zero : tensor<1024xf32>
  %place = arith.fptosi %inside : tensor<1024xf32> to tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %place : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = tile.load %xp : tensor<1024x!tile.ptr<f16>>
  %r = arith.extf %x : tensor<1024xf16> to tensor<1024xf32>
  %y = tile.view %Y, shape [%c1024], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %r, %y[%c0] : tensor<1024xf32>, !tile.view<?xf32, [1]>
  tile.return
}
