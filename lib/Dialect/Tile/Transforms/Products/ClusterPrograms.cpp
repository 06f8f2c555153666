//===- ClusterPrograms.cpp - Clusters of programs that are neighbours -----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/TensorMaps.h"
#include "Products/BehindProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Spec/PairedAxes.h"
#include "tilewright/Spec/TensorMap.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECLUSTERPROGRAMS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
struct ClusterPrograms
    : tilewright::tile::impl::TileClusterProgramsBase<ClusterPrograms> {
  using TileClusterProgramsBase::TileClusterProgramsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!spec::PairedAxes::isLegal(pairedAxes)) {
      kernel.emitError("'paired-axes' is ")
          << spec::PairedAxes::legalBits << ", not " << pairedAxes.getValue();
      return signalPassFailure();
    }
    if (!isPaired(0) && !isPaired(1))
      return;
    std::string why = whyNot(kernel);
    if (!why.empty()) {
      kernel.emitRemark("its programs have no clusters: ") << why;
      return;
    }
    std::array<int32_t, 3> programs = {};
    for (unsigned axis = 0; axis < programs.size(); ++axis)
      programs[axis] = static_cast<int32_t>(getAxes().getPrograms(axis));
    kernel.walk([&](ProgramIdOp id) {
      if (programs[id.getAxis()] > 1)
        addPlace(id);
    });
    if (getAxes().isUneven(0))
      leaveBehindToPrograms(findLoopOfProducts(kernel));
    kernel->setAttr(kClusterProgramsAttr,
                    Builder(kernel).getDenseI32ArrayAttr(programs));
  }

private:
  spec::PairedAxes getAxes() const {
    return {static_cast<unsigned>(pairedAxes)};
  }
  bool isPaired(unsigned axis) const { return getAxes().isPaired(axis); }

  std::string whyNot(KernelOp kernel) {
    GpuTarget target = getTargetOrDefault(kernel);
    unsigned blocks = getAxes().getPrograms(0) * getAxes().getPrograms(1);
    if (!target.tma || target.maxClusterBlocks < blocks)
      return "the target has no bulk copies, or no clusters";
    if (kernel.getPersistent() || kernel.getClusterBlocks() ||
        kernel.getBlockPrograms() || getProductParts(kernel) > 1)
      return "blocks are given to its programs otherwise";
    if (talksToOthers(kernel))
      return "programs print, check, or have atomic or volatile accesses";
    for (unsigned axis : {0, 1})
      if (isPaired(axis))
        if (std::string why = whyNotAlong(kernel, axis); !why.empty())
          return why;
    return getAxes().isUneven(0) ? whyNotUneven(kernel) : "";
  }

  /// A block without a program copies for the other one, and must not fault: it
  /// reads what lies inside of the views of other programs.
  static std::string whyNotUneven(KernelOp kernel) {
    LoopLikeOpInterface loop = findLoopOfProducts(kernel);
    if (!loop || storesBeforeEnd(loop))
      return "it has no loop of products, or stores before that is over";
    ProgramDifferences differences(kernel, /*axis=*/0);
    auto mayReadOutside = [&](Operation *op) {
      return llvm::any_of(getMemoryAccesses(op), [&](const auto &access) {
        return access.space == MemorySpace::Global &&
               (!isInsideOfView(access.base) ||
                differences.differs(access.base));
      });
    };
    for (Operation *op = loop; op; op = op->getPrevNode())
      if (anyOpIn(*op, mayReadOutside))
        return "it reads what may lie outside of arrays where a cluster has a "
               "program less";
    return "";
  }

  /// Views of what is loaded without a mask have no end.
  static bool isInsideOfView(Value base) {
    auto view = base.getDefiningOp<ViewOp>();
    return view && llvm::all_of(view.getMixedShape(), [](OpFoldResult extent) {
             std::optional<int64_t> places = getConstantIntValue(extent);
             return !places || *places <= spec::TensorMap::maxExtent;
           });
  }

  static void leaveBehindToPrograms(Operation *loop) {
    SmallVector<Operation *> behind = getOpsBehind(loop);
    Location loc = loop->getLoc();
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    Value first = ProgramIdOp::create(builder, loc, /*axis=*/0);
    Value place = PlaceInClusterOp::create(builder, loc, builder.getIndexType(),
                                           /*axis=*/0);
    Value isProgram =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                              arith::AddIOp::create(builder, loc, first, place),
                              NumProgramsOp::create(builder, loc, /*axis=*/0));
    auto branch =
        scf::IfOp::create(builder, loc, isProgram, /*withElseRegion=*/false);
    for (Operation *op : behind)
      op->moveBefore(branch.thenBlock()->getTerminator());
  }

  /// Neighbours have to make the same trips, and to read one tile in each.
  std::string whyNotAlong(KernelOp kernel, unsigned axis) {
    const auto &axes = getAnalysis<AxisInfoAnalysis>();
    ProgramDifferences differences(kernel, axis);
    bool isShared = false, diverges = false;
    kernel.walk([&](ConvertLayoutOp convert) {
      if (!feedsProducts(convert))
        return;
      GlobalAccessOpInterface load = getLoadAhead(convert);
      if (!load || !mayHaveTensorMap(load, axes))
        return;
      isShared |= !differences.differs(load);
      for (Operation *op = load; op != kernel; op = op->getParentOp())
        diverges |= differences.diverges(op);
    });
    if (diverges)
      return "those along an axis do not make the same trips";
    return isShared ? ""
                    : "those along an axis share nothing that bulk copies "
                      "could fetch for their products";
  }

  /// The number that there is becomes that of the first one of a cluster.
  static void addPlace(ProgramIdOp id) {
    OpBuilder builder(id);
    builder.setInsertionPointAfter(id);
    Value place = PlaceInClusterOp::create(
        builder, id.getLoc(), builder.getIndexType(), id.getAxis());
    auto mine = arith::AddIOp::create(builder, id.getLoc(), id, place);
    id.getResult().replaceAllUsesExcept(mine, mine);
  }
};
} // namespace
