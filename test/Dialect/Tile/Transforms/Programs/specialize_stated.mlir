// Promises that stand alone.

// RUN: tile-opt --tile-specialize %s | FileCheck %s

// A promise that is stated is one about the uses behind it, not of those before it or beside it.
// CHECK-LABEL: tile.kernel @stated
tile.kernel @stated(%x: !tile.ptr<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %columns = tile.iota 0 : tensor<64xi32>
  %bases = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %first = tile.addptr %bases, %columns : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: %[[FIRST:.*]] = addptr
  // CHECK: load %[[FIRST]]
  // CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[FIRST]])
  // CHECK: %[[BEFORE:.*]] = tile.load %[[CARRIED]]
  // CHECK: %[[PROMISED:.*]] = tile.assume %[[CARRIED]] divisibility [16]
  // CHECK: tile.store %[[PROMISED]], %[[BEFORE]]
  // CHECK: %[[NEXT:.*]] = tile.addptr %[[PROMISED]]
  // CHECK: scf.yield %[[NEXT]]
  %value = tile.load %first : tensor<64x!tile.ptr<f32>>
  %last = scf.for %i = %zero to %n step %one iter_args(%at = %first) -> (tensor<64x!tile.ptr<f32>>) {
    %here = tile.load %at : tensor<64x!tile.ptr<f32>>
    %stated = tile.assume %at divisibility [16] : tensor<64x!tile.ptr<f32>>
    tile.store %at, %here : tensor<64x!tile.ptr<f32>>
    %next = tile.addptr %at, %columns : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  // CHECK: store %[[FIRST]]
  tile.store %first, %value : tensor<64x!tile.ptr<f32>>
  tile.return
}
