// Sums that a loop carries are all in registers at once: 128 + 128 are too many for wgmma, with four warps, and 64 + 64 with eight are not.

// RUN: tile-compile %s --kernel=two --target=sm_90a --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: [[@LINE+37]]:13: warning: this product and those beside it take 256 registers of each thread for their accumulators, and a thread of 4 warps has 255 for all it does: some will spill to memory, which is slow; use smaller tiles
// MANY: warning: this product and those beside it take 256 registers
// MANY-COUNT-2: dot %{{.*}} by mma.sync {tile.engine_reason = "the accumulators of the loop take 256 registers of a thread, and one of 4 warps has 255: too few are left for wgmma; use smaller tiles or more warps"}

// RUN: not tile-compile %s --kernel=two --target=sm_90a --emit=ptx --require=wgmma -o /dev/null 2>&1 | FileCheck %s --check-prefix=REQUIRED
// REQUIRED: error: {{.*}}the accumulators of the loop take 256 registers of a thread, and one of 4 warps has 255

// RUN: tile-compile %s --kernel=two --num-warps=8 --target=sm_90a --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=FITS --implicit-check-not=warning
// FITS-COUNT-2: warpgroup_dot

// The loop carries the second sums alone: products by mma.sync are no better, but it takes smaller tiles or more warps.
// RUN: tile-compile %s --kernel=after --target=sm_90a --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=AFTER --implicit-check-not=warning
// AFTER: [[@LINE+48]]:13: warning: the products of this loop take 320 registers of each thread for sums and left operands, and a thread of 4 warps has 255 for all it does: some will spill to memory, and each product may wait for the one before; use smaller tiles or more warps
// AFTER-COUNT-2: warpgroup_dot
// RUN: tile-compile %s --kernel=after --num-warps=8 --target=sm_90a --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=AFTER-FITS --implicit-check-not=warning
// AFTER-FITS-COUNT-2: warpgroup_dot

// Beside 192 sums mma.sync has no room for fragments of two steps along K; wgmma has none in registers, and eight warps have room.
// RUN: tile-compile %s --kernel=uneven --target=sm_80 --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=FRAGMENTS
// FRAGMENTS: warning: this product and those beside it take 192 registers of each thread for their accumulators and 128 for operands, and a thread of 4 warps has 255 for all it does: some are likely to spill to memory, which is slow; use smaller tiles or more warps
// RUN: tile-compile %s --kernel=uneven --target=sm_80 --num-warps=8 --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=ROOM --implicit-check-not=warning
// RUN: tile-compile %s --kernel=uneven --target=sm_90a --emit=placed -o - 2>&1 | FileCheck %s --check-prefix=ROOM --implicit-check-not=warning
// ROOM-COUNT-2: dot

tile.kernel @two(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %C: !tile.ptr<f32>, %K: index {tile.divisibility = 16 : i64})
    shapes ["A[128, K]", "B[K, 256]", "C[128, 128]"] grid ["1"] attributes {num_warps = 4 : i32, num_stages = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.view %A, shape [128, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<128x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, 256], strides [256, 1] : !tile.ptr<f16> -> !tile.view<?x256xf16, [256, 1]>
  %c = tile.view %C, shape [128, 128], strides [128, 1] : !tile.ptr<f32> -> !tile.view<128x128xf32, [128, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %c64 iter_args(%one = %zero, %other = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %x = tile.load_view %a[%c0, %k] : !tile.view<128x?xf16, [?, 1]> -> tensor<128x64xf16>
    %y = tile.load_view %b[%k, %c0] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x128xf16>
    %z = tile.load_view %b[%k, %c128] : !tile.view<?x256xf16, [256, 1]> -> tensor<64x128xf16>
    %next = tile.dot %x, %y, %one : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %last = tile.dot %x, %z, %other : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next, %last : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %result = arith.mulf %sums#0, %sums#1 : tensor<128x128xf32>
  tile.store_view %result, %c[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32, [128, 1]>
  tile.return
}

tile.kernel @after(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %C: !tile.ptr<f32>, %K: index {tile.divisibility = 16 : i64})
    shapes ["A[128, K]", "B[K, 128]", "C[128, 128]"] grid ["1"] attributes {num_warps = 4 : i32, num_stages = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.view %A, shape [128, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<128x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, 128], strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x128xf16, [128, 1]>
  %c = tile.view %C, shape [128, 128], strides [128, 1] : !tile.ptr<f32> -> !tile.view<128x128xf32, [128, 1]>
  %sums = scf.for %k = %c0 to %K step %c64 iter_args(%one = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load_view %a[%c0, %k] : !tile.view<128x?xf16, [?, 1]> -> tensor<128x64xf16>
    %y = tile.load_view %b[%k, %c0] : !tile.view<?x128xf16, [128, 1]> -> tensor<64x128xf16>
    %fresh = tile.dot %x, %y, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %half = arith.truncf %fresh : tensor<128x128xf32> to tensor<128x128xf16>
    %w = tile.load_view %b[%c0, %c0] : !tile.view<?x128xf16, [128, 1]> -> tensor<128x128xf16>
    %next = tile.dot %half, %w, %one : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store_view %sums, %c[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32, [128, 1]>
  tile.return
}

tile.kernel @uneven(%A: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %C: !tile.ptr<f32>, %K: index {tile.divisibility = 16 : i64})
    shapes ["A[128, K]", "B[K, 192]", "C[128, 192]"] grid ["1"] attributes {num_warps = 4 : i32, num_stages = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.view %A, shape [128, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<128x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, 192], strides [192, 1] : !tile.ptr<f16> -> !tile.view<?x192xf16, [192, 1]>
  %c = tile.view %C, shape [128, 192], strides [192, 1] : !tile.ptr<f32> -> !tile.view<128x192xf32, [192, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %c64 iter_args(%one = %zero, %other = %none) -> (tensor<128x128xf32>, tensor<128x64xf32>) {
    %x = tile.load_view %a[%c0, %k] : !tile.view<128x?xf16, [?, 1]> -> tensor<128x64xf16>
    %y = tile.load_view %b[%k, %c0] : !tile.view<?x192xf16, [192, 1]> -> tensor<64x128xf16>
    %z = tile.load_view %b[%k, %c128] : !tile.view<?x192xf16, [192, 1]> -> tensor<64x64xf16>
    %next = tile.dot %x, %y, %one : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %last = tile.dot %x, %z, %other : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %next, %last : tensor<128x128xf32>, tensor<128x64xf32>
  }
  tile.store_view %sums#0, %c[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x192xf32, [192, 1]>
  tile.store_view %sums#1, %c[%c0, %c128] : tensor<128x64xf32>, !tile.view<128x192xf32, [192, 1]>
  tile.return
}
