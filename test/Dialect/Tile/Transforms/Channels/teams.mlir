// Two teams do the programs of a block in turn: what each does of the loop over programs, and that faults in it are refused.

// RUN: tile-compile %s --target=sm_90a --args "M=128 N=128 K=64" --emit=placed -o %t.mlir && FileCheck %s --input-file=%t.mlir
// CHECK: %[[C:.*]] = channel
// CHECK: roles main {
// CHECK: %[[BLOCK:.*]] = tile.block_id
// CHECK: %[[BLOCKS:.*]] = tile.num_blocks
// CHECK: %[[TEAM:.*]] = tile.team
// CHECK-DAG: %[[AHEAD:.*]] = arith.muli %[[TEAM]], %[[BLOCKS]]
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[BLOCK]], %[[AHEAD]]
// CHECK-DAG: %[[STEP:.*]] = arith.muli %[[BLOCKS]], %c2
// CHECK-DAG: %[[TRIPS:.*]] = arith.ceildivsi
// CHECK-DAG: %[[BY:.*]] = arith.index_cast %[[TRIPS]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STEP]] iter_args(%[[N:.*]] = %{{.*}}) -> (i32)
// CHECK: tile.team_enter 0
// CHECK-NEXT: %[[END:.*]]:2 = scf.for %[[K:.*]] = %[[LOWER:.*]] to %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[I:.*]] = %[[N]])
// CHECK: tile.wait %[[C]][%[[I]]]
// CHECK: %[[LATER:.*]] = arith.cmpi ne, %[[K]], %[[LOWER]]
// CHECK-NEXT: scf.if %[[LATER]] {
// CHECK-NEXT: tile.release %[[C]]
// CHECK: tile.team_leave 0
// CHECK: tile.team_enter 1
// CHECK: tile.dot_wait 0
// CHECK: scf.if
// CHECK: tile.release %[[C]]
// CHECK: barrier {async_proxy, each_warpgroup}
// CHECK: tile.store_tma
// CHECK: arith.addi %[[END]]#1, %[[BY]]
// CHECK: tile.store_tma_wait {read}
// CHECK-NEXT: tile.team_leave 1
// CHECK: } {{{.*}}tile.programs}
// CHECK-NOT: tile.release
// CHECK: } copy {
// CHECK: {blocks = 1 : i32, copy_registers = 24 : i32, main_registers = 240 : i32, tile.teams = 2 : i32}

// RUN: sed '/team_enter 0/d' %t.mlir | not tile-opt --tile-check-channels 2>&1 | FileCheck %s --check-prefix=ENTER
// ENTER: error: 'tile.wait' op is of hand-over 1, and hand-over 0 is the next one to be waited for
// RUN: sed '/team_leave 0/d' %t.mlir | not tile-opt --tile-check-channels 2>&1 | FileCheck %s --check-prefix=LEAVE
// LEAVE: error: 'tile.team_enter' op waits for ever: its turn, which is not given up
// RUN: sed '/team_leave 1/d' %t.mlir | not tile-opt --tile-check-channels 2>&1 | FileCheck %s --check-prefix=LEAVE
// RUN: sed 's/team_leave 0/team_leave 1/' %t.mlir | not tile-opt --tile-check-channels 2>&1 | FileCheck %s --check-prefix=LEAVE
// A slot of the other team is released.
// RUN: sed 's/arith.cmpi ne, /arith.cmpi sge, /' %t.mlir | not tile-opt --tile-check-channels 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'tile.release' op

tile.kernel @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f16>, %M: index, %N: index, %K: index)
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 128)", "ceildiv(N, 128)"]
    attributes {num_warps = 4 : i32, num_stages = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xf16, [?, 1]> -> tensor<128x64xf16>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<64x128xf16>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %half = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store_view %half, %c[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16, [?, 1]>
  tile.return
}
