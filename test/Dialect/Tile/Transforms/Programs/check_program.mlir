// What passes the door as it is, but for constants and promises: both levels, and regions that combine in any
// order, as far as a few numbers can tell.

// RUN: tile-opt --tile-check-program %s | FileCheck %s
// CHECK: tile.kernel @program
// CHECK: arith.constant 0xFF800000 : f32
// CHECK-NOT: {{^ *(tile.)?constant}}
// CHECK: tile.kernel @placed

tile.kernel @program(%X: !tile.ptr<f32>, %n: index, %i: i7) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = tile.constant -inf : f32
  %j = arith.extsi %i : i7 to i64
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%c0] else %least : f32 : !tile.view<?xf32, [1]> -> tensor<128xf32>
  %e = math.exp %t : tensor<128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %e) -> tensor<128xf32> {
    %c = arith.cmpi slt, %k, %n : index
    %next = scf.if %c -> tensor<128xf32> {
      scf.yield %e : tensor<128xf32>
    } else {
      scf.yield %acc : tensor<128xf32>
    }
    scf.yield %next : tensor<128xf32>
  }
  tile.store_view %sum, %x[%c0] : tensor<128xf32>, !tile.view<?xf32, [1]>
  tile.return
}

#line = #tile.register_layout<lane[32] warp*4>
tile.kernel @placed(%x: f32, %k: i1, %i: i32, %s: f16) {
  %t = tile.splat %x : f32 -> tensor<32xf32, #line>
  %b = tile.splat %k : i1 -> tensor<32xi1, #line>
  %j = tile.splat %i : i32 -> tensor<32xi32, #line>
  %h = tile.splat %s : f16 -> tensor<32xf16, #line>
  %shared = tile.alloc_shared : !tile.shared<32xf32>
  tile.local_store %t, %shared : tensor<32xf32, #line>, !tile.shared<32xf32>
  tile.barrier

  %largest, %where = tile.reduce %t, %j axis 0 : tensor<32xf32, #line>, tensor<32xi32, #line> -> f32, i32 {
  ^bb0(%a: f32, %u: i32, %c: f32, %v: i32):
    %less = arith.cmpf olt, %a, %c : f32
    %d = arith.select %less, %c, %a : f32
    %w = arith.select %less, %v, %u : i32
    tile.yield %d, %w : f32, i32
  }
  // Bits tie; any place of a true one will do.
  %any, %place = tile.reduce %b, %j axis 0 : tensor<32xi1, #line>, tensor<32xi32, #line> -> i1, i32 {
  ^bb0(%a: i1, %u: i32, %c: i1, %v: i32):
    %less = arith.cmpi ult, %a, %c : i1
    %d = arith.select %less, %c, %a : i1
    %w = arith.select %less, %v, %u : i32
    tile.yield %d, %w : i1, i32
  }
  // Beside a sum, the place of any element.
  %sum, %one = tile.reduce %t, %j axis 0 : tensor<32xf32, #line>, tensor<32xi32, #line> -> f32, i32 {
  ^bb0(%a: f32, %u: i32, %c: f32, %v: i32):
    %d = arith.addf %a, %c : f32
    tile.yield %d, %u : f32, i32
  }
  // Equal up to rounding: log(exp(a) + exp(b)).
  %log = tile.reduce %h axis 0 : tensor<32xf16, #line> -> f16 {
  ^bb0(%a: f16, %c: f16):
    %p = math.exp %a : f16
    %q = math.exp %c : f16
    %r = arith.addf %p, %q : f16
    %d = math.log %r : f16
    tile.yield %d : f16
  }
  // A maximum and a sum that follows it, as softmax wants.
  %max, %total = tile.reduce %t, %t axis 0 : tensor<32xf32, #line>, tensor<32xf32, #line> -> f32, f32 {
  ^bb0(%a: f32, %u: f32, %c: f32, %v: f32):
    %m = arith.maximumf %a, %c : f32
    %am = arith.subf %a, %m : f32
    %cm = arith.subf %c, %m : f32
    %ae = math.exp %am : f32
    %ce = math.exp %cm : f32
    %uu = arith.mulf %u, %ae : f32
    %vv = arith.mulf %v, %ce : f32
    %d = arith.addf %uu, %vv : f32
    tile.yield %m, %d : f32, f32
  }
  tile.return
}

// CHECK: tile.kernel @promises
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : f32
// CHECK: math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK: math.sqrt %{{.*}} fastmath<afn> : f32
tile.kernel @promises(%a: i32, %x: f32) {
  %r = arith.addi %a, %a overflow<nsw> : i32
  %s = arith.divui %r, %a exact : i32
  %t = arith.addf %x, %x fastmath<contract,nnan> : f32
  %u = arith.mulf %t, %x fastmath<nnan> : f32
  %v = arith.truncf %u fastmath<contract> : f32 to f16
  %w = math.exp %u fastmath<fast> : f32
  %q = arith.divf %u, %x fastmath<fast> : f32
  %z = math.exp2 %u fastmath<fast> : f32
  %o = math.sqrt %u fastmath<fast> : f32
  tile.return
}
