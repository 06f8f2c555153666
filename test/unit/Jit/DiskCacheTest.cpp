//===- DiskCacheTest.cpp - Bytes kept from process to process -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/DiskCache.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace tilewright;
using namespace tilewright::jit;
namespace fs = llvm::sys::fs;

namespace {

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("tilewright-cache", folder));
  }
  void TearDown() override { EXPECT_FALSE(fs::remove_directories(folder)); }

  DiskCache open(uint64_t maxBytes = 1 << 30) {
    return DiskCache(folder, maxBytes);
  }
  static std::string makeKey(llvm::StringRef name) {
    return makeDigest({name});
  }
  std::string getPath(llvm::StringRef name) {
    return (folder + "/llvmcache-" + makeKey(name)).str();
  }
  std::string read(llvm::StringRef name) {
    return (*llvm::MemoryBuffer::getFile(getPath(name)))->getBuffer().str();
  }
  static void write(llvm::StringRef path, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << bytes;
  }
  size_t countFiles(llvm::StringRef part) {
    size_t count = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder + "/" + part, error), end;
         !error && it != end; it.increment(error))
      count += it->type() == fs::file_type::regular_file;
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST(Digest, TellsTextsApart) {
  EXPECT_EQ(makeDigest({"ab", "c"}).size(), 64u);
  EXPECT_EQ(makeDigest({"ab", "c"}), makeDigest({"ab", "c"}));
  EXPECT_NE(makeDigest({"ab", "c"}), makeDigest({"a", "bc"}));
  EXPECT_NE(makeDigest({"ab", "c"}), makeDigest({"abc"}));
  EXPECT_NE(makeDigest({"a"}), makeDigest({"a", ""}));
}

TEST_F(DiskCacheTest, GivesWhatWasPut) {
  DiskCache cache = open();
  EXPECT_EQ(cache.get(makeKey("a")), std::nullopt);
  std::string bytes("\0\n bytes", 8);
  EXPECT_TRUE(cache.put(makeKey("a"), bytes));
  EXPECT_TRUE(cache.put(makeKey("empty"), ""));
  EXPECT_EQ(open().get(makeKey("a")), bytes);
  EXPECT_EQ(cache.get(makeKey("empty")), "");
  EXPECT_EQ(cache.get(makeKey("b")), std::nullopt);
  EXPECT_TRUE(cache.put(makeKey("a"), "other"));
  EXPECT_EQ(cache.get(makeKey("a")), "other");
  EXPECT_EQ(cache.getContents().entries, 2u);
  EXPECT_EQ(countFiles("unfinished"), 0u);
}

TEST_F(DiskCacheTest, ADamagedEntryIsNoneUntilItIsWrittenAnew) {
  DiskCache cache = open();
  cache.put(makeKey("a"), "the code");
  std::string whole = read("a");
  // Cut off at each byte, changed at each, and longer.
  for (size_t at = 0; at < whole.size(); ++at) {
    write(getPath("a"), llvm::StringRef(whole).take_front(at));
    EXPECT_EQ(cache.get(makeKey("a")), std::nullopt) << at;
    std::string changed = whole;
    changed[at] ^= 1;
    write(getPath("a"), changed);
    EXPECT_EQ(cache.get(makeKey("a")), std::nullopt) << at;
  }
  write(getPath("a"), whole + "x");
  EXPECT_EQ(cache.get(makeKey("a")), std::nullopt);
  EXPECT_TRUE(cache.put(makeKey("a"), "the code"));
  EXPECT_EQ(read("a"), whole);
  EXPECT_EQ(cache.get(makeKey("a")), "the code");
}

TEST_F(DiskCacheTest, AnEntryOfAnotherVersionIsNone) {
  DiskCache cache = open();
  cache.put(makeKey("a"), "the code");
  std::string other = read("a");
  other.replace(other.find(" 1\n"), 3, " 2\n");
  write(getPath("a"), other);
  EXPECT_EQ(cache.get(makeKey("a")), std::nullopt);
}

TEST_F(DiskCacheTest, DoesWithoutWhereNothingCanBeWritten) {
  write((folder + "/file").str(), "no folder");
  DiskCache cache((folder + "/file/cache").str(), 1 << 20);
  // A process says it once, and may have the test several times.
  static size_t timesToSay = 1;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(cache.put(makeKey("a"), "a"));
  EXPECT_FALSE(cache.put(makeKey("b"), "b"));
  EXPECT_EQ(llvm::StringRef(testing::internal::GetCapturedStderr())
                .count("warning: what is compiled cannot be kept in " +
                       folder.str().str()),
            std::exchange(timesToSay, 0));
  EXPECT_EQ(cache.get(makeKey("a")), std::nullopt);
  EXPECT_TRUE(cache.getContents().failure);
  EXPECT_FALSE(open().getContents().failure);
  // An entry that cannot take its place leaves nothing behind.
  EXPECT_FALSE(fs::create_directory(getPath("b")));
  EXPECT_FALSE(open().put(makeKey("b"), "b"));
  EXPECT_EQ(open().get(makeKey("b")), std::nullopt);
  EXPECT_EQ(countFiles("unfinished"), 0u);
}

TEST_F(DiskCacheTest, NobodyElseMayWrite) {
  DiskCache cache((folder + "/new").str(), 1 << 20);
  cache.put(makeKey("a"), "a");
  fs::file_status status;
  ASSERT_FALSE(fs::status(folder + "/new", status));
  EXPECT_EQ(status.permissions(), fs::owner_all);
}

TEST_F(DiskCacheTest, RemovesWhatKilledProcessesLeft) {
  DiskCache cache = open();
  cache.put(makeKey("a"), "a");
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, nullptr, 0);
  std::string unfinished = (folder + "/unfinished/").str();
  write(unfinished + std::to_string(child) + "-abc", "half");
  write(unfinished + "what is it", "half");
  write(unfinished + std::to_string(getpid()) + "-abc", "going on");
  cache.put(makeKey("b"), "b");
  EXPECT_EQ(countFiles("unfinished"), 1u);
  ASSERT_FALSE(llvm::errorToBool(cache.clear()));
  EXPECT_EQ(countFiles("unfinished"), 0u);
}

TEST_F(DiskCacheTest, DropsWhatWasNotUsedWhenAllIsTooLarge) {
  DiskCache large = open();
  for (unsigned i = 0; i < 40; ++i)
    large.put(makeKey(std::to_string(i)), std::string(10000, 'x'));
  // All were used an hour ago but the first one.
  for (unsigned i = 0; i < 40; ++i) {
    int file = -1;
    ASSERT_FALSE(fs::openFileForRead(getPath(std::to_string(i)), file));
    auto then = std::chrono::system_clock::now() - std::chrono::hours(1);
    EXPECT_FALSE(fs::setLastAccessAndModificationTime(file, then, then));
    close(file);
  }
  EXPECT_TRUE(large.get(makeKey("0")));
  EXPECT_FALSE(fs::remove(folder + "/llvmcache.timestamp"));
  DiskCache small = open(100000);
  small.put(makeKey("last"), std::string(10000, 'x'));
  DiskCache::Contents contents = small.getContents();
  EXPECT_LE(contents.bytes, 100000u);
  EXPECT_GE(contents.bytes, 50000u);
  EXPECT_TRUE(small.get(makeKey("0")));
  EXPECT_TRUE(small.get(makeKey("last")));
}

TEST_F(DiskCacheTest, ListsKeysOfAKind) {
  DiskCache cache = open();
  EXPECT_TRUE(cache.getKeys("").empty());
  for (llvm::StringRef key : {"tuning-b", "tuning-a", "other"})
    cache.put(key, "x");
  write((folder + "/tuning-mine").str(), "mine");
  EXPECT_EQ(cache.getKeys("tuning-"),
            (std::vector<std::string>{"tuning-a", "tuning-b"}));
  EXPECT_EQ(cache.getKeys("").size(), 3u);
}

TEST_F(DiskCacheTest, ALookAtAnEntryIsNoUse) {
  DiskCache cache = open();
  cache.put(makeKey("a"), "a");
  auto then = std::chrono::system_clock::now() - std::chrono::hours(1);
  int file = -1;
  ASSERT_FALSE(fs::openFileForRead(getPath("a"), file));
  // Read after it was written: most file systems note no other reading.
  EXPECT_FALSE(fs::setLastAccessAndModificationTime(
      file, then, then - std::chrono::hours(1)));
  close(file);
  auto getAge = [&] {
    fs::file_status status;
    EXPECT_FALSE(fs::status(getPath("a"), status));
    return std::chrono::system_clock::now() - status.getLastAccessedTime();
  };
  read("a");
  if (getAge() < std::chrono::minutes(30))
    GTEST_SKIP() << "the file system notes each reading";
  EXPECT_EQ(cache.get(makeKey("a"), /*isUse=*/false), "a");
  EXPECT_GT(getAge(), std::chrono::minutes(30));
  EXPECT_EQ(cache.get(makeKey("a")), "a");
  EXPECT_LT(getAge(), std::chrono::minutes(30));
}

TEST_F(DiskCacheTest, IsClearedOfItsOwnFilesAlone) {
  DiskCache cache = open();
  cache.put(makeKey("a"), "a");
  write((folder + "/mine").str(), "mine");
  ASSERT_FALSE(llvm::errorToBool(cache.clear()));
  EXPECT_EQ(cache.get(makeKey("a")), std::nullopt);
  EXPECT_EQ(cache.getContents().entries, 0u);
  EXPECT_TRUE(fs::exists(folder + "/mine"));
}

TEST_F(DiskCacheTest, IsWhereTheEnvironmentSays) {
  auto get = [] { return DiskCache::fromEnvironment(); };
  setenv("TILEWRIGHT_CACHE_DIR", folder.c_str(), 1);
  EXPECT_EQ(llvm::cantFail(get())->getDirectory(), folder);
  EXPECT_EQ(llvm::cantFail(get())->getMaxBytes(), uint64_t(1) << 30);
  setenv("TILEWRIGHT_CACHE_MB", "3", 1);
  EXPECT_EQ(llvm::cantFail(get())->getMaxBytes(), uint64_t(3) << 20);
  for (const char *wrong : {"0", "many", "-1", "99999999999"}) {
    setenv("TILEWRIGHT_CACHE_MB", wrong, 1);
    EXPECT_EQ(llvm::toString(get().takeError()),
              "TILEWRIGHT_CACHE_MB in the environment is a number of megabytes "
              "from 1 on, not '" +
                  std::string(wrong) + "'");
  }
  unsetenv("TILEWRIGHT_CACHE_MB");
  setenv("TILEWRIGHT_CACHE_DIR", "", 1);
  EXPECT_EQ(llvm::cantFail(get()), std::nullopt);
  unsetenv("TILEWRIGHT_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(llvm::cantFail(get())->getDirectory(), "/somewhere/tilewright");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(llvm::cantFail(get())->getDirectory(),
            "/home/me/.cache/tilewright");
}

} // namespace
