// A warp writes a tile by rows, a word a lane, and reads 16 bytes a lane, each lane its own row.

#rows = #tile.register_layout<lane[1,32] register[32,1]>
#own = #tile.register_layout<register[1,32] lane[32,1]>

tile.kernel @wide_rows(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index)
    shapes ["A[M, 32]", "B[32, M]"]
    grid ["ceildiv(M, 32)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = tile.program_id 0
  %m = arith.muli %p, %c32 : index
  %a = tile.view %A, shape [%M, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<?x32xf32, [32, 1]>
  %b = tile.view %B, shape [32, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<32x?xf32, [?, 1]>
  %t = tile.load_view %a[%m, %c0] : !tile.view<?x32xf32, [32, 1]> -> tensor<32x32xf32, #rows>
  %s = tile.alloc_shared : !tile.shared<32x32xf32>
  tile.local_store %t, %s : tensor<32x32xf32, #rows>, !tile.shared<32x32xf32>
  %u = tile.local_load %s {vector_width = 4 : i64} : !tile.shared<32x32xf32> -> tensor<32x32xf32, #own>
  %v = tile.trans %u [1, 0] : tensor<32x32xf32, #own> -> tensor<32x32xf32, #rows>
  tile.store_view %v, %b[%c0, %m] : tensor<32x32xf32, #rows>, !tile.view<32x?xf32, [?, 1]>
  tile.return
}
