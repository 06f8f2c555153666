//===- CheckVectorWidth.cpp - The widest legal vector -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/AccessByWords.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Layout/Algebra/CountOf.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKVECTORWIDTH
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Keeps a legal explicit width, refuses an illegal one, else takes the widest.
/// `maxBytes`: what an instruction of this kind can move.
template <typename Access>
static LogicalResult decide(Access access, const VectorWidth &widest,
                            int64_t maxBytes = kMaxVectorBytes) {
  Operation *op = access.getOperation();
  unsigned bytes = getElementBytes(access.getTileType().getElementType());
  std::string limit = widest.limit.empty()
                          ? "an instruction moves at most " +
                                std::to_string(maxBytes) + " bytes a thread"
                          : widest.limit;
  if (widest.elements == 0)
    return op->emitOpError("ldmatrix cannot read the tile in this layout: ")
           << limit;
  if (std::optional<int64_t> wanted = access.getVectorWidth()) {
    if (*wanted <= widest.elements)
      return success();
    return op->emitOpError("vector_width = ")
           << *wanted << " is not legal: " << limit << "; at most "
           << widest.elements << " is";
  }
  access.setVectorWidth(widest.elements);
  if (widest.elements * bytes < maxBytes)
    op->emitRemark("vector of ")
        << countOf(widest.elements, "element") << ", "
        << countOf(widest.elements * bytes, "byte") << ": " << limit;
  return success();
}

/// Moves the words of memory where elements have none of their own.
static void decideWords(GlobalAccessOpInterface access,
                        const AxisInfoAnalysis &axes) {
  RankedTensorType tile = access.getTileType();
  int64_t bytes = getElementBytes(tile.getElementType());
  AddressVector vector = getAddressVector(access, axes);
  std::optional<int> step = findStepOfWords(access, vector, axes);
  if (step && *access.getVectorWidth() * bytes < bytesPerWord &&
      WordsOfRows::find(getRegisterLayout(tile).getLayout(), bytes, vector.dim))
    access->setAttr(kByWordsAttr,
                    Builder(access.getContext()).getI64IntegerAttr(*step));
}

static LogicalResult checkVectors(Operation *op, const AxisInfoAnalysis &axes,
                                  int64_t globalBytes) {
  auto needsLayout = [&](RankedTensorType tile) {
    return getRegisterLayout(tile)
               ? success()
               : op->emitOpError("needs a register layout before its vector "
                                 "width: run tile-assign-register-layouts");
  };
  if (auto access = dyn_cast<GlobalAccessOpInterface>(op)) {
    if (failed(needsLayout(access.getTileType())))
      return failure();
    if (failed(decide(access, getVectorWidth(access, axes, globalBytes),
                      globalBytes)))
      return failure();
    decideWords(access, axes);
    return success();
  }
  if (auto access = dyn_cast<SharedAccessOpInterface>(op)) {
    if (failed(needsLayout(access.getTileType())))
      return failure();
    if (!access.getSharedTile().getType().getLayout())
      return op->emitOpError("needs a shared layout before its vector width: "
                             "run tile-assign-shared-layouts");
    VectorWidth widest = getVectorWidth(access, axes);
    if (failed(decide(access, widest)))
      return failure();
    int64_t bytes = *access.getVectorWidth() *
                    getElementBytes(access.getTileType().getElementType());
    if (bytes < access.getMinBytes())
      return op->emitOpError("moves at least ")
             << access.getMinBytes() << " bytes a thread, and only "
             << countOf(bytes, "byte") << " can go at once: " << widest.limit;
  }
  return success();
}

namespace {
struct CheckVectorWidth
    : tilewright::tile::impl::TileCheckVectorWidthBase<CheckVectorWidth> {
  void runOnOperation() override {
    bool isLegal = true;
    AxisInfoAnalysis axes(getOperation());
    int64_t maxBytes = getGlobalVectorBytes(getOperation());
    getOperation().walk([&](Operation *op) {
      isLegal &= succeeded(checkVectors(op, axes, maxBytes));
    });
    if (!isLegal)
      signalPassFailure();
  }
};
} // namespace
