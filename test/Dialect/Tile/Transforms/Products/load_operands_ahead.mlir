// What threads load for a product that reads shared memory is loaded an iteration early, where blocks divide the loop.

// RUN: tile-opt --tile-load-operands-ahead %s | FileCheck %s

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,8] warp[4,1]>
#loaded = #tile.register_layout<lane[1,32] warp[4,1] register[16,1] register[1,2]>
#operand = #tile.shared_layout<64x64, swizzle<3,3,3>>
module attributes {tile.target = "sm_90a"} {
  // Both operands, each behind the store of the one of this iteration. There is not always a first iteration, and the last one has no next.
  // CHECK-LABEL: tile.kernel @both
  // CHECK: %[[ENTERS:.*]] = arith.cmpi slt, %[[BEGIN:.*]], %[[END:.*]] : index
  // CHECK: %[[FIRST_A:.*]] = scf.if %[[ENTERS]]
  // CHECK: load_view %{{.*}}[%[[BEGIN]], %{{.*}}]
  // CHECK: else
  // CHECK-NEXT: arith.constant dense<0.000000e+00>
  // CHECK: %[[FIRST_B:.*]] = scf.if
  // CHECK: load_view %{{.*}}[%[[BEGIN]], %{{.*}}]
  // CHECK: scf.for %[[K:.*]] = %[[BEGIN]] to %[[END]] step %[[STEP:.*]] iter_args(%[[SUM:.*]] = %{{.*}}, %[[A:.*]] = %[[FIRST_A]], %[[B:.*]] = %[[FIRST_B]])
  // CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %[[STEP]]
  // CHECK: %[[GOES_ON:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]]
  // CHECK-NOT: load_view
  // CHECK: local_store %[[A]],
  // CHECK-NEXT: %[[NEXT_A:.*]] = scf.if %[[GOES_ON]]
  // CHECK: load_view %{{.*}}[%[[NEXT]], %{{.*}}]
  // CHECK: local_store %[[B]],
  // CHECK-NEXT: %[[NEXT_B:.*]] = scf.if %[[GOES_ON]]
  // CHECK: %[[TOTAL:.*]] = {{.*}}warpgroup_dot %{{.*}}, %{{.*}}, %[[SUM]]
  // CHECK-NEXT: scf.yield %[[TOTAL]], %[[NEXT_A]], %[[NEXT_B]]
  tile.kernel @both(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32> {tile.disjoint}, %m: index, %k: index) attributes {tile.product_parts = 2 : i32} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %A = tile.view %pa, shape [%k, %m], strides [%m, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %m], strides [%m, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%m, %m], strides [%m, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #sums>) {
      %a = tile.load_view %A[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #loaded>
      %b = tile.load_view %B[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #loaded>
      %sa = tile.alloc_shared : !tile.shared<64x64xf16, #operand>
      %sb = tile.alloc_shared : !tile.shared<64x64xf16, #operand>
      tile.local_store %a, %sa : tensor<64x64xf16, #loaded>, !tile.shared<64x64xf16, #operand>
      tile.local_store %b, %sb : tensor<64x64xf16, #loaded>, !tile.shared<64x64xf16, #operand>
      %next = tile.warpgroup_dot %sa, %sb, %acc {a_transposed} : !tile.shared<64x64xf16, #operand>, !tile.shared<64x64xf16, #operand>, tensor<64x64xf32, #sums>
      scf.yield %next : tensor<64x64xf32, #sums>
    }
    tile.store_view %sum, %C[%c0, %c0] : tensor<64x64xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }

  // What the loop may write is loaded when it is.
  // CHECK-LABEL: tile.kernel @written
  // CHECK-NOT: scf.if
  tile.kernel @written(%pa: !tile.ptr<f16>, %m: index, %k: index) attributes {tile.product_parts = 2 : i32} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %A = tile.view %pa, shape [%k, %m], strides [%m, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #sums>) {
      %a = tile.load_view %A[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #loaded>
      %sa = tile.alloc_shared : !tile.shared<64x64xf16, #operand>
      tile.local_store %a, %sa : tensor<64x64xf16, #loaded>, !tile.shared<64x64xf16, #operand>
      %next = tile.warpgroup_dot %sa, %sa, %acc {a_transposed} : !tile.shared<64x64xf16, #operand>, !tile.shared<64x64xf16, #operand>, tensor<64x64xf32, #sums>
      %half = arith.truncf %next : tensor<64x64xf32, #sums> to tensor<64x64xf16, #sums>
      tile.store_view %half, %A[%i, %c0] : tensor<64x64xf16, #sums>, !tile.view<?x?xf16, [?, 1]>
      scf.yield %next : tensor<64x64xf32, #sums>
    }
    tile.return
  }

  // A kernel that asks for one stage has nothing ahead.
  // CHECK-LABEL: tile.kernel @one_stage
  // CHECK-NOT: scf.if
  tile.kernel @one_stage(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32> {tile.disjoint}, %m: index, %k: index) attributes {num_stages = 1 : i32, tile.product_parts = 2 : i32} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %A = tile.view %pa, shape [%k, %m], strides [%m, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%m, %m], strides [%m, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #sums>) {
      %a = tile.load_view %A[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #loaded>
      %sa = tile.alloc_shared : !tile.shared<64x64xf16, #operand>
      tile.local_store %a, %sa : tensor<64x64xf16, #loaded>, !tile.shared<64x64xf16, #operand>
      %next = tile.warpgroup_dot %sa, %sa, %acc {a_transposed} : !tile.shared<64x64xf16, #operand>, !tile.shared<64x64xf16, #operand>, tensor<64x64xf32, #sums>
      scf.yield %next : tensor<64x64xf32, #sums>
    }
    tile.store_view %sum, %C[%c0, %c0] : tensor<64x64xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }

  // Where a block makes all of it, others that run beside it multiply meanwhile.
  // CHECK-LABEL: tile.kernel @undivided
  // CHECK-NOT: scf.if
  tile.kernel @undivided(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32> {tile.disjoint}, %m: index, %k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
    %A = tile.view %pa, shape [%k, %m], strides [%m, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%m, %m], strides [%m, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #sums>) {
      %a = tile.load_view %A[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16, #loaded>
      %sa = tile.alloc_shared : !tile.shared<64x64xf16, #operand>
      tile.local_store %a, %sa : tensor<64x64xf16, #loaded>, !tile.shared<64x64xf16, #operand>
      %next = tile.warpgroup_dot %sa, %sa, %acc {a_transposed} : !tile.shared<64x64xf16, #operand>, !tile.shared<64x64xf16, #operand>, tensor<64x64xf32, #sums>
      scf.yield %next : tensor<64x64xf32, #sums>
    }
    tile.store_view %sum, %C[%c0, %c0] : tensor<64x64xf32, #sums>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}
