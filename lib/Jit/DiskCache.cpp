//===- DiskCache.cpp - Bytes kept from process to process -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/DiskCache.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <mutex>
#include <tuple>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::jit;

/// The prefix of LLVM's pruneCache(), which removes no other files.
static constexpr StringLiteral entryPrefix = "llvmcache-";
/// It changes with the format of entries.
static constexpr StringLiteral magic = "tilewright cache 1\n";
static constexpr size_t hashBytes = 32;
static constexpr size_t headBytes = magic.size() + hashBytes;
/// What the code of a kernel takes, about.
static constexpr size_t usualEntryBytes = 1 << 16;

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

static std::array<uint8_t, hashBytes> hash(StringRef bytes) {
  return BLAKE3::hash<hashBytes>(arrayRefFromStringRef(bytes));
}

std::string jit::makeDigest(ArrayRef<StringRef> texts) {
  BLAKE3 hasher;
  for (StringRef text : texts) {
    char size[sizeof(uint64_t)];
    support::endian::write64le(size, text.size());
    hasher.update(StringRef(size, sizeof(size)));
    hasher.update(text);
  }
  return toHex(hasher.final<hashBytes>(), /*LowerCase=*/true);
}

/// What stays is left to the next process that writes.
static void tryToRemove(const Twine &path) {
  std::ignore = sys::fs::remove(path);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Expected<std::optional<DiskCache>> DiskCache::fromEnvironment() {
  uint64_t megabytes = 1024;
  std::optional<std::string> limit =
      sys::Process::GetEnv("TILEWRIGHT_CACHE_MB");
  if (limit && !limit->empty() &&
      (StringRef(*limit).getAsInteger(10, megabytes) || megabytes == 0 ||
       megabytes > (1 << 30)))
    return createStringError("TILEWRIGHT_CACHE_MB in the environment is a "
                             "number of megabytes from 1 on, not '" +
                             *limit + "'");
  SmallString<128> directory;
  if (std::optional<std::string> named =
          sys::Process::GetEnv("TILEWRIGHT_CACHE_DIR")) {
    if (named->empty())
      return std::nullopt;
    directory = *named;
  } else if (sys::path::cache_directory(directory)) {
    sys::path::append(directory, "tilewright");
  } else {
    return std::nullopt;
  }
  std::ignore = sys::fs::make_absolute(directory);
  return DiskCache(directory, megabytes << 20);
}

SmallString<128> DiskCache::getPath(StringRef key) const {
  SmallString<128> path = directory;
  sys::path::append(path, entryPrefix + key);
  return path;
}

/// What is being written has a folder of its own, in the same file system.
SmallString<128> DiskCache::getUnfinishedDirectory() const {
  SmallString<128> path = directory;
  sys::path::append(path, "unfinished");
  return path;
}

/// What is here becomes code: nobody else may write to it.
std::error_code DiskCache::makeDirectories() const {
  return sys::fs::create_directories(getUnfinishedDirectory(),
                                     /*IgnoreExisting=*/true,
                                     sys::fs::owner_all);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

std::optional<std::string> DiskCache::get(StringRef key, bool isUse) const {
  SmallString<128> path = getPath(key);
  // A pipe of that name would be waited for.
  if (!sys::fs::is_regular_file(path))
    return std::nullopt;
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  auto close = scope_exit([&] { std::ignore = sys::fs::closeFile(*file); });
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getOpenFile(
      *file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  if (!buffer)
    return std::nullopt;
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() < headBytes || !bytes.consume_front(magic))
    return std::nullopt;
  StringRef expected = bytes.take_front(hashBytes);
  bytes = bytes.drop_front(hashBytes);
  if (toStringRef(hash(bytes)) != expected)
    return std::nullopt;
  // Many file systems do not note each use, and pruning asks for the last one.
  sys::fs::file_status status;
  if (isUse && !sys::fs::status(*file, status))
    std::ignore = sys::fs::setLastAccessAndModificationTime(
        *file, std::chrono::system_clock::now(),
        status.getLastModificationTime());
  return bytes.str();
}

/// Writes and closes it.
static std::error_code write(int descriptor, StringRef bytes) {
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << magic << toStringRef(hash(bytes)) << bytes;
  os.close();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

std::error_code DiskCache::writeUnfinished(StringRef bytes,
                                           SmallVectorImpl<char> &path) const {
  if (std::error_code error = makeDirectories())
    return error;
  // Not by LLVM's TempFile, which would take over the signals of the process.
  SmallString<128> model = getUnfinishedDirectory();
  sys::path::append(model,
                    Twine(sys::Process::getProcessId()) + "-%%%%%%%%%%%%");
  int descriptor = -1;
  if (std::error_code error =
          sys::fs::createUniqueFile(model, descriptor, path, sys::fs::OF_None,
                                    sys::fs::owner_read | sys::fs::owner_write))
    return error;
  std::error_code error = write(descriptor, bytes);
  if (error)
    tryToRemove(path);
  return error;
}

std::error_code DiskCache::add(StringRef key, StringRef bytes) const {
  removeUnfinished(/*ofAll=*/false);
  SmallString<128> unfinished;
  if (std::error_code error = writeUnfinished(bytes, unfinished))
    return error;
  std::error_code error = sys::fs::rename(unfinished, getPath(key));
  if (error)
    tryToRemove(unfinished);
  return error;
}

bool DiskCache::put(StringRef key, StringRef bytes) const {
  std::error_code error = add(key, bytes);
  if (!error) {
    prune();
    return true;
  }
  // Kernels are compiled in many threads, and variants at any launch.
  static std::once_flag isTold;
  std::call_once(isTold, [&] {
    errs() << "tilewright: warning: what is compiled cannot be kept in "
           << directory << ": " << error.message()
           << " (TILEWRIGHT_CACHE_DIR names another folder; empty, none)\n";
  });
  return false;
}

//===----------------------------------------------------------------------===//
// Tidying
//===----------------------------------------------------------------------===//

/// Whether nobody goes on to write a file of that name. One of another machine
/// may be taken for such: its writer then fails to add an entry, no more.
static bool isAbandoned(StringRef name) {
  pid_t process = 0;
  if (name.split('-').first.getAsInteger(10, process) || process <= 0)
    return true;
  return kill(process, 0) != 0 && errno == ESRCH;
}

void DiskCache::removeUnfinished(bool ofAll) const {
  std::error_code error;
  for (sys::fs::directory_iterator it(getUnfinishedDirectory(), error), end;
       !error && it != end; it.increment(error))
    if (ofAll || isAbandoned(sys::path::filename(it->path())))
      tryToRemove(it->path());
}

void DiskCache::prune() const {
  CachePruningPolicy policy;
  policy.Interval = std::chrono::minutes(1);
  policy.Expiration = std::chrono::hours(24 * 30);
  policy.MaxSizeBytes = maxBytes;
  pruneCache(directory, policy);
}

/// Calls it with the path and the size of each entry.
static void forEachEntry(StringRef directory,
                         function_ref<void(StringRef, uint64_t)> visit) {
  std::error_code error;
  for (sys::fs::directory_iterator it(directory, error), end;
       !error && it != end; it.increment(error)) {
    if (!sys::path::filename(it->path()).starts_with(entryPrefix))
      continue;
    uint64_t bytes = 0;
    if (!sys::fs::file_size(it->path(), bytes))
      visit(it->path(), bytes);
  }
}

DiskCache::Contents DiskCache::getContents() const {
  Contents contents;
  forEachEntry(directory, [&](StringRef, uint64_t bytes) {
    ++contents.entries;
    contents.bytes += bytes;
  });
  // A disk may be full: only who writes as much as an entry has knows.
  SmallString<128> unfinished;
  contents.failure =
      writeUnfinished(std::string(usualEntryBytes, '\0'), unfinished);
  if (!contents.failure)
    tryToRemove(unfinished);
  return contents;
}

std::vector<std::string> DiskCache::getKeys(StringRef prefix) const {
  std::vector<std::string> keys;
  forEachEntry(directory, [&](StringRef path, uint64_t) {
    StringRef key = sys::path::filename(path).drop_front(entryPrefix.size());
    if (key.starts_with(prefix))
      keys.push_back(key.str());
  });
  llvm::sort(keys);
  return keys;
}

Error DiskCache::clear() const {
  std::error_code failure;
  forEachEntry(directory, [&](StringRef path, uint64_t) {
    if (std::error_code error = sys::fs::remove(path))
      failure = error;
  });
  removeUnfinished(/*ofAll=*/true);
  if (failure)
    return createStringError(failure,
                             "entries of " + directory + " cannot be removed");
  return Error::success();
}
