//===- ForkGuard.cpp - What a fork of this process waits for --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkGuard.h"

#include "llvm/Support/Compiler.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>

namespace nb = nanobind;
using namespace tilewright::python;

namespace {
struct Guard {
  /// Threads at work.
  std::atomic<unsigned> working = 0;
  std::atomic<bool> forks = false;
  std::mutex mutex;
  /// One of both has changed.
  std::condition_variable changed;

  void begin();
  void end();
  void awaitEndOfFork();
};
} // namespace

// Never destroyed: threads may be at work when Python ends. Where there is no
// memory for it, there is none for the module.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization)
static Guard &guard = *new Guard();
/// Scopes of this thread in each other.
static thread_local unsigned depth = 0;

void Guard::awaitEndOfFork() {
  ReleasedLock released;
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return !forks; });
}

void Guard::begin() {
  ++working;
  while (LLVM_UNLIKELY(forks)) {
    end();
    awaitEndOfFork();
    ++working;
  }
}

void Guard::end() {
  // Who forks says so before it looks how many work.
  if (--working != 0 || LLVM_LIKELY(!forks))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  changed.notify_all();
}

UnforkedScope::UnforkedScope() {
  if (depth++ == 0)
    guard.begin();
}

UnforkedScope::~UnforkedScope() {
  if (--depth == 0)
    guard.end();
}

static void beforeFork() {
  if (depth != 0)
    return;
  ReleasedLock released;
  std::unique_lock<std::mutex> lock(guard.mutex);
  guard.changed.wait(lock, [] { return !guard.forks; });
  guard.forks = true;
  guard.changed.wait(lock, [] { return guard.working == 0; });
}

static void afterForkInParent() {
  if (depth != 0)
    return;
  std::lock_guard<std::mutex> lock(guard.mutex);
  guard.forks = false;
  guard.changed.notify_all();
}

static void afterForkInChild() {
  // Threads that waited are gone, and the mutex may be theirs.
  new (&guard) Guard();
  guard.working = depth != 0 ? 1 : 0;
}

void tilewright::python::bindForkGuard(nb::module_ & /*module*/) {
  nb::module_::import_("os").attr("register_at_fork")(
      nb::arg("before") = nb::cpp_function(&beforeFork),
      nb::arg("after_in_parent") = nb::cpp_function(&afterForkInParent),
      nb::arg("after_in_child") = nb::cpp_function(&afterForkInChild));
}
