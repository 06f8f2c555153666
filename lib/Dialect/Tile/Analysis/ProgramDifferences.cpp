//===- ProgramDifferences.cpp - What differs between programs -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"

using namespace mlir;
using namespace tilewright::tile;

bool tilewright::tile::touchesExecution(Operation *op) {
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (effectOp)
    effectOp.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == Execution::get();
  });
}

bool tilewright::tile::mayWaitForOthers(KernelOp kernel) {
  return anyOpIn(kernel.getBody(), [](Operation *op) {
    return !tellsMemoryAccesses(op) || talksByMemory(op);
  });
}

bool tilewright::tile::talksToOthers(KernelOp kernel) {
  return mayWaitForOthers(kernel) ||
         anyOpIn(kernel.getBody(), touchesExecution);
}

std::optional<int64_t> tilewright::tile::getMostPrograms(KernelOp kernel) {
  auto most = kernel->getAttrOfType<IntegerAttr>(kMostProgramsAttr);
  return most ? std::optional<int64_t>(most.getInt()) : std::nullopt;
}

/// A fixpoint, since loops feed values back.
ProgramDifferences::ProgramDifferences(KernelOp kernel, unsigned axis)
    : axis(axis), inCluster(countClusterPrograms(kernel) > 1) {
  bool changed = true;
  while (changed) {
    changed = false;
    kernel.getBody().walk([&](Operation *op) { changed |= visit(op); });
  }
}

bool ProgramDifferences::mayBeIdle(Operation *op) const {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (diverges(branch))
      return true;
  return false;
}

bool ProgramDifferences::differs(Operation *op) const {
  auto isMarked = [&](Value value) { return differs(value); };
  return llvm::any_of(op->getOperands(), isMarked) ||
         llvm::any_of(op->getResults(), isMarked) ||
         ((!getMemoryAccesses(op).empty() || touchesExecution(op)) &&
          mayBeIdle(op));
}

/// Where a cluster has several programs, its blocks differ in their places.
bool ProgramDifferences::isNumber(Operation *op) const {
  if (auto place = dyn_cast<PlaceInClusterOp>(op))
    return place.getAxis() == axis;
  auto id = dyn_cast<ProgramIdOp>(op);
  return id && id.getAxis() == axis && !inCluster;
}

bool ProgramDifferences::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitBranch(branch);
  bool changed = false;
  if (isNumber(op) || differs(op))
    for (Value result : op->getResults())
      changed |= mark(result);
  return changed;
}

bool ProgramDifferences::visitLoop(scf::ForOp loop) {
  bool changed = false;
  if (differs(loop.getLowerBound()) || differs(loop.getUpperBound()) ||
      differs(loop.getStep())) {
    changed |= divergent.insert(loop).second;
    changed |= mark(loop.getInductionVar());
  }
  for (auto [argument, start, next, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getYieldedValues(), loop.getResults()))
    if (diverges(loop) || differs(start) || differs(next)) {
      changed |= mark(argument);
      changed |= mark(result);
    }
  return changed;
}

bool ProgramDifferences::visitBranch(scf::IfOp branch) {
  bool changed = false;
  if (differs(branch.getCondition()))
    changed |= divergent.insert(branch).second;
  for (OpResult result : branch.getResults()) {
    unsigned index = result.getResultNumber();
    if (diverges(branch) || differs(branch.thenYield().getOperand(index)) ||
        differs(branch.elseYield().getOperand(index)))
      changed |= mark(result);
  }
  return changed;
}

bool ProgramDifferences::isProgramId(Value value) const {
  // Narrower numbers may be cut.
  constexpr unsigned leastBits = 32;
  while (Operation *op = value.getDefiningOp()) {
    if (auto id = dyn_cast<ProgramIdOp>(op))
      return id.getAxis() == axis;
    bool isWide = value.getType().isIndex() ||
                  (value.getType().isSignlessInteger() &&
                   value.getType().getIntOrFloatBitWidth() >= leastBits);
    if (!isa<CastOpInterface>(op) || op->getNumOperands() != 1 || !isWide)
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// The first program of a block has the most trips, and all of its trips.
bool ProgramDifferences::canStart(scf::ForOp loop) const {
  return isProgramId(loop.getLowerBound()) && !differs(loop.getUpperBound()) &&
         !differs(loop.getStep()) && !loop.getUnsignedCmp();
}

bool ProgramDifferences::isObstacle(Operation *op) const {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // Where no program comes, a step need not be one that ends.
    bool mayStay =
        mayBeIdle(loop) && !matchPattern(loop.getStep(), m_Constant());
    return mayStay || (diverges(loop) && !canStart(loop));
  }
  if (isa<scf::IfOp, ProgramIdOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  // What prints does it once a program.
  if (isa<RegionBranchOpInterface>(op) ||
      (touchesExecution(op) && !isa<BatchOpInterface>(op)))
    return true;
  auto hasNoBatch = [](Value value) {
    return !getBatchedType(value.getType(), 1);
  };
  return differs(op) && (!isa<BatchOpInterface>(op) ||
                         llvm::any_of(op->getOperands(), hasNoBatch) ||
                         llvm::any_of(op->getResults(), hasNoBatch));
}

Operation *ProgramDifferences::findObstacle(KernelOp kernel) const {
  Operation *obstacle = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isObstacle(op)) {
      obstacle = op;
      return WalkResult::interrupt();
    }
    // Regions that combine elements know no programs.
    return isa<CombineOpInterface>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
  });
  return obstacle;
}
