//===- WaitsOfDoubles.h - Sums of doubles, waited for -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of doubles on tensor cores take a while, and who reads their sums
// waits by a scoreboard. Of a loop that is one block and has one fragment of
// sums, in the same registers all the way, ptxas 13.0 forgets by `-O3` that the
// last product of an iteration is not done yet where the next one begins:
//
//   loop: DMMA R8, R16, R4, R8      no wait for what is in R8
//         DMMA R8, R24, R32, R8     waits for the one before
//         BRA loop
//
// (seen in its code for sm_90a and sm_120a, and in what an H200 computes; with
// that wait written into the binary it computes right:
// docs/decisions/0161-a-wait-that-ptxas-loses.md). Where sums are used before
// the loop goes around, it waits there. So they are:
//
//   sums = sums ^ 0                 by a zero that ptxas does not know
//
// A loop with more fragments is as it was: there ptxas has waits. Those that
// only stores under a false mask use are not counted, since ptxas leaves them
// out: the 31 other rows of a block whose matrix has one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_WAITSOFDOUBLES_H
#define TILEWRIGHT_LIB_TARGET_WAITSOFDOUBLES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Has such loops use their sums. It comes behind LLVM's passes, and where none
/// run, as ptxas optimises in any case.
void waitForDoubles(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_WAITSOFDOUBLES_H
