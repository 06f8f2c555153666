//===- ChannelProtocol.cpp - Whether hand-overs agree ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ChannelProtocol.h"

#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Algebra/CountOf.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What is shown of how it came to an error.
static constexpr size_t kMostShown = 8;

namespace {
/// What was done to a channel: how many hand-overs, which are those from 0 on.
struct ChannelState {
  ChannelOp channel;
  int64_t acquired = 0, committed = 0, waited = 0, released = 0;
  /// What was released by a team that is ahead of the other one.
  std::set<int64_t> releasedAhead = {};
  /// That began or ended the last of them, by what they did.
  Operation *lastCommit = nullptr, *lastWait = nullptr;

  int64_t getStages() { return channel.getType().getNumStages(); }
};

/// A role on its way.
struct RoleState {
  const RoleTrace &trace;
  size_t next = 0;

  bool isOver() const { return next == trace.handOvers.size(); }
  HandOver get() const { return trace.handOvers[next]; }
};

/// Roles going on, each as far as it can.
class Run {
public:
  Run(const Way &way, ArrayRef<ChannelOp> channels) : way(way) {
    for (ChannelOp channel : channels)
      states.push_back({channel});
    for (const RoleTrace &role : way.roles)
      roles.push_back({role});
  }

  /// Teams are ordered by their turns alone. So the last one that can go on
  /// does, where `lastFirst`: what is not in order shows.
  LogicalResult run(bool lastFirst) {
    if (lastFirst)
      while (RoleState *role = findLastThatGoesOn())
        if (failed(carryOut(*role)))
          return failure();
    bool goesOn = true;
    while (goesOn) {
      goesOn = false;
      for (RoleState &role : roles)
        while (!role.isOver() && !isWaiting(role)) {
          if (failed(carryOut(role)))
            return failure();
          goesOn = true;
        }
    }
    for (RoleState &role : roles)
      if (!role.isOver())
        return reportHang(role);
    return checkEnd();
  }

private:
  ChannelState &getState(Operation *op) {
    Value channel = cast<HandOverOpInterface>(op).getChannel();
    return *llvm::find_if(states, [&](ChannelState &state) {
      return state.channel.getResult() == channel;
    });
  }

  RoleState *findLastThatGoesOn() {
    for (RoleState &role : llvm::reverse(roles))
      if (!role.isOver() && !isWaiting(role))
        return &role;
    return nullptr;
  }

  /// A part is entered when the other team has left it, of the program before.
  bool isWaiting(const RoleState &role) {
    HandOver handOver = role.get();
    if (auto enter = dyn_cast<TeamEnterOp>(handOver.op)) {
      int team = role.trace.team;
      return left[enter.getPart()][1 - team] < handOver.count + team;
    }
    if (handOver.isTurn())
      return false;
    ChannelState &state = getState(handOver.op);
    if (isa<AcquireOp>(handOver.op))
      return handOver.count == state.acquired &&
             state.released <= handOver.count - state.getStages();
    return isa<WaitOp>(handOver.op) && handOver.count == state.waited &&
           state.committed <= handOver.count;
  }

  LogicalResult carryOut(RoleState &role) {
    auto [op, count] = role.get();
    int team = role.trace.team;
    done.push_back({&role, role.next++});
    if (auto leave = dyn_cast<TeamLeaveOp>(op))
      ++left[leave.getPart()][team];
    if (!isa<HandOverOpInterface>(op))
      return success();
    ChannelState &state = getState(op);
    if (isa<AcquireOp>(op))
      return follow(op, count, state.acquired, "acquired");
    if (isa<CommitOp>(op)) {
      state.lastCommit = op;
      return follow(op, count, state.committed, "committed");
    }
    if (isa<WaitOp>(op)) {
      state.lastWait = op;
      return follow(op, count, state.waited, "waited for");
    }
    if (count < 0 && !way.hasTeams()) // There is none before the first.
      return success();
    if (count >= state.waited)
      return refuse(op) << "releases hand-over " << count
                        << ", which is not waited for";
    if (way.hasTeams() && count > state.released)
      return success(state.releasedAhead.insert(count).second);
    if (failed(follow(op, count, state.released, "released")))
      return failure();
    while (state.releasedAhead.erase(state.released))
      ++state.released;
    return success();
  }

  /// The next one of its kind.
  LogicalResult follow(Operation *op, int64_t count, int64_t &next,
                       StringRef what) {
    if (count == next) {
      ++next;
      return success();
    }
    InFlightDiagnostic error = refuse(op);
    error << "is of hand-over " << count << ", and hand-over ";
    if (count < next)
      error << count << " is " << what << " already";
    else
      error << next << " is the next one to be " << what;
    return error;
  }

  LogicalResult reportHang(RoleState &first) {
    InFlightDiagnostic error = refuse(first.get().op);
    error << "waits for ever: " << describeWait(first.get());
    for (RoleState &role : roles) {
      if (&role == &first)
        continue;
      if (role.isOver())
        error.attachNote(getLastPlace(role).value_or(first.get().op->getLoc()))
            << role.trace.name << " is over";
      else
        error.attachNote(role.get().op->getLoc())
            << role.trace.name << " stands here: " << describeWait(role.get());
    }
    return error;
  }

  static std::optional<Location> getLastPlace(const RoleState &role) {
    if (role.trace.handOvers.empty())
      return std::nullopt;
    HandOver last = role.trace.handOvers.back();
    return last.op->getLoc();
  }

  /// What a role that stands still waits for.
  std::string describeWait(HandOver handOver) {
    if (handOver.isTurn())
      return "its turn, which is not given up";
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "hand-over " << handOver.count << describeChannel(handOver.op);
    if (isa<AcquireOp>(handOver.op))
      os << " has the slot of hand-over "
         << handOver.count - getState(handOver.op).getStages()
         << ", which is not released";
    else
      os << " is not filled";
    return text;
  }

  LogicalResult checkEnd() {
    for (ChannelState &state : states) {
      if (state.waited < state.committed)
        return refuse(state.lastCommit)
               << "fills hand-over " << state.committed - 1
               << ", which nobody has waited for when the kernel ends";
      if (state.released < state.waited)
        return refuse(state.lastWait)
               << "gives hand-over " << state.waited - 1
               << ", which nobody has released when the kernel ends";
    }
    return success();
  }

  /// An error, with the way that leads there.
  InFlightDiagnostic refuse(Operation *op) {
    InFlightDiagnostic error = op->emitOpError();
    for (const ChosenTrips &trips : way.trips)
      error.attachNote(trips.loop->getLoc())
          << "where this loop runs " << countOf(trips.trips, "time");
    size_t from = done.size() - std::min(done.size(), kMostShown);
    if (done.empty())
      return error;
    Diagnostic &note = error.attachNote(op->getLoc());
    note << (from == 0 ? "so far: " : "at last: ");
    const RoleState *last = nullptr;
    for (size_t index = from; index < done.size(); ++index) {
      auto [role, number] = done[index];
      if (role != last)
        note << (last ? "; " : "") << role->trace.name << ":";
      else
        note << ",";
      last = role;
      HandOver handOver = role->trace.handOvers[number];
      note << " " << getWord(handOver.op) << " " << handOver.count
           << describeChannel(handOver.op);
    }
    return error;
  }

  /// "acquire", of "tile.acquire".
  static StringRef getWord(Operation *op) {
    return op->getName().stripDialect();
  }

  /// Which one of several.
  std::string describeChannel(Operation *op) {
    if (states.size() == 1 || !isa<HandOverOpInterface>(op))
      return "";
    return " of channel " + std::to_string(&getState(op) - states.begin());
  }

  const Way &way;
  SmallVector<ChannelState, 2> states;
  SmallVector<RoleState, 2> roles;
  /// How often each team left each part of its programs.
  int64_t left[kPartsOfProgram][kMostTeams] = {};
  /// All that was done, in order: by which role, and which one of its own.
  SmallVector<std::pair<const RoleState *, size_t>> done;
};
} // namespace

LogicalResult tilewright::tile::checkProtocol(const Way &way,
                                              ArrayRef<ChannelOp> channels) {
  if (way.hasTeams() && failed(Run(way, channels).run(/*lastFirst=*/true)))
    return failure();
  return Run(way, channels).run(/*lastFirst=*/false);
}

LogicalResult tilewright::tile::checkSlotBytes(ChannelOp channel) {
  for (Operation *user : channel->getUsers()) {
    auto acquire = dyn_cast<AcquireOp>(user);
    if (!acquire)
      continue;
    for (Value tile : acquire.getTiles()) {
      int64_t copies = llvm::count_if(tile.getUsers(), [&](Operation *copy) {
        return endsWith(copy, AccessEnd::WithHandOver) &&
               copy->getBlock() == acquire->getBlock();
      });
      bool isOther =
          copies != std::distance(tile.user_begin(), tile.user_end());
      if (copies == 1 && !isOther)
        continue;
      auto type = cast<SharedType>(tile.getType());
      int64_t bytes = getByteSize(type);
      InFlightDiagnostic error = acquire.emitOpError("announces ");
      error << countOf(bytes, "byte") << " for " << type << ", and ";
      if (isOther)
        return error << "it is filled by something else than one bulk copy in "
                        "its block";
      return error << (copies == 0 ? "no bulk copy brings them: who waits for "
                                     "the slot waits for ever"
                                   : "several bulk copies bring them, each all "
                                     "of them: who waits for the slot goes on "
                                     "before they are over");
    }
  }
  return success();
}
