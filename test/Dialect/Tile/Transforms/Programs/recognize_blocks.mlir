// Pointers that are a block of a view, with what a mask leaves of it, and what stands in the way.

// RUN: tile-opt %s --tile-recognize-blocks --tile-canonicalize --cse | FileCheck %s

// The elements below %n: as many as there are from the start of the tile on.
// CHECK-LABEL: tile.kernel @below
// CHECK-DAG: %[[START:.*]] = arith.muli
// CHECK-DAG: %[[ANY:.*]] = arith.cmpi slt, %[[START]], %n : i32
// CHECK-DAG: %[[MORE:.*]] = arith.subi %n, %[[START]] : i32
// CHECK-DAG: %[[PLACES:.*]] = arith.index_castui %[[MORE]] : i32 to index
// CHECK-DAG: %[[LEFT:.*]] = arith.select %[[ANY]], %[[PLACES]], %c0 : index
// CHECK-DAG: %[[BASE:.*]] = addptr %X, %[[START]] : !tile.ptr<f32>, i32
// CHECK: %[[VIEW:.*]] = view %[[BASE]], shape [%[[LEFT]]], strides [1]
// CHECK: load_view %[[VIEW]][%c0] :
// CHECK: store_view
tile.kernel @below(%X: !tile.ptr<f32>, %n: i32) {
  %c1024 = arith.constant 1024 : i32
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %start = arith.muli %pid, %c1024 : i32
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %iota = tile.iota 0 : tensor<1024xi32>
  %i = arith.addi %starts, %iota : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %in = arith.cmpi sgt, %ns, %i : tensor<1024xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %t = tile.load %ps mask %in : tensor<1024x!tile.ptr<f32>>
  tile.store %ps, %t mask %in : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// Two dimensions by 64 bits, a mask of one of them: the other has the extent of the tile. A promise
// about the offsets is one about their first.
// CHECK-LABEL: tile.kernel @rows
// CHECK: assume %{{.*}} divisibility [64]
// CHECK: view %{{.*}}, shape [16, %{{.*}}], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<16x?xf16, [?, 1]>
// CHECK: load_view %{{.*}}[%c0, %c0] else %{{.*}} : f16 :
tile.kernel @rows(%X: !tile.ptr<f16>, %row: index, %column: index, %n: index, %stride: index) {
  %iota16 = tile.iota 0 : tensor<16xindex>
  %iota64 = tile.iota 0 : tensor<64xindex>
  %rows1 = tile.splat %row : index -> tensor<16xindex>
  %rows = arith.addi %rows1, %iota16 : tensor<16xindex>
  %columns1 = tile.splat %column : index -> tensor<64xindex>
  %columns2 = arith.addi %columns1, %iota64 : tensor<64xindex>
  %columns = tile.assume %columns2 divisibility [64] contiguity [64] : tensor<64xindex>
  %r1 = tile.expand_dims %rows {axis = 1 : i32} : tensor<16xindex> -> tensor<16x1xindex>
  %s1 = tile.splat %stride : index -> tensor<16x1xindex>
  %r2 = arith.muli %r1, %s1 : tensor<16x1xindex>
  %r = tile.broadcast %r2 : tensor<16x1xindex> -> tensor<16x64xindex>
  %c1 = tile.expand_dims %columns {axis = 0 : i32} : tensor<64xindex> -> tensor<1x64xindex>
  %c = tile.broadcast %c1 : tensor<1x64xindex> -> tensor<16x64xindex>
  %i = arith.addi %r, %c : tensor<16x64xindex>
  %ns = tile.splat %n : index -> tensor<1x64xindex>
  %in1 = arith.cmpi slt, %c1, %ns : tensor<1x64xindex>
  %in = tile.broadcast %in1 : tensor<1x64xi1> -> tensor<16x64xi1>
  %xs = tile.splat %X : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
  %ps = tile.addptr %xs, %i : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xindex>
  %ones = arith.constant dense<1.0> : tensor<16x64xf16>
  %t = tile.load %ps mask %in else %ones : tensor<16x64x!tile.ptr<f16>>
  tile.store %ps, %t : tensor<16x64x!tile.ptr<f16>>
  tile.return
}

// What stands in the way.
// CHECK-LABEL: tile.kernel @others
tile.kernel @others(%X: !tile.ptr<i32>, %n: i32, %stride: i32) {
  %iota = tile.iota 0 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %xs = tile.splat %X : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  // CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
  %far = arith.addi %iota, %ns : tensor<64xi32>
  %p1 = tile.addptr %xs, %far : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %t1 = tile.load %p1 : tensor<64x!tile.ptr<i32>>
  // CHECK: load {{.*}} {tile.no_block = "an offset of 32 bits may wrap around within the tile"}
  %strides = tile.splat %stride : i32 -> tensor<64xi32>
  %times = arith.muli %iota, %strides : tensor<64xi32>
  %p2 = tile.addptr %xs, %times : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %t2 = tile.load %p2 : tensor<64x!tile.ptr<i32>>
  // CHECK: load {{.*}} {tile.no_block = "'arith.remsi' is no sum of coordinates times strides"}
  %rest = arith.remsi %iota, %ns : tensor<64xi32>
  %p3 = tile.addptr %xs, %rest : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %t3 = tile.load %p3 : tensor<64x!tile.ptr<i32>>
  // CHECK: load {{.*}} {tile.no_block = "the coordinate of a mask may wrap around within the tile"}
  %p4 = tile.addptr %xs, %iota : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %in = arith.cmpi slt, %far, %ns : tensor<64xi32>
  %t4 = tile.load %p4 mask %in : tensor<64x!tile.ptr<i32>>
  // CHECK: load {{.*}} {tile.no_block = "a mask compares otherwise than by the order of integers"}
  %equal = arith.cmpi ne, %iota, %ns : tensor<64xi32>
  %t5 = tile.load %p4 mask %equal : tensor<64x!tile.ptr<i32>>
  // CHECK: load {{.*}} {tile.no_block = "the mask is made by 'arith.ori', and is no conjunction of comparisons of coordinates"}
  %either = arith.ori %in, %equal : tensor<64xi1>
  %t6 = tile.load %p4 mask %either : tensor<64x!tile.ptr<i32>>
  // CHECK: store {{.*}} {tile.no_block = "'tile.load' is no sum of coordinates times strides"}
  %p7 = tile.addptr %xs, %t1 : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %p7, %t2 : tensor<64x!tile.ptr<i32>>
  %s1 = arith.addi %t3, %t4 : tensor<64xi32>
  %s2 = arith.addi %t5, %t6 : tensor<64xi32>
  %s3 = arith.addi %s1, %s2 : tensor<64xi32>
  // CHECK: store_view
  tile.store %p4, %s3 : tensor<64x!tile.ptr<i32>>
  tile.return
}

// What is filled in, in a loop: by the load, if nothing multiplies there.
// CHECK-LABEL: tile.kernel @loop
// CHECK: load_view %{{.*}}[%c0, %c0] else %{{.*}} : f16 :
tile.kernel @loop(%X: !tile.ptr<f16>, %n: index) {
  %iota = tile.iota 0 : tensor<16xindex>
  %rows = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xindex> -> tensor<16x1xindex>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xindex> -> tensor<1x16xindex>
  %strides = tile.splat %n : index -> tensor<16x1xindex>
  %r1 = arith.muli %rows, %strides : tensor<16x1xindex>
  %r = tile.broadcast %r1 : tensor<16x1xindex> -> tensor<16x16xindex>
  %c = tile.broadcast %columns : tensor<1x16xindex> -> tensor<16x16xindex>
  %i = arith.addi %r, %c : tensor<16x16xindex>
  %ns = tile.splat %n : index -> tensor<1x16xindex>
  %in1 = arith.cmpi slt, %columns, %ns : tensor<1x16xindex>
  %in = tile.broadcast %in1 : tensor<1x16xi1> -> tensor<16x16xi1>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %x = tile.addptr %X, %k : !tile.ptr<f16>, index
    %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %ps = tile.addptr %xs, %i : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xindex>
    %t = tile.load %ps mask %in else %ones : tensor<16x16x!tile.ptr<f16>>
    tile.store %ps, %t : tensor<16x16x!tile.ptr<f16>>
  }
  tile.return
}

// Where the load becomes a copy, by the mask.
// CHECK-LABEL: tile.kernel @products
// CHECK: load %{{.*}} mask %{{.*}} else
tile.kernel @products(%X: !tile.ptr<f16>, %n: index) {
  %iota = tile.iota 0 : tensor<16xindex>
  %rows = tile.expand_dims %iota {axis = 1 : i32} : tensor<16xindex> -> tensor<16x1xindex>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<16xindex> -> tensor<1x16xindex>
  %strides = tile.splat %n : index -> tensor<16x1xindex>
  %r1 = arith.muli %rows, %strides : tensor<16x1xindex>
  %r = tile.broadcast %r1 : tensor<16x1xindex> -> tensor<16x16xindex>
  %c = tile.broadcast %columns : tensor<1x16xindex> -> tensor<16x16xindex>
  %i = arith.addi %r, %c : tensor<16x16xindex>
  %ns = tile.splat %n : index -> tensor<1x16xindex>
  %in1 = arith.cmpi slt, %columns, %ns : tensor<1x16xindex>
  %in = tile.broadcast %in1 : tensor<1x16xi1> -> tensor<16x16xi1>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %x = tile.addptr %X, %k : !tile.ptr<f16>, index
    %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %ps = tile.addptr %xs, %i : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xindex>
    %t = tile.load %ps mask %in else %ones : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %t, %t, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %h = arith.truncf %d : tensor<16x16xf32> to tensor<16x16xf16>
    tile.store %ps, %h : tensor<16x16x!tile.ptr<f16>>
  }
  tile.return
}

// Rows of a program's own that are moved as runs of memory (tile-move-runs) stay with their pointers, and so does what meets them.
// CHECK-LABEL: tile.kernel @short_rows(
// CHECK-NOT: view
// CHECK: return
tile.kernel @short_rows(%X: !tile.ptr<i8>, %B: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %m: i32, %n: i32 {tile.bounds = array<i64: 33, 36>}) attributes {num_warps = 4 : i32} {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %p = arith.index_cast %pid : index to i32
  %first = arith.muli %p, %c64 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %fs = tile.splat %first : i32 -> tensor<64xi32>
  %r1 = arith.addi %fs, %i : tensor<64xi32>
  %r = tile.expand_dims %r1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tile.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %rin = arith.cmpi slt, %r, %ms : tensor<64x1xi32>
  %cin = arith.cmpi slt, %c, %ns : tensor<1x64xi32>
  %ra = tile.broadcast %rin : tensor<64x1xi1> -> tensor<64x64xi1>
  %ca = tile.broadcast %cin : tensor<1x64xi1> -> tensor<64x64xi1>
  %in = arith.andi %ra, %ca : tensor<64x64xi1>
  %nr = tile.splat %n : i32 -> tensor<64x1xi32>
  %at = arith.muli %r, %nr : tensor<64x1xi32>
  %xs = tile.splat %X : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
  %xr = tile.addptr %xs, %at : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
  %xb = tile.broadcast %xr : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
  %cb = tile.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %xp = tile.addptr %xb, %cb : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %x = tile.load %xp mask %in : tensor<64x64x!tile.ptr<i8>>
  %bs = tile.splat %B : !tile.ptr<i8> -> tensor<1x64x!tile.ptr<i8>>
  %bp = tile.addptr %bs, %c : tensor<1x64x!tile.ptr<i8>>, tensor<1x64xi32>
  %b = tile.load %bp mask %cin : tensor<1x64x!tile.ptr<i8>>
  %ball = tile.broadcast %b : tensor<1x64xi8> -> tensor<64x64xi8>
  %s = arith.addi %x, %ball : tensor<64x64xi8>
  %ys = tile.splat %Y : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
  %yr = tile.addptr %ys, %at : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
  %yb = tile.broadcast %yr : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
  %yp = tile.addptr %yb, %cb : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  tile.store %yp, %s mask %in : tensor<64x64x!tile.ptr<i8>>
  tile.return
}

// Nobody knows that rows end in their tile.
// CHECK-LABEL: tile.kernel @long_rows(
// CHECK: = view %B
// CHECK: = load_view
// CHECK: return
tile.kernel @long_rows(%X: !tile.ptr<i8>, %B: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %m: i32, %n: i32) attributes {num_warps = 4 : i32} {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %p = arith.index_cast %pid : index to i32
  %first = arith.muli %p, %c64 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %fs = tile.splat %first : i32 -> tensor<64xi32>
  %r1 = arith.addi %fs, %i : tensor<64xi32>
  %r = tile.expand_dims %r1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tile.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %rin = arith.cmpi slt, %r, %ms : tensor<64x1xi32>
  %cin = arith.cmpi slt, %c, %ns : tensor<1x64xi32>
  %ra = tile.broadcast %rin : tensor<64x1xi1> -> tensor<64x64xi1>
  %ca = tile.broadcast %cin : tensor<1x64xi1> -> tensor<64x64xi1>
  %in = arith.andi %ra, %ca : tensor<64x64xi1>
  %nr = tile.splat %n : i32 -> tensor<64x1xi32>
  %at = arith.muli %r, %nr : tensor<64x1xi32>
  %xs = tile.splat %X : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
  %xr = tile.addptr %xs, %at : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
  %xb = tile.broadcast %xr : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
  %cb = tile.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %xp = tile.addptr %xb, %cb : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %x = tile.load %xp mask %in : tensor<64x64x!tile.ptr<i8>>
  %bs = tile.splat %B : !tile.ptr<i8> -> tensor<1x64x!tile.ptr<i8>>
  %bp = tile.addptr %bs, %c : tensor<1x64x!tile.ptr<i8>>, tensor<1x64xi32>
  %b = tile.load %bp mask %cin : tensor<1x64x!tile.ptr<i8>>
  %ball = tile.broadcast %b : tensor<1x64xi8> -> tensor<64x64xi8>
  %s = arith.addi %x, %ball : tensor<64x64xi8>
  %ys = tile.splat %Y : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
  %yr = tile.addptr %ys, %at : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
  %yb = tile.broadcast %yr : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
  %yp = tile.addptr %yb, %cb : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  tile.store %yp, %s mask %in : tensor<64x64x!tile.ptr<i8>>
  tile.return
}
