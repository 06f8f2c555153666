//===- CheckRequirements.cpp - Whether the code is what was asked for -----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKREQUIREMENTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Empty where no pass has left one.
static StringRef getReason(Operation *op, StringRef attr) {
  auto reason = op->getAttrOfType<StringAttr>(attr);
  return reason ? reason.getValue() : "";
}

namespace {
/// What of a loop brings what a product in it multiplies from global memory, by
/// threads: loads, and copies that they make.
class ThreadLoads {
public:
  ThreadLoads(KernelOp kernel, AnalysisManager analyses)
      : kernel(kernel), analyses(analyses) {
    kernel.walk([&](Operation *op) {
      for (const MemoryAccess &access : getMemoryAccesses(op))
        if (access.space == MemorySpace::Shared && access.isWrite)
          if (AllocSharedOp tile = getAllocation(access.base))
            writers[tile].push_back(op);
    });
  }

  void add(ProductOpInterface product, LoopLikeOpInterface around) {
    loop = around;
    seen.clear();
    // The third one is what products are added to.
    for (Value operand : product->getOperands().take_front(2))
      follow(operand);
  }

  /// What was found, in order, each with its reason.
  ArrayRef<std::pair<Operation *, std::string>> get() const { return found; }

private:
  void follow(Value value) {
    if (!seen.insert(value).second)
      return;
    if (isa<SharedType>(value.getType()))
      return followTile(getAllocation(value));
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand *next = argument.getOwner()->getParentOp() == loop
                            ? loop.getTiedLoopYieldedValue(argument)
                            : nullptr;
      if (next)
        follow(next->get());
      return;
    }
    Operation *op = value.getDefiningOp();
    if (!loop->isAncestor(op))
      return;
    if (isLoad(op))
      return report(op, whyNotAhead(op));
    for (Value operand : op->getOperands())
      if (isTile(operand) || isa<SharedType>(operand.getType()))
        follow(operand);
    unsigned number = cast<OpResult>(value).getResultNumber();
    for (Region &region : op->getRegions())
      if (!region.empty() &&
          number < region.front().getTerminator()->getNumOperands())
        follow(region.front().getTerminator()->getOperand(number));
  }

  void followTile(AllocSharedOp tile) {
    if (!tile)
      return;
    for (Operation *writer : writers.lookup(tile)) {
      if (!loop->isAncestor(writer) ||
          endsWith(writer, AccessEnd::WithHandOver))
        continue;
      if (isLoad(writer)) {
        report(writer, getReason(tile, kCopyReasonAttr).str());
        continue;
      }
      for (Value operand : writer->getOperands())
        if (isTile(operand))
          follow(operand);
    }
  }

  static bool isLoad(Operation *op) {
    std::optional<MemoryAccess> access =
        findMemoryAccess(op, MemorySpace::Global);
    return access && access->isRead;
  }

  /// Why no copy has taken the place of a load, and fills its tile ahead.
  std::string whyNotAhead(Operation *op) {
    std::string why;
    auto load = dyn_cast<GlobalAccessOpInterface>(op);
    if (!load)
      return "no copy does what this op does";
    if (!getCoordinatesAhead(load, &why))
      return why;
    if (getNumStages(load->getParentOp()) == 1)
      return "its loop has one stage, which leaves nothing to fill ahead: " +
             (kernel->hasAttr(kStagesReasonAttr)
                  ? describeFewerStages(kernel)
                  : "use num_stages = 2 or more");
    int64_t bytes = load.getVectorWidth().value_or(1) *
                    getElementBytes(load.getTileType().getElementType());
    if (bytes < kMinCopyBytes)
      return "its vectors have fewer bytes than a copy: " +
             getVectorWidth(load, analyses.getAnalysis<AxisInfoAnalysis>())
                 .limit;
    return "what it loads does not go through shared memory as it is";
  }

  void report(Operation *op, std::string why) {
    if (reported.insert(op).second)
      found.emplace_back(op, std::move(why));
  }

  KernelOp kernel;
  AnalysisManager analyses;
  llvm::DenseMap<Operation *, SmallVector<Operation *, 2>> writers;
  LoopLikeOpInterface loop;
  llvm::DenseSet<Value> seen;
  llvm::DenseSet<Operation *> reported;
  SmallVector<std::pair<Operation *, std::string>> found;
};

/// The loop around, but for the one over programs.
LoopLikeOpInterface getLoopAround(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && !isOverPrograms(loop) ? loop : nullptr;
}

struct CheckRequirements
    : tilewright::tile::impl::TileCheckRequirementsBase<CheckRequirements> {
  using TileCheckRequirementsBase::TileCheckRequirementsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getRequire())
      return;
    target = getTargetOrDefault(kernel);
    kernel.walk(
        [&](ProductOpInterface product) { products.push_back(product); });
    if (kernel.hasRequirement(Requirement::Wgmma))
      checkWgmma();
    if (!lacksTensorMaps)
      checkBulkCopies();
  }

private:
  InFlightDiagnostic refuse(Operation *op, Requirement requirement) {
    signalPassFailure();
    return op->emitError("the kernel requires ")
           << stringifyRequirement(requirement) << ", and ";
  }

  /// That the target has nothing of the kind is the first reason.
  bool checkTarget(Requirement requirement, bool hasIt, StringRef what) {
    if (!hasIt)
      refuse(getOperation(), requirement) << target.name << " has no " << what;
    return hasIt;
  }

  void checkWgmma() {
    if (!checkTarget(Requirement::Wgmma, target.wgmma, "such instruction"))
      return;
    if (products.empty())
      refuse(getOperation(), Requirement::Wgmma)
          << "there is no product (tile.dot) in it";
    for (ProductOpInterface product : products) {
      Engine engine = product.getEngineOrDefault();
      if (engine == Engine::Wgmma)
        continue;
      StringRef reason = getReason(product, kEngineReasonAttr);
      refuse(product, Requirement::Wgmma)
          << "this product is made by " << stringifyEngine(engine) << ": "
          << (reason.empty() ? "that is written on it" : reason);
    }
  }

  /// What needs bulk copies: where there are none, only the first word says so.
  void checkBulkCopies() {
    KernelOp kernel = getOperation();
    for (Requirement requirement :
         {Requirement::Tma, Requirement::Roles, Requirement::Persistent}) {
      if (!kernel.hasRequirement(requirement))
        continue;
      if (!checkTarget(requirement, target.tma, "bulk copies"))
        return;
      bool holds = requirement == Requirement::Tma     ? checkTma()
                   : requirement == Requirement::Roles ? checkRoles()
                                                       : checkPersistent();
      if (!holds)
        return;
    }
  }

  /// Whether there are products in loops, and their loops have no loads of what
  /// they multiply.
  bool checkLoads(Requirement requirement) {
    ThreadLoads loads(getOperation(), getAnalysisManager());
    for (ProductOpInterface product : products)
      if (LoopLikeOpInterface loop = getLoopAround(product))
        loads.add(product, loop);
    for (const auto &[op, why] : loads.get())
      refuse(op, requirement)
          << "threads load this, which is multiplied: "
          << (why.empty() ? "no bulk copies were chosen" : StringRef(why));
    return loads.get().empty();
  }

  bool hasBulkCopies() {
    return anyOpIn(getOperation(), [](Operation *op) {
      return endsWith(op, AccessEnd::WithHandOver);
    });
  }

  bool checkTma() {
    if (!checkLoads(Requirement::Tma))
      return false;
    if (hasBulkCopies())
      return true;
    refuse(getOperation(), Requirement::Tma)
        << "there is nothing that bulk copies could fetch: no product in a "
           "loop "
           "of it multiplies what that loop loads";
    return false;
  }

  bool checkRoles() {
    if (getOperation().getCopyWarps())
      return true;
    StringRef reason = getReason(getOperation(), kRolesReasonAttr);
    if (!checkLoads(Requirement::Roles))
      return false;
    InFlightDiagnostic diagnostic = refuse(getOperation(), Requirement::Roles);
    if (hasBulkCopies())
      diagnostic << "a thread that computes begins its bulk copies: " << reason;
    else
      diagnostic << "there is nothing to copy for warps of their own: no "
                    "product in a loop of it multiplies what that loop loads";
    return false;
  }

  bool checkPersistent() {
    KernelOp kernel = getOperation();
    if (kernel.getPersistent())
      return true;
    StringRef reason = getReason(kernel, kPersistReasonAttr);
    refuse(kernel, Requirement::Persistent)
        << "its blocks run one program each: "
        << (reason.empty() ? "it has no products by wgmma" : reason);
    return false;
  }

  GpuTarget target;
  SmallVector<ProductOpInterface> products;
};
} // namespace
