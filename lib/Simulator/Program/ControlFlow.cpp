//===- ControlFlow.cpp - Where divergent branches meet again --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/Decoder.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// Immediate post-dominators of the basic blocks of one function, by the
/// iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
/// Algorithm") on the reversed graph. One more node stands for the exit.
class PostDominators {
public:
  PostDominators(const Program &program, const Function &function)
      : program(program), function(function) {
    findBlocks();
    link();
    order();
    solve();
  }

  /// First pc of the immediate post-dominator of the block that ends with
  /// `pc`, or noPc if that is the exit.
  uint32_t meeting(uint32_t pc) const {
    const uint32_t dominator = parent[blockOf[pc - function.begin]];
    return dominator == exit || dominator == none ? Instr::noPc
                                                  : starts[dominator];
  }

private:
  static constexpr uint32_t none = ~0u;

  void findBlocks() {
    const uint32_t size = function.end - function.begin;
    std::vector<bool> isStart(size + 1, false);
    isStart[0] = true;
    for (uint32_t i = 0; i != size; ++i) {
      const Instr &instr = program.code[function.begin + i];
      program.forTargets(
          instr, [&](uint32_t t) { isStart[t - function.begin] = true; });
      if (instr.flow != Flow::Fall)
        isStart[i + 1] = true;
    }
    blockOf.resize(size);
    for (uint32_t i = 0; i != size; ++i) {
      if (isStart[i])
        starts.push_back(function.begin + i);
      blockOf[i] = static_cast<uint32_t>(starts.size() - 1);
    }
    exit = static_cast<uint32_t>(starts.size());
  }

  void link() {
    successors.resize(exit + 1);
    predecessors.resize(exit + 1);
    for (uint32_t block = 0; block != exit; ++block) {
      const uint32_t last =
          (block + 1 == exit ? function.end : starts[block + 1]) - 1;
      const Instr &instr = program.code[last];
      auto connect = [&](uint32_t to) {
        successors[block].push_back(to);
        predecessors[to].push_back(block);
      };
      program.forTargets(
          instr, [&](uint32_t t) { connect(blockOf[t - function.begin]); });
      const bool falls = instr.flow == Flow::Fall || instr.guard >= 0;
      if (instr.flow == Flow::Exit)
        connect(exit);
      if (falls)
        connect(last + 1 == function.end ? exit
                                         : blockOf[last + 1 - function.begin]);
    }
  }

  /// Post-order of the reversed graph from the exit, without recursion.
  void order() {
    rank.assign(exit + 1, none);
    std::vector<bool> seen(exit + 1, false);
    std::vector<std::pair<uint32_t, size_t>> stack = {{exit, 0}};
    seen[exit] = true;
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == predecessors[node].size()) {
        rank[node] = static_cast<uint32_t>(postOrder.size());
        postOrder.push_back(node);
        stack.pop_back();
        continue;
      }
      const uint32_t child = predecessors[node][next++];
      if (!seen[child]) {
        seen[child] = true;
        stack.emplace_back(child, 0);
      }
    }
  }

  uint32_t intersect(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (rank[a] < rank[b])
        a = parent[a];
      while (rank[b] < rank[a])
        b = parent[b];
    }
    return a;
  }

  void solve() {
    parent.assign(exit + 1, none);
    parent[exit] = exit;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t node : reverse(postOrder)) {
        if (node == exit)
          continue;
        uint32_t best = none;
        for (uint32_t successor : successors[node])
          if (parent[successor] != none)
            best = best == none ? successor : intersect(best, successor);
        changed |= parent[node] != best;
        parent[node] = best;
      }
    }
  }

  const Program &program;
  const Function &function;
  uint32_t exit = 0;
  std::vector<uint32_t> starts;
  std::vector<uint32_t> blockOf;
  std::vector<SmallVector<uint32_t, 2>> successors;
  std::vector<SmallVector<uint32_t, 2>> predecessors;
  std::vector<uint32_t> postOrder;
  std::vector<uint32_t> rank;
  std::vector<uint32_t> parent;
};

} // namespace

void findReconvergence(Program &program, const Function &function) {
  if (function.begin == function.end)
    return;
  PostDominators dominators(program, function);
  for (uint32_t pc = function.begin; pc != function.end; ++pc) {
    Instr &instr = program.code[pc];
    if (instr.flow == Flow::Branch || instr.flow == Flow::Table)
      instr.reconverge = dominators.meeting(pc);
  }
}

} // namespace tilewright::sim
