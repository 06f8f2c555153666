//===- TestRun.h - Runs a test on a device ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_DIFF_TESTRUN_H
#define TILEWRIGHT_TOOLS_TILE_DIFF_TESTRUN_H

#include "KernelTest.h"

namespace tilewright::diff {

/// The bytes of every argument's memory; nothing for scalars.
using BufferBytes = std::vector<std::vector<char>>;

/// What the memory of a test holds before its launch, the same on every
/// machine.
BufferBytes makeContents(const KernelTest &test);

/// What it holds after a launch on \p device. Fails where the test cannot run,
/// where the device finds fault with the kernel, and where poisoned memory is
/// not written.
llvm::Expected<BufferBytes> runTest(runtime::Device &device,
                                    const KernelTest &test,
                                    const BufferBytes &contents);

} // namespace tilewright::diff

#endif // TILEWRIGHT_TOOLS_TILE_DIFF_TESTRUN_H
