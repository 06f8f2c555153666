// What does not hold ends the launch, with the message and the line; what holds, or is masked, does not.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --target=%{target}
// DEFINE: %{all} = %{run} --kernel=elements --args "n=100 m=100" && %{run} --kernel=scalar --args "n=1" \
// DEFINE:   && not %{run} --kernel=elements --args "n=100 m=101" 2>&1 | FileCheck %s --check-prefix=ELEMENTS \
// DEFINE:   && not %{run} --kernel=scalar --args "n=0" 2>&1 | FileCheck %s --check-prefix=SCALAR

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
