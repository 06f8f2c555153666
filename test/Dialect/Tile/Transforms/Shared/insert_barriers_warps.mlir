// Lanes wait for their own warp where it alone touches the bytes.

// RUN: tile-opt --tile-insert-barriers --split-input-file %s | FileCheck %s

// Rows by vectors and by elements, four rows a warp.
#vectors = #tile.register_layout<register[4,4] lane[1,32] warp[4,1]>
#elements = #tile.register_layout<lane[1,32] register[4,4] warp[4,1]>
#s = #tile.shared_layout<16x128>
!shared = !tile.shared<16x128xf32, #s>

// CHECK-LABEL: tile.kernel @exchange
// CHECK: local_store
// CHECK-NEXT: barrier {each_warp}
// CHECK-NEXT: local_load
// CHECK-NEXT: barrier {each_warp}
// CHECK-NEXT: local_store
// CHECK-NEXT: barrier {each_warp}
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
tile.kernel @exchange(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x128xf32, #elements>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  // In the same bytes, and lies alike.
  %again = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<16x128xf32, #elements>, !shared
  %u = tile.local_load %s : !shared -> tensor<16x128xf32, #vectors>
  tile.local_store %t, %again : tensor<16x128xf32, #elements>, !shared
  %v = tile.local_load %again : !shared -> tensor<16x128xf32, #vectors>
  tile.return
}

// -----

#vectors = #tile.register_layout<register[4,4] lane[1,32] warp[4,1]>
#elements = #tile.register_layout<lane[1,32] register[4,4] warp[4,1]>
#spread = #tile.register_layout<lane[1,32] warp[4,1] register[4,4]>
#s = #tile.shared_layout<16x128>
!shared = !tile.shared<16x128xf32, #s>

// A warp loads every fourth row, which others have stored.
// CHECK-LABEL: tile.kernel @other_rows
// CHECK: local_store
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_load
// CHECK: local_store
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_load
tile.kernel @other_rows(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x128xf32, #elements>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<16x128xf32, #elements>, !shared
  %u = tile.local_load %s : !shared -> tensor<16x128xf32, #spread>
  %w = tile.splat %x : f32 -> tensor<16x128xf32, #spread>
  tile.local_store %w, %s : tensor<16x128xf32, #spread>, !shared
  %v = tile.local_load %s : !shared -> tensor<16x128xf32, #vectors>
  tile.return
}

// -----

#vectors = #tile.register_layout<register[4,4] lane[1,32] warp[4,1]>
#elements = #tile.register_layout<lane[1,32] register[4,4] warp[4,1]>
#s = #tile.shared_layout<16x128>
#padded = #tile.shared_layout<16x128, pad 4 every 128>
!shared = !tile.shared<16x128xf32, #s>
!padded = !tile.shared<16x128xf32, #padded>

// The same bytes, but other elements in them.
// CHECK-LABEL: tile.kernel @other_layout
// CHECK: local_store
// CHECK-NEXT: barrier {each_warp}
// CHECK-NEXT: local_load
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_store
tile.kernel @other_layout(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16x128xf32, #elements>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  %p = tile.alloc_shared {offset = 0 : i64} : !padded
  tile.local_store %t, %s : tensor<16x128xf32, #elements>, !shared
  %u = tile.local_load %s : !shared -> tensor<16x128xf32, #vectors>
  tile.local_store %t, %p : tensor<16x128xf32, #elements>, !padded
  tile.return
}

// -----

#vectors = #tile.register_layout<register[4,4] lane[1,32] warp[4,1]>
#elements = #tile.register_layout<lane[1,32] register[4,4] warp[4,1]>
#s = #tile.shared_layout<16x128>
!shared = !tile.shared<16x128xf32, #s>

// Before a loop it is of the warp, too.
// CHECK-LABEL: tile.kernel @before_loop
// CHECK: local_store
// CHECK-NEXT: barrier {each_warp}
// CHECK-NEXT: scf.for
// CHECK-NOT: barrier
tile.kernel @before_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<16x128xf32, #elements>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<16x128xf32, #elements>, !shared
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.local_load %s : !shared -> tensor<16x128xf32, #vectors>
  }
  tile.return
}

// -----

#vectors = #tile.register_layout<register[4,4] lane[1,32] warp[4,1]>
#elements = #tile.register_layout<lane[1,32] register[4,4] warp[4,1]>
#spread = #tile.register_layout<lane[1,32] warp[4,1] register[4,4]>
#s = #tile.shared_layout<16x128>
!shared = !tile.shared<16x128xf32, #s>

// A store waits for its warp's load, and from the second iteration on for loads of other warps: one barrier does for both.
// CHECK-LABEL: tile.kernel @around_loop
// CHECK: scf.for
// CHECK-NEXT: local_load
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_store
// CHECK-NEXT: barrier{{$}}
// CHECK-NEXT: local_load
tile.kernel @around_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<16x128xf32, #elements>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared
  tile.local_store %t, %s : tensor<16x128xf32, #elements>, !shared
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.local_load %s : !shared -> tensor<16x128xf32, #vectors>
    tile.local_store %t, %s : tensor<16x128xf32, #elements>, !shared
    %v = tile.local_load %s : !shared -> tensor<16x128xf32, #spread>
  }
  tile.return
}

// -----

// What is written by hand stays.
// CHECK-LABEL: tile.kernel @by_hand
// CHECK: barrier {each_warp}
// CHECK-NEXT: barrier{{$}}
tile.kernel @by_hand() {
  tile.barrier {each_warp}
  tile.barrier
  tile.return
}

// Nothing needs to stand behind a barrier.
// CHECK-LABEL: tile.kernel @at_the_end
// CHECK: roles main {
// CHECK-NEXT: barrier {warps = 4 : i32}
// CHECK-NEXT: } copy {
tile.kernel @at_the_end() attributes {num_warps = 4 : i32, copy_warps = 1 : i32} {
  tile.roles main {
    tile.barrier {warps = 4 : i32}
  } copy {
  }
  tile.return
}
