// Bank conflicts, to play with: a transpose that says itself which thread holds what.
//
// This is a placed program: every tile has a register layout, and the way through shared memory is written
// out. One warp moves a tile of 32 x 32. It writes the tile into shared memory row by row, one element a lane,
// and reads it back column by column. Shared memory has 32 banks of 4 bytes: a row of the tile is in all of
// them, but a column, stored as is, is in one, and the 32 lanes must take turns.
//
//   tile-compile examples/bank_conflicts.mlir -o /tmp/t.ptx --report --shared-layout=none      32-way conflicts
//   tile-compile examples/bank_conflicts.mlir -o /tmp/t.ptx --report --shared-layout=pad:1     none: 33 words a row
//   tile-compile examples/bank_conflicts.mlir -o /tmp/t.ptx --report --shared-layout=swizzle   none, and no byte more
//
// Then try pad:2, pad:16, or remove vector_width from the load and see what each choice costs.
//
//   tile-run examples/bank_conflicts.mlir --args "M=1024 N=1024" --check

// A lane is a column, a register is a row; and the other way round.
#rows = #tile.register_layout<lane[1,32] register[32,1]>
#columns = #tile.register_layout<lane[32,1] register[1,32]>

tile.kernel @bank_conflicts(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index)
    shapes ["A[M, N]", "B[N, M]"]
    grid ["ceildiv(N, 32)", "ceildiv(M, 32)"]
    reference ["B[n, m] = A[m, n]"]
    attributes {num_warps = 1 : i32} {
  %c32 = arith.constant 32 : index
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = arith.muli %x, %c32 : index
  %m = arith.muli %y, %c32 : index
  %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>

  %t = tile.load_view %a[%m, %n] : !tile.view<?x?xf32, [?, 1]> -> tensor<32x32xf32, #rows>

  // Each instruction writes a row, and reads a column. The compiler finds the layout of the tile and the barrier.
  %s = tile.alloc_shared : !tile.shared<32x32xf32>
  tile.local_store %t, %s : tensor<32x32xf32, #rows>, !tile.shared<32x32xf32>
  %u = tile.local_load %s {vector_width = 1 : i64} : !tile.shared<32x32xf32> -> tensor<32x32xf32, #columns>

  // A transpose of registers is only another name for them: a lane's row is now its column.
  %v = tile.trans %u [1, 0] : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
  tile.store_view %v, %b[%n, %m] : tensor<32x32xf32, #rows>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
