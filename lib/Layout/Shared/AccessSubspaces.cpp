//===- AccessSubspaces.cpp - What an access asks of a layout --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/AccessSubspaces.h"

#include "tilewright/Layout/Algebra/F2Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// OffsetMatrix
//===----------------------------------------------------------------------===//

static SmallVector<uint32_t, 24> inverseOf(ArrayRef<uint32_t> rows) {
  std::optional<SmallVector<uint32_t, 24>> inverse = f2Inverse(rows);
  assert(inverse && "the rows of a layout are independent");
  return inverse.value_or(SmallVector<uint32_t, 24>());
}

OffsetMatrix::OffsetMatrix(const SharedLayout &layout) {
  for (const LinearLayout::Point &basis : layout.linear().bases("offset"))
    elements.push_back(static_cast<uint32_t>(layout.linear().flatten(basis)));
  // Rows and elements are each other's inverse, and so is the transpose.
  rows = inverseOf(elements);
}

OffsetMatrix::OffsetMatrix(ArrayRef<uint32_t> rows)
    : rows(rows), elements(inverseOf(rows)) {}

uint32_t OffsetMatrix::offset(uint32_t element) const {
  uint32_t result = 0;
  for (auto [bit, row] : enumerate(rows))
    result |= uint32_t(f2Dot(row, element)) << bit;
  return result;
}

SharedLayout OffsetMatrix::toLayout(ArrayRef<int64_t> shape) const {
  LinearLayout::Input offset{"offset", {}};
  for (uint32_t element : elements)
    offset.bases.push_back(LinearLayout::unflatten(element, shape));
  return cantFail(
      SharedLayout::create(cantFail(LinearLayout::create({offset}, shape))));
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

AccessSubspaces::AccessSubspaces(const SharedAccess &access)
    : kind(access.kind), elementBytes(access.elementBytes),
      numBits(Log2_64(access.registers.numElements())), trips(access.trips),
      requiredVector(access.requiredVector), runDim(access.runDim),
      shape(access.registers.shape()) {
  F2Span span;
  auto fill = [&](StringRef input, SmallVectorImpl<uint32_t> &elements) {
    uint64_t redundant = 0;
    for (auto [bit, basis] : enumerate(access.registers.bases(input))) {
      elements.push_back(
          static_cast<uint32_t>(access.registers.flatten(basis)));
      if (!span.insert(elements.back()))
        redundant |= uint64_t(1) << bit;
    }
    return redundant;
  };
  redundantRegisters = fill("register", registers);
  uint64_t redundantLanes = fill("lane", lanes);
  uint64_t redundantWarps = fill("warp", warps);
  ofRegisters = F2Subspace(registers);
  ofThreads = F2Subspace(lanes) + F2Subspace(warps);
  for (auto [bit, lane] : enumerate(lanes))
    zeroLanes |= uint32_t(lane == 0) << bit;
  bool isStore = isSharedStore(kind);
  idleLanes = isStore ? redundantLanes : 0;
  activeWarps = uint64_t(1)
                << (warps.size() - (isStore ? popcount(redundantWarps) : 0));

  if (!isMatrixAccess(kind)) {
    addVectorForms();
  } else if (!idleLanes) {
    addMatrixForm(/*transposed=*/false);
    addMatrixForm(/*transposed=*/true);
  }
}

void AccessSubspaces::addForm(Form form) {
  if (requiredVector && requiredVector != 1u << form.vectorBits)
    return;
  SmallVector<uint32_t, 5> &group = groups.emplace_back();
  if (!isMatrixAccess(kind)) {
    for (unsigned bit = 0;
         bit < std::min<size_t>(groupBits(form), lanes.size()); ++bit)
      if (!(idleLanes >> bit & 1))
        group.push_back(lanes[bit]);
  } else if (form.transposed) {
    group = {registers[0], lanes[0], lanes[1]};
  } else {
    append_range(group, ArrayRef(lanes).drop_front(2));
  }
  form.leastCost = cost(form, 0);
  possibleForms.push_back(std::move(form));
}

void AccessSubspaces::addVectorForms() {
  // Where the run's dimension begins in a row-major number, and its bits.
  unsigned runBegin = 0, runBits = 0;
  if (runDim) {
    for (int64_t extent : ArrayRef(shape).drop_front(*runDim + 1))
      runBegin += Log2_64(extent);
    runBits = Log2_64(shape[*runDim]);
  }
  unsigned independent = (ofRegisters + ofThreads).rank() - ofThreads.rank();
  unsigned widest = Log2_32(maxBytesPerLane / elementBytes);
  Form form;
  for (;; ++form.vectorBits) {
    addForm(form);
    if (form.vectorBits == std::min(widest, independent))
      return;
    if (!runDim)
      continue;
    uint32_t next = uint32_t(1) << (runBegin + form.vectorBits);
    bool isOfThreads = any_of(ofThreads.basis(), [&](uint32_t element) {
      return f2Dot(next, element);
    });
    if (form.vectorBits == runBits || !ofRegisters.contains(next) ||
        isOfThreads)
      return;
    form.fixed.push_back(next);
  }
}

void AccessSubspaces::addMatrixForm(bool transposed) {
  // See obstacleToMatrix() in SharedAccess.cpp.
  if (elementBytes > 4 || (transposed && elementBytes != 2) ||
      lanes.size() != 5)
    return;
  unsigned packedBits = Log2_32(4 / elementBytes);
  if (registers.size() < packedBits)
    return;
  Form form;
  form.vectorBits = Log2_32(maxBytesPerLane / elementBytes);
  form.transposed = transposed;
  if (transposed) {
    append_range(form.fixed, ArrayRef(lanes).drop_front(2));
  } else {
    append_range(form.fixed, ArrayRef(registers).take_front(packedBits));
    append_range(form.fixed, ArrayRef(lanes).take_front(2));
  }
  for (auto [bit, element] : enumerate(form.fixed))
    if (outsideVector(form, bit).contains(element))
      return;
  addForm(std::move(form));
}

uint64_t AccessSubspaces::leastCost(unsigned vectorElements) const {
  uint64_t least = UINT64_MAX;
  for (const Form &form : possibleForms)
    if (vectorElements == 1u << form.vectorBits)
      least = std::min(least, form.leastCost);
  return least;
}

uint64_t AccessSubspaces::leastCost() const {
  uint64_t least = UINT64_MAX;
  for (const Form &form : possibleForms)
    least = std::min(least, form.leastCost);
  return least;
}

F2Subspace AccessSubspaces::insideVector(const Form &form, unsigned bit) const {
  return form.fixed.empty() ? ofRegisters : F2Subspace(form.fixed[bit]);
}

F2Subspace AccessSubspaces::outsideVector(const Form &form,
                                          unsigned bit) const {
  if (form.fixed.empty())
    return ofThreads;
  if (!isMatrixAccess(kind)) {
    // The bit is that of the coordinate, wherever the access goes.
    F2Subspace withoutBit = ofRegisters.intersect(
        F2Subspace(form.fixed[bit]).annihilator(numBits), numBits);
    return ofThreads + withoutBit;
  }
  F2Subspace outside(warps);
  for (uint32_t element : concat<const uint32_t>(registers, lanes))
    if (!is_contained(form.fixed, element))
      outside.insert(element);
  for (auto [other, element] : enumerate(form.fixed))
    if (other != bit)
      outside.insert(element);
  return outside;
}

ArrayRef<uint32_t> AccessSubspaces::group(const Form &form) const {
  for (auto [known, group] : zip_equal(possibleForms, groups))
    if (known.vectorBits == form.vectorBits &&
        known.transposed == form.transposed)
      return group;
  llvm_unreachable("a form is one of the access's");
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// See BankModel.h, rules 1 and 2.
unsigned AccessSubspaces::groupBits(const Form &form) const {
  if (isMatrixAccess(kind))
    return 3;
  unsigned bytes = elementBytes << form.vectorBits;
  if (bytes <= 4)
    return 5;
  auto pairsUp = [&](unsigned bit) {
    return bit >= lanes.size() || zeroLanes >> bit & 1;
  };
  bool merges = kind == SharedAccessKind::Load && (pairsUp(0) || pairsUp(1));
  return Log2_32(bytesPerWavefront / bytes) + (merges ? 1 : 0);
}

/// Registers that a matrix instruction adds to the 4 bytes of its first matrix.
static unsigned furtherMatrixBits(uint64_t redundant, unsigned packedBits,
                                  unsigned registerBits) {
  uint64_t useful = ~redundant & maskTrailingOnes<uint64_t>(registerBits) &
                    ~maskTrailingOnes<uint64_t>(packedBits);
  return std::min(popcount(useful), 2);
}

uint64_t AccessSubspaces::activeGroups(const Form &form) const {
  if (isMatrixAccess(kind))
    return uint64_t(1) << furtherMatrixBits(
               redundantRegisters, Log2_32(4 / elementBytes), registers.size());
  uint64_t groups = 1;
  for (unsigned bit = groupBits(form); bit < lanes.size(); ++bit)
    if (!(idleLanes >> bit & 1))
      groups *= 2;
  return groups;
}

uint64_t AccessSubspaces::instructions(const Form &form) const {
  unsigned bits = form.vectorBits;
  if (isMatrixAccess(kind)) {
    unsigned packedBits = Log2_32(4 / elementBytes);
    bits = packedBits +
           furtherMatrixBits(redundantRegisters, packedBits, registers.size());
  }
  return (uint64_t(1) << (ofRegisters.rank() - bits)) * activeWarps;
}

uint64_t AccessSubspaces::cost(const Form &form, unsigned collisions) const {
  uint64_t perInstruction = (activeGroups(form) << collisions) + 1;
  return SaturatingMultiply(trips, perInstruction * instructions(form));
}

bool AccessSubspaces::allows(const Form &form,
                             const OffsetMatrix &layout) const {
  for (unsigned bit = 0; bit < form.vectorBits; ++bit) {
    uint32_t row = layout.rows[bit], element = layout.elements[bit];
    if (form.fixed.empty()) {
      if (!ofRegisters.contains(element))
        return false;
      if (any_of(ofThreads.basis(), [&](uint32_t x) { return f2Dot(row, x); }))
        return false;
      continue;
    }
    if (element != form.fixed[bit])
      return false;
    F2Subspace outside = outsideVector(form, bit);
    if (any_of(outside.basis(), [&](uint32_t x) { return f2Dot(row, x); }))
      return false;
  }
  return true;
}

unsigned AccessSubspaces::collisions(const Form &form,
                                     const OffsetMatrix &layout) const {
  unsigned elementBits = Log2_32(elementBytes);
  uint32_t inWord = elementBits < 2 ? (1u << (2 - elementBits)) - 1 : 0;
  uint32_t inBanks = (1u << (7 - elementBits)) - 1;
  SmallVector<uint32_t, 10> words, banks;
  auto add = [&](uint32_t offset) {
    words.push_back(offset & ~inWord);
    banks.push_back(offset & ~inWord & inBanks);
  };
  for (uint32_t element : group(form))
    add(layout.offset(element));
  for (unsigned bit = 0; bit < form.vectorBits; ++bit)
    add(uint32_t(1) << bit);
  return f2Rank(words) - f2Rank(banks);
}

std::optional<uint64_t>
AccessSubspaces::cost(const OffsetMatrix &layout) const {
  assert(layout.numBits() == numBits && "a layout of the same tile");
  const Form *widest = nullptr;
  for (const Form &form : possibleForms) {
    if (!allows(form, layout)) {
      if (!isMatrixAccess(kind))
        break;
      continue;
    }
    widest = &form;
    if (isMatrixAccess(kind))
      break;
  }
  if (!widest)
    return std::nullopt;
  return cost(*widest, collisions(*widest, layout));
}
