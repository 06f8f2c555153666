// The next program's row is under way while this one is computed.

// RUN: tile-opt --tile-set-target=target=sm_90a --tile-load-rows-ahead %s | FileCheck %s

// CHECK-LABEL: tile.kernel @centered
// The first one.
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[BLOCK:.*]], %[[PROGRAMS:.*]] : index
// CHECK: %[[FIRST:.*]]:2 = scf.if %[[THERE]] -> (tensor<16384xf16>, f32) {
// CHECK: tile.addptr %X, %[[BLOCK]]
// CHECK: tile.load_view
// CHECK: tile.addptr %L, %[[BLOCK]]
// CHECK: tile.load
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<16384xf16>, f32
// CHECK: }
// CHECK: scf.for %[[ROW:.*]] = %[[BLOCK]] to %[[PROGRAMS]] step %[[STEP:.*]] iter_args(%[[X:.*]] = %[[FIRST]]#0, %[[L:.*]] = %[[FIRST]]#1) -> (tensor<16384xf16>, f32) {
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %[[STEP]] : index
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[PROGRAMS]] : index
// CHECK: %[[AHEAD:.*]]:2 = scf.if %[[MORE]] -> (tensor<16384xf16>, f32) {
// CHECK: tile.addptr %X, %[[NEXT]]
// CHECK: }
// CHECK: tile.reduce %[[X]]
// What this program has written it reads behind that, and weights are no row.
// CHECK: tile.store %{{.*}}, %[[L]]
// CHECK: tile.load %{{.*}} : !tile.ptr<f16>
// CHECK: tile.load_view
// CHECK: scf.yield %[[AHEAD]]#0, %[[AHEAD]]#1
// CHECK: } {tile.loads_ahead, tile.num_stages = 1 : i32, tile.programs}
tile.kernel @centered(%X: !tile.ptr<f16> {tile.disjoint}, %L: !tile.ptr<f32> {tile.disjoint}, %W: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %Z: !tile.ptr<f32>, %n: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %lp = tile.addptr %L, %row : !tile.ptr<f32>, index
    %l = tile.load %lp : !tile.ptr<f32>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maximumf %a, %b : f16
      tile.yield %c : f16
    }
    %zp = tile.addptr %Z, %row : !tile.ptr<f32>, index
    tile.store %zp, %l : !tile.ptr<f32>
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
    %again = tile.load %yp : !tile.ptr<f16>
    %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %s = tile.splat %again : f16 -> tensor<16384xf16>
    %r = arith.mulf %w, %s : tensor<16384xf16>
    %yv = tile.view %yp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    tile.store_view %r, %yv[%c0] : tensor<16384xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// Where a program stores what it makes of a row in its place, and nowhere else in the array, loads say so.
// CHECK-LABEL: tile.kernel @in_place
// CHECK: scf.if
// CHECK: tile.load_view %{{.*}} {tile.in_place}
// CHECK: scf.for
// CHECK: tile.load_view %{{.*}} {tile.in_place}
// CHECK: tile.store_view
// CHECK-LABEL: tile.kernel @beside_it
// CHECK-NOT: tile.in_place
// CHECK: tile.loads_ahead
tile.kernel @in_place(%X: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maximumf %a, %b : f16
      tile.yield %c : f16
    }
    %s = tile.splat %max : f16 -> tensor<16384xf16>
    %r = arith.subf %x, %s : tensor<16384xf16>
    tile.store_view %r, %xv[%c0] : tensor<16384xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

tile.kernel @beside_it(%X: !tile.ptr<f16> {tile.disjoint}, %n: index) attributes {num_warps = 16 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %row = %block to %programs step %blocks {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maximumf %a, %b : f16
      tile.yield %c : f16
    }
    %s = tile.splat %max : f16 -> tensor<16384xf16>
    %r = arith.subf %x, %s : tensor<16384xf16>
    tile.store_view %r, %xv[%c1] : tensor<16384xf16>, !tile.view<?xf16, [1]>
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// Loops over other things than programs are in order where they may store what they load.
// CHECK-LABEL: tile.kernel @in_order
// CHECK-NOT: iter_args
tile.kernel @in_order(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %n: index) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
  }
  tile.return
}

// What they cannot store is under way: a view without elements behind the last iteration, and no branch.
// CHECK-LABEL: tile.kernel @own_loop
// CHECK-NOT: tile.blocks_per_sm
// CHECK-NOT: scf.if
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[P:.*]], %n : index
// CHECK: %[[SIZE:.*]] = arith.select %[[THERE]], %n, %{{.*}} : index
// CHECK: view %{{.*}}, shape [%[[SIZE]]]
// CHECK: %[[FIRST:.*]] = load_view
// CHECK: scf.for %[[ROW:.*]] = %[[P]] to %n step %[[C:.*]] iter_args(%[[X:.*]] = %[[FIRST]]) -> (tensor<16384xf16>) {
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %[[C]] : index
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %n : index
// CHECK: arith.select %[[MORE]], %n
// CHECK: %[[AHEAD:.*]] = tile.load_view
// CHECK: tile.reduce %[[X]]
// CHECK: scf.yield %[[AHEAD]]
tile.kernel @own_loop(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
  }
  tile.return
}

// Not where the loop asserts something, which may be that there is such a row.
// CHECK-LABEL: tile.kernel @asserted
// CHECK-NOT: iter_args
tile.kernel @asserted(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index, %m: index) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %inside = arith.cmpi slt, %row, %m : index
    tile.assert %inside, "there is such a row" : i1
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
  }
  tile.return
}

// A program that loads ahead itself does so once.
// CHECK-LABEL: tile.kernel @ahead_itself
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) -> (tensor<16384xf16>) {
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
tile.kernel @ahead_itself(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : tensor<16384xf16>
  %p = tile.program_id 0
  %c = tile.num_programs 0
  %end = scf.for %row = %p to %n step %c iter_args(%x = %zeros) -> (tensor<16384xf16>) {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %next = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
    scf.yield %next : tensor<16384xf16>
  }
  tile.return
}

// Rows of f32 of which registers hold no next one, and rows that are rotated, stay where they are.
// CHECK-LABEL: tile.kernel @too_long
// CHECK-NOT: iter_args
// CHECK-LABEL: tile.kernel @rotated
// CHECK-NOT: iter_args
tile.kernel @too_long(%X: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %xp = tile.addptr %X, %row : !tile.ptr<f32>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %x = tile.load_view %xv[%c0] : !tile.view<?xf32, [1]> -> tensor<16384xf32>
    %max = tile.reduce %x axis 0 : tensor<16384xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %d = arith.maximumf %a, %b : f32
      tile.yield %d : f32
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f32>, index
    tile.store %yp, %max : !tile.ptr<f32>
  }
  tile.return
}
tile.kernel @rotated(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index, %s: index) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %xp = tile.addptr %X, %row : !tile.ptr<f16>, index
    %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%c0] rotated %s : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %max = tile.reduce %x axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
  }
  tile.return
}

// Two rows of 32 registers a thread stay in a block of four warps, beside which others run; of 16 warps, which have the multiprocessor alone,
// they do not, nor does what has no other extent than that of the rows.
// CHECK-LABEL: tile.kernel @beside_others
// CHECK-NOT: iter_args
// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<16384xf16>, tensor<16384xf16>, tensor<1x1xf32>) {
// CHECK: arith.select %{{.*}}, %n
// CHECK: tile.view %X, shape [%{{.*}}], strides [1]
// CHECK: tile.view %L, shape [%{{.*}}, 1], strides [1, 1]
tile.kernel @beside_others(%X: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Z: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Y: !tile.ptr<f16>, %n: index {tile.divisibility = 16 : i64}) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %first = arith.muli %row, %c4096 : index
    %xv = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%first] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    %zv = tile.view %Z, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %z = tile.load_view %zv[%first] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    %s = arith.addf %x, %z : tensor<4096xf16>
    %max = tile.reduce %s axis 0 : tensor<4096xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
  }
  tile.return
}
tile.kernel @alone(%X: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %Z: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16 : i64}, %L: !tile.ptr<f32> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index {tile.divisibility = 16 : i64}) attributes {num_warps = 16 : i32} {
  %c0 = arith.constant 0 : index
  %c16384 = arith.constant 16384 : index
  %p = tile.program_id 0
  %c = tile.num_programs 0
  scf.for %row = %p to %n step %c {
    %first = arith.muli %row, %c16384 : index
    %xv = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %x = tile.load_view %xv[%first] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %zv = tile.view %Z, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %z = tile.load_view %zv[%first] : !tile.view<?xf16, [1]> -> tensor<16384xf16>
    %lv = tile.view %L, shape [%n, 1], strides [1, 1] : !tile.ptr<f32> -> !tile.view<?x1xf32, [1, 1]>
    %l = tile.load_view %lv[%row, %c0] : !tile.view<?x1xf32, [1, 1]> -> tensor<1x1xf32>
    %s = arith.addf %x, %z : tensor<16384xf16>
    %max = tile.reduce %s axis 0 : tensor<16384xf16> -> f16 {
    ^bb0(%a: f16, %b: f16):
      %d = arith.maximumf %a, %b : f16
      tile.yield %d : f16
    }
    %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
    tile.store %yp, %max : !tile.ptr<f16>
    %lp = tile.splat %yp : !tile.ptr<f16> -> tensor<1x1x!tile.ptr<f16>>
    %h = arith.truncf %l : tensor<1x1xf32> to tensor<1x1xf16>
    tile.store %lp, %h : tensor<1x1x!tile.ptr<f16>>
  }
  tile.return
}

// The next part of a row that is only read, in 32 bits: the last number may be followed by none.
// CHECK-LABEL: tile.kernel @parts
// CHECK: scf.if %{{.*}} -> (tensor<1024xf32>) {
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step %[[STEP:.*]] iter_args(%{{.*}} = %{{.*}}, %[[PART:.*]] = %{{.*}}) -> (f32, tensor<1024xf32>) : i32 {
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]] : i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[I]] : i32
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]] : i32
// CHECK: %[[AHEAD:.*]] = scf.if %[[MORE]] -> (tensor<1024xf32>) {
// CHECK: tile.reduce %[[PART]]
// CHECK: scf.yield %{{.*}}, %[[AHEAD]]
tile.kernel @parts(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %least = arith.constant 0xFF800000 : f32
  %size = arith.index_cast %n : i32 to index
  %v = tile.view %X, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %max = scf.for %i = %c0 to %n step %step iter_args(%most = %least) -> (f32) : i32 {
    %place = arith.index_cast %i : i32 to index
    %x = tile.load_view %v[%place] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
    %m = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %d = arith.maximumf %a, %b : f32
      tile.yield %d : f32
    }
    %next = arith.maximumf %most, %m : f32
    scf.yield %next : f32
  }
  tile.store %Y, %max : !tile.ptr<f32>
  tile.return
}

// What the loop carries is known an iteration too late.
// CHECK-LABEL: tile.kernel @linked
// CHECK-NOT: scf.if
tile.kernel @linked(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %least = arith.constant 0xFF800000 : f32
  %size = arith.index_cast %n : i32 to index
  %v = tile.view %X, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %max, %end = scf.for %i = %c0 to %n step %step iter_args(%most = %least, %part = %c0) -> (f32, i32) : i32 {
    %sum = arith.addi %i, %part : i32
    %place = arith.index_cast %sum : i32 to index
    %x = tile.load_view %v[%place] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
    %m = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %d = arith.maximumf %a, %b : f32
      tile.yield %d : f32
    }
    %next = arith.maximumf %most, %m : f32
    %double = arith.addi %sum, %part : i32
    scf.yield %next, %double : f32, i32
  }
  tile.store %Y, %max : !tile.ptr<f32>
  tile.return
}

// Where a part is only added to a tile, other warps load meanwhile.
// CHECK-LABEL: tile.kernel @sums
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<4096xf32>) {
// CHECK: tile.load_view
tile.kernel @sums(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %xv = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sums = scf.for %start = %c0 to %n step %c4096 iter_args(%sum = %zeros) -> (tensor<4096xf32>) {
    %x = tile.load_view %xv[%start] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    %w = arith.extf %x : tensor<4096xf16> to tensor<4096xf32>
    %next = arith.addf %sum, %w : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %s = tile.reduce %sums axis 0 : tensor<4096xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %Y, %s : !tile.ptr<f32>
  tile.return
}

// Rows in phases: threads have registers of what may be inside of the row, so that four blocks have room for three.
// CHECK-LABEL: tile.kernel @ends_early
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
// CHECK-LABEL: tile.kernel @ends_late
// CHECK-SAME: tile.blocks_per_sm = 3 : i32
tile.kernel @ends_early(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index {tile.bounds = array<i64: 49153, 53248>}) attributes {num_warps = 32 : i32, cluster_blocks = 8 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %phase = %block to %c64 step %blocks {
    scf.for %row = %phase to %programs step %c64 {
      %first = arith.muli %row, %n : index
      %xp = tile.addptr %X, %first : !tile.ptr<f16>, index
      %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
      %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<65536xf16>
      %max = tile.reduce %x axis 0 : tensor<65536xf16> -> f16 {
      ^bb0(%a: f16, %b: f16):
        %c = arith.maximumf %a, %b : f16
        tile.yield %c : f16
      }
      %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
      tile.store %yp, %max : !tile.ptr<f16>
    } {tile.programs, tile.num_stages = 1 : i32}
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}
tile.kernel @ends_late(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index {tile.bounds = array<i64: 61441, 65536>}) attributes {num_warps = 32 : i32, cluster_blocks = 8 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  scf.for %phase = %block to %c64 step %blocks {
    scf.for %row = %phase to %programs step %c64 {
      %first = arith.muli %row, %n : index
      %xp = tile.addptr %X, %first : !tile.ptr<f16>, index
      %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
      %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<65536xf16>
      %max = tile.reduce %x axis 0 : tensor<65536xf16> -> f16 {
      ^bb0(%a: f16, %b: f16):
        %c = arith.maximumf %a, %b : f16
        tile.yield %c : f16
      }
      %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
      tile.store %yp, %max : !tile.ptr<f16>
    } {tile.programs, tile.num_stages = 1 : i32}
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// Beside weights of a phase, which may be in shared memory, the next rows may be there, too: the row alone takes
// registers, and four blocks have room.
// CHECK-LABEL: tile.kernel @beside_weights
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
tile.kernel @beside_weights(%X: !tile.ptr<f16> {tile.disjoint}, %W: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16>, %n: index {tile.bounds = array<i64: 61441, 65536>}) attributes {num_warps = 32 : i32, cluster_blocks = 8 : i32, persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %block = tile.block_id
  %blocks = tile.num_blocks
  %programs = tile.num_programs 0
  %wv = tile.view %W, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  scf.for %phase = %block to %c64 step %blocks {
    %w = tile.load_view %wv[%c0] : !tile.view<?xf16, [1]> -> tensor<65536xf16>
    scf.for %row = %phase to %programs step %c64 {
      %first = arith.muli %row, %n : index
      %xp = tile.addptr %X, %first : !tile.ptr<f16>, index
      %xv = tile.view %xp, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
      %x = tile.load_view %xv[%c0] : !tile.view<?xf16, [1]> -> tensor<65536xf16>
      %scaled = arith.mulf %x, %w : tensor<65536xf16>
      %max = tile.reduce %scaled axis 0 : tensor<65536xf16> -> f16 {
      ^bb0(%a: f16, %b: f16):
        %c = arith.maximumf %a, %b : f16
        tile.yield %c : f16
      }
      %yp = tile.addptr %Y, %row : !tile.ptr<f16>, index
      tile.store %yp, %max : !tile.ptr<f16>
    } {tile.programs, tile.num_stages = 1 : i32}
  } {tile.programs, tile.num_stages = 1 : i32}
  tile.return
}

// Threads that compute as long as memory takes have little to wait for: a logarithm of each two bytes.
// CHECK-LABEL: tile.kernel @computes_much
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK-NEXT: tile.load_view
tile.kernel @computes_much(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%so_far = %zero) -> (f32) {
    %x = tile.load_view %v[%i] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    %w = arith.extf %x : tensor<1024xf16> to tensor<1024xf32>
    %l = math.log %w : tensor<1024xf32>
    %s = tile.reduce %l axis 0 : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %d = arith.addf %a, %b : f32
      tile.yield %d : f32
    }
    %next = arith.addf %so_far, %s : f32
    scf.yield %next : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}

// But what is one instruction is as soon done as a sum is: the next part is loaded while this one is rounded.
// CHECK-LABEL: tile.kernel @rounds
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}) -> (f32, tensor<1024xf16>) {
tile.kernel @rounds(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %v = tile.view %X, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%so_far = %zero) -> (f32) {
    %x = tile.load_view %v[%i] : !tile.view<?xf16, [1]> -> tensor<1024xf16>
    %w = arith.extf %x : tensor<1024xf16> to tensor<1024xf32>
    %floor = math.floor %w : tensor<1024xf32>
    %ceil = math.ceil %floor : tensor<1024xf32>
    %l = math.copysign %ceil, %w : tensor<1024xf32>
    %s = tile.reduce %l axis 0 : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %d = arith.addf %a, %b : f32
      tile.yield %d : f32
    }
    %next = arith.addf %so_far, %s : f32
    scf.yield %next : f32
  }
  tile.store %Y, %sum : !tile.ptr<f32>
  tile.return
}
