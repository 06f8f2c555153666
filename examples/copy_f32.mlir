// Copy of n numbers of f32: Y[i] = X[i].
//
// One program copies 2048 numbers. It names them one by one, as a tensor of pointers, and the
// compiler finds that they are consecutive: a thread moves four of them, 16 bytes, at a time.
// Where n is no multiple of 4, compiling for it (--args) gives a variant that moves fewer.
//
//   tile-run examples/copy_f32.mlir --args "n=16777216" --check --time

tile.kernel @copy_f32(%X: !tile.ptr<f32> {tile.divisibility = 16},
                      %Y: !tile.ptr<f32> {tile.divisibility = 16},
                      %n: index {tile.divisibility = 4})
    shapes ["X[n]", "Y[n]"]
    grid ["ceildiv(n, 2048)"]
    reference ["Y[i] = X[i]"]
    attributes {num_warps = 4 : i32} {
  // Which numbers are ours: positions of 64 bits, since n may be beyond 2^31.
  %c2048 = arith.constant 2048 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c2048 : index
  %starts = tile.splat %start : index -> tensor<2048xindex>
  %iota = tile.iota 0 : tensor<2048xindex>
  %i = arith.addi %starts, %iota : tensor<2048xindex>

  // The last program reaches beyond the end: the mask says which of its numbers there are.
  %ns = tile.splat %n : index -> tensor<2048xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<2048xindex>

  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xindex>
  %y = tile.addptr %ys, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xindex>
  %t = tile.load %x mask %inside : tensor<2048x!tile.ptr<f32>>
  tile.store %y, %t mask %inside : tensor<2048x!tile.ptr<f32>>
  tile.return
}
