//===- TileInterpreter.cpp - Integer tiles, computed ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;
using llvm::APInt;

unsigned tilewright::tile::getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}

static SmallVector<int64_t> getShape(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? llvm::to_vector(tile.getShape()) : SmallVector<int64_t>();
}

static size_t getNumElements(Type type) {
  return ShapedType::getNumElements(getShape(type));
}

void TileInterpreter::set(Value value, Elements elements) {
  onValue(value, elements);
  values[value] = std::move(elements);
}

void TileInterpreter::run(Block &block) {
  for (Operation &op : block.without_terminator())
    visit(&op);
}

void TileInterpreter::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  set(op->getResult(0), compute(op));
}

void TileInterpreter::visitFor(scf::ForOp loop) {
  APInt induction = get(loop.getLowerBound())[0];
  APInt end = get(loop.getUpperBound())[0], step = get(loop.getStep())[0];
  std::vector<Elements> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(get(init));
  for (; induction.slt(end); induction += step) {
    set(loop.getInductionVar(), {induction});
    for (auto [argument, elements] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      set(argument, elements);
    run(*loop.getBody());
    for (auto [yielded, elements] :
         llvm::zip_equal(loop.getYieldedValues(), carried))
      elements = get(yielded);
  }
  for (auto [result, elements] : llvm::zip_equal(loop.getResults(), carried))
    set(result, elements);
}

void TileInterpreter::visitIf(scf::IfOp branch) {
  Block *taken = get(branch.getCondition())[0].isOne() ? branch.thenBlock()
                                                       : branch.elseBlock();
  run(*taken);
  for (auto [result, yielded] : llvm::zip_equal(
           branch.getResults(), taken->getTerminator()->getOperands()))
    set(result, get(yielded));
}

static bool compare(arith::CmpIPredicate predicate, const APInt &a,
                    const APInt &b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a.slt(b);
  case P::sle:
    return a.sle(b);
  case P::sgt:
    return a.sgt(b);
  case P::sge:
    return a.sge(b);
  case P::ult:
    return a.ult(b);
  case P::ule:
    return a.ule(b);
  case P::ugt:
    return a.ugt(b);
  case P::uge:
    return a.uge(b);
  }
  llvm_unreachable("all predicates are handled");
}

static APInt computeElement(Operation *op, ArrayRef<APInt> in) {
  unsigned bits = getElementBits(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, APInt>(op)
      .Case([&](arith::AddIOp) { return in[0] + in[1]; })
      .Case([&](arith::SubIOp) { return in[0] - in[1]; })
      .Case([&](arith::MulIOp) { return in[0] * in[1]; })
      .Case([&](arith::DivUIOp) { return in[0].udiv(in[1]); })
      .Case([&](arith::DivSIOp) { return in[0].sdiv(in[1]); })
      .Case([&](arith::CeilDivUIOp) {
        return llvm::APIntOps::RoundingUDiv(in[0], in[1], APInt::Rounding::UP);
      })
      .Case([&](arith::CeilDivSIOp) {
        return llvm::APIntOps::RoundingSDiv(in[0], in[1], APInt::Rounding::UP);
      })
      .Case([&](arith::FloorDivSIOp) {
        return llvm::APIntOps::RoundingSDiv(in[0], in[1],
                                            APInt::Rounding::DOWN);
      })
      .Case([&](arith::RemUIOp) { return in[0].urem(in[1]); })
      .Case([&](arith::RemSIOp) { return in[0].srem(in[1]); })
      .Case([&](arith::MinSIOp) { return llvm::APIntOps::smin(in[0], in[1]); })
      .Case([&](arith::MaxUIOp) { return llvm::APIntOps::umax(in[0], in[1]); })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case([&](arith::XOrIOp) { return in[0] ^ in[1]; })
      .Case([&](arith::CmpIOp op) {
        return APInt(1, compare(op.getPredicate(), in[0], in[1]));
      })
      .Case([&](arith::SelectOp) { return in[0].isOne() ? in[1] : in[2]; })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(
          [&](auto) { return in[0].sextOrTrunc(bits); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto) { return in[0].zextOrTrunc(bits); })
      .Case([&](AddPtrOp op) {
        auto pointer = cast<PtrType>(getElementTypeOrSelf(op.getType()));
        APInt size(64, getElementBytes(pointer.getElementType()));
        return in[0] + in[1].sext(64) * size;
      })
      .Default([](Operation *op) -> APInt {
        llvm::report_fatal_error("the interpreter does not know " +
                                 op->getName().getStringRef());
      });
}

Elements TileInterpreter::computeElementwise(Operation *op) const {
  Elements result;
  for (size_t at = 0, end = getNumElements(op->getResult(0).getType());
       at < end; ++at) {
    SmallVector<APInt, 3> in;
    for (Value operand : op->getOperands()) {
      const Elements &elements = get(operand);
      in.push_back(elements.size() == 1 ? elements[0] : elements[at]);
    }
    result.push_back(computeElement(op, in));
  }
  return result;
}

Elements TileInterpreter::computeMove(Operation *op) const {
  const Elements &source = get(op->getOperand(0));
  SmallVector<int64_t> from = getShape(op->getOperand(0).getType());
  SmallVector<int64_t> to = getShape(op->getResult(0).getType());
  SmallVector<int64_t> fromStrides = computeStrides(from);
  SmallVector<int64_t> toStrides = computeStrides(to);
  Elements result;
  for (int64_t at = 0, end = ShapedType::getNumElements(to); at < end; ++at) {
    SmallVector<int64_t> point = delinearize(at, toStrides);
    if (auto trans = dyn_cast<TransOp>(op)) {
      SmallVector<int64_t> moved(point.size());
      for (auto [dim, sourceDim] : llvm::enumerate(trans.getPermutation()))
        moved[sourceDim] = point[dim];
      point = moved;
    } else if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
      point.erase(point.begin() + expand.getAxis());
    } else { // A broadcast.
      for (auto [coordinate, extent] : llvm::zip_equal(point, from))
        coordinate = extent == 1 ? 0 : coordinate;
    }
    result.push_back(source[linearize(point, fromStrides)]);
  }
  return result;
}

Elements TileInterpreter::compute(Operation *op) const {
  Type type = op->getResult(0).getType();
  size_t size = getNumElements(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      return Elements(dense.value_begin<APInt>(), dense.value_end<APInt>());
    return {cast<IntegerAttr>(constant.getValue()).getValue()};
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Elements result;
    for (size_t at = 0; at < size; ++at)
      result.push_back(
          APInt(64, iota.getStart() + at).sextOrTrunc(getElementBits(type)));
    return result;
  }
  if (isa<SplatOp>(op))
    return Elements(size, get(op->getOperand(0))[0]);
  if (isa<ReshapeOp, AssumeOp>(op))
    return get(op->getOperand(0));
  if (isa<ExpandDimsOp, BroadcastOp, TransOp>(op))
    return computeMove(op);
  return computeElementwise(op);
}
