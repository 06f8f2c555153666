// A lookup in a table: the indices are drawn from the range of their tensor, and
// the reference takes elements at elements.

// RUN: tile-run %s --device=sim --args "V=100 D=64 n=77" --check | FileCheck %s
// RUN: tile-run %s --device=sim --args "V=1 D=3 n=33" --check --specials | FileCheck %s
// RUN: tile-run %s --device=sim --args "V=0 D=64 n=0" --check | FileCheck %s
// RUN: tile-run %s --device=sim --args "V=9 D=0 n=5" --check | FileCheck %s
// CHECK: check     Y: correct

// A wrong one is found.
// RUN: sed 's/arith.muli %%idx2/arith.minsi %%idx2/' %s > %t.wrong
// RUN: not tile-run %t.wrong --device=sim --args "V=100 D=64 n=77" --check | FileCheck %s --check-prefix=WRONG
// WRONG: check     Y: {{[0-9]+}} WRONG, checked 4928 of 4928 elements

// Without a range the kernel may fault, and the reference cannot be used.
// RUN: sed 's/ in 0 .. V - 1//' %s > %t.all
// RUN: not tile-run %t.all --device=sim --args "V=100 D=64 n=77" --check 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: tile-run: error: reference: index 0 of 'T' ranges over [-2147483648, 2147483647], outside its extent 100; say in its shape which numbers 'I' holds, such as "I[n] in 0 .. V - 1" (column 13 of "Y[i, d] = T[I[i], d]")
// RUN: sed 's/reference \[.*\] {/{/' %t.all > %t.unchecked
// RUN: not tile-run %t.unchecked --device=sim --args "V=100 D=64 n=77" 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: out-of-bounds
// FAULT: note: 'I' was filled with any i32; if its elements choose among V elements of another tensor, say so in its shape: "I[n] in 0 .. V - 1"

// RUN: not tile-run %s --device=sim --args "V=0 D=64 n=5" --check 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: tile-run: error: shape: the range '0 .. V - 1' of 'I' holds no number, but the tensor has 5 elements (column 9 of "I[n] in 0 .. V - 1")

tile.kernel @gather(%T: !tile.ptr<f32>, %I: !tile.ptr<i32>, %Y: !tile.ptr<f32>, %V: index, %D: index, %n: index)
    shapes ["T[V, D]", "I[n] in 0 .. V - 1", "Y[n, D]"]
    grid ["ceildiv(n, 32)"]
    reference ["Y[i, d] = T[I[i], d]"] {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = tile.program_id 0
  %i = arith.muli %p, %c32 : index
  %iv = tile.view %I, shape [%n], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  %rows = tile.load_view %iv[%i] : !tile.view<?xi32, [1]> -> tensor<32xi32>
  %col = tile.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %idx = tile.broadcast %col : tensor<32x1xi32> -> tensor<32x64xi32>
  %idx2 = arith.extsi %idx : tensor<32x64xi32> to tensor<32x64xi64>
  %d64 = arith.index_cast %D : index to i64
  %ds = tile.splat %d64 : i64 -> tensor<32x64xi64>
  %off = arith.muli %idx2, %ds : tensor<32x64xi64>
  %ts = tile.splat %T : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %tp = tile.addptr %ts, %off : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi64>
  %io = tile.iota 0 : tensor<64xi64>
  %io1 = tile.expand_dims %io {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %io2 = tile.broadcast %io1 : tensor<1x64xi64> -> tensor<32x64xi64>
  %tpp = tile.addptr %tp, %io2 : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi64>
  %m = arith.cmpi slt, %io2, %ds : tensor<32x64xi64>
  %t = tile.load %tpp mask %m : tensor<32x64x!tile.ptr<f32>>
  %y = tile.view %Y, shape [%n, %D], strides [%D, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  tile.store_view %t, %y[%i, %c0] : tensor<32x64xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
}
