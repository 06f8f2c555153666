// Constants that arguments cannot be.

// DEFINE: %{constants} =
// DEFINE: %{name} =
// DEFINE: %{specialize} = not tile-opt "--pass-pipeline=builtin.module(tile.kernel(tile-specialize{constants=%{constants}}))" %s 2>&1 | FileCheck %s --check-prefix=%{name}

// REDEFINE: %{constants} = m:1
// REDEFINE: %{name} = UNKNOWN
// RUN: %{specialize}
// UNKNOWN: specialize_constants_invalid.mlir:[[@LINE+52]]:1: error: 'm', which is a constant, is no argument of 'k'; it has: X, alpha, n, on, odd, i

// REDEFINE: %{constants} = X:1
// REDEFINE: %{name} = POINTER
// RUN: %{specialize}
// POINTER: error: 'X' is of type '!tile.ptr<f32>': only integers of launches, and indices, are constants

// REDEFINE: %{constants} = alpha:1
// REDEFINE: %{name} = FLOAT
// RUN: %{specialize}
// FLOAT: error: 'alpha' is of type 'f32': only integers of launches, and indices, are constants

// REDEFINE: %{constants} = odd:1
// REDEFINE: %{name} = ODD
// RUN: %{specialize}
// ODD: error: 'odd' is of type 'i24': only integers of launches, and indices, are constants

// REDEFINE: %{constants} = n:256
// REDEFINE: %{name} = LARGE
// RUN: %{specialize}
// LARGE: error: 'n' is of type 'i8', which does not hold 256

// REDEFINE: %{constants} = n:-129
// REDEFINE: %{name} = SMALL
// RUN: %{specialize}
// SMALL: error: 'n' is of type 'i8', which does not hold -129

// REDEFINE: %{constants} = on:2
// REDEFINE: %{name} = BIT
// RUN: %{specialize}
// BIT: error: 'on' is of type 'i1', which does not hold 2

// REDEFINE: %{constants} = i:18446744073709551616
// REDEFINE: %{name} = HUGE
// RUN: %{specialize}
// HUGE: error: 'i' is of type 'index', which does not hold 18446744073709551616

// REDEFINE: %{name} = MALFORMED
// REDEFINE: %{constants} = n
// RUN: %{specialize}
// REDEFINE: %{constants} = n:
// RUN: %{specialize}
// REDEFINE: %{constants} = n:-
// RUN: %{specialize}
// REDEFINE: %{constants} = n:one
// RUN: %{specialize}
// REDEFINE: %{constants} = n:1:1
// RUN: %{specialize}
// REDEFINE: %{constants} = n:1.5
// RUN: %{specialize}
// MALFORMED: error: a constant is NAME:VALUE with an integer, not 'n{{.*}}'

tile.kernel @k(%X: !tile.ptr<f32>, %alpha: f32, %n: i8, %on: i1, %odd: i24, %i: index) {
  tile.return
}
