// Blocks that stay, and add once for all of their programs.

// RUN: split-file %s %t
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-add-once --tile-canonicalize --cse %t/kernels.mlir | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_90a --tile-add-once %t/declined.mlir | FileCheck %s --check-prefix=OFF
// OFF-NOT: persistent

//--- kernels.mlir

// What is summed is added up first. Programs along axes that nobody asks for add, too.
// CHECK-LABEL: tile.kernel @sum
// CHECK-SAME: persistent
// CHECK-DAG: %[[NOTHING:.*]] = arith.constant dense<-0.000000e+00> : tensor<512xf32>
// CHECK-DAG: %[[PROGRAMS:.*]] = num_programs 0
// CHECK-DAG: %[[ALIKE:.*]] = arith.muli
// CHECK-DAG: %[[FIRST:.*]] = block_id
// CHECK-DAG: %[[STEP:.*]] = num_blocks
// CHECK: %[[ALL:.*]] = scf.for {{.*}} to %[[ALIKE]] {{.*}} iter_args(%[[OUTER:.*]] = %[[NOTHING]])
// CHECK: %[[SUMS:.*]] = scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %[[PROGRAMS]] step %[[STEP]] iter_args(%[[SO_FAR:.*]] = %[[OUTER]])
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[SO_FAR]], %[[X]] : tensor<512xf32>
// CHECK: scf.yield %[[NEXT]]
// CHECK: scf.yield %[[SUMS]]
// CHECK: %[[SUM:.*]] = reduce %[[ALL]] axis 0
// CHECK: atomic_rmw add %total, %[[SUM]]
tile.kernel @sum(%x: !tile.ptr<f32> {tile.disjoint}, %total: !tile.ptr<f32> {tile.disjoint}) attributes {num_warps = 4 : i32} {
  %program = tile.program_id 0
  %number = arith.index_cast %program : index to i32
  %c512 = arith.constant 512 : i32
  %first = arith.muli %number, %c512 : i32
  %firsts = tile.splat %first : i32 -> tensor<512xi32>
  %iota = tile.iota 0 : tensor<512xi32>
  %places = arith.addi %firsts, %iota : tensor<512xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ps = tile.addptr %base, %places : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %ps : tensor<512x!tile.ptr<f32>>
  %sum = tile.reduce %v axis 0 : tensor<512xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %old = tile.atomic_rmw add %total, %sum : !tile.ptr<f32>
  tile.return
}

// Counters stay in shared memory. A mask and pointers that all programs share are computed behind the loop.
// CHECK-LABEL: tile.kernel @counts
// CHECK: %[[COUNTERS:.*]] = alloc_shared
// CHECK: local_store %{{.*}}, %[[COUNTERS]]
// CHECK: scf.for
// CHECK-NOT: local_load
// CHECK: tile.local_count %{{.*}}, %[[COUNTERS]]
// CHECK-NOT: local_load
// CHECK: } {tile.num_stages = 1 : i32, tile.programs}
// CHECK: %[[READ:.*]] = local_load %[[COUNTERS]]
// CHECK: %[[FOUND:.*]] = reduce %[[READ]] axis 1
// CHECK: %[[PLACES:.*]] = addptr
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: atomic_rmw add %[[PLACES]], %[[FOUND]] mask %[[INSIDE]]
tile.kernel @counts(%x: !tile.ptr<i32> {tile.disjoint}, %counts: !tile.ptr<i32> {tile.disjoint}, %n: i32) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %number = arith.index_cast %program : index to i32
  %p = tile.addptr %x, %number : !tile.ptr<i32>, i32
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %iota = tile.iota 0 : tensor<256xi32>
  %ps = tile.addptr %base, %iota : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %ps : tensor<256x!tile.ptr<i32>>
  %counters = tile.alloc_shared : !tile.shared<32x4xi32, #tile.shared_layout<32x4>>
  %zero = arith.constant dense<0> : tensor<32x4xi32>
  tile.local_store %zero, %counters : tensor<32x4xi32>, !tile.shared<32x4xi32, #tile.shared_layout<32x4>>
  tile.local_count %v, %counters : tensor<256xi32>, !tile.shared<32x4xi32, #tile.shared_layout<32x4>>
  %read = tile.local_load %counters : !tile.shared<32x4xi32, #tile.shared_layout<32x4>> -> tensor<32x4xi32>
  %found = tile.reduce %read axis 1 : tensor<32x4xi32> -> tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %bins = tile.iota 0 : tensor<32xi32>
  %to = tile.splat %counts : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %qs = tile.addptr %to, %bins : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %inside = arith.cmpi slt, %bins, %ns : tensor<32xi32>
  %old = tile.atomic_rmw add %qs, %found mask %inside : tensor<32x!tile.ptr<i32>>
  tile.return
}

//--- declined.mlir

// A place of its own.
tile.kernel @apart(%x: !tile.ptr<f32> {tile.disjoint}, %total: !tile.ptr<f32> {tile.disjoint}) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %p = tile.addptr %x, %program : !tile.ptr<f32>, index
  %q = tile.addptr %total, %program : !tile.ptr<f32>, index
  %v = tile.load %p : !tile.ptr<f32>
  %old = tile.atomic_rmw add %q, %v : !tile.ptr<f32>
  tile.return
}

// What stood there before is asked for.
tile.kernel @asked(%x: !tile.ptr<f32> {tile.disjoint}, %total: !tile.ptr<f32> {tile.disjoint}) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %p = tile.addptr %x, %program : !tile.ptr<f32>, index
  %v = tile.load %p : !tile.ptr<f32>
  %old = tile.atomic_rmw add %total, %v : !tile.ptr<f32>
  tile.store %p, %old : !tile.ptr<f32>
  tile.return
}

// What is added to may be read.
tile.kernel @read(%x: !tile.ptr<f32> {tile.may_overlap}, %total: !tile.ptr<f32> {tile.may_overlap}) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %p = tile.addptr %x, %program : !tile.ptr<f32>, index
  %v = tile.load %p : !tile.ptr<f32>
  %old = tile.atomic_rmw add %total, %v : !tile.ptr<f32>
  tile.return
}

// The largest is none of a sum.
tile.kernel @most(%x: !tile.ptr<i32> {tile.disjoint}, %total: !tile.ptr<i32> {tile.disjoint}) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %p = tile.addptr %x, %program : !tile.ptr<i32>, index
  %v = tile.load %p : !tile.ptr<i32>
  %old = tile.atomic_rmw max %total, %v : !tile.ptr<i32>
  tile.return
}

// Each program has a loop.
tile.kernel @loop(%x: !tile.ptr<i32> {tile.disjoint}, %total: !tile.ptr<i32> {tile.disjoint}, %n: index) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %p = tile.addptr %x, %program : !tile.ptr<i32>, index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %zero) -> (i32) {
    %q = tile.addptr %p, %i : !tile.ptr<i32>, index
    %v = tile.load %q : !tile.ptr<i32>
    %next = arith.addi %so_far, %v : i32
    scf.yield %next : i32
  }
  %old = tile.atomic_rmw add %total, %sum : !tile.ptr<i32>
  tile.return
}

// It knows how many programs there are.
tile.kernel @knows(%x: !tile.ptr<i32> {tile.disjoint}, %total: !tile.ptr<i32> {tile.disjoint}) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %programs = tile.num_programs 0
  %left = arith.subi %programs, %program : index
  %p = tile.addptr %x, %left : !tile.ptr<i32>, index
  %v = tile.load %p : !tile.ptr<i32>
  %old = tile.atomic_rmw add %total, %v : !tile.ptr<i32>
  tile.return
}

// A branch of each has one.
tile.kernel @loop_in_branch(%x: !tile.ptr<i32> {tile.disjoint}, %total: !tile.ptr<i32> {tile.disjoint}, %n: index) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %p = tile.addptr %x, %program : !tile.ptr<i32>, index
  %v = tile.load %p : !tile.ptr<i32>
  %some = arith.cmpi sgt, %v, %zero : i32
  %sum = scf.if %some -> (i32) {
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %v) -> (i32) {
      %next = arith.muli %so_far, %v : i32
      scf.yield %next : i32
    }
    scf.yield %all : i32
  } else {
    scf.yield %zero : i32
  }
  %old = tile.atomic_rmw add %total, %sum : !tile.ptr<i32>
  tile.return
}

// It counts behind what is added, too: all programs' counts would be.
!counters = !tile.shared<32x4xi32, #tile.shared_layout<32x4>>
tile.kernel @counts_behind(%x: !tile.ptr<i32> {tile.disjoint}, %counts: !tile.ptr<i32> {tile.disjoint}) attributes {num_warps = 1 : i32} {
  %program = tile.program_id 0
  %p = tile.addptr %x, %program : !tile.ptr<i32>, index
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %iota = tile.iota 0 : tensor<256xi32>
  %ps = tile.addptr %base, %iota : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %ps : tensor<256x!tile.ptr<i32>>
  %counters = tile.alloc_shared : !counters
  %zero = arith.constant dense<0> : tensor<32x4xi32>
  tile.local_store %zero, %counters : tensor<32x4xi32>, !counters
  tile.local_count %v, %counters : tensor<256xi32>, !counters
  %read = tile.local_load %counters : !counters -> tensor<32x4xi32>
  tile.local_count %v, %counters : tensor<256xi32>, !counters
  %found = tile.reduce %read axis 1 : tensor<32x4xi32> -> tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %bins = tile.iota 0 : tensor<32xi32>
  %to = tile.splat %counts : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %qs = tile.addptr %to, %bins : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %old = tile.atomic_rmw add %qs, %found : tensor<32x!tile.ptr<i32>>
  tile.return
}
