//===- AxisReduction.cpp - Who combines what along an axis ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/AxisReduction.h"

#include "tilewright/Layout/Algebra/F2Span.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Shared/SharedAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

std::optional<AxisReduction> AxisReduction::create(const LinearLayout &source,
                                                   unsigned axis) {
  F2Span along;
  for (const LinearLayout::Input &input : source.inputs())
    for (const LinearLayout::Point &basis : input.bases) {
      if (basis[axis] == 0)
        continue;
      bool movesAcross = any_of(enumerate(basis), [&](auto coordinate) {
        return coordinate.index() != axis && coordinate.value() != 0;
      });
      if (movesAcross || !along.insert(basis[axis]))
        return std::nullopt;
    }
  return AxisReduction(source, axis);
}

SmallVector<unsigned> AxisReduction::axisBits(StringRef input) const {
  SmallVector<unsigned> bits;
  for (auto [bit, basis] : enumerate(source.bases(input)))
    if (movesAlong(basis))
      bits.push_back(bit);
  return bits;
}

std::vector<SmallVector<unsigned>> AxisReduction::registerGroups() const {
  SmallVector<unsigned> combined = {0}, kept = {0};
  for (auto [bit, basis] : enumerate(source.bases("register"))) {
    SmallVector<unsigned> &registers = movesAlong(basis) ? combined : kept;
    for (unsigned reg : SmallVector<unsigned>(registers))
      registers.push_back(reg | 1u << bit);
  }
  std::vector<SmallVector<unsigned>> groups;
  for (unsigned first : kept)
    groups.push_back(
        map_to_vector(combined, [&](unsigned reg) { return first | reg; }));
  return groups;
}

SmallVector<unsigned> AxisReduction::laneMasks() const {
  return map_to_vector(axisBits("lane"),
                       [](unsigned bit) { return 1u << bit; });
}

LinearLayout::Input AxisReduction::replaceAxis(StringRef input,
                                               AxisBits axisBits) const {
  LinearLayout::Input result{input.str(), {}};
  unsigned number = 0;
  for (const LinearLayout::Point &basis : source.bases(input)) {
    if (!movesAlong(basis))
      result.bases.push_back(basis);
    else if (axisBits != leaveOut)
      result.bases.push_back(axisBits == copy ? zero() : unit(number++));
  }
  return result;
}

LinearLayout::Point AxisReduction::unit(unsigned number) const {
  LinearLayout::Point point = zero();
  point[axis] = 1 << number;
  return point;
}

LinearLayout
AxisReduction::create(std::vector<LinearLayout::Input> inputs) const {
  SmallVector<int64_t, 4> shape(source.shape());
  shape[axis] = int64_t(1) << axisBits("warp").size();
  return cantFail(LinearLayout::create(std::move(inputs), shape));
}

LinearLayout AxisReduction::perWarp() const {
  return create({replaceAxis("register", leaveOut), replaceAxis("lane", copy),
                 replaceAxis("warp", renumber)});
}

LinearLayout AxisReduction::gathered(unsigned elementBytes) const {
  LinearLayout::Input registers = replaceAxis("register", leaveOut);
  LinearLayout::Input lanes = replaceAxis("lane", copy);
  unsigned bit = 0, bits = axisBits("warp").size();
  unsigned inRegisters = 0;
  auto takeUpTo = [&](unsigned end) {
    for (; bit < end; ++bit)
      registers.bases.insert(registers.bases.begin() + inRegisters++,
                             unit(bit));
  };
  // First in order, so that they can be read as a vector.
  takeUpTo(
      std::min(bits, Log2_32(std::max(1u, maxBytesPerLane / elementBytes))));
  for (unsigned lane : axisBits("lane"))
    if (bit < bits)
      lanes.bases[lane] = unit(bit++);
  takeUpTo(bits);
  return create(
      {std::move(registers), std::move(lanes), replaceAxis("warp", copy)});
}

LinearLayout AxisReduction::spread(unsigned elementBytes) const {
  SmallVector<int64_t, 4> shape(source.shape());
  shape[axis] = int64_t(1) << axisBits("warp").size();
  return spreadAcross(shape, axis, elementBytes, source.inputSize("warp"));
}

int64_t AxisReduction::costOfAccess(SharedAccessKind kind,
                                    const LinearLayout &registers,
                                    unsigned elementBytes) const {
  SmallVector<int64_t, 4> order;
  for (int64_t dim = registers.rank(); dim-- > 0;)
    if (registers.rank() < source.rank() || dim != axis)
      order.push_back(dim);
  if (registers.rank() == source.rank())
    order.push_back(axis);
  SharedAccess access;
  access.kind = kind;
  access.registers = registers;
  access.elementBytes = elementBytes;
  SharedAccessCost cost = costOfSharedAccess(
      access, SharedLayout::ordered(registers.shape(), order));
  return cost.wavefronts + cost.instructionsOfBlock();
}

bool AxisReduction::isBetterSpread(unsigned elementBytes,
                                   bool moveAnyway) const {
  if (source.rank() < 2)
    return false;
  auto cost = [&](SharedAccessKind kind, const LinearLayout &registers) {
    return costOfAccess(kind, registers, elementBytes);
  };
  LinearLayout spreadTile = spread(elementBytes);
  int64_t ofGathered = cost(SharedAccessKind::Load, gathered(elementBytes));
  int64_t ofSpread = cost(SharedAccessKind::Load, spreadTile);
  if (moveAnyway)
    return ofSpread < ofGathered;
  ofSpread += cost(SharedAccessKind::Store, spreadTile.dropDim(axis)) +
              cost(SharedAccessKind::Load, result());
  return 2 * ofSpread < ofGathered;
}

LinearLayout AxisReduction::result() const {
  return create({replaceAxis("register", leaveOut), replaceAxis("lane", copy),
                 replaceAxis("warp", copy)})
      .dropDim(axis);
}
