// C = A * B by tiles of pointers that a loop moves, as Triton's programs have them: rows of A and
// columns of B beyond the end are those from the start again, the sum over K has a mask, and all
// arithmetic is of 32 bits.
tile.kernel @pointer_gemm(%A: !tile.ptr<f16> {tile.divisibility = 16},
                          %B: !tile.ptr<f16> {tile.divisibility = 16},
                          %C: !tile.ptr<f16> {tile.divisibility = 16},
                          %M: i32 {tile.divisibility = 16}, %N: i32 {tile.divisibility = 16},
                          %K: i32 {tile.divisibility = 16},
                          %stride_am: i32 {tile.divisibility = 16},
                          %stride_bk: i32 {tile.divisibility = 16},
                          %stride_cm: i32 {tile.divisibility = 16})
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, 128) * ceildiv(N, 128)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"]
    attributes {num_warps = 4 : i32, num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %c63 = arith.constant 63 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %zero_a = arith.constant dense<0.0> : tensor<128x64xf16>
  %zero_b = arith.constant dense<0.0> : tensor<64x128xf16>

  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %m_up = arith.addi %M, %c127 : i32
  %num_pid_m = arith.divsi %m_up, %c128 : i32
  %n_up = arith.addi %N, %c127 : i32
  %num_pid_n = arith.divsi %n_up, %c128 : i32
  %in_group = arith.muli %num_pid_n, %c8 : i32
  %group = arith.divsi %pid, %in_group : i32
  %first_m = arith.muli %group, %c8 : i32
  %left_m = arith.subi %num_pid_m, %first_m : i32
  %size_m = arith.minsi %left_m, %c8 : i32
  %pid_in_group = arith.remsi %pid, %in_group : i32
  %pid_m_in_group = arith.remsi %pid_in_group, %size_m : i32
  %pid_m = arith.addi %first_m, %pid_m_in_group : i32
  %pid_n = arith.divsi %pid_in_group, %size_m : i32

  // offs_am = (pid_m * 128 + arange(0, 128)) % M, and so of B.
  %iota128 = tile.iota 0 : tensor<128xi32>
  %offs_k = tile.iota 0 : tensor<64xi32>
  %start_m = arith.muli %pid_m, %c128 : i32
  %start_n = arith.muli %pid_n, %c128 : i32
  %starts_m = tile.splat %start_m : i32 -> tensor<128xi32>
  %starts_n = tile.splat %start_n : i32 -> tensor<128xi32>
  %offs_cm = arith.addi %starts_m, %iota128 : tensor<128xi32>
  %offs_cn = arith.addi %starts_n, %iota128 : tensor<128xi32>
  %ms = tile.splat %M : i32 -> tensor<128xi32>
  %ns = tile.splat %N : i32 -> tensor<128xi32>
  %offs_am = arith.remsi %offs_cm, %ms : tensor<128xi32>
  %offs_bn = arith.remsi %offs_cn, %ns : tensor<128xi32>

  // a_ptrs = a + (offs_am[:, None] * stride_am + offs_k[None, :])
  %am = tile.expand_dims %offs_am {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %stride_ams = tile.splat %stride_am : i32 -> tensor<128x1xi32>
  %am_rows = arith.muli %am, %stride_ams : tensor<128x1xi32>
  %am_all = tile.broadcast %am_rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %ak = tile.expand_dims %offs_k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ak_all = tile.broadcast %ak : tensor<1x64xi32> -> tensor<128x64xi32>
  %a_offs = arith.addi %am_all, %ak_all : tensor<128x64xi32>
  %as = tile.splat %A : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %a_first = tile.addptr %as, %a_offs : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>

  // b_ptrs = b + (offs_k[:, None] * stride_bk + offs_bn[None, :])
  %bk = tile.expand_dims %offs_k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %stride_bks = tile.splat %stride_bk : i32 -> tensor<64x1xi32>
  %bk_rows = arith.muli %bk, %stride_bks : tensor<64x1xi32>
  %bk_all = tile.broadcast %bk_rows : tensor<64x1xi32> -> tensor<64x128xi32>
  %bn = tile.expand_dims %offs_bn {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bn_all = tile.broadcast %bn : tensor<1x128xi32> -> tensor<64x128xi32>
  %b_offs = arith.addi %bk_all, %bn_all : tensor<64x128xi32>
  %bs = tile.splat %B : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
  %b_first = tile.addptr %bs, %b_offs : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>

  %k_up = arith.addi %K, %c63 : i32
  %trips = arith.divsi %k_up, %c64 : i32
  %sum, %a_last, %b_last = scf.for %k = %c0 to %trips step %c1
      iter_args(%acc = %zero, %a_ptrs = %a_first, %b_ptrs = %b_first)
      -> (tensor<128x128xf32>, tensor<128x64x!tile.ptr<f16>>, tensor<64x128x!tile.ptr<f16>>) : i32 {
    // offs_k < K - k * 64
    %done = arith.muli %k, %c64 : i32
    %left = arith.subi %K, %done : i32
    %left_a = tile.splat %left : i32 -> tensor<1x64xi32>
    %mask_a1 = arith.cmpi slt, %ak, %left_a : tensor<1x64xi32>
    %mask_a = tile.broadcast %mask_a1 : tensor<1x64xi1> -> tensor<128x64xi1>
    %ta = tile.load %a_ptrs mask %mask_a else %zero_a : tensor<128x64x!tile.ptr<f16>>
    %left_b = tile.splat %left : i32 -> tensor<64x1xi32>
    %mask_b1 = arith.cmpi slt, %bk, %left_b : tensor<64x1xi32>
    %mask_b = tile.broadcast %mask_b1 : tensor<64x1xi1> -> tensor<64x128xi1>
    %tb = tile.load %b_ptrs mask %mask_b else %zero_b : tensor<64x128x!tile.ptr<f16>>
    %next = tile.dot %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %step_a = tile.splat %c64 : i32 -> tensor<128x64xi32>
    %a_next = tile.addptr %a_ptrs, %step_a : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %move_b = arith.muli %stride_bk, %c64 : i32
    %step_b = tile.splat %move_b : i32 -> tensor<64x128xi32>
    %b_next = tile.addptr %b_ptrs, %step_b : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    scf.yield %next, %a_next, %b_next : tensor<128x128xf32>, tensor<128x64x!tile.ptr<f16>>, tensor<64x128x!tile.ptr<f16>>
  }
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>

  // c_ptrs = c + stride_cm * offs_cm[:, None] + offs_cn[None, :]
  %cm = tile.expand_dims %offs_cm {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %cn = tile.expand_dims %offs_cn {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %stride_cms = tile.splat %stride_cm : i32 -> tensor<128x1xi32>
  %cm_rows = arith.muli %stride_cms, %cm : tensor<128x1xi32>
  %cs = tile.splat %C : !tile.ptr<f16> -> tensor<128x1x!tile.ptr<f16>>
  %c_rows = tile.addptr %cs, %cm_rows : tensor<128x1x!tile.ptr<f16>>, tensor<128x1xi32>
  %c_all = tile.broadcast %c_rows : tensor<128x1x!tile.ptr<f16>> -> tensor<128x128x!tile.ptr<f16>>
  %cn_all = tile.broadcast %cn : tensor<1x128xi32> -> tensor<128x128xi32>
  %c_ptrs = tile.addptr %c_all, %cn_all : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %ms1 = tile.splat %M : i32 -> tensor<128x1xi32>
  %ns1 = tile.splat %N : i32 -> tensor<1x128xi32>
  %in_m1 = arith.cmpi slt, %cm, %ms1 : tensor<128x1xi32>
  %in_n1 = arith.cmpi slt, %cn, %ns1 : tensor<1x128xi32>
  %in_m = tile.broadcast %in_m1 : tensor<128x1xi1> -> tensor<128x128xi1>
  %in_n = tile.broadcast %in_n1 : tensor<1x128xi1> -> tensor<128x128xi1>
  %in = arith.andi %in_m, %in_n : tensor<128x128xi1>
  tile.store %c_ptrs, %result mask %in : tensor<128x128x!tile.ptr<f16>>
  tile.return
}
