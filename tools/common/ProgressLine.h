//===- ProgressLine.h - How far a long simulation is ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_COMMON_PROGRESSLINE_H
#define TILEWRIGHT_TOOLS_COMMON_PROGRESSLINE_H

#include "llvm/Support/raw_ostream.h"
#include <chrono>

namespace tilewright {

/// One line of a terminal that says how many blocks of a launch have finished.
/// It appears when people have waited some seconds, is written anew a few times
/// a second, and is gone when the launch ends. Where there is no terminal, a
/// single note says that the kernel still runs.
class ProgressLine {
public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds delay{2};
  static constexpr std::chrono::milliseconds interval{200};
  static constexpr std::chrono::seconds noteDelay{10};

  /// People start to wait `now`.
  ProgressLine(llvm::raw_ostream &os, bool isTerminal, Time now)
      : os(os), isTerminal(isTerminal),
        next(now + (isTerminal ? delay : noteDelay)) {}

  /// `finished` of `total` blocks are done.
  void update(uint64_t finished, uint64_t total, Time now);
  /// Removes the line, where there is one.
  void clear();

private:
  llvm::raw_ostream &os;
  bool isTerminal;
  /// When the line is written, or written anew.
  Time next;
  bool isShown = false;
};

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_COMMON_PROGRESSLINE_H
