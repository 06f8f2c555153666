// Of layouts that cost the same, a tile that copies fill for ldmatrix has one that bulk copies write, where the target
// has such.

// RUN: tile-opt --tile-assign-shared-layouts %s | FileCheck %s --check-prefix=BOXES
// RUN: sed -e "s/sm_120a/sm_89/" %s | tile-opt --tile-assign-shared-layouts | FileCheck %s --check-prefix=THREADS
// RUN: sed -e "s@// %more@%more@" %s | tile-opt --tile-assign-shared-layouts | FileCheck %s --check-prefix=THREADS
// RUN: sed -e "s/tile.copy_async %b\[%k, %c0\], %f/tile.local_store %given, %f/; s/ registers = #rows,//; s/!tile.view<.*>, !tile.shared<64x128xf16>$/tensor<64x128xf16, #rows>, !tile.shared<64x128xf16>/" %s | tile-opt --tile-assign-shared-layouts | FileCheck %s --check-prefix=THREADS

// Rows of 256 bytes: two boxes of 64 columns.
// BOXES: alloc_shared {tile.layout_reason = "128B costs 6144 wavefronts
// What stores give, what other targets copy, and what a loop goes on with by itself, has whatever layout costs the least.
// THREADS: alloc_shared {tile.layout_reason = "{{(general )?swizzle.*}} costs 6144 wavefronts

#rows = #tile.register_layout<register[1,8] lane[2,16] warp[4,1] register[8,1]>
#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,8] warp*2 warp[2,1]>
#b = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,8] warp[1,2] warp*2>
#c = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,8] warp[2,2]>
module attributes {tile.target = "sm_120a"} {
tile.kernel @gemm(%B: !tile.ptr<f16> {tile.divisibility = 16}, %N: index {tile.divisibility = 8}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %stage = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  %left = arith.constant dense<1.0> : tensor<64x64xf16, #a>
  %given = arith.constant dense<1.0> : tensor<64x128xf16, #rows>
  %b = tile.view %B, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<3x64x128xf16>
  %f = tile.subview %s[%stage] : !tile.shared<3x64x128xf16> -> !tile.shared<64x128xf16>
  %total = scf.for %k = %c0 to %N step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32, #c>) {
    tile.copy_async %b[%k, %c0], %f { registers = #rows, vector_width = 8 : i64 } : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x128xf16>
    %right = tile.local_load %f : !tile.shared<64x128xf16> -> tensor<64x128xf16, #b>
    %sums = tile.dot %left, %right, %acc by mma.sync : tensor<64x64xf16, #a>, tensor<64x128xf16, #b>, tensor<64x128xf32, #c>
    // %more = arith.addf %sums, %sums : tensor<64x128xf32, #c>
    scf.yield %sums : tensor<64x128xf32, #c>
  }
  tile.return
}
}
