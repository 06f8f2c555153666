//===- DiskCache.cpp - The cache on disk, for Python -------------------- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DiskCache.h"

#include "Errors.h"
#include "tilewright/Jit/KernelCache.h"
#include "tilewright/Jit/LoadedCompiler.h"
#include "llvm/Support/MemoryBuffer.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tilewright;

std::optional<jit::DiskCache> python::openDiskCache() {
  llvm::Expected<std::optional<jit::DiskCache>> cache =
      jit::DiskCache::fromEnvironment();
  if (!cache)
    raise(PyExc_ValueError, llvm::toString(cache.takeError()));
  return std::move(*cache);
}

/// UnicodeEncodeError where one is no text.
static std::string digestTexts(const nb::list &texts) {
  std::vector<llvm::StringRef> parts;
  for (nb::handle text : texts) {
    Py_ssize_t size = 0;
    const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data)
      throw nb::python_error();
    parts.emplace_back(data, size);
  }
  return jit::makeDigest(parts);
}

/// Nothing where one of them cannot be read.
static std::optional<std::string>
digestFiles(const std::vector<std::string> &paths) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> files;
  std::vector<llvm::StringRef> parts;
  for (const std::string &path : paths) {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file)
      return std::nullopt;
    parts.push_back((*file)->getBuffer());
    files.push_back(std::move(*file));
  }
  return jit::makeDigest(parts);
}

/// As a dictionary; None where there is no cache.
static nb::object describeCache() {
  std::optional<jit::DiskCache> cache = python::openDiskCache();
  if (!cache)
    return nb::none();
  jit::DiskCache::Contents contents = cache->getContents();
  nb::dict description;
  description["directory"] = cache->getDirectory().str();
  description["entries"] = contents.entries;
  description["bytes"] = contents.bytes;
  description["most_bytes"] = cache->getMaxBytes();
  description["failure"] =
      contents.failure ? nb::cast(contents.failure.message()) : nb::none();
  return description;
}

static nb::object getEntry(const std::string &key, bool isUse) {
  std::optional<jit::DiskCache> cache = python::openDiskCache();
  std::optional<std::string> bytes;
  if (cache)
    bytes = cache->get(key, isUse);
  return bytes ? nb::bytes(bytes->data(), bytes->size())
               : nb::object(nb::none());
}

static bool putEntry(const std::string &key, const nb::bytes &bytes) {
  std::optional<jit::DiskCache> cache = python::openDiskCache();
  return cache && cache->put(key, {bytes.c_str(), bytes.size()});
}

static std::vector<std::string> listEntries(const std::string &prefix) {
  std::optional<jit::DiskCache> cache = python::openDiskCache();
  return cache ? cache->getKeys(prefix) : std::vector<std::string>();
}

static void clearCache() {
  std::optional<jit::DiskCache> cache = python::openDiskCache();
  if (!cache)
    return;
  if (llvm::Error error = cache->clear())
    python::raise(PyExc_OSError, llvm::toString(std::move(error)));
}

void python::bindDiskCache(nb::module_ &module) {
  module.def(
      "has_cache", [] { return openDiskCache().has_value(); },
      "Whether kernels are to be kept on disk.");
  module.def("describe_cache", &describeCache,
             nb::sig("def describe_cache() -> dict[str, typing.Any] | None"),
             "What the cache on disk has, or None.");
  module.def("clear_cache", &clearCache, "Empties the cache on disk.");
  module.def(
      "get_cached", &getEntry, "key"_a, nb::kw_only(), "is_use"_a = true,
      nb::sig("def get_cached(key: str, *, is_use: bool = True) -> bytes "
              "| None"),
      "An entry of the cache on disk, or None; who only looks at it "
      "does not use it.");
  module.def("put_cached", &putEntry, "key"_a, "value"_a,
             "Adds an entry, or writes it anew; false where it cannot.");
  module.def("list_cached", &listEntries, "prefix"_a,
             "The keys of entries that begin so.");
  module.def("digest", &digestTexts, "texts"_a,
             nb::sig("def digest(texts: list[str]) -> str"),
             "A hash of texts, of which none is the end of another.");
  module.def("digest_files", &digestFiles, "paths"_a,
             "The same of the contents of files; None where one cannot be "
             "read.");
  module.def("get_build_identity", &jit::getBuildIdentity,
             "What the compiler is; empty where nobody knows.");
  module.def("is_compiler_loaded", &jit::isCompilerLoaded,
             "Whether this process has compiled anything.");
}
