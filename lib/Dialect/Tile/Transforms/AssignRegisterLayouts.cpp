//===- AssignRegisterLayouts.cpp - Who holds which element ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In two steps. First every value that is expensive to make gets a *home*: the
// layout it is made in. Homes start at loads and follow the data forward. What
// is cheap (constants, iota, arithmetic of those) has none.
//
// Then the program is rewritten: each op gets its operands in the layouts it
// needs. An expensive operand at home elsewhere is converted; a cheap one is
// made again.
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "LayoutWishes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/AxisReduction.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEASSIGNREGISTERLAYOUTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

static RankedTensorType withLayout(Type tile, RegisterLayoutAttr layout) {
  auto type = cast<RankedTensorType>(tile);
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

/// Element by element: operands and result have one layout.
static bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 &&
         (op->hasTrait<OpTrait::Elementwise>() || isa<AddPtrOp>(op));
}

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

namespace {
/// Finds the home of each expensive value: a fixpoint, since loops feed values
/// back.
class Homes {
public:
  Homes(KernelOp kernel, const LayoutWishes &wishes) : wishes(wishes) {
    bool changed = true;
    while (changed) {
      changed = false;
      kernel.walk([&](Operation *op) { changed |= visit(op); });
      if (!changed) // Values that nothing told a layout: any will do.
        changed = settle(kernel);
    }
  }

  RegisterLayoutAttr lookup(Value value) const { return homes.lookup(value); }

  /// The layout in which a reduction takes its tiles.
  RegisterLayoutAttr getSource(ReduceOp reduce) const {
    return reductions.lookup(reduce);
  }

private:
  bool set(Value value, RegisterLayoutAttr layout) {
    return layout && isTile(value) && homes.try_emplace(value, layout).second;
  }

  /// Values that a region op hands from one side to the other share a home.
  bool unify(Value a, Value b) {
    return isTile(a) && (set(a, lookup(b)) || set(b, lookup(a)));
  }

  bool visit(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool changed = false;
      for (auto [init, argument, yielded, result] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                           loop.getYieldedValues(), loop.getResults())) {
        // What the body makes knows best; cheap values have no home to unify.
        changed |=
            set(argument, lookup(yielded)) || set(argument, lookup(init));
        changed |= set(result, lookup(argument));
      }
      return changed;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      bool changed = false;
      for (OpResult result : branch.getResults())
        for (Region &region : branch->getRegions())
          changed |=
              set(result, lookup(region.front().getTerminator()->getOperand(
                              result.getResultNumber())));
      return changed;
    }
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return llvm::any_of(reduce.getSources(), [&](Value source) {
        return setSource(reduce, lookup(source));
      });
    if (op->getNumResults() != 1 || !isTile(op->getResult(0)))
      return false;
    return set(op->getResult(0), inferHome(op));
  }

  /// A reduction takes its tiles where one of them is, if it can; the results
  /// follow.
  bool setSource(ReduceOp reduce, RegisterLayoutAttr source) {
    if (!source || reductions.contains(reduce))
      return false;
    auto steps = AxisReduction::create(source.getLayout(), reduce.getAxis());
    if (!steps) {
      source = wishes.getDefault(reduce.getTileType());
      steps = AxisReduction::create(source.getLayout(), reduce.getAxis());
    }
    reductions.try_emplace(reduce, source);
    auto result = RegisterLayoutAttr::get(reduce.getContext(), steps->result());
    for (Value value : reduce.getResults())
      set(value, result);
    return true;
  }

  RegisterLayoutAttr inferHome(Operation *op) const {
    // Pointers that are expensive to make say where they are used: they cannot
    // change threads.
    if (auto load = dyn_cast<LoadOp>(op))
      if (RegisterLayoutAttr pointers = lookup(load.getPtr()))
        return pointers;
    if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
      return wishes.get(access);
    if (auto dot = dyn_cast<DotOp>(op))
      return wishes.get(dot);
    if (auto dot = dyn_cast<WarpgroupDotOp>(op))
      return wishes.get(dot);
    if (isa<SharedAccessOpInterface>(op))
      return wishes.getDefault(
          cast<RankedTensorType>(op->getResult(0).getType()));
    if (auto transfer = dyn_cast<LayoutTransferOpInterface>(op)) {
      RegisterLayoutAttr source = lookup(op->getOperand(0));
      if (!source)
        return nullptr;
      auto result = transfer.inferResultLayout(source.getLayout());
      return result ? RegisterLayoutAttr::get(op->getContext(), *result)
                    : nullptr;
    }
    if (!isElementwise(op))
      return nullptr;
    for (Value operand : op->getOperands())
      if (RegisterLayoutAttr home = lookup(operand))
        return home;
    return nullptr;
  }

  bool settle(KernelOp kernel) {
    bool changed = false;
    auto settleValue = [&](Value value) {
      if (isTile(value) && !lookup(value))
        changed |= set(value, getWishOfUsers(value));
    };
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        llvm::for_each(loop.getRegionIterArgs(), settleValue);
      if (isa<scf::IfOp>(op))
        llvm::for_each(op->getResults(), settleValue);
      if (auto reduce = dyn_cast<ReduceOp>(op))
        changed |= setSource(reduce, wishes.getDefault(reduce.getTileType()));
    });
    return changed;
  }

  /// What the first access to memory that `value` leads to, element by element,
  /// would like.
  RegisterLayoutAttr getWishOfUsers(Value value) const {
    SetVector<Value> reached;
    reached.insert(value);
    for (unsigned index = 0; index < reached.size(); ++index)
      for (Operation *user : reached[index].getUsers()) {
        if (auto access = dyn_cast<GlobalAccessOpInterface>(user))
          return wishes.get(access);
        if (isElementwise(user))
          reached.insert(user->getResult(0));
      }
    return wishes.getDefault(cast<RankedTensorType>(value.getType()));
  }

  const LayoutWishes &wishes;
  DenseMap<Value, RegisterLayoutAttr> homes;
  DenseMap<ReduceOp, RegisterLayoutAttr> reductions;
};

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Gives each op its operands in the layouts it needs.
class Rewriter {
public:
  Rewriter(const LayoutWishes &wishes, const Homes &homes)
      : wishes(wishes), homes(homes) {}

  void run(KernelOp kernel) {
    SmallVector<Operation *> ops, cheap;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          moveHome(argument);
      llvm::for_each(op->getResults(), [&](Value value) { moveHome(value); });
    }
    for (Operation *op : ops) {
      bool hasHome = llvm::any_of(
          op->getResults(), [&](Value value) { return homes.lookup(value); });
      bool isCheap =
          !hasHome && op->getNumResults() == 1 && isTile(op->getResult(0));
      if (isCheap)
        cheap.push_back(op);
      else
        rewriteOperands(op);
    }
    // Each use of a cheap op has its own copy by now.
    for (Operation *op : llvm::reverse(cheap))
      op->erase();
  }

private:
  void moveHome(Value value) {
    if (RegisterLayoutAttr home = homes.lookup(value))
      value.setType(withLayout(value.getType(), home));
  }

  void rewriteOperands(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get()))
        operand.set(materialize(operand.get(), getNeeded(op, operand)));
  }

  /// The layout in which `op`, at home where it is, needs a tile.
  RegisterLayoutAttr getNeeded(Operation *op, OpOperand &operand) {
    if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
      return access.isStore() ? getStoreLayout(access)
                              : homes.lookup(op->getResult(0));
    if (auto dot = dyn_cast<DotOp>(op)) {
      RegisterLayoutAttr home = homes.lookup(dot.getResult());
      return operand.getOperandNumber() == 2
                 ? home
                 : dot.inferOperandLayout(operand.getOperandNumber(), home);
    }
    if (isa<WarpgroupDotOp>(op))
      return homes.lookup(op->getResult(0));
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return homes.getSource(reduce);
    if (isa<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      unsigned number = operand.getOperandNumber();
      return homes.lookup(loop ? Value(loop.getRegionIterArg(number))
                               : Value(parent->getResult(number)));
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return homes.lookup(loop.getTiedLoopRegionIterArg(&operand));
    if (auto transfer = dyn_cast<LayoutTransferOpInterface>(op))
      return RegisterLayoutAttr::get(
          op->getContext(), transfer.inferSourceLayout(
                                homes.lookup(op->getResult(0)).getLayout()));
    if (isElementwise(op))
      return homes.lookup(op->getResult(0));
    // Whatever else takes a tile, such as tile.local_store, takes it as it is.
    RegisterLayoutAttr home = homes.lookup(operand.get());
    return home ? home
                : wishes.getDefault(
                      cast<RankedTensorType>(operand.get().getType()));
  }

  RegisterLayoutAttr getStoreLayout(GlobalAccessOpInterface store) {
    RegisterLayoutAttr &layout = storeLayouts[store];
    if (layout)
      return layout;
    auto viewStore = dyn_cast<StoreViewOp>(store.getOperation());
    auto pointerStore = dyn_cast<StoreOp>(store.getOperation());
    if (pointerStore) // Pointers cannot change threads.
      layout = homes.lookup(pointerStore.getPtr());
    if (layout)
      return layout;
    RegisterLayoutAttr home = homes.lookup(viewStore ? viewStore.getValue()
                                                     : pointerStore.getValue());
    return layout =
               home && wishes.serves(store, home) ? home : wishes.get(store);
  }

  /// `value` in the layout: itself, converted, or made again.
  Value materialize(Value value, RegisterLayoutAttr layout) {
    Value &made = materialized[{value, layout}];
    if (made)
      return made;
    RegisterLayoutAttr home = homes.lookup(value);
    Value result = home == layout ? value
                   : home         ? convert(value, layout)
                                  : makeAgain(value.getDefiningOp(), layout);
    return materialized[{value, layout}] = result;
  }

  static Value convert(Value value, RegisterLayoutAttr layout) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return ConvertLayoutOp::create(builder, value.getLoc(),
                                   withLayout(value.getType(), layout), value);
  }

  Value makeAgain(Operation *op, RegisterLayoutAttr layout) {
    IRMapping operands;
    for (Value operand : op->getOperands()) {
      if (!isTile(operand))
        continue;
      RegisterLayoutAttr needed = layout;
      if (auto transfer = dyn_cast<LayoutTransferOpInterface>(op))
        needed = RegisterLayoutAttr::get(
            op->getContext(), transfer.inferSourceLayout(layout.getLayout()));
      operands.map(operand, materialize(operand, needed));
    }
    OpBuilder builder(op);
    Operation *copy = builder.clone(*op, operands);
    RankedTensorType type = withLayout(op->getResult(0).getType(), layout);
    copy->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).reshape(type));
    return copy->getResult(0);
  }

  const LayoutWishes &wishes;
  const Homes &homes;
  DenseMap<Operation *, RegisterLayoutAttr> storeLayouts;
  DenseMap<std::pair<Value, Attribute>, Value> materialized;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct AssignRegisterLayouts
    : tilewright::tile::impl::TileAssignRegisterLayoutsBase<
          AssignRegisterLayouts> {
  using TileAssignRegisterLayoutsBase::TileAssignRegisterLayoutsBase;

  void runOnOperation() override {
    Operation *placed = nullptr, *unplaced = nullptr;
    WalkResult result = getOperation().walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (isTile(value))
          (getRegisterLayout(value.getType()) ? placed : unplaced) = op;
      int numWarps = getOperation().getNumWarpsOrDefault();
      auto dot = dyn_cast<DotOp>(op);
      if (failed(checkInLanguage(op, numWarps)) ||
          (dot && failed(checkProduct(dot, numWarps))))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (placed && unplaced) {
      InFlightDiagnostic error = unplaced->emitOpError(
          "has no register layout, while other tiles of the kernel have one: "
          "either all are written or none");
      error.attachNote(placed->getLoc()) << "this one has";
      return signalPassFailure();
    }
    if (placed || !unplaced)
      return;
    assignEngines(getOperation(), warpgroupDots);
    int64_t maxBytes = getGlobalVectorBytes(getOperation());
    if (maxBytes > kMaxVectorBytes &&
        (movesBetweenThreads(kMaxVectorBytes) || movesBetweenThreads(maxBytes)))
      maxBytes = kMaxVectorBytes;
    assign(getOperation(), maxBytes);
  }

private:
  static void assign(KernelOp kernel, int64_t maxBytes) {
    LayoutWishes wishes(kernel, maxBytes);
    Homes homes(kernel, wishes);
    Rewriter(wishes, homes).run(kernel);
  }

  /// Whether a tile would have to go from threads to others. What it then costs
  /// in shared memory is made for runs of 16 bytes in a thread: longer ones
  /// leave it fewer of them to make vectors of.
  bool movesBetweenThreads(int64_t maxBytes) {
    OwningOpRef<KernelOp> trial = getOperation().clone();
    assign(*trial, maxBytes);
    WalkResult result = trial->walk([](ConvertLayoutOp convert) {
      return mapRegisters(convert) ? WalkResult::advance()
                                   : WalkResult::interrupt();
    });
    return result.wasInterrupted();
  }
};
} // namespace
