// Rows in shared memory: what no launch has of them is neither copied, nor read, nor put there.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

// Columns 0 to 1151 of 2048 are in nine registers of each of 128 threads, and with what is in front of them in 145 pieces of 16 bytes.
#line = #tile.register_layout<lane[1,32] warp[1,4] register[1,16]>
// Eight threads copy words of the pieces in which the row begins and ends, those that it fills. Of pieces between
// these a thread copies all, behind it a thread makes zeros of all.
// CHECK-LABEL: llvm.func @bounded
// CHECK: %[[END:.*]] = arith.select
// CHECK: %[[FILLED:.*]] = arith.cmpi sle, %{{.*}}, %[[END]]
// CHECK: %[[BYTES:.*]] = arith.select %[[FILLED]], %c4_i32, %c0_i32
// CHECK: cp.async.ca.shared.global {{.*}}" %{{.*}}, %{{.*}}, %[[BYTES]], %
// CHECK: %[[WHOLE:.*]] = arith.cmpi sle, %{{.*}}, %[[END]]
// CHECK-NEXT: %[[BEHIND:.*]] = arith.cmpi sle, %[[END]], %
// CHECK-NEXT: arith.ori %[[WHOLE]], %[[BEHIND]]
// CHECK: %[[ALL:.*]] = arith.select %[[WHOLE]], %c16_i32, %c0_i32
// CHECK-NEXT: cp.async.cg.shared.global {{.*}}" %{{.*}}, %{{.*}}, %[[ALL]], %
// CHECK: arith.select %{{.*}}, %c16_i32, %c0_i32
// CHECK-NEXT: cp.async.cg.shared.global
// CHECK-NOT: cp.async.c{{[ag]}}
// CHECK: nvvm.barrier
// CHECK: ld.shared.b16
// CHECK-COUNT-8: = llvm.load {{.*}} : !llvm.ptr<3> -> i16
// Only the ninth register may have the last element of 1025 or more.
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[FILLS_NO_WORD:.*]] = arith.andi %{{.*}}, %[[IS_LAST]] : i1
// CHECK-NEXT: arith.select %[[FILLS_NO_WORD]], %arg2, %{{.*}} : f16
// CHECK: nvvm.barrier
// CHECK-COUNT-9: llvm.store {{.*}} : i16, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier
tile.kernel @bounded(%X: !tile.ptr<f16>, %n: index, %f: f16) attributes {shared_bytes = 4128 : i64} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
  tile.copy_row %X, %n, %s {most = 1152 : i64} : !tile.ptr<f16>, !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
  tile.async_commit
  tile.async_wait 0
  tile.barrier
  %x = tile.load_row %s from %X first %f last %f count %n {least = 1025 : i64, most = 1152 : i64} : !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>, !tile.ptr<f16>, f16 -> tensor<1x2048xf16, #line>
  tile.barrier
  tile.place_row %x, %s, %X {most = 1152 : i64} : tensor<1x2048xf16, #line>, !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>, !tile.ptr<f16>
  tile.barrier
  tile.return
}
