// What goes through shared memory to be stored is stored from there by bulk copies, and what is not.

// RUN: split-file %s %t
// RUN: tile-opt --tile-select-tma-stores %t/stores.mlir | FileCheck %s
// RUN: sed -e "s/sm_90a/sm_89/" %t/stores.mlir | tile-opt --tile-select-tma-stores | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-select-tma-stores %t/declined.mlir | FileCheck %s --check-prefix=OFF

// OFF-NOT: tensor_map
// OFF-NOT: store_tma

// CHECK-LABEL: tile.kernel @whole
// CHECK: %[[C:.*]] = view %C
// CHECK-NEXT: %[[MAP:.*]] = tensor_map %[[C]] {box = array<i64: 64, 64>, row_bytes = 128 : i64}
// CHECK: %[[S:.*]] = alloc_shared : !tile.shared<64x128xf16, #{{.*}}>
// CHECK-NEXT: local_store %{{.*}}, %[[S]]
// CHECK-NEXT: store_tma %[[S]], %[[MAP]][%M, %M]
// CHECK-NEXT: store_tma_wait {read}
// CHECK-NEXT: return

// A view that begins where the program says is stored by a map that moves; the places of a mask are the end of the map.
// CHECK-LABEL: tile.kernel @moved
// CHECK: %[[C:.*]] = view %C, shape [64, %{{.*}}], strides
// CHECK-NEXT: %[[MAP:.*]] = tensor_map %[[C]] {box = array<i64: 64, 64>, moves, row_bytes = 128 : i64}
// CHECK: %[[OVER:.*]] = arith.subi %c64
// CHECK: store_tma %{{.*}}, %[[MAP]][%[[OVER]], %M] moved by %

// Halves that go through one tile, one after the other: each waits for the tile. One map serves both.
// CHECK-LABEL: tile.kernel @pieces
// CHECK: %[[MAP:.*]] = tensor_map %
// CHECK-NOT: = tensor_map
// CHECK: %[[LOWER:.*]], %[[UPPER:.*]] = split
// CHECK: local_store %[[LOWER]], %[[S:.*]] :
// CHECK-NEXT: store_tma %[[S]], %[[MAP]][%{{.*}}, %[[N:.*]]]
// CHECK-NEXT: store_tma_wait
// CHECK-NEXT: local_store %[[UPPER]], %[[S]] :
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %c64{{.*}}
// CHECK-NEXT: store_tma %[[S]], %[[MAP]][%{{.*}}, %[[NEXT]]]
// CHECK-NOT: join

// In a loop the first of its stores waits for those of the iteration before; the second, of other elements through a tile of its
// own, for nothing.
// CHECK-LABEL: tile.kernel @apart
// CHECK: scf.for
// CHECK: store_tma_wait
// CHECK: store_tma %[[FIRST:.*]], %
// CHECK-NOT: store_tma_wait
// CHECK: store_tma %[[SECOND:.*]], %
// CHECK: }
// CHECK-NEXT: store_tma_wait {read}

// Programs that one block runs have no order: the next one needs the tiles only, which were read.
// CHECK-LABEL: tile.kernel @programs
// CHECK: scf.for
// CHECK: store_tma_wait {read}
// CHECK: store_tma %
// CHECK-NOT: store_tma_wait
// CHECK: store_tma %
// CHECK: }
// CHECK-NEXT: store_tma_wait {read}

// Within one there is.
// CHECK-LABEL: tile.kernel @programs_over
// CHECK: scf.for
// CHECK: store_tma_wait {read}
// CHECK: store_tma %
// CHECK-NEXT: alloc_shared
// CHECK-NEXT: store_tma_wait{{$}}
// CHECK: store_tma %

// Of elements that may be the same it waits.
// CHECK-LABEL: tile.kernel @over
// CHECK: store_tma %
// CHECK: store_tma_wait
// CHECK: store_tma %

// What else an iteration puts into shared memory may use the same bytes, so the wait is in front of it.
// CHECK-LABEL: tile.kernel @beside
// CHECK: scf.for
// CHECK: %[[IN:.*]] = tile.alloc_shared : !tile.shared<64x64xf16>
// CHECK-NEXT: store_tma_wait
// CHECK-NEXT: local_store %{{.*}}, %[[IN]]
// CHECK: local_load %[[IN]]
// CHECK-NOT: store_tma_wait
// CHECK: store_tma %
// CHECK: store_tma_wait {read}

// Sums of 32 bits that are 64 apart are so when they have wrapped, too.
// CHECK-LABEL: tile.kernel @narrow
// CHECK: scf.for
// CHECK: store_tma_wait
// CHECK: store_tma %
// CHECK-NOT: store_tma_wait
// CHECK: store_tma %
// CHECK: }
// CHECK-NEXT: store_tma_wait {read}

// Each of two warpgroups stores the rows that it has filled.
// CHECK-LABEL: tile.kernel @groups
// CHECK: tensor_map {{.*}} {box = array<i64: 64, 64>, row_bytes = 128 : i64}
// CHECK: store_tma %{{.*}} {warpgroups = 2 : i64} : !tile.shared<128x64xf16

// Where two tiles have no room beside each other, the second is filled when the first was stored; where one has none, threads store.
// CHECK-LABEL: tile.kernel @large
// CHECK: store_tma %
// CHECK: store_tma_wait
// CHECK: store_tma %

//--- stores.mlir
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,16] warp[4,1]>
#half = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#rows = #tile.register_layout<register[1,8] lane[2,16] warp[4,1] register[8,1]>
#half_rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#two = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[8,1]>
#two_rows = #tile.register_layout<register[1,8] lane[4,8] warp[8,1] register[4,1]>
#large = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,32] warp[4,1] register[4,1]>
#large_rows = #tile.register_layout<register[1,8] lane[1,32] warp[4,1] register[64,1]>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @whole(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x128xf16, #sums>
    %s = tile.alloc_shared : !tile.shared<64x128xf16>
    tile.local_store %t, %s : tensor<64x128xf16, #sums>, !tile.shared<64x128xf16>
    %r = tile.local_load %s : !tile.shared<64x128xf16> -> tensor<64x128xf16, #rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x128xf16, #rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  tile.kernel @moved(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %p = tile.program_id 0
    %step = arith.muli %p, %M : index
    %left = arith.subi %M, %p : index
    %base = tile.addptr %C, %step : !tile.ptr<f16>, index
    %c = tile.view %base, shape [%left, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x128xf16, #sums>
    %s = tile.alloc_shared : !tile.shared<64x128xf16>
    tile.local_store %t, %s : tensor<64x128xf16, #sums>, !tile.shared<64x128xf16>
    %r = tile.local_load %s : !tile.shared<64x128xf16> -> tensor<64x128xf16, #rows>
    tile.store_view %r, %c[%c0, %M] : tensor<64x128xf16, #rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  tile.kernel @pieces(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x128xf16, #sums>
    %lower, %upper = split %t axis 1 stride 64 : tensor<64x128xf16, #sums> -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %lower, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %l = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.local_store %upper, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %u = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    %r = tile.join %l, %u axis 1 stride 64 : tensor<64x64xf16, #half_rows>
        -> tensor<64x128xf16, #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1] register[1,2]>>
    tile.store_view %r, %c[%M, %M] : tensor<64x128xf16, #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1] register[1,2]>>,
        !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  tile.kernel @apart(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x64xf16, #half>
    %next = arith.addi %M, %c64 : index
    scf.for %m = %c0 to %M step %c64 {
      %s0 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s0 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r0 = tile.local_load %s0 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r0, %c[%m, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
      %s1 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s1 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r1 = tile.local_load %s1 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r1, %c[%m, %next] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    }
    tile.return
  }

  tile.kernel @programs(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x64xf16, #half>
    %next = arith.addi %M, %c64 : index
    scf.for %m = %c0 to %M step %c64 {
      %s0 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s0 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r0 = tile.local_load %s0 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r0, %c[%m, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
      %s1 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s1 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r1 = tile.local_load %s1 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r1, %c[%m, %next] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    } {tile.programs}
    tile.return
  }

  tile.kernel @programs_over(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x64xf16, #half>
    %next = arith.addi %M, %c32 : index
    scf.for %m = %c0 to %M step %c64 {
      %s0 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s0 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r0 = tile.local_load %s0 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r0, %c[%m, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
      %s1 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s1 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r1 = tile.local_load %s1 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r1, %c[%m, %next] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    } {tile.programs}
    tile.return
  }

  tile.kernel @over(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) {
    %c32 = arith.constant 32 : index
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x64xf16, #half>
    %next = arith.addi %M, %c32 : index
    %s0 = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %t, %s0 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r0 = tile.local_load %s0 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r0, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    %s1 = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %t, %s1 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r1 = tile.local_load %s1 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r1, %c[%M, %next] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  tile.kernel @beside(%A: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                      %M: index {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    scf.for %m = %c0 to %M step %c64 {
      %x = tile.load_view %a[%m, %M] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #half_rows>
      %s0 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %x, %s0 : tensor<64x64xf16, #half_rows>, !tile.shared<64x64xf16>
      %y = tile.local_load %s0 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half>
      %s1 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %y, %s1 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r = tile.local_load %s1 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r, %c[%m, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    }
    tile.return
  }

  tile.kernel @narrow(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}, %N: i32 {tile.divisibility = 8}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %more = arith.constant 64 : i32
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<64x64xf16, #half>
    %sum = arith.addi %N, %more : i32
    %first = arith.index_cast %N : i32 to index
    %wide = arith.extsi %sum : i32 to i64
    %next = arith.index_cast %wide : i64 to index
    scf.for %m = %c0 to %M step %c64 {
      %s0 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s0 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r0 = tile.local_load %s0 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r0, %c[%m, %first] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
      %s1 = tile.alloc_shared : !tile.shared<64x64xf16>
      tile.local_store %t, %s1 : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
      %r1 = tile.local_load %s1 : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
      tile.store_view %r1, %c[%m, %next] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    }
    tile.return
  }

  tile.kernel @groups(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %x: f16, %M: index {tile.divisibility = 8}) attributes {num_warps = 8 : i32} {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<128x64xf16, #two>
    %s = tile.alloc_shared : !tile.shared<128x64xf16>
    tile.local_store %t, %s : tensor<128x64xf16, #two>, !tile.shared<128x64xf16>
    %r = tile.local_load %s : !tile.shared<128x64xf16> -> tensor<128x64xf16, #two_rows>
    tile.store_view %r, %c[%M, %M] : tensor<128x64xf16, #two_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  tile.kernel @large(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %D: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16},
                     %x: f16, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %d = tile.view %D, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.splat %x : f16 -> tensor<256x256xf16, #large>
    %s0 = tile.alloc_shared : !tile.shared<256x256xf16>
    tile.local_store %t, %s0 : tensor<256x256xf16, #large>, !tile.shared<256x256xf16>
    %r0 = tile.local_load %s0 : !tile.shared<256x256xf16> -> tensor<256x256xf16, #large_rows>
    tile.store_view %r0, %c[%M, %M] : tensor<256x256xf16, #large_rows>, !tile.view<?x?xf16, [?, 1]>
    %s1 = tile.alloc_shared : !tile.shared<256x256xf16>
    tile.local_store %t, %s1 : tensor<256x256xf16, #large>, !tile.shared<256x256xf16>
    %r1 = tile.local_load %s1 : !tile.shared<256x256xf16> -> tensor<256x256xf16, #large_rows>
    tile.store_view %r1, %d[%M, %M] : tensor<256x256xf16, #large_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }
}

//--- declined.mlir
#half = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#half_rows = #tile.register_layout<register[1,8] lane[4,8] warp[4,1] register[4,1]>
#columns = #tile.register_layout<register[8,1] lane[8,4] warp[1,4] register[1,4]>
#plain = #tile.shared_layout<64x64>
module attributes {tile.target = "sm_90a"} {
  // Rows begin anywhere.
  tile.kernel @unaligned(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %t: f16, %M: index) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // Another argument may be the same memory, and is read.
  tile.kernel @overlap(%A: !tile.ptr<f16>, %C: !tile.ptr<f16> {tile.divisibility = 16}, %M: index {tile.divisibility = 8}) {
    %a = tile.view %A, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.load_view %a[%M, %M] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // What is stored is read again.
  tile.kernel @again(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %t: f16, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    %u = tile.load_view %c[%M, %M] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #half>
    tile.store_view %u, %c[%M, %M] : tensor<64x64xf16, #half>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // Another program is told that it is stored.
  tile.kernel @told(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %D: !tile.ptr<i32> {tile.disjoint}, %t: f16,
                    %one: i32, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    %old = tile.atomic_rmw add %D, %one : !tile.ptr<i32>
    tile.return
  }

  // So by a flag that others watch.
  tile.kernel @watched(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %D: !tile.ptr<i32> {tile.disjoint}, %t: f16,
                       %one: i32, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.store %D, %one volatile : !tile.ptr<i32>
    tile.return
  }

  // Threads that hold columns would write the tile with conflicts.
  tile.kernel @transposed(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %t: f16, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #columns>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #columns>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // The tile has its layout already.
  tile.kernel @given(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %t: f16, %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16, #plain>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16, #plain>
    %r = tile.local_load %s : !tile.shared<64x64xf16, #plain> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // The shared tile is read by threads too.
  tile.kernel @read(%C: !tile.ptr<f16> {tile.disjoint, tile.divisibility = 16}, %D: !tile.ptr<f16> {tile.disjoint}, %t: f16,
                    %M: index {tile.divisibility = 8}) {
    %c = tile.view %C, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %d = tile.view %D, shape [%M, %M], strides [%M, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %x = tile.splat %t : f16 -> tensor<64x64xf16, #half>
    %s = tile.alloc_shared : !tile.shared<64x64xf16>
    tile.local_store %x, %s : tensor<64x64xf16, #half>, !tile.shared<64x64xf16>
    %r = tile.local_load %s : !tile.shared<64x64xf16> -> tensor<64x64xf16, #half_rows>
    tile.store_view %r, %c[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.store_view %r, %d[%M, %M] : tensor<64x64xf16, #half_rows>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // No tile has a layout yet.
  tile.kernel @not_placed(%C: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %M: index, %N: index) {
    %c0 = arith.constant 0 : index
    %v = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %t = tile.load_view %v[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    tile.store_view %t, %v[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }
}
