//===- SharedPlace.cpp - Places of shared memory --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/SharedPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

static std::optional<int64_t> getConstant(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

SharedPlace::SharedPlace(LLVM::StoreOp store)
    : base(store.getAddr()),
      width(static_cast<int64_t>(
          DataLayout::closest(store).getTypeSize(store.getValue().getType()))) {
  while (auto step = base.getDefiningOp<LLVM::GEPOp>()) {
    if (!step.getElemType().isInteger(8) || step.getIndices().size() != 1)
      return;
    LLVM::GEPIndicesAdaptor<ValueRange>::value_type index =
        step.getIndices()[0];
    base = step.getBase();
    if (auto bytes = dyn_cast<IntegerAttr>(index)) {
      offset += bytes.getInt();
      continue;
    }
    readElement(cast<Value>(index));
    return;
  }
}

void SharedPlace::readElement(Value bytes) {
  element = bytes;
  if (auto product = element.getDefiningOp<arith::MulIOp>())
    if (std::optional<int64_t> factor = getConstant(product.getRhs())) {
      element = product.getLhs();
      scale = *factor;
    }
  if (auto turned = element.getDefiningOp<arith::XOrIOp>())
    if (std::optional<int64_t> bits = getConstant(turned.getRhs())) {
      element = turned.getLhs();
      turn = *bits;
    }
}

bool SharedPlace::isApartFrom(const SharedPlace &other) const {
  if (base != other.base || element != other.element || scale != other.scale ||
      turn < 0 || other.turn < 0 || scale < 1)
    return false;
  int64_t bytes = std::max(width, other.width);
  int64_t distance = std::abs(offset - other.offset);
  int64_t bits = turn ^ other.turn;
  // What two elements differ by is no more than the bits that are turned, and
  // an odd multiple of the lowest of these.
  if (distance >= bits * scale + bytes)
    return true;
  int64_t lowest = (bits & -bits) * scale;
  return bits != 0 && distance % (2 * lowest) == 0 && lowest >= bytes;
}
