// The pass by itself, on rows of 512 elements: what it makes of them, and what it leaves as it is.

// RUN: split-file %s %t
// DEFINE: %{pass} = tile-opt --tile-set-target=target=sm_90a --tile-copy-rows-ahead
// RUN: %{pass} %t/rows.mlir | FileCheck %s
// RUN: %{pass} %t/branches.mlir | FileCheck %s --check-prefix=BRANCH

// Rows that take more room get two slots, and those of which two do not fit none.
// RUN: sed 's/512/8192/g; s/register.1,4.>$/register[1,64]>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=TWO
// TWO: alloc_shared : !tile.shared<2x1x8192xf16,
// TWO-COUNT-2: copy_row
// TWO: async_wait 1
// TWO: scf.for
// TWO: tile.async_wait 0
// RUN: sed 's/512/16384/g; s/register.1,4.>$/register[1,128]>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// OFF-NOT: copy_row
// OFF-COUNT-2: load_view
// OFF-NOT: copy_row
// OFF: {{^ *}}return

// The kernel may write the array.
// RUN: sed 's/tile.disjoint/tile.may_overlap/g' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// Elements of a word: threads move whole lines of them.
// RUN: sed 's/f32/f64/g; s/f16/f32/g' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// Rows that threads move by vectors, or that begin behind the beginning of the view's, or of less than 1024 bytes.
// RUN: sed 's/%%c0] {vector_width = 1/%%c0] {vector_width = 2/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/%%next, %%c0/%%next, %%p/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/512/256/g; s/register.1,4.>$/register[1,2]>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// A row that is used in the iteration that loads it, or behind the loop.
// RUN: sed 's/extf %%row/extf %%ahead/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/^  tile.return/  tile.print "{}" %%last : tensor<1x512xf16, #rows>\n&/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// A row whose place is read from memory.
// RUN: sed 's/%%next = .*/%%place = tile.load %%I : !tile.ptr<i64>\n    %%next = arith.index_cast %%place : i64 to index/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// A thread has columns that are even and ones that are odd.
// RUN: sed 's/^#rows = .*/#rows = #tile.register_layout<register[1,4] lane[1,32] warp[1,4]>/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// No two warps meet in the loop, or not by a barrier of the block alone.
// RUN: sed 's/^  %%s = \(.*\)/&\n  %%t = \1/; s/local_load %%s/local_load %%t/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// RUN: sed 's/num_warps = 4 : i32/&, cluster_blocks = 2 : i32/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF
// Something else is under way and waited for.
// RUN: sed 's/^    %%next = /    tile.async_commit\n&/' %t/rows.mlir | %{pass} | FileCheck %s --check-prefix=OFF

//--- rows.mlir

// Loops carry where a row begins, its ends, and the number of its slot. The kernel asks for as many blocks as
// were reckoned with.

// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME: tile.blocks_per_sm = 4
// CHECK: %[[P:.*]] = program_id
// CHECK: %[[STEP:.*]] = num_programs
// CHECK-NOT: load_view
// CHECK: %[[START:.*]] = addptr %X, %{{.*}} : !tile.ptr<f16>, i64
// CHECK: %[[ENDS:.*]] = load_ends %[[START]], %{{.*}} : !tile.ptr<f16> -> tensor<2xf16, #[[PARITY:.*]]>

// The row of the first iteration, and those that the first two load for their next.
// CHECK: %[[SLOTS:.*]] = alloc_shared : !tile.shared<3x1x512xf16, #tile.shared_layout<1x512
// CHECK: %[[FIRST:.*]] = subview %[[SLOTS]][%{{.*}}]
// CHECK: copy_row %{{.*}}, %{{.*}}, %[[FIRST]] : <f16>
// CHECK-NEXT: async_commit
// CHECK: copy_row
// CHECK-NEXT: async_commit
// CHECK: copy_row
// CHECK-NEXT: async_commit
// CHECK-NEXT: async_wait 2

// CHECK: scf.for %[[I:.*]] = %[[P]] to %m step %[[STEP]] iter_args(%[[ROW:.*]] = %[[START]], %[[E:.*]] = %[[ENDS]], %[[SLOT:.*]] = %{{.*}}) -> (!tile.ptr<f16>, tensor<2xf16, #[[PARITY]]>, index) {
// CHECK-NEXT: %[[STAGE:.*]] = tile.subview %[[SLOTS]][%[[SLOT]]]
// CHECK-NEXT: %[[X:.*]] = tile.load_row %[[STAGE]] from %[[ROW]] ends %[[E]] count
// CHECK: %[[NEXT_ROW:.*]] = tile.addptr %X
// CHECK: %[[NEXT:.*]] = tile.load_ends %[[NEXT_ROW]], %
// CHECK: arith.extf %[[X]]
// CHECK: tile.local_store

// Where warps meet, the next row has come, and behind it nobody reads this one: its slot gets one of three iterations on.
// CHECK-NEXT: tile.async_wait 1
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: %[[DISTANCE:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[FAR:.*]] = arith.muli %[[STEP]], %[[DISTANCE]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.addi %[[I]], %[[FAR]]
// CHECK-NEXT: %[[THERE:.*]] = arith.cmpi slt, %[[NUMBER]], %m
// CHECK-NEXT: %[[SAME:.*]] = tile.subview %[[SLOTS]][%[[SLOT]]]
// CHECK-NEXT: arith.addi %[[NUMBER]], %[[STEP]]
// CHECK: %[[COUNT:.*]] = arith.select %[[THERE]]
// CHECK-NEXT: tile.copy_row %{{.*}}, %[[COUNT]], %[[SAME]] : <f16>
// CHECK-NEXT: tile.async_commit
// CHECK: %[[MOST:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[OVER:.*]] = arith.cmpi eq, %[[TURN:.*]], %[[MOST]]
// CHECK: %[[NEXT_SLOT:.*]] = arith.select %[[OVER]], %{{.*}}, %[[TURN]]
// CHECK-NEXT: scf.yield %[[NEXT_ROW]], %[[NEXT]], %[[NEXT_SLOT]] : !tile.ptr<f16>, tensor<2xf16, #[[PARITY]]>, index
// CHECK-NEXT: }
// CHECK-NEXT: async_wait 0
#rows = #tile.register_layout<lane[1,32] warp[1,4] register[1,4]>
#parts = #tile.register_layout<lane*32 warp[1,4]>
#all = #tile.register_layout<register[1,4] lane*32 warp*4>
#one = #tile.register_layout<register[1] lane*32 warp*4>
#shared = #tile.shared_layout<1x4>
tile.kernel @sums(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %I: !tile.ptr<i64>, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %x = tile.view %X, shape [%m, %n], strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %s = tile.alloc_shared : !tile.shared<1x4xf32, #shared>
  %first = tile.load_view %x[%p, %c0] {vector_width = 1 : i64} : !tile.view<?x?xf16, [?, 1]> -> tensor<1x512xf16, #rows>
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x512xf16, #rows>) {
    %next = arith.addi %i, %ps : index
    %ahead = tile.load_view %x[%next, %c0] {vector_width = 1 : i64} : !tile.view<?x?xf16, [?, 1]> -> tensor<1x512xf16, #rows>
    %wide = arith.extf %row : tensor<1x512xf16, #rows> to tensor<1x512xf32, #rows>
    %part = tile.reduce %wide axis 1 per_warp : tensor<1x512xf32, #rows> -> tensor<1x4xf32, #parts> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.local_store %part, %s {vector_width = 1 : i64} : tensor<1x4xf32, #parts>, !tile.shared<1x4xf32, #shared>
    %others = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<1x4xf32, #shared> -> tensor<1x4xf32, #all>
    %sum = tile.reduce %others axis 1 : tensor<1x4xf32, #all> -> tensor<1xf32, #one> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.store_view %sum, %y[%i] {vector_width = 1 : i64} : tensor<1xf32, #one>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x512xf16, #rows>
  }
  tile.return
}

//--- branches.mlir

// Of a row that is loaded in a branch, since there may be no next program, the copy has no elements where the branch is
// not taken.

// BRANCH-LABEL: tile.kernel @programs
// BRANCH-NOT: scf.if
// BRANCH: copy_row
// BRANCH: scf.for
// BRANCH: %[[MORE:.*]] = arith.cmpi slt
// BRANCH-NOT: scf.if
// BRANCH: arith.select %[[MORE]], %n, %{{.*}} : index
// BRANCH: tile.copy_row
// BRANCH: {{^ *}}return
#rows = #tile.register_layout<lane[1,32] warp[1,4] register[1,4]>
#parts = #tile.register_layout<lane*32 warp[1,4]>
#all = #tile.register_layout<register[1,4] lane*32 warp*4>
#one = #tile.register_layout<register[1] lane*32 warp*4>
#shared = #tile.shared_layout<1x4>
tile.kernel @programs(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %m: index, %n: index, %stride: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id 0
  %ps = tile.num_programs 0
  %zeros = arith.constant dense<0.0> : tensor<1x512xf16, #rows>
  %y = tile.view %Y, shape [%m], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %s = tile.alloc_shared : !tile.shared<1x4xf32, #shared>
  %therep = arith.cmpi slt, %p, %m : index
  %first = scf.if %therep -> (tensor<1x512xf16, #rows>) {
    %place = arith.muli %p, %stride : index
    %at = tile.addptr %X, %place : !tile.ptr<f16>, index
    %x = tile.view %at, shape [1, %n], strides [0, 1] : !tile.ptr<f16> -> !tile.view<1x?xf16, [0, 1]>
    %loaded = tile.load_view %x[%c0, %c0] {vector_width = 1 : i64} : !tile.view<1x?xf16, [0, 1]> -> tensor<1x512xf16, #rows>
    scf.yield %loaded : tensor<1x512xf16, #rows>
  } else {
    scf.yield %zeros : tensor<1x512xf16, #rows>
  }
  %last = scf.for %i = %p to %m step %ps iter_args(%row = %first) -> (tensor<1x512xf16, #rows>) {
    %next = arith.addi %i, %ps : index
    %therenext = arith.cmpi slt, %next, %m : index
    %ahead = scf.if %therenext -> (tensor<1x512xf16, #rows>) {
      %place = arith.muli %next, %stride : index
      %at = tile.addptr %X, %place : !tile.ptr<f16>, index
      %x = tile.view %at, shape [1, %n], strides [0, 1] : !tile.ptr<f16> -> !tile.view<1x?xf16, [0, 1]>
      %loaded = tile.load_view %x[%c0, %c0] {vector_width = 1 : i64} : !tile.view<1x?xf16, [0, 1]> -> tensor<1x512xf16, #rows>
      scf.yield %loaded : tensor<1x512xf16, #rows>
    } else {
      scf.yield %zeros : tensor<1x512xf16, #rows>
    }
    %wide = arith.extf %row : tensor<1x512xf16, #rows> to tensor<1x512xf32, #rows>
    %part = tile.reduce %wide axis 1 per_warp : tensor<1x512xf32, #rows> -> tensor<1x4xf32, #parts> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.local_store %part, %s {vector_width = 1 : i64} : tensor<1x4xf32, #parts>, !tile.shared<1x4xf32, #shared>
    %others = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<1x4xf32, #shared> -> tensor<1x4xf32, #all>
    %sum = tile.reduce %others axis 1 : tensor<1x4xf32, #all> -> tensor<1xf32, #one> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.store_view %sum, %y[%i] {vector_width = 1 : i64} : tensor<1xf32, #one>, !tile.view<?xf32, [1]>
    scf.yield %ahead : tensor<1x512xf16, #rows>
  }
  tile.return
}
