// Rows that a program copies itself, without register layouts: the pass that places these gives the ends of a row to the threads that read them. Rows
// begin and end anywhere, and have one element, or all that there is room for.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --check --target=%{target} --args

// REDEFINE: %{target} = sm_80
// RUN: %{run} "M=5 N=509" && %{run} "M=4 N=1" && %{run} "M=3 N=2" && %{run} "M=3 N=511" && %{run} "M=2 N=512"
// REDEFINE: %{target} = sm_86
// RUN: %{run} "M=5 N=509" && %{run} "M=4 N=38"
// REDEFINE: %{target} = sm_89
// RUN: %{run} "M=5 N=509" && %{run} "M=4 N=38"
// REDEFINE: %{target} = sm_90a
// RUN: %{run} "M=5 N=509" && %{run} "M=4 N=1" && %{run} "M=3 N=2" && %{run} "M=3 N=511" && %{run} "M=2 N=512"
// RUN: tile-run %s --device=sim --check --target=sm_90a --args "M=5 N=77" --optimize=false
// REDEFINE: %{target} = sm_100a
// RUN: %{run} "M=5 N=509" && %{run} "M=4 N=38"
// REDEFINE: %{target} = sm_120a
// RUN: %{run} "M=5 N=509" && %{run} "M=4 N=38"

#row = #tile.shared_layout<1x512, pad 16 every 256>

tile.kernel @double(%X: !tile.ptr<f16>, %Y: !tile.ptr<f16>, %M: index, %N: index)
    shapes ["X[M, N]", "Y[M, N]"]
    grid ["M"]
    reference ["Y[i, j] = X[i, j] + X[i, j]"]
    attributes {num_warps = 4 : i32} {
  %i = tile.program_id 0
  %first = arith.muli %i, %N : index
  %from = tile.addptr %X, %first : !tile.ptr<f16>, index
  %to = tile.addptr %Y, %first : !tile.ptr<f16>, index
  %copied = tile.alloc_shared : !tile.shared<1x512xf16, #row>
  tile.copy_row %from, %N, %copied : !tile.ptr<f16>, !tile.shared<1x512xf16, #row>
  tile.async_commit
  tile.async_wait 0
  %ends = tile.load_ends %from, %N : !tile.ptr<f16> -> tensor<2xf16>
  %x = tile.load_row %copied from %from ends %ends count %N : !tile.shared<1x512xf16, #row>, !tile.ptr<f16>, tensor<2xf16> -> tensor<1x512xf16>
  %y = arith.addf %x, %x : tensor<1x512xf16>
  %placed = tile.alloc_shared : !tile.shared<1x512xf16, #row>
  tile.place_row %y, %placed, %to : tensor<1x512xf16>, !tile.shared<1x512xf16, #row>, !tile.ptr<f16>
  tile.store_row %placed, %to, %N : !tile.shared<1x512xf16, #row>, !tile.ptr<f16>
  tile.return
}
