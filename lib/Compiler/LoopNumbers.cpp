//===- LoopNumbers.cpp - The loops that a report tells of -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNumbers.h"

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether the op gives tiles of a slot to read.
static bool givesSlot(Operation *op) {
  if (!isa<HandOverOpInterface>(op))
    return false;
  return llvm::any_of(op->getResults(), [](Value tile) {
    return llvm::any_of(tile.getUsers(), [](Operation *user) {
      return !endsWith(user, AccessEnd::WithHandOver);
    });
  });
}

/// Whether the op copies ahead for its own loop. What a loop in it reads is
/// copied in front of that one, too.
static bool copiesAhead(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  auto filled = findMemoryAccess(op, MemorySpace::Shared);
  AllocSharedOp tile = endsWith(op, AccessEnd::WithGroup)
                           ? getAllocation(filled->base)
                           : nullptr;
  return tile && llvm::any_of(getAccesses(tile), [&](Operation *access) {
           return !endsWith(access, AccessEnd::WithGroup) &&
                  access->getParentOfType<LoopLikeOpInterface>() == loop;
         });
}

LoopNumbers::LoopNumbers(KernelOp kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ProductOpInterface>(op) || copiesAhead(op) || givesSlot(op))
      add(op->getParentOfType<LoopLikeOpInterface>());
  });
  kernel.walk([&](ChannelOp channel) {
    std::optional<unsigned> reader = findReader(channel);
    for (Operation *user : channel->getUsers())
      if (auto loop = user->getParentOfType<LoopLikeOpInterface>();
          reader && loop && !isOverPrograms(loop))
        numbers.try_emplace(loop, *reader);
  });
}

void LoopNumbers::add(LoopLikeOpInterface loop) {
  if (loop && !isOverPrograms(loop) &&
      numbers.try_emplace(loop, loops.size()).second)
    loops.push_back(loop);
}

std::optional<unsigned> LoopNumbers::find(Operation *op) const {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  auto found = loop ? numbers.find(loop) : numbers.end();
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<unsigned> LoopNumbers::findReader(ChannelOp channel) const {
  for (Operation *user : channel->getUsers())
    if (givesSlot(user))
      if (std::optional<unsigned> number = find(user))
        return number;
  return std::nullopt;
}
