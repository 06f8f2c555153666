// Code for launches that can have no tensor maps is asked for wgmma only.

// RUN: tile-opt --tile-check-requirements=lacks-tensor-maps=true --verify-diagnostics %s
// RUN: not tile-opt --tile-check-requirements %s 2>&1 | FileCheck %s

module attributes {tile.target = "sm_90a"} {
  // CHECK: error: the kernel requires tma, and there is nothing that bulk copies could fetch
  tile.kernel @copies() attributes {require = ["tma"]} {
    tile.return
  }
  // CHECK: error: the kernel requires roles, and there is nothing to copy
  tile.kernel @roles() attributes {require = ["roles"]} {
    tile.return
  }
  // CHECK: error: the kernel requires persistent, and its blocks run one program each
  tile.kernel @persistent() attributes {require = ["persistent"]} {
    tile.return
  }
  // CHECK: error: the kernel requires wgmma
  // expected-error@+1 {{the kernel requires wgmma, and there is no product (tile.dot) in it}}
  tile.kernel @products() attributes {require = ["wgmma", "tma"]} {
    tile.return
  }
}
