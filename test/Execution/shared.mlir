// A placed program, written by hand: a tile passes through stage p % 3 of a
// shared tile, from rows to columns. Any layout of shared memory and any layout
// of registers gives the same result.

// DEFINE: %{shared} =
// DEFINE: %{registers} =
// DEFINE: %{run} = sed -e "s/SHARED/%{shared}/; s/REGISTERS/%{registers}/" %s | tile-run - --device=sim --check --specials --args n=7

// REDEFINE: %{registers} = register[1,2] lane[4,8] warp[4,1]
// REDEFINE: %{shared} = 16x16
// RUN: %{run}
// REDEFINE: %{shared} = 16x16, order [0, 1]
// RUN: %{run}
// REDEFINE: %{shared} = 16x16, pad 1 every 16
// RUN: %{run}
// REDEFINE: %{shared} = 16x16, order [0, 1], pad 4 every 64
// RUN: %{run}
// REDEFINE: %{shared} = 16x16, swizzle<2,2,2>
// RUN: %{run}
// REDEFINE: %{shared} = 16x16, swizzle<4,0,4>
// RUN: %{run}

// Rows and columns interleaved, one bit each.
// REDEFINE: %{shared} = 16x16, offset = [[0, 1], [1, 0], [0, 2], [2, 0], [0, 4], [4, 0], [0, 8], [8, 0]]
// RUN: %{run}
// A map that is no permutation of bits.
// REDEFINE: %{shared} = 16x16, offset = [[0, 1], [0, 3], [0, 7], [0, 15], [1, 1], [2, 3], [4, 5], [8, 9]]
// RUN: %{run}

// Registers: a general map, and one that has every element twice.
// REDEFINE: %{registers} = 16x16, register = [[0, 1]], lane = [[0, 2], [1, 4], [1, 1], [2, 8], [4, 0]], warp = [[8, 0], [0, 8]]
// RUN: %{run}
// REDEFINE: %{registers} = register[2,4] lane[2,4] warp[2,1] lane*4 register[2,1] warp*2
// RUN: %{run}

#columns = #tile.register_layout<register[4,1] lane[4,1] lane[1,8] warp[1,2] warp*2>
#rows = #tile.register_layout<register[1,4] lane[8,4] warp[2,1] warp*2>
#registers = #tile.register_layout<REGISTERS>
!stage = !tile.shared<16x16xf32, #tile.shared_layout<SHARED>>
!stages = !tile.shared<3x16x16xf32, #tile.shared_layout<SHARED>>

tile.kernel @through_shared(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["X[n, 16, 16]", "Y[n, 16, 16]"] grid ["n"] reference ["Y[p, i, j] = X[p, j, i]"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %stage = arith.remui %p, %c3 : index
  %offset = arith.muli %p, %c256 : index
  %xp = tile.addptr %X, %offset : !tile.ptr<f32>, index
  %yp = tile.addptr %Y, %offset : !tile.ptr<f32>, index
  %x = tile.view %xp, shape [16, 16], strides [16, 1] : !tile.ptr<f32> -> !tile.view<16x16xf32, [16, 1]>
  %y = tile.view %yp, shape [16, 16], strides [16, 1] : !tile.ptr<f32> -> !tile.view<16x16xf32, [16, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<16x16xf32, [16, 1]> -> tensor<16x16xf32, #registers>
  %all = tile.alloc_shared : !stages
  %s = tile.subview %all[%stage] : !stages -> !stage
  tile.local_store %t, %s : tensor<16x16xf32, #registers>, !stage
  %c = tile.local_load %s : !stage -> tensor<16x16xf32, #columns>
  %u = tile.trans %c [1, 0] : tensor<16x16xf32, #columns> -> tensor<16x16xf32, #rows>
  tile.store_view %u, %y[%c0, %c0] : tensor<16x16xf32, #rows>, !tile.view<16x16xf32, [16, 1]>
  tile.return
}
