// Kernels that compile, but cannot be run or checked as they are.

// RUN: tile-compile %s -o %t.ptx
// RUN: not tile-run %s --device=sim --kernel=bare --args n=5 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: tile-run: error: 'bare' cannot be run: argument: the pointer 'X' has no shape; give one such as 'X[M, N]'
tile.kernel @bare(%X: !tile.ptr<f32>, %n: index) {
  tile.return
}

// RUN: tile-run %s --device=sim --kernel=no_reference --args n=5 | FileCheck %s --check-prefix=RUNS
// RUNS: check     none
// RUN: not tile-run %s --device=sim --kernel=no_reference --args n=5 --check 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: tile-run: error: 'no_reference' has no `reference` to compare with: write one after its arguments, or run it without --check
tile.kernel @no_reference(%X: !tile.ptr<f32>, %n: index) shapes ["X[n]"] grid ["1"] {
  tile.return
}

// RUN: not tile-run %s --device=sim --kernel=zero_tile --args "n=5 t=0" 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: tile-run: error: grid: {{.*}}zero
tile.kernel @zero_tile(%n: index, %t: index) grid ["ceildiv(n, t)"] {
  tile.return
}
