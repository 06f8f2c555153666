//===- CrashGuardTest.cpp - Fatal errors and crashes come back ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

using namespace llvm;
using namespace tilewright;

TEST(CrashGuard, NothingComesBackFromWorkThatReturns) {
  bool ran = false;
  EXPECT_EQ(runGuarded([&] { ran = true; }), std::nullopt);
  EXPECT_TRUE(ran);
}

TEST(CrashGuard, FatalErrorComesBackWithItsMessage) {
  EXPECT_EQ(runGuarded([] { reportFatalUsageError("bad input"); }),
            "bad input");
  EXPECT_EQ(runGuarded([] { reportFatalInternalError("a bug"); }), "a bug");
}

TEST(CrashGuard, CrashComesBack) {
  EXPECT_EQ(runGuarded([] { (void)raise(SIGSEGV); }),
            "the code generator crashed");
  EXPECT_EQ(runGuarded([] { abort(); }), "the code generator crashed");
}

TEST(CrashGuard, HandlersAreRestored) {
  struct sigaction before = {};
  struct sigaction after = {};
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &before), 0);
  runGuarded([] { (void)raise(SIGSEGV); });
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &after), 0);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(CrashGuard, ThreadsFailEachForItself) {
  std::array<std::optional<std::string>, 8> results;
  std::array<std::thread, 8> threads;
  for (size_t i = 0; i < threads.size(); ++i)
    threads[i] = std::thread([&result = results[i], i] {
      for (int round = 0; round < 50; ++round)
        result = runGuarded([i] {
          if (i % 2)
            reportFatalUsageError(Twine("thread ") + Twine(i));
        });
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < threads.size(); ++i)
    EXPECT_EQ(results[i],
              i % 2 ? std::optional<std::string>("thread " + std::to_string(i))
                    : std::nullopt);
}
