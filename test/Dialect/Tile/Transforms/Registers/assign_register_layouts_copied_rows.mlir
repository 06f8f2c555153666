// Rows that are copied by the program: an element a thread, side by side, and of both ends the one whose column is even, or odd, as its own are.

// RUN: tile-opt --tile-assign-register-layouts --split-input-file --verify-diagnostics %s | FileCheck %s

#row = #tile.shared_layout<1x512, pad 16 every 256>

// CHECK-LABEL: tile.kernel @row
tile.kernel @row(%X: !tile.ptr<f16>, %n: index) attributes {num_warps = 4 : i32} {
  %s = tile.alloc_shared : !tile.shared<1x512xf16, #row>
  // CHECK: load_ends {{.*}} -> tensor<2xf16, #tile.register_layout<lane[2] lane*16 warp*4>>
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  // CHECK-NEXT: load_row {{.*}} -> tensor<1x512xf16, #tile.register_layout<lane[1,32] warp[1,4] register[1,4]>>
  %x = tile.load_row %s from %X ends %e count %n : !tile.shared<1x512xf16, #row>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x512xf16>
  // CHECK-NEXT: place_row %{{.*}} : tensor<1x512xf16, #tile.register_layout<lane[1,32] warp[1,4] register[1,4]>>
  tile.place_row %x, %s, %X : tensor<1x512xf16>, !tile.shared<1x512xf16, #row>, !tile.ptr<f16>
  tile.return
}

// -----

#row = #tile.shared_layout<1x512, pad 16 every 256>

// Ends that a loop carries stand where they are made.
// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried(%X: !tile.ptr<f16>, %n: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc_shared : !tile.shared<1x512xf16, #row>
  %first = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  // CHECK: scf.for {{.*}} -> (tensor<2xf16, #tile.register_layout<lane[2] lane*16 warp*4>>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%e = %first) -> (tensor<2xf16>) {
    // CHECK-NEXT: load_row
    %x = tile.load_row %s from %X ends %e count %n : !tile.shared<1x512xf16, #row>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x512xf16>
    // CHECK-NOT: convert_layout
    tile.place_row %x, %s, %X : tensor<1x512xf16>, !tile.shared<1x512xf16, #row>, !tile.ptr<f16>
    %next = tile.load_ends %X, %i : !tile.ptr<f16> -> tensor<2xf16>
    scf.yield %next : tensor<2xf16>
  }
  tile.return
}

// -----

#row = #tile.shared_layout<1x512, pad 16 every 256>

// Others go to the threads that read them.
// CHECK-LABEL: tile.kernel @given
tile.kernel @given(%X: !tile.ptr<f16>, %n: index, %v: f16) attributes {num_warps = 4 : i32} {
  %s = tile.alloc_shared : !tile.shared<1x512xf16, #row>
  // CHECK: splat {{.*}} -> tensor<2xf16, #tile.register_layout<lane[2] lane*16 warp*4>>
  %e = tile.splat %v : f16 -> tensor<2xf16>
  %x = tile.load_row %s from %X ends %e count %n : !tile.shared<1x512xf16, #row>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x512xf16>
  tile.place_row %x, %s, %X : tensor<1x512xf16>, !tile.shared<1x512xf16, #row>, !tile.ptr<f16>
  tile.return
}

// -----

#row = #tile.shared_layout<1x64, pad 16 every 32>

tile.kernel @short(%X: !tile.ptr<f16>, %n: index) attributes {num_warps = 4 : i32} {
  %s = tile.alloc_shared : !tile.shared<1x64xf16, #row>
  %e = tile.load_ends %X, %n : !tile.ptr<f16> -> tensor<2xf16>
  // expected-error@+1 {{loads a row of which each thread needs columns of its own, all even or all odd, not 'tensor<1x64xf16, #tile.register_layout<lane[1,32] warp[1,2] warp*2>>'}}
  %x = tile.load_row %s from %X ends %e count %n : !tile.shared<1x64xf16, #row>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x64xf16>
  tile.return
}
