//===- Warp.cpp - The run loop of a warp ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Warp.h"
#include "Machine/Block.h"
#include "Program/Loops.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright::sim {

/// Instructions that one of several fragments executes before another gets
/// its turn, so that a spinning fragment does not starve the one it waits for.
static constexpr uint64_t fragmentTurn = 1024;
/// Patience that turns without a merge use up, before lanes that wait at
/// meetings are let go: a full turn and one that a spin loop gave up.
static constexpr unsigned patience = 1024;
static constexpr unsigned fullTurnCost = 16;
/// What registers hold before anything is written to them.
static constexpr uint64_t poison = 0xDEAD'BEEF'DEAD'BEEF;
static constexpr size_t noFragment = ~size_t(0);

Warp::Warp(Block &block, unsigned index)
    : block(block), index(index), launch(block.launch),
      code(launch.program.code.data()) {
  file.constants = launch.constants.data();
  const uint64_t threads = launch.blockDim.count();
  const uint64_t lanes =
      std::min<uint64_t>(threads - uint64_t(index) * warpSize, 32);
  alive = static_cast<uint32_t>(maskTrailingOnes<uint64_t>(lanes));
  const uint64_t warps = divideCeil(threads, warpSize);
  clocks.known.assign(warps + divideCeil(warps, warpgroupWarps), 0);
  clocks.known[index] = 1;
  Fragment fragment;
  fragment.mask = alive;
  fragment.pc = launch.entry.begin;
  fragment.frame = makeFrame(
      static_cast<uint32_t>(&launch.entry - launch.program.functions.data()),
      firstOffset, alive);
  fragments.push_back(std::move(fragment));
}

Dim3 Warp::thread(unsigned lane) const {
  return launch.blockDim.point(uint64_t(index) * warpSize + lane);
}

uint64_t Warp::special(SpecialRegister reg, unsigned lane) const {
  using R = SpecialRegister;
  const Dim3 tid = thread(lane);
  const uint32_t bit = 1u << lane;
  switch (reg) {
  case R::TidX:
    return tid.x;
  case R::TidY:
    return tid.y;
  case R::TidZ:
    return tid.z;
  case R::NtidX:
    return launch.blockDim.x;
  case R::NtidY:
    return launch.blockDim.y;
  case R::NtidZ:
    return launch.blockDim.z;
  // Without clusters every block is a cluster of its own.
  case R::CtaidX:
    return block.position.x;
  case R::CtaidY:
    return block.position.y;
  case R::CtaidZ:
    return block.position.z;
  case R::NctaidX:
    return launch.grid.x;
  case R::NctaidY:
    return launch.grid.y;
  case R::NctaidZ:
    return launch.grid.z;
  case R::ClusteridX:
    return block.position.x / launch.cluster.x;
  case R::ClusteridY:
    return block.position.y / launch.cluster.y;
  case R::ClusteridZ:
    return block.position.z / launch.cluster.z;
  case R::NclusteridX:
    return launch.grid.x / launch.cluster.x;
  case R::NclusteridY:
    return launch.grid.y / launch.cluster.y;
  case R::NclusteridZ:
    return launch.grid.z / launch.cluster.z;
  case R::ClusterCtaidX:
    return block.position.x % launch.cluster.x;
  case R::ClusterCtaidY:
    return block.position.y % launch.cluster.y;
  case R::ClusterCtaidZ:
    return block.position.z % launch.cluster.z;
  case R::ClusterNctaidX:
    return launch.cluster.x;
  case R::ClusterNctaidY:
    return launch.cluster.y;
  case R::ClusterNctaidZ:
    return launch.cluster.z;
  case R::ClusterCtarank:
    return block.rank();
  case R::ClusterNctarank:
    return launch.clusterBlocks();
  case R::IsExplicitCluster:
    return launch.hasCluster;
  case R::LaneId:
    return lane;
  case R::WarpId:
    return index;
  case R::NwarpId:
    return block.warps.size();
  case R::SmId:
    return block.index % launch.memory.limits.multiprocessors;
  case R::NsmId:
    return launch.memory.limits.multiprocessors;
  case R::LanemaskEq:
    return bit;
  case R::LanemaskLt:
    return bit - 1;
  case R::LanemaskLe:
    return bit | (bit - 1);
  case R::LanemaskGe:
    return ~(bit - 1);
  case R::LanemaskGt:
    return ~(bit | (bit - 1));
  case R::DynamicSmemSize:
    return launch.dynamicSharedBytes;
  case R::TotalSmemSize:
    return launch.sharedEnd - firstOffset;
  default:
    return 0;
  }
}

std::shared_ptr<Frame> Warp::makeFrame(uint32_t function, uint64_t localBase,
                                       uint32_t lanes) {
  const Function &callee = launch.program.functions[function];
  auto frame = std::make_shared<Frame>();
  frame->function = function;
  frame->localBase = localBase;
  frame->registers.assign(size_t(callee.registerCount) * warpSize, poison);
  frame->predicates.assign(callee.predicateCount, 0);
  for (const PresetRegister &preset : callee.presets) {
    uint64_t *slot = frame->registers.data() + size_t(preset.slot) * warpSize;
    for (unsigned lane = 0; lane != warpSize; ++lane)
      slot[lane] = (preset.special == SpecialRegister::LocalFrame
                        ? localBase
                        : special(preset.special, lane)) +
                   static_cast<uint64_t>(preset.addend);
  }
  const uint64_t localEnd = localBase - firstOffset + callee.localBytes;
  forLanes(lanes, [&](unsigned lane) {
    if (local[lane].size() < localEnd)
      local[lane].resize(localEnd);
  });
  return frame;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool Warp::isReady() const {
  if (pickFragment() != noFragment || canForceSync())
    return true;
  return any_of(fragments, [](const Fragment &fragment) {
    return fragment.state == Fragment::State::AtMeeting;
  });
}

/// The ready fragment that is furthest behind, which tends to let the others
/// be caught up with; after a turn without an end, the next one in line.
size_t Warp::pickFragment() const {
  size_t best = noFragment;
  for (size_t i = 0; i != fragments.size(); ++i) {
    const size_t at = turnExhausted ? (current + 1 + i) % fragments.size() : i;
    if (fragments[at].state != Fragment::State::Ready)
      continue;
    if (turnExhausted)
      return at;
    if (best == noFragment || fragments[at].pc < fragments[best].pc)
      best = at;
  }
  return best;
}

void Warp::select(size_t fragment) {
  current = fragment;
  Frame &frame = *fragments[fragment].frame;
  file.registers = frame.registers.data();
  predicates = frame.predicates.data();
}

void Warp::run(uint64_t &budget) {
  yielded = false;
  while (budget != 0 && !isDone() && !launch.isEnding() && !yielded) {
    if (impatience > patience) {
      releaseIdleMeetings();
      impatience = 0;
    }
    const size_t next = pickFragment();
    turnExhausted = false;
    if (next == noFragment) {
      if (releaseIdleMeetings() || forceSync())
        continue;
      return;
    }
    select(next);
    runFragment(budget);
  }
}

/// Products take long: the end of a launch cannot wait for that of a turn.
static constexpr uint64_t interruptInterval = 256;

/// Runs the current fragment until it waits, ends, merges or uses up its turn.
void Warp::runFragment(uint64_t &budget) {
  uint64_t turn =
      fragments.size() > 1 ? std::min(fragmentTurn, budget) : budget;
  const uint64_t before = turn;
  auto isInterrupted = [&](uint64_t left) {
    return left % interruptInterval == 0 && launch.isEnding();
  };
  while (true) {
    Fragment &fragment = fragments[current];
    const uint32_t active = fragment.mask;
    uint32_t meetingPc = Instr::noPc;
    if (!fragment.meetings.empty()) {
      const Meeting &meeting = meetings[fragment.meetings.back()];
      if (meeting.frame == fragment.frame.get())
        meetingPc = meeting.pc;
    }
    Step step = Step::Next;
    while (step == Step::Next) {
      const uint32_t pc = fragment.pc;
      if (pc == meetingPc || turn == 0 || isInterrupted(turn))
        break;
      --turn;
      const Instr &instr = code[pc];
      uint32_t mask = active;
      if (instr.guard >= 0) {
        const uint32_t bits = predicates[instr.guard];
        mask &= instr.guardNegated ? ~bits : bits;
      }
      InstrCount &count = block.counts[pc];
      ++count.issued;
      count.threads += static_cast<unsigned>(llvm::popcount(mask));
      if (mask != 0) {
        if (instr.registerUses != 0)
          noteRegisters(instr, mask);
        if (instr.syncMask != Instr::noSync && !isGathered(instr, mask)) {
          step = Step::Control;
          break;
        }
        ++serial;
        step = instr.exec(*this, instr, mask);
        if (step == Step::Control)
          break;
      }
      ++fragment.pc;
    }
    const bool meets = step == Step::Next && fragment.pc == meetingPc;
    if (meets)
      arriveAtMeeting();
    yielded = step == Step::Yield;
    if (yielded)
      block.notePoll();
    const bool goesOn = !meets && !yielded && turn != 0 && !launch.isEnding() &&
                        current < fragments.size() &&
                        fragments[current].state == Fragment::State::Ready;
    if (goesOn)
      continue;
    turnExhausted = turn == 0 || yielded;
    if (fragments.size() > 1)
      impatience += turn == 0 ? fullTurnCost : yielded;
    budget -= before - turn;
    return;
  }
}

void Warp::noteRegisters(const Instr &instr, uint32_t mask) {
  productRegisters.access(*this, fragments[current].frame->productRegisters,
                          launch.program.registerUses[instr.registerUses],
                          static_cast<unsigned>(llvm::countr_zero(mask)));
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void Warp::report(FindingKind kind, unsigned lane, const Twine &message,
                  uint64_t address, uint32_t otherPc) {
  launch.findings.add(kind, current < fragments.size() ? pc() : Instr::noPc,
                      otherPc, block.position, thread(lane), address,
                      message.str());
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

uint64_t Warp::ticks() const { return block.instructions + serial + slept; }

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
  const Allocation *allocation = launch.memory.below(poll.address);
  if (allocation && allocation->contains(poll.address, 1))
    os << " (byte " << poll.address - allocation->begin() << " of "
       << allocation->describe() << ")";
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
