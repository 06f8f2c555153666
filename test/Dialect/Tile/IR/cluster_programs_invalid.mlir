// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @no_clusters() {
  // expected-error@+1 {{is of kernels that have clusters of programs, which have 'tile.cluster_programs'}}
  %place = tile.place_in_cluster 0
  tile.return
}

// -----

tile.kernel @no_clusters() {
  // expected-error@+1 {{is of kernels that have clusters of programs, which have 'tile.cluster_programs'}}
  tile.cluster_barrier
  tile.return
}

// -----

tile.kernel @no_axis() attributes {tile.cluster_programs = array<i32: 2, 1, 1>} {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint}}
  %place = tile.place_in_cluster 3
  tile.return
}

// -----

// expected-error@+1 {{'tile.cluster_programs' are three numbers on a kernel, 1, 2 or 4 along each axis, of 2 to 4 programs}}
tile.kernel @one() attributes {tile.cluster_programs = array<i32: 1, 1, 1>} {
  tile.return
}

// -----

// expected-error@+1 {{'tile.cluster_programs' are three numbers on a kernel, 1, 2 or 4 along each axis, of 2 to 4 programs}}
tile.kernel @eight() attributes {tile.cluster_programs = array<i32: 2, 2, 2>} {
  tile.return
}

// -----

// expected-error@+1 {{'tile.cluster_programs' are three numbers on a kernel, 1, 2 or 4 along each axis, of 2 to 4 programs}}
tile.kernel @three_along_one() attributes {tile.cluster_programs = array<i32: 3, 1, 1>} {
  tile.return
}

// -----

// expected-error@+1 {{is of a kernel whose blocks run one program each}}
tile.kernel @parts() attributes {tile.product_parts = 2 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  tile.return
}

// -----

#hw = #tile.shared_layout<64x64, swizzle<3,3,3>>
tile.kernel @alone(%X: !tile.ptr<f16>, %N: index) attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 0 : i32
  %v = tile.view %X, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %m = tile.tensor_map %v {box = array<i64: 32, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #hw>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #tile.shared_layout<2>>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #hw> mbarriers !tile.shared<2x2xi64, #tile.shared_layout<2>> -> !tile.channel<2>
  %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #hw>
  // expected-error@+1 {{is shared along an axis along which a cluster has several programs ('tile.cluster_programs'), not along 0}}
  tile.copy_tma %m[%c0, %c0], %f {shared_along = 0 : i64} : !tile.shared<64x64xf16, #hw>
  tile.commit %c[%n] : !tile.channel<2>
  tile.return
}

// -----

#hw = #tile.shared_layout<64x64, swizzle<3,3,3>>
tile.kernel @whole(%X: !tile.ptr<f16>, %N: index) attributes {num_warps = 4 : i32, tile.cluster_programs = array<i32: 2, 1, 1>} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 0 : i32
  %v = tile.view %X, shape [%N, %N], strides [%N, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %m = tile.tensor_map %v {box = array<i64: 64, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
  %s = tile.alloc_shared : !tile.shared<2x64x64xf16, #hw>
  %bars = tile.alloc_shared : !tile.shared<2x2xi64, #tile.shared_layout<2>>
  %c = tile.channel %s mbarriers %bars : !tile.shared<2x64x64xf16, #hw> mbarriers !tile.shared<2x2xi64, #tile.shared_layout<2>> -> !tile.channel<2>
  %f = tile.acquire %c[%n] : !tile.channel<2> -> !tile.shared<64x64xf16, #hw>
  // expected-error@+1 {{the layout of the shared tile is not made of boxes of the map}}
  tile.copy_tma %m[%c0, %c0], %f {shared_along = 0 : i64} : !tile.shared<64x64xf16, #hw>
  tile.commit %c[%n] : !tile.channel<2>
  tile.return
}
