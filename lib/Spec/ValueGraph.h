//===- ValueGraph.h - A reference with its sizes known ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of a reference as a graph without duplicates: equal expressions are
// one node. Elements are read at a linear offset, every index is proved to stay
// inside its tensor, and each node knows on which variables it depends.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_VALUEGRAPH_H
#define TILEWRIGHT_LIB_SPEC_VALUEGRAPH_H

#include "tilewright/Spec/KernelSpec.h"
#include <map>
#include <tuple>

namespace tilewright::spec {

struct GraphNode {
  ValueOp op;
  bool isInteger = false;
  /// Whether the value can differ from the kernel's by rounding.
  bool isUncertain = false;
  ElementType type = ElementType::F32;
  unsigned argument = 0;
  unsigned variable = 0;
  /// A constant, or the extent of a reduction.
  int64_t integer = 0;
  double real = 0;
  /// CheckedIndex: where the index must be.
  ElementRange range = {};
  const MathFunction *function = nullptr;
  llvm::SmallVector<unsigned, 2> operands = {};
  /// The variables whose values the node's value depends on, as a bit set.
  uint64_t free = 0;
};

class ValueGraph {
public:
  static llvm::Expected<ValueGraph> build(const KernelSpec &spec,
                                          const Reference &reference,
                                          const Binding &binding);

  const GraphNode &operator[](unsigned node) const { return nodes[node]; }
  unsigned getRoot() const { return root; }
  double getRoundoff() const { return roundoff; }

private:
  friend class ValueGraphBuilder;
  using Key = std::tuple<ValueOp, bool, bool, ElementType, unsigned, unsigned,
                         int64_t, uint64_t, const MathFunction *,
                         llvm::SmallVector<unsigned, 2>>;

  unsigned add(GraphNode node);

  std::vector<GraphNode> nodes;
  std::map<Key, unsigned> known;
  unsigned root = 0;
  double roundoff = 0;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_VALUEGRAPH_H
