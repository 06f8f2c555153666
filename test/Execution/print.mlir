// What kernels print comes out block by block, each element once, whoever has it.

// DEFINE: %{target} =
// DEFINE: %{run} = tile-run %s --device=sim --target=%{target} --args "n=300" | FileCheck %s

// REDEFINE: %{target} = sm_80
// RUN: %{run}
// REDEFINE: %{target} = sm_86
// RUN: %{run}
// REDEFINE: %{target} = sm_89
// RUN: %{run}
// REDEFINE: %{target} = sm_90a
// RUN: %{run}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}

// CHECK: pid (0, 0, 0) begins 100%
// CHECK-NEXT: pid (0, 0, 0) idx () n: 300
// CHECK-NEXT: pid (0, 0, 0) idx () low: 44
// CHECK-NEXT: pid (0, 0, 0) idx () low: 0x2c
// CHECK-NEXT: pid (0, 0, 0) idx () less: -212
// CHECK-NEXT: pid (0, 0, 0) idx () less: 65324
// CHECK-NEXT: pid (0, 0, 0) idx () wide: 18446744073709551404
// CHECK-NEXT: pid (0, 0, 0) idx () float: -0.500000
// CHECK-NEXT: pid (0, 0, 0) idx () half: inf
// CHECK-NEXT: pid (0, 0, 0) idx () double: nan
// CHECK-NEXT: pid (0, 0, 0) idx () yes: 1
// CHECK-COUNT-8: pid (0, 0, 0) idx ({{[01], [0-3]}}) tile: {{[0-7]$}}
// CHECK-COUNT-2: pid (0, 0, 0) round
// CHECK-NOT: pid (0,
// CHECK: pid (1, 0, 0) begins 100%
// CHECK-COUNT-8: pid (1, 0, 0) idx ({{[01], [0-3]}}) tile: {{[0-7]$}}
// CHECK-NOT: tile:

tile.kernel @prints(%X: !tile.ptr<f32>, %n: index)
    shapes ["X[1]"]
    grid ["2"] {
  tile.print " begins 100%"
  tile.print " n: " %n : index
  %i = arith.index_cast %n : index to i8
  tile.print " low: " %i : i8
  tile.print " low: " %i hex : i8
  %c512 = arith.constant 512 : index
  %less = arith.subi %n, %c512 : index
  %s = arith.index_cast %less : index to i16
  tile.print " less: " %s : i16
  tile.print " less: " %s unsigned : i16
  %l = arith.index_cast %less : index to i64
  tile.print " wide: " %l unsigned : i64
  %f = arith.constant -0.5 : f32
  tile.print " float: " %f : f32
  %h = tile.constant inf : f16
  tile.print " half: " %h : f16
  %d = tile.constant nan : f64
  tile.print " double: " %d : f64
  %b = arith.cmpi slt, %less, %n : index
  tile.print " yes: " %b : i1
  // Eight elements of 128 threads: most hold copies.
  %e = tile.iota 0 : tensor<8xi32>
  %t = tile.reshape %e : tensor<8xi32> -> tensor<2x4xi32>
  tile.print " tile: " %t : tensor<2x4xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k = %c0 to %c2 step %c1 {
    tile.print " round"
  }
  tile.return
}
