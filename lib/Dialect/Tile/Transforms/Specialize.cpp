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

/// Writes the promise NAME:D on the kernel's argument of that name.
static LogicalResult promise(KernelOp kernel, StringRef text) {
  auto [name, number] = text.split(':');
  int64_t divisibility = 0;
  if (number.getAsInteger(10, divisibility) ||
      !KernelOp::isLegalDivisibility(divisibility))
    return kernel.emitError("a divisibility is NAME:D with D a power of two "
                            "from 1 to 2^30, not '")
           << text << "'";
  std::string known;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    if (kernel.getArgName(index) != name) {
      known += (index ? ", " : "") + kernel.getArgName(index).str();
      continue;
    }
    Builder builder(kernel.getContext());
    kernel.setArgAttr(index, KernelOp::kDivisibilityAttr,
                      builder.getI64IntegerAttr(divisibility));
    return success();
  }
  return kernel.emitError("'")
         << name << "', which has a divisibility, is no argument of '"
         << kernel.getSymName() << "'; it has: " << known;
}

namespace {
struct Specialize : tilewright::tile::impl::TileSpecializeBase<Specialize> {
  using TileSpecializeBase::TileSpecializeBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (const std::string &text : divisibility)
      if (failed(promise(kernel, text)))
        return signalPassFailure();
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
