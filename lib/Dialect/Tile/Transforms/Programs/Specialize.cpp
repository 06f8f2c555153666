//===- Specialize.cpp - Promises about arguments ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPECIALIZE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The argument of that name. `what` says in an error what it was named for.
static FailureOr<unsigned> findArgument(KernelOp kernel, StringRef name,
                                        StringRef what) {
  std::string known;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    if (kernel.getArgName(index) == name)
      return index;
    known += (index ? ", " : "") + kernel.getArgName(index).str();
  }
  return kernel.emitError("'")
         << name << "', which " << what << ", is no argument of '"
         << kernel.getSymName() << "'; it has: " << known;
}

/// Writes the promise NAME:D on the kernel's argument of that name.
static LogicalResult promiseDivisibility(KernelOp kernel, StringRef text) {
  auto [name, number] = text.split(':');
  int64_t divisibility = 0;
  if (number.getAsInteger(10, divisibility) ||
      !KernelOp::isLegalDivisibility(divisibility))
    return kernel.emitError("a divisibility is NAME:D with D a power of two "
                            "from 1 to 2^30, not '")
           << text << "'";
  FailureOr<unsigned> index = findArgument(kernel, name, "has a divisibility");
  if (failed(index))
    return failure();
  kernel.setArgAttr(
      *index, KernelOp::kDivisibilityAttr,
      Builder(kernel.getContext()).getI64IntegerAttr(divisibility));
  return success();
}

/// Writes on the argument that it is disjoint, whatever the kernel said.
static LogicalResult promiseDisjoint(KernelOp kernel, StringRef name) {
  FailureOr<unsigned> index = findArgument(kernel, name, "is disjoint");
  if (failed(index))
    return failure();
  kernel.removeArgAttr(*index, KernelOp::kMayOverlapAttr);
  kernel.setArgAttr(*index, KernelOp::kDisjointAttr,
                    UnitAttr::get(kernel.getContext()));
  return success();
}

/// The number that the text is, in the bits of the argument's type.
static FailureOr<uint64_t> parseValue(KernelOp kernel, unsigned index,
                                      StringRef text) {
  StringRef name = kernel.getArgName(index);
  Type type = kernel.getArgumentTypes()[index];
  std::optional<spec::Argument> argument = describeArgument(name, type);
  if (!argument || argument->isPointer() || !spec::isInteger(argument->type))
    return kernel.emitError("'")
           << name << "' is of type " << type << ": only integers of launches, "
           << "and indices, are constants";
  uint64_t magnitude = 0;
  StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  std::optional<uint64_t> bits;
  if (!digits.getAsInteger(10, magnitude))
    bits = spec::encodeGivenInteger(argument->type, isNegative, magnitude);
  if (!bits)
    return kernel.emitError("'") << name << "' is of type " << type
                                 << ", which does not hold " << text;
  return *bits;
}

/// Has the body use NAME:VALUE in place of the argument of that name.
static LogicalResult makeConstant(KernelOp kernel, StringRef text) {
  auto [name, value] = text.split(':');
  StringRef digits = value;
  digits.consume_front("-");
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return kernel.emitError("a constant is NAME:VALUE with an integer, not '")
           << text << "'";
  FailureOr<unsigned> index = findArgument(kernel, name, "is a constant");
  if (failed(index))
    return failure();
  FailureOr<uint64_t> bits = parseValue(kernel, *index, value);
  if (failed(bits))
    return failure();
  BlockArgument argument = kernel.getArgument(*index);
  if (argument.use_empty())
    return success();
  Type type = argument.getType();
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  argument.replaceAllUsesWith(arith::ConstantOp::create(
      builder, argument.getLoc(),
      builder.getIntegerAttr(type, APInt(width, *bits))));
  return success();
}

/// Whether all that is done with a pointer is to move it and to make views.
static bool isOnlyViewed(Value pointer) {
  return llvm::all_of(pointer.getUsers(), [](Operation *user) {
    if (!isa<ViewLikeOpInterface>(user))
      return false;
    Value moved = user->getResult(0);
    return isa<ViewType>(moved.getType()) || isOnlyViewed(moved);
  });
}

/// A view promises that its elements are reached through its argument only.
static void promiseOfViews(KernelOp kernel) {
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments()))
    if (isa<PtrType>(argument.getType()) && !argument.use_empty() &&
        isOnlyViewed(argument) &&
        !kernel.getArgAttr(index, KernelOp::kMayOverlapAttr))
      kernel.setArgAttr(index, KernelOp::kDisjointAttr,
                        UnitAttr::get(kernel.getContext()));
}

/// Whether a kernel moves rows of vectors in a short tile, which had better not
/// know where these end: one that combines nothing, or has several rows a
/// program. The gradient of cross entropy of 68 columns took longer by fewer
/// instructions (docs/decisions/0156-slices-of-halves.md).
static bool movesVectors(KernelOp kernel, unsigned index) {
  int64_t columns = findRowColumns(kernel)[index];
  return kernel.getArgDivisibility(index) == kVectorOfFour && columns != 0 &&
         columns <= kShortTile &&
         (!anyOpIn<CombineOpInterface>(kernel) ||
          anyOpIn(kernel, [](GlobalAccessOpInterface access) {
            return access.getTileType().getRank() > 1;
          }));
}

/// Writes the promise NAME:LEAST:MOST on the kernel's argument of that name,
/// but for the end of rows of vectors.
static LogicalResult promiseBounds(KernelOp kernel, StringRef text) {
  auto [name, numbers] = text.split(':');
  auto [first, second] = numbers.split(':');
  int64_t least = 0, most = 0;
  if (first.getAsInteger(10, least) || second.getAsInteger(10, most) ||
      least > most)
    return kernel.emitError("bounds are NAME:LEAST:MOST with integers, not '")
           << text << "'";
  FailureOr<unsigned> index = findArgument(kernel, name, "has bounds");
  if (failed(index))
    return failure();
  if (!kernel.getArgumentTypes()[*index].isSignlessIntOrIndex())
    return kernel.emitError("'")
           << name << "' is of type " << kernel.getArgumentTypes()[*index]
           << ": only integers have bounds";
  if (!movesVectors(kernel, *index))
    setArgBounds(kernel, *index, {least, most});
  return success();
}

static LogicalResult requireToo(KernelOp kernel, StringRef word) {
  std::optional<Requirement> requirement = symbolizeRequirement(word);
  if (!requirement)
    return kernel.emitError("nothing can require '")
           << word << "': " << KernelOp::listRequirements() << " are known";
  kernel.addRequirement(*requirement);
  return success();
}

/// 0 keeps what the kernel says; so does the next one.
static LogicalResult setNumWarps(KernelOp kernel, int numWarps) {
  if (numWarps == 0)
    return success();
  int64_t blocks = kernel.getClusterBlocksOrOne();
  if (!KernelOp::isLegalNumWarps(numWarps, blocks))
    return kernel.emitError("num-warps is a power of two from ")
           << blocks << " to " << KernelOp::kMaxWarpsPerBlock * blocks
           << ", not " << numWarps;
  kernel.setNumWarps(numWarps);
  return success();
}

static LogicalResult setNumStages(KernelOp kernel, int numStages) {
  if (numStages == 0)
    return success();
  if (!KernelOp::isLegalNumStages(numStages))
    return kernel.emitError("num-stages is a number from 1 to ")
           << KernelOp::kMaxNumStages << ", not " << numStages;
  kernel.setNumStages(numStages);
  return success();
}

/// A promise that is stated, and whose result nobody uses, is one about all
/// uses of its operand behind it.
static void applyStatedPromises(KernelOp kernel) {
  SmallVector<AssumeOp> stated;
  kernel.walk([&](AssumeOp promise) {
    if (promise->use_empty())
      stated.push_back(promise);
  });
  if (stated.empty())
    return;
  DominanceInfo dominance(kernel);
  for (AssumeOp promise : stated)
    promise.getSource().replaceUsesWithIf(
        promise.getResult(), [&](OpOperand &use) {
          return dominance.properlyDominates(promise.getResult(),
                                             use.getOwner());
        });
}

namespace {
struct Specialize : tilewright::tile::impl::TileSpecializeBase<Specialize> {
  using TileSpecializeBase::TileSpecializeBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (const std::string &text : divisibility)
      if (failed(promiseDivisibility(kernel, text)))
        return signalPassFailure();
    for (const std::string &name : disjoint)
      if (failed(promiseDisjoint(kernel, name)))
        return signalPassFailure();
    for (const std::string &text : constants)
      if (failed(makeConstant(kernel, text)))
        return signalPassFailure();
    for (const std::string &text : bounds)
      if (failed(promiseBounds(kernel, text)))
        return signalPassFailure();
    for (const std::string &word : require)
      if (failed(requireToo(kernel, word)))
        return signalPassFailure();
    promiseOfViews(kernel);
    applyStatedPromises(kernel);
    if (failed(setNumWarps(kernel, numWarps)) ||
        failed(setNumStages(kernel, numStages)))
      signalPassFailure();
  }
};
} // namespace
