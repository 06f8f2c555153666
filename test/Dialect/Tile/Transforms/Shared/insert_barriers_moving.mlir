// Stores of a loop whose blocks lie behind one another need no barrier between its iterations.

// RUN: tile-opt --tile-insert-barriers %s | FileCheck %s

#row = #tile.register_layout<register[4] lane[32] warp[4]>
#square = #tile.register_layout<lane[4,8] warp[4,1] register[2,4]>

// CHECK-LABEL: tile.kernel @by_blocks
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @by_blocks(%y: !tile.ptr<f32>, %n: index, %t: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %v = tile.view %y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %r = tile.splat %t : f32 -> tensor<512xf32, #row>
  scf.for %i = %c0 to %n step %c512 {
    tile.store_view %r, %v[%i] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  tile.return
}

// Blocks that overlap, and one that stays.
// CHECK-LABEL: tile.kernel @overlapping
// CHECK: scf.for
// CHECK: barrier
// CHECK: store_view
tile.kernel @overlapping(%y: !tile.ptr<f32>, %n: index, %t: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c511 = arith.constant 511 : index
  %v = tile.view %y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %r = tile.splat %t : f32 -> tensor<512xf32, #row>
  scf.for %i = %c0 to %n step %c511 {
    tile.store_view %r, %v[%i] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  tile.return
}

// A pointer that moves by a multiple of the block, as programs that share blocks do; the counter has 32 bits.
// CHECK-LABEL: tile.kernel @by_programs
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @by_programs(%y: !tile.ptr<f32>, %n: i32, %t: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : i32
  %first = tile.program_id 0
  %programs = tile.num_programs 0
  %count = arith.index_cast %programs : index to i32
  %apart = arith.muli %count, %c512 : i32
  %begin = arith.index_cast %first : index to i32
  %from = arith.index_cast %begin : i32 to index
  %to = arith.index_cast %n : i32 to index
  %step = arith.index_cast %apart : i32 to index
  %r = tile.splat %t : f32 -> tensor<512xf32, #row>
  scf.for %i = %from to %to step %step {
    %at = arith.index_cast %i : index to i32
    %left = arith.subi %n, %at : i32
    %size = arith.index_cast %left : i32 to index
    %p = tile.addptr %y, %at : !tile.ptr<f32>, i32
    %v = tile.view %p, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    tile.store_view %r, %v[%c0] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  tile.return
}

// By a step of which nothing is known, and by a counter of which only some bits are taken.
// CHECK-LABEL: tile.kernel @by_anything
// CHECK: scf.for
// CHECK: barrier
// CHECK: store_view
// CHECK: scf.for
// CHECK: barrier
// CHECK: store_view
tile.kernel @by_anything(%y: !tile.ptr<f32>, %n: index, %step: index, %t: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %v = tile.view %y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %r = tile.splat %t : f32 -> tensor<512xf32, #row>
  scf.for %i = %c0 to %n step %step {
    tile.store_view %r, %v[%i] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  scf.for %i = %c0 to %n step %c512 {
    %cut = arith.index_cast %i : index to i32
    %at = arith.index_cast %cut : i32 to index
    tile.store_view %r, %v[%at] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  tile.return
}

// Along one dimension that is enough, in the inner loop; the outer one comes back to where it was.
// CHECK-LABEL: tile.kernel @nested
// CHECK: scf.for
// CHECK: barrier
// CHECK: scf.for
// CHECK-NOT: barrier
// CHECK: store_view
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @nested(%y: !tile.ptr<f32>, %n: index, %m: index, %t: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %y, shape [%m, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %r = tile.splat %t : f32 -> tensor<32x32xf32, #square>
  scf.for %k = %c0 to %m step %c1 {
    scf.for %i = %c0 to %n step %c64 {
      tile.store_view %r, %v[%k, %i] : tensor<32x32xf32, #square>, !tile.view<?x?xf32, [?, 1]>
    }
  }
  tile.return
}

// Two blocks an iteration: the second one may lie where the first one of the next does.
// CHECK-LABEL: tile.kernel @pairs
// CHECK: scf.for
// CHECK: barrier
// CHECK: store_view
// CHECK: store_view
tile.kernel @pairs(%y: !tile.ptr<f32>, %n: index, %t: f32) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %v = tile.view %y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %r = tile.splat %t : f32 -> tensor<512xf32, #row>
  scf.for %i = %c0 to %n step %c512 {
    %j = arith.addi %i, %c512 : index
    tile.store_view %r, %v[%i] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
    tile.store_view %r, %v[%j] : tensor<512xf32, #row>, !tile.view<?xf32, [1]>
  }
  tile.return
}
