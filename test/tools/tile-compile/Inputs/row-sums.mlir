// The sum of each row of 256 numbers, a row a program, by pointers.

tile.kernel @row_sums(%X: !tile.ptr<f32> {tile.divisibility = 16, tile.disjoint}, %Y: !tile.ptr<f32>, %M: index)
    shapes ["X[M, 256]", "Y[M]"]
    grid ["M"]
    reference ["Y[m] = sum(k, X[m, k])"]
    attributes {num_warps = 4 : i32} {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %i = tile.iota 0 : tensor<256xindex>
  %first = arith.muli %p, %c256 : index
  %row = tile.addptr %X, %first : !tile.ptr<f32>, index
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %rows, %i : tensor<256x!tile.ptr<f32>>, tensor<256xindex>
  %x = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %sum = tile.reduce %x axis 0 : tensor<256xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %y = tile.addptr %Y, %p : !tile.ptr<f32>, index
  tile.store %y, %sum : !tile.ptr<f32>
  tile.return
}
