//===- KernelTest.cpp - One launch that devices must agree on -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <tuple>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::diff;

/// Larger buffers are no test of an instruction.
static constexpr uint64_t maxBufferBytes = uint64_t(1) << 26;
static constexpr unsigned maxThreads = 1024;
static constexpr unsigned maxSharedBytes = 227 * 1024;

static Expected<uint64_t> parseNumber(StringRef key, StringRef text,
                                      uint64_t least, uint64_t most) {
  uint64_t value = 0;
  if (!text.getAsInteger(10, value) && value >= least && value <= most)
    return value;
  return createStringError("'" + key + "' is a number from " + Twine(least) +
                           " to " + Twine(most) + ", not '" + text + "'");
}

static Expected<runtime::GridSize> parseGrid(StringRef text) {
  SmallVector<StringRef> axes;
  text.split(axes, 'x');
  runtime::GridSize grid = {1, 1, 1};
  if (axes.size() > grid.size())
    return createStringError("'grid' has one to three numbers of blocks, as in "
                             "4x2, not '" +
                             text + "'");
  for (auto [blocks, axis] : zip(grid, axes)) {
    Expected<uint64_t> number = parseNumber("grid", axis, 1, 65535);
    if (!number)
      return number.takeError();
    blocks = static_cast<int64_t>(*number);
  }
  return grid;
}

/// One KEY=VALUE of a line that begins a test.
static Error parseSetting(StringRef setting, KernelTest &test) {
  StringRef key, value;
  std::tie(key, value) = setting.split('=');
  auto store = [&](auto &target, uint64_t least, uint64_t most) -> Error {
    Expected<uint64_t> number = parseNumber(key, value, least, most);
    if (number)
      target = *number;
    return number.takeError();
  };
  if (key == "kernel") {
    test.image.entry = value.str();
    return value.empty() ? createStringError("'kernel' names no kernel")
                         : Error::success();
  }
  if (key == "threads")
    return store(test.image.threadsPerBlock, 1, maxThreads);
  if (key == "shared")
    return store(test.image.dynamicSharedBytes, 0, maxSharedBytes);
  if (key == "seed")
    return store(test.seed, 0, ~uint64_t(0));
  if (key == "grid") {
    Expected<runtime::GridSize> grid = parseGrid(value);
    if (grid)
      test.grid = *grid;
    return grid.takeError();
  }
  return createStringError("unknown setting '" + setting +
                           "'; there are kernel, grid, threads, shared and "
                           "seed, each followed by = and its value");
}

static Expected<KernelTest> parseHeader(StringRef file, StringRef ptx,
                                        StringRef text) {
  KernelTest test;
  test.file = file.str();
  test.image.code = ptx.str();
  SmallVector<StringRef> settings;
  SplitString(text, settings);
  for (StringRef setting : settings)
    if (Error error = parseSetting(setting, test))
      return error;
  if (test.image.threadsPerBlock == 0)
    return createStringError("'threads' is missing: the threads of a block");
  return test;
}

Expected<Contents> diff::parseContents(StringRef text) {
  std::optional<Contents> contents = StringSwitch<std::optional<Contents>>(text)
                                         .Case("poison", Contents::Poison)
                                         .Case("any", Contents::Any)
                                         .Case("normal", Contents::Normal)
                                         .Case("iota", Contents::Iota)
                                         .Case("zero", Contents::Zero)
                                         .Default(std::nullopt);
  if (contents)
    return *contents;
  return createStringError("contents are poison, any, normal, iota or zero, "
                           "not '" +
                           text + "'");
}

Expected<Tolerance> diff::parseTolerance(StringRef text) {
  if (text == "bits")
    return Tolerance();
  auto [name, number] = text.split(':');
  Tolerance tolerance;
  tolerance.kind = StringSwitch<Tolerance::Kind>(name)
                       .Case("ulp", Tolerance::Kind::Ulp)
                       .Case("relative", Tolerance::Kind::Relative)
                       .Case("absolute", Tolerance::Kind::Absolute)
                       .Default(Tolerance::Kind::Bits);
  bool isNumber = !number.getAsDouble(tolerance.limit) &&
                  std::isfinite(tolerance.limit) && tolerance.limit >= 0;
  if (tolerance.kind != Tolerance::Kind::Bits && isNumber)
    return tolerance;
  return createStringError(
      "a tolerance is bits, ulp:N, relative:X or absolute:X, "
      "not '" +
      text + "'");
}

/// "f32[128]": the type and the number of elements.
static Error parseBufferType(StringRef text, TestArgument &argument) {
  auto [type, count] = text.split('[');
  std::optional<spec::ElementType> parsed = spec::parseElementType(type.trim());
  if (!parsed)
    return createStringError("'" + type.trim() + "' is no type; there are " +
                             spec::elementTypeNames);
  argument.declared.type = *parsed;
  if (text.contains('['))
    argument.declared.kind = spec::ArgumentKind::Pointer;
  if (!argument.declared.isPointer())
    return Error::success();
  if (!count.consume_back("]"))
    return createStringError("the count of '" + text + "' does not end in ]");
  Expected<uint64_t> number =
      parseNumber("count", count.trim(), 1,
                  maxBufferBytes / spec::getByteSize(argument.declared.type));
  if (number)
    argument.count = *number;
  return number.takeError();
}

static Error parseScalar(StringRef text, TestArgument &argument) {
  int64_t integer = 0;
  double real = 0;
  if (spec::isInteger(argument.declared.type)) {
    if (text.getAsInteger(10, integer))
      return createStringError("'" + text + "' is no integer");
    argument.bits = spec::encodeInteger(argument.declared.type, integer);
    return Error::success();
  }
  if (text.getAsDouble(real))
    return createStringError("'" + text + "' is no number");
  argument.bits = spec::encodeReal(argument.declared.type, real);
  return Error::success();
}

/// "NAME: TYPE[COUNT] = CONTENTS ~ TOLERANCE" or "NAME: TYPE = VALUE".
static Expected<TestArgument> parseArgument(StringRef text) {
  auto [name, rest] = text.split(':');
  auto [type, value] = rest.split('=');
  TestArgument argument;
  argument.declared.name = name.trim().str();
  if (argument.declared.name.empty() || value.trim().empty())
    return createStringError(
        "an argument is NAME: TYPE[COUNT] = CONTENTS or NAME: TYPE = VALUE, "
        "not '" +
        text + "'");
  if (Error error = parseBufferType(type.trim(), argument))
    return error;
  if (!argument.declared.isPointer()) {
    if (Error error = parseScalar(value.trim(), argument))
      return error;
    return argument;
  }
  auto [contents, tolerance] = value.split('~');
  Expected<Contents> parsed = parseContents(contents.trim());
  if (!parsed)
    return parsed.takeError();
  argument.contents = *parsed;
  if (!value.contains('~'))
    return argument;
  Expected<Tolerance> limit = parseTolerance(tolerance.trim());
  if (!limit)
    return limit.takeError();
  argument.tolerance = *limit;
  return argument;
}

/// One line behind "// tile-diff:".
static Error parseLine(StringRef file, StringRef ptx, StringRef text,
                       std::vector<KernelTest> &tests) {
  if (text.starts_with("kernel=")) {
    Expected<KernelTest> test = parseHeader(file, ptx, text);
    if (!test)
      return test.takeError();
    for (const KernelTest &other : tests)
      if (other.image.entry == test->image.entry)
        return createStringError("kernel '" + test->image.entry +
                                 "' has a test already");
    tests.push_back(std::move(*test));
    return Error::success();
  }
  if (tests.empty())
    return createStringError("an argument before any kernel: a test begins "
                             "with kernel=NAME");
  Expected<TestArgument> argument = parseArgument(text);
  if (argument)
    tests.back().arguments.push_back(std::move(*argument));
  return argument.takeError();
}

Expected<std::vector<KernelTest>> diff::parseTests(StringRef file,
                                                   StringRef ptx) {
  std::vector<KernelTest> tests;
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  for (auto [index, line] : enumerate(lines)) {
    StringRef text = line.trim();
    if (!text.consume_front("//"))
      continue;
    text = text.ltrim();
    if (!text.consume_front("tile-diff:"))
      continue;
    if (Error error = parseLine(file, ptx, text.trim(), tests))
      return createStringError(file + ":" + Twine(index + 1) + ": " +
                               toString(std::move(error)));
  }
  if (tests.empty())
    return createStringError(file + ":1: no line says how to run a kernel; "
                                    "write `// tile-diff: kernel=NAME "
                                    "threads=N` and its arguments");
  return tests;
}
