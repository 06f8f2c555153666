// Blocks that end with sectors, where the next program is known to have what is behind them.

// RUN: split-file %s %t
// RUN: tile-opt --tile-move-rows %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-move-rows %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: _sectors

//--- kernels.mlir

// The number along one axis is the place in the row.
// CHECK-LABEL: tile.kernel @axis
// As many registers as these blocks leave are enough.
// CHECK-SAME: tile.blocks_per_sm = {{[0-9]+}} : i32
// CHECK: %[[I:.*]] = arith.muli %{{.*}}, %c256 : index
// CHECK: alloc_shared : !tile.shared<256x64xi8, #tile.shared_layout<256x64, pad 61 every 64>>
// As much as programs of the grid read.
// CHECK: %[[ALL_ROWS:.*]] = num_programs 1
// CHECK: %[[ROW:.*]] = program_id 1
// CHECK: %[[LEFT:.*]] = arith.subi %[[ALL_ROWS]], %[[ROW]]
// CHECK: %[[ROWS:.*]] = arith.muli %[[LEFT]], %c256
// CHECK: num_programs 0
// CHECK: %[[COLUMNS:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[P:.*]] = program_id 1
// CHECK: %[[HAS_ONE:.*]] = arith.cmpi sgt, %[[P]], %c0 : index
// CHECK: %[[IS_BEHIND:.*]] = arith.cmpi sge, %[[I]], %{{c256.*}} : index
// CHECK: %[[BEHIND:.*]] = arith.andi %[[HAS_ONE]], %[[IS_BEHIND]] : i1
// CHECK: %[[BEGINS:.*]] = arith.cmpi slt, %[[I]], %M : index
// CHECK: %[[CONTINUES:.*]] = arith.andi %[[BEHIND]], %[[BEGINS]] : i1
// CHECK: %[[Q:.*]] = program_id 1
// CHECK: %[[PROGRAMS:.*]] = num_programs 1
// CHECK: %[[LAST:.*]] = arith.addi %[[PROGRAMS]], %c-1 : index
// CHECK: %[[HAS_NEXT:.*]] = arith.cmpi slt, %[[Q]], %[[LAST]] : index
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[I]], %{{c0.*}} : index
// CHECK: %[[IS_INSIDE:.*]] = arith.andi %[[HAS_NEXT]], %[[INSIDE]] : i1
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[I]], %c9223372036854775551 : index
// CHECK: %[[IS_FITTING:.*]] = arith.andi %[[IS_INSIDE]], %[[FITS]] : i1
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %{{c256.*}} : index
// CHECK: %[[NEXT_BEGINS:.*]] = arith.cmpi slt, %[[NEXT]], %M : index
// CHECK: %[[CONTINUED:.*]] = arith.andi %[[IS_FITTING]], %[[NEXT_BEGINS]] : i1
// CHECK: copy_sectors %{{.*}} within[%[[ROWS]], %[[COLUMNS]]] of %A : !tile.ptr<i8>, %[[TILE:.*]] if %[[CONTINUED]] {dim = 0 : i64}
// CHECK: store_sectors %[[TILE]] {{.*}} if %[[CONTINUES]], %[[CONTINUED]] {order = array<i64: 1, 0>}
tile.kernel @axis(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index) {
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 1
  %q = tile.program_id 0
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Threads that have 32 bytes each need fewer registers: 4 blocks of 16 warps have room, and not 3.
// CHECK-LABEL: tile.kernel @few_bytes
// CHECK-SAME: tile.blocks_per_sm = 4 : i32
tile.kernel @few_bytes(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index) attributes {num_warps = 16 : i32} {
  %c64 = arith.constant 64 : index
  %p = tile.program_id 1
  %q = tile.program_id 0
  %i = arith.muli %p, %c64 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %u = tile.trans %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store_view %u, %b[%j, %i] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// A remainder is. It must not begin anew. Elements of 4 bytes gain, too.
// CHECK-LABEL: tile.kernel @remainder
// CHECK: alloc_shared : !tile.shared<64x64xf32
// CHECK: %[[ID:.*]] = program_id 0
// CHECK: arith.cmpi sgt, %[[ID]], %c0 : index
// CHECK: %[[REST:.*]] = arith.remui %[[P:.*]], %n : index
// CHECK: %[[GOES_ON:.*]] = arith.cmpi sgt, %[[REST]], %{{c0.*}} : index
// CHECK: arith.andi %{{.*}}, %[[GOES_ON]] : i1
// CHECK: %[[IS_REST:.*]] = arith.cmpi slt, %[[REST]], %n : index
// CHECK: arith.andi %{{.*}}, %[[IS_REST]] : i1
// CHECK: num_programs 0
// CHECK: %[[REST_AGAIN:.*]] = arith.remui %[[P]], %n : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[REST_AGAIN]], %{{c1.*}} : index
// CHECK: %[[GOES_ON_NEXT:.*]] = arith.cmpi slt, %[[NEXT]], %n : index
// CHECK: arith.andi %{{.*}}, %[[GOES_ON_NEXT]] : i1
// CHECK-NOT: remui
// CHECK: copy_sectors {{.*}} {dim = 0 : i64}
// CHECK: store_sectors
tile.kernel @remainder(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %k = arith.divui %p, %n : index
  %l = arith.remui %p, %n : index
  %i = arith.muli %l, %c64 : index
  %j = arith.muli %k, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
  %u = tile.trans %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store_view %u, %b[%j, %i] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// Views that begin with the block, as those of pointers and masks.
// CHECK-LABEL: tile.kernel @pointers
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: arith.cmpi sgt, %[[REST]], %{{c0.*}} : index
// CHECK: arith.cmpi sgt, %[[REST]], %{{c256.*}} : index
// CHECK: copy_sectors
tile.kernel @pointers(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: i32, %N: index, %s: i32, %n: i32) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : i32
  %id = tile.program_id 0
  %p = arith.index_cast %id : index to i32
  %l = arith.remsi %p, %n : i32
  %i = arith.muli %l, %c256 : i32
  %is = arith.cmpi slt, %i, %M : i32
  %left = arith.subi %M, %i : i32
  %wide = arith.index_castui %left : i32 to index
  %rest = arith.select %is, %wide, %c0 : index
  %x = arith.extsi %i : i32 to i64
  %t0 = arith.extsi %s : i32 to i64
  %behind = arith.muli %x, %t0 : i64
  %stride = arith.index_cast %t0 : i64 to index
  %from = tile.addptr %A, %behind : !tile.ptr<i8>, i64
  %to = tile.addptr %B, %x : !tile.ptr<i8>, i64
  %a = tile.view %from, shape [%rest, %N], strides [%stride, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %to, shape [%N, %rest], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%c0, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

//--- declined.mlir

// Rows of two planes.
tile.kernel @planes(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint}, %M: index, %N: index, %K: index) {
  %c64 = arith.constant 64 : index
  %c2 = arith.constant 2 : index
  %p = tile.program_id 1
  %q = tile.program_id 0
  %r = tile.program_id 2
  %i = arith.muli %p, %c64 : index
  %j = arith.muli %q, %c64 : index
  %k = arith.muli %r, %c2 : index
  %plane = arith.muli %M, %N : index
  %a = tile.view %A, shape [%K, %M, %N], strides [%plane, %N, 1] : !tile.ptr<f32> -> !tile.view<?x?x?xf32, [?, ?, 1]>
  %b = tile.view %B, shape [%K, %N, %M], strides [%plane, %M, 1] : !tile.ptr<f32> -> !tile.view<?x?x?xf32, [?, ?, 1]>
  %t = tile.load_view %a[%k, %i, %j] : !tile.view<?x?x?xf32, [?, ?, 1]> -> tensor<2x64x64xf32>
  %u = tile.trans %t [0, 2, 1] : tensor<2x64x64xf32> -> tensor<2x64x64xf32>
  tile.store_view %u, %b[%k, %j, %i] : tensor<2x64x64xf32>, !tile.view<?x?x?xf32, [?, ?, 1]>
  tile.return
}

// Blocks overlap.
tile.kernel @half_steps(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c128 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Blocks leave something out.
tile.kernel @gaps(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %c512 = arith.constant 512 : index
  %i = arith.muli %p, %c512 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// The next program is before this one.
tile.kernel @backwards(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %r = arith.subi %n, %p : index
  %i = arith.muli %r, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// The next program is beside, as well.
tile.kernel @diagonal(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %p, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// It has another column of blocks, for all that is known.
tile.kernel @unknown(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %k = arith.shrui %p, %n : index
  %j = arith.muli %k, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// The quotient is of what may be below 0.
tile.kernel @below(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %e = arith.subi %p, %n : index
  %k = arith.divsi %e, %n : index
  %j = arith.muli %k, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// By another divisor in each program.
tile.kernel @divisors(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %k = arith.divui %p, %p : index
  %j = arith.muli %k, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Programs have other extents.
tile.kernel @extents(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %m = arith.minui %M, %i : index
  %a = tile.view %A, shape [%m, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %m], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Programs have other strides.
tile.kernel @strides(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %s = arith.addi %p, %N : index
  %a = tile.view %A, shape [%M, %N], strides [%s, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// The place is no program's number.
tile.kernel @argument(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %n, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// Others are told that a block is stored.
tile.kernel @told(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  %one = arith.constant 1 : i32
  tile.store %C, %one : !tile.ptr<i32>
  tile.return
}

// Something else is stored.
tile.kernel @also_stored(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %C: !tile.ptr<i32> {tile.disjoint}, %M: index, %N: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c256 : index
  %j = arith.muli %q, %c64 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%j, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  %c = arith.constant dense<1> : tensor<64x256xi8>
  tile.store_view %c, %b[%j, %c0] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}

// A remainder that must not begin anew is of what is known behind the load.
tile.kernel @late(%A: !tile.ptr<i8> {tile.disjoint}, %B: !tile.ptr<i8> {tile.disjoint}, %M: index, %N: index, %n: index, %m: index) {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = arith.muli %p, %c256 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %t = tile.load_view %a[%i, %m] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x64xi8>
  %divisor = arith.addi %n, %m : index
  %k = arith.divui %p, %divisor : index
  %behind = arith.muli %k, %N : index
  %to = tile.addptr %B, %behind : !tile.ptr<i8>, index
  %b = tile.view %to, shape [%N, %M], strides [%M, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
  %u = tile.trans %t [1, 0] : tensor<256x64xi8> -> tensor<64x256xi8>
  tile.store_view %u, %b[%m, %i] : tensor<64x256xi8>, !tile.view<?x?xi8, [?, 1]>
  tile.return
}
