//===- SlotCandidates.h - What slots of threads can have --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop of a thread's program has in registers, and what of that slots in
// shared memory could have instead (keep-in-slots): words of memory, sums, and
// what is loaded for the next iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTCANDIDATES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTCANDIDATES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tonvvm {

/// A slot has what one access moves without conflicts.
inline constexpr int64_t kSlotWords = 4;
inline constexpr int64_t kSlotBytes = kSlotWords * bytesPerWord;

/// A load with a predicate has its address, the predicate, and the words for
/// where that does not hold, or none where these are zeros.
inline constexpr unsigned kPredicate = 1, kFirstOtherWord = 2;

/// The word that the value is, or that it is taken out of; or null.
mlir::Value getWord(mlir::Value value);

/// Whether the word comes from memory, at once or by a branch.
bool isLoaded(mlir::Value word);

/// Threads that are to have room on a multiprocessor, if nobody asks for
/// blocks.
inline constexpr int64_t kThreadsPerSM = 512;

/// Words that are live where lanes combine what they have, at the most: there a
/// row is whole, whatever the order of what is computed element by element.
int64_t countLiveWords(mlir::LoopLikeOpInterface loop);

/// Whether an iteration loads a row for the next one, element by element.
bool loadsElementsAhead(mlir::scf::ForOp loop);

/// Four neighbours that a loop carries, to each of which each iteration adds
/// something, once.
struct CarriedSums {
  unsigned first;
  /// What takes the first of them, and what makes the last of the next ones.
  mlir::Operation *reader = nullptr, *writer = nullptr;
};

std::optional<CarriedSums> matchSums(mlir::scf::ForOp loop, unsigned first);

/// What a loop loads for its next iteration, by one instruction of a word, 8 or
/// 16 bytes, and carries.
struct LoadedAhead {
  unsigned first, count = 0;
  mlir::Operation *load = nullptr;
  int64_t bytes = 0;
  /// The branch of the loop's body that has the load, and hands it on; or null.
  mlir::scf::IfOp branch = nullptr;
};

/// What one slot has of these, which follow one another.
using SlotLoads = llvm::SmallVector<LoadedAhead, 2>;

/// The number behind the last value that they load.
inline unsigned getEnd(const SlotLoads &loads) {
  return loads.back().first + loads.back().count;
}

inline unsigned countValues(const SlotLoads &loads) {
  return getEnd(loads) - loads.front().first;
}

/// What the loop loads for its next iteration, by slots; without `mayBranch`
/// not what branches load.
llvm::SmallVector<SlotLoads> findSlotLoads(mlir::scf::ForOp loop,
                                           bool mayBranch);

/// Whether these are words that were loaded one by one, as what is known of a
/// row, and no part of a row.
inline bool areSingleWords(const SlotLoads &loads) {
  return loads.front().bytes == bytesPerWord;
}

/// What is taken out of a load, from users to what they use, and the load.
void collectUsers(mlir::Operation *load,
                  llvm::SetVector<mlir::Operation *> &users);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTCANDIDATES_H
