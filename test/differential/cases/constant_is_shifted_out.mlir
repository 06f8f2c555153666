// ptxas shifted -1 by 64 bits to -1, where it selects -1 or 0.
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! array X0 i8: 00*16 01*16
//! array Y1 i64: 00000000000000FF*32
//! result Y1 i64: 0000000000000000*32
tile.kernel @random(%X0: !tile.ptr<i8>, %Y1: !tile.ptr<i64>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v1 = tile.view %X0, shape [32], strides [1] : !tile.ptr<i8> -> !tile.view<32xi8, [1]>
  %v2 = tile.load_view %v1[%c0] : !tile.view<32xi8, [1]> -> tensor<32xi8>
  %zero = arith.constant dense<0> : tensor<32xi8>
  %v3 = arith.cmpi ne, %v2, %zero : tensor<32xi8>
  %v4 = arith.extsi %v3 : tensor<32xi1> to tensor<32xi64>
  %v5 = arith.constant dense<-1073741825> : tensor<32xi64>
  %v6 = arith.shli %v4, %v5 : tensor<32xi64>
  %v7 = tile.view %Y1, shape [32], strides [1] : !tile.ptr<i64> -> !tile.view<32xi64, [1]>
  tile.store_view %v6, %v7[%c0] : tensor<32xi64>, !tile.view<32xi64, [1]>
  tile.return
}
