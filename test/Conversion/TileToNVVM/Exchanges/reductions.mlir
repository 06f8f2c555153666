// Reductions in a warp: registers first, then exchanges between lanes.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

// Two registers, then lanes 1 and 2 apart; the 8 lanes that hold other rows
// are left out of it.
// CHECK-LABEL: llvm.func @rows
// CHECK-COUNT-1: arith.addf
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %[[ONE]]
// CHECK: arith.addf
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %[[TWO]]
// CHECK: arith.addf
// CHECK-NOT: shfl
// CHECK: llvm.return
tile.kernel @rows(%x: f32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f32 -> tensor<8x8xf32, #tile.register_layout<register[1,2] lane[8,4]>>
  %s = tile.reduce %t axis 1 : tensor<8x8xf32, #tile.register_layout<register[1,2] lane[8,4]>> -> tensor<8xf32, #tile.register_layout<lane*4 lane[8]>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}

// Along registers only.
// CHECK-LABEL: llvm.func @registers
// CHECK-COUNT-3: arith.maxsi
// CHECK-NOT: arith.maxsi
// CHECK-NOT: shfl
// CHECK: llvm.return
tile.kernel @registers(%x: i32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : i32 -> tensor<4x32xi32, #tile.register_layout<lane[1,32] register[4,1]>>
  %s = tile.reduce %t axis 0 : tensor<4x32xi32, #tile.register_layout<lane[1,32] register[4,1]>> -> tensor<32xi32, #tile.register_layout<lane[32]>> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  tile.return
}

// 64-bit elements travel as two words, narrow ones in one.
// CHECK-LABEL: llvm.func @widths
// CHECK-COUNT-2: shfl.sync
// CHECK: arith.addf %{{.*}} : f64
// CHECK: shfl.sync
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.addf %{{.*}} : f16
// CHECK-NOT: shfl
// CHECK: llvm.return
tile.kernel @widths(%x: f64, %y: f16) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f64 -> tensor<2xf64, #tile.register_layout<lane[2] lane*16>>
  %r = tile.reduce %t axis 0 : tensor<2xf64, #tile.register_layout<lane[2] lane*16>> -> f64 {
  ^bb0(%a: f64, %b: f64):
    %c = arith.addf %a, %b : f64
    tile.yield %c : f64
  }
  %u = tile.splat %y : f16 -> tensor<2xf16, #tile.register_layout<lane[2] lane*16>>
  %s = tile.reduce %u axis 0 : tensor<2xf16, #tile.register_layout<lane[2] lane*16>> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.return
}

// -----

#regs = #tile.register_layout<register[4] lane*32>
// Numbers and their places are compared one after the other; sums of which each is one op in pairs.
// CHECK-LABEL: llvm.func @in_order
// CHECK: %[[A:.*]] = arith.select %{{.*}}, %[[X0:.*]], %[[X1:.*]] : i32
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %[[A]], %[[X2:.*]] : i32
// CHECK: arith.select %{{.*}}, %[[B]], %{{.*}} : i32
// CHECK: %[[LEFT:.*]] = arith.addi %[[X0]], %[[X1]]
// CHECK: %[[RIGHT:.*]] = arith.addi %[[X2]], %
// CHECK: arith.addi %[[LEFT]], %[[RIGHT]]
tile.kernel @in_order(%A: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %B: !tile.ptr<i32>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.view %A, shape [4], strides [1] : !tile.ptr<i32> -> !tile.view<4xi32, [1]>
  %t = tile.load_view %a[%c0] {vector_width = 4 : i64} : !tile.view<4xi32, [1]> -> tensor<4xi32, #regs>
  %m = tile.reduce %t axis 0 : tensor<4xi32, #regs> -> i32 {
  ^bb0(%x: i32, %y: i32):
    %less = arith.cmpi slt, %x, %y : i32
    %least = arith.select %less, %x, %y : i32
    tile.yield %least : i32
  }
  %s = tile.reduce %t axis 0 : tensor<4xi32, #regs> -> i32 {
  ^bb0(%x: i32, %y: i32):
    %sum = arith.addi %x, %y : i32
    tile.yield %sum : i32
  }
  tile.store %B, %m : !tile.ptr<i32>
  tile.store %B, %s : !tile.ptr<i32>
  tile.return
}

// From four steps between lanes on nobody chooses: the first lane of each half of the warp has combined in order, and tells
// the others.
// CHECK-LABEL: llvm.func @told
// CHECK-NOT: arith.select
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: arith.select
// CHECK: %[[FIRST:.*]] = arith.constant 16 : i32
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %[[FIRST]] : i32
// CHECK: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[LANE]]
// CHECK-NOT: shfl
// CHECK: llvm.return
tile.kernel @told(%x: f32) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f32 -> tensor<2x16xf32, #tile.register_layout<lane[1,16] lane[2,1]>>
  %s = tile.reduce %t axis 1 : tensor<2x16xf32, #tile.register_layout<lane[1,16] lane[2,1]>> -> tensor<2xf32, #tile.register_layout<lane*16 lane[2]>> {
  ^bb0(%a: f32, %b: f32):
    %half = arith.constant 0.5 : f32
    %c = arith.mulf %b, %half : f32
    %d = arith.addf %a, %c : f32
    tile.yield %d : f32
  }
  tile.return
}

// Halves of words with halves of words, those of lanes, too, and then the two
// that are left.
// CHECK-LABEL: llvm.func @halves
// CHECK-COUNT-3: arith.maxnumf %{{.*}} : vector<2xbf16>
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: arith.maxnumf %{{.*}} : vector<2xbf16>
// CHECK: arith.maxnumf %{{.*}} : bf16
// CHECK-NOT: arith.maxnumf
tile.kernel @halves(%x: bf16) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : bf16 -> tensor<256xbf16, #tile.register_layout<register[8] lane[32]>>
  %s = tile.reduce %t axis 0 : tensor<256xbf16, #tile.register_layout<register[8] lane[32]>> -> bf16 {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.maxnumf %a, %b : bf16
    tile.yield %c : bf16
  }
  tile.return
}

// Registers that are no halves of a word, such as those of two rows, and sums
// go one by one.
// CHECK-LABEL: llvm.func @no_halves
// CHECK-NOT: vector<2x
// CHECK: llvm.return
tile.kernel @no_halves(%x: f16) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : f16 -> tensor<2x128xf16, #tile.register_layout<register[2,1] register[1,4] lane[1,32]>>
  %s = tile.reduce %t axis 1 : tensor<2x128xf16, #tile.register_layout<register[2,1] register[1,4] lane[1,32]>> -> tensor<2xf16, #tile.register_layout<register[2] lane*32>> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %u = tile.splat %x : f16 -> tensor<128xf16, #tile.register_layout<register[4] lane[32]>>
  %v = tile.reduce %u axis 0 : tensor<128xf16, #tile.register_layout<register[4] lane[32]>> -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.return
}

// -----

// Of several tiles, those registers first of which more is known: the third may be inside of the row or not.
// CHECK-LABEL: llvm.func @counts
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: %[[FIRST:.*]] = arith.uitofp %true
// CHECK: %[[SECOND:.*]] = arith.uitofp %true
// CHECK: %[[ANY:.*]] = arith.uitofp %[[INSIDE]]
// CHECK: %[[NONE:.*]] = arith.uitofp %false
// CHECK: %[[A:.*]] = arith.addf %[[FIRST]], %[[SECOND]]
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[NONE]]
// CHECK: arith.addf %[[B]], %[[ANY]]
// CHECK: shfl.sync
#known = #tile.register_layout<lane[32] register[4]>
tile.kernel @counts(%x: f32, %n: i32 {tile.bounds = array<i64: 65, 96>}, %p: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %zero = arith.constant 0.0 : f32
  %columns = tile.iota 0 : tensor<128xi32, #known>
  %ends = tile.splat %n : i32 -> tensor<128xi32, #known>
  %inside = arith.cmpi slt, %columns, %ends : tensor<128xi32, #known>
  %counts = arith.uitofp %inside : tensor<128xi1, #known> to tensor<128xf32, #known>
  %xs = tile.splat %x : f32 -> tensor<128xf32, #known>
  %s:2 = tile.reduce %xs, %counts axis 0 : tensor<128xf32, #known>, tensor<128xf32, #known> -> f32, f32 {
  ^bb0(%a: f32, %ac: f32, %b: f32, %bc: f32):
    %none = arith.constant 0.0 : f32
    %count = arith.addf %ac, %bc : f32
    %empty = arith.cmpf oeq, %count, %none : f32
    %sum = arith.addf %a, %b : f32
    %c = arith.select %empty, %a, %sum : f32
    tile.yield %c, %count : f32, f32
  }
  tile.store %p, %s#1 : !tile.ptr<f32>
  tile.return
}

// One instruction for integers of all lanes, where it is one op: not of 64 bits,
// nor of fewer lanes. What is narrower is made wider by its sign, where that
// counts.
// CHECK-LABEL: llvm.func @integers
// CHECK: nvvm.redux.sync add %{{.*}}, %{{.*}} : i32 -> i32
// CHECK: arith.extsi %{{.*}} : i16 to i32
// CHECK: nvvm.redux.sync max
// CHECK: arith.trunci
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: nvvm.redux.sync umin
// CHECK-NOT: redux
// CHECK: llvm.return
tile.kernel @integers(%x: i32, %y: i16, %z: i8, %w: i64) attributes {num_warps = 1 : i32} {
  %t = tile.splat %x : i32 -> tensor<32xi32, #tile.register_layout<lane[32]>>
  %r = tile.reduce %t axis 0 : tensor<32xi32, #tile.register_layout<lane[32]>> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %u = tile.splat %y : i16 -> tensor<32xi16, #tile.register_layout<lane[32]>>
  %s = tile.reduce %u axis 0 : tensor<32xi16, #tile.register_layout<lane[32]>> -> i16 {
  ^bb0(%a: i16, %b: i16):
    %c = arith.maxsi %a, %b : i16
    tile.yield %c : i16
  }
  %v = tile.splat %z : i8 -> tensor<32xi8, #tile.register_layout<lane[32]>>
  %p = tile.reduce %v axis 0 : tensor<32xi8, #tile.register_layout<lane[32]>> -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = arith.minui %a, %b : i8
    tile.yield %c : i8
  }
  %f = tile.splat %w : i64 -> tensor<32xi64, #tile.register_layout<lane[32]>>
  %q = tile.reduce %f axis 0 : tensor<32xi64, #tile.register_layout<lane[32]>> -> i64 {
  ^bb0(%a: i64, %b: i64):
    %c = arith.addi %a, %b : i64
    tile.yield %c : i64
  }
  %g = tile.splat %x : i32 -> tensor<16xi32, #tile.register_layout<lane[16] lane*2>>
  %h = tile.reduce %g axis 0 : tensor<16xi32, #tile.register_layout<lane[16] lane*2>> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.return
}
