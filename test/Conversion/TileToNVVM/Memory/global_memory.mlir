// Loads and stores of global memory: vectors, predicates, what lies outside.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
// A view is checked at its edges: one predicated load of 16 bytes, zeros where nothing is read.
// CHECK-LABEL: llvm.func @view
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %{{.*}}, %[[N:.*]] : index
// CHECK: %[[COLUMN:.*]] = arith.cmpi ult, %{{.*}}, %[[N]] : index
// CHECK: %[[INSIDE:.*]] = arith.andi %[[ROW]], %[[COLUMN]] : i1
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "mov.b32 $0, 0;\0Amov.b32 $1, 0;\0Amov.b32 $2, 0;\0Amov.b32 $3, 0;\0A@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=&r,=&r,=&r,=&r,l,b,~{memory}" %{{.*}}, %[[INSIDE]]
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "@$0 st.global.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %[[INSIDE]]
// The second half of the registers: the same row, two columns on.
// CHECK: %[[NEXT:.*]] = arith.cmpi ult
// CHECK: %[[BOTH:.*]] = arith.andi %[[ROW]], %[[NEXT]] : i1
// CHECK: "@$0 st.global.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %[[BOTH]]
tile.kernel @view(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] {vector_width = 4 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.store_view %t, %a[%c0, %c0] {vector_width = 2 : i64} : tensor<16x32xf32, #rows>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

#line = #tile.register_layout<register[2] lane[32] warp[4]>
// A value for what lies outside.
// CHECK-LABEL: llvm.func @else
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[X:.*]] = llvm.bitcast %arg2 : f32 to i32
// CHECK: "mov.b32 $0, $4;\0Amov.b32 $1, $5;\0A@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r,r,~{memory}" %{{.*}}, %[[INSIDE]], %[[X]], %
// CHECK-NOT: arith.select
tile.kernel @else(%A: !tile.ptr<f32>, %N: index, %x: f32, %i: index) {
  %a = tile.view %A, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %a[%i] else %x : f32 {vector_width = 2 : i64} : !tile.view<?xf32, [1]> -> tensor<256xf32, #line>
  tile.store_view %t, %a[%i] {vector_width = 2 : i64} : tensor<256xf32, #line>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

// A start and an extent of 32 bits are compared in 32.
// CHECK-LABEL: llvm.func @narrow
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %arg2 : i32
// CHECK: arith.cmpi ult, %[[AT]], %arg1 : i32
#narrow = #tile.register_layout<lane[32]>
tile.kernel @narrow(%A: !tile.ptr<f32>, %n: i32, %i: i32) attributes {num_warps = 1 : i32} {
  %extent = arith.index_cast %n : i32 to index
  %start = arith.index_cast %i : i32 to index
  %v = tile.view %A, shape [%extent], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %x = tile.load_view %v[%start] {vector_width = 1 : i64} : !tile.view<?xf32, [1]> -> tensor<32xf32, #narrow>
  tile.store_view %x, %v[%start] {vector_width = 1 : i64} : tensor<32xf32, #narrow>, !tile.view<?xf32, [1]>
  tile.return
}

// -----

#line = #tile.register_layout<register[4] lane[32] warp[4]>
// Without a mask: plain vectors with their alignment.
// CHECK-LABEL: llvm.func @pointers
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
tile.kernel @pointers(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %i = tile.iota 0 : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  %v = tile.load %ps {vector_width = 4 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.store %ps, %v {vector_width = 2 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

#line = #tile.register_layout<register[4] lane[32] warp[4]>
// One mask bit for a vector; another value where it is false.
// CHECK-LABEL: llvm.func @masked
// CHECK: %[[M:.*]] = arith.cmpi slt
// CHECK: "mov.b32 $0, $6;\0Amov.b32 $1, $7;\0Amov.b32 $2, $8;\0Amov.b32 $3, $9;\0A@$5 ld.global.v4.b32 {{.*}} %{{.*}}, %[[M]]
// CHECK-NOT: arith.select
// CHECK: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r,~{memory}" %[[M]]
tile.kernel @masked(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 4 : i64}) {
  %i = tile.iota 0 : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  %bound = tile.splat %n : i32 -> tensor<512xi32, #line>
  %m = arith.cmpi slt, %i, %bound : tensor<512xi32, #line>
  %one = arith.constant dense<1.0> : tensor<512xf32, #line>
  %v = tile.load %ps mask %m else %one {vector_width = 4 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.store %ps, %v mask %m {vector_width = 4 : i64} : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// The words of each element type: a byte alone has a register of 32 bits, small elements are packed, fp8 is
// 8 bits, f64 is whole.
#bytes = #tile.register_layout<register[16] lane[32] warp*4>
#one = #tile.register_layout<lane[32] warp*4>
#two = #tile.register_layout<register[2] lane[32] warp*4>
// CHECK-LABEL: llvm.func @words
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<4xi8>
// CHECK: "mov.b32 $0, 0;\0A@$2 ld.global.b8 $0, [$1];", "=&r,l,b,~{memory}" %{{.*}} : (!llvm.ptr<1>, i1) -> i32
// CHECK: llvm.trunc %{{.*}} : i32 to i8
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<2xbf16>
tile.kernel @words(%A: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f8E4M3FN>, %C: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %D: !tile.ptr<bf16> {tile.divisibility = 4 : i64}, %c: i1) {
  %i = tile.iota 0 : tensor<512xi32, #bytes>
  %as = tile.splat %A : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>, #bytes>
  %ps = tile.addptr %as, %i : tensor<512x!tile.ptr<i8>, #bytes>, tensor<512xi32, #bytes>
  %a = tile.load %ps {vector_width = 16 : i64} : tensor<512x!tile.ptr<i8>, #bytes>
  %bs = tile.splat %B : !tile.ptr<f8E4M3FN> -> tensor<32x!tile.ptr<f8E4M3FN>, #one>
  %m = tile.splat %c : i1 -> tensor<32xi1, #one>
  %b = tile.load %bs mask %m {vector_width = 1 : i64} : tensor<32x!tile.ptr<f8E4M3FN>, #one>
  %j = tile.iota 0 : tensor<64xi32, #two>
  %cs = tile.splat %C : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>, #two>
  %qs = tile.addptr %cs, %j : tensor<64x!tile.ptr<f64>, #two>, tensor<64xi32, #two>
  %x = tile.load %qs {vector_width = 2 : i64} : tensor<64x!tile.ptr<f64>, #two>
  %ds = tile.splat %D : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>, #two>
  %rs = tile.addptr %ds, %j : tensor<64x!tile.ptr<bf16>, #two>, tensor<64xi32, #two>
  %y = tile.load %rs {vector_width = 2 : i64} : tensor<64x!tile.ptr<bf16>, #two>
  tile.store %ps, %a {vector_width = 16 : i64} : tensor<512x!tile.ptr<i8>, #bytes>
  tile.store %bs, %b mask %m {vector_width = 1 : i64} : tensor<32x!tile.ptr<f8E4M3FN>, #one>
  tile.store %qs, %x {vector_width = 2 : i64} : tensor<64x!tile.ptr<f64>, #two>
  tile.store %rs, %y {vector_width = 2 : i64} : tensor<64x!tile.ptr<bf16>, #two>
  tile.return
}

// -----

// What several threads hold one of them stores: lanes 8 and up, and warps 1 and up, are idle.
#copies = #tile.register_layout<lane[8] lane*4 warp*4>
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c24_i32 : i32
// CHECK: %[[WARP:.*]] = arith.andi %{{.*}}, %c3_i32 : i32
// CHECK: %[[BITS:.*]] = arith.ori %[[LANE]], %[[WARP]] : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BITS]], %c0_i32 : i32
// CHECK: "@$0 st.global.b32 [$1], $2;", "b,l,r,~{memory}" %[[FIRST]]
tile.kernel @copies(%A: !tile.ptr<f32>, %x: f32) {
  %i = tile.iota 0 : tensor<8xi32, #copies>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #copies>
  %ps = tile.addptr %as, %i : tensor<8x!tile.ptr<f32>, #copies>, tensor<8xi32, #copies>
  %t = tile.splat %x : f32 -> tensor<8xf32, #copies>
  tile.store %ps, %t {vector_width = 1 : i64} : tensor<8x!tile.ptr<f32>, #copies>
  tile.return
}

// -----

// Two rows of four columns a thread: of each row one address, behind which the others are constants.
#four = #tile.register_layout<register[2,1] lane[1,32] register[1,4]>
#both = #tile.register_layout<register[2] lane*32>
// CHECK-LABEL: llvm.func @counted
// CHECK: %[[FIRST:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[ROW:.*]] = llvm.getelementptr %arg0[%[[FIRST]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %{{.*}}[%[[FIRST]]]
// CHECK: llvm.getelementptr %[[ROW]][32]
// CHECK: llvm.getelementptr %[[NEXT]][32]
// CHECK: llvm.getelementptr %[[ROW]][64]
// CHECK: llvm.getelementptr %[[NEXT]][64]
// CHECK: llvm.getelementptr %[[ROW]][96]
// CHECK: llvm.getelementptr %[[NEXT]][96]
tile.kernel @counted(%A: !tile.ptr<f16>, %rows: i64) attributes {num_warps = 1 : i32} {
  %i = tile.iota 0 : tensor<2xi64, #both>
  %s = tile.splat %rows : i64 -> tensor<2xi64, #both>
  %at = arith.muli %i, %s : tensor<2xi64, #both>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<2x!tile.ptr<f16>, #both>
  %r = tile.addptr %as, %at : tensor<2x!tile.ptr<f16>, #both>, tensor<2xi64, #both>
  %e = tile.expand_dims %r {axis = 1 : i32} : tensor<2x!tile.ptr<f16>, #both> -> tensor<2x1x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane*32>>
  %ps = tile.broadcast %e : tensor<2x1x!tile.ptr<f16>, #tile.register_layout<register[2,1] lane*32>> -> tensor<2x128x!tile.ptr<f16>, #four>
  %c = tile.iota 0 : tensor<128xi32, #tile.register_layout<lane[32] register[4]>>
  %ce = tile.expand_dims %c {axis = 0 : i32} : tensor<128xi32, #tile.register_layout<lane[32] register[4]>> -> tensor<1x128xi32, #tile.register_layout<lane[1,32] register[1,4]>>
  %columns = tile.broadcast %ce : tensor<1x128xi32, #tile.register_layout<lane[1,32] register[1,4]>> -> tensor<2x128xi32, #four>
  %p = tile.addptr %ps, %columns : tensor<2x128x!tile.ptr<f16>, #four>, tensor<2x128xi32, #four>
  %t = tile.load %p {vector_width = 1 : i64} : tensor<2x128x!tile.ptr<f16>, #four>
  tile.store %p, %t {vector_width = 1 : i64} : tensor<2x128x!tile.ptr<f16>, #four>
  tile.return
}

// -----

// Beside products each element has an address of its own.
#four = #tile.register_layout<lane[32] register[4]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#right = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
// CHECK-LABEL: llvm.func @counted_by_a_product
// CHECK-COUNT-4: llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr<1>, i64)
// CHECK-NOT: llvm.getelementptr %{{.*}}[32]
// CHECK: llvm.nvvm.mma
tile.kernel @counted_by_a_product(%A: !tile.ptr<f16>, %x: f16, %y: f32) attributes {num_warps = 1 : i32} {
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #four>
  %columns = tile.iota 0 : tensor<128xi32, #four>
  %p = tile.addptr %as, %columns : tensor<128x!tile.ptr<f16>, #four>, tensor<128xi32, #four>
  %t = tile.load %p {vector_width = 1 : i64} : tensor<128x!tile.ptr<f16>, #four>
  tile.store %p, %t {vector_width = 1 : i64} : tensor<128x!tile.ptr<f16>, #four>
  %a = tile.splat %x : f16 -> tensor<16x16xf16, #left>
  %b = tile.splat %x : f16 -> tensor<16x16xf16, #right>
  %c = tile.splat %y : f32 -> tensor<16x16xf32, #sums>
  %0 = tile.dot %a, %b, %c : tensor<16x16xf16, #left>, tensor<16x16xf16, #right>, tensor<16x16xf32, #sums>
  tile.return
}

// -----

// Offsets are signed numbers of elements.
// CHECK-LABEL: llvm.func @addptr
// CHECK: %[[W:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: llvm.getelementptr %arg0[%[[W]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
tile.kernel @addptr(%A: !tile.ptr<f64>, %i: i32) {
  %p = tile.addptr %A, %i : !tile.ptr<f64>, i32
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<32x!tile.ptr<f64>, #tile.register_layout<lane[32] warp*4>>
  %v = tile.load %ps {vector_width = 1 : i64} : tensor<32x!tile.ptr<f64>, #tile.register_layout<lane[32] warp*4>>
  tile.store %ps, %v {vector_width = 1 : i64} : tensor<32x!tile.ptr<f64>, #tile.register_layout<lane[32] warp*4>>
  tile.return
}

// -----

// A choice between views is one between each of their parts.
// CHECK-LABEL: llvm.func @choice
// CHECK-COUNT-2: arith.select %arg2
tile.kernel @choice(%A: !tile.ptr<f32>, %n: index, %c: i1) {
  %c4 = arith.constant 4 : index
  %p = tile.addptr %A, %n : !tile.ptr<f32>, index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %b = tile.view %p, shape [%c4], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %v = arith.select %c, %a, %b : !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%n] {vector_width = 1 : i64} : !tile.view<?xf32, [1]> -> tensor<32xf32, #tile.register_layout<lane[32] warp*4>>
  tile.store_view %t, %a[%n] {vector_width = 1 : i64} : tensor<32xf32, #tile.register_layout<lane[32] warp*4>>, !tile.view<?xf32, [1]>
  tile.return
}

// A number that 8 elements of a thread share is loaded once, whatever stands for those that are not there.
// CHECK-LABEL: llvm.func @shared_scale
// CHECK-COUNT-1: ld.global.b32
// CHECK-NOT: ld.global
// CHECK: llvm.return
tile.kernel @shared_scale(%S: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16}, %Y: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %i = tile.iota 0 : tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  %c = arith.constant dense<128> : tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  %q = arith.divui %i, %c : tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  %in = arith.cmpi slt, %i, %ns : tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  %none = arith.constant dense<1.0> : tensor<256xf32, #tile.register_layout<register[8] lane[32]>>
  %ss = tile.splat %S : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #tile.register_layout<register[8] lane[32]>>
  %sp = tile.addptr %ss, %q : tensor<256x!tile.ptr<f32>, #tile.register_layout<register[8] lane[32]>>, tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  %s = tile.load %sp mask %in else %none {vector_width = 1 : i64} : tensor<256x!tile.ptr<f32>, #tile.register_layout<register[8] lane[32]>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #tile.register_layout<register[8] lane[32]>>
  %yp = tile.addptr %ys, %i : tensor<256x!tile.ptr<f32>, #tile.register_layout<register[8] lane[32]>>, tensor<256xi32, #tile.register_layout<register[8] lane[32]>>
  tile.store %yp, %s {vector_width = 1 : i64} : tensor<256x!tile.ptr<f32>, #tile.register_layout<register[8] lane[32]>>
  tile.return
}
