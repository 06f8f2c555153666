// RUN: tile-opt --split-input-file --verify-diagnostics %s

tile.kernel @nobodys() {
  // expected-error@+1 {{is of a team: it stands in main of tile.roles with 'tile.teams'}}
  %team = tile.team
  tile.return
}

// -----

tile.kernel @one_team() attributes {copy_warps = 1 : i32} {
  tile.roles main {
    // expected-error@+1 {{is of a team: it stands in main of tile.roles with 'tile.teams'}}
    tile.team_enter 0
  } copy {
  }
  tile.return
}

// -----

tile.kernel @who_copies() attributes {copy_warps = 4 : i32} {
  tile.roles main {
  } copy {
    // expected-error@+1 {{is of a team: it stands in main of tile.roles with 'tile.teams'}}
    tile.team_leave 1
  } {tile.teams = 2 : i32}
  tile.return
}

// -----

tile.kernel @three() attributes {copy_warps = 4 : i32} {
  // expected-error@+1 {{'tile.teams' is 2, on tile.roles of a kernel of 4 warps}}
  tile.roles main {
  } copy {
  } {tile.teams = 3 : i32}
  tile.return
}

// -----

tile.kernel @eight_warps() attributes {num_warps = 8 : i32, copy_warps = 4 : i32} {
  // expected-error@+1 {{'tile.teams' is 2, on tile.roles of a kernel of 4 warps}}
  tile.roles main {
  } copy {
  } {tile.teams = 2 : i32}
  tile.return
}

// -----

tile.kernel @parts() attributes {copy_warps = 4 : i32} {
  tile.roles main {
    // expected-error@+1 {{attribute 'part' failed to satisfy constraint}}
    tile.team_enter 2
  } copy {
  } {tile.teams = 2 : i32}
  tile.return
}

// -----

// expected-error@+1 {{'tile.teams' is 2, on tile.roles of a kernel of 4 warps}}
tile.roles main {
} copy {
} {tile.teams = 2 : i32}
