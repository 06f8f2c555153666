// Several blocks sum parts of a program's products, and the first one adds them up and goes on.

// RUN: split-file %s %t
// RUN: tile-opt --tile-divide-products=parts=2 %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-divide-products=parts=4 %t/kernels.mlir | FileCheck %s --check-prefix=FOUR
// RUN: tile-opt --tile-divide-products=parts=3 %t/kernels.mlir | FileCheck %s --check-prefix=BY-THREE
// RUN: tile-opt --tile-divide-products %t/kernels.mlir | FileCheck %s --check-prefix=OFF
// RUN: sed -e "s/sm_90a/sm_89/" %t/kernels.mlir | tile-opt --tile-divide-products=parts=2 | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-divide-products=parts=17 %t/kernels.mlir | FileCheck %s --check-prefix=OFF
// RUN: tile-opt --tile-divide-products=parts=2 %t/declined.mlir | FileCheck %s --check-prefix=OFF

// RUN: tile-opt --tile-assign-register-layouts --tile-divide-products=parts=2 %t/full.mlir | FileCheck %s --check-prefix=FULL
// RUN: sed -e "s/sm_90a/sm_100a/" %t/full.mlir | tile-opt --tile-assign-register-layouts --tile-divide-products=parts=2 | FileCheck %s --check-prefix=ELSEWHERE

// OFF-NOT: part_id
// OFF-NOT: tile.product_parts

// The trips of part P are from P * EACH + max(P - (2 - LONGER), 0) on. What is behind the loop, the first block alone does.
// CHECK-LABEL: tile.kernel @one_sum
// CHECK-SAME: tile.product_parts = 2 : i32
// CHECK: %[[PART:.*]] = part_id
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[PART]],
// CHECK-DAG: %[[OTHER:.*]] = arith.cmpi ne, %[[PART]],
// CHECK: %[[SPAN:.*]] = arith.subi %k, %c0
// CHECK: %[[TRIPS:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK: %[[EACH:.*]] = arith.divui %[[TRIPS]], %c2
// CHECK: %[[LONGER:.*]] = arith.remui %[[TRIPS]], %c2
// CHECK: %[[SHORTER:.*]] = arith.subi %c2{{.*}}, %[[LONGER]]
// CHECK: %[[BEYOND:.*]] = arith.subi %[[PART]], %[[SHORTER]]
// CHECK: %[[MORE:.*]] = arith.maxsi %[[BEYOND]],
// CHECK: %[[PLACE:.*]] = arith.muli %[[PART]], %[[EACH]]
// CHECK: %[[FROM:.*]] = arith.addi %[[PLACE]], %[[MORE]]
// CHECK: %[[TO:.*]] = arith.addi
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[TRIPS]]
// CHECK: %[[BEGIN:.*]] = arith.addi %c0
// CHECK: %[[END:.*]] = arith.select %[[IS_LAST]], %k,
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c64
// CHECK: %[[MINE:.*]] = rename_registers %[[SUM]] : {{.*}} -> tensor<8192xf32, #tile.register_layout<register[4] lane[32] warp[4] register[16]>>
// CHECK: %[[TILE:.*]] = alloc_shared : !tile.shared<8192xf32>
// CHECK: scf.if %[[OTHER]] {
// CHECK-NEXT: local_store %[[MINE]], %[[TILE]]
// CHECK: part_barrier
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: %[[READ:.*]] = tile.load_part %[[TILE]] of %c1
// CHECK: %[[BOTH:.*]] = arith.addf %[[MINE]], %[[READ]]
// CHECK: %[[WHOLE:.*]] = tile.rename_registers %[[BOTH]]
// CHECK: %[[RESULT:.*]] = arith.truncf %[[WHOLE]]
// CHECK: tile.store_view %[[RESULT]]
// CHECK: }
// CHECK-NEXT: part_barrier
// CHECK-NEXT: return

// What a program multiplies with products of each step is a sum, too, and beside it those of products themselves.
// CHECK-LABEL: tile.kernel @scaled_products
// CHECK-SAME: tile.product_parts = 2 : i32
// CHECK: part_id
// CHECK-COUNT-2: tile.load_part
// CHECK: return

// Of three blocks and more each adds up a slice, in the order of their numbers, and the first one has all of it then.
// FOUR-LABEL: tile.kernel @one_sum
// FOUR-SAME: tile.product_parts = 4 : i32
// FOUR: %[[SUM:.*]] = scf.for
// FOUR: %[[MINE:.*]] = rename_registers %[[SUM]]
// FOUR: %[[TILE:.*]] = alloc_shared : !tile.shared<8192xf32>
// FOUR-NEXT: local_store %[[MINE]], %[[TILE]]
// FOUR-NEXT: part_barrier
// FOUR-NEXT: add_parts %[[TILE]] by 4 : !tile.shared<8192xf32>
// FOUR-NEXT: part_barrier
// FOUR-NEXT: scf.if
// FOUR-NEXT: %[[ALL:.*]] = tile.local_load %[[TILE]]
// FOUR-NEXT: tile.rename_registers %[[ALL]]
// FOUR: tile.store_view
// FOUR-NEXT: }
// FOUR-NEXT: return

// Of three parts the last have a trip more where there are more.
// BY-THREE-LABEL: tile.kernel @one_sum
// BY-THREE-SAME: tile.product_parts = 3 : i32
// BY-THREE: arith.divui %{{.*}}, %c3
// BY-THREE: arith.remui %{{.*}}, %c3
// BY-THREE: add_parts
// BY-THREE: return

// Whatever makes them; but without wgmma only whole f32 and f64.
// FULL-LABEL: tile.kernel @f32
// FULL: part_id
// FULL: tile.dot {{.*}} by FMA
// FULL: tile.load_part
// FULL-LABEL: tile.kernel @f64
// FULL: part_id
// FULL: tile.dot {{.*}} by mma.sync
// FULL: tile.load_part
// FULL-LABEL: tile.kernel @tf32
// FULL: part_id
// FULL: tile.dot {{.*}} by mma.sync
// FULL: tile.load_part
// ELSEWHERE-LABEL: tile.kernel @f64
// ELSEWHERE: part_id
// ELSEWHERE-LABEL: tile.kernel @tf32
// ELSEWHERE-NOT: part_id

//--- full.mlir

module attributes {tile.target = "sm_90a"} {
  tile.kernel @f32(%p: !tile.ptr<f32>, %k: index) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<32x64xf32>
    %v = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<32x64xf32>) {
      %x = tile.load_view %v[%c0, %i] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x16xf32>
      %y = tile.load_view %v[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x64xf32>
      %next = tile.dot %x, %y, %acc : tensor<32x16xf32>, tensor<16x64xf32>, tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    tile.store_view %sum, %v[%c0, %c0] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }

  tile.kernel @f64(%p: !tile.ptr<f64>, %k: index) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<32x64xf64>
    %v = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f64> -> !tile.view<?x?xf64, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<32x64xf64>) {
      %x = tile.load_view %v[%c0, %i] : !tile.view<?x?xf64, [?, 1]> -> tensor<32x16xf64>
      %y = tile.load_view %v[%i, %c0] : !tile.view<?x?xf64, [?, 1]> -> tensor<16x64xf64>
      %next = tile.dot %x, %y, %acc : tensor<32x16xf64>, tensor<16x64xf64>, tensor<32x64xf64>
      scf.yield %next : tensor<32x64xf64>
    }
    tile.store_view %sum, %v[%c0, %c0] : tensor<32x64xf64>, !tile.view<?x?xf64, [?, 1]>
    tile.return
  }

  tile.kernel @tf32(%p: !tile.ptr<f32>, %k: index) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<32x64xf32>
    %v = tile.view %p, shape [%k, %k], strides [%k, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<32x64xf32>) {
      %x = tile.load_view %v[%c0, %i] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x16xf32>
      %y = tile.load_view %v[%i, %c0] : !tile.view<?x?xf32, [?, 1]> -> tensor<16x64xf32>
      %next = tile.dot %x, %y, %acc tf32 : tensor<32x16xf32>, tensor<16x64xf32>, tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    tile.store_view %sum, %v[%c0, %c0] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
    tile.return
  }
}

//--- kernels.mlir

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[1,16]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[1,8]>
#right = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,16] warp*4>
module attributes {tile.target = "sm_90a"} {
  tile.kernel @one_sum(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f16>, %k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %va = tile.view %a, shape [64, %k], strides [%k, 1] : !tile.ptr<f16> -> !tile.view<64x?xf16, [?, 1]>
    %vb = tile.view %b, shape [%k, 128], strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x128xf16, [128, 1]>
    %vc = tile.view %c, shape [64, 128], strides [128, 1] : !tile.ptr<f16> -> !tile.view<64x128xf16, [128, 1]>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      %x = tile.load_view %va[%c0, %i] : !tile.view<64x?xf16, [?, 1]> -> tensor<64x64xf16, #left>
      %y = tile.load_view %vb[%i, %c0] : !tile.view<?x128xf16, [128, 1]> -> tensor<64x128xf16, #right>
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    %result = arith.truncf %sum : tensor<64x128xf32, #sums> to tensor<64x128xf16, #sums>
    tile.store_view %result, %vc[%c0, %c0] : tensor<64x128xf16, #sums>, !tile.view<64x128xf16, [128, 1]>
    tile.return
  }

  tile.kernel @scaled_products(%p: !tile.ptr<f32>, %k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum, %plain = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x128xf32, #sums>, tensor<64x128xf32, #sums>) {
      %product = tile.dot %x, %y, %zero by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      %scale = tile.load %p : !tile.ptr<f32>
      %scales = tile.splat %scale : f32 -> tensor<64x128xf32, #sums>
      %scaled = arith.mulf %product, %scales : tensor<64x128xf32, #sums>
      %next = arith.addf %scaled, %acc : tensor<64x128xf32, #sums>
      %more = tile.dot %x, %y, %other by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next, %more : tensor<64x128xf32, #sums>, tensor<64x128xf32, #sums>
    }
    %v = tile.view %p, shape [64, 128], strides [128, 1] : !tile.ptr<f32> -> !tile.view<64x128xf32, [128, 1]>
    %both = arith.mulf %sum, %plain : tensor<64x128xf32, #sums>
    tile.store_view %both, %v[%c0, %c0] : tensor<64x128xf32, #sums>, !tile.view<64x128xf32, [128, 1]>
    tile.return
  }
}

//--- declined.mlir

#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[1,16]>
#left = #tile.register_layout<register[1,2] lane[8,4] register[2,1] warp[4,1] register[1,8]>
#right = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,16] warp*4>
module attributes {tile.target = "sm_90a"} {
  // Sums that begin with something would be added once for each block.
  tile.kernel @begins_with_something(%k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant dense<1.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %one) -> (tensor<64x128xf32, #sums>) {
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    tile.return
  }

  // What is scaled in each step is no sum.
  tile.kernel @scales(%k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %two = arith.constant dense<2.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      %scaled = arith.mulf %acc, %two : tensor<64x128xf32, #sums>
      %next = tile.dot %x, %y, %scaled by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    tile.return
  }

  // What is added beside the product is not of products.
  tile.kernel @adds_something(%k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %two = arith.constant dense<2.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      %more = arith.addf %next, %two : tensor<64x128xf32, #sums>
      scf.yield %more : tensor<64x128xf32, #sums>
    }
    tile.return
  }

  // Sums of halves have no slices.
  tile.kernel @rounds(%k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %none = arith.constant dense<0.0> : tensor<64x128xf16, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %none) -> (tensor<64x128xf16, #sums>) {
      %product = tile.dot %x, %y, %zero by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      %half = arith.truncf %product : tensor<64x128xf32, #sums> to tensor<64x128xf16, #sums>
      %next = arith.addf %acc, %half : tensor<64x128xf16, #sums>
      scf.yield %next : tensor<64x128xf16, #sums>
    }
    tile.return
  }

  // A count that the loop carries is another in each part.
  tile.kernel @counts(%k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum, %count = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero, %n = %c0) -> (tensor<64x128xf32, #sums>, index) {
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      %more = arith.addi %n, %i : index
      scf.yield %next, %more : tensor<64x128xf32, #sums>, index
    }
    tile.return
  }

  // Others see what it does.
  tile.kernel @talks(%p: !tile.ptr<i32>, %k: index) {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1> : tensor<8xi32>
    %to = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    %old = tile.atomic_rmw add %to, %one : tensor<8x!tile.ptr<i32>>
    tile.return
  }

  // Each block would store what stands in front of the loop.
  tile.kernel @stores_before(%p: !tile.ptr<i32>, %k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant dense<1> : tensor<8xi32>
    %to = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    tile.store %to, %one : tensor<8x!tile.ptr<i32>>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    tile.return
  }

  // What is stored in a trip, the next one may load.
  tile.kernel @stores_in_trips(%p: !tile.ptr<i32>, %k: index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant dense<1> : tensor<8xi32>
    %to = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      tile.store %to, %one : tensor<8x!tile.ptr<i32>>
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    tile.return
  }

  // Its author wants it to stay.
  tile.kernel @stays(%k: index) attributes {require = ["persistent"]} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %y = arith.constant dense<1.0> : tensor<64x128xf16, #right>
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #sums>) {
      %next = tile.dot %x, %y, %acc by wgmma : tensor<64x64xf16, #left>, tensor<64x128xf16, #right>, tensor<64x128xf32, #sums>
      scf.yield %next : tensor<64x128xf32, #sums>
    }
    tile.return
  }
}
