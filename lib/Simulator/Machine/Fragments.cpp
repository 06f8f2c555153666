//===- Fragments.cpp - Divergence, reconvergence and calls ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {

/// Local memory that one thread may use for its calls.
static constexpr uint64_t maximumLocalBytes = 524288;

//===----------------------------------------------------------------------===//
// Branches and meetings
//===----------------------------------------------------------------------===//

/// Makes a fragment of `lanes` of the current one, to go on at `pc`.
void Warp::splitOff(uint32_t lanes, uint32_t pc) {
  Fragment part = fragments[current];
  part.mask = lanes;
  part.pc = pc;
  part.state = Fragment::State::Ready;
  fragments[current].mask &= ~lanes;
  fragments.push_back(std::move(part));
}

/// The lanes of the current fragment will meet at `pc`. A loop that sheds
/// lanes one by one needs only one meeting at its end.
void Warp::openMeeting(uint32_t pc) {
  Fragment &fragment = fragments[current];
  const Frame *frame = fragment.frame.get();
  if (!fragment.meetings.empty()) {
    const Meeting &innermost = meetings[fragment.meetings.back()];
    if (innermost.pc == pc && innermost.frame == frame)
      return;
  }
  uint32_t number = static_cast<uint32_t>(meetings.size());
  if (freeMeetings.empty())
    meetings.emplace_back();
  else
    number = freeMeetings.pop_back_val();
  meetings[number] = {pc, frame, fragment.mask, 0};
  fragment.meetings.push_back(number);
}

void Warp::arriveAtMeeting() {
  Fragment &fragment = fragments[current];
  const uint32_t number = fragment.meetings.pop_back_val();
  meetings[number].arrived |= fragment.mask;
  fragment.state = Fragment::State::AtMeeting;
  fragment.barrier = number;
  finishMeetings();
}

/// Merges the fragments of every meeting that all its lanes have reached.
void Warp::finishMeetings() {
  for (uint32_t number = 0; number != meetings.size(); ++number) {
    Meeting &meeting = meetings[number];
    if (!meeting.frame || meeting.arrived != meeting.participants)
      continue;
    Fragment *merged = nullptr;
    erase_if(fragments, [&](Fragment &fragment) {
      if (fragment.state != Fragment::State::AtMeeting ||
          fragment.barrier != number)
        return false;
      if (!merged) {
        merged = &fragment;
        return false;
      }
      merged->mask |= fragment.mask;
      return true;
    });
    if (merged) {
      for (Fragment &fragment : fragments)
        if (fragment.state == Fragment::State::AtMeeting &&
            fragment.barrier == number)
          fragment.state = Fragment::State::Ready;
    }
    meeting = Meeting();
    freeMeetings.push_back(number);
    impatience = 0;
  }
}

/// Lets the lanes at meetings go on without the others.
bool Warp::releaseIdleMeetings() {
  bool released = false;
  for (Fragment &fragment : fragments) {
    if (fragment.state != Fragment::State::AtMeeting)
      continue;
    Meeting &meeting = meetings[fragment.barrier];
    meeting.participants &= ~fragment.mask;
    meeting.arrived &= ~fragment.mask;
    fragment.state = Fragment::State::Ready;
    released = true;
  }
  if (released)
    finishMeetings();
  return released;
}

Step Warp::branch(const Instr &instr, uint32_t taken) {
  const uint32_t rest = fragments[current].mask & ~taken;
  if (rest != 0) {
    if (instr.reconverge != Instr::noPc)
      openMeeting(instr.reconverge);
    splitOff(rest, pc() + 1);
  }
  fragments[current].pc = instr.target;
  return Step::Control;
}

/// `brx.idx`: ops[0] is the index into the table `instr.target`.
Step Warp::branchTable(const Instr &instr, uint32_t mask) {
  const auto &targets = launch.program.branchTables[instr.target];
  const uint64_t *indices = source(instr.ops[0]);
  if (instr.reconverge != Instr::noPc)
    openMeeting(instr.reconverge);
  if (const uint32_t rest = fragments[current].mask & ~mask)
    splitOff(rest, pc() + 1);
  while (true) {
    const auto first = static_cast<unsigned>(llvm::countr_zero(mask));
    uint32_t index = static_cast<uint32_t>(indices[first]);
    if (index >= targets.size()) {
      report(FindingKind::InvalidOperand, first,
             "index " + Twine(index) + " is beyond the branch table of " +
                 Twine(targets.size()) + " labels");
      index = 0;
    }
    uint32_t same = 0;
    forLanes(mask, [&](unsigned lane) {
      const auto other = static_cast<uint32_t>(indices[lane]);
      if ((other < targets.size() ? other : 0) == index)
        same |= 1u << lane;
    });
    mask &= ~same;
    if (mask == 0) {
      fragments[current].pc = targets[index];
      return Step::Control;
    }
    splitOff(same, targets[index]);
  }
}

Step Warp::exitLanes(uint32_t mask) {
  alive &= ~mask;
  impatience = 0;
  Fragment &fragment = fragments[current];
  fragment.mask &= ~mask;
  ++fragment.pc;
  if (fragment.mask == 0) {
    fragments.erase(fragments.begin() + static_cast<ptrdiff_t>(current));
    current = fragments.size();
  }
  for (Meeting &meeting : meetings) {
    meeting.participants &= ~mask;
    meeting.arrived &= ~mask;
  }
  finishMeetings();
  // Lanes that wait for the exited ones need not wait any longer.
  for (Fragment &waiting : fragments)
    if (waiting.state == Fragment::State::AtSync &&
        (waiting.syncNeeded & mask) != 0)
      waiting.state = Fragment::State::Ready;
  block.lanesExited();
  current = fragments.size();
  return Step::Control;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Warp::copyLocal(uint64_t from, uint64_t to, uint64_t bytes,
                     uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    uint8_t *base = local[lane].data();
    std::memmove(base + (to - firstOffset), base + (from - firstOffset), bytes);
  });
}

/// ops: attr[0] result variables of the caller, then its arguments.
Step Warp::call(const Instr &instr, uint32_t mask) {
  const Function &callee = launch.program.functions[instr.target];
  openMeeting(pc() + 1);
  if (const uint32_t rest = fragments[current].mask & ~mask)
    splitOff(rest, pc() + 1);
  Fragment &fragment = fragments[current];
  const Frame &caller = *fragment.frame;
  const uint64_t base = alignTo(
      caller.localBase + launch.program.functions[caller.function].localBytes,
      16);
  if (base + callee.localBytes > maximumLocalBytes) {
    report(FindingKind::Trap, static_cast<unsigned>(llvm::countr_zero(mask)),
           "the calls use up the thread's local memory");
    launch.stop = true;
    return Step::Yield;
  }
  std::shared_ptr<Frame> frame = makeFrame(instr.target, base, mask);
  frame->returnPc = fragment.pc + 1;
  frame->callPc = fragment.pc;
  for (size_t i = 0; i != callee.params.size(); ++i) {
    const Variable &from =
        launch.program.variables[instr.ops[instr.attr[0] + i]];
    const Variable &to = launch.program.variables[callee.params[i]];
    copyLocal(caller.localBase + from.offset, base + to.offset,
              std::min(from.size, to.size), mask);
  }
  frame->caller = std::move(fragment.frame);
  fragment.frame = std::move(frame);
  fragment.pc = callee.begin;
  select(current);
  return Step::Control;
}

Step Warp::returnLanes(uint32_t mask) {
  if (frame().returnPc == Instr::noPc)
    return exitLanes(mask);
  if (const uint32_t rest = fragments[current].mask & ~mask)
    splitOff(rest, pc() + 1);
  Fragment &fragment = fragments[current];
  std::shared_ptr<Frame> callee = fragment.frame;
  while (!fragment.meetings.empty() &&
         meetings[fragment.meetings.back()].frame == callee.get())
    meetings[fragment.meetings.pop_back_val()].participants &= ~mask;
  const Instr &callInstr = code[callee->callPc];
  const Function &function = launch.program.functions[callee->function];
  for (size_t i = 0; i != function.results.size() && i != callInstr.attr[0];
       ++i) {
    const Variable &from = launch.program.variables[function.results[i]];
    const Variable &to = launch.program.variables[callInstr.ops[i]];
    copyLocal(callee->localBase + from.offset,
              callee->caller->localBase + to.offset,
              std::min(from.size, to.size), mask);
  }
  fragment.frame = callee->caller;
  fragment.pc = callee->returnPc;
  finishMeetings();
  current = fragments.size();
  return Step::Control;
}

//===----------------------------------------------------------------------===//
// Warp-wide meetings that the program asks for
//===----------------------------------------------------------------------===//

/// True if all lanes that a `.sync` instruction names are in `mask`. If not,
/// its lanes wait here; when the last ones come, all execute together.
bool Warp::isGathered(const Instr &instr, uint32_t mask) {
  uint32_t needed = 0;
  if (instr.syncMask == Instr::syncAll) {
    needed = alive;
  } else {
    const uint64_t *members = source(instr.syncMask);
    forLanes(mask, [&](unsigned lane) {
      needed |= static_cast<uint32_t>(members[lane]);
    });
    needed &= alive;
  }
  if ((needed & ~mask) == 0)
    return true;
  if (const uint32_t rest = fragments[current].mask & ~mask)
    splitOff(rest, pc() + 1);
  Fragment &fragment = fragments[current];
  fragment.state = Fragment::State::AtSync;
  fragment.syncLanes = mask;
  fragment.syncNeeded = needed;
  executeGathered(instr);
  return false;
}

/// Executes `instr` for all fragments that wait at it, if they are complete.
/// The parts of a warp may stand at different `bar.warp.sync`.
bool Warp::executeGathered(const Instr &instr) {
  const Fragment &self = fragments[current];
  const bool meetsAnywhere =
      instr.kind == InstrKind::Barrier && instr.syncMask != Instr::syncAll;
  SmallVector<size_t, 4> group;
  uint32_t joint = 0, needed = 0;
  for (size_t i = 0; i != fragments.size(); ++i) {
    const Fragment &other = fragments[i];
    const bool together =
        other.pc == self.pc
            ? other.frame == self.frame
            : meetsAnywhere && code[other.pc].exec == instr.exec;
    if (other.state != Fragment::State::AtSync || !together)
      continue;
    group.push_back(i);
    joint |= other.syncLanes;
    needed |= other.syncNeeded;
  }
  if ((needed & alive & ~joint) != 0)
    return false;
  ++serial;
  impatience = 0;
  if (instr.exec(*this, instr, joint) == Step::Control)
    return true;
  for (size_t i : group) {
    fragments[i].state = Fragment::State::Ready;
    ++fragments[i].pc;
  }
  return true;
}

/// Nothing in the warp can go on, and part of it waits at an instruction that
/// the whole warp must execute: that is a defect, and the part goes on alone.
bool Warp::canForceSync() const {
  // Lanes at a block-wide barrier may yet come.
  bool found = false;
  for (const Fragment &fragment : fragments) {
    if (fragment.state != Fragment::State::AtSync)
      return false;
    found |= code[fragment.pc].syncMask == Instr::syncAll;
  }
  return found;
}

bool Warp::forceSync() {
  if (!canForceSync())
    return false;
  for (size_t i = 0; i != fragments.size(); ++i) {
    Fragment &fragment = fragments[i];
    if (fragment.state != Fragment::State::AtSync ||
        code[fragment.pc].syncMask != Instr::syncAll)
      continue;
    select(i);
    const uint32_t mask = fragment.syncLanes;
    report(FindingKind::DivergentBarrier,
           static_cast<unsigned>(llvm::countr_zero(mask)),
           "only lanes " + Twine("0x") + utohexstr(mask) +
               " of the warp execute an instruction that all its threads must "
               "execute together");
    fragment.state = Fragment::State::Ready;
    const Instr &instr = code[fragment.pc];
    ++serial;
    if (instr.exec(*this, instr, mask) != Step::Control)
      ++fragments[i].pc;
    return true;
  }
  return false;
}

void Warp::waitAtBarrier(uint32_t mask, uint32_t id) {
  const uint32_t at = pc();
  if (const uint32_t rest = fragments[current].mask & ~mask)
    splitOff(rest, at + 1);
  const Frame *frame = fragments[current].frame.get();
  for (Fragment &fragment : fragments)
    if (fragment.pc == at && fragment.frame.get() == frame &&
        (fragment.mask & ~mask) == 0) {
      fragment.state = Fragment::State::AtBarrier;
      fragment.barrier = id;
    }
}

uint32_t Warp::lanesAtBarrier(uint32_t id) const {
  uint32_t lanes = 0;
  for (const Fragment &fragment : fragments)
    if (fragment.state == Fragment::State::AtBarrier && fragment.barrier == id)
      lanes |= fragment.mask;
  return lanes;
}

void Warp::releaseBarrier(uint32_t id) {
  const size_t before = current;
  for (size_t i = 0; i != fragments.size(); ++i) {
    if (fragments[i].state != Fragment::State::AtBarrier ||
        fragments[i].barrier != id)
      continue;
    const Instr &instr = code[fragments[i].pc];
    if (instr.resume) {
      select(i);
      instr.resume(*this, instr, fragments[i].mask);
    }
    fragments[i].state = Fragment::State::Ready;
    ++fragments[i].pc;
    impatience = 0;
  }
  if (before < fragments.size())
    select(before);
}

} // namespace tilewright::sim
