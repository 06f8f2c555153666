//===- ForkGuard.h - What a fork of this process waits for ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forked process has one thread, and the locks as they were: one that another
// thread held stays held for good. So os.fork() waits until no thread is at
// work here, and nothing begins until it is done. Then the new process can
// compile and simulate as the old one; a GPU in use it cannot use, says CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_FORKGUARD_H
#define TILEWRIGHT_PYTHON_FORKGUARD_H

#include "ReleasedLock.h"

namespace tilewright::python {

/// Work that no fork comes into, but one by the work itself: that does not
/// wait. Begins under Python's lock, which it may give away meanwhile.
class UnforkedScope {
public:
  UnforkedScope();
  ~UnforkedScope();
  UnforkedScope(const UnforkedScope &) = delete;
  UnforkedScope &operator=(const UnforkedScope &) = delete;
};

/// Lets other threads have Python's lock, for work that takes long.
class LongWork {
  UnforkedScope unforked;
  ReleasedLock released;
};

/// Has os.fork() wait. Other ways to fork know nothing of Python's threads
/// either.
void bindForkGuard(nanobind::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_FORKGUARD_H
