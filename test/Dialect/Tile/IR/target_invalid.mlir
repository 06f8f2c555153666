// RUN: tile-opt --split-input-file --verify-diagnostics %s

// expected-error@below {{unknown target 'sm_90': the known targets are sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a; did you mean 'sm_90a'?}}
module attributes {tile.target = "sm_90"} {
}

// -----

// expected-error@below {{'tile.target' is the name of a GPU, on a module}}
module attributes {tile.target = 90 : i32} {
}

// -----

module {
  // expected-error@below {{'tile.target' is the name of a GPU, on a module}}
  tile.kernel @kernel() attributes {tile.target = "sm_80"} {
    tile.return
  }
}
