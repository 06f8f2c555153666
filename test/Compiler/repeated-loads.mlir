// What is the same for neighbours of a thread is loaded once.

// RUN: tile-compile %s --kernel=groups --num-warps=4 --target=sm_90a --emit=ptx -o - | FileCheck %s

// Eight elements a thread, four and four of them of one group.
// CHECK-COUNT-2: ld.global{{.*}}.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: st.global.v4
// CHECK-NOT: st.global
tile.kernel @groups(%S: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %Y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %group = arith.constant dense<64> : tensor<1024xi32>
  %i = tile.iota 0 : tensor<1024xi32>
  %g = arith.divsi %i, %group : tensor<1024xi32>
  %p = tile.splat %S : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %p, %g : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %s = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  tile.store_view %s, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}
