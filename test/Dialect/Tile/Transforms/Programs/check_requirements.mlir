// Kernels whose code is not what they require are refused, at each op that fell back.

// RUN: tile-opt --tile-check-requirements --split-input-file --verify-diagnostics %s

#a = #tile.register_layout<register[1,2] lane[8,4] register[2,1] register[1,4] warp*4>
#b = #tile.register_layout<register[2,1] lane[4,1] register[2,1] register[4,1] lane[1,8] register[1,4] warp*4>
module attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{the kernel requires wgmma, and there is no product (tile.dot) in it}}
  tile.kernel @no_product() attributes {require = ["wgmma"]} {
    tile.return
  }
  // Nothing is asked of this one.
  tile.kernel @asks_nothing() {
    tile.return
  }
}

// -----

module attributes {tile.target = "sm_80"} {
  // expected-error@+1 {{the kernel requires wgmma, and sm_80 has no such instruction}}
  tile.kernel @other_target() attributes {require = ["wgmma"]} {
    tile.return
  }
  // expected-error@+1 {{the kernel requires tma, and sm_80 has no bulk copies}}
  tile.kernel @two_words() attributes {require = ["tma", "roles"]} {
    tile.return
  }
}

// -----

module attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{the kernel requires tma, and there is nothing that bulk copies could fetch: no product in a loop of it multiplies what that loop loads}}
  tile.kernel @nothing_to_fetch() attributes {require = ["tma"]} {
    tile.return
  }
  // expected-error@+1 {{the kernel requires roles, and there is nothing to copy for warps of their own}}
  tile.kernel @no_roles() attributes {require = ["roles"]} {
    tile.return
  }
  // expected-error@+1 {{the kernel requires persistent, and its blocks run one program each: it has no products by wgmma}}
  tile.kernel @not_persistent() attributes {require = ["persistent"]} {
    tile.return
  }
  // expected-error@+1 {{the kernel requires persistent, and its blocks run one program each: they talk}}
  tile.kernel @why_not_persistent() attributes {require = ["persistent"], tile.persist_reason = "they talk"} {
    tile.return
  }
  tile.kernel @persistent() attributes {persistent, require = ["persistent"]} {
    tile.return
  }
}
