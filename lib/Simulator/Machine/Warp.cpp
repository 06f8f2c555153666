//===- Warp.cpp - The run loop of a warp ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Warp.h"
#include "Machine/Block.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

/// Registers with a part for each axis, such as %tid.x, %tid.y and %tid.z, by
/// the first of the three: their parts, for a thread of a block.
static std::optional<Dim3> findParts(SpecialRegister first, Dim3 thread,
                                     Dim3 position,
                                     const LaunchContext &launch) {
  using R = SpecialRegister;
  // Without clusters every block is a cluster of its own.
  const Dim3 &cluster = launch.cluster, &grid = launch.grid;
  switch (first) {
  case R::TidX:
    return thread;
  case R::NtidX:
    return launch.blockDim;
  case R::CtaidX:
    return position;
  case R::NctaidX:
    return grid;
  case R::ClusteridX:
    return Dim3{position.x / cluster.x, position.y / cluster.y,
                position.z / cluster.z};
  case R::NclusteridX:
    return Dim3{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  case R::ClusterCtaidX:
    return Dim3{position.x % cluster.x, position.y % cluster.y,
                position.z % cluster.z};
  case R::ClusterNctaidX:
    return cluster;
  default:
    return std::nullopt;
  }
}

uint64_t Warp::special(SpecialRegister reg, unsigned lane) const {
  using R = SpecialRegister;
  const Dim3 tid = thread(lane);
  for (unsigned axis = 0; axis != 3; ++axis) {
    const auto first = static_cast<R>(static_cast<unsigned>(reg) - axis);
    if (std::optional<Dim3> parts =
            findParts(first, tid, block.position, launch))
      return std::array{parts->x, parts->y, parts->z}[axis];
  }
  const uint32_t bit = 1u << lane;
  switch (reg) {
  case R::ClusterCtarank:
    return block.rank();
  case R::SharedWindow:
    return block.rank() * window::blockSize;
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
    const uint64_t addend =
        static_cast<uint64_t>(preset.addend) +
        (preset.symbol < 0 ? 0 : launch.sharedOffsets[preset.symbol]);
    for (unsigned lane = 0; lane != warpSize; ++lane)
      slot[lane] = (preset.special == SpecialRegister::LocalFrame
                        ? localBase
                        : special(preset.special, lane)) +
                   addend;
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

/// Where the current fragment waits for others, if it has come to a place where
/// it does.
uint32_t Warp::getMeetingPc() const {
  const Fragment &fragment = fragments[current];
  if (fragment.meetings.empty())
    return Instr::noPc;
  const Meeting &meeting = meetings[fragment.meetings.back()];
  return meeting.frame == fragment.frame.get() ? meeting.pc : Instr::noPc;
}

/// Runs instructions of the current fragment, one after the other, up to
/// `endPc`, the end of its turn, or one that decides what comes next.
Step Warp::runInstructions(uint32_t endPc, uint64_t &turn) {
  Fragment &fragment = fragments[current];
  const uint32_t active = fragment.mask;
  uint64_t left = turn;
  Step step = Step::Next;
  while (step == Step::Next) {
    const uint32_t pc = fragment.pc;
    if (pc == endPc || left == 0 ||
        (left % interruptInterval == 0 && launch.isEnding()))
      break;
    --left;
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
  turn = left;
  return step;
}

/// Runs the current fragment until it waits, ends, merges or uses up its turn.
void Warp::runFragment(uint64_t &budget) {
  uint64_t turn =
      fragments.size() > 1 ? std::min(fragmentTurn, budget) : budget;
  const uint64_t before = turn;
  while (true) {
    const uint32_t meetingPc = getMeetingPc();
    const Step step = runInstructions(meetingPc, turn);
    const bool meets = step == Step::Next && fragments[current].pc == meetingPc;
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

uint64_t Warp::ticks() const { return block.instructions + serial + slept; }

} // namespace tilewright::sim
