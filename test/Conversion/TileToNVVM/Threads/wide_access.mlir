// Accesses to global memory of 32 bytes a thread, where the target has them.

// RUN: tile-opt --tile-set-target=target=sm_100a --convert-tile-to-nvvm --canonicalize --cse %s | FileCheck %s
// RUN: not tile-opt --tile-set-target=target=sm_90a --convert-tile-to-nvvm %s 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: sed -e "s/vector_width = 8/vector_width = 16/" %s | not tile-opt --tile-set-target=target=sm_100a --convert-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=NONE

#octets = #tile.register_layout<register[8] lane[32] warp[4]>
#bytes = #tile.register_layout<register[32] lane[32] warp[4]>
#doubles = #tile.register_layout<register[4] lane[32] warp[4]>

// Predicated, and with every pointer good.
// CHECK-LABEL: llvm.func @wide
// CHECK: "mov.b32 $0, 0;\0A{{.*}}mov.b32 $7, 0;\0A@$9 ld.global.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];", "=&r,=&r,=&r,=&r,=&r,=&r,=&r,=&r,l,b,~{memory}"
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64} : vector<8xi32>, !llvm.ptr<1>
// OLD: wide_access.mlir:[[@LINE+6]]:8: error: 'tile.load_view' op moves 32 bytes a thread, which takes sm_100 or newer; the target is sm_90a
// NONE: error: 'tile.load_view' op moves 64 bytes a thread; no GPU moves more than 32
tile.kernel @wide(%A: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %B: !tile.ptr<f32> {tile.divisibility = 32 : i64}, %N: index {tile.divisibility = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %b = tile.view %B, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %t = tile.load_view %a[%c0] {vector_width = 8 : i64} : !tile.view<?xf32, [1]> -> tensor<1024xf32, #octets>
  %bs = tile.splat %B : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #octets>
  %i = tile.iota 0 : tensor<1024xindex, #octets>
  %p = tile.addptr %bs, %i : tensor<1024x!tile.ptr<f32>, #octets>, tensor<1024xindex, #octets>
  tile.store %p, %t {vector_width = 8 : i64} : tensor<1024x!tile.ptr<f32>, #octets>
  tile.return
}

// Bytes go as words of 4, doubles as they are.
// CHECK-LABEL: llvm.func @types
// CHECK: ld.global.v8.b32
// CHECK: ld.global.v4.b64
tile.kernel @types(%A: !tile.ptr<i8>, %B: !tile.ptr<f64>, %N: index) {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [%N], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %b = tile.view %B, shape [%N], strides [1] : !tile.ptr<f64> -> !tile.view<?xf64, [1]>
  %t = tile.load_view %a[%c0] {vector_width = 32 : i64} : !tile.view<?xi8, [1]> -> tensor<4096xi8, #bytes>
  %u = tile.load_view %b[%c0] {vector_width = 4 : i64} : !tile.view<?xf64, [1]> -> tensor<512xf64, #doubles>
  tile.store_view %t, %a[%c0] {vector_width = 1 : i64} : tensor<4096xi8, #bytes>, !tile.view<?xi8, [1]>
  tile.store_view %u, %b[%c0] {vector_width = 1 : i64} : tensor<512xf64, #doubles>, !tile.view<?xf64, [1]>
  tile.return
}
