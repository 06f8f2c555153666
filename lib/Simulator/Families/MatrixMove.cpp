//===- MatrixMove.cpp - ldmatrix, stmatrix and movmatrix ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An 8 x 8 matrix of 16-bit elements is held by a warp with row T / 4 and
// columns 2 * (T % 4) and the next in thread T; transposed, rows and columns
// are exchanged (PTX ISA, ldmatrix). In shared memory it is 8 rows of 16
// bytes, whose addresses threads 8 * n to 8 * n + 7 give for matrix n.
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/HostAtomics.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

using Matrix = std::array<std::array<uint16_t, 8>, 8>;

void toLanes(const Matrix &matrix, bool transposed, uint64_t *d) {
  for (unsigned lane = 0; lane != warpSize; ++lane) {
    const unsigned row = lane / 4, col = lane % 4 * 2;
    const uint16_t low = transposed ? matrix[col][row] : matrix[row][col];
    const uint16_t high =
        transposed ? matrix[col + 1][row] : matrix[row][col + 1];
    d[lane] = low | uint32_t(high) << 16;
  }
}

Matrix fromLanes(const uint64_t *a, bool transposed) {
  Matrix matrix;
  for (unsigned lane = 0; lane != warpSize; ++lane) {
    const unsigned row = lane / 4, col = lane % 4 * 2;
    const auto low = static_cast<uint16_t>(a[lane]);
    const auto high = static_cast<uint16_t>(a[lane] >> 16);
    (transposed ? matrix[col][row] : matrix[row][col]) = low;
    (transposed ? matrix[col + 1][row] : matrix[row][col + 1]) = high;
  }
  return matrix;
}

LaneAccess rowAccess(Warp &warp, const Instr &instr, uint32_t mask,
                     size_t count) {
  LaneAccess lanes;
  lanes.space = Space::Shared;
  lanes.bytes = 16;
  lanes.mask = mask & static_cast<uint32_t>((uint64_t(1) << (8 * count)) - 1);
  warp.computeAddresses(instr, instr.ops[0], lanes);
  return lanes;
}

/// ops: {address, registers}; attr[0]: transposed.
Step loadExec(Warp &warp, const Instr &instr, uint32_t mask) {
  isWholeWarp(warp, mask);
  const size_t count = instr.ops.size() - 1;
  LaneAccess lanes = rowAccess(warp, instr, mask, count);
  lanes.kind = AccessKind::Load;
  lanes.isMatrix = true;
  const uint32_t done = warp.access(lanes);
  std::array<uint64_t, warpSize> values;
  for (size_t n = 0; n != count; ++n) {
    Matrix matrix = {};
    for (unsigned row = 0; row != 8; ++row)
      if (done >> (8 * n + row) & 1)
        std::memcpy(matrix[row].data(), lanes.pointers[8 * n + row], 16);
    toLanes(matrix, instr.attr[0], values.data());
    uint64_t *d = warp.destination(instr.ops[1 + n]);
    forLanes(mask, [&](unsigned lane) { d[lane] = values[lane]; });
  }
  return Step::Next;
}

Step storeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  isWholeWarp(warp, mask);
  const size_t count = instr.ops.size() - 1;
  LaneAccess lanes = rowAccess(warp, instr, mask, count);
  lanes.kind = AccessKind::Store;
  std::array<Matrix, 4> matrices;
  for (size_t n = 0; n != count; ++n)
    matrices[n] = fromLanes(warp.source(instr.ops[1 + n]), instr.attr[0]);
  lanes.data = reinterpret_cast<const uint8_t *>(&matrices);
  lanes.dataStride = 16;
  warp.access(lanes);
  return Step::Next;
}

void decodeMove(Decoder &d, Instr &i, bool isLoad) {
  i.kind = isLoad ? InstrKind::Load : InstrKind::Store;
  i.exec = isLoad ? &loadExec : &storeExec;
  i.syncMask = Instr::syncAll;
  i.space = Space::Shared;
  d.take("sync");
  d.take("aligned");
  if (!d.take("m8n8"))
    d.error("only .m8n8 is supported");
  const int countLog2 = d.takeOneOf({"x1", "x2", "x4"});
  i.attr[0] = d.take("trans");
  d.takeShared();
  if (d.takeType() != Type::B16)
    d.error("only .b16 is supported");
  d.expectOperands(2, 2);
  if (d.failed() || countLog2 < 0)
    return d.error("needs .x1, .x2 or .x4");
  const size_t addressIndex = isLoad ? 1 : 0;
  i.ops.push_back(d.address(addressIndex, i));
  const ArrayRef<Operand> registers = d.elements(1 - addressIndex);
  if (registers.size() != size_t(1) << countLog2)
    return d.error("the number of registers does not match");
  for (const Operand &reg : registers)
    i.ops.push_back(isLoad ? d.destination(reg, Type::B32)
                           : d.source(reg, Type::B32));
}

Step transposeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  isWholeWarp(warp, mask);
  const Matrix matrix = fromLanes(warp.source(instr.ops[1]), false);
  std::array<uint64_t, warpSize> values;
  toLanes(matrix, true, values.data());
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = values[lane]; });
  return Step::Next;
}

void decodeTranspose(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  i.exec = &transposeExec;
  i.syncMask = Instr::syncAll;
  d.take("aligned");
  if (!d.take("m8n8") || !d.take("trans") || d.takeType() != Type::B16)
    d.error("only .m8n8.trans.b16 is supported");
  decodeUniform(d, i, Type::B32, 1);
}

} // namespace

void registerMatrixMove(OpcodeTable &table) {
  table.add("ldmatrix", [](Decoder &d, Instr &i) { decodeMove(d, i, true); });
  table.add("stmatrix", [](Decoder &d, Instr &i) { decodeMove(d, i, false); });
  table.add("movmatrix.sync", decodeTranspose);
}

} // namespace tilewright::sim
