// The way of a layout conversion through shared memory.

// RUN: tile-opt --tile-lower-conversions --split-input-file %s | FileCheck %s

#rows = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
#columns = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[1,2]>
// CHECK-LABEL: tile.kernel @between_warps
// CHECK: %[[T:.*]] = splat
// CHECK-NEXT: %[[S:.*]] = alloc_shared : !tile.shared<32x32xf32>
// CHECK-NEXT: local_store %[[T]], %[[S]] : tensor<32x32xf32, #[[ROWS:.*]]>, !tile.shared<32x32xf32>
// CHECK-NEXT: local_load %[[S]] : !tile.shared<32x32xf32> -> tensor<32x32xf32, #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[1,2]>>
// CHECK-NOT: convert_layout
tile.kernel @between_warps(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x32xf32, #rows>
  %u = tile.convert_layout %t : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  tile.return
}

// -----

// Registers of one thread only change their order: nothing to stage.
#a = #tile.register_layout<lane[32,1] warp[1,4] register[1,4]>
#b = #tile.register_layout<32x16, register = [[0, 8], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>
// CHECK-LABEL: tile.kernel @within_threads
// CHECK-NOT: alloc_shared
// CHECK: convert_layout
tile.kernel @within_threads(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x16xf32, #a>
  %u = tile.convert_layout %t : tensor<32x16xf32, #a> -> tensor<32x16xf32, #b>
  tile.return
}

// -----

// One thread's copy is another's: from all to some is no move, from some to all is.
#some = #tile.register_layout<lane[32] warp[4]>
#all = #tile.register_layout<register[4] lane[32] warp*4>
// CHECK-LABEL: tile.kernel @copies
// CHECK: alloc_shared : !tile.shared<128xf32>
// CHECK-NOT: convert_layout
tile.kernel @copies(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<128xf32, #some>
  %u = tile.convert_layout %t : tensor<128xf32, #some> -> tensor<128xf32, #all>
  tile.return
}

// -----

// A mask goes as bytes, an index tile as i64: memory has no other size for them.
#a = #tile.register_layout<lane[32] warp[4]>
#b = #tile.register_layout<warp[4] lane[32]>
// CHECK-LABEL: tile.kernel @narrow
// CHECK: %[[WIDE:.*]] = arith.extui {{.*}} : tensor<128xi1, #[[A:.*]]> to tensor<128xi8, #[[A]]>
// CHECK: local_store %[[WIDE]], %{{.*}} : {{.*}}, !tile.shared<128xi8>
// CHECK: %[[LOADED:.*]] = local_load {{.*}} -> tensor<128xi8, #[[B:.*]]>
// CHECK: arith.trunci %[[LOADED]] : tensor<128xi8, #[[B]]> to tensor<128xi1, #[[B]]>
// CHECK: arith.index_cast {{.*}} : tensor<128xindex, #[[A]]> to tensor<128xi64, #[[A]]>
// CHECK: !tile.shared<128xi64>
// CHECK: arith.index_cast {{.*}} : tensor<128xi64, #[[B]]> to tensor<128xindex, #[[B]]>
// CHECK-NOT: convert_layout
tile.kernel @narrow(%c: i1, %i: index) {
  %m = tile.splat %c : i1 -> tensor<128xi1, #a>
  %n = tile.convert_layout %m : tensor<128xi1, #a> -> tensor<128xi1, #b>
  %j = tile.splat %i : index -> tensor<128xindex, #a>
  %k = tile.convert_layout %j : tensor<128xindex, #a> -> tensor<128xindex, #b>
  tile.return
}

// -----

// In a loop and in a branch the tile stands where the conversion stood.
#a = #tile.register_layout<lane[32] warp[4]>
#b = #tile.register_layout<warp[4] lane[32]>
// CHECK-LABEL: tile.kernel @nested
// CHECK: scf.for
// CHECK:   alloc_shared
// CHECK: scf.if
// CHECK:   alloc_shared
tile.kernel @nested(%x: f32, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<128xf32, #a>
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.convert_layout %t : tensor<128xf32, #a> -> tensor<128xf32, #b>
  }
  scf.if %c {
    %u = tile.convert_layout %t : tensor<128xf32, #a> -> tensor<128xf32, #b>
  }
  tile.return
}

// -----

// What a warp has already: by shuffles, which take no shared memory.
#a = #tile.register_layout<register[4] lane[32] warp[4]>
#b = #tile.register_layout<register[2] lane[32] register[2] warp[4]>
// CHECK-LABEL: tile.kernel @within_warps
// CHECK-NOT: alloc_shared
// CHECK: convert_layout
tile.kernel @within_warps(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<512xf32, #a>
  %u = tile.convert_layout %t : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tile.return
}

// -----

// Shared memory moves 16 bytes a lane without a conflict: where each lane has much
// to send and to select, it is cheaper.
#a = #tile.register_layout<register[1,32] lane[32,1] warp[1,4]>
#b = #tile.register_layout<register[32,1] lane[1,32] warp[1,4]>
// CHECK-LABEL: tile.kernel @too_many_shuffles
// CHECK: alloc_shared
// CHECK-NOT: convert_layout
tile.kernel @too_many_shuffles(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<32x128xf32, #a>
  %u = tile.convert_layout %t : tensor<32x128xf32, #a> -> tensor<32x128xf32, #b>
  tile.return
}

// -----

// Pointers have no other way.
#a = #tile.register_layout<register[1,32] lane[32,1] warp[1,4]>
#b = #tile.register_layout<register[32,1] lane[1,32] warp[1,4]>
// CHECK-LABEL: tile.kernel @pointers
// CHECK-NOT: alloc_shared
// CHECK: convert_layout
tile.kernel @pointers(%A: !tile.ptr<f32>) {
  %t = tile.splat %A : !tile.ptr<f32> -> tensor<32x128x!tile.ptr<f32>, #a>
  %u = tile.convert_layout %t : tensor<32x128x!tile.ptr<f32>, #a> -> tensor<32x128x!tile.ptr<f32>, #b>
  tile.return
}

// -----

// An operand of a product is staged, for ldmatrix and asynchronous copies, however few the shuffles.
#acc = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
#b = #tile.register_layout<register[2,1] lane[4,1] lane[1,8] register[2,1] register[1,2]>
#loaded = #tile.register_layout<register[1,8] lane[16,2]>
// CHECK-LABEL: tile.kernel @operand
// CHECK: alloc_shared : !tile.shared<16x16xf16>
// CHECK: local_load {{.*}} {matrix}
// CHECK: dot
tile.kernel @operand(%x: f16, %z: f32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f16 -> tensor<16x16xf16, #loaded>
  %u = tile.convert_layout %t : tensor<16x16xf16, #loaded> -> tensor<16x16xf16, #a>
  %b = tile.splat %x : f16 -> tensor<16x16xf16, #b>
  %c = tile.splat %z : f32 -> tensor<16x16xf32, #acc>
  %d = tile.dot %u, %b, %c : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

// What is loaded in a loop may become an asynchronous copy, if it goes into a shared tile.
#a = #tile.register_layout<register[4] lane[32] warp[4]>
#b = #tile.register_layout<register[2] lane[32] register[2] warp[4]>
// CHECK-LABEL: tile.kernel @runs_ahead
// CHECK: scf.for
// CHECK: %[[T:.*]] = tile.load_view
// CHECK: alloc_shared
// CHECK: tile.local_store %[[T]]
tile.kernel @runs_ahead(%A: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  scf.for %i = %c0 to %n step %c512 {
    %t = tile.load_view %a[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #a>
    %u = tile.convert_layout %t : tensor<512xf32, #a> -> tensor<512xf32, #b>
  }
  tile.return
}

// -----

// One stage: nothing runs ahead, and shuffles take fewer cycles.
#a = #tile.register_layout<register[4] lane[32] warp[4]>
#b = #tile.register_layout<register[2] lane[32] register[2] warp[4]>
// CHECK-LABEL: tile.kernel @one_stage
// CHECK-NOT: alloc_shared
// CHECK: convert_layout
tile.kernel @one_stage(%A: !tile.ptr<f32>, %n: index) attributes {num_stages = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  scf.for %i = %c0 to %n step %c512 {
    %t = tile.load_view %a[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #a>
    %u = tile.convert_layout %t : tensor<512xf32, #a> -> tensor<512xf32, #b>
  }
  tile.return
}

// -----

// A loop that stores to global memory is not pipelined.
#a = #tile.register_layout<register[4] lane[32] warp[4]>
#b = #tile.register_layout<register[2] lane[32] register[2] warp[4]>
// CHECK-LABEL: tile.kernel @stores
// CHECK-NOT: alloc_shared
// CHECK: convert_layout
tile.kernel @stores(%A: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  scf.for %i = %c0 to %n step %c512 {
    %t = tile.load_view %a[%i] : !tile.view<?xf32, [1]> -> tensor<512xf32, #a>
    %u = tile.convert_layout %t : tensor<512xf32, #a> -> tensor<512xf32, #b>
    tile.store_view %u, %a[%i] : tensor<512xf32, #b>, !tile.view<?xf32, [1]>
  }
  tile.return
}

// -----

// What is stored changes threads right before it is, so that the first store is under way by the second one's turn.
#have = #tile.register_layout<register[8] lane[32] warp[4]>
#want = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
// CHECK-LABEL: tile.kernel @stored
// CHECK: local_store
// CHECK: local_load
// CHECK: store_view
// CHECK: local_store
// CHECK: local_load
// CHECK: store_view
tile.kernel @stored(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = tile.view %X, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %b = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %t = tile.splat %x : f32 -> tensor<1024xf32, #have>
  %v = tile.convert_layout %t : tensor<1024xf32, #have> -> tensor<1024xf32, #want>
  %s = arith.addf %t, %t : tensor<1024xf32, #have>
  %u = tile.convert_layout %s : tensor<1024xf32, #have> -> tensor<1024xf32, #want>
  tile.store_view %u, %a[%c0] : tensor<1024xf32, #want>, !tile.view<1024xf32, [1]>
  tile.store_view %v, %b[%c0] : tensor<1024xf32, #want>, !tile.view<1024xf32, [1]>
  tile.return
}

// -----

// What a loop over rows has added up is stored once, by the warps that have it: their lanes change
// elements, so that the loop has all of shared memory.
#sums = #tile.register_layout<register[8] lane[32] warp[4]>
#stored = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
// CHECK-LABEL: tile.kernel @sums_behind_rows
// CHECK-NOT: alloc_shared
// CHECK: %[[U:.*]] = convert_layout %{{.*}} : {{.*}} -> tensor<1024xf32, #tile.register_layout<register[4] lane[32] register[2] warp[4]>>
// CHECK: store_view %[[U]]
// CHECK: return
tile.kernel @sums_behind_rows(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %X, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %t = tile.splat %x : f32 -> tensor<1024xf32, #sums>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %t) -> tensor<1024xf32, #sums> {
    %r = tile.reduce %sum axis 0 : tensor<1024xf32, #sums> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %rs = tile.splat %r : f32 -> tensor<1024xf32, #sums>
    %next = arith.addf %sum, %rs : tensor<1024xf32, #sums>
    scf.yield %next : tensor<1024xf32, #sums>
  }
  %u = tile.convert_layout %s : tensor<1024xf32, #sums> -> tensor<1024xf32, #stored>
  tile.store_view %u, %v[%c0] : tensor<1024xf32, #stored>, !tile.view<1024xf32, [1]>
  tile.return
}

// -----

// Single elements of an array that begins anywhere, which are far apart, change threads.
#sums = #tile.register_layout<register[8] lane[32] warp[4]>
#stored = #tile.register_layout<lane[32] warp[4] register[8]>
// CHECK-LABEL: tile.kernel @elements_behind_rows
// CHECK: alloc_shared
// CHECK: return
tile.kernel @elements_behind_rows(%X: !tile.ptr<f32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %X, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %t = tile.splat %x : f32 -> tensor<1024xf32, #sums>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %t) -> tensor<1024xf32, #sums> {
    %r = tile.reduce %sum axis 0 : tensor<1024xf32, #sums> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %rs = tile.splat %r : f32 -> tensor<1024xf32, #sums>
    %next = arith.addf %sum, %rs : tensor<1024xf32, #sums>
    scf.yield %next : tensor<1024xf32, #sums>
  }
  %u = tile.convert_layout %s : tensor<1024xf32, #sums> -> tensor<1024xf32, #stored>
  tile.store_view %u, %v[%c0] : tensor<1024xf32, #stored>, !tile.view<1024xf32, [1]>
  tile.return
}

// -----

// What goes to two layouts is stored once, and read from there by both.
#loaded = #tile.register_layout<register[1,4] lane[4,8] warp[4,1] register[2,1]>
#first = #tile.register_layout<register[4,1] lane[8,1] lane[1,4] warp[1,4] register[1,2]>
#second = #tile.register_layout<lane[32,1] warp[1,4] register[1,8]>
// CHECK-LABEL: tile.kernel @two_readers
// CHECK: %[[S:.*]] = alloc_shared : !tile.shared<32x32xf32>
// CHECK-NEXT: local_store %{{.*}}, %[[S]]
// CHECK-NEXT: local_load %[[S]] : {{.*}} lane[8,1] lane[1,4]
// CHECK-NOT: alloc_shared
// CHECK: local_load %[[S]] : {{.*}}<lane[32,1]
// CHECK-NOT: alloc_shared
// Another tile has another place.
// CHECK: alloc_shared
tile.kernel @two_readers(%x: f32, %y: f32) {
  %t = tile.splat %x : f32 -> tensor<32x32xf32, #loaded>
  %u = tile.convert_layout %t : tensor<32x32xf32, #loaded> -> tensor<32x32xf32, #first>
  %w = tile.convert_layout %t : tensor<32x32xf32, #loaded> -> tensor<32x32xf32, #second>
  %o = tile.splat %y : f32 -> tensor<32x32xf32, #loaded>
  %p = tile.convert_layout %o : tensor<32x32xf32, #loaded> -> tensor<32x32xf32, #first>
  tile.return
}
