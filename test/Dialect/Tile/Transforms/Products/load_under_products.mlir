// What is loaded behind a loop of products is loaded while the last ones run, and what is not.

// RUN: tile-opt --split-input-file --tile-load-under-products %s | FileCheck %s

// A row goes through shared memory, and a part of a second one, behind a store that writes other memory.
// CHECK-LABEL: tile.kernel @rows
// CHECK: scf.for
// CHECK: tile.warpgroup_dot {{.*}} {async}
// CHECK: }
// CHECK-NEXT: %[[B:.*]] = load_view
// CHECK-NEXT: %[[S:.*]] = alloc_shared : !tile.shared<64xf32
// CHECK-NEXT: local_store %[[B]], %[[S]]
// CHECK-NEXT: %[[C:.*]] = local_load %[[S]]
// CHECK-NEXT: %[[D:.*]] = load_view
// CHECK-NEXT: %[[T:.*]] = dot_wait 0
// CHECK-NEXT: addi
// CHECK-NEXT: release
// CHECK-NEXT: expand_dims %[[C]]
// CHECK: store_view
// CHECK-NEXT: store_view %[[D]]

// What the store may have written stays behind it; the row does not.
// CHECK-LABEL: tile.kernel @written
// CHECK: scf.for
// CHECK: local_load
// CHECK-NEXT: dot_wait 0
// CHECK: store_view
// CHECK-NEXT: %[[D:.*]] = load_view
// CHECK-NEXT: store_view %[[D]]

// A tile that is no slot might be another's by then.
// CHECK-LABEL: tile.kernel @no_slot
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: dot_wait 0

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#bars = #tile.shared_layout<2>
#line = #tile.register_layout<lane[32] warp[2] warp*2>
#column = #tile.register_layout<register[1,2] lane[1,4] register[1,8] lane*8 warp*4>
#ofColumn = #tile.register_layout<register[2] lane[4] register[8] lane*8 warp*4>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @rows(%A: !tile.ptr<f16> {tile.divisibility = 16}, %R: !tile.ptr<f32>, %C: !tile.ptr<f32> {tile.disjoint}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %line = tile.view %C, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %w, %w, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.dot_wait 1
      %last = arith.addi %n, %minus : i32
      tile.release %c[%last] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
    %last = arith.addi %sum#1, %minus : i32
    tile.release %c[%last] : !tile.channel<2>
    %b = tile.load_view %r[%c0] : !tile.view<?xf32, [1]> -> tensor<64xf32, #line>
    %t = tile.alloc_shared : !tile.shared<64xf32>
    tile.local_store %b, %t : tensor<64xf32, #line>, !tile.shared<64xf32>
    %u = tile.local_load %t : !tile.shared<64xf32> -> tensor<64xf32, #ofColumn>
    %e = tile.expand_dims %u {axis = 0 : i32} : tensor<64xf32, #ofColumn> -> tensor<1x64xf32, #column>
    %g = tile.broadcast %e : tensor<1x64xf32, #column> -> tensor<64x64xf32, #sums>
    %v = arith.addf %total, %g : tensor<64x64xf32, #sums>
    tile.store_view %v, %to[%c0, %c0] : tensor<64x64xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    %h = tile.load_view %r[%c64] : !tile.view<?xf32, [1]> -> tensor<64xf32, #line>
    tile.store_view %h, %line[%c0] : tensor<64xf32, #line>, !tile.view<?xf32, [1]>
    tile.return
  }
  tile.kernel @written(%A: !tile.ptr<f16> {tile.divisibility = 16}, %R: !tile.ptr<f32>, %C: !tile.ptr<f32>, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %r = tile.view %R, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %line = tile.view %C, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %w, %w, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.dot_wait 1
      %last = arith.addi %n, %minus : i32
      tile.release %c[%last] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
    %last = arith.addi %sum#1, %minus : i32
    tile.release %c[%last] : !tile.channel<2>
    %b = tile.load_view %r[%c0] : !tile.view<?xf32, [1]> -> tensor<64xf32, #line>
    %t = tile.alloc_shared : !tile.shared<64xf32>
    tile.local_store %b, %t : tensor<64xf32, #line>, !tile.shared<64xf32>
    %u = tile.local_load %t : !tile.shared<64xf32> -> tensor<64xf32, #ofColumn>
    %e = tile.expand_dims %u {axis = 0 : i32} : tensor<64xf32, #ofColumn> -> tensor<1x64xf32, #column>
    %g = tile.broadcast %e : tensor<1x64xf32, #column> -> tensor<64x64xf32, #sums>
    %v = arith.addf %total, %g : tensor<64x64xf32, #sums>
    tile.store_view %v, %to[%c0, %c0] : tensor<64x64xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    %h = tile.load_view %r[%c64] : !tile.view<?xf32, [1]> -> tensor<64xf32, #line>
    tile.store_view %h, %line[%c0] : tensor<64xf32, #line>, !tile.view<?xf32, [1]>
    tile.return
  }
  tile.kernel @no_slot(%A: !tile.ptr<f16> {tile.divisibility = 16}, %R: !tile.ptr<f32>, %C: !tile.ptr<f32> {tile.disjoint}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %own = tile.alloc_shared : !tile.shared<64x64xf16, #slot>
    %r = tile.view %R, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %line = tile.view %C, shape [%M], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_tma %amap[%c0, %k], %f : !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n] : !tile.channel<2>
      %w = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %d = tile.warpgroup_dot %own, %w, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.dot_wait 1
      %last = arith.addi %n, %minus : i32
      tile.release %c[%last] : !tile.channel<2>
      %next = arith.addi %n, %n1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
    %last = arith.addi %sum#1, %minus : i32
    tile.release %c[%last] : !tile.channel<2>
    %b = tile.load_view %r[%c0] : !tile.view<?xf32, [1]> -> tensor<64xf32, #line>
    %t = tile.alloc_shared : !tile.shared<64xf32>
    tile.local_store %b, %t : tensor<64xf32, #line>, !tile.shared<64xf32>
    %u = tile.local_load %t : !tile.shared<64xf32> -> tensor<64xf32, #ofColumn>
    %e = tile.expand_dims %u {axis = 0 : i32} : tensor<64xf32, #ofColumn> -> tensor<1x64xf32, #column>
    %g = tile.broadcast %e : tensor<1x64xf32, #column> -> tensor<64x64xf32, #sums>
    %v = arith.addf %total, %g : tensor<64x64xf32, #sums>
    tile.store_view %v, %to[%c0, %c0] : tensor<64x64xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    %h = tile.load_view %r[%c64] : !tile.view<?xf32, [1]> -> tensor<64xf32, #line>
    tile.store_view %h, %line[%c0] : tensor<64xf32, #line>, !tile.view<?xf32, [1]>
    tile.return
  }
}

// -----

// A slot of another channel is waited for and read, and stores of the program before are waited for; what stores in place stays.
// A second slot is too much for the registers of a thread, and is read behind the wait.
// CHECK-LABEL: tile.kernel @slots
// CHECK: tile.warpgroup_dot {{.*}} {async}
// CHECK: }
// CHECK-NEXT: %[[R:.*]] = tile.wait %[[OWN:.*]][%
// CHECK-NEXT: %[[U:.*]] = tile.local_load %[[R]]
// CHECK-NEXT: tile.store_tma_wait {read}
// CHECK-NEXT: %[[Q:.*]] = tile.wait %
// CHECK-NEXT: tile.dot_wait 0
// CHECK: tile.local_store %{{.*}}, %[[R]]
// CHECK-NEXT: tile.store_tma %[[R]]
// CHECK-NEXT: tile.local_load %[[Q]]
// CHECK: tile.store_tma_wait {read}
// CHECK-NEXT: tile.release %[[OWN]][%
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#wide = #tile.shared_layout<64x256, bits [c0..2, c3..5+r0..2, r0..5, c6..7]>
#bars = #tile.shared_layout<2>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,32] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @slots(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %R: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                   %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #sums>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %t = tile.alloc_shared : !tile.shared<2x64x256xf16, #wide>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #bars>
    %c = tile.channel %s, %t mbarriers %bars : !tile.shared<2x64x64xf16, #slot>, !tile.shared<2x64x256xf16, #wide> mbarriers !tile.shared<2x2xi64, #bars> -> !tile.channel<2>
    %rs = tile.alloc_shared : !tile.shared<1x64x256xf16, #wide>
    %rbars = tile.alloc_shared : !tile.shared<1x2xi64, #bars>
    %rc = tile.channel %rs mbarriers %rbars : !tile.shared<1x64x256xf16, #wide> mbarriers !tile.shared<1x2xi64, #bars> -> !tile.channel<1>
    %qs = tile.alloc_shared : !tile.shared<1x64x256xf16, #wide>
    %qbars = tile.alloc_shared : !tile.shared<1x2xi64, #bars>
    %qc = tile.channel %qs mbarriers %qbars : !tile.shared<1x64x256xf16, #wide> mbarriers !tile.shared<1x2xi64, #bars> -> !tile.channel<1>
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %amap = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %to = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %cmap = tile.tensor_map %to {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    %count:2 = scf.for %m = %c0 to %M step %c64 iter_args(%first = %n0, %p = %n0) -> (i32, i32) {
      %sum:2 = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero, %n = %first) -> (tensor<64x256xf32, #sums>, i32) {
        %w:2 = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>, !tile.shared<64x256xf16, #wide>
        %d = tile.warpgroup_dot %w#0, %w#1, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x256xf16, #wide>, tensor<64x256xf32, #sums>
        tile.dot_wait 1
        %last = arith.addi %n, %minus : i32
        tile.release %c[%last] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        scf.yield %d, %next : tensor<64x256xf32, #sums>, i32
      }
      %total = tile.dot_wait 0, %sum#0 : tensor<64x256xf32, #sums>
      %r = tile.wait %rc[%p] : !tile.channel<1> -> !tile.shared<64x256xf16, #wide>
      %u = tile.local_load %r {vector_width = 2 : i64} : !tile.shared<64x256xf16, #wide> -> tensor<64x256xf16, #sums>
      tile.store_tma_wait {read}
      %h = arith.truncf %total : tensor<64x256xf32, #sums> to tensor<64x256xf16, #sums>
      %v = arith.addf %h, %u : tensor<64x256xf16, #sums>
      tile.local_store %v, %r {vector_width = 2 : i64} : tensor<64x256xf16, #sums>, !tile.shared<64x256xf16, #wide>
      tile.store_tma %r, %cmap[%m, %c0] : !tile.shared<64x256xf16, #wide>
      %q = tile.wait %qc[%p] : !tile.channel<1> -> !tile.shared<64x256xf16, #wide>
      %x = tile.local_load %q {vector_width = 2 : i64} : !tile.shared<64x256xf16, #wide> -> tensor<64x256xf16, #sums>
      %y = arith.addf %h, %x : tensor<64x256xf16, #sums>
      tile.local_store %y, %q {vector_width = 2 : i64} : tensor<64x256xf16, #sums>, !tile.shared<64x256xf16, #wide>
      tile.store_tma %q, %cmap[%m, %c64] : !tile.shared<64x256xf16, #wide>
      %pnext = arith.addi %p, %n1 : i32
      tile.store_tma_wait {read}
      tile.release %rc[%p] : !tile.channel<1>
      tile.release %qc[%p] : !tile.channel<1>
      scf.yield %sum#1, %pnext : i32, i32
    }
    %end = arith.addi %count#0, %minus : i32
    tile.release %c[%end] : !tile.channel<2>
    tile.store_tma_wait {read}
    tile.return
  }
}
