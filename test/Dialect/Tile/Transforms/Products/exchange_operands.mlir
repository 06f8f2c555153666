// A product of few rows that a loop sums is made the other way round, where wgmma makes it so.

// RUN: split-file %s %t
// RUN: tile-opt --tile-exchange-operands %t/exchanged.mlir | FileCheck %s
// RUN: tile-opt --tile-exchange-operands %t/stays.mlir | FileCheck %s --check-prefix=STAYS
// RUN: tile-opt --tile-exchange-operands=warpgroup-dots=false %t/exchanged.mlir | FileCheck %s --check-prefix=OFF
// RUN: sed -e "s/sm_90a/sm_100a/" %t/exchanged.mlir | tile-opt --tile-exchange-operands | FileCheck %s --check-prefix=OFF

// Too few warps, and more warpgroups than there are parts of 64 columns.
// RUN: sed -e "s/num_warps = 4/num_warps = 2/" -e "s/by wgmma//" %t/exchanged.mlir | tile-opt --tile-exchange-operands | FileCheck %s --check-prefix=OFF
// RUN: sed -e "s/num_warps = 4/num_warps = 32/" %t/exchanged.mlir | tile-opt --tile-exchange-operands | FileCheck %s --check-prefix=OFF

// OFF-LABEL: tile.kernel @stored_by_rows
// OFF-NOT: tile.trans %{{.*}} : tensor<16x
// OFF: tile.dot %{{.*}} : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>

//--- exchanged.mlir

module attributes {tile.target = "sm_90a"} {
  // The zeros before the loop are those of the other shape; behind it the sum has its old one.
  // CHECK-LABEL: tile.kernel @stored_by_rows
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x16xf32>
  // CHECK: %[[TURNED:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (tensor<128x16xf32>) {
  // CHECK-DAG: %[[A:.*]] = tile.load_view {{.*}} -> tensor<16x64xf16>
  // CHECK-DAG: %[[B:.*]] = tile.load_view {{.*}} -> tensor<64x128xf16>
  // CHECK-DAG: %[[AT:.*]] = tile.trans %[[A]] [1, 0] : tensor<16x64xf16> -> tensor<64x16xf16>
  // CHECK-DAG: %[[BT:.*]] = tile.trans %[[B]] [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
  // CHECK: %[[NEXT:.*]] = tile.dot %[[BT]], %[[AT]], %[[ACC]] {tile.exchanged} : tensor<128x64xf16>, tensor<64x16xf16>, tensor<128x16xf32>
  // CHECK-NEXT: scf.yield %[[NEXT]] : tensor<128x16xf32>
  // CHECK: %[[SUM:.*]] = trans %[[TURNED]] [1, 0] : tensor<128x16xf32> -> tensor<16x128xf32>
  // CHECK-NEXT: arith.truncf %[[SUM]] : tensor<16x128xf32>
  tile.kernel @stored_by_rows(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %k: index)
      attributes {num_warps = 4 : i32} {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<16x128xf32>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32>) {
      %a = tile.load_view %A[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<16x64xf16>
      %b = tile.load_view %B[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
      %next = tile.dot %a, %b, %acc : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>
      scf.yield %next : tensor<16x128xf32>
    }
    %c = arith.truncf %sum : tensor<16x128xf32> to tensor<16x128xf16>
    tile.store_view %c, %C[%c0, %c0] : tensor<16x128xf16>, !tile.view<?x?xf16, [?, 1]>
    tile.return
  }

  // What was turned already is taken as it was loaded, and a sum that does not begin with one number is turned. What else is carried stays;
  // products that add to one sum go together. An engine that is written stays.
  // CHECK-LABEL: tile.kernel @two_of_one_sum
  // CHECK: %[[BEFORE:.*]] = load_view {{.*}} -> tensor<32x64xf32>
  // CHECK: %[[INIT:.*]] = trans %[[BEFORE]] [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]], %{{.*}} = %{{.*}}) -> (tensor<64x32xf32>, index) {
  // CHECK: %[[A:.*]] = tile.load_view {{.*}} -> tensor<32x64xbf16>
  // CHECK: %[[B:.*]] = tile.load_view {{.*}} -> tensor<64x64xbf16>
  // CHECK-NOT: tile.trans %[[B]]
  // CHECK: %[[AT:.*]] = tile.trans %[[A]]
  // CHECK: %[[ONE:.*]] = tile.dot %[[B]], %[[AT]], %[[ACC]] by wgmma {tile.exchanged} : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>
  // CHECK: %[[TWO:.*]] = tile.dot %[[B]], %{{.*}}, %[[ONE]] {tile.exchanged} : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>
  // CHECK: scf.yield %[[TWO]], %{{.*}} : tensor<64x32xf32>, index
  // CHECK: trans %[[LOOP]]#0 [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  tile.kernel @two_of_one_sum(%pa: !tile.ptr<bf16>, %pb: !tile.ptr<bf16>, %pc: !tile.ptr<f32>, %k: index)
      attributes {num_warps = 4 : i32} {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %before = tile.load_view %C[%c0, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x64xf32>
    %sum, %last = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %before, %at = %c0) -> (tensor<32x64xf32>, index) {
      %a = tile.load_view %A[%c0, %at] : !tile.view<?x?xbf16, [?, 1]> -> tensor<32x64xbf16>
      %b = tile.load_view %B[%c0, %at] : !tile.view<?x?xbf16, [?, 1]> -> tensor<64x64xbf16>
      %t = tile.trans %b [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %one = tile.dot %a, %t, %acc by wgmma : tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
      %two = tile.dot %a, %t, %one : tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
      %next = arith.addi %at, %i : index
      scf.yield %two, %next : tensor<32x64xf32>, index
    }
    tile.store_view %sum, %C[%c0, %last] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}

//--- stays.mlir

module attributes {tile.target = "sm_90a"} {
  // STAYS-NOT: trans
  // Too few columns, and rows enough.
  // STAYS-LABEL: tile.kernel @others
  tile.kernel @others(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: index)
      attributes {num_warps = 8 : i32} {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<16x32xf32>
    %zero_high = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum, %high = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero, %more = %zero_high) -> (tensor<16x32xf32>, tensor<64x128xf32>) {
      %a = tile.load_view %A[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<16x64xf16>
      %b = tile.load_view %B[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x32xf16>
      %c = tile.load_view %A[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
      %d = tile.load_view %B[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
      %next = tile.dot %a, %b, %acc : tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x32xf32>
      %higher = tile.dot %c, %d, %more : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
      scf.yield %next, %higher : tensor<16x32xf32>, tensor<64x128xf32>
    }
    tile.store_view %sum, %C[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.store_view %high, %C[%c64, %c0] : tensor<64x128xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }

  // Operands that threads make, sums that are more than added to, products of no loop, and another engine.
  // STAYS-LABEL: tile.kernel @more_than_products
  tile.kernel @more_than_products(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: index)
      attributes {num_warps = 4 : i32} {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %s, %t, %u = scf.for %i = %c0 to %k step %c64 iter_args(%of_made = %zero, %scaled = %zero, %by_mma = %zero)
        -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
      %a = tile.load_view %A[%c0, %i] : !tile.view<?x?xf16, [?, 1]> -> tensor<16x64xf16>
      %b = tile.load_view %B[%i, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
      %made = arith.mulf %a, %a : tensor<16x64xf16>
      %one = tile.dot %made, %b, %of_made : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
      %two = tile.dot %a, %b, %scaled : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
      %twice = arith.addf %two, %two : tensor<16x64xf32>
      %three = tile.dot %a, %b, %by_mma by mma.sync : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
      scf.yield %one, %twice, %three : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
    }
    %a = tile.load_view %A[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<16x64xf16>
    %b = tile.load_view %B[%c0, %c0] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x64xf16>
    %v = tile.dot %a, %b, %u : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    tile.store_view %s, %C[%c0, %c0] : tensor<16x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.store_view %t, %C[%c0, %c64] : tensor<16x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.store_view %v, %C[%c64, %c64] : tensor<16x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }

  // wgmma reads tf32 along K only.
  // STAYS-LABEL: tile.kernel @across
  tile.kernel @across(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>, %k: index)
      attributes {num_warps = 4 : i32} {
    %A = tile.view %pa, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %B = tile.view %pb, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %C = tile.view %pc, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<16x64xf32>) {
      %a = tile.load_view %A[%c0, %i] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x32xf32>
      %b = tile.load_view %B[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x64xf32>
      %next = tile.dot %a, %b, %acc tf32 : tensor<16x32xf32>, tensor<32x64xf32>, tensor<16x64xf32>
      scf.yield %next : tensor<16x64xf32>
    }
    tile.store_view %sum, %C[%c0, %c0] : tensor<16x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}
