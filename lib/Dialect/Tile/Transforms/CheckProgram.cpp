//===- CheckProgram.cpp - The door of the compiler ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/Combiner.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKPROGRAM
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

static LogicalResult checkCombiner(ReduceOp reduce) {
  std::optional<std::string> example = findOrderMatters(reduce);
  if (!example)
    return success();
  return reduce.emitOpError("has a region whose result depends on the order of "
                            "the elements, which is not said: ")
         << *example;
}

namespace {
struct CheckProgram
    : tilewright::tile::impl::TileCheckProgramBase<CheckProgram> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int numWarps = kernel.getNumWarpsOrDefault();
    // In the order of the source: an op before what is in its regions.
    WalkResult result =
        kernel->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          if (failed(checkInLanguage(op, numWarps)))
            return WalkResult::interrupt();
          if (auto reduce = dyn_cast<ReduceOp>(op))
            return checkCombiner(reduce);
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
