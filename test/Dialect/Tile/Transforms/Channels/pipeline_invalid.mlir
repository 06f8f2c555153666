// Stages that there are not.

// RUN: not tile-opt --tile-pipeline=num-stages=-1 %s 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: the stages of a pipeline are 1 to 8, not -1
// RUN: not tile-opt --tile-pipeline=num-stages=9 %s 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: the stages of a pipeline are 1 to 8, not 9

tile.kernel @k() {
  tile.return
}
