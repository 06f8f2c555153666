//===- RaiseConversions.cpp - Computes where elements have fewer copies ---===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILERAISECONVERSIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static unsigned countRegistersOfLayout(Attribute layout) {
  return cast<RegisterLayoutAttr>(layout).getNumRegisters();
}

static Attribute getEncoding(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getEncoding() : Attribute();
}

/// Whether the op computes each element of its result from those of its
/// operands in the same place.
static bool computesElements(Operation *op) {
  auto layout = getEncoding(op->getResult(0));
  return op->hasTrait<OpTrait::Elementwise>() && isPure(op) &&
         isa<RegisterLayoutOpInterface>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isTile(operand) || getEncoding(operand) == layout;
         });
}

/// Whether the op makes a tile of none, and as well in another layout.
static bool isMadeAnew(Operation *op) {
  auto inRegisters = dyn_cast_or_null<RegisterLayoutOpInterface>(op);
  return inRegisters && inRegisters.isCheap() &&
         llvm::none_of(op->getOperands(),
                       [](Value operand) { return isTile(operand); });
}

namespace {
/// Conversions of one block to one layout, and what is computed for them alone.
class Group {
public:
  Group(Attribute from, Attribute to) : from(from), to(to) {}

  void add(ConvertLayoutOp convert) { conversions.insert(convert); }

  /// Moves the conversions in front of what is computed, where they become no
  /// more by that.
  void raise() {
    findComputation();
    if (ops.empty())
      return;
    llvm::SetVector<Value> sources;
    llvm::SmallSetVector<Operation *, 4> gone;
    for (Operation *op : ops)
      for (Value operand : op->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        if (!isTile(operand) || ops.contains(maker) || isMadeAnew(maker))
          continue;
        auto back = operand.getDefiningOp<ConvertLayoutOp>();
        if (!back || getEncoding(back.getSource()) != to)
          sources.insert(operand);
        else if (llvm::all_of(back->getUsers(), [&](Operation *user) {
                   return ops.contains(user);
                 }))
          gone.insert(back);
      }
    for (Operation *convert : conversions)
      if (ops.contains(
              cast<ConvertLayoutOp>(convert).getSource().getDefiningOp()))
        gone.insert(convert);
    if (sources.size() > gone.size())
      return;
    rewrite();
  }

private:
  /// What is computed, and used by nothing but the conversions and one another.
  void findComputation() {
    SmallVector<Value> next;
    for (Operation *convert : conversions)
      next.push_back(cast<ConvertLayoutOp>(convert).getSource());
    while (!next.empty()) {
      Operation *op = next.pop_back_val().getDefiningOp();
      if (!op || ops.contains(op) || op->getNumResults() != 1 ||
          getEncoding(op->getResult(0)) != from || !computesElements(op) ||
          op->getBlock() != conversions.front()->getBlock() ||
          !llvm::all_of(op->getUsers(), [&](Operation *user) {
            return ops.contains(user) || conversions.contains(user);
          }))
        continue;
      ops.insert(op);
      // One that had another use before may have none now.
      llvm::append_range(next, op->getOperands());
    }
  }

  void rewrite() {
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    IRMapping raised;
    for (Operation *op : sorted) {
      OpBuilder builder(op);
      for (Value operand : op->getOperands())
        if (isTile(operand) && !raised.contains(operand))
          raised.map(operand, convert(builder, operand));
      auto copy = cast<RegisterLayoutOpInterface>(builder.clone(*op, raised));
      copy.setLayout(cast<RegisterLayoutAttr>(to));
      raised.map(op->getResult(0), copy->getResult(0));
    }
    for (Operation *convert : conversions) {
      Value source = cast<ConvertLayoutOp>(convert).getSource();
      // What is only converted for what is computed may be so too late.
      if (ops.contains(source.getDefiningOp())) {
        convert->replaceAllUsesWith(ValueRange(raised.lookup(source)));
        convert->erase();
      }
    }
    for (Operation *op : llvm::reverse(sorted))
      op->erase();
  }

  Value convert(OpBuilder &builder, Value value) {
    Operation *maker = value.getDefiningOp();
    if (isMadeAnew(maker)) {
      auto copy = cast<RegisterLayoutOpInterface>(builder.clone(*maker));
      copy.setLayout(cast<RegisterLayoutAttr>(to));
      return copy->getResult(0);
    }
    if (auto back = value.getDefiningOp<ConvertLayoutOp>();
        back && getEncoding(back.getSource()) == to)
      return back.getSource();
    return ConvertLayoutOp::create(
        builder, value.getLoc(),
        withLayout(value.getType(), cast<RegisterLayoutAttr>(to)), value);
  }

  Attribute from, to;
  llvm::SetVector<Operation *> conversions;
  llvm::SetVector<Operation *> ops;
};

struct RaiseConversions
    : tilewright::tile::impl::TileRaiseConversionsBase<RaiseConversions> {
  void runOnOperation() override {
    llvm::MapVector<std::tuple<Block *, Attribute, Attribute>, Group> groups;
    getOperation().walk([&](ConvertLayoutOp convert) {
      Attribute from = getEncoding(convert.getSource()),
                to = getEncoding(convert.getResult());
      if (countRegistersOfLayout(to) >= countRegistersOfLayout(from))
        return;
      std::tuple key(convert->getBlock(), from, to);
      groups.try_emplace(key, from, to).first->second.add(convert);
    });
    for (auto &[key, group] : groups)
      group.raise();
  }
};
} // namespace
