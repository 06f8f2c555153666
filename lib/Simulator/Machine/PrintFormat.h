//===- PrintFormat.h - What vprintf prints ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_PRINTFORMAT_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_PRINTFORMAT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tilewright::sim {

/// The text of a format of C's printf. `takeValue` gives the next argument, of
/// so many bytes; `readText` what stands at an address, for %s. What is no
/// conversion of C is copied as it is.
std::string formatText(llvm::StringRef format,
                       llvm::function_ref<uint64_t(unsigned)> takeValue,
                       llvm::function_ref<std::string(uint64_t)> readText);

/// What the blocks of a launch print. Blocks may run at the same time, on
/// several threads of the host.
class PrintedText {
public:
  void add(uint64_t block, const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    ofBlocks[block] += text;
  }
  /// What all blocks printed, in the order of their numbers.
  std::string take();

private:
  std::mutex mutex;
  std::map<uint64_t, std::string> ofBlocks;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_PRINTFORMAT_H
