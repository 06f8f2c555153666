//===- ProgressLine.cpp - How far a long simulation is --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ProgressLine.h"

using namespace tilewright;

/// Back to the start of the line, and erase it (ECMA-48, CR and EL).
static constexpr llvm::StringLiteral eraseLine = "\r\x1b[K";

void ProgressLine::update(uint64_t finished, uint64_t total, Time now) {
  if (finished == total)
    return clear();
  if (now < next)
    return;
  if (!isTerminal) {
    os << "note: the kernel still runs in the simulator, " << finished << " of "
       << total << " blocks have finished\n";
    os.flush();
    next = Time::max();
    return;
  }
  os << eraseLine << "simulating: " << finished << " of " << total
     << " blocks finished (Ctrl-C ends it)";
  os.flush();
  isShown = true;
  next = now + interval;
}

void ProgressLine::clear() {
  if (!isShown)
    return;
  os << eraseLine;
  os.flush();
  isShown = false;
}
