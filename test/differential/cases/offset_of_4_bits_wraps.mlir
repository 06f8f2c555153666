// sm_80: simulator: out-of-bounds
//! blocks 1
//! option shared_layout auto
//! option warpgroup_dots True
//! option specialize False
//! unaligned
//! array X9 bf16: 0000*15 3B99
//! array Y18 bf16: 0000*128
//! result Y18 bf16: 0000*7 3B99 0000*15 3B99 0000*15 3B99 0000*15 3B99 0000*15 3B99 0000*15 3B99 0000*15 3B99 0000*15 3B99 0000*8
tile.kernel @random(%X9: !tile.ptr<bf16>, %Y18: !tile.ptr<bf16>) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %v0 = tile.iota 0 : tensor<128xi64>
  %v1 = arith.trunci %v0 : tensor<128xi64> to tensor<128xi4>
  %v2 = tile.addptr %X9, %c8 : !tile.ptr<bf16>, index
  %v3 = tile.splat %v2 : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %v4 = tile.addptr %v3, %v1 : tensor<128x!tile.ptr<bf16>>, tensor<128xi4>
  %v5 = tile.load %v4 : tensor<128x!tile.ptr<bf16>>
  %v6 = tile.view %Y18, shape [128], strides [1] : !tile.ptr<bf16> -> !tile.view<128xbf16, [1]>
  tile.store_view %v5, %v6[%c0] : tensor<128xbf16>, !tile.view<128xbf16, [1]>
  tile.return
}
