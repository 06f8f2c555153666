// Rows in shared memory: what no launch has of them is neither copied, nor read, nor put there.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

// Columns 0 to 1151 of 2048 are in nine registers of each of 128 threads, and with what is in front of them in 145 pieces of 16 bytes.
#line = #tile.register_layout<lane[1,32] warp[1,4] register[1,16]>
#parity = #tile.register_layout<lane[2] lane*16 warp*4>
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
// Only the ninth register may have the last element of 1025 or more, and the first one has the first. Both ends are put there before.
// CHECK-COUNT-7: = llvm.load {{.*}} : !llvm.ptr<3> -> i16
// CHECK-NOT: llvm.load
// CHECK: %[[FIRST:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: st.shared.b16 {{.*}} %[[FIRST]], %
// CHECK: %[[LAST:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: st.shared.b16 {{.*}} %[[LAST]], %
// CHECK-COUNT-2: = llvm.load {{.*}} : !llvm.ptr<3> -> i16
// CHECK: nvvm.barrier
// CHECK-COUNT-9: llvm.store {{.*}} : i16, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier
tile.kernel @bounded(%X: !tile.ptr<f16>, %n: index) attributes {shared_bytes = 4128 : i64} {
  %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
  tile.copy_row %X, %n, %s {most = 1152 : i64} : !tile.ptr<f16>, !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>
  tile.async_commit
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16, #parity>
  tile.async_wait 0
  tile.barrier
  %x = tile.load_row %s from %X ends %e count %n {least = 1025 : i64, most = 1152 : i64} : !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>, !tile.ptr<f16>, tensor<2xf16, #parity> -> tensor<1x2048xf16, #line>
  tile.barrier
  tile.place_row %x, %s, %X {most = 1152 : i64} : tensor<1x2048xf16, #line>, !tile.shared<1x2048xf16, #tile.shared_layout<1x2048, pad 16 every 1024>>, !tile.ptr<f16>
  tile.barrier
  tile.return
}

// -----

// A thread of even columns has the first element, where that shares a word with what is in front of the row; all others have the last one. Of no elements none is read.
#parity = #tile.register_layout<lane[2] lane*16 warp*4>
// CHECK-LABEL: llvm.func @ends
// CHECK: %[[ODD:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[EVEN:.*]] = arith.xori %[[ODD]], %c1_i32
// CHECK-NEXT: %[[BIT:.*]] = arith.muli %[[EVEN]], %c2_i32
// CHECK: %[[IN_WORD:.*]] = arith.andi %{{.*}}, %[[BIT]]
// CHECK-NEXT: %[[IS_FIRST:.*]] = arith.cmpi sgt, %[[IN_WORD]], %c0_i32
// CHECK: %[[DISTANCE:.*]] = arith.select %[[IS_FIRST]], %c0_i32, %
// CHECK-NEXT: arith.extui %[[DISTANCE]]
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK: ld.global.b16 {{.*}} %{{.*}}, %[[SOME]] :
tile.kernel @ends(%X: !tile.ptr<f16>, %n: index) {
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16, #parity>
  tile.return
}
