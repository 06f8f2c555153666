//===- Control.cpp - Branches, calls and exits ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Families/RuntimeFunctions.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

Step branchExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return warp.branch(instr, mask);
}

void decodeBranch(Decoder &d, Instr &i) {
  i.kind = InstrKind::Control;
  i.exec = &branchExec;
  i.flow = Flow::Branch;
  d.take("uni");
  d.expectOperands(1, 1);
  i.target = d.label(0);
}

Step branchTableExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return warp.branchTable(instr, mask);
}

void decodeBranchTable(Decoder &d, Instr &i) {
  i.kind = InstrKind::Control;
  i.exec = &branchTableExec;
  i.flow = Flow::Table;
  d.take("uni");
  d.expectOperands(2, 2);
  i.ops = {d.source(0, Type::U32)};
  i.target = d.branchTable(1);
}

Step exitExec(Warp &warp, const Instr &, uint32_t mask) {
  return warp.exitLanes(mask);
}

void decodeExit(Decoder &d, Instr &i) {
  i.kind = InstrKind::Control;
  i.exec = &exitExec;
  i.flow = Flow::Exit;
  d.expectOperands(0, 0);
}

Step returnExec(Warp &warp, const Instr &, uint32_t mask) {
  return warp.returnLanes(mask);
}

void decodeReturn(Decoder &d, Instr &i) {
  i.kind = InstrKind::Control;
  i.exec = &returnExec;
  i.flow = Flow::Exit;
  d.take("uni");
  d.expectOperands(0, 0);
}

Step callExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return warp.call(instr, mask);
}

/// call (results), function, (arguments); both lists are optional.
void decodeCall(Decoder &d, Instr &i) {
  i.kind = InstrKind::Control;
  i.exec = &callExec;
  d.take("uni");
  d.expectOperands(1, 4);
  if (d.failed())
    return;
  const bool hasResults = d.operand(0).kind == Operand::Kind::List;
  const size_t name = hasResults ? 1 : 0;
  const ArrayRef<Operand> results =
      hasResults ? ArrayRef<Operand>(d.operand(0).elements)
                 : ArrayRef<Operand>();
  if (d.operandCount() > name + 1 &&
      decodeRuntimeFunction(d, i, d.operand(name), results,
                            d.operand(name + 1).elements))
    return;
  i.target = d.callee(d.operand(name));
  if (d.failed())
    return;
  auto addSymbols = [&](const Operand &list) {
    for (const Operand &element : list.elements)
      i.ops.push_back(d.localVariable(element));
  };
  if (hasResults)
    addSymbols(d.operand(0));
  i.attr[0] = static_cast<uint8_t>(i.ops.size());
  if (d.operandCount() > name + 1 &&
      d.operand(name + 1).kind == Operand::Kind::List)
    addSymbols(d.operand(name + 1));
  const ParsedFunction &callee = d.parsedFunction(i.target);
  if (i.ops.size() - i.attr[0] != callee.params.size() ||
      i.attr[0] != callee.results.size())
    d.error("the call does not match the function's parameters");
}

Step trapExec(Warp &warp, const Instr &, uint32_t mask) {
  warp.report(FindingKind::Trap, static_cast<unsigned>(llvm::countr_zero(mask)),
              "the kernel stops itself");
  warp.launch.stop = true;
  return Step::Yield;
}

void decodeTrap(Decoder &d, Instr &i) {
  i.kind = InstrKind::Control;
  i.exec = &trapExec;
  d.expectOperands(0, 0);
}

/// Others run in the meantime, and the clocks go on.
Step sleepExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *nanoseconds = warp.source(instr.ops[0]);
  uint32_t longest = 0;
  forLanes(mask, [&](unsigned lane) {
    longest = std::max(longest, static_cast<uint32_t>(nanoseconds[lane]));
  });
  warp.sleep(longest);
  return Step::Yield;
}

void decodeSleep(Decoder &d, Instr &i) {
  i.kind = InstrKind::Other;
  i.exec = &sleepExec;
  i.seesOtherBlocks = true;
  d.expectOperands(1, 1);
  i.ops = {d.source(0, d.takeType())};
}

Step nothingExec(Warp &, const Instr &, uint32_t) { return Step::Next; }

/// Dependent launches and events do not change results.
void decodeHint(Decoder &d, Instr &i) {
  i.kind = InstrKind::Other;
  i.exec = &nothingExec;
  d.takeOneOf({"launch_dependents", "wait"});
}

} // namespace

void registerControl(OpcodeTable &table) {
  table.add("bra", decodeBranch);
  table.add("brx.idx", decodeBranchTable);
  table.add("exit", decodeExit);
  table.add("ret", decodeReturn);
  table.add("call", decodeCall);
  table.add("trap", decodeTrap);
  table.add("brkpt", decodeTrap);
  table.add("nanosleep", decodeSleep);
  table.add("griddepcontrol", decodeHint);
  table.add("pmevent", decodeHint);
}

} // namespace tilewright::sim
