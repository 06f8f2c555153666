//===- FewestKept.cpp - What to keep, and compute the rest anew -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/FewestKept.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

static bool isNumberOrAddress(Type type) {
  return isa<IntegerType, IndexType, LLVM::LLVMPointerType>(type);
}

static int64_t countBitsOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return getAddressBits(type);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * countBitsOf(vector.getElementType());
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    int64_t bits = 0;
    for (Type part : structure.getBody())
      bits += countBitsOf(part);
    return bits;
  }
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

int64_t tonvvm::countBits(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (matchPattern(value, m_Constant()) ||
      (argument &&
       isa<FunctionOpInterface>(argument.getOwner()->getParentOp())))
    return 0;
  return countBitsOf(value.getType());
}

int64_t tonvvm::countWords(Value value) {
  return llvm::divideCeil(countBits(value), 8 * bytesPerWord);
}

int64_t tonvvm::countAllWords(ArrayRef<Value> values) {
  int64_t words = 0;
  for (Value value : values)
    words += countWords(value);
  return words;
}

bool tonvvm::isCheap(Operation *op) {
  return op && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->getNumOperands() > 0 && isPure(op) &&
         !isa<LLVM::InlineAsmOp, LLVM::CallIntrinsicOp, arith::DivSIOp,
              arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
         isNumberOrAddress(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), isNumberOrAddress);
}

namespace {
/// A smallest cut between what is there anyhow and what is wanted. Each value
/// is two nodes of a network, into it and out of it, with as much room between
/// them as it takes registers: its smallest cut is what is kept.
class ValueNetwork {
public:
  explicit ValueNetwork(ArrayRef<Value> wanted) {
    addNodes(kNumEnds);
    for (Value value : wanted)
      connect(getOut(value), kEnd, kUnbounded);
    while (findPath())
      push();
  }

  SetVector<Value> takeCut() {
    // What still reaches the end needs nothing more: the cut is as near to what
    // is wanted as can be.
    std::vector<bool> reaches(edges.size(), false);
    SmallVector<unsigned> open = {kEnd};
    reaches[kEnd] = true;
    while (!open.empty()) {
      unsigned node = open.pop_back_val();
      for (const Edge &back : edges[node])
        if (!reaches[back.to] && edges[back.to][back.opposite].room > 0) {
          reaches[back.to] = true;
          open.push_back(back.to);
        }
    }
    SetVector<Value> cut;
    for (auto [value, node] : nodes)
      if (reaches[node + 1] && !reaches[node])
        cut.insert(value);
    return cut;
  }

private:
  static constexpr int64_t kUnbounded = int64_t(1) << 40;
  static constexpr unsigned kBegin = 0, kEnd = 1, kNumEnds = 2;

  struct Edge {
    unsigned to;
    int64_t room;
    /// The number of the edge back, at the other node.
    unsigned opposite;
  };

  void addNodes(unsigned count) { edges.resize(edges.size() + count); }

  void connect(unsigned from, unsigned to, int64_t room) {
    edges[from].push_back({to, room, unsigned(edges[to].size())});
    edges[to].push_back({from, 0, unsigned(edges[from].size() - 1)});
  }

  /// The node out of a value, which is added with all that it is computed from.
  unsigned getOut(Value value) {
    auto [found, isNew] = nodes.insert({value, edges.size()});
    unsigned in = found->second;
    if (!isNew)
      return in + 1;
    addNodes(2);
    connect(in, in + 1, countWords(value));
    Operation *op = value.getDefiningOp();
    if (!isCheap(op)) {
      connect(kBegin, in, kUnbounded);
      return in + 1;
    }
    for (Value operand : op->getOperands())
      if (!matchPattern(operand, m_Constant()))
        connect(getOut(operand), in, kUnbounded);
    return in + 1;
  }

  /// A shortest way with room, from the beginning to the end.
  bool findPath() {
    cameBy.assign(edges.size(), {kEnd, 0});
    SmallVector<unsigned> open = {kBegin};
    for (size_t next = 0; next < open.size(); ++next)
      for (auto [number, edge] : llvm::enumerate(edges[open[next]])) {
        if (edge.room == 0 || edge.to == kBegin ||
            cameBy[edge.to].first != kEnd)
          continue;
        cameBy[edge.to] = {open[next], unsigned(number)};
        if (edge.to == kEnd)
          return true;
        open.push_back(edge.to);
      }
    return false;
  }

  void push() {
    int64_t room = kUnbounded;
    for (unsigned node = kEnd; node != kBegin; node = cameBy[node].first)
      room = std::min(room, getEdgeTo(node).room);
    for (unsigned node = kEnd; node != kBegin; node = cameBy[node].first) {
      Edge &edge = getEdgeTo(node);
      edge.room -= room;
      edges[node][edge.opposite].room += room;
    }
  }

  Edge &getEdgeTo(unsigned node) {
    auto [from, number] = cameBy[node];
    return edges[from][number];
  }

  llvm::MapVector<Value, unsigned> nodes;
  std::vector<SmallVector<Edge, 4>> edges;
  /// The edge by which the way came to each node: from where, and which.
  std::vector<std::pair<unsigned, unsigned>> cameBy;
};
} // namespace

SetVector<Value> tonvvm::findFewestKept(ArrayRef<Value> wanted) {
  return ValueNetwork(wanted).takeCut();
}
