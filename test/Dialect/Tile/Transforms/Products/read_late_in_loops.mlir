// What loops do not change and have no registers for is read where they use it.

// RUN: tile-opt --tile-set-target=target=sm_80 --tile-read-late %s | FileCheck %s

// 64 words beside 64 scores and 128 sums.
// CHECK-LABEL: tile.kernel @queries
// CHECK: local_store %{{.*}}, %[[Q:.*]] :
// CHECK-NOT: local_load
// CHECK: scf.for
// CHECK: %[[QS:.*]] = tile.local_load %[[Q]] {matrix}
// CHECK-NEXT: tile.dot %[[QS]]

// 32 sums leave room.
// CHECK-LABEL: tile.kernel @few_sums
// CHECK: local_load
// CHECK: scf.for
// CHECK-NOT: local_load

// It is another tile by then.
// CHECK-LABEL: tile.kernel @written_in_the_loop
// CHECK: local_load
// CHECK: scf.for
// CHECK-NOT: local_load

// It is in registers anyway.
// CHECK-LABEL: tile.kernel @used_before
// CHECK: local_load
// CHECK: scf.for
// CHECK-NOT: local_load

#tile = #tile.shared_layout<128x128, swizzle<3,3,4>>
#rows = #tile.register_layout<register[1,8] lane[2,16] warp[4,1] register[16,1]>
#queries = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>
#keys = #tile.register_layout<register[2,1] lane[4,1] register[16,1] lane[1,8] register[1,8] warp*4>
#scores = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,8] warp[4,1]>
#values = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,16] warp*4>
#sums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,16] warp[4,1]>
#fewValues = #tile.register_layout<register[2,1] lane[4,1] register[8,1] lane[1,8] register[1,4] warp*4>
#fewSums = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[2,4] warp[4,1]>

tile.kernel @queries(%x: f16, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %loaded = tile.splat %x : f16 -> tensor<128x128xf16, #rows>
  %k = tile.splat %x : f16 -> tensor<128x64xf16, #keys>
  %v = tile.splat %x : f16 -> tensor<64x128xf16, #values>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
  %q = tile.alloc_shared : !tile.shared<128x128xf16, #tile>
  tile.local_store %loaded, %q : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16, #tile>
  %qs = tile.local_load %q {matrix} : !tile.shared<128x128xf16, #tile> -> tensor<128x128xf16, #queries>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x128xf32, #sums> {
    %s = tile.dot %qs, %k, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
    %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
    %d = tile.dot %w, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x128xf16, #values>, tensor<128x128xf32, #sums>
    scf.yield %d : tensor<128x128xf32, #sums>
  }
  tile.return
}

tile.kernel @few_sums(%x: f16, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %loaded = tile.splat %x : f16 -> tensor<128x128xf16, #rows>
  %k = tile.splat %x : f16 -> tensor<128x64xf16, #keys>
  %v = tile.splat %x : f16 -> tensor<64x32xf16, #fewValues>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x32xf32, #fewSums>
  %q = tile.alloc_shared : !tile.shared<128x128xf16, #tile>
  tile.local_store %loaded, %q : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16, #tile>
  %qs = tile.local_load %q {matrix} : !tile.shared<128x128xf16, #tile> -> tensor<128x128xf16, #queries>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x32xf32, #fewSums> {
    %s = tile.dot %qs, %k, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
    %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
    %d = tile.dot %w, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x32xf16, #fewValues>, tensor<128x32xf32, #fewSums>
    scf.yield %d : tensor<128x32xf32, #fewSums>
  }
  tile.return
}

tile.kernel @written_in_the_loop(%x: f16, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %loaded = tile.splat %x : f16 -> tensor<128x128xf16, #rows>
  %k = tile.splat %x : f16 -> tensor<128x64xf16, #keys>
  %v = tile.splat %x : f16 -> tensor<64x128xf16, #values>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
  %q = tile.alloc_shared : !tile.shared<128x128xf16, #tile>
  tile.local_store %loaded, %q : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16, #tile>
  %qs = tile.local_load %q {matrix} : !tile.shared<128x128xf16, #tile> -> tensor<128x128xf16, #queries>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x128xf32, #sums> {
    tile.local_store %loaded, %q : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16, #tile>
    %s = tile.dot %qs, %k, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
    %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
    %d = tile.dot %w, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x128xf16, #values>, tensor<128x128xf32, #sums>
    scf.yield %d : tensor<128x128xf32, #sums>
  }
  tile.return
}

tile.kernel @used_before(%x: f16, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %loaded = tile.splat %x : f16 -> tensor<128x128xf16, #rows>
  %k = tile.splat %x : f16 -> tensor<128x64xf16, #keys>
  %v = tile.splat %x : f16 -> tensor<64x128xf16, #values>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x128xf32, #sums>
  %q = tile.alloc_shared : !tile.shared<128x128xf16, #tile>
  tile.local_store %loaded, %q : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16, #tile>
  %qs = tile.local_load %q {matrix} : !tile.shared<128x128xf16, #tile> -> tensor<128x128xf16, #queries>
  %first = arith.negf %qs : tensor<128x128xf16, #queries>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x128xf32, #sums> {
    %s = tile.dot %qs, %k, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
    %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
    %d = tile.dot %w, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x128xf16, #values>, tensor<128x128xf32, #sums>
    scf.yield %d : tensor<128x128xf32, #sums>
  }
  tile.return
}

// Keys that threads load take registers in each trip, in a loop that a branch may pass by as well.
// CHECK-LABEL: tile.kernel @beside_loads
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.load
// CHECK: %[[Q:.*]] = tile.local_load {{.*}}<128x128xf16
// CHECK-NEXT: tile.dot %[[Q]]
#loaded = #tile.register_layout<register[1,4] lane[2,16] warp[4,1] register[16,1]>
tile.kernel @beside_loads(%x: f16, %keys: !tile.ptr<f32>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %some = arith.cmpi sgt, %n, %c1 : index
  %loaded = tile.splat %x : f16 -> tensor<128x128xf16, #rows>
  %v = tile.splat %x : f16 -> tensor<64x32xf16, #fewValues>
  %z = arith.constant dense<0.0> : tensor<128x64xf32, #scores>
  %t = arith.constant dense<0.0> : tensor<128x32xf32, #fewSums>
  %q = tile.alloc_shared : !tile.shared<128x128xf16, #tile>
  tile.local_store %loaded, %q : tensor<128x128xf16, #rows>, !tile.shared<128x128xf16, #tile>
  %qs = tile.local_load %q {matrix} : !tile.shared<128x128xf16, #tile> -> tensor<128x128xf16, #queries>
  scf.if %some {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x32xf32, #fewSums> {
      %places = tile.splat %keys : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>, #loaded>
      %wide = tile.load %places : tensor<128x64x!tile.ptr<f32>, #loaded>
      %k = arith.truncf %wide : tensor<128x64xf32, #loaded> to tensor<128x64xf16, #loaded>
      %kt = tile.alloc_shared : !tile.shared<128x64xf16>
      tile.local_store %k, %kt : tensor<128x64xf16, #loaded>, !tile.shared<128x64xf16>
      %ks = tile.local_load %kt {matrix} : !tile.shared<128x64xf16> -> tensor<128x64xf16, #keys>
      %s = tile.dot %qs, %ks, %z by mma.sync : tensor<128x128xf16, #queries>, tensor<128x64xf16, #keys>, tensor<128x64xf32, #scores>
      %w = arith.truncf %s : tensor<128x64xf32, #scores> to tensor<128x64xf16, #scores>
      %d = tile.dot %w, %v, %acc by mma.sync : tensor<128x64xf16, #scores>, tensor<64x32xf16, #fewValues>, tensor<128x32xf32, #fewSums>
      scf.yield %d : tensor<128x32xf32, #fewSums>
    }
  }
  tile.return
}
