// Warps meet once for two results of which neither waits for the other.

// RUN: tile-opt --tile-join-exchanges %s | FileCheck %s
// RUN: tile-opt --tile-join-exchanges --tile-set-target=target=sm_90a --tile-allocate-shared --cse --tile-insert-barriers %s | FileCheck %s --check-prefix=ORDER

#row = #tile.register_layout<register[4] lane[32] warp[4]>
#parts = #tile.register_layout<lane*32 warp[4]>
#all = #tile.register_layout<register[4] lane*32 warp*4>
#s = #tile.shared_layout<4>
#wide = #tile.shared_layout<512>

// CHECK-LABEL: tile.kernel @apart
// CHECK: %[[S:.*]] = alloc_shared
// CHECK: reduce %{{.*}} axis 0 per_warp
// CHECK: %[[T:.*]] = alloc_shared
// CHECK-NEXT: local_store %{{.*}}, %[[S]] :
// CHECK-NEXT: local_store %{{.*}}, %[[T]] :
// CHECK-NEXT: local_load %[[S]] :
// CHECK: local_load %[[T]] :
// ORDER-LABEL: tile.kernel @apart
// ORDER-COUNT-1: {{^ *}}barrier
// ORDER-NOT: barrier
// ORDER: return
tile.kernel @apart(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tile.splat %x : f32 -> tensor<512xf32, #row>
  %v = tile.splat %y : f32 -> tensor<512xf32, #row>
  %a = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%aa: f32, %aa2: f32):
    %aa3 = arith.addf %aa, %aa2 : f32
    tile.yield %aa3 : f32
  }
  %s = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %a, %s : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %b = tile.local_load %s : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %sum = tile.reduce %b axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%asum: f32, %asum2: f32):
    %asum3 = arith.addf %asum, %asum2 : f32
    tile.yield %asum3 : f32
  }
  %c = tile.reduce %v axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%ac: f32, %ac2: f32):
    %ac3 = arith.addf %ac, %ac2 : f32
    tile.yield %ac3 : f32
  }
  %t = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %c, %t : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %d = tile.local_load %t : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %other = tile.reduce %d axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%aother: f32, %aother2: f32):
    %aother3 = arith.addf %aother, %aother2 : f32
    tile.yield %aother3 : f32
  }
  %both = arith.addf %sum, %other : f32
  tile.store %X, %both : !tile.ptr<f32>
  tile.return
}

// In a loop what is stored goes to two places in turn: nobody waits for who still reads what the iteration before has stored.
// CHECK-LABEL: tile.kernel @turns
// CHECK-DAG: %[[S:.*]] = alloc_shared : !tile.shared<2x4xf32
// CHECK-DAG: %[[T:.*]] = alloc_shared : !tile.shared<2x4xf32
// CHECK: scf.for {{.*}} iter_args(%[[TURN:.*]] = %{{.*}}) -> (index)
// CHECK-DAG: %[[A:.*]] = {{.*}}subview %[[S]][%[[TURN]]]
// CHECK-DAG: %[[B:.*]] = {{.*}}subview %[[T]][%[[TURN]]]
// CHECK: local_store %{{.*}}, %[[A]] :
// CHECK-NEXT: local_store %{{.*}}, %[[B]] :
// CHECK-NEXT: local_load %[[A]] :
// CHECK: local_load %[[B]] :
// CHECK: %[[NEXT:.*]] = arith.subi %c1{{.*}}, %[[TURN]]
// CHECK: scf.yield %[[NEXT]]
// ORDER-LABEL: tile.kernel @turns
// ORDER: scf.for
// ORDER: local_store
// ORDER-NEXT: local_store
// ORDER-NEXT: barrier
// ORDER-NOT: barrier
// ORDER: return
tile.kernel @turns(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.splat %x : f32 -> tensor<512xf32, #row>
    %v = tile.splat %y : f32 -> tensor<512xf32, #row>
    %a = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
    ^bb0(%aa: f32, %aa2: f32):
      %aa3 = arith.addf %aa, %aa2 : f32
      tile.yield %aa3 : f32
    }
    %s = tile.alloc_shared : !tile.shared<4xf32, #s>
    tile.local_store %a, %s : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %b = tile.local_load %s : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %sum = tile.reduce %b axis 0 : tensor<4xf32, #all> -> f32 {
    ^bb0(%asum: f32, %asum2: f32):
      %asum3 = arith.addf %asum, %asum2 : f32
      tile.yield %asum3 : f32
    }
    %c = tile.reduce %v axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
    ^bb0(%ac: f32, %ac2: f32):
      %ac3 = arith.addf %ac, %ac2 : f32
      tile.yield %ac3 : f32
    }
    %t = tile.alloc_shared : !tile.shared<4xf32, #s>
    tile.local_store %c, %t : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %d = tile.local_load %t : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %other = tile.reduce %d axis 0 : tensor<4xf32, #all> -> f32 {
    ^bb0(%aother: f32, %aother2: f32):
      %aother3 = arith.addf %aother, %aother2 : f32
      tile.yield %aother3 : f32
    }
    %both = arith.addf %sum, %other : f32
    tile.store %X, %both : !tile.ptr<f32>
  }
  tile.return
}

// The third one waits for the first one alone, and so is stored with the second one, which was with the first one.
// CHECK-LABEL: tile.kernel @three
// CHECK-COUNT-3: alloc_shared : !tile.shared<2x4xf32
// CHECK: scf.for
// CHECK: local_store
// CHECK-NEXT: local_load
// CHECK: local_store
// CHECK-NEXT: local_store
// CHECK-NEXT: local_load
// CHECK: local_load
// CHECK: scf.yield
// ORDER-LABEL: tile.kernel @three
// ORDER: scf.for
// ORDER-COUNT-2: {{^ *}}barrier
// ORDER-NOT: barrier
// ORDER: return
tile.kernel @three(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %u = tile.splat %x : f32 -> tensor<512xf32, #row>
    %v = tile.splat %y : f32 -> tensor<512xf32, #row>
    %part0 = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
    ^bb0(%part00: f32, %part01: f32):
      %part02 = arith.addf %part00, %part01 : f32
      tile.yield %part02 : f32
    }
    %s0 = tile.alloc_shared : !tile.shared<4xf32, #s>
    tile.local_store %part0, %s0 : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %all0 = tile.local_load %s0 : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %sum0 = tile.reduce %all0 axis 0 : tensor<4xf32, #all> -> f32 {
    ^bb0(%sum00: f32, %sum01: f32):
      %sum02 = arith.addf %sum00, %sum01 : f32
      tile.yield %sum02 : f32
    }
    %part1 = tile.reduce %v axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
    ^bb0(%part10: f32, %part11: f32):
      %part12 = arith.addf %part10, %part11 : f32
      tile.yield %part12 : f32
    }
    %s1 = tile.alloc_shared : !tile.shared<4xf32, #s>
    tile.local_store %part1, %s1 : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %all1 = tile.local_load %s1 : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %sum1 = tile.reduce %all1 axis 0 : tensor<4xf32, #all> -> f32 {
    ^bb0(%sum10: f32, %sum11: f32):
      %sum12 = arith.addf %sum10, %sum11 : f32
      tile.yield %sum12 : f32
    }
    %spread = tile.splat %sum0 : f32 -> tensor<512xf32, #row>
    %w = arith.mulf %v, %spread : tensor<512xf32, #row>
    %part2 = tile.reduce %w axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
    ^bb0(%part20: f32, %part21: f32):
      %part22 = arith.addf %part20, %part21 : f32
      tile.yield %part22 : f32
    }
    %s2 = tile.alloc_shared : !tile.shared<4xf32, #s>
    tile.local_store %part2, %s2 : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
    %all2 = tile.local_load %s2 : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
    %sum2 = tile.reduce %all2 axis 0 : tensor<4xf32, #all> -> f32 {
    ^bb0(%sum20: f32, %sum21: f32):
      %sum22 = arith.addf %sum20, %sum21 : f32
      tile.yield %sum22 : f32
    }
    %both = arith.addf %sum1, %sum2 : f32
    tile.store %X, %both : !tile.ptr<f32>
  }
  tile.return
}

// What is stored for the second hangs on what the first one says.
// CHECK-LABEL: tile.kernel @waits
// CHECK: local_store
// CHECK: local_load
// CHECK: local_store
// CHECK: local_load
tile.kernel @waits(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tile.splat %x : f32 -> tensor<512xf32, #row>
  %v = tile.splat %y : f32 -> tensor<512xf32, #row>
  %a = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%aa: f32, %aa2: f32):
    %aa3 = arith.addf %aa, %aa2 : f32
    tile.yield %aa3 : f32
  }
  %s = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %a, %s : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %b = tile.local_load %s : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %sum = tile.reduce %b axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%asum: f32, %asum2: f32):
    %asum3 = arith.addf %asum, %asum2 : f32
    tile.yield %asum3 : f32
  }
  %spread = tile.splat %sum : f32 -> tensor<512xf32, #row>
  %w = arith.mulf %v, %spread : tensor<512xf32, #row>
  %c = tile.reduce %w axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%ac: f32, %ac2: f32):
    %ac3 = arith.addf %ac, %ac2 : f32
    tile.yield %ac3 : f32
  }
  %t = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %c, %t : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %d = tile.local_load %t : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %other = tile.reduce %d axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%aother: f32, %aother2: f32):
    %aother3 = arith.addf %aother, %aother2 : f32
    tile.yield %aother3 : f32
  }
  %both = arith.addf %sum, %other : f32
  tile.store %X, %both : !tile.ptr<f32>
  tile.return
}

// Across a loop it would be kept for long.
// CHECK-LABEL: tile.kernel @across_loop
// CHECK: local_store
// CHECK: local_load
// CHECK: scf.for
// CHECK: local_store
// CHECK: local_load
tile.kernel @across_loop(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tile.splat %x : f32 -> tensor<512xf32, #row>
  %v = tile.splat %y : f32 -> tensor<512xf32, #row>
  %a = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%aa: f32, %aa2: f32):
    %aa3 = arith.addf %aa, %aa2 : f32
    tile.yield %aa3 : f32
  }
  %s = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %a, %s : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %b = tile.local_load %s : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %sum = tile.reduce %b axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%asum: f32, %asum2: f32):
    %asum3 = arith.addf %asum, %asum2 : f32
    tile.yield %asum3 : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = tile.addptr %X, %i : !tile.ptr<f32>, index
    tile.store %p, %y : !tile.ptr<f32>
  }
  %c = tile.reduce %v axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%ac: f32, %ac2: f32):
    %ac3 = arith.addf %ac, %ac2 : f32
    tile.yield %ac3 : f32
  }
  %t = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %c, %t : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %d = tile.local_load %t : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %other = tile.reduce %d axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%aother: f32, %aother2: f32):
    %aother3 = arith.addf %aother, %aother2 : f32
    tile.yield %aother3 : f32
  }
  %both = arith.addf %sum, %other : f32
  tile.store %X, %both : !tile.ptr<f32>
  tile.return
}

// More than an element a thread.
// CHECK-LABEL: tile.kernel @large
// CHECK: local_store
// CHECK: local_load
// CHECK: local_store
// CHECK: local_load
tile.kernel @large(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tile.splat %x : f32 -> tensor<512xf32, #row>
  %v = tile.splat %y : f32 -> tensor<512xf32, #row>
  %a = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%aa: f32, %aa2: f32):
    %aa3 = arith.addf %aa, %aa2 : f32
    tile.yield %aa3 : f32
  }
  %s = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %a, %s : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %b = tile.local_load %s : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %sum = tile.reduce %b axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%asum: f32, %asum2: f32):
    %asum3 = arith.addf %asum, %asum2 : f32
    tile.yield %asum3 : f32
  }
  %t = tile.alloc_shared : !tile.shared<512xf32, #wide>
  tile.local_store %v, %t : tensor<512xf32, #row>, !tile.shared<512xf32, #wide>
  %d = tile.local_load %t : !tile.shared<512xf32, #wide> -> tensor<512xf32, #row>
  %other = tile.reduce %d axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%aother: f32, %aother2: f32):
    %aother3 = arith.addf %aother, %aother2 : f32
    tile.yield %aother3 : f32
  }
  tile.return
}

// Blocks of a cluster tell each other at once, too.
// CHECK-LABEL: tile.kernel @cluster
// CHECK: local_store
// CHECK-NEXT: local_store
// CHECK-NEXT: local_load
// CHECK: local_load
tile.kernel @cluster(%X: !tile.ptr<f32>, %x: f32, %y: f32, %n: index) attributes {cluster_blocks = 2 : i32, num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tile.splat %x : f32 -> tensor<512xf32, #row>
  %v = tile.splat %y : f32 -> tensor<512xf32, #row>
  %a = tile.reduce %u axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%aa: f32, %aa2: f32):
    %aa3 = arith.addf %aa, %aa2 : f32
    tile.yield %aa3 : f32
  }
  %s = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %a, %s : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %b = tile.local_load %s : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %sum = tile.reduce %b axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%asum: f32, %asum2: f32):
    %asum3 = arith.addf %asum, %asum2 : f32
    tile.yield %asum3 : f32
  }
  %c = tile.reduce %v axis 0 per_warp : tensor<512xf32, #row> -> tensor<4xf32, #parts> {
  ^bb0(%ac: f32, %ac2: f32):
    %ac3 = arith.addf %ac, %ac2 : f32
    tile.yield %ac3 : f32
  }
  %t = tile.alloc_shared : !tile.shared<4xf32, #s>
  tile.local_store %c, %t : tensor<4xf32, #parts>, !tile.shared<4xf32, #s>
  %d = tile.local_load %t : !tile.shared<4xf32, #s> -> tensor<4xf32, #all>
  %other = tile.reduce %d axis 0 : tensor<4xf32, #all> -> f32 {
  ^bb0(%aother: f32, %aother2: f32):
    %aother3 = arith.addf %aother, %aother2 : f32
    tile.yield %aother3 : f32
  }
  %both = arith.addf %sum, %other : f32
  tile.store %X, %both : !tile.ptr<f32>
  tile.return
}
