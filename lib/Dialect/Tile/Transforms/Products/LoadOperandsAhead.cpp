//===- LoadOperandsAhead.cpp - The next iteration's operands --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADOPERANDSAHEAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// A load that threads only store to shared memory.
struct OperandLoad {
  Operation *load;
  Operation *store;
  /// What computes its place of the number of the iteration, in order.
  SmallVector<Operation *> coordinates;
};

/// A loop of products whose operands threads load in the iteration that
/// multiplies them.
class OperandsAhead {
public:
  OperandsAhead(scf::ForOp loop, KernelOp kernel)
      : loop(loop), kernel(kernel) {}

  void run() {
    if (!findLoads())
      return;
    IRRewriter rewriter(loop);
    SmallVector<Value> first = llvm::map_to_vector(loads, [&](auto &operand) {
      return loadFor(rewriter, operand, loop.getLowerBound(),
                     isThere(rewriter, loop.getLowerBound()));
    });
    rewriter.setInsertionPointToStart(loop.getBody());
    Value next = arith::AddIOp::create(rewriter, loop.getLoc(),
                                       loop.getInductionVar(), loop.getStep());
    Value hasNext = isThere(rewriter, next);
    SmallVector<Value> ahead;
    for (const OperandLoad &operand : loads) {
      rewriter.setInsertionPointAfter(operand.store);
      ahead.push_back(loadFor(rewriter, operand, next, hasNext));
    }
    FailureOr<LoopLikeOpInterface> carrying = loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return ahead; });
    assert(succeeded(carrying) && "a loop that carries values");
    ValueRange carried =
        ValueRange((*carrying).getRegionIterArgs()).take_back(loads.size());
    for (auto [operand, tile] : llvm::zip_equal(loads, carried))
      rewriter.replaceOp(operand.load, tile);
  }

private:
  /// Whether there are such, for which threads have registers beside the sums.
  bool findLoads() {
    int64_t sums = 0;
    bool areRead = true;
    for (auto product : loop.getBody()->getOps<ProductOpInterface>()) {
      sums += product.countSumsOfThread();
      areRead &= isa<SharedProductOpInterface>(*product);
    }
    int64_t registers =
        getTargetOrDefault(kernel).registersPerThread(kernel.getNumThreads()) -
        sums - kRegistersBesideProducts;
    if (sums == 0 || !areRead || loop.getUnsignedCmp() ||
        getNumStages(loop) < 2)
      return false;
    for (auto load : loop.getBody()->getOps<GlobalAccessOpInterface>()) {
      auto coordinates = getCoordinatesAhead(load);
      auto store = coordinates && isPlainLoad(load)
                       ? dyn_cast<SharedAccessOpInterface>(*load->user_begin())
                       : SharedAccessOpInterface();
      if (!store || !store.isStore() || store->getBlock() != loop.getBody() ||
          llvm::any_of(*coordinates, isPlainLoad))
        continue;
      // Of less than a word, each of a register until it is stored.
      registers -=
          getRegisterLayout(load.getTileType()).getNumRegisters() *
          llvm::divideCeil(getElementBytes(load.getTileType().getElementType()),
                           bytesPerWord);
      loads.push_back({load, store, std::move(*coordinates)});
    }
    return !loads.empty() && registers >= 0;
  }

  Value isThere(OpBuilder &builder, Value number) {
    return arith::CmpIOp::create(builder, loop.getLoc(),
                                 arith::CmpIPredicate::slt, number,
                                 loop.getUpperBound());
  }

  /// What the iteration of this number loads, if there is one; else zeros, at
  /// which nobody looks.
  Value loadFor(OpBuilder &builder, const OperandLoad &operand, Value number,
                Value exists) {
    Location loc = operand.load->getLoc();
    auto load = [&](OpBuilder &inner, Location) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), number);
      for (Operation *op : operand.coordinates)
        inner.clone(*op, mapping);
      scf::YieldOp::create(inner, loc,
                           inner.clone(*operand.load, mapping)->getResults());
    };
    auto loadNothing = [&](OpBuilder &inner, Location) {
      Type type = operand.load->getResult(0).getType();
      Value zeros =
          arith::ConstantOp::create(inner, loc, inner.getZeroAttr(type));
      scf::YieldOp::create(inner, loc, zeros);
    };
    return scf::IfOp::create(builder, loc, exists, load, loadNothing)
        .getResult(0);
  }

  scf::ForOp loop;
  KernelOp kernel;
  SmallVector<OperandLoad> loads;
};

struct LoadOperandsAhead
    : tilewright::tile::impl::TileLoadOperandsAheadBase<LoadOperandsAhead> {
  void runOnOperation() override {
    // Others have several blocks on a multiprocessor, of which some multiply.
    if (getProductParts(getOperation()) < 2)
      return;
    // Such loads are refused then, which is said of them as they were written.
    if (getOperation().hasRequirement(Requirement::Tma))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      OperandsAhead(loop, getOperation()).run();
  }
};
} // namespace
