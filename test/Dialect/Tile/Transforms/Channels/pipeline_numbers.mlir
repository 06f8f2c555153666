// Loads whose places hang on numbers that the loop loads run ahead by numbers that are loaded one iteration earlier.

// RUN: split-file %s %t
// RUN: tile-opt --tile-pipeline %t/pages.mlir | FileCheck %s
// RUN: tile-opt --tile-specialize=num-stages=1 --tile-pipeline %t/pages.mlir | FileCheck %s --check-prefix=ONE
// RUN: tile-opt --tile-pipeline %t/stay.mlir | FileCheck %s --check-prefix=STAY

// In front of the loop the numbers of three iterations, where there are such.
// CHECK-LABEL: tile.kernel @pages
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %[[LAST:.*]] : index
// CHECK-NEXT: %[[FIRST:.*]] = scf.if %[[ANY]] -> (i32) {
// CHECK: %[[LOADED:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: scf.yield %[[LOADED]] : i32
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}} : i32
// CHECK: %[[SECOND:.*]] = scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: %[[THIRD:.*]] = scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[FIRST]] : i32 to index
// CHECK: tile.copy_async %{{.*}}[%[[PLACE]], %{{.*}}],
// CHECK: %[[PLACE2:.*]] = arith.index_cast %[[SECOND]] : i32 to index
// CHECK: tile.copy_async %{{.*}}[%[[PLACE2]], %{{.*}}],
// The loop carries the number of the iteration that is filled, and loads the next.
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}, %[[PAGE:.*]] = %[[THIRD]])
// CHECK: tile.wait
// CHECK: %[[PLACE3:.*]] = arith.index_cast %[[PAGE]] : i32 to index
// CHECK: tile.copy_async %{{.*}}[%[[PLACE3]], %{{.*}}],
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: arith.muli %{{.*}}, %[[THREE]]
// CHECK: %[[NEXT:.*]] = scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[PAGE]] : i32
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]

// ONE-NOT: channel

// Not by numbers that hang on other such numbers, that the loop may write or wait for, or whose places it computes.
// STAY-LABEL: tile.kernel @twice
// STAY-NOT: copy_async
// STAY-LABEL: tile.kernel @written
// STAY-NOT: copy_async
// STAY-LABEL: tile.kernel @waited_for
// STAY-NOT: copy_async
// STAY-LABEL: tile.kernel @carried
// STAY-NOT: copy_async
// Nor in front of an assertion, behind which alone they may be there; of one that always holds no code is made.
// STAY-LABEL: tile.kernel @asserted
// STAY-NOT: copy_async
// STAY-LABEL: tile.kernel @asserted_always
// STAY: copy_async
// Rows of which others tell that they are there.
// STAY-LABEL: tile.kernel @heard
// STAY-NOT: copy_async
// STAY-LABEL: tile.kernel @seen
// STAY-NOT: copy_async

//--- pages.mlir
#r = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
tile.kernel @pages(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %list: !tile.ptr<i32>, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf16, #r>
  %acc = scf.for %i = %c0 to %K step %c1 iter_args(%sum = %zero) -> (tensor<64x32xf16, #r>) {
    %p = tile.addptr %list, %i : !tile.ptr<i32>, index
    %page = tile.load %p : !tile.ptr<i32>
    %row = arith.index_cast %page : i32 to index
    %t = tile.load_view %a[%row, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
    %next = arith.addf %sum, %u : tensor<64x32xf16, #r>
    scf.yield %next : tensor<64x32xf16, #r>
  }
  tile.return
}

//--- stay.mlir
#r = #tile.register_layout<register[1,8] lane[8,4] warp[4,1] register[2,1]>
tile.kernel @twice(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %list: !tile.ptr<i32>, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %K step %c1 {
    %p = tile.addptr %list, %i : !tile.ptr<i32>, index
    %page = tile.load %p : !tile.ptr<i32>
    %p2 = tile.addptr %list, %page : !tile.ptr<i32>, i32
    %page2 = tile.load %p2 : !tile.ptr<i32>
    %row = arith.index_cast %page2 : i32 to index
    %t = tile.load_view %a[%row, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
  }
  tile.return
}
tile.kernel @written(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %list: !tile.ptr<i32> {tile.disjoint}, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %K step %c1 {
    %p = tile.addptr %list, %i : !tile.ptr<i32>, index
    %page = tile.load %p : !tile.ptr<i32>
    %row = arith.index_cast %page : i32 to index
    %t = tile.load_view %a[%row, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
    tile.store %p, %page : !tile.ptr<i32>
  }
  tile.return
}
tile.kernel @waited_for(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %list: !tile.ptr<i32> {tile.disjoint}, %flags: !tile.ptr<i32> {tile.disjoint}, %one: i32, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %K step %c1 {
    %flag = tile.atomic_rmw add %flags, %one order acquire : !tile.ptr<i32>
    %p = tile.addptr %list, %i : !tile.ptr<i32>, index
    %page = tile.load %p : !tile.ptr<i32>
    %row = arith.index_cast %page : i32 to index
    %t = tile.load_view %a[%row, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
  }
  tile.return
}
tile.kernel @carried(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %list: !tile.ptr<i32>, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %last = scf.for %i = %c0 to %K step %c1 iter_args(%before = %i0) -> (i32) {
    %p = tile.addptr %list, %before : !tile.ptr<i32>, i32
    %page = tile.load %p : !tile.ptr<i32>
    %row = arith.index_cast %page : i32 to index
    %t = tile.load_view %a[%row, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
    scf.yield %page : i32
  }
  tile.return
}
tile.kernel @asserted(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  scf.for %i = %c0 to %K step %c1 {
    %inside = arith.cmpi slt, %i, %M : index
    tile.assert %inside, "there is such a row" : i1
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
  }
  tile.return
}
tile.kernel @asserted_always(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  scf.for %i = %c0 to %K step %c1 {
    %inside = arith.cmpi slt, %i, %M : index
    tile.assert %true, "there is such a row" : i1
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
  }
  tile.return
}
tile.kernel @heard(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %flag: !tile.ptr<i32>, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %K step %c1 {
    scf.while : () -> () {
      %n = tile.atomic_rmw add %flag, %one order acquire : !tile.ptr<i32>
      %waits = arith.cmpi slt, %n, %one : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
  }
  tile.return
}
tile.kernel @seen(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %flag: !tile.ptr<i32>, %M: index, %K: index {tile.divisibility = 8 : i64}) {
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %K step %c1 {
    scf.while : () -> () {
      %n = tile.load %flag volatile : !tile.ptr<i32>
      %waits = arith.cmpi slt, %n, %one : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    %t = tile.load_view %a[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16, #r>
    %s = tile.alloc_shared : !tile.shared<64x32xf16>
    tile.local_store %t, %s : tensor<64x32xf16, #r>, !tile.shared<64x32xf16>
    %u = tile.local_load %s : !tile.shared<64x32xf16> -> tensor<64x32xf16, #r>
  }
  tile.return
}
