//===- Specialize.cpp - Promises about arguments ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPECIALIZE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
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
    promiseOfViews(kernel);
    if (numWarps == 0)
      return;
    if (!KernelOp::isLegalNumWarps(numWarps)) {
      kernel.emitError("num-warps is a power of two from 1 to 32, not ")
          << static_cast<int>(numWarps);
      return signalPassFailure();
    }
    kernel.setNumWarps(numWarps);
  }
};
} // namespace
