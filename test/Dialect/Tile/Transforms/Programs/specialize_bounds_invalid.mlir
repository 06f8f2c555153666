// Bounds that are none.

// DEFINE: %{bounds} =
// DEFINE: %{name} =
// DEFINE: %{specialize} = not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{bounds=%{bounds}}))" %s 2>&1 | FileCheck %s --check-prefix=%{name}

// REDEFINE: %{bounds} = m:1:2
// REDEFINE: %{name} = UNKNOWN
// RUN: %{specialize}
// UNKNOWN: error: 'm', which has bounds, is no argument of 'k'; it has: X, n

// REDEFINE: %{bounds} = X:1:2
// REDEFINE: %{name} = POINTER
// RUN: %{specialize}
// POINTER: error: 'X' is of type '!tile.ptr<f32>': only integers have bounds

// REDEFINE: %{name} = MALFORMED
// REDEFINE: %{bounds} = n
// RUN: %{specialize}
// REDEFINE: %{bounds} = n:1
// RUN: %{specialize}
// REDEFINE: %{bounds} = n:2:1
// RUN: %{specialize}
// REDEFINE: %{bounds} = n:a:1
// RUN: %{specialize}
// REDEFINE: %{bounds} = n:1:2:3
// RUN: %{specialize}
// MALFORMED: error: bounds are NAME:LEAST:MOST with integers, not 'n{{.*}}'

tile.kernel @k(%X: !tile.ptr<f32>, %n: i32) {
  tile.return
}
