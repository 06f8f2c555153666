// One broken op for each constraint of inline assembly and of what is printed.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C1: a result.
tile.kernel @k(%n: i32) {
  // expected-error@+1 {{has no result: what it computes is lost}}
  tile.inline_asm "nop;" constraints "r" (%n) : (i32) -> ()
  tile.return
}

// -----

// C1: one shape.
tile.kernel @k(%n: i32) {
  %s = tile.splat %n : i32 -> tensor<64xi32>
  // expected-error@+1 {{takes and gives values of one shape and one layout, not 'tensor<64xi32>' and 'i32'}}
  %a = tile.inline_asm "add.s32 $0, $1, $2;" constraints "=r,r,r" (%s, %n) : (tensor<64xi32>, i32) -> tensor<64xi32>
  tile.return
}

// -----

// C2: the pack.
tile.kernel @k(%n: i32) {
  // expected-error@+1 {{'pack' is a power of two up to 64, not 6}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 6 (%n) : (i32) -> i32
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error@+1 {{'pack' is a power of two up to 64, not 128}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 128 (%n) : (i32) -> i32
  tile.return
}

// -----

// C3: the elements.
tile.kernel @k(%b: i1) {
  // expected-error@+1 {{has elements of 8, 16, 32 or 64 bits, not 'i1': extend them}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" (%b) : (i1) -> i1
  tile.return
}

// -----

// C4: text that is no constraint.
tile.kernel @k(%n: i32) {
  // expected-error@+1 {{the constraints cannot be read: "=r,,r"; they are such as "=r,r,r"}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,,r" (%n) : (i32) -> i32
  tile.return
}

// -----

// C4: memory in place of a register.
tile.kernel @k(%n: i32) {
  // expected-error@+1 {{constraint 1 of "=r,*m" is none of a register}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,*m" (%n) : (i32) -> i32
  tile.return
}

// -----

// C4: the order.
tile.kernel @k(%n: i32) {
  // expected-error@+1 {{the constraints are those of results, then of operands, then what is clobbered, not "r,=r"}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "r,=r" (%n) : (i32) -> i32
  tile.return
}

// -----

// C4: as many as there are registers.
tile.kernel @k(%n: i32) {
  %s = tile.splat %n : i32 -> tensor<64xi32>
  %t = arith.trunci %s : tensor<64xi32> to tensor<64xi16>
  // expected-error@+1 {{the constraints have 1 register of results, and with a pack of 4 there are 4: 4 for 4 x i32}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r,r" pack 4 (%t) : (tensor<64xi16>) -> tensor<64xi32>
  tile.return
}

// -----

// C4: room.
tile.kernel @k(%n: i64) {
  // expected-error@+1 {{constraint 1 is 'r', a register of 32 bits, and 1 x 'i64' has 64}}
  %a = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" (%n) : (i64) -> i32
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error@+1 {{constraint 0 is 'd', a register of 64 bits, and 1 x 'i32' has 32}}
  %a = tile.inline_asm "mov.b64 $0, 0;" constraints "=d,r" (%n) : (i32) -> i32
  tile.return
}

// -----

// C5: a register that is not there.
tile.kernel @k(%n: i32) {
  // expected-error@+1 {{the text refers to $2, and the constraints have 2 registers, from $0 on}}
  %a = tile.inline_asm "mov.b32 $0, $2;" constraints "=r,r" (%n) : (i32) -> i32
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error@+1 {{'$' in the text stands before the number of a register; a dollar itself is '$$'}}
  %a = tile.inline_asm "mov.b32 $0, $a;" constraints "=r,r" (%n) : (i32) -> i32
  tile.return
}

// -----

tile.kernel @k(%x: i32) {
  // expected-error@+1 {{is 'unshared', and 'pure' text finds the same in all threads}}
  %y = tile.inline_asm "add.s32 $0, $1, 1;" constraints "=r,r" pure unshared(%x) : (i32) -> i32
  tile.return
}

// -----

// tile.print, C2.
tile.kernel @k(%x: f32) {
  // expected-error@+1 {{'hex' shows the bits of integers and pointers, and there are none}}
  tile.print " x: " %x hex : f32
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f32>) {
  // expected-error@+1 {{'unsigned' says how integers are shown, and there are none}}
  tile.print " x: " %x unsigned : !tile.ptr<f32>
  tile.return
}

// -----

// Stages are those of a loop.
tile.kernel @k(%n: index) {
  // expected-error@+1 {{'tile.num_stages' is an i32 from 1 to 8, on a loop}}
  %a = arith.addi %n, %n {tile.num_stages = 2 : i32} : index
  tile.return
}

// -----

tile.kernel @k(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tile.num_stages' is an i32 from 1 to 8, on a loop}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.num_stages = 9 : i32}
  tile.return
}
