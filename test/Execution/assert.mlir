// What does not hold ends the launch, with the message and the line; what holds, or is masked, does not.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --target=%{target}
// DEFINE: %{all} = %{run} --kernel=elements --args "n=100 m=100" && %{run} --kernel=scalar --args "n=1" \
// DEFINE:   && not %{run} --kernel=elements --args "n=100 m=101" 2>&1 | FileCheck %s --check-prefix=ELEMENTS \
// DEFINE:   && not %{run} --kernel=scalar --args "n=0" 2>&1 | FileCheck %s --check-prefix=SCALAR \
// DEFINE:   && %{run} --kernel=rows --args "n=3 m=4" \
// DEFINE:   && not %{run} --kernel=rows --args "n=40 m=3" 2>&1 | FileCheck %s --check-prefix=ROWS \
// DEFINE:   && not %{run} --kernel=checked --args "n=40 m=3" 2>&1 | FileCheck %s --check-prefix=CHECKED

// REDEFINE: %{target} = sm_80
// RUN: %{all}
// REDEFINE: %{target} = sm_86
// RUN: %{all}
// REDEFINE: %{target} = sm_89
// RUN: %{all}
// REDEFINE: %{target} = sm_90a
// RUN: %{all}
// REDEFINE: %{target} = sm_100a
// RUN: %{all}
// REDEFINE: %{target} = sm_120a
// RUN: %{all}

tile.kernel @elements(%X: !tile.ptr<f32>, %n: index, %m: index)
    shapes ["X[1]"]
    grid ["1"] {
  %i = tile.iota 0 : tensor<128xindex>
  %ns = tile.splat %n : index -> tensor<128xindex>
  %ms = tile.splat %m : index -> tensor<128xindex>
  %inside = arith.cmpi slt, %i, %ns : tensor<128xindex>
  %counts = arith.cmpi slt, %i, %ms : tensor<128xindex>
  // ELEMENTS: elements: {{.*}}assert.mlir:[[#@LINE+1]]: trap: {{.*}}assertion `there are n` failed in {{.*}}assert.mlir:[[#@LINE+1]] (block 0,0,0, thread 100,0,0)
  tile.assert %inside mask %counts, "there are n" : tensor<128xi1>
  tile.return
}

tile.kernel @scalar(%X: !tile.ptr<f32>, %n: index)
    shapes ["X[1]"]
    grid ["1"] {
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi sgt, %n, %c0 : index
  // SCALAR: scalar: {{.*}}assert.mlir:[[#@LINE+1]]: trap: {{.*}}assertion `n is positive` failed
  tile.assert %ok, "n is positive" : i1
  tile.return
}

// Rows that are not there are not loaded ahead of what says so.
// ROWS-NOT: out-of-bounds
// ROWS: rows: {{.*}}assert.mlir:[[#]]: trap: {{.*}}assertion `there is such a row` failed
// ROWS-NOT: out-of-bounds
tile.kernel @rows(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: index, %m: index)
    shapes ["X[m, 64, 64]", "Y[64, 64]"]
    grid ["1"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<64x64xf32>) {
    %inside = arith.cmpi slt, %i, %m : index
    tile.assert %inside, "there is such a row" : i1
    %begin = arith.muli %i, %c4096 : index
    %p = tile.addptr %X, %begin : !tile.ptr<f16>, index
    %v = tile.view %p, shape [64, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<64x64xf16, [64, 1]>
    %x = tile.load_view %v[%c0, %c0] : !tile.view<64x64xf16, [64, 1]> -> tensor<64x64xf16>
    %next = tile.dot %x, %x, %before : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %y = tile.view %Y, shape [64, 64], strides [64, 1] : !tile.ptr<f32> -> !tile.view<64x64xf32, [64, 1]>
  tile.store_view %sum, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32, [64, 1]>
  tile.return
}

// Nor are they copied by who would not wait for it.
// CHECKED-NOT: out-of-bounds
// CHECKED: checked: {{.*}}assert.mlir:[[#]]: trap: {{.*}}assertion `there are so many rows` failed
// CHECKED-NOT: out-of-bounds
tile.kernel @checked(%X: !tile.ptr<f16> {tile.disjoint}, %Y: !tile.ptr<f32> {tile.disjoint}, %n: index, %m: index)
    shapes ["X[m, 64, 64]", "Y[64, 64]"]
    grid ["1"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %enough = arith.cmpi sle, %n, %m : index
  tile.assert %enough, "there are so many rows" : i1
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<64x64xf32>) {
    %begin = arith.muli %i, %c4096 : index
    %p = tile.addptr %X, %begin : !tile.ptr<f16>, index
    %v = tile.view %p, shape [64, 64], strides [64, 1] : !tile.ptr<f16> -> !tile.view<64x64xf16, [64, 1]>
    %x = tile.load_view %v[%c0, %c0] : !tile.view<64x64xf16, [64, 1]> -> tensor<64x64xf16>
    %next = tile.dot %x, %x, %before : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %y = tile.view %Y, shape [64, 64], strides [64, 1] : !tile.ptr<f32> -> !tile.view<64x64xf32, [64, 1]>
  tile.store_view %sum, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32, [64, 1]>
  tile.return
}
