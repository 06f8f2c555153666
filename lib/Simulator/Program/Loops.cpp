//===- Loops.cpp - In which loops an instruction stands -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/Loops.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {

namespace {

/// The loops of one function around an instruction.
class LoopFinder {
public:
  LoopFinder(const Program &program, const Function &function)
      : program(program), begin(function.begin),
        successors(function.end - function.begin),
        predecessors(successors.size()), allowed(successors.size(), true) {
    for (uint32_t at = 0; at != successors.size(); ++at) {
      const Instr &instr = program.code[begin + at];
      program.forTargets(instr, [&](uint32_t to) { link(at, to - begin); });
      if ((instr.flow == Flow::Fall || instr.guard >= 0) &&
          at + 1 != successors.size())
        link(at, at + 1);
    }
  }

  /// A branch of each loop around `pc`, the outermost first: one that leaves
  /// it, where there is one. Within a loop, the next inner one is what cycles
  /// are left without the loop's entry.
  SmallVector<uint32_t> branchesAround(uint32_t pc) {
    SmallVector<uint32_t> branches;
    const uint32_t at = pc - begin;
    while (allowed[at]) {
      const BitVector loop = cycleThrough(at);
      if (loop.none())
        break;
      branches.push_back(begin + findBranch(loop));
      const uint32_t entry = findEntry(loop);
      allowed = loop;
      allowed.reset(entry);
    }
    return branches;
  }

private:
  using Links = std::vector<SmallVector<uint32_t, 2>>;

  void link(uint32_t from, uint32_t to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }

  /// What can be reached from `at` by a step or more, within what is allowed.
  BitVector reach(uint32_t at, const Links &links) const {
    BitVector reached(links.size());
    SmallVector<uint32_t> work{at};
    while (!work.empty())
      for (uint32_t next : links[work.pop_back_val()])
        if (allowed[next] && !reached[next]) {
          reached.set(next);
          work.push_back(next);
        }
    return reached;
  }

  BitVector cycleThrough(uint32_t at) const {
    BitVector cycle = reach(at, successors);
    cycle &= reach(at, predecessors);
    return cycle;
  }

  uint32_t findEntry(const BitVector &loop) const {
    for (uint32_t at : loop.set_bits())
      if (at == 0 || any_of(predecessors[at], [&](uint32_t from) {
            return !loop[from] && allowed[from];
          }))
        return at;
    return static_cast<uint32_t>(loop.find_first());
  }

  uint32_t findBranch(const BitVector &loop) const {
    auto found = static_cast<uint32_t>(loop.find_first());
    for (uint32_t at : loop.set_bits()) {
      if (any_of(successors[at], [&](uint32_t to) { return !loop[to]; }))
        return at;
      if (program.code[begin + at].flow != Flow::Fall)
        found = at;
    }
    return found;
  }

  const Program &program;
  uint32_t begin;
  Links successors, predecessors;
  /// The blocks of the enclosing loop but its entry.
  BitVector allowed;
};

} // namespace

std::string describeLoops(const Program &program, uint32_t pc) {
  const auto function =
      find_if(program.functions, [&](const Function &function) {
        return function.begin <= pc && pc < function.end;
      });
  if (function == program.functions.end())
    return "";
  std::string text;
  for (uint32_t branch :
       reverse(LoopFinder(program, *function).branchesAround(pc))) {
    const InstrInfo &info = program.infos[branch];
    const bool hasSource =
        info.loc.line != 0 && info.loc.file < program.files.size();
    text += text.empty() ? ", in the loop of " : ", which is in that of ";
    text += hasSource ? "line " + std::to_string(info.loc.line)
                      : "PTX line " + std::to_string(info.line);
  }
  return text.empty()
             ? text
             : text + " (a loop whose step is 0 never ends, nor one whose "
                      "condition always holds; a wait for memory takes "
                      "volatile loads or atomics)";
}

} // namespace tilewright::sim
