// The pass by itself, on rows of 512 elements: what it makes of them, and what it leaves as it is.

// RUN: split-file %s %t
// DEFINE: %{pass} = tile-opt --tile-set-target=target=sm_90a --tile-store-rows-behind
// RUN: %{pass} %t/rows.mlir | FileCheck %s

// Copies that begin between both places where warps meet begin before the row of the iteration before leaves.
// RUN: sed 's/^    %%twice = /    tile.async_commit\n&/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=COPIES
// COPIES: tile.local_load
// COPIES-NOT: store_row
// COPIES: tile.async_commit
// COPIES-NEXT: tile.store_row
// COPIES: tile.local_load

// The loop reads what it may be that is stored.
// RUN: sed 's/, %%Y: !tile.ptr<f16> {tile.disjoint}/, %%Y: !tile.ptr<f16> {tile.may_overlap}/; s/%%X: !tile.ptr<f16> {tile.disjoint}/%%X: !tile.ptr<f16> {tile.may_overlap}/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// OFF-NOT: store_row
// OFF: tile.store_view
// OFF-NOT: store_row
// OFF: {{^ *}}return

// Other programs are told how far this one is, or warps of several blocks have a row.
// RUN: sed 's/^    %%twice = /    %%old = tile.atomic_rmw add %%F, %%one order release : !tile.ptr<f32>\n&/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/num_warps = 4 : i32/&, cluster_blocks = 2 : i32/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// Warps meet but once before the row is there.
// RUN: sed 's/%%other = tile.local_load %%u/%%other = tile.local_load %%v/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// Elements of a word, of which threads store whole lines; rows that they store by vectors, that begin behind the beginning of
// the view's, or of less than 1024 bytes.
// RUN: sed 's/f32/f64/g; s/f16/f32/g' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/%%y\[%%i, %%c0] {vector_width = 1/%%y[%%i, %%c0] {vector_width = 2/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/%%y\[%%i, %%c0]/%%y[%%i, %%p]/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/512/256/g; s/register.1,4.>$/register[1,2]>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// The loop loads a row for its next iteration.
// RUN: sed 's/^  scf.for \(.*\) {/  %%first = tile.load_view %%x[%%p, %%c0] {vector_width = 1 : i64} : !tile.view<?x?xf16, [?, 1]> -> tensor<1x512xf16, #rows>\n  %%last = scf.for \1 iter_args(%%old = %%first) -> (tensor<1x512xf16, #rows>) {/; s/^    tile.store_view.*/&\n    scf.yield %%row : tensor<1x512xf16, #rows>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// Shared memory has no room for the row.
// RUN: sed 's/512/65536/g; s/register.1,4.>$/register[1,512]>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF

//--- rows.mlir

// The row is put into shared memory where the program stores it, and leaves in the next iteration, once warps have met,
// or behind the loop. The first iteration stores none.

// CHECK-LABEL: tile.kernel @scale
// CHECK: %[[ROW:.*]] = alloc_shared : !tile.shared<1x512xf16, #tile.shared_layout<1x512
// CHECK: %[[NONE:.*]] = arith.constant 0 : index
// CHECK: %[[LAST:.*]]:2 = scf.for {{.*}} iter_args(%[[AT:.*]] = %Y, %[[COUNT:.*]] = %[[NONE]]) -> (!tile.ptr<f16>, index) {
// CHECK: tile.local_store
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.store_row %[[ROW]], %[[AT]], %[[COUNT]]
// CHECK: tile.local_store
// CHECK-NEXT: tile.local_load
// CHECK-NOT: store_view
// CHECK: %[[P:.*]] = tile.addptr %Y
// CHECK: %[[N:.*]] = arith.select
// CHECK-NEXT: tile.place_row %{{.*}}, %[[ROW]], %[[P]]
// CHECK-NEXT: scf.yield %[[P]], %[[N]] : !tile.ptr<f16>, index
// CHECK-NEXT: }
// CHECK-NEXT: store_row %[[ROW]], %[[LAST]]#0, %[[LAST]]#1
#rows = #tile.register_layout<lane[1,32] warp[1,4] register[1,4]>
#parts = #tile.register_layout<lane*32 warp[1,4]>
#all = #tile.register_layout<register[1,4] lane*32 warp*4>
#shared = #tile.shared_layout<1x4>
tile.kernel @scale(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f16> {tile.disjoint}, %F: !tile.ptr<f32> {tile.disjoint}, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %s = tile.alloc_shared : !tile.shared<1x4xf32, #shared>
  %u = tile.alloc_shared : !tile.shared<1x4xf32, #shared>
  %v = tile.alloc_shared : !tile.shared<1x4xf32, #shared>
  scf.for %i = %p to %m step %ps {
    %row = tile.load_view %x[%i, %c0] {vector_width = 1 : i64} : !tile.view<?x?xf16, [?, 1]> -> tensor<1x512xf16, #rows>
    %wide = arith.extf %row : tensor<1x512xf16, #rows> to tensor<1x512xf32, #rows>
    %part = tile.reduce %wide axis 1 per_warp : tensor<1x512xf32, #rows> -> tensor<1x4xf32, #parts> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.local_store %part, %s {vector_width = 1 : i64} : tensor<1x4xf32, #parts>, !tile.shared<1x4xf32, #shared>
    %others = tile.local_load %s {vector_width = 1 : i64} : !tile.shared<1x4xf32, #shared> -> tensor<1x4xf32, #all>
    %twice = arith.addf %part, %part : tensor<1x4xf32, #parts>
    tile.local_store %twice, %u {vector_width = 1 : i64} : tensor<1x4xf32, #parts>, !tile.shared<1x4xf32, #shared>
    %other = tile.local_load %u {vector_width = 1 : i64} : !tile.shared<1x4xf32, #shared> -> tensor<1x4xf32, #all>
    %result = arith.addf %row, %row : tensor<1x512xf16, #rows>
    tile.store_view %result, %y[%i, %c0] {vector_width = 1 : i64} : tensor<1x512xf16, #rows>, !tile.view<?x?xf16, [?, 1]>
  }
  tile.return
}
