//===- ProgressLineTest.cpp - How far a long simulation is ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ProgressLine.h"
#include "gtest/gtest.h"

using namespace tilewright;
using std::chrono::milliseconds;

namespace {

/// The clock is the test's own.
class ProgressLines : public testing::Test {
protected:
  std::string take() { return std::exchange(text, {}); }

  const ProgressLine::Time start;
  const ProgressLine::Time late = start + ProgressLine::delay;
  std::string text;
  llvm::raw_string_ostream os{text};
  ProgressLine line{os, /*isTerminal=*/true, start};
};

TEST_F(ProgressLines, ShortLaunchesShowNothing) {
  line.update(1, 3, start);
  line.update(2, 3, late - milliseconds(1));
  line.update(3, 3, late + milliseconds(1));
  EXPECT_EQ(take(), "");
}

TEST_F(ProgressLines, LongLaunchesShowOneLineThatGoes) {
  line.update(5, 9, late);
  EXPECT_EQ(take(),
            "\r\x1b[Ksimulating: 5 of 9 blocks finished (Ctrl-C ends it)");
  line.update(9, 9, late + milliseconds(1));
  EXPECT_EQ(take(), "\r\x1b[K");
}

TEST_F(ProgressLines, IsWrittenAnewAtIntervals) {
  line.update(1, 9, late);
  take();
  line.update(2, 9, late + ProgressLine::interval - milliseconds(1));
  EXPECT_EQ(take(), "");
  line.update(3, 9, late + ProgressLine::interval);
  EXPECT_EQ(take(),
            "\r\x1b[Ksimulating: 3 of 9 blocks finished (Ctrl-C ends it)");
}

TEST_F(ProgressLines, ClearsOnlyWhatIsThere) {
  line.clear();
  EXPECT_EQ(take(), "");
  line.update(1, 9, late);
  take();
  line.clear();
  line.clear();
  EXPECT_EQ(take(), "\r\x1b[K");
}

/// Files and pipes get one line, which stays.
TEST_F(ProgressLines, OneNoteWithoutATerminal) {
  ProgressLine file{os, /*isTerminal=*/false, start};
  const ProgressLine::Time noted = start + ProgressLine::noteDelay;
  file.update(0, 9, noted - milliseconds(1));
  EXPECT_EQ(take(), "");
  file.update(1, 9, noted);
  EXPECT_EQ(take(), "note: the kernel still runs in the simulator, 1 of 9 "
                    "blocks have finished\n");
  file.update(2, 9, noted + ProgressLine::noteDelay);
  file.update(9, 9, noted + 2 * ProgressLine::noteDelay);
  EXPECT_EQ(take(), "");
}

} // namespace
