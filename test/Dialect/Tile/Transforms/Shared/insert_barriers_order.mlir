// A program means what it says in order, in global memory too.
//
// RUN: tile-opt --tile-placement --tile-insert-barriers --split-input-file %s 2>/dev/null | FileCheck %s

// A load sees what an earlier store of other threads wrote.
// CHECK-LABEL: tile.kernel @load_after_store
// CHECK: store_view
// CHECK: barrier
// CHECK: load_view
tile.kernel @load_after_store(%A: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %a = tile.view %A, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
  tile.store_view %one, %a[%c0] : tensor<128xf32>, !tile.view<256xf32, [1]>
  %t = tile.load_view %a[%c1] : !tile.view<256xf32, [1]> -> tensor<128xf32>
  tile.store_view %t, %a[%c1] : tensor<128xf32>, !tile.view<256xf32, [1]>
  tile.return
}

// -----

// Each thread only meets itself, and different arguments do not meet.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: barrier
tile.kernel @in_place(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %b = tile.view %B, shape [128], strides [1] : !tile.ptr<f32> -> !tile.view<128xf32, [1]>
  %t = tile.load_view %a[%c0] : !tile.view<128xf32, [1]> -> tensor<128xf32>
  %u = arith.addf %t, %t : tensor<128xf32>
  tile.store_view %u, %a[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.store_view %u, %b[%c0] : tensor<128xf32>, !tile.view<128xf32, [1]>
  tile.return
}

// -----

// The same coordinates name other elements in the next iteration.
// CHECK-LABEL: tile.kernel @across_iterations
// CHECK: scf.for
// CHECK: barrier
// CHECK: load_view
tile.kernel @across_iterations(%A: !tile.ptr<f32>) attributes {num_stages = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %A, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
  scf.for %i = %c0 to %c64 step %c1 {
    %t = tile.load_view %a[%i] : !tile.view<256xf32, [1]> -> tensor<128xf32>
    %u = arith.addf %t, %t : tensor<128xf32>
    tile.store_view %u, %a[%i] : tensor<128xf32>, !tile.view<256xf32, [1]>
  }
  tile.return
}

// -----

// ldmatrix reads what other lanes wrote, whatever the layouts say.
// CHECK-LABEL: tile.kernel @matrix
// CHECK: local_store
// CHECK: barrier
// CHECK: local_load
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,2]>
tile.kernel @matrix(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [16, 16], strides [16, 1] : !tile.ptr<f16> -> !tile.view<16x16xf16, [16, 1]>
  %b = tile.view %B, shape [16, 16], strides [16, 1] : !tile.ptr<f16> -> !tile.view<16x16xf16, [16, 1]>
  %t = tile.load_view %a[%c0, %c0] : !tile.view<16x16xf16, [16, 1]> -> tensor<16x16xf16, #a>
  %s = tile.alloc_shared : !tile.shared<16x16xf16>
  tile.local_store %t, %s : tensor<16x16xf16, #a>, !tile.shared<16x16xf16>
  %u = tile.local_load %s {matrix} : !tile.shared<16x16xf16> -> tensor<16x16xf16, #a>
  tile.store_view %u, %b[%c0, %c0] : tensor<16x16xf16, #a>, !tile.view<16x16xf16, [16, 1]>
  tile.return
}
