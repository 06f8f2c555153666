// RUN: tile-opt --tile-set-target=target=sm_80 %s | FileCheck %s
// RUN: tile-opt --tile-set-target=target=sm_120a %s | FileCheck %s --check-prefix=OTHER
// RUN: not tile-opt --tile-set-target=target=sm_1 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt --tile-set-target %s 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {tile.target = "sm_80"}
// Over what stood there.
// OTHER: module attributes {tile.target = "sm_120a"}
// RUN: tile-opt --tile-set-target=target=sm_80 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN
// RUN: tile-opt --tile-set-target=target=sm_90a %s 2>&1 >/dev/null | FileCheck %s --check-prefix=SAME --allow-empty
// WARN: set_target.mlir:[[@LINE+5]]:1: warning: says that it is for sm_90a, and is compiled for sm_80
// SAME-NOT: warning

// UNKNOWN: set_target.mlir:[[@LINE+2]]:1: error: unknown target 'sm_1': the known targets are sm_80,
// NONE: error: unknown target ''
module attributes {tile.target = "sm_90a"} {
  tile.kernel @nothing() {
    tile.return
  }
}
