// RUN: tile-opt %s --verify-diagnostics --pass-pipeline='builtin.module(tile-set-target{target=sm_90a},tile.kernel(tile-cluster-programs{paired-axes=4}))'
// RUN: not tile-opt %s --tile-placement="target=sm_90a paired-axes=6" 2>&1 | FileCheck %s

// An uneven axis is the first one, and it is paired.
// CHECK: 'paired-axes' is 1, 2, 3, 5, 7, 9, 10 or 13, or 0 for none, not 6
// expected-error@+1 {{'paired-axes' is 1, 2, 3, 5, 7, 9, 10 or 13, or 0 for none, not 4}}
tile.kernel @nothing() {
  tile.return
}
