// The widest vector of each access, and every reason for a narrower one.

// RUN: tile-opt --tile-check-vector-width --split-input-file --verify-diagnostics %s | FileCheck %s

// 16 bytes everywhere: no remark.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
#shared = #tile.shared_layout<16x32>
// CHECK-LABEL: tile.kernel @widest
// CHECK: load_view {{.*}} {vector_width = 4 : i64}
// CHECK: local_store {{.*}} {vector_width = 4 : i64}
// CHECK: local_load {{.*}} {vector_width = 4 : i64}
// CHECK: store_view {{.*}} {vector_width = 4 : i64}
tile.kernel @widest(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %M: index, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %s = tile.alloc_shared : !tile.shared<16x32xf32, #shared>
  tile.local_store %t, %s : tensor<16x32xf32, #rows>, !tile.shared<16x32xf32, #shared>
  %u = tile.local_load %s : !tile.shared<16x32xf32, #shared> -> tensor<16x32xf32, #rows>
  tile.store_view %u, %a[%c0, %c0] : tensor<16x32xf32, #rows>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}

// -----

// A width that is written and legal is kept, without a remark.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
// CHECK-LABEL: tile.kernel @kept
// CHECK: load_view {{.*}} {vector_width = 2 : i64}
tile.kernel @kept(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%c0, %c0] {vector_width = 2 : i64} : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// The base.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
// CHECK-LABEL: tile.kernel @base
// CHECK: load_view {{.*}} {vector_width = 2 : i64}
tile.kernel @base(%A: !tile.ptr<f32> {tile.divisibility = 8 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the base A is only known to be a multiple of 8 bytes}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// A base that is computed has no name.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @moved_base(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}, %k: index {tile.divisibility = 2 : i64}) {
  %c0 = arith.constant 0 : index
  %p = tile.addptr %A, %k : !tile.ptr<f32>, index
  %a = tile.view %p, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the base is only known to be a multiple of 8 bytes}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// The stride between rows, an argument or a constant.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @stride(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}, %ld: index {tile.divisibility = 2 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%ld, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the stride ld is only known to be a multiple of 2}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  %b = tile.view %A, shape [%N, %N], strides [33, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [33, 1]>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the stride 33 is only known to be a multiple of 1}}
  %u = tile.load_view %b[%c0, %c0] : !tile.view<?x?xf32, [33, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// Of one row only where it begins matters.
#row = #tile.register_layout<register[1,4] lane[1,32] warp*4>
tile.kernel @row(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}, %ld: index {tile.divisibility = 2 : i64}, %i: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %even = arith.muli %i, %c2 : index
  %a = tile.view %A, shape [%N, %N], strides [%ld, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%even, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<1x128xf32, #row>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the row that the tile begins in is only known to be at a multiple of 2 elements}}
  %u = tile.load_view %a[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<1x128xf32, #row>
  tile.return
}

// -----

// The coordinate along the row.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @column(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}, %j: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the coordinate along dimension 1 is only known to be a multiple of 1}}
  %t = tile.load_view %a[%c0, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// The extent: a vector must not cross the edge.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @extent(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 2 : i64}, %ld: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%ld, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the extent N is only known to be a multiple of 2, and a wider vector could cross the edge}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// The tile itself.
#narrow = #tile.register_layout<register[1,2] lane[32,1] warp[4,1]>
tile.kernel @narrow(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the tile has only 2 elements along dimension 1}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<128x2xf32, #narrow>
  tile.return
}

// -----

// No dimension is contiguous.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @strided(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 2] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 2]>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: no stride of the view is the constant 1}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 2]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// A view that comes out of a branch.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
tile.kernel @branch(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %A, shape [%N, %c0], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %v = arith.select %c, %a, %b : !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the view is not made where it is used}}
  %t = tile.load_view %v[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #rows>
  tile.return
}

// -----

// The registers of a thread.
#pairs = #tile.register_layout<register[1,2] lane[1,16] lane[2,1] warp[4,1] register[2,1]>
tile.kernel @registers(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: a thread holds only 2 consecutive elements along dimension 1}}
  %t = tile.load_view %a[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32, #pairs>
  tile.return
}

// -----

// Pointers: consecutive, aligned, and under one mask.
#line = #tile.register_layout<register[4] lane[32] warp[4]>
// CHECK-LABEL: tile.kernel @pointers
tile.kernel @pointers(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32, %n4: i32 {tile.divisibility = 4 : i64}) {
  %i = tile.iota 0 : tensor<512xi32, #line>
  %two = arith.constant dense<2> : tensor<512xi32, #line>
  %base = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %base, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  // CHECK: load {{.*}} {vector_width = 4 : i64}
  %full = tile.load %ps : tensor<512x!tile.ptr<f32>, #line>

  %offset = arith.addi %i, %two : tensor<512xi32, #line>
  %qs = tile.addptr %base, %offset : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  // The numbers from 2 on, in runs of two that begin at multiples of two: all that survives the extension of i32.
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: only 2 pointers in a row are known to be consecutive}}
  %aligned = tile.load %qs : tensor<512x!tile.ptr<f32>, #line>

  %even = arith.muli %i, %two : tensor<512xi32, #line>
  %es = tile.addptr %base, %even : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: only 1 pointers in a row are known to be consecutive}}
  %strided = tile.load %es : tensor<512x!tile.ptr<f32>, #line>

  %bound = tile.splat %n : i32 -> tensor<512xi32, #line>
  %mask = arith.cmpi slt, %i, %bound : tensor<512xi32, #line>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the mask is only known to be the same for 1 in a row}}
  %masked = tile.load %ps mask %mask : tensor<512x!tile.ptr<f32>, #line>

  // A bound that is a multiple of four falls between vectors.
  %bound4 = tile.splat %n4 : i32 -> tensor<512xi32, #line>
  %mask4 = arith.cmpi slt, %i, %bound4 : tensor<512xi32, #line>
  // CHECK: load {{.*}} mask {{.*}} {vector_width = 4 : i64}
  %masked4 = tile.load %ps mask %mask4 : tensor<512x!tile.ptr<f32>, #line>
  // CHECK: store {{.*}} mask {{.*}} {vector_width = 4 : i64}
  tile.store %ps, %masked4 mask %mask4 : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// Pointers into memory that is less aligned than it could be, by 64-bit offsets.
#line = #tile.register_layout<register[4] lane[32] warp[4]>
tile.kernel @misaligned(%A: !tile.ptr<f32> {tile.divisibility = 8 : i64}, %B: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<512xi64, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %bs = tile.splat %B : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi64, #line>
  %qs = tile.addptr %bs, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi64, #line>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the pointers are only known to begin at multiples of 8 bytes}}
  %a = tile.load %ps : tensor<512x!tile.ptr<f32>, #line>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the pointers are only known to begin at multiples of 4 bytes}}
  %b = tile.load %qs : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// A mask chosen element by element is no more constant than what chooses: the widths must not be 4.
#line = #tile.register_layout<register[4] lane[32] warp[4]>
tile.kernel @chosen(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %odd: i32, %x: i1, %y: i1) {
  %i = tile.iota 0 : tensor<512xi32, #line>
  %as = tile.splat %A : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #line>
  %ps = tile.addptr %as, %i : tensor<512x!tile.ptr<f32>, #line>, tensor<512xi32, #line>
  %xs = tile.splat %x : i1 -> tensor<512xi1, #line>
  %ys = tile.splat %y : i1 -> tensor<512xi1, #line>
  %bound = tile.splat %odd : i32 -> tensor<512xi32, #line>
  %choice = arith.cmpi slt, %i, %bound : tensor<512xi32, #line>
  %mask = arith.select %choice, %xs, %ys : tensor<512xi1, #line>, tensor<512xi1, #line>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: the mask is only known to be the same for 1 in a row}}
  %a = tile.load %ps mask %mask : tensor<512x!tile.ptr<f32>, #line>
  tile.return
}

// -----

// Shared memory: what a thread holds, padding, swizzles, and small tiles.
#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1]>
#columns = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] warp[1,4]>
#tiny = #tile.register_layout<register[1,2] lane*32 warp*4>
#padded = #tile.shared_layout<16x32, pad 1 every 32>
#padded4 = #tile.shared_layout<16x32, pad 4 every 32>
#swizzled = #tile.shared_layout<16x32, swizzle<2,0,5>>
// CHECK-LABEL: tile.kernel @shared
tile.kernel @shared(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x32xf32, #rows>
  %u = tile.splat %x : f32 -> tensor<16x32xf32, #columns>
  %v = tile.splat %x : f32 -> tensor<1x2xf32, #tiny>
  %a = tile.alloc_shared : !tile.shared<16x32xf32, #padded>
  %b = tile.alloc_shared : !tile.shared<16x32xf32, #padded4>
  %c = tile.alloc_shared : !tile.shared<16x32xf32, #swizzled>
  %d = tile.alloc_shared : !tile.shared<1x2xf32, #tile.shared_layout<1x2>>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: padding of 1 element every 32 does not keep vectors of 2 elements whole and aligned}}
  tile.local_store %t, %a : tensor<16x32xf32, #rows>, !tile.shared<16x32xf32, #padded>
  // CHECK: local_store {{.*}} {vector_width = 4 : i64}
  tile.local_store %t, %b : tensor<16x32xf32, #rows>, !tile.shared<16x32xf32, #padded4>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: lane bit 3 moves the access by 33 elements, which is no multiple of 2}}
  tile.local_store %t, %c : tensor<16x32xf32, #rows>, !tile.shared<16x32xf32, #swizzled>
  // expected-remark@+1 {{vector of 1 element, 4 bytes: a thread holds runs of 1 element; what follows is in another lane}}
  tile.local_store %u, %b : tensor<16x32xf32, #columns>, !tile.shared<16x32xf32, #padded4>
  // expected-remark@+1 {{vector of 2 elements, 8 bytes: the tile has only 2 elements}}
  tile.local_store %v, %d : tensor<1x2xf32, #tiny>, !tile.shared<1x2xf32, #tile.shared_layout<1x2>>
  tile.return
}
