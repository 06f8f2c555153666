// Two stages that take turns in the iterations of a loop: each iteration has its own.

// RUN: tile-opt --tile-insert-barriers %s | FileCheck %s

#parts = #tile.register_layout<lane*32 warp[4]>
#all = #tile.register_layout<register[4] lane*32 warp*4>
#s = #tile.shared_layout<4>

// Between what is stored and what is read, and nowhere else.
// CHECK-LABEL: tile.kernel @turns
// CHECK: scf.for
// CHECK-NOT: barrier
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
// CHECK-NOT: barrier
// CHECK: return
tile.kernel @turns(%X: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<4xf32, #parts>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x4xf32, #s>
  scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
    %stage = tile.subview %s[%turn] : !tile.shared<2x4xf32, #s> -> !tile.shared<4xf32, #s>
    tile.local_store %x, %stage : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %y = tile.local_load %stage : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %next = arith.subi %c1, %turn : index
    scf.yield %next : index
  }
  tile.return
}

// Each iteration has the stage of the one before.
// CHECK-LABEL: tile.kernel @same
// CHECK: scf.for
// CHECK: barrier
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @same(%X: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<4xf32, #parts>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x4xf32, #s>
  scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
    %stage = tile.subview %s[%turn] : !tile.shared<2x4xf32, #s> -> !tile.shared<4xf32, #s>
    tile.local_store %x, %stage : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %y = tile.local_load %stage : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    scf.yield %turn : index
  }
  tile.return
}

// A loop that begins again may begin with the stage that it ended with.
// CHECK-LABEL: tile.kernel @again
// CHECK: scf.for
// CHECK-NEXT: barrier
// CHECK-NEXT: {{.*}}scf.for
// CHECK-NOT: barrier
// CHECK: local_store
// CHECK-NEXT: barrier
// CHECK-NEXT: local_load
tile.kernel @again(%X: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<4xf32, #parts>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x4xf32, #s>
  scf.for %k = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
      %stage = tile.subview %s[%turn] : !tile.shared<2x4xf32, #s> -> !tile.shared<4xf32, #s>
      tile.local_store %x, %stage : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
      %y = tile.local_load %stage : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
      %next = arith.subi %c1, %turn : index
      scf.yield %next : index
    }
  }
  tile.return
}

// Behind the loop nothing is known of whose turn it was.
// CHECK-LABEL: tile.kernel @behind
// CHECK: scf.for
// CHECK: }
// CHECK: barrier
// CHECK: local_store
tile.kernel @behind(%X: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<4xf32, #parts>
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<2x4xf32, #s>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
    %stage = tile.subview %s[%turn] : !tile.shared<2x4xf32, #s> -> !tile.shared<4xf32, #s>
    tile.local_store %x, %stage : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %y = tile.local_load %stage : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %next = arith.subi %c1, %turn : index
    scf.yield %next : index
  }
  %last = tile.subview %s[%end] : !tile.shared<2x4xf32, #s> -> !tile.shared<4xf32, #s>
  tile.local_store %x, %last : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  tile.return
}
