//===- WarpReports.cpp - What a warp tells of itself ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings, where it stands when a launch ends or hangs, and what it waits for.
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Warp.h"
#include "Program/Loops.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright::sim {

void Warp::report(FindingKind kind, unsigned lane, const Twine &message,
                  uint64_t address, uint32_t otherPc, bool isGlobalRace) {
  launch.findings.add(kind, current < fragments.size() ? pc() : Instr::noPc,
                      otherPc, block.position, thread(lane), address,
                      message.str(), isGlobalRace);
}

void Warp::reportEnd(FindingKind kind, const Twine &why) {
  const uint32_t pc = fragments.empty() ? Instr::noPc : fragments[0].pc;
  std::string text = (why + describeLoops(launch.program, pc)).str();
  raw_string_ostream os(text);
  if (const Warp &polling = block.pollingWarp();
      block.hasPolledOthers && !block.hasChanged) {
    os << "; warp " << polling.index;
    polling.describePoll(os);
  }
  launch.findings.add(kind, pc, Instr::noPc, block.position, thread(0), 0,
                      std::move(text));
}

void Warp::reportLimit() {
  reportEnd(FindingKind::InstructionLimit,
            "the block has executed " +
                Twine(launch.options.maximumInstructionsPerBlock) +
                " warp instructions, the most that " +
                launch.options.limitOption + " allows, and has not finished");
}

void Warp::reportInterrupt() {
  reportEnd(FindingKind::Interrupted, "stood here, after " +
                                          Twine(block.instructions) +
                                          " warp instructions of the block");
}

void Warp::reportIdleLimit() const {
  std::string text;
  raw_string_ostream os(text);
  os << "the blocks that are left wait for memory to change, and in "
     << launch.options.maximumInstructionsPerBlock
     << " warp instructions, the most that " << launch.options.limitOption
     << " allows, none has changed any; this one";
  describePoll(os);
  launch.findings.add(FindingKind::InstructionLimit, poll.pc, Instr::noPc,
                      block.position, thread(poll.lane), 0, std::move(text));
}

void Warp::notePoll(unsigned lane, Space space, uint64_t address,
                    uint64_t value) {
  poll = {pc(), lane, space, address, value};
  block.hasPolledOthers |= space == Space::Global;
}

uint64_t Warp::getPlaceHash() const {
  hash_code hash = hash_combine(alive, turnExhausted, current);
  bool meets = false;
  for (const Fragment &fragment : fragments) {
    hash = hash_combine(hash, fragment.state, fragment.pc, fragment.mask,
                        fragment.barrier, fragment.syncLanes);
    meets |= fragment.state == Fragment::State::AtMeeting;
  }
  // Patience ends such waits, and no others.
  return static_cast<size_t>(meets ? hash_combine(hash, impatience) : hash);
}

template <class T> static uint64_t hashOf(const std::vector<T> &values) {
  return xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(values.data()),
                              values.size() * sizeof(T)));
}

uint64_t Warp::getStateHash() const {
  hash_code hash(0);
  for (const Fragment &fragment : fragments)
    for (const Frame *frame = fragment.frame.get(); frame;
         frame = frame->caller.get())
      hash = hash_combine(hash, frame->returnPc, hashOf(frame->registers),
                          hashOf(frame->predicates));
  for (const std::vector<uint8_t> &bytes : local)
    if (!bytes.empty())
      hash = hash_combine(hash, hashOf(bytes));
  return static_cast<size_t>(hash);
}

uint32_t Warp::waitingPc() const {
  for (const Fragment &fragment : fragments)
    if (fragment.state != Fragment::State::Ready)
      return fragment.pc;
  return Instr::noPc;
}

void Warp::describePoll(raw_ostream &os) const {
  if (poll.pc == Instr::noPc) {
    os << " stands at " << launch.program.placeOf(anyPc());
    return;
  }
  os << " waits at " << launch.program.placeOf(poll.pc) << " for ";
  if (poll.space == Space::Shared) {
    const bool isBarrier = code[poll.pc].kind == InstrKind::Barrier;
    os << (isBarrier ? "the mbarrier at shared offset " : "shared offset ")
       << static_cast<int64_t>(poll.address - firstOffset);
    if (isBarrier)
      block.describeWord(os, poll.address - firstOffset);
    else
      os << ", where it read 0x" << utohexstr(poll.value, true);
    return;
  }
  os << "address 0x" << utohexstr(poll.address, true);
  if (const std::string byte = launch.memory.describeByte(poll.address);
      !byte.empty())
    os << " (" << byte << ")";
  os << ", where it read 0x" << utohexstr(poll.value, true);
  describeLastWrite(os, poll.address);
}

/// Of a plain store, only the shadow knows.
static std::optional<std::pair<uint32_t, uint32_t>>
findPlainWriter(const LaunchContext &launch, uint64_t address) {
  Allocation *allocation = launch.memory.below(address);
  if (!launch.options.checkRaces || !allocation || !allocation->pages ||
      !allocation->contains(address, 1))
    return std::nullopt;
  const uint64_t offset = address - allocation->base;
  Allocation::LockedPage &page = allocation->pages[offset / ShadowPage::bytes];
  std::lock_guard<std::mutex> lock(page.mutex);
  const Mark *last = page.shadow.findWrite(
      offset % ShadowPage::bytes, 1,
      [](const Mark &mark) { return mark.strong == Scope::None; });
  if (!last)
    return std::nullopt;
  return std::make_pair(last->block, last->pc);
}

/// ", which block 1,0,0 wrote last, at ..."; for whoever waits for a change.
void Warp::describeLastWrite(raw_ostream &os, uint64_t address) const {
  auto writer = launch.waiting.writerOf(address);
  if (!writer)
    writer = findPlainWriter(launch, address);
  if (!writer) {
    os << ", and no block has written it";
    return;
  }
  os << ", which block " << launch.grid.point(writer->first)
     << " wrote last, at " << launch.program.placeOf(writer->second);
}

void Warp::describeWaits(raw_ostream &os) const {
  for (const Fragment &fragment : fragments) {
    const InstrInfo &info = launch.program.infos[fragment.pc];
    os << "; warp " << index;
    if (fragment.mask != fullMask)
      os << " lanes " << format_hex(fragment.mask, 10);
    if (fragment.state == Fragment::State::AtBarrier) {
      block.describeBarrier(os, fragment.barrier);
    } else if (fragment.state == Fragment::State::AtSync) {
      os << " waits for lanes "
         << format_hex(fragment.syncNeeded & ~fragment.syncLanes, 10);
    }
    if (fragment.state == Fragment::State::Ready && poll.pc != Instr::noPc) {
      describePoll(os);
      continue;
    }
    os << " at line " << info.line;
  }
}

} // namespace tilewright::sim
