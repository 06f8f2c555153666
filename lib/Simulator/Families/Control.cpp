//===- Control.cpp - Branches, calls and exits ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"

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

Step yieldExec(Warp &, const Instr &, uint32_t) { return Step::Yield; }

Step callExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return warp.call(instr, mask);
}

//===----------------------------------------------------------------------===//
// Functions of the CUDA run time
//===----------------------------------------------------------------------===//

/// A string in global memory, cut at some length.
std::string readString(Warp &warp, uint64_t address) {
  std::string text;
  const Allocation *allocation = warp.launch.memory.below(address);
  while (text.size() < 200 && allocation && !allocation->isFreed &&
         allocation->contains(address + text.size(), 1)) {
    const char c = static_cast<char>(
        allocation->data[address + text.size() - allocation->base]);
    if (c == 0)
      break;
    text += c;
  }
  return text;
}

/// The value of an argument, a variable of the caller's frame.
template <class T> T argument(const Warp &warp, int32_t symbol, unsigned lane) {
  T value = 0;
  const Variable &variable = warp.launch.program.variables[symbol];
  std::memcpy(&value,
              warp.local[lane].data() +
                  (warp.frame().localBase + variable.offset - firstOffset),
              std::min<size_t>(sizeof(T), variable.size));
  return value;
}

/// __assertfail(message, file, line, function, character size): ops are the
/// arguments.
Step assertExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto lane = static_cast<unsigned>(llvm::countr_zero(mask));
  const std::string message =
      readString(warp, argument<uint64_t>(warp, instr.ops[0], lane));
  const std::string file =
      readString(warp, argument<uint64_t>(warp, instr.ops[1], lane));
  warp.report(FindingKind::Trap, lane,
              "assertion `" + Twine(message) + "` failed in " + file + ":" +
                  Twine(argument<uint32_t>(warp, instr.ops[2], lane)));
  warp.launch.stop = true;
  return Step::Yield;
}

/// True if the call is to a function that the simulator stands in for.
bool decodeBuiltin(Decoder &d, Instr &i, const Operand &name,
                   ArrayRef<Operand> arguments) {
  if (name.kind != Operand::Kind::Name || d.isDefined(name.name))
    return false;
  if (name.name == "__assertfail" && arguments.size() == 5) {
    i.exec = &assertExec;
    for (const Operand &element : arguments.take_front(3))
      i.ops.push_back(d.localVariable(element));
    return true;
  }
  // Printed text has nowhere to go; the result stays what it was.
  if (name.name == "vprintf")
    i.exec = &yieldExec;
  return name.name == "vprintf";
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
  if (d.operandCount() > name + 1 &&
      decodeBuiltin(d, i, d.operand(name), d.operand(name + 1).elements))
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

/// Register budgets and dependent launches do not change results.
void decodeHint(Decoder &d, Instr &i) {
  i.kind = InstrKind::Other;
  i.exec = &nothingExec;
  d.takeOneOf({"inc", "dec", "launch_dependents", "wait"});
  d.takeOneOf({"sync"});
  d.take("aligned");
  d.takeOptionalType();
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
  table.add("setmaxnreg", decodeHint);
  table.add("griddepcontrol", decodeHint);
  table.add("pmevent", decodeHint);
}

} // namespace tilewright::sim
