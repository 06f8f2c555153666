// The whole way from tile IR to the LLVM dialect, for two targets.

// RUN: tile-opt --tile-placement --tile-lowering %s 2>/dev/null | FileCheck %s
// RUN: tile-opt --tile-placement=target=sm_80 --tile-lowering=target=sm_80 %s 2>/dev/null | FileCheck %s
// RUN: tile-opt "--tile-placement=num-warps=8 shared-layout=pad:1" --tile-lowering %s 2>/dev/null | FileCheck %s --check-prefix=EIGHT

// CHECK: llvm.mlir.global internal @transpose$shared() {{.*}} : !llvm.array<4096 x i8>
// CHECK: llvm.func @transpose({{.*}}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
// CHECK-NOT: tile.
// CHECK-NOT: arith.
// CHECK-NOT: scf.
// CHECK: nvvm.barrier0
// CHECK-NOT: unrealized_conversion_cast
// EIGHT: !llvm.array<{{42..}} x i8>
// EIGHT: nvvm.reqntid = array<i32: 256>
tile.kernel @transpose(%A: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                       %M: index {tile.divisibility = 4 : i64}, %N: index {tile.divisibility = 4 : i64}) {
  %c32 = arith.constant 32 : index
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c32 : index
  %j = arith.muli %q, %c32 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32>
  %u = tile.trans %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store_view %u, %b[%j, %i] : tensor<32x32xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
