//===- RegisterRewriter.cpp - Gives tiles their layouts -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/RegisterRewriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilewright/Dialect/Tile/IR/MadeAgain.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Instructions for an element that are rather run again than that the element
/// goes to another thread, at the most.
static constexpr int64_t kMostMadeAgain = 64;

/// Of an op that makes elements of those in the same places; 0 of others.
static int64_t countInstructionsOfElement(Operation *op) {
  if (!op || !op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
    return 0;
  bool isFunction = isa<math::MathDialect>(op->getDialect()) ||
                    isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp,
                        arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op);
  return isFunction ? 10 : 1;
}

namespace {
class RegisterRewriter {
public:
  explicit RegisterRewriter(const RegisterHomes &homes) : homes(homes) {}

  void run(KernelOp kernel) {
    SmallVector<Operation *> ops, cheap;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      for (Region &region : op->getRegions())
        llvm::for_each(region.getArguments(),
                       [&](Value value) { moveHome(value); });
      llvm::for_each(op->getResults(), [&](Value value) { moveHome(value); });
    });
    for (Operation *op : ops) {
      if (isMadeAgain(op))
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
    if (RegisterLayoutAttr home = homes.getHome(value))
      value.setType(withLayout(value.getType(), home));
  }

  /// Pointers are, wherever they stand: what they are made of is smaller on its
  /// way, and says what they point into.
  bool isMadeAgain(Operation *op) {
    auto inRegisters = dyn_cast_or_null<RegisterLayoutOpInterface>(op);
    return inRegisters && inRegisters.isCheap() && isTile(op->getResult(0)) &&
           (!homes.getLayout(inRegisters) || isPointer(op->getResult(0)));
  }

  static bool isPointer(Value value) {
    return isa<PtrType>(getElementTypeOrSelf(value.getType()));
  }

  void rewriteOperands(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get()))
        operand.set(materialize(operand.get(), homes.getNeeded(operand)));
  }

  /// `value` in the layout: itself, converted, or made again.
  Value materialize(Value value, RegisterLayoutAttr layout) {
    if (Value made = materialized.lookup({value, layout}))
      return made;
    Operation *maker = value.getDefiningOp();
    Value result;
    if (!isMadeAgain(maker))
      result = homes.getHome(value) == layout ? value : convert(value, layout);
    else if (Value made = firstMade.lookup(value);
             made && isCostly(maker) && !leadsToPointers(value))
      result = convert(made, layout);
    else
      result = makeAgain(maker, layout);
    firstMade.try_emplace(value, result);
    return materialized[{value, layout}] = result;
  }

  /// Whether pointers are made of it: of numbers that went to other threads
  /// nothing would be known.
  bool leadsToPointers(Value value) {
    llvm::SmallSetVector<Value, 8> reached;
    reached.insert(value);
    for (size_t index = 0; index < reached.size(); ++index) {
      if (isPointer(reached[index]))
        return true;
      for (Operation *user : reached[index].getUsers())
        if (isMadeAgain(user))
          reached.insert(user->getResult(0));
    }
    return false;
  }

  /// Whether a tile takes many instructions for each element, as a random
  /// number does.
  bool isCostly(Operation *maker) {
    llvm::SmallSetVector<Operation *, 32> ops;
    ops.insert(maker);
    int64_t instructions = 0;
    for (size_t index = 0; index < ops.size() && instructions <= kMostMadeAgain;
         ++index) {
      int64_t added = countInstructionsOfElement(ops[index]);
      instructions += added;
      if (added > 0 && isMadeAgain(ops[index]))
        for (Value operand : ops[index]->getOperands())
          if (Operation *source = operand.getDefiningOp())
            ops.insert(source);
    }
    return instructions > kMostMadeAgain;
  }

  /// Pointers that a region hands on go as numbers.
  static Value convert(Value value, RegisterLayoutAttr layout) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    Type type = withLayout(value.getType(), layout);
    if (!isPointer(value))
      return ConvertLayoutOp::create(builder, loc, type, value);
    auto asNumbers = [&](Type pointers) {
      return cast<RankedTensorType>(pointers).clone(builder.getI64Type());
    };
    Value numbers =
        PtrToIntOp::create(builder, loc, asNumbers(value.getType()), value);
    numbers = ConvertLayoutOp::create(builder, loc, asNumbers(type), numbers);
    return IntToPtrOp::create(builder, loc, type, numbers);
  }

  Value makeAgain(Operation *cheap, RegisterLayoutAttr layout) {
    OpBuilder builder(cheap);
    return tile::makeAgain(builder, cast<RegisterLayoutOpInterface>(cheap),
                           layout,
                           [&](Value operand, RegisterLayoutAttr needed) {
                             return materialize(operand, needed);
                           });
  }

  const RegisterHomes &homes;
  DenseMap<std::pair<Value, Attribute>, Value> materialized;
  /// In the layout in which each was needed first.
  DenseMap<Value, Value> firstMade;
};
} // namespace

void tilewright::tile::writeRegisterLayouts(KernelOp kernel,
                                            const RegisterHomes &homes) {
  RegisterRewriter(homes).run(kernel);
}
