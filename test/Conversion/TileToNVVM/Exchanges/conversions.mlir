// Conversions inside of warps: selects and shuffles.

// RUN: tile-opt --convert-tile-to-nvvm --canonicalize --cse --split-input-file %s | FileCheck %s

// A bit of the register for bit 0 of the lane: each lane keeps one of two registers, offers the
// other one, and puts what it gets in its place.
#a = #tile.register_layout<register[2] lane[32] warp[4]>
#b = #tile.register_layout<lane[2] register[2] lane[16] warp[4]>
// CHECK-LABEL: llvm.func @exchange
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[A:.*]] = arith.ori
// CHECK: %[[B:.*]] = arith.addi %[[A]], %c1_i32
// CHECK: %[[BIT:.*]] = arith.andi %[[LANE]], %c1_i32
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK: %[[OFFERED:.*]] = arith.select %[[ODD]], %[[A]], %[[B]]
// CHECK: %[[GOT:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[OFFERED]], %c1_i32, %c31_i32
// CHECK-DAG: arith.select %[[ODD]], %[[GOT]], %[[A]]
// CHECK-DAG: arith.select %[[ODD]], %[[B]], %[[GOT]]
// CHECK-NOT: shfl
tile.kernel @exchange(%P: !tile.ptr<i32>) {
  %qs = tile.splat %P : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #b>
  %t = tile.iota 0 : tensor<256xi32, #a>
  %u = tile.convert_layout %t : tensor<256xi32, #a> -> tensor<256xi32, #b>
  tile.store %qs, %u {vector_width = 1 : i64} : tensor<256x!tile.ptr<i32>, #b>
  tile.return
}

// -----

// Four bytes travel in a word; the lane to read from is computed once.
#a = #tile.register_layout<lane[4,1] lane[1,8] register[1,4]>
#b = #tile.register_layout<lane[1,8] lane[4,1] register[1,4]>
// CHECK-LABEL: llvm.func @packed
// CHECK: %[[TO:.*]] = arith.ori
// CHECK-COUNT-4: llvm.insertelement
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: %[[GOT:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WORD]], %[[TO]],
// CHECK: %[[BYTES:.*]] = llvm.bitcast %[[GOT]] : i32 to vector<4xi8>
// CHECK-COUNT-4: llvm.extractelement %[[BYTES]]
// CHECK-NOT: shfl
tile.kernel @packed(%P: !tile.ptr<i8>) attributes {num_warps = 1 : i32} {
  %ps = tile.splat %P : !tile.ptr<i8> -> tensor<4x32x!tile.ptr<i8>, #a>
  %qs = tile.splat %P : !tile.ptr<i8> -> tensor<4x32x!tile.ptr<i8>, #b>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<4x32x!tile.ptr<i8>, #a>
  %u = tile.convert_layout %t : tensor<4x32xi8, #a> -> tensor<4x32xi8, #b>
  tile.store %qs, %u {vector_width = 1 : i64} : tensor<4x32x!tile.ptr<i8>, #b>
  tile.return
}

// -----

// Eight bytes take two shuffles; so do index values and pointers. Masks are bytes on the way.
#a = #tile.register_layout<lane[4] lane[8]>
#b = #tile.register_layout<32, lane = [[8], [16], [1], [2], [4]]>
// CHECK-LABEL: llvm.func @wide
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f64 to i64
// CHECK: %[[LOW:.*]] = arith.trunci %[[BITS]] : i64 to i32
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[LOW]],
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[BITS]], %c32_i64
// CHECK: %[[HIGH:.*]] = arith.trunci %[[SHIFTED]] : i64 to i32
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[HIGH]],
// CHECK: arith.bitcast %{{.*}} : i64 to f64
// CHECK: llvm.ptrtoint
// CHECK-COUNT-2: nvvm.shfl.sync idx
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK: arith.extui %{{.*}} : i1 to i32
// CHECK-NEXT: nvvm.shfl.sync idx
// CHECK-NEXT: arith.trunci %{{.*}} : i32 to i1
// CHECK-NOT: shfl
tile.kernel @wide(%P: !tile.ptr<f64>) attributes {num_warps = 1 : i32} {
  %i = tile.iota 0 : tensor<32xi32, #a>
  %c5 = arith.constant dense<5> : tensor<32xi32, #a>
  %m = arith.cmpi slt, %i, %c5 : tensor<32xi32, #a>
  %bases = tile.splat %P : !tile.ptr<f64> -> tensor<32x!tile.ptr<f64>, #a>
  %ps = tile.addptr %bases, %i : tensor<32x!tile.ptr<f64>, #a>, tensor<32xi32, #a>
  %t = tile.load %ps {vector_width = 1 : i64} : tensor<32x!tile.ptr<f64>, #a>
  %u = tile.convert_layout %t : tensor<32xf64, #a> -> tensor<32xf64, #b>
  %qs = tile.convert_layout %ps : tensor<32x!tile.ptr<f64>, #a> -> tensor<32x!tile.ptr<f64>, #b>
  %n = tile.convert_layout %m : tensor<32xi1, #a> -> tensor<32xi1, #b>
  tile.store %qs, %u mask %n {vector_width = 1 : i64} : tensor<32x!tile.ptr<f64>, #b>
  tile.return
}
