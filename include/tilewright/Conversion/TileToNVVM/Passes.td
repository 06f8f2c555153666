//===- Passes.td - From a placed program to threads --------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_TILETONVVM_PASSES
#define TILEWRIGHT_CONVERSION_TILETONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToNVVM : Pass<"convert-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower a placed program to what one thread does";
  let description = [{
    Each tile becomes the registers that one thread holds of it, each kernel an `llvm.func` that is
    an `nvvm.kernel`. Memory becomes `llvm.load` and `llvm.store` of vectors, predicated PTX where
    elements may be out of range. Scalars keep `arith`, `math` and `scf`, which upstream passes lower.

    ```mlir
    tile.local_store %t, %s {vector_width = 4 : i64} : tensor<64x64xf32, #rows>, !tile.shared<...>
    ```
    becomes, once for each four registers of the tile,
    ```mlir
    llvm.store %v, %p {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    ```

    The kernel must be placed: register layouts on all tiles, shared layouts, offsets and vector widths.
    An op or a type that the target lacks is an error.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def JoinEdgesAtUse : Pass<"join-edges-at-use"> {
  let summary = "Let loops carry rows as they were loaded, and join their edges where they are used";
  let description = [{
    The vectors at the edges of a row that begins anywhere are put together of single elements (`tile.joins_edges` on a branch), for which their warp waits. Of a row that is loaded an
    iteration ahead that is done in the next iteration: the loop carries the words of vectors and the elements of edges, if the row is used behind the
    branch that loads the next one. `tile.loads_ahead` says that nobody looks at what a branch hands out that has not loaded.

    ```mlir
    %r = scf.for %i = %l to %u step %s iter_args(%row = %x) -> (i32) {
      %n = arith.addi %i, %s : index
      %next = scf.if %more -> (i32) {
        %word = llvm.load %p : !llvm.ptr<1> -> i32              // %p by %n
        %edge = llvm.load %e : !llvm.ptr<1> -> i16
        %joined = scf.if %has -> (i32) { ... %edge ... } else { ... %word ... } {tile.joins_edges}
        scf.yield %joined : i32
      } else { ... }                                            // zeros
      ... %row ...
      scf.yield %next : i32
    } {tile.loads_ahead}
    ```
    becomes, but for values that nobody takes,
    ```mlir
    %r:2 = scf.for %i = %l to %u step %s iter_args(%w = %first#0, %d = %first#1) -> (i32, i16) {
      %n = arith.addi %i, %s : index
      %next:2 = scf.if %more -> (i32, i16) {
        %word = llvm.load %p : !llvm.ptr<1> -> i32
        %edge = llvm.load %e : !llvm.ptr<1> -> i16
        scf.yield %word, %edge : i32, i16
      } else { ... }
      %row = scf.if %has -> (i32) { ... %d ... } else { ... %w ... } {tile.joins_edges}    // %has by %i
      ... %row ...
      scf.yield %next#0, %next#1 : i32, i16
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PackCarriedWords : Pass<"pack-carried-words"> {
  let summary = "Let branches hand out words as they were loaded, and loops carry these";
  let description = [{
    Where a branch hands out two neighbouring elements of 16 bits that are taken out of one word of 32, or constants, it hands out the word; a loop that carries these carries it, and
    takes it apart in its next iteration. ptxas keeps each element in a register of its own, and takes a word apart where it stands: behind the load, for which it waits.
    Rows that are loaded a program ahead (`tile-load-rows-ahead`) are such. What the body of a loop loads itself stays in elements, with which ptxas does as well or better.

    ```mlir
    %r:2 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y) -> (f16, f16) {
      %next:2 = scf.if %more -> (f16, f16) {
        %v = llvm.bitcast %word : i32 to vector<2xf16>
        %c = llvm.extractelement %v[%c0] : vector<2xf16>
        %d = llvm.extractelement %v[%c1] : vector<2xf16>
        scf.yield %c, %d : f16, f16
      } else { ... }                                            // zeros
      ...
      scf.yield %next#0, %next#1 : f16, f16
    }
    ```
    becomes, `%first` being `%x` and `%y` side by side,
    ```mlir
    %r = scf.for %i = %l to %u step %s iter_args(%w = %first) -> (i32) {
      %v = llvm.bitcast %w : i32 to vector<2xf16>
      %a = llvm.extractelement %v[%c0] : vector<2xf16>
      %b = llvm.extractelement %v[%c1] : vector<2xf16>
      %next = scf.if %more -> (i32) {
        scf.yield %word : i32
      } else { ... }
      ...
      scf.yield %next : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def KeepInSlots : Pass<"keep-in-slots", "::mlir::ModuleOp"> {
  let summary = "Keep in shared memory what registers do not hold of a loop over rows";
  let description = [{
    A thread has slots of 16 bytes in shared memory, where it alone writes and reads, or a warp: there are no barriers of the block, and no conflicts. Of kernels that combine elements and have no products
    (`tilewright.shared_bytes` says what they have of shared memory), loops keep there

    - words that are loaded in front of the loop, 16 and more, such as weights: stored there, and read where they are first used;
    - where registers are short, what an iteration loads for the next one, by instructions of 16 bytes, from an array that the kernel does not write (`tilewright.read_only`): copied there (`cp.async`), and read when the next
      iteration begins. Where there is room for twice as many slots, two take turns: the copies of the next row go where this one is not, and so begin before anything of this one is read.
      (In one slot they stand behind the reads, and ptxas puts them off until most of what is read has been used. Not where the loop loads words for its next iteration that threads do not all have, and that find no room here.)
      Single words come with rows, as means of rows do: a register that is loaded shares a scoreboard with shuffles, which then wait for memory. Where slots take turns, words that are the same for all threads each warp copies once; its lanes meet before and behind (`bar.warp.sync`), and in front of a loop that another one runs again. A branch may load it, if it is of a row that begins anywhere (`tilewright.vector_of_row`), also by instructions of 8 bytes: only where their predicate holds are their addresses those of vectors, and only
      where the attribute is false does somebody look at the words elsewhere;
    - and sums that it carries, four floats each, which an iteration takes once and hands on: read there, and stored behind the additions, as many as registers do not hold.

    What registers have to hold is counted where lanes combine a row (`nvvm.shfl`); an element that is loaded alone, of less than a word, takes a register, since nothing is put together while it is under way.
    512 threads are to have room on a multiprocessor, or as many blocks as the kernel asks for (`nvvm.minctasm`), with their shared memory. Where a loop loads a row for its next iteration by elements, ptxas would take a few
    registers more, and leave one block with room. So it is told of the blocks (`nvvm.minctasm`).
    The slots are dynamic shared memory: `tilewright.slot_bytes` says how many bytes of it a launch needs.

    ```mlir
    %w = llvm.inline_asm "ld.global.v4.b32 ...", ...
    %w0 = llvm.extractvalue %w[0] : ...
    %r:4 = scf.for %i = %l to %u step %s iter_args(%a0 = %zero, ...) -> (f32, ...) {
      ...                                                       // uses %w0
      %b0 = arith.addf %a0, %x0 : f32
      scf.yield %b0, ... : f32, ...
    }
    ```
    becomes
    ```mlir
    llvm.store %words, %slot0 : vector<4xi32>, !llvm.ptr<3>
    llvm.store %zeros, %slot1 : vector<4xi32>, !llvm.ptr<3>
    scf.for %i = %l to %u step %s {
      %v = llvm.load %slot0 : !llvm.ptr<3> -> vector<4xi32>       // what was %w0 is in it
      ...
      %a = llvm.load %slot1 : !llvm.ptr<3> -> vector<4xi32>
      %b0 = arith.addf %a0, %x0 : f32
      llvm.store %b, %slot1 : vector<4xi32>, !llvm.ptr<3>
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect"];
}

def RecomputeInLoops : Pass<"recompute-in-loops"> {
  let summary = "Compute addresses anew in each iteration where registers are short";
  let description = [{
    A tile that is loaded an element at a time has an address for each, of 64 bits, which is the same in all iterations or moves on by the same. Beside
    the sums of a product they are more than a thread has registers. They are made of few numbers: one for each row, one for each column.

    Where what a loop carries, what products of an iteration have beside it (sums that begin there, and left operands in registers), what its iterations take that is the same in all of them, and 40 registers beside, or as many as an iteration has words to load before it stores the first of them to shared memory, are more than a thread has, only the values stay, of what the loop and the ops
    behind it take from in front of it, that take fewest registers and from which all others can be computed by additions, products and the like, which is a smallest cut of the graph of what is computed from what. The others
    are computed where they are used. Pointers that move on by the same become a base that moves and the way from it. That is done where it saves 16 registers, in loops without loops in them that have products by `wgmma`
    or of f64, or where products by `mma.sync` begin sums in each iteration, as scores, and threads meet twice in it at the most: between more barriers nothing hides what is computed; rows that loops carry have rules of their own (`keep-in-slots`).

    LLVM would take them out of the loop again. So what is kept is copied by PTX that it does not look into; ptxas leaves them where they are when registers are
    short. Behind the last barrier that follows such a loop, where results are stored an element at a time, addresses and masks are computed right in front of the first op that uses them.
    `tilewright.few_registers` says so to the passes that follow, also where nothing is computed anew, but words under way are more than 40.

    Behind a loop that is not short of them, barriers divide the program of a thread: sums are loaded to, handed over and stored in turn, at places that are the same for
    several of these parts. Where sums, words under way, places and masks are 64 words more than registers, each part behind a barrier computes places and masks anew of the smallest cut, if that saves 64 words. ptxas
    finds what it has computed before through copies and over barriers, and keeps it. So to what is kept of a thread a zero is added that comes from a shuffle.

    ```mlir
    %o = arith.addi %row, %column : i32          // and others, of other rows and columns
    %p = llvm.getelementptr %a[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
    scf.for %k = %c0 to %K step %c1 iter_args(...) {
      %n = arith.muli %k, %step : i64
      %q = llvm.getelementptr %p[%n] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
      ... %q ...
    }
    ```
    becomes
    ```mlir
    scf.for %k = %c0 to %K step %c1 iter_args(...) {
      %r = llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r" %row : (i32) -> i32 // and each row and column
      %n = arith.muli %k, %step : i64
      %b = llvm.getelementptr %a[%n] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
      %o = arith.addi %r, %c : i32
      %q = llvm.getelementptr %b[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
      ... %q ...
    } {tilewright.few_registers}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def CopyInParts : Pass<"copy-in-parts"> {
  let summary = "Load and store what goes to shared memory a part at a time where registers are short";
  let description = [{
    What threads load an element at a time and store to shared memory is in a register each until the last of them is there. In a loop that is short of registers
    (`tilewright.few_registers`) a thread has 24 of them under way: it loads these, meets the others where they meet, stores these, and loads the next. A loop that may
    store to global memory stays as it is, since loads move behind a barrier. Where a thread has registers for all that an iteration loads, but not for the
    addresses of a part, what has one address but for a constant stands together, so that no part keeps addresses for the next one.

    Behind loops that have room for all that they load, where what is there and what is loaded are more than a thread has, parts are of 16 loads, and the next part is loaded before one is stored. A
    barrier of the warp behind each part has ptxas load no more than these two at once. Nothing may be stored to global memory from there to the next barrier.

    ```mlir
    %a = llvm.load %p : !llvm.ptr<1> -> i16
    %b = llvm.load %q : !llvm.ptr<1> -> i16
    nvvm.barrier0
    llvm.store %a, %s : i16, !llvm.ptr<3>
    llvm.store %b, %t : i16, !llvm.ptr<3>
    ```
    becomes, with parts of one,
    ```mlir
    %a = llvm.load %p : !llvm.ptr<1> -> i16
    nvvm.barrier0
    llvm.store %a, %s : i16, !llvm.ptr<3>
    %b = llvm.load %q : !llvm.ptr<1> -> i16
    llvm.store %b, %t : i16, !llvm.ptr<3>
    ```
  }];
}

def StrengthReducePointers : Pass<"strength-reduce-pointers"> {
  let summary = "Let loops carry the pointers that would be computed anew in each iteration";
  let description = [{
    A pointer whose offset is an invariant plus the induction variable times another invariant, as of rows of a
    matrix along K, becomes a value that the loop carries. 64-bit products take several instructions of a GPU, and
    neither LLVM nor ptxas removes these. The next pointer is computed at the start of the body. Where the step is a
    constant, as along a row, only an addition is saved: such pointers are carried in loops whose copies run ahead
    (`nvvm.cp.async.wait.group`), and advanced at the end of the body.

    Where copies run ahead of `wgmma`, registers are left: pointers an invariant away from carried ones, as the rows of a
    block are from its first, are carried too. All start one step back there and are advanced before they are used:
    behind a copy, the addition would wait for it. Where no other warpgroup runs meanwhile
    (`tilewright.one_warpgroup`), the loop carries how far pointers with one step have moved, and adds it to each: of a sum
    ptxas makes a pair of registers as copies take them, of what is carried it does not.

    It looks at pointers of one index of 64 bits in the body of a loop over `index`.

    Of a loop that counts few trips from 0, the pointers of branches become one from before the loop, and a constant times the
    counter behind it, where a sum of fewer bits is known not to wrap around: it begins at a multiple of more than the trips
    add. ptxas replaces branches by predicates where they compute no addresses, and has the loads of all trips under way.

    ```mlir
    scf.for %k = %c0 to %K step %c32 {
      %row = arith.addi %k, %r : index
      %elements = arith.muli %row, %stride : index
      %offset = arith.index_cast %elements : index to i64
      %p = llvm.getelementptr %a[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
      ...
    }
    ```
    becomes, `%start` and `%step` computed before the loop,
    ```mlir
    scf.for %k = %c0 to %K step %c32 iter_args(%p = %start) -> (!llvm.ptr<1>) {
      %next = llvm.getelementptr %p[%step] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
      ...
      scf.yield %next : !llvm.ptr<1>
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def PackMasks : Pass<"pack-masks"> {
  let summary = "Keep masks of copies that a loop does not change as bits of a register";
  let description = [{
    A copy of a block writes zeros beyond the ends of an array. Whether a row or a column is inside is the same in all iterations; only the end along K
    is met in the last ones. There are more such masks than predicates, so that ptxas compares anew for each copy, with a coordinate in a register for each.
    Four and more of a loop become bits, set before it; a copy tests one, of the word where the conditions of this iteration are true, else of zeros.
    Among FMAs, where all copies have conditions of their lanes along K, comparisons take these along, and stay. Copies of 16 bytes are few and stay too, but for those of a
    product of f64, whose loop is short.

    ```mlir
    scf.for %k = %c0 to %K step %c32 {
      %row = arith.cmpi ult, %r, %M : i32
      %column = arith.cmpi ult, %k, %K : index
      %both = arith.andi %row, %column : i1
      %bytes = arith.select %both, %c4, %none : i32
      llvm.inline_asm "cp.async...", %to, %from, %bytes
      ...
    }
    ```
    becomes
    ```mlir
    %rows = llvm.inline_asm "mov.b32 $0, $1;", "=r,r" %bits // a bit for each row
    scf.for %k = %c0 to %K step %c32 {
      %column = arith.cmpi ult, %k, %K : index
      %word = arith.select %column, %rows, %zero : i32
      %bit = arith.andi %word, %c1 : i32
      %both = arith.cmpi ne, %bit, %zero : i32
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def PackKeptHalves : Pass<"pack-kept-halves"> {
  let summary = "Keep two halves that a loop takes in one register";
  let description = [{
    Elements of 16 bits that are loaded one by one in front of a loop, and taken by its iterations, as weights of rows that begin anywhere are, have a register each for as long as the loop runs.
    Two become a word in front of it, by `prmt`, since ptxas sees through a move; where they are taken, the word is taken apart, which costs nothing: an instruction takes either half of a register.
    From eight on, and of those that nothing but the loop takes; where threads have no more registers than are live where lanes combine a row, or where so a multiprocessor has room for 20 warps and has not otherwise. Elsewhere ptxas orders other code, and not better code.

    ```mlir
    %a = llvm.load %p : !llvm.ptr<1> -> f16
    %b = llvm.load %q : !llvm.ptr<1> -> f16
    scf.for %i = %l to %u step %s {
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      ...
    }
    ```
    becomes, `%c` and `%d` being the bits of both as words,
    ```mlir
    %w = llvm.inline_asm "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r" %c, %d : (i32, i32) -> i32
    scf.for %i = %l to %u step %s {
      %v = llvm.bitcast %w : i32 to vector<2xf16>
      %a = llvm.extractelement %v[%c0] : vector<2xf16>
      %x = arith.extf %a : f16 to f32
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ReadAcrossBarriers : Pass<"read-across-barriers"> {
  let summary = "Read what the first products of an iteration take before the last ones of the iteration before";
  let description = [{
    Behind the barrier at the start of an iteration all warps wait for shared memory at once, and nothing is multiplied. Where a body has products in
    several steps along K, of f64 or FMAs that registers bound, its wait, its barrier and the reads of its first step move to the end of the iteration before, in front of the
    products of its last step. The loop carries what was read. The order of copies, waits, barriers and reads stays; the wait of the first iteration
    stands in front of the loop, and the last one, which has no next, reads nothing.

    Bodies with anything else that touches memory stay as they are, and those of one step. Where FMAs stand beside copies none of which is of 16 bytes, registers
    are too few for a branch if there are 128 sums or more, and with up to 16 steps the one that it costs is much. There the loop makes one iteration less, and the last one, which reads nothing ahead and starts no copy whose condition asks for a later one, stands behind it.

    Where some copies are of 16 bytes and there are 64 to 127 sums, ptxas is told how many registers it may take (`nvvm.maxnreg`): 136 beside the sums, or down to 104 where another block has room on a multiprocessor then. Left alone it may
    let each step's reads go to the registers of the step before, for which the first FMA waits.

    ```mlir
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
      nvvm.cp.async.wait.group 1
      nvvm.barrier0
      ... // copies
      %a = llvm.load %p : !llvm.ptr<3> -> f64
      ... // products of %a, then others
    }
    ```
    becomes
    ```mlir
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %first = scf.if %runs -> (f64) {
      ... // the read
    } else { ... }
    %s:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero, %a = %first) -> (f64, f64) {
      ... // copies, and products but the last step's
      nvvm.cp.async.wait.group 1
      nvvm.barrier0
      %next = scf.if %more -> (f64) {
        ... // the read
      } else { ... }
      ... // products of the last step
      scf.yield %last, %next : f64, f64
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SpreadCopies : Pass<"spread-copies"> {
  let summary = "Start copies between the products of a loop's body, not in front of them";
  let description = [{
    What is copied ahead of time is not read before a wait, so that copies and reads of shared memory may change places
    where no wait or barrier is between them. ptxas does not know that: it keeps reads behind the copies that they stand behind,
    and products wait for the addresses and masks of all copies. Where a body has many FMAs, on a target whose schedulers
    issue one each cycle, or products of f64, copies are spread over these. Shared memory is read for one step along K while the step before is multiplied, and what a
    copy or a read is computed from stands in front of it.

    Bodies with stores, barriers or branches between the first copy and the last product stay as they are.

    ```mlir
    llvm.inline_asm "cp.async...", %to, %from
    %a = llvm.load %p : !llvm.ptr<3> -> f32
    %s = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32
    ...
    ```
    becomes
    ```mlir
    %a = llvm.load %p : !llvm.ptr<3> -> f32
    %s = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32
    ...
    llvm.inline_asm "cp.async...", %to, %from
    ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PairConversions : Pass<"pair-conversions"> {
  let summary = "Convert two sums to halves at once, where each half is stored alone";
  let description = [{
    Of two sums of `wgmma` that become halves, ptxas makes one instruction, right where the later one is made: under the products, which it then lets wait for one
    another (C7514). Where halves are stored with another one, LLVM has made one instruction of both before. Where each is stored alone, as in a transposed
    result, this pass does.

    Only functions with products by `wgmma` change.

    ```mlir
    %h = arith.truncf %a : f32 to f16
    %i = arith.truncf %b : f32 to f16
    ```
    becomes
    ```mlir
    %both = llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"(%b, %a) : (f32, f32) -> vector<2xf16>
    %h = llvm.extractelement %both[%c0 : i32] : vector<2xf16>
    %i = llvm.extractelement %both[%c1 : i32] : vector<2xf16>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def UpdateInParts : Pass<"update-in-parts"> {
  let summary = "Read, compute and write what is updated in shared memory a part at a time";
  let description = [{
    What is added to sums, such as a residual, lies where the results are to go. All of it is read before the first result is written, and
    ptxas, which does not know that a write meets no later read, keeps that order: what was read has to be in registers beside the sums. Where a thread writes the places that it
    read, and they have no byte in common, it reads 32 of them at a time, writes what becomes of these, and goes on with the next.

    Where much is computed of each, as a GELU in front of the sum, a branch that is never taken stands behind every eight of them (`compute-in-parts`).

    Places are compared by how their addresses are computed. Updates with a barrier, a branch or another access in between stay as they are, and so do those of up to
    32 places.

    ```mlir
    %a = llvm.load %p : !llvm.ptr<3> -> i32
    %b = llvm.load %q : !llvm.ptr<3> -> i32
    ... // of %a comes %c, and of %b comes %d
    llvm.store %c, %p : i32, !llvm.ptr<3>
    llvm.store %d, %q : i32, !llvm.ptr<3>
    ```
    becomes, with parts of one,
    ```mlir
    %a = llvm.load %p : !llvm.ptr<3> -> i32
    ... // %c
    llvm.store %c, %p : i32, !llvm.ptr<3>
    %b = llvm.load %q : !llvm.ptr<3> -> i32
    ... // %d
    llvm.store %d, %q : i32, !llvm.ptr<3>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ComputeInParts : Pass<"compute-in-parts"> {
  let summary = "Compute what becomes of sums a part at a time";
  let description = [{
    What a function makes of the sums of a product, such as a GELU, is written an operation at a time: first all products, then all exponentials. ptxas orders that as it
    likes, with as many results under way as it finds registers for, and a few more. Where these are short (the results take all but 128), each result is computed to its
    end before the next one, and behind every 32 of them (16, where the sums are not those of `wgmma`) stands a branch that is never taken, over which ptxas moves nothing.

    Of what more is computed behind, such as a sum with a residual, a last multiplication is no part of a multiply-add: that would be made there, and all its operands kept
    till then. Results of fewer than four operations stay as they are, and what has no loop of products in its block.

    ```mlir
    %a = math.erf %x : f32
    %b = math.erf %y : f32
    %c = arith.mulf %a, %x : f32
    %d = arith.mulf %b, %y : f32
    ```
    becomes, with parts of one,
    ```mlir
    %a = math.erf %x : f32
    %c = arith.mulf %a, %x : f32
    llvm.inline_asm has_side_effects "{ ... setp.eq.u32 never, blocks, 9999${:uid}; @never exit; }", ""
    %b = math.erf %y : f32
    %d = arith.mulf %b, %y : f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StaggerWarpgroups : Pass<"stagger-warpgroups"> {
  let summary = "Let warpgroups begin a loop apart that multiplies, computes and multiplies";
  let description = [{
    Where an iteration waits for a product and makes an operand of the next one from it, as attention does, tensor cores have nothing to do while a warpgroup computes. Warpgroups that begin at
    the same time stay together: all of them compute, and all of them multiply. So every other one waits in front of the loop for about half an iteration, and then multiplies while the
    others compute.

    Only where warpgroups do not meet in the loop, and it has eight trips or more: fewer do not win the wait back.

    ```mlir
    scf.for ... {
      ... // nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      ... // exponentials, then nvvm.wgmma.commit.group.sync.aligned
    }
    ```
    becomes
    ```mlir
    scf.if %waits { // trips >= 8, and the number of the warpgroup is odd
      llvm.inline_asm has_side_effects "{ ... %clock ... }", ""
    }
    scf.for ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AttachSourceLines : Pass<"attach-source-lines"> {
  let summary = "Give instructions the lines and calls of the source that PTX can carry";
  let description = [{
    Behind `ensure-debug-info-scope-on-llvm-func`, which gives functions and single lines their scopes. Fused locations
    become their first line, since LLVM would make line 0 of several. Calls, in whatever order they are nested, become one
    chain from the line to the kernel, each line in the scope of its own file.

    ```mlir
    llvm.store %v, %p : i32, !llvm.ptr<1> loc(callsite(callsite("f.py":6:3 at "g.py":9:1) at "kernel.py":20:7))
    ```
    becomes, all three lines in a scope,
    ```mlir
    llvm.store %v, %p : i32, !llvm.ptr<1> loc(callsite("f.py":6:3 at callsite("g.py":9:1 at "kernel.py":20:7)))
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TILEWRIGHT_CONVERSION_TILETONVVM_PASSES
