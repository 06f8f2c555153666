//===- RegisterPasses.td - What a thread keeps, and where --*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one thread keeps in registers, in slots of shared memory, or not at all.
// Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_TILETONVVM_REGISTERPASSES
#define TILEWRIGHT_CONVERSION_TILETONVVM_REGISTERPASSES

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

#endif // TILEWRIGHT_CONVERSION_TILETONVVM_REGISTERPASSES
