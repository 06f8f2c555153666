//===- DiskCache.h - Bytes kept from process to process --------*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of entries, each the bytes of one key. Many processes use it at the
// same time without a lock:
//
//   DiskCache cache("/home/me/.cache/tilewright", 1 << 30);
//   std::optional<std::string> bytes = cache.get(key);   // whole, or nothing
//   cache.put(key, makeBytes());                         // best effort
//
// An entry is written beside the others and then renamed, and says in its head
// what its bytes hash to: who reads it has all of it, and one that was damaged
// counts as none, until it is written anew. Who cannot write does without, and
// says so once. What processes that were killed leave behind, the next one to
// write removes; the entries that were not used for the longest time go when
// all are too large.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_DISKCACHE_H
#define TILEWRIGHT_JIT_DISKCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace tilewright::jit {

/// A hash of texts, of which none is the end of another: 64 hexadecimal digits.
std::string makeDigest(llvm::ArrayRef<llvm::StringRef> texts);

class DiskCache {
public:
  DiskCache(llvm::StringRef directory, uint64_t maxBytes)
      : directory(directory), maxBytes(maxBytes) {}

  /// The one that TILEWRIGHT_CACHE_DIR names, or in the folder for caches of
  /// the user; nothing where the variable is empty, or nobody knows the folder.
  /// Fails where TILEWRIGHT_CACHE_MB is no number.
  static llvm::Expected<std::optional<DiskCache>> fromEnvironment();

  llvm::StringRef getDirectory() const { return directory; }
  uint64_t getMaxBytes() const { return maxBytes; }

  /// `key`: a digest, with what says its kind in front ("tuning-"). Who only
  /// looks at entries does not use them.
  std::optional<std::string> get(llvm::StringRef key, bool isUse = true) const;
  /// False where it could not be written; the first time a process has that,
  /// standard error says why.
  bool put(llvm::StringRef key, llvm::StringRef bytes) const;

  struct Contents {
    uint64_t entries = 0, bytes = 0;
    /// Why no entry can be added, where none can.
    std::error_code failure;
  };
  Contents getContents() const;
  /// The keys that begin so, in order.
  std::vector<std::string> getKeys(llvm::StringRef prefix) const;
  /// Removes all entries and what was left behind; no other file.
  llvm::Error clear() const;

private:
  llvm::SmallString<128> getPath(llvm::StringRef key) const;
  llvm::SmallString<128> getUnfinishedDirectory() const;
  std::error_code makeDirectories() const;
  /// Writes a file in the folder of what is unfinished, and gives its path;
  /// where that fails, it leaves none.
  std::error_code writeUnfinished(llvm::StringRef bytes,
                                  llvm::SmallVectorImpl<char> &path) const;
  std::error_code add(llvm::StringRef key, llvm::StringRef bytes) const;
  void removeUnfinished(bool ofAll) const;
  void prune() const;

  llvm::SmallString<128> directory;
  uint64_t maxBytes;
};

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_DISKCACHE_H
