// Kernels that are none: the constraints of tile.kernel in TileOps.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C1: arguments are pointers, integers, index and floats.
// expected-error@+1 {{argument 'v' is a pointer, an integer, an index or a float, not 'vector<4xf32>'}}
tile.kernel @k(%v: vector<4xf32>) {
  tile.return
}

// -----
// expected-error@+1 {{argument 't' is a pointer, an integer, an index or a float, not 'tensor<4xf32>'}}
tile.kernel @k(%t: tensor<4xf32>) {
  tile.return
}

// -----
// expected-error@+1 {{argument 's' is a pointer, an integer, an index or a float, not '!tile.shared<64xf32>'}}
tile.kernel @k(%s: !tile.shared<64xf32>) {
  tile.return
}

// -----
// expected-error@+1 {{argument 'u' is a pointer, an integer, an index or a float, not 'ui32'}}
tile.kernel @k(%u: ui32) {
  tile.return
}

// -----
// Bounds.
// expected-error@+1 {{the bounds of 'n' are array<i64: LEAST, MOST> on an integer, not array<i64: 5, 4>}}
tile.kernel @k(%n: index {tile.bounds = array<i64: 5, 4>}) {
  tile.return
}

// -----

// expected-error@+1 {{the bounds of 'n' are array<i64: LEAST, MOST> on an integer, not 4}}
tile.kernel @k(%n: i32 {tile.bounds = 4 : i64}) {
  tile.return
}

// -----

// expected-error@+1 {{the bounds of 'x' are array<i64: LEAST, MOST> on an integer, not array<i64: 1, 4>}}
tile.kernel @k(%x: f32 {tile.bounds = array<i64: 1, 4>}) {
  tile.return
}

// -----

// C2: divisibilities.
// expected-error@+1 {{the divisibility of 'n' is a power of two from 1 to 2^30, not 3}}
tile.kernel @k(%n: index {tile.divisibility = 3 : i64}) {
  tile.return
}

// -----
// expected-error@+1 {{the divisibility of 'n' is a power of two from 1 to 2^30, not 0}}
tile.kernel @k(%n: index {tile.divisibility = 0 : i64}) {
  tile.return
}

// -----
// expected-error@+1 {{the divisibility of 'n' is a power of two from 1 to 2^30, not -8}}
tile.kernel @k(%n: index {tile.divisibility = -8 : i64}) {
  tile.return
}

// -----
// expected-error@+1 {{the divisibility of 'n' is a power of two from 1 to 2^30, not 2147483648}}
tile.kernel @k(%n: index {tile.divisibility = 2147483648 : i64}) {
  tile.return
}

// -----
// expected-error@+1 {{the divisibility of 'n' is a power of two from 1 to 2^30, not 170141183460469231731687303715884105727}}
tile.kernel @k(%n: index {tile.divisibility = 170141183460469231731687303715884105727 : i128}) {
  tile.return
}

// -----
// expected-error@+1 {{the divisibility of 'n' is a power of two from 1 to 2^30, not "16"}}
tile.kernel @k(%n: index {tile.divisibility = "16"}) {
  tile.return
}

// -----
// expected-error@+1 {{'alpha' is a float: only integers and pointers have a divisibility}}
tile.kernel @k(%alpha: f32 {tile.divisibility = 4 : i64}) {
  tile.return
}

// -----
// C3: the clauses.
// expected-error@+1 {{the pointer 'B' has no shape; give one such as 'B[M, N]'}}
tile.kernel @k(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %n: index) shapes ["A[n]"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{'C' is no argument of the kernel}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes ["A[n]", "C[n]"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{'n' is no pointer}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes ["A[n]", "n[4]"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{'A' already has a shape}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes ["A[n]", "A[n]"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{'m' is no argument of the kernel}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes ["A[m]"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{'A' is a pointer; an integer is needed}}
tile.kernel @k(%A: !tile.ptr<f32>) shapes ["A[A]"] grid ["4"] {
  tile.return
}

// -----
// expected-error@+1 {{'x' is a f32; an integer is needed}}
tile.kernel @k(%A: !tile.ptr<f32>, %x: f32) shapes ["A[4]"] grid ["x"] {
  tile.return
}

// -----
// expected-error@+1 {{a grid has one to three axes, not 4}}
tile.kernel @k(%A: !tile.ptr<f32>) shapes ["A[4]"] grid ["1", "1", "1", "1"] {
  tile.return
}

// -----
// expected-error@+1 {{the kernel has no grid; give one such as grid ["ceildiv(N, 128)"]}}
tile.kernel @k(%A: !tile.ptr<f32>) shapes ["A[4]"] {
  tile.return
}

// -----
// expected-error@+1 {{grid: expected a number, a name or '(', found the end}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes ["A[n]"] grid ["ceildiv(n, "] {
  tile.return
}

// -----
// expected-error@+1 {{shape: expected ']' or ',' in the index list, found the end}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes ["A[n"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{shape: expected the name of a tensor, found the end}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: index) shapes [""] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{reference: 'B' has 1 axes, not 2}}
tile.kernel @k(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %n: index) shapes ["A[n]", "B[n]"] grid ["n"] reference ["B[i, j] = A[i]"] {
  tile.return
}

// -----
// expected-error@+1 {{reference: 'j' is neither an argument of the kernel nor an index}}
tile.kernel @k(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %n: index) shapes ["A[n]", "B[n]"] grid ["n"] reference ["B[i] = A[j]"] {
  tile.return
}

// -----
// expected-error@+1 {{'B' already has a reference}}
tile.kernel @k(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %n: index) shapes ["A[n]", "B[n]"] grid ["n"] reference ["B[i] = A[i]", "B[i] = A[i]"] {
  tile.return
}

// -----
// expected-error@+1 {{has an argument of a type that a launch cannot pass: integers have 1, 8, 16, 32 or 64 bits, floats are f8E4M3FN, f8E5M2, f16, bf16, f32 or f64}}
tile.kernel @k(%A: !tile.ptr<f32>, %n: i24) shapes ["A[4]"] grid ["1"] {
  tile.return
}

// -----
// expected-error@+1 {{'shapes' is a list of strings, such as shapes ["X[n]"]}}
tile.kernel @k(%A: !tile.ptr<f32>) shapes [4] grid ["1"] {
  tile.return
}

// -----
// expected-error@+1 {{the clause 'grid' is written twice}}
tile.kernel @k(%n: index) grid ["n"] grid ["n"] {
  tile.return
}

// -----
// expected-error@+1 {{'grid' is a list of strings, such as grid ["ceildiv(n, 64)"]}}
tile.kernel @k(%n: index) grid "n" {
  tile.return
}

// -----
// C4: warps.
// expected-error@+1 {{num_warps is a power of two from 1 to 32, not 3}}
tile.kernel @k() attributes {num_warps = 3 : i32} {
  tile.return
}

// -----
// expected-error@+1 {{num_warps is a power of two from 1 to 32, not 64}}
tile.kernel @k() attributes {num_warps = 64 : i32} {
  tile.return
}

// -----
// expected-error@+1 {{num_warps is a power of two from 1 to 32, not -1}}
tile.kernel @k() attributes {num_warps = -1 : i32} {
  tile.return
}

// -----
// expected-error@+1 {{op attribute 'num_warps' failed to satisfy constraint: 32-bit signless integer attribute}}
tile.kernel @k() attributes {num_warps = 4 : i16} {
  tile.return
}

// -----

// C4: stages.
// expected-error@+1 {{num_stages is a number from 1 to 8, not 0}}
tile.kernel @k() attributes {num_stages = 0 : i32} {
  tile.return
}

// -----

// expected-error@+1 {{num_stages is a number from 1 to 8, not 9}}
tile.kernel @k() attributes {num_stages = 9 : i32} {
  tile.return
}

// -----

// expected-error@+1 {{num_stages is a number from 1 to 8, not -3}}
tile.kernel @k() attributes {num_stages = -3 : i32} {
  tile.return
}

// -----

// C5: names.
// expected-error@+1 {{argument 0 needs a name of letters, digits and _ that begins with no digit, since the command line uses it; '0' is none}}
tile.kernel @k(%0: index) {
  tile.return
}

// -----
// expected-error@+1 {{'a.b' is none}}
tile.kernel @k(%a.b: index) {
  tile.return
}

// -----
// expected-error@+1 {{argument 0 needs a name of letters}}
"tile.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = [""]}> ({
^bb0(%n: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// expected-error@+1 {{has two arguments named 'n'}}
"tile.kernel"() <{sym_name = "k", function_type = (index, index) -> (), arg_names = ["n", "n"]}> ({
^bb0(%n: index, %m: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// expected-error@+1 {{has 2 arguments but names 1 of them}}
"tile.kernel"() <{sym_name = "k", function_type = (index, index) -> (), arg_names = ["n"]}> ({
^bb0(%n: index, %m: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// expected-error@+1 {{requires attribute 'arg_names'}}
"tile.kernel"() <{sym_name = "k", function_type = (index) -> ()}> ({
^bb0(%n: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// expected-error@+1 {{op attribute 'arg_names' failed to satisfy constraint: string array attribute}}
"tile.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = [1]}> ({
^bb0(%n: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// expected-error@+1 {{type of entry block argument #0('i32') must match the type of the corresponding argument in function signature('index')}}
"tile.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = ["n"]}> ({
^bb0(%n: i32):
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// expected-error@+1 {{entry block must have 1 arguments to match function signature}}
"tile.kernel"() <{sym_name = "k", function_type = (index) -> (), arg_names = ["n"]}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// C6: no results.
// expected-error@+1 {{returns nothing: results go to memory}}
"tile.kernel"() <{sym_name = "k", function_type = () -> (f32), arg_names = []}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----
// C7: shared_bytes.
// expected-error@+1 {{shared_bytes is not negative: -16 is}}
tile.kernel @k() attributes {shared_bytes = -16 : i64} {
  tile.return
}

// -----
// C8: attributes that nobody reads.
// expected-error@+1 {{has an unknown attribute 'num_warp'; 'num_warps', 'num_stages' and 'require' are known}}
tile.kernel @k() attributes {num_warp = 8 : i32} {
  tile.return
}

// -----
// expected-error@+1 {{argument 'n' has an unknown attribute 'tile.divisible'; 'tile.divisibility', 'tile.bounds', 'tile.disjoint' and 'tile.may_overlap' are known}}
tile.kernel @k(%n: index {tile.divisible = 4 : i64}) {
  tile.return
}

// -----
// Its place and its region.
func.func @f() {
  // expected-error@+1 {{expects parent op 'builtin.module'}}
  tile.kernel @k() {
    tile.return
  }
  return
}

// -----
// expected-error@+1 {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
"tile.kernel"() <{sym_name = "k", function_type = () -> (), arg_names = []}> ({}) : () -> ()

// -----
// expected-error@+1 {{expects region #0 to have 0 or 1 blocks}}
tile.kernel @k() {
  tile.return
^next:
  tile.return
}

// -----
// expected-error@+1 {{is empty: a kernel ends with tile.return}}
tile.kernel @k() {
}

// -----
tile.kernel @k(%n: index) {
  // expected-error@+1 {{block with no terminator}}
  %p = tile.program_id 0
}

// -----
func.func @f() {
  // expected-error@+1 {{expects parent op 'tile.kernel'}}
  tile.return
}

// -----
// expected-note@+1 {{see existing symbol definition here}}
tile.kernel @k() {
  tile.return
}
// expected-error@+1 {{redefinition of symbol named 'k'}}
tile.kernel @k() {
  tile.return
}

// -----
// C2: overlaps.
// expected-error@+1 {{'n' is no pointer: only what pointers reach may overlap or be disjoint}}
tile.kernel @k(%n: index {tile.may_overlap}) {
  tile.return
}

// -----
// expected-error@+1 {{'alpha' is no pointer: only what pointers reach may overlap or be disjoint}}
tile.kernel @k(%alpha: f32 {tile.disjoint}) {
  tile.return
}

// -----
// expected-error@+1 {{'tile.disjoint' of argument 'X' stands alone, without a value}}
tile.kernel @k(%X: !tile.ptr<f32> {tile.disjoint = true}) {
  tile.return
}

// -----
// expected-error@+1 {{argument 'X' has 'tile.disjoint' and 'tile.may_overlap', which contradict each other}}
tile.kernel @k(%X: !tile.ptr<f32> {tile.disjoint, tile.may_overlap}) {
  tile.return
}

// -----
// What is outside is not seen.
%c = arith.constant 1 : index
// expected-note@below {{required by region isolation constraints}}
tile.kernel @k() {
  // expected-error@below {{using value defined outside the region}}
  %d = arith.addi %c, %c : index
  tile.return
}

// -----
tile.kernel @k() attributes {persistent} {
  // expected-error@+1 {{is not known in a persistent kernel, whose blocks run several programs each: count from tile.block_id}}
  %p = tile.program_id 0
  tile.return
}

// -----
// expected-error@below {{block_programs are three powers of two}}
tile.kernel @k() attributes {block_programs = array<i32: 8, 1>} {
  tile.return
}

// -----
// expected-error@below {{block_programs are three powers of two}}
tile.kernel @k() attributes {block_programs = array<i32: 6, 1, 1>} {
  tile.return
}

// -----
// expected-error@below {{is persistent: its blocks run one program after the other, and have no block_programs}}
tile.kernel @k() attributes {persistent, block_programs = array<i32: 8, 1, 1>} {
  tile.return
}

// -----
tile.kernel @k() {
  // expected-error@+1 {{is of persistent kernels; a program has a tile.program_id}}
  %b = tile.num_blocks
  tile.return
}

// -----
tile.kernel @k() attributes {persistent} {
  %c0 = arith.constant 0 : index
  %b = tile.block_id
  %n = tile.num_blocks
  scf.for %i = %b to %n step %n {
    // expected-error@+1 {{'tile.programs' has no value and is on an outermost loop}}
    scf.for %j = %b to %n step %n {
    } {tile.programs}
  }
  tile.return
}

// -----

// expected-error@+1 {{cannot require 'wgma': wgmma, tma, roles and persistent are known}}
tile.kernel @k() attributes {require = ["wgma"]} {
  tile.return
}

// -----

// expected-error@+1 {{requires 'tma' twice}}
tile.kernel @k() attributes {require = ["tma", "wgmma", "tma"]} {
  tile.return
}

// -----

// expected-error@+1 {{attribute 'require' failed to satisfy constraint: string array attribute}}
tile.kernel @k() attributes {require = ["tma", 3]} {
  tile.return
}

// -----

// C14: several blocks a program.
// expected-error@below {{cluster_blocks are a power of two from 2 to 16, not 3}}
tile.kernel @k() attributes {cluster_blocks = 3 : i32} {
  tile.return
}

// -----
// expected-error@below {{cluster_blocks are a power of two from 2 to 16, not 1}}
tile.kernel @k() attributes {cluster_blocks = 1 : i32} {
  tile.return
}

// -----
// expected-error@below {{cluster_blocks are a power of two from 2 to 16, not 32}}
tile.kernel @k() attributes {cluster_blocks = 32 : i32, num_warps = 32 : i32} {
  tile.return
}

// -----
// expected-error@below {{num_warps is a power of two from 8 to 256, not 4}}
tile.kernel @k() attributes {cluster_blocks = 8 : i32} {
  tile.return
}

// -----
// expected-error@below {{num_warps is a power of two from 2 to 64, not 128}}
tile.kernel @k() attributes {cluster_blocks = 2 : i32, num_warps = 128 : i32} {
  tile.return
}

// -----
// expected-error@below {{has cluster_blocks: several blocks run a program, so that it has no block_programs and no copy_warps}}
tile.kernel @k() attributes {cluster_blocks = 2 : i32, copy_warps = 1 : i32} {
  tile.return
}

// -----
tile.kernel @k() attributes {cluster_blocks = 2 : i32} {
  // expected-error@+1 {{goes on behind itself, which nobody waits for in a kernel whose programs several blocks run (cluster_blocks)}}
  tile.async_wait 0
  tile.return
}

// -----
// An attribute of another kind is none that is left out.
// expected-error@+1 {{'tile.kernel' op attribute 'begins_early' failed to satisfy constraint: unit attribute}}
tile.kernel @k(%x: !tile.ptr<f32>) attributes {begins_early = true} {
  tile.return
}

// -----
// expected-error@+1 {{'tile.kernel' op attribute 'num_stages' failed to satisfy constraint: 32-bit signless integer attribute}}
tile.kernel @k(%x: !tile.ptr<f32>) attributes {num_stages = "4"} {
  tile.return
}

// -----
// With arguments it has a block.
// expected-error@+1 {{is empty: a kernel ends with tile.return}}
tile.kernel @k(%n: index) {
}
