//===- Recording.cpp - Results kept in files ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "common/CompilerCommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::diff;

static constexpr unsigned elementsPerLine = 16;

static std::string hash(ArrayRef<uint8_t> bytes) {
  return utohexstr(xxh3_64bits(bytes), /*LowerCase=*/true, /*Width=*/16);
}

static std::string hash(const BufferBytes &contents) {
  std::vector<uint8_t> bytes;
  for (const std::vector<char> &buffer : contents)
    bytes.insert(bytes.end(), buffer.begin(), buffer.end());
  return hash(bytes);
}

static std::string getPath(StringRef folder, StringRef ptxFile) {
  SmallString<128> path(folder);
  sys::path::append(path, sys::path::stem(ptxFile) + ".json");
  return std::string(path);
}

json::Object diff::describe(const runtime::DeviceInfo &info) {
  return json::Object{{"name", info.name},
                      {"architecture", info.architecture},
                      {"driver_version", info.driverVersion}};
}

Recording::Recording(const runtime::DeviceInfo &device, StringRef ptx)
    : object{{"device", describe(device)},
             {"code", hash(arrayRefFromStringRef(ptx))},
             {"kernels", json::Object()}} {}

StringRef Recording::getDeviceName() const {
  const json::Object *device = object.getObject("device");
  return device ? device->getString("name").value_or("recorded") : "recorded";
}

Expected<Recording> Recording::read(StringRef folder, StringRef ptxFile,
                                    StringRef ptx) {
  std::string path = getPath(folder, ptxFile);
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message() +
                             "; --record makes it");
  Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return createStringError(path + ": " + toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object || !object->getObject("kernels"))
    return createStringError(path + ": is no recording of results");
  if (object->getString("code") != StringRef(hash(arrayRefFromStringRef(ptx))))
    return createStringError(path + ": belongs to another version of '" +
                             ptxFile + "'; record it again");
  return Recording(std::move(*object));
}

Error Recording::write(StringRef folder, StringRef ptxFile) const {
  if (std::error_code error = sys::fs::create_directories(folder))
    return createStringError("cannot make the folder '" + folder +
                             "': " + error.message());
  std::string path = getPath(folder, ptxFile);
  std::error_code error;
  ToolOutputFile file(path, error, sys::fs::OF_Text);
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  file.os() << formatv("{0:1}\n", json::Value(json::Object(object)));
  if (Error failure = finishOutput(file.os(), path))
    return failure;
  file.keep();
  return Error::success();
}

/// Lines of elements in hexadecimal.
static json::Array printBuffer(const TestArgument &argument,
                               const std::vector<char> &bytes) {
  json::Array lines;
  unsigned byteSize = spec::getByteSize(argument.declared.type);
  std::string line;
  for (uint64_t i = 0; i < argument.count; ++i) {
    line += utohexstr(
        spec::readElement(argument.declared.type, &bytes[i * byteSize]),
        /*LowerCase=*/true);
    bool isLast = i % elementsPerLine == elementsPerLine - 1;
    if (!isLast && i + 1 != argument.count) {
      line += ' ';
      continue;
    }
    lines.push_back(std::exchange(line, {}));
  }
  return lines;
}

/// The inverse of printBuffer; false where the lines are no such buffer.
static bool parseBuffer(const TestArgument &argument, const json::Array &lines,
                        std::vector<char> &bytes) {
  unsigned byteSize = spec::getByteSize(argument.declared.type);
  uint64_t count = 0;
  for (const json::Value &line : lines) {
    std::optional<StringRef> text = line.getAsString();
    if (!text)
      return false;
    SmallVector<StringRef> elements;
    text->split(elements, ' ');
    for (StringRef element : elements) {
      uint64_t bits = 0;
      if (count == argument.count || element.getAsInteger(16, bits) ||
          !isUIntN(8 * byteSize, bits))
        return false;
      spec::writeElement(argument.declared.type, &bytes[count++ * byteSize],
                         bits);
    }
  }
  return count == argument.count;
}

void Recording::add(const KernelTest &test, const BufferBytes &contents,
                    const BufferBytes &results) {
  json::Object buffers;
  for (auto [argument, before, after] : zip(test.arguments, contents, results))
    if (before != after)
      buffers[argument.declared.name] = printBuffer(argument, after);
  (*object.getObject("kernels"))[test.image.entry] =
      json::Object{{"inputs", hash(contents)}, {"buffers", std::move(buffers)}};
}

Expected<BufferBytes> Recording::find(const KernelTest &test,
                                      const BufferBytes &contents) const {
  const json::Object *kernel =
      object.getObject("kernels")->getObject(test.image.entry);
  const json::Object *buffers = kernel ? kernel->getObject("buffers") : nullptr;
  if (!buffers)
    return createStringError("no result is recorded; --record makes it");
  if (kernel->getString("inputs") != StringRef(hash(contents)))
    return createStringError("the recorded result is of other inputs; record "
                             "it again");
  BufferBytes results = contents;
  for (auto [argument, bytes] : zip(test.arguments, results)) {
    const json::Array *lines = buffers->getArray(argument.declared.name);
    if (lines && !parseBuffer(argument, *lines, bytes))
      return createStringError("the recorded result of '" +
                               argument.declared.name +
                               "' is damaged; record it again");
  }
  return results;
}
