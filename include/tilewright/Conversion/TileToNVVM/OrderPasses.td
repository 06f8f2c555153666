//===- OrderPasses.td - What a thread does first -----------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which order one thread loads, computes and stores.
// Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_TILETONVVM_ORDERPASSES
#define TILEWRIGHT_CONVERSION_TILETONVVM_ORDERPASSES

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

def AlternateFragments : Pass<"alternate-fragments"> {
  let summary = "Pair iterations whose products are under way while their left operands are read anew";
  let description = [{
    A left operand in registers is read by its product until that is over. Where an iteration reads its own while the products of the one before are under way, both need registers of their own, which
    ptxas gives to values of two names only; else it waits for each product. So two iterations become one, and where a loop has an odd number of them, the last one stands behind it.

    ```mlir
    %r = scf.for %i = %lower to %upper step %step iter_args(%sum = %zero) {
      ... // words of shared memory, nvvm.wgmma by these, nvvm.wgmma.wait.group.sync.aligned 1
    }
    ```
    becomes
    ```mlir
    %last = arith.subi %upper, %step
    %two = arith.addi %step, %step
    %r:2 = scf.for %i = %lower to %last step %two iter_args(%sum = %zero, %from = %lower) {
      ... // twice
    }
    %isOdd = arith.cmpi slt, %r#1, %upper
    scf.if %isOdd {
      ... // once
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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

#endif // TILEWRIGHT_CONVERSION_TILETONVVM_ORDERPASSES
