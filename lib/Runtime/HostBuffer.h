//===- HostBuffer.h - Large uninitialised host memory -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_HOSTBUFFER_H
#define TILEWRIGHT_LIB_RUNTIME_HOSTBUFFER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::runtime {

/// The machine's memory; without a limit where the system does not say. Memory
/// is handed out without being there, and a program that then uses more is
/// ended without a word: ask first.
inline uint64_t getHostMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long pageSize = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageSize <= 0)
    return ~uint64_t(0);
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(pageSize);
}

/// Bytes that are not touched before they are written, and whose absence is an
/// error and not the end of the program.
class HostBuffer {
public:
  HostBuffer() = default;

  static llvm::Expected<HostBuffer> allocate(uint64_t bytes) {
    // A transpose's reference reads each element from another page: with large
    // ones the processor still finds them.
    constexpr uint64_t largePage = uint64_t(2) << 20;
    const bool isLarge = bytes >= 16 * largePage;
    HostBuffer buffer;
    buffer.memory.reset(static_cast<char *>(
        isLarge ? std::aligned_alloc(largePage, llvm::alignTo(bytes, largePage))
                : std::malloc(std::max<uint64_t>(bytes, 1))));
    if (!buffer.memory)
      return llvm::createStringError("no host memory of " + llvm::Twine(bytes) +
                                     " bytes");
    // Advice, which a system may leave aside.
    if (isLarge)
      (void)madvise(buffer.memory.get(), bytes, MADV_HUGEPAGE);
    return buffer;
  }

  char *data() { return memory.get(); }
  const char *data() const { return memory.get(); }

private:
  struct Free {
    void operator()(char *bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char[], Free> memory;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_HOSTBUFFER_H
