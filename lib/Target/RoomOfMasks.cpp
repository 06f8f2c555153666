//===- RoomOfMasks.cpp - What is left, for many masks at once -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoomOfMasks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// What masks of one room have in common, and in which block they are.
struct Room {
  Value *condition, *first, *end;
  bool isSigned;
  BasicBlock *block;

  auto asTuple() const {
    return std::tuple(condition, first, end, isSigned, block);
  }
};

/// One of them: whether what stands `offset` behind the first one is inside.
struct MaskInRoom {
  Instruction *mask;
  uint64_t offset;
};
} // namespace

/// A mask that begins with `condition`, if `compare` is of a place with an end.
static std::optional<std::pair<Room, MaskInRoom>>
matchMask(Instruction &mask, Value *condition, Value *compare) {
  Room room{condition, nullptr, nullptr, false, mask.getParent()};
  Value *place = nullptr;
  auto isLess = [&](CmpInst::Predicate less) {
    return match(compare,
                 m_SpecificICmp(less, m_Value(place), m_Value(room.end))) ||
           match(compare, m_SpecificICmp(CmpInst::getSwappedPredicate(less),
                                         m_Value(room.end), m_Value(place)));
  };
  if (!isLess(CmpInst::ICMP_ULT)) {
    if (!isLess(CmpInst::ICMP_SLT))
      return std::nullopt;
    room.isSigned = true;
  }
  if (isa<Constant>(room.end) || isa<Constant>(place))
    return std::nullopt;
  // There are no saturated differences of pointers, and instructions gain
  // nothing by narrower numbers.
  if (!place->getType()->isIntegerTy(32) && !place->getType()->isIntegerTy(64))
    return std::nullopt;
  const APInt *offset = nullptr;
  if (!match(place, m_DisjointOr(m_Value(room.first), m_APInt(offset))))
    room.first = place;
  // The most room there is is more than any offset.
  if (offset && offset->uge(INT32_MAX))
    return std::nullopt;
  return std::pair(room,
                   MaskInRoom{&mask, offset ? offset->getZExtValue() : 0});
}

/// How much there is from the first place to the end, in 32 bits.
static Value *makeRoom(const Room &room, IRBuilder<> &builder) {
  Value *left = builder.CreateBinaryIntrinsic(
      room.isSigned ? Intrinsic::ssub_sat : Intrinsic::usub_sat, room.end,
      room.first);
  Type *type = left->getType(), *word = builder.getInt32Ty();
  if (type != word) {
    // More than any offset is enough.
    Constant *most = ConstantInt::get(type, INT32_MAX);
    if (room.isSigned)
      left = builder.CreateBinaryIntrinsic(Intrinsic::smax, left,
                                           Constant::getNullValue(type));
    left = builder.CreateTrunc(
        builder.CreateBinaryIntrinsic(Intrinsic::umin, left, most), word);
  }
  return builder.CreateSelect(room.condition, left,
                              Constant::getNullValue(word));
}

PreservedAnalyses tilewright::RoomOfMasksPass::run(Function &function,
                                                   FunctionAnalysisManager &) {
  // What a room costs itself.
  constexpr size_t fewest = 4;
  std::map<decltype(std::declval<Room>().asTuple()), size_t> numbers;
  SmallVector<std::pair<Room, SmallVector<MaskInRoom>>> rooms;
  for (Instruction &instruction : instructions(function)) {
    Value *first = nullptr, *second = nullptr;
    if (!match(&instruction, m_And(m_Value(first), m_Value(second))) ||
        !instruction.getType()->isIntegerTy(1))
      continue;
    for (auto [condition, compare] :
         {std::pair(first, second), std::pair(second, first)})
      if (auto found = matchMask(instruction, condition, compare)) {
        auto [entry, isNew] =
            numbers.try_emplace(found->first.asTuple(), rooms.size());
        if (isNew)
          rooms.push_back({found->first, {}});
        rooms[entry->second].second.push_back(found->second);
      }
  }
  // Of the row of a column, and of the column of a row, that with more masks.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, rooms.size()));
  llvm::sort(order, [&](size_t left, size_t right) {
    return std::pair(rooms[right].second.size(), left) <
           std::pair(rooms[left].second.size(), right);
  });
  SmallPtrSet<Instruction *, 32> done;
  for (size_t number : order) {
    auto &[room, masks] = rooms[number];
    llvm::erase_if(masks, [&](const MaskInRoom &mask) {
      return done.contains(mask.mask);
    });
    if (masks.size() < fewest)
      continue;
    IRBuilder<> builder(masks.front().mask);
    Value *left = makeRoom(room, builder);
    for (const MaskInRoom &mask : masks) {
      builder.SetInsertPoint(mask.mask);
      Constant *offset = builder.getInt32(mask.offset);
      mask.mask->replaceAllUsesWith(room.isSigned && left->getType() ==
                                                         room.end->getType()
                                        ? builder.CreateICmpSGT(left, offset)
                                        : builder.CreateICmpUGT(left, offset));
      done.insert(mask.mask);
    }
  }
  // adce leaves out what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return done.empty() ? PreservedAnalyses::all() : preserved;
}
