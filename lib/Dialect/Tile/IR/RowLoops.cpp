//===- RowLoops.cpp - Loops along rows whose length a launch knows --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright::tile;

Value tilewright::tile::stripCasts(Value value) {
  auto isWide = [](Type type) {
    return type.isIndex() ||
           (type.isSignlessInteger() && type.getIntOrFloatBitWidth() >= 32);
  };
  while (Operation *op = value.getDefiningOp()) {
    bool keeps = isSignedCast(op) || op->hasTrait<MovesElements>();
    if (!keeps || !isWide(op->getOperand(0).getType()) ||
        !isWide(op->getResult(0).getType()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<int64_t>
tilewright::tile::getNumber(std::optional<OpFoldResult> bound) {
  if (!bound)
    return std::nullopt;
  if (auto attr = dyn_cast<Attribute>(*bound)) {
    auto number = dyn_cast<IntegerAttr>(attr);
    return number ? std::optional(number.getInt()) : std::nullopt;
  }
  APInt number;
  return matchPattern(stripCasts(cast<Value>(*bound)), m_ConstantInt(&number))
             ? std::optional(number.getSExtValue())
             : std::nullopt;
}

BlockArgument tilewright::tile::getArgument(OpFoldResult bound) {
  auto value = dyn_cast<Value>(bound);
  auto argument =
      value ? dyn_cast<BlockArgument>(stripCasts(value)) : BlockArgument();
  return argument && isa<KernelOp>(argument.getOwner()->getParentOp())
             ? argument
             : BlockArgument();
}

/// The arrays that the loop loads tiles from, each with the bytes of the
/// largest of these; nothing where it does anything but to load, store and
/// compute.
static std::optional<llvm::SmallMapVector<Value, int64_t, 4>>
findLoads(LoopLikeOpInterface loop) {
  llvm::SmallMapVector<Value, int64_t, 4> loads;
  WalkResult result = loop->walk([&](Operation *op) {
    if (op == loop)
      return WalkResult::advance();
    if (isa<LoopLikeOpInterface, ProductOpInterface, MemoryOrderOpInterface>(
            op))
      return WalkResult::interrupt();
    auto accesses = getMemoryAccesses(op);
    if (accesses.empty() && !isPure(op) &&
        !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::interrupt();
    for (const MemoryAccess &access : accesses) {
      if (access.space != MemorySpace::Global || access.talksToOthers())
        return WalkResult::interrupt();
      auto tile = dyn_cast<GlobalAccessOpInterface>(op);
      if (!tile || !access.isRead)
        continue;
      int64_t &bytes = loads[getRoot(access.base)];
      bytes = std::max(bytes, getByteSize(tile.getTileType()));
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || loads.empty())
    return std::nullopt;
  return loads;
}

SmallVector<RowLoops> tilewright::tile::findRowLoops(KernelOp kernel) {
  SmallVector<RowLoops> found;
  if (!anyOpIn<CombineOpInterface>(kernel))
    return found;
  SmallVector<llvm::SmallMapVector<Value, int64_t, 4>> arrays;
  kernel.getBody().walk([&](LoopLikeOpInterface loop) {
    std::optional<OpFoldResult> end = loop.getSingleUpperBound();
    std::optional<int64_t> step = getNumber(loop.getSingleStep());
    if (!end || getNumber(loop.getSingleLowerBound()) != 0 || !step ||
        *step <= 0 || *step > INT32_MAX / RowLoops::kMaxTrips)
      return;
    BlockArgument argument = getArgument(*end);
    std::optional<int64_t> constant = getNumber(end);
    auto loads = findLoads(loop);
    if ((!argument && !constant) || !loads)
      return;
    int64_t number = argument ? 0 : *constant;
    auto *group = llvm::find_if(found, [&](const RowLoops &other) {
      return other.end == argument && other.constantEnd == number &&
             other.step == *step;
    });
    if (group == found.end()) {
      found.push_back({argument, number, *step, {loop}, {}, 0});
      arrays.push_back(*loads);
      return;
    }
    group->loops.push_back(loop);
    auto &known = arrays[group - found.begin()];
    for (auto [array, bytes] : *loads) {
      int64_t &before = known[array];
      // A negative number is of what is counted.
      if (array && before > 0) {
        group->sharedBytes += std::max(before, bytes);
        group->sharedArrays.push_back(array);
        before = -1;
      } else if (before == 0) {
        before = bytes;
      }
    }
  });
  return found;
}
