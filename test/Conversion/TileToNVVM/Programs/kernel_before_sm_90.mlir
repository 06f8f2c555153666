// No such launches here.

// RUN: tile-opt --convert-tile-to-nvvm %s | FileCheck %s

// CHECK: llvm.func @begins_early(
// CHECK-NOT: griddepcontrol
module attributes {tile.target = "sm_89"} {
  tile.kernel @begins_early() attributes {begins_early} {
    tile.return
  }
}
