//===- RuntimeFunctions.cpp - Functions that CUDA has on devices ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/RuntimeFunctions.h"

#include "Machine/Block.h"
#include "Machine/PrintFormat.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// Bytes of a text that are shown.
constexpr size_t maximumText = 200, maximumFormat = 4096;

/// A string in global memory, cut at some length.
std::string readString(Warp &warp, uint64_t address, size_t maximum) {
  std::string text;
  const Allocation *allocation = warp.launch.memory.below(address);
  while (text.size() < maximum && allocation && !allocation->isFreed &&
         allocation->contains(address + text.size(), 1)) {
    const char c = static_cast<char>(
        allocation->data[address + text.size() - allocation->base]);
    if (c == 0)
      break;
    text += c;
  }
  return text;
}

/// A variable of the caller's frame.
uint8_t *findVariable(Warp &warp, int32_t symbol, unsigned lane) {
  const Variable &variable = warp.launch.program.variables[symbol];
  return warp.local[lane].data() +
         (warp.frame().localBase + variable.offset - firstOffset);
}

/// The value of an argument.
template <class T> T argument(Warp &warp, int32_t symbol, unsigned lane) {
  T value = 0;
  std::memcpy(
      &value, findVariable(warp, symbol, lane),
      std::min<size_t>(sizeof(T), warp.launch.program.variables[symbol].size));
  return value;
}

/// __assertfail(message, file, line, function, character size): ops are the
/// arguments.
Step assertExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto lane = static_cast<unsigned>(llvm::countr_zero(mask));
  auto text = [&](unsigned number) {
    return readString(warp, argument<uint64_t>(warp, instr.ops[number], lane),
                      maximumText);
  };
  const std::string message = text(0), file = text(1);
  warp.report(FindingKind::Trap, lane,
              "assertion `" + Twine(message) + "` failed in " + file + ":" +
                  Twine(argument<uint32_t>(warp, instr.ops[2], lane)));
  warp.launch.stop = true;
  return Step::Yield;
}

/// The next value behind `address`, in the lane's local memory or in global
/// memory, as C aligns variable arguments; 0 where there is none.
uint64_t takeValue(Warp &warp, uint64_t &address, unsigned bytes,
                   unsigned lane) {
  address = alignTo(address, bytes);
  uint64_t value = 0;
  const uint64_t from = address;
  address += bytes;
  if (from >= window::local && from - window::local < window::size) {
    const std::vector<uint8_t> &local = warp.local[lane];
    const uint64_t offset = from - window::local - firstOffset;
    if (offset + bytes <= local.size())
      std::memcpy(&value, local.data() + offset, bytes);
    return value;
  }
  const Allocation *allocation = warp.launch.memory.below(from);
  if (allocation && !allocation->isFreed && allocation->contains(from, bytes))
    std::memcpy(&value, allocation->data.get() + (from - allocation->base),
                bytes);
  return value;
}

/// vprintf(format, values), which gives how many values there are: ops are the
/// arguments, and then the result if it is wanted.
Step printExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    const std::string format = readString(
        warp, argument<uint64_t>(warp, instr.ops[0], lane), maximumFormat);
    uint64_t values = argument<uint64_t>(warp, instr.ops[1], lane);
    int32_t count = 0;
    warp.launch.printed.add(
        warp.block.index, formatText(
                              format,
                              [&](unsigned bytes) {
                                ++count;
                                return takeValue(warp, values, bytes, lane);
                              },
                              [&](uint64_t address) {
                                return readString(warp, address, maximumFormat);
                              }));
    if (instr.ops.size() == 3)
      std::memcpy(findVariable(warp, instr.ops[2], lane), &count,
                  sizeof(count));
  });
  return Step::Next;
}

} // namespace

bool decodeRuntimeFunction(Decoder &d, Instr &i, const Operand &name,
                           ArrayRef<Operand> results,
                           ArrayRef<Operand> arguments) {
  if (name.kind != Operand::Kind::Name || d.isDefined(name.name))
    return false;
  auto addOps = [&](ArrayRef<Operand> variables) {
    for (const Operand &element : variables)
      i.ops.push_back(d.localVariable(element));
  };
  if (name.name == "__assertfail" && arguments.size() == 5) {
    i.exec = &assertExec;
    addOps(arguments.take_front(3));
    return true;
  }
  if (name.name == "vprintf" && arguments.size() == 2 && results.size() <= 1) {
    i.exec = &printExec;
    addOps(arguments);
    addOps(results);
    return true;
  }
  return false;
}

} // namespace tilewright::sim
