// RUN: tile-opt --tile-split-roles --split-input-file --verify-diagnostics %s

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @written(%A: !tile.ptr<f16>, %M: index, %K: index, %x: f16) {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  tile.store %A, %x : !tile.ptr<f16>
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  // expected-error@+1 {{cannot be filled by warps that only copy: the kernel may write what the copies read}}
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
  tile.commit %c[%n0] : !tile.channel<2>
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @asserted(%A: !tile.ptr<f16>, %M: index, %K: index, %inside: i1) {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  tile.assert %inside, "there are so many rows" : i1
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  // expected-error@+1 {{cannot be filled by warps that only copy: the copies would not wait for what the kernel asserts}}
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
  tile.commit %c[%n0] : !tile.channel<2>
  tile.return
}

// -----

// Somebody else says when what is copied is there.
#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @heard(%A: !tile.ptr<f16> {tile.disjoint}, %there: !tile.ptr<i32> {tile.disjoint}, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  scf.while : () -> () {
    %number = tile.load %there volatile : !tile.ptr<i32>
    %waits = arith.cmpi eq, %number, %n0 : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  // expected-error@+1 {{cannot be filled by warps that only copy: the copies would not wait until the kernel has heard of others that what they read is there}}
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
  tile.copy_tma %map[%c0, %c0], %f : !tile.shared<64x64xf16, #slot>
  tile.commit %c[%n0] : !tile.channel<2>
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @in_a_loop(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  scf.for %m = %c0 to %M step %c64 {
    %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
    %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
    // expected-error@+1 {{is made in a loop or a branch: warps that only copy need it before}}
    %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_tma %map[%m, %c0], %f : !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
  }
  tile.return
}

// -----

#slot = #tile.shared_layout<64x64, swizzle<3,3,3>>
#pair = #tile.shared_layout<2>
tile.kernel @in_a_while(%A: !tile.ptr<f16>, %M: index, %K: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i32
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #slot>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #pair>
  // expected-error@+1 {{cannot be filled by warps that only copy: 'scf.while', on which the copies hang, is more than a computation with scalars}}
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #slot> mbarriers !tile.shared<2x2xi64, #pair> -> !tile.channel<2>
  %end = scf.while (%m = %c0) : (index) -> index {
    %more = arith.cmpi slt, %m, %M : index
    scf.condition(%more) %m : index
  } do {
  ^bb0(%m: index):
    %f = tile.acquire %c[%n0] : !tile.channel<2> -> !tile.shared<64x64xf16, #slot>
    tile.copy_tma %map[%m, %c0], %f : !tile.shared<64x64xf16, #slot>
    tile.commit %c[%n0] : !tile.channel<2>
    %next = arith.addi %m, %c64 : index
    scf.yield %next : index
  }
  tile.return
}
