// Pointers that are made of what is loaded.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file %s | FileCheck %s

// Numbers of rows change threads, not the pointers that are made of them.
// CHECK-LABEL: tile.kernel @rows_by_number
// CHECK: %[[I:.*]] = load_view {{.*}} -> tensor<64xi32, #[[ROWS:.*]]>
// CHECK: %[[MOVED:.*]] = convert_layout %{{.*}} : tensor<64x1xi64, #{{.*}}> -> tensor<64x1xi64, #[[HERE:.*]]>
// CHECK: addptr %{{.*}}, %[[MOVED]] : tensor<64x1x!tile.ptr<f32>, #[[HERE]]>
// CHECK-NOT: convert_layout {{.*}}!tile.ptr
// CHECK: load %
tile.kernel @rows_by_number(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32>, %Z: !tile.ptr<f32>, %n: i64)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = tile.view %X, shape [%c64], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %i = tile.load_view %x[%c0] : !tile.view<?xi32, [1]> -> tensor<64xi32>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %wide = arith.extsi %rows : tensor<64x1xi32> to tensor<64x1xi64>
  %stride = tile.splat %n : i64 -> tensor<64x1xi64>
  %starts = arith.muli %wide, %stride : tensor<64x1xi64>
  %base = tile.splat %Y : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %begins = tile.addptr %base, %starts : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi64>
  %iota = tile.iota 0 : tensor<64xi64>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %ps = tile.broadcast %begins : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %js = tile.broadcast %columns : tensor<1x64xi64> -> tensor<64x64xi64>
  %q = tile.addptr %ps, %js : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi64>
  %y = tile.load %q : tensor<64x64x!tile.ptr<f32>>
  %to = tile.splat %Z : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %out = tile.addptr %to, %js : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi64>
  tile.store %out, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Pointers that a loop hands on go to other threads as numbers.
// CHECK-LABEL: tile.kernel @lists
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (tensor<64x!tile.ptr<i32>, #[[HOME:.*]]>) {
// CHECK-NOT: convert_layout
// CHECK: }
// CHECK: %[[NUMBERS:.*]] = ptr_to_int %[[LAST]]
// CHECK: %[[MOVED:.*]] = convert_layout %[[NUMBERS]] : tensor<64xi64, #[[HOME]]> -> tensor<64xi64, #[[HERE:.*]]>
// CHECK: int_to_ptr %[[MOVED]] : tensor<64xi64, #[[HERE]]> -> tensor<64x!tile.ptr<i32>, #[[HERE]]>
tile.kernel @lists(%X: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<i32>, %Z: !tile.ptr<i32>, %n: index)
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = tile.view %X, shape [%c64], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %i = tile.load_view %x[%c0] : !tile.view<?xi32, [1]> -> tensor<64xi32>
  %base = tile.splat %Y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %first = tile.addptr %base, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> (tensor<64x!tile.ptr<i32>>) {
    %next = tile.load %p : tensor<64x!tile.ptr<i32>>
    %q = tile.addptr %base, %next : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tile.ptr<i32>>
  }
  %column = tile.expand_dims %last {axis = 1 : i32} : tensor<64x!tile.ptr<i32>> -> tensor<64x1x!tile.ptr<i32>>
  %ps = tile.broadcast %column : tensor<64x1x!tile.ptr<i32>> -> tensor<64x64x!tile.ptr<i32>>
  %iota = tile.iota 0 : tensor<64xi32>
  %columns = tile.expand_dims %iota {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %js = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %from = tile.addptr %ps, %js : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  %y = tile.load %from : tensor<64x64x!tile.ptr<i32>>
  %to = tile.splat %Z : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %out = tile.addptr %to, %js : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %out, %y : tensor<64x64x!tile.ptr<i32>>
  tile.return
}

// -----

// A load of what is the same for 64 neighbours is no reason to take a tile's elements apart: it stands where the store is in vectors.
// CHECK-LABEL: tile.kernel @repeated
// CHECK: load %{{.*}} : tensor<1024x!tile.ptr<f32>, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
// CHECK-NOT: convert_layout
// CHECK: store_view %{{.*}} : tensor<1024xf32, #tile.register_layout<register[4] lane[32] warp[4] register[2]>>
tile.kernel @repeated(%S: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %group = arith.constant dense<64> : tensor<1024xi32>
  %i = tile.iota 0 : tensor<1024xi32>
  %d = arith.divsi %i, %group : tensor<1024xi32>
  %g = tile.assume %d constancy [64] : tensor<1024xi32>
  %p = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %p, %g : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %s = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}
