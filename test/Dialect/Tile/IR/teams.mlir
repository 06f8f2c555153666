// Two teams of warps: what each knows of itself, and where it takes its turn. What is printed is read again.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @turns
// CHECK: roles main {
// CHECK-NEXT: %{{.*}} = tile.team
// CHECK-NEXT: tile.team_enter 0
// CHECK-NEXT: tile.team_leave 0
// CHECK-NEXT: tile.team_enter 1
// CHECK-NEXT: tile.team_leave 1
// CHECK: } copy {
// CHECK: } {tile.teams = 2 : i32}
tile.kernel @turns() attributes {copy_warps = 4 : i32} {
  tile.roles main {
    %team = tile.team
    tile.team_enter 0
    tile.team_leave 0
    tile.team_enter 1
    tile.team_leave 1
  } copy {
  } {tile.teams = 2 : i32}
  tile.return
}
