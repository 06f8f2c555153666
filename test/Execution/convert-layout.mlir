// A change of register layout: what a thread has already moves between its
// registers, what a warp has by shuffles if that is cheaper; everything else
// goes through shared memory. %convert has many more (convert-layout.test).

// DEFINE: %{from} =
// DEFINE: %{to} =
// DEFINE: %{run} = sed -e "s/FROM/%{from}/; s/TO/%{to}/" %s | tile-run - --device=sim --check --specials --args n=1000
// DEFINE: %{placed} = sed -e "s/FROM/%{from}/; s/TO/%{to}/" %s | tile-compile - --emit=placed | FileCheck %s

// REDEFINE: %{from} = register[4] lane[32] warp[2]
// REDEFINE: %{to} = register[2] lane[32] warp[2] register[2]
// RUN: %{run}
// RUN: %{placed} --check-prefix=SHARED
// SHARED: alloc_shared

// The same elements, in other lanes of the same warps.
// REDEFINE: %{to} = register[2] lane[32] register[2] warp[2]
// RUN: %{run}
// RUN: %{placed} --check-prefix=SHUFFLES --implicit-check-not=alloc_shared
// SHUFFLES: convert_layout

// The same elements, in other registers of the same threads.
// REDEFINE: %{from} = 256, register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]
// REDEFINE: %{to} = 256, register = [[128], [1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]
// RUN: %{run}
// RUN: %{placed} --check-prefix=REGISTERS --implicit-check-not=alloc_shared
// REGISTERS: convert_layout

// To fewer threads and back to all of them.
// REDEFINE: %{from} = register[8] lane[32] warp*2
// REDEFINE: %{to} = register[16] lane[16] lane*2 warp*2
// RUN: %{run}

#from = #tile.register_layout<FROM>
#to = #tile.register_layout<TO>

tile.kernel @convert(%X: !tile.ptr<i8>, %Y: !tile.ptr<i8>, %n: index)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, 256)"] reference ["Y[i] = X[i]"]
    attributes {num_warps = 2 : i32} {
  %c256 = arith.constant 256 : index
  %p = tile.program_id 0
  %start = arith.muli %p, %c256 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xi8, [1]> -> tensor<256xi8, #from>
  %u = tile.convert_layout %t : tensor<256xi8, #from> -> tensor<256xi8, #to>
  tile.store_view %u, %y[%start] : tensor<256xi8, #to>, !tile.view<?xi8, [1]>
  tile.return
}
