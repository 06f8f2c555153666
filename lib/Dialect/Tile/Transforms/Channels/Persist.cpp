//===- Persist.cpp - Blocks that run several programs ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/TensorMaps.h"
#include "Loads/ProgramLoop.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPERSIST
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Whether it serves
//===----------------------------------------------------------------------===//

namespace {
/// What of a kernel's products speaks against a loop around it.
struct Products {
  /// Bytes of the operands that their loops fetch ahead.
  int64_t bytesAhead = 0;
  /// Empty where nothing does.
  std::string whyNot;
};
} // namespace

/// Large products are those by `wgmma`, which others have no part in.
static bool hasWgmma(KernelOp kernel) {
  return anyOpIn(kernel, [](DotOp product) {
    return product.getEngineOrDefault() == Engine::Wgmma;
  });
}

static Products lookAtProducts(KernelOp kernel, const AxisInfoAnalysis &axes) {
  Products products;
  kernel.walk([&](DotOp product) {
    auto loop = dyn_cast<LoopLikeOpInterface>(product->getParentOp());
    if (product.getEngineOrDefault() != Engine::Wgmma)
      products.whyNot = "one of its products is not made by wgmma";
    else if (!loop || loop->getParentOp() != kernel)
      products.whyNot = "a product stands in no loop, or in a loop in another "
                        "one or in a branch";
  });
  kernel.walk([&](ConvertLayoutOp convert) {
    if (!products.whyNot.empty() || !feedsProducts(convert))
      return;
    GlobalAccessOpInterface load = getLoadAhead(convert);
    if (!load || !mayHaveTensorMap(load, axes))
      products.whyNot = "bulk copies cannot fetch all that is multiplied";
    else
      products.bytesAhead +=
          getStagedBytes(convert) * getNumStages(convert->getParentOp());
  });
  return products;
}

namespace {
/// Tiles that bulk copies may fetch, each of which may become the place of a
/// result of its type (tile-select-tma-loads).
class FetchedTiles {
public:
  explicit FetchedTiles(const AxisInfoAnalysis &axes) : axes(axes) {}

  void add(ConvertLayoutOp convert) {
    auto load = convert.getSource().getDefiningOp<GlobalAccessOpInterface>();
    if (load && mayHaveTensorMap(load, axes))
      types.push_back(getType(convert));
  }

  /// Whether the result has its place in one of those so far: each has one.
  bool takePlace(ConvertLayoutOp result) {
    auto *same = llvm::find(types, getType(result));
    if (same == types.end())
      return false;
    types.erase(same);
    return true;
  }

private:
  static Type getType(ConvertLayoutOp convert) {
    auto type = cast<RankedTensorType>(convert.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }

  const AxisInfoAnalysis &axes;
  SmallVector<Type> types;
};
} // namespace

/// Whether a wait for stored tiles comes in front of all that the body fills
/// shared memory with on the way to the last tile that is stored: there
/// tile-select-tma-stores has it, which finds no way past what touches memory
/// in a region. Each tile has the bytes of the ones before then.
static bool followOneAnother(KernelOp kernel,
                             ArrayRef<ConvertLayoutOp> conversions) {
  if (conversions.empty())
    return true;
  auto isInBody = [&](Operation *op) { return op->getParentOp() == kernel; };
  if (!llvm::all_of(conversions, isInBody))
    return false;
  auto between = llvm::make_range(conversions.front()->getIterator(),
                                  conversions.back()->getIterator());
  return llvm::all_of(between, [](Operation &op) {
    return op.getNumRegions() == 0 || isMemoryEffectFree(&op);
  });
}

/// Whether what else goes through shared memory has room beside the slots,
/// which the next program's copies fill meanwhile: each tile for itself, where
/// they follow one another, or else all of them.
static bool hasRoomBeside(KernelOp kernel, const AxisInfoAnalysis &axes,
                          int64_t room) {
  int64_t most = 0, sum = 0, stores = 0;
  FetchedTiles fetched(axes);
  SmallVector<ConvertLayoutOp> conversions;
  bool isPossible = true;
  for (const SharedRequest &request : getSharedRequests(kernel))
    room -= request.bytes; // Of reductions.
  kernel.walk([&](ConvertLayoutOp convert) {
    if (feedsProducts(convert) ||
        chooseConversion(convert).way == ConversionWay::Registers)
      return;
    int64_t bytes = getStagedBytes(convert);
    if (int64_t left = room - countStoredBeside(convert); bytes > left) {
      SmallVector<Cut> cuts = chooseCuts(convert, left);
      isPossible &= !cuts.empty();
      bytes >>= cuts.size();
    }
    bool isStored = llvm::any_of(convert->getUsers(), takesAnyLayout);
    most = std::max(most, bytes);
    sum += isStored && fetched.takePlace(convert) ? 0 : bytes;
    fetched.add(convert);
    conversions.push_back(convert);
    stores += isStored;
  });
  bool isEachAlone = stores <= 1 && followOneAnother(kernel, conversions);
  return isPossible && (isEachAlone ? most : sum) <= room;
}

namespace {
struct Persist : tilewright::tile::impl::TilePersistBase<Persist> {
  using TilePersistBase::TilePersistBase;

  /// Enough for those of a few channels.
  static constexpr int64_t kMbarrierBytes = 512;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!getTargetOrDefault(kernel).tma || kernel.getPersistent() ||
        !hasWgmma(kernel))
      return;
    std::string why = whyNot(kernel);
    if (why.empty())
      return void(makeProgramLoop(kernel));
    kernel.emitRemark("its blocks run one program each: ") << why;
    kernel->setAttr(kPersistReasonAttr,
                    StringAttr::get(kernel.getContext(), why));
  }

private:
  std::string whyNot(KernelOp kernel) {
    if (getProductParts(kernel) > 1)
      return "several blocks run each program (" + kProductPartsAttr.str() +
             ")";
    if (!enable)
      return "bulk copies are turned off (--tensor-maps=false)";
    if (talksToOthers(kernel))
      return "programs print, check, or have atomic or volatile accesses";
    if (!anyOpIn<ProgramIdOp>(kernel))
      return "programs do not ask for their numbers (tile.program_id)";
    const auto &axes = getAnalysis<AxisInfoAnalysis>();
    Products products = lookAtProducts(kernel, axes);
    if (!products.whyNot.empty())
      return products.whyNot;
    // With room for two blocks, one stores while the other computes.
    int64_t limit = getTargetOrDefault(kernel).maxSharedBytesPerBlock;
    if (2 * products.bytesAhead <= limit)
      return "two blocks have room on a multiprocessor, of which one stores "
             "while the other one computes; larger tiles or more stages leave "
             "room for one";
    if (!hasRoomBeside(kernel, axes,
                       limit - products.bytesAhead - kMbarrierBytes))
      return "what is stored has no room in shared memory beside the slots; "
             "use "
             "fewer stages or smaller tiles";
    return "";
  }
};
} // namespace
