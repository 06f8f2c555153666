// Lengths of rows that are none.

// DEFINE: %{trips} =
// DEFINE: %{name} =
// DEFINE: %{unroll} = not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-unroll-rows{trips=%{trips}}))" %s 2>&1 | FileCheck %s --check-prefix=%{name}

// REDEFINE: %{trips} = m:1024:2
// REDEFINE: %{name} = UNKNOWN
// RUN: %{unroll}
// UNKNOWN: error: 'm', which loops end at, is no argument of 'k'

// REDEFINE: %{name} = MALFORMED
// REDEFINE: %{trips} = n
// RUN: %{unroll}
// REDEFINE: %{trips} = n:1024
// RUN: %{unroll}
// REDEFINE: %{trips} = n:1024:2:1
// RUN: %{unroll}
// REDEFINE: %{trips} = n:a:2
// RUN: %{unroll}
// REDEFINE: %{trips} = n:0:2
// RUN: %{unroll}
// REDEFINE: %{trips} = n:1024:0
// RUN: %{unroll}
// REDEFINE: %{trips} = n:1024:2147483648
// RUN: %{unroll}
// MALFORMED: error: trips are NAME:STEP:TRIPS with numbers from 1 on, not 'n{{.*}}'

tile.kernel @k(%X: !tile.ptr<f32>, %n: i32) {
  tile.return
}
