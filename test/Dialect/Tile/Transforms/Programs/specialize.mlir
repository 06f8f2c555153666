// Promises, warps and stages of one class of launches.

// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{divisibility=X:16,n:4,m:1 num-warps=8 num-stages=2 require=tma,wgmma}))" %s | FileCheck %s
// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize))" %s | FileCheck %s --check-prefix=KEPT

// A promise is written over what stood there; 1 takes it back.
// CHECK: tile.kernel @copy(%X: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.divisibility = 4 : i64}, %m: i32 {tile.divisibility = 1 : i64}) attributes {num_stages = 2 : i32, num_warps = 8 : i32, require = ["tma", "wgmma"]}
// KEPT: tile.kernel @copy(%X: !tile.ptr<f32>, %n: index {tile.divisibility = 2 : i64}, %m: i32 {tile.divisibility = 8 : i64}) attributes {num_warps = 2 : i32, require = ["tma"]}
tile.kernel @copy(%X: !tile.ptr<f32>, %n: index {tile.divisibility = 2 : i64}, %m: i32 {tile.divisibility = 8 : i64})
    attributes {num_warps = 2 : i32, require = ["tma"]} {
  tile.return
}

// What launches and views promise of pointers.

// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{disjoint=P,Q}))" %S/Inputs/overlap.mlir | FileCheck %s --check-prefix=LAUNCH
// RUN: tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize))" %S/Inputs/overlap.mlir | FileCheck %s --check-prefix=VIEWS
// LAUNCH: tile.kernel @overlap(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 4 : i64}, %C: !tile.ptr<f32> {tile.may_overlap}, %P: !tile.ptr<f32> {tile.disjoint}, %Q: !tile.ptr<f32> {tile.disjoint}, %M: !tile.ptr<f32>, %U: !tile.ptr<f32>, %n: index)
// VIEWS: tile.kernel @overlap(%A: !tile.ptr<f32> {tile.disjoint}, %B: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 4 : i64}, %C: !tile.ptr<f32> {tile.may_overlap}, %P: !tile.ptr<f32>, %Q: !tile.ptr<f32> {tile.may_overlap}, %M: !tile.ptr<f32>, %U: !tile.ptr<f32>, %n: index)
