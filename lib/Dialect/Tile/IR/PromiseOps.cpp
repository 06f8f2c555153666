//===- PromiseOps.cpp - What a program promises ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// A list of promises has a power of two for each dimension; that of groups
/// none longer than the dimension.
static LogicalResult verifyPromises(AssumeOp op, StringRef name,
                                    std::optional<ArrayRef<int64_t>> list,
                                    ArrayRef<int64_t> shape, bool isGroup) {
  if (!list)
    return success();
  if (list->size() != shape.size())
    return op.emitOpError(name) << " has a number for each dimension, "
                                << shape.size() << ", not " << list->size();
  for (auto [dim, number] : llvm::enumerate(*list)) {
    if (!KernelOp::isLegalDivisibility(number))
      return op.emitOpError(name)
             << " is a power of two from 1 to 2^30, not " << number;
    if (isGroup && number > shape[dim])
      return op.emitOpError(name)
             << " of " << number << " is more than the " << shape[dim]
             << " elements of dimension " << dim;
  }
  return success();
}

LogicalResult AssumeOp::verify() {
  if (!getDivisibility() && !getContiguity() && !getConstancy())
    return emitOpError("promises nothing: it has divisibility, contiguity or "
                       "constancy");
  auto tile = dyn_cast<RankedTensorType>(getType());
  SmallVector<int64_t> shape =
      tile ? llvm::to_vector(tile.getShape()) : SmallVector<int64_t>{1};
  if (failed(verifyPromises(*this, "divisibility", getDivisibility(), shape,
                            /*isGroup=*/false)) ||
      failed(verifyPromises(*this, "contiguity", getContiguity(), shape,
                            /*isGroup=*/true)) ||
      failed(verifyPromises(*this, "constancy", getConstancy(), shape,
                            /*isGroup=*/true)))
    return failure();
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (getPromise(getContiguity(), dim) > 1 &&
        getPromise(getConstancy(), dim) > 1)
      return emitOpError("dimension ")
             << dim << " cannot be of consecutive numbers and of equal ones";
  return success();
}
