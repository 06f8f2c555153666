// Slots that products read where they lie are filled by bulk copies, and why others are not.

// RUN: split-file %s %t
// RUN: tile-opt --tile-select-tma %t/loop.mlir | FileCheck %s --check-prefix=LOOP
// RUN: tile-opt --tile-select-tma=enable=false %t/loop.mlir | FileCheck %s --check-prefix=OFF
// RUN: sed -e "s/sm_90a/sm_89/" %t/loop.mlir | tile-opt --tile-select-tma | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-select-tma %t/nest.mlir | FileCheck %s --check-prefix=NEST
// RUN: tile-opt --tile-select-tma --split-input-file --verify-diagnostics %t/declined.mlir -o /dev/null
// RUN: tile-opt --tile-select-tma --split-input-file %t/declined.mlir | FileCheck %s --check-prefix=WHY
// RUN: tile-opt --tile-select-tma=enable=false %t/loop.mlir | FileCheck %s --check-prefix=TURNED
// RUN: sed -e "s/sm_90a/sm_89/" %t/loop.mlir | tile-opt --tile-select-tma=enable=false | FileCheck %s --check-prefix=NOREASON
// RUN: tile-opt --tile-select-tma %t/loop.mlir | FileCheck %s --check-prefix=NOREASON
// RUN: tile-opt --tile-select-tma %t/moved.mlir | FileCheck %s --check-prefix=MOVED
// RUN: tile-opt --tile-select-tma %t/endless.mlir | FileCheck %s --check-prefix=ENDLESS
// RUN: tile-opt --tile-select-tma %t/small.mlir | FileCheck %s --check-prefix=SMALL

// OFF-NOT: tensor_map
// OFF: copy_async

// Why not stays with the tiles, as long as there is something to tell.
// WHY-LABEL: @read_by_threads
// WHY: alloc_shared {tile.copy_reason = "threads read a tile, and no product by wgmma does where it lies"} : !tile.shared<2x64x64xf16
// WHY-LABEL: @loaded
// WHY: alloc_shared {tile.copy_reason = "'tile.load', on which the copies hang, is more than a computation with scalars"}
// TURNED: alloc_shared {tile.copy_reason = "bulk copies are turned off (--tensor-maps=false)"}
// NOREASON-NOT: copy_reason
// NOREASON: tile.kernel @loop
// NOREASON-NOT: copy_reason

// One map serves both copies.
// LOOP-LABEL: tile.kernel @loop
// LOOP: %[[A:.*]] = view %A
// LOOP-NEXT: %[[MAP:.*]] = tensor_map %[[A]] {box = array<i64: 64, 64>, row_bytes = 128 : i64}
// LOOP: %[[S:.*]] = alloc_shared : !tile.shared<2x64x64xf16
// LOOP-NEXT: %[[BARS:.*]] = alloc_shared : !tile.shared<2x2xi64, #{{.*}}>
// LOOP-NEXT: channel %[[S]] mbarriers %[[BARS]]
// LOOP: %[[F:.*]] = {{.*}}acquire
// LOOP-NEXT: copy_tma %[[MAP]][%{{.*}}, %{{.*}}], %[[F]]
// LOOP: scf.for
// LOOP-NOT: copy_async
// LOOP: %[[G:.*]] = tile.acquire
// LOOP-NEXT: tile.copy_tma %[[MAP]][%{{.*}}, %{{.*}}], %[[G]]

// A channel moves out of the loop around, which goes on counting: what released the last slot of each of its iterations is done by
// the next one, and behind it.
// NEST-LABEL: tile.kernel @nest
// NEST: channel %{{.*}} mbarriers
// NEST: %[[COUNT:.*]] = scf.for {{.*}} iter_args(%[[FIRST:.*]] = %{{.*}}) -> (i32)
// NEST: %[[AT:.*]] = arith.addi %[[FIRST]], %{{.*}} : i32
// NEST-NEXT: tile.acquire %{{.*}}[%[[AT]]]
// NEST: %[[SUM:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[N:.*]] = %[[FIRST]])
// NEST: tile.wait %{{.*}}[%[[N]]]
// NEST: tile.release
// NEST: tile.dot_wait 0
// NEST-NOT: release
// NEST: scf.yield %[[SUM]]#1 : i32
// NEST: %[[LAST:.*]] = arith.addi %[[COUNT]], %{{.*}} : i32
// NEST-NEXT: release %{{.*}}[%[[LAST]]]

// A base that hangs on the program moves the map of the argument, which is made once; a block of which not all places are inside
// is a box that reaches over the end of a map of as many places.
// MOVED-LABEL: tile.kernel @moved
// MOVED-COUNT-2: arith.index_cast %K : i32 to index
// MOVED-NEXT: %[[A:.*]] = view %A, shape [64, %{{.*}}], strides [%{{.*}}, 1]
// MOVED-NEXT: %[[MAP:.*]] = tensor_map %[[A]] {box = array<i64: 64, 64>, moves, row_bytes = 128 : i64}
// MOVED-NOT: = tensor_map
// MOVED: %[[B:.*]] = addptr %A, %[[STEP:.*]] :
// MOVED: addptr %[[B]], %[[LEFT:.*]] :
// MOVED: %[[SLOT:.*]] = acquire
// MOVED: %[[MAY:.*]] = arith.minui %[[ROWS:.*]], %
// MOVED: %[[OVER:.*]] = arith.subi %{{.*}}, %[[MAY]]
// MOVED: arith.index_cast %[[LEFT]] : i32 to index
// MOVED: arith.addi %{{.*}}, %[[STEP]]
// MOVED: %[[BACK:.*]] = arith.muli %{{.*}}, %[[ROW:.*]] : index
// MOVED: %[[BY:.*]] = arith.subi %{{.*}}, %[[BACK]]
// MOVED: copy_tma %[[MAP]][%[[OVER]], %{{.*}}] moved by %[[BY]], %[[SLOT]]
// MOVED: copy_tma %[[MAP]][%{{.*}}, %{{.*}}] moved by

// A dimension that no map has room for is one without an end: the map has the places of the block, and moves to where it begins,
// but not to before the view.
// ENDLESS-LABEL: tile.kernel @endless
// ENDLESS: %[[A:.*]] = view %A, shape [64, 64], strides [%{{.*}}, 1]
// ENDLESS-NEXT: %[[MAP:.*]] = tensor_map %[[A]] {box = array<i64: 64, 64>, moves, row_bytes = 128 : i64}
// ENDLESS: %[[SLOT:.*]] = acquire
// ENDLESS: %[[BEFORE:.*]] = arith.minsi %[[PROGRAM:.*]], %
// ENDLESS: %[[INSIDE:.*]] = arith.maxsi %[[PROGRAM]], %
// ENDLESS: %[[BY:.*]] = arith.muli %[[INSIDE]], %{{.*}} : index
// ENDLESS: %[[TO:.*]] = arith.addi %{{.*}}, %[[BY]]
// ENDLESS: copy_tma %[[MAP]][%[[BEFORE]], %{{.*}}] moved by %[[TO]], %[[SLOT]]

// A thread of a small tile has less than 16 bytes, which is nothing to a box: what counts is what is known of addresses.
// SMALL-LABEL: tile.kernel @small
// SMALL: tensor_map %{{.*}} {box = array<i64: 32, 16>, row_bytes = 32 : i64}
// SMALL-NOT: copy_async
// SMALL: copy_tma

//--- small.mlir
#slot = #tile.shared_layout<32x16, swizzle<1,3,3>>
#rows = #tile.register_layout<register[1,4] lane[8,4] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @small(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %K: index {tile.divisibility = 8 : i64}) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x32x16xf16, #slot>
    %c = tile.channel %s : !tile.shared<2x32x16xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<32x16xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 4 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<32x16xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

//--- moved.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @moved(%A: !tile.ptr<f16>, %M: index, %K: i32, %left: i32) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %k = arith.index_cast %K : i32 to index
    %p = tile.program_id 0
    %rows = arith.subi %M, %p : index
    %step = arith.muli %p, %k : index
    %row = tile.addptr %A, %step : !tile.ptr<f16>, index
    %base = tile.addptr %row, %left : !tile.ptr<f16>, i32
    %a = tile.view %base, shape [%rows, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %b = tile.view %base, shape [64, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<64x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %p], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    %g = tile.acquire %c[%n1] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %b[%p, %c0], %g {registers = #rows, vector_width = 8 : i64} : !tile.view<64x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n1] : !tile.channel<2>
    tile.return
  }
}

//--- loop.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @loop(%A: !tile.ptr<f16> {tile.disjoint}, %C: !tile.ptr<f32> {tile.disjoint}, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %any = arith.cmpi sgt, %K, %c0 : index
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    scf.if %any {
      %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
      tile.commit %c[%n0] : !tile.channel<2>
    }
    %sum:2 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
      %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
      %next = arith.addi %n, %n1 : i32
      %ahead = arith.addi %k, %c64 : index
      %more = arith.cmpi slt, %ahead, %K : index
      scf.if %more {
        %f = tile.acquire %c[%next] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_async %a[%c0, %ahead], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
        tile.commit %c[%next] : !tile.channel<2>
      }
      %d = tile.warpgroup_dot %r, %r, %acc : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
      tile.release %c[%n] : !tile.channel<2>
      scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
    }
    tile.return
  }
}

//--- nest.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @nest(%A: !tile.ptr<f16> {tile.disjoint}, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %before = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %any = arith.cmpi sgt, %K, %c0 : index
    scf.for %m = %c0 to %M step %c64 {
      %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
      %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
      scf.if %any {
        %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        tile.copy_async %a[%m, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
        tile.commit %c[%n0] : !tile.channel<2>
      }
      %sum:2 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %n = %n0) -> (tensor<64x64xf32, #sums>, i32) {
        %r = tile.wait %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
        %d = tile.warpgroup_dot %r, %r, %acc {async} : !tile.shared<64x64xf16, #slot>, !tile.shared<64x64xf16, #slot>, tensor<64x64xf32, #sums>
        tile.dot_wait 1
        %last = arith.addi %n, %before : i32
        tile.release %c[%last] : !tile.channel<2>
        %next = arith.addi %n, %n1 : i32
        %ahead = arith.addi %k, %c64 : index
        %more = arith.cmpi slt, %ahead, %K : index
        scf.if %more {
          %f = tile.acquire %c[%next] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
          tile.copy_async %a[%m, %ahead], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
          tile.commit %c[%next] : !tile.channel<2>
        }
        scf.yield %d, %next : tensor<64x64xf32, #sums>, i32
      }
      %total = tile.dot_wait 0, %sum#0 : tensor<64x64xf32, #sums>
      %last = arith.addi %sum#1, %before : i32
      tile.release %c[%last] : !tile.channel<2>
    }
    tile.return
  }
}

//--- declined.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @read_by_threads(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: threads read a tile, and no product by wgmma does where it lies}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    %r = tile.wait %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    %t = tile.local_load %r {vector_width = 8 : i64} : !tile.shared<64x64xf16, #slot> -> tensor<64x64xf16, #rows>
    tile.release %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @narrow(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: base and strides are not known to be multiples of 16 bytes: the base A is only known to be a multiple of 2 bytes}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 4 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @one_stage(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<1x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: one stage leaves nothing to fill ahead}}
    %c = tile.channel %s : !tile.shared<1x64x64xf16, #slot> -> !tile.channel<1>
    %f = tile.acquire %c[%n0] : !tile.channel<1> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<1>
    tile.return
  }
}

// -----

#plain = #tile.shared_layout<64x64>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @layout(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #plain>
    // expected-remark@+1 {{is not filled by bulk copies: the layout of a tile is none that bulk copies write}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #plain> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #plain>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #plain>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @of_a_program(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %p = tile.program_id 0
    %rows = arith.addi %M, %p : index
    %a = tile.view %A, shape [%rows, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: the extent of dimension 0 is what 'arith.addi' gives, which a launch does not know, and the block does not begin at 0}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%p, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @stride_of_a_program(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %p = tile.program_id 0
    %row = arith.addi %K, %p : index
    %a = tile.view %A, shape [%M, %K], strides [%row, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: the stride of dimension 0 is what 'arith.addi' gives, which a launch does not know}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @either(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %p = tile.program_id 0
    %isFirst = arith.cmpi eq, %p, %c0 : index
    %base = arith.select %isFirst, %A, %B : !tile.ptr<f16>
    %a = tile.view %base, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: the base of a view is what 'arith.select' gives, and no argument plus offsets}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

#slot = #tile.shared_layout<1x1x64x64, bits [d3.0..2, d3.3..5+d2.0..2, d2.0..5]>
#rows = #tile.register_layout<register[1,1,1,8] lane[1,1,4,8] warp[1,1,4,1] register[1,1,4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @rank(%A: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %p = tile.program_id 0
    %base = tile.addptr %A, %p : !tile.ptr<f16>, index
    %a = tile.view %base, shape [1, 1, %M, %K], strides [%M, %M, %K, 1] : !tile.ptr<f16> -> !tile.view<1x1x?x?xf16, [?, ?, ?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x1x1x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: a view has 4 dimensions, and a map of it up to 3}}
    %c = tile.channel %s : !tile.shared<2x1x1x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<1x1x64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0, %c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<1x1x?x?xf16, [?, ?, ?, 1]>, !tile.shared<1x1x64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

// Copies would overtake the store: what is written may be what they read.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @written(%A: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf16, #rows>
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %out = tile.view %C, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    tile.store_view %zero, %out[%c0, %c0] {vector_width = 8 : i64} : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: the kernel may write what the copies read}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%c0, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

// -----

// What the copies hang on is loaded: the role that copies has no memory to look at.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @loaded(%A: !tile.ptr<f16>, %I: !tile.ptr<i32>, %M: index, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %i = tile.load %I : !tile.ptr<i32>
    %at = arith.index_cast %i : i32 to index
    %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    // expected-remark@+1 {{is not filled by bulk copies: 'tile.load', on which the copies hang, is more than a computation with scalars}}
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%at, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}

//--- endless.mlir
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @endless(%A: !tile.ptr<f16>, %K: index) {
    %c0 = arith.constant 0 : index
    %n0 = arith.constant 0 : i32
    %p = tile.program_id 0
    %a = tile.view %A, shape [4611686018427387904, 4611686018427387904], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<4611686018427387904x4611686018427387904xf16, [?, 1]>
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %c = tile.channel %s : !tile.shared<2x64x64xf16, #slot> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_async %a[%p, %c0], %f {registers = #rows, vector_width = 8 : i64} : !tile.view<4611686018427387904x4611686018427387904xf16, [?, 1]>, !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    tile.return
  }
}
