//===- tile-diff.cpp - Do two devices give the same bits? -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels on a device and compares what they leave in memory with what
// another device left, or with a recording of it. KernelTest.h says how a PTX
// file describes its launches.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "Comparison.h"
#include "KernelTest.h"
#include "Recording.h"
#include "TestRun.h"
#include "TileSource.h"
#include "common/CompilerCommandLine.h"
#include "common/Machine.h"
#include "common/NamedParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::diff;

namespace {
enum class DeviceKind { Both, Cuda, Simulator };

/// The tool's own options beside those that all compiling tools have.
struct CommandLine : CompilerCommandLine {
  NamedOption<DeviceKind> device{
      "device", cl::init(DeviceKind::Both), cl::desc("Where to run"),
      cl::cat(category),
      cl::values(
          clEnumValN(DeviceKind::Both, "both",
                     "Compare the GPU and the simulator (default)"),
          clEnumValN(DeviceKind::Cuda, "cuda", "Only on the GPU"),
          clEnumValN(DeviceKind::Simulator, "sim", "Only in the simulator"))};
  cl::opt<std::string> record{
      "record", cl::value_desc("DIR"),
      cl::desc("Keep the results of PTX files in this folder"),
      cl::cat(category)};
  cl::opt<std::string> expect{
      "expect", cl::value_desc("DIR"),
      cl::desc("Compare with the results that --record kept"),
      cl::cat(category)};
  cl::opt<std::string> inputs{
      "inputs", cl::init("any"), cl::value_desc("any|normal|iota|zero"),
      cl::desc("Contents of tensors that a tile kernel reads"),
      cl::cat(category)};
  cl::opt<std::string> tolerance{
      "tolerance", cl::init("bits"),
      cl::value_desc("bits|ulp:N|relative:X|absolute:X"),
      cl::desc("How far apart results of a tile kernel may be"),
      cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::value_desc("N"),
                         cl::desc("Chooses the inputs of a tile kernel"),
                         cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print the results as JSON"),
                     cl::cat(category)};

  CommandLine() : CompilerCommandLine(Files::Several) {}

  Error check() const;
};

/// How a test went.
struct Outcome {
  enum Status { Same, Different, Ran, Failed };
  std::string file;
  std::string kernel;
  Status status = Ran;
  /// Why it failed.
  std::string message;
  std::vector<BufferComparison> buffers;
};

/// Runs the tests of one file after another.
class Session {
public:
  Session(const CommandLine &line, std::vector<Machine> machines)
      : line(line), machines(std::move(machines)) {}

  /// All tests of a file. Fails where they cannot be told, or read or kept.
  Error runFile(StringRef file);
  bool passed() const;
  void print(raw_ostream &os) const;
  json::Value toJSON() const;

private:
  Expected<std::vector<KernelTest>> readTests(StringRef file, StringRef text);
  Outcome runOne(const KernelTest &test, const Recording *expected,
                 Recording *kept);
  Error runOne(const KernelTest &test, const Recording *expected,
               Recording *kept, Outcome &outcome);

  const CommandLine &line;
  std::vector<Machine> machines;
  std::vector<Outcome> outcomes;
  /// What the two results of a comparison come from.
  std::string firstName;
  std::string secondName;
};
} // namespace

static bool isTileSource(StringRef file) { return file.ends_with(".mlir"); }

Error CommandLine::check() const {
  if (!record.empty() && !expect.empty())
    return createStringError("--record and --expect exclude each other");
  if ((!record.empty() || !expect.empty()) && device == DeviceKind::Both)
    return createStringError("--record and --expect need --device=cuda or "
                             "--device=sim: the device to run on");
  if (Expected<Contents> contents = parseContents(inputs); !contents)
    return createStringError("--inputs: " + toString(contents.takeError()));
  if (Expected<Tolerance> limit = parseTolerance(tolerance); !limit)
    return createStringError("--tolerance: " + toString(limit.takeError()));
  return Error::success();
}

static Expected<std::vector<Machine>> openMachines(DeviceKind kind) {
  std::vector<Machine> machines;
  if (kind != DeviceKind::Simulator) {
    Expected<Machine> machine = openCuda();
    if (machine)
      machines.push_back(std::move(*machine));
    else if (kind == DeviceKind::Cuda)
      return machine.takeError();
    else
      errs() << "tile-diff: " << toString(machine.takeError())
             << "; running in the simulator, with nothing to compare\n";
  }
  if (kind != DeviceKind::Cuda)
    machines.push_back(openSimulator());
  return machines;
}

Expected<std::vector<KernelTest>> Session::readTests(StringRef file,
                                                     StringRef text) {
  if (!isTileSource(file))
    return parseTests(file, text);
  if (!line.record.empty() || !line.expect.empty())
    return createStringError(file + ": --record and --expect are for PTX, not "
                                    "for tile IR");
  Expected<KernelTest> test =
      makeTileTest(line, file, text, machines.front().target,
                   cantFail(parseContents(line.inputs)),
                   cantFail(parseTolerance(line.tolerance)));
  if (!test)
    return test.takeError();
  test->seed = line.seed;
  return std::vector<KernelTest>{std::move(*test)};
}

Error Session::runFile(StringRef file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read '" + file +
                             "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  Expected<std::vector<KernelTest>> tests = readTests(file, text);
  if (!tests)
    return tests.takeError();

  firstName = machines.front().device->getInfo().name;
  secondName = machines.back().device->getInfo().name;
  std::optional<Recording> expected;
  if (!line.expect.empty()) {
    Expected<Recording> recording = Recording::read(line.expect, file, text);
    if (!recording)
      return recording.takeError();
    expected = std::move(*recording);
    secondName = ("recorded " + expected->getDeviceName()).str();
  }
  std::optional<Recording> kept;
  if (!line.record.empty())
    kept.emplace(machines.front().device->getInfo(), text);

  for (const KernelTest &test : *tests)
    outcomes.push_back(
        runOne(test, expected ? &*expected : nullptr, kept ? &*kept : nullptr));
  return kept ? kept->write(line.record, file) : Error::success();
}

Error Session::runOne(const KernelTest &test, const Recording *expected,
                      Recording *kept, Outcome &outcome) {
  BufferBytes contents = makeContents(test);
  std::vector<BufferBytes> results;
  for (const Machine &machine : machines) {
    Expected<BufferBytes> result = runTest(*machine.device, test, contents);
    if (!result)
      return createStringError("on " + machine.device->getInfo().name + ": " +
                               toString(result.takeError()));
    results.push_back(std::move(*result));
  }
  if (kept)
    kept->add(test, contents, results.front());
  if (expected) {
    Expected<BufferBytes> recorded = expected->find(test, contents);
    if (!recorded)
      return recorded.takeError();
    results.push_back(std::move(*recorded));
  }
  if (results.size() == 1)
    return Error::success();
  outcome.buffers = compare(test, results.front(), results.back());
  outcome.status =
      all_of(outcome.buffers,
             [](const BufferComparison &buffer) { return buffer.wrong == 0; })
          ? Outcome::Same
          : Outcome::Different;
  return Error::success();
}

Outcome Session::runOne(const KernelTest &test, const Recording *expected,
                        Recording *kept) {
  Outcome outcome;
  outcome.file = test.file;
  outcome.kernel = test.image.entry;
  if (Error error = runOne(test, expected, kept, outcome)) {
    outcome.status = Outcome::Failed;
    outcome.message = toString(std::move(error));
  }
  return outcome;
}

bool Session::passed() const {
  return none_of(outcomes, [](const Outcome &outcome) {
    return outcome.status == Outcome::Different ||
           outcome.status == Outcome::Failed;
  });
}

static StringRef getName(Outcome::Status status) {
  switch (status) {
  case Outcome::Same:
    return "same";
  case Outcome::Different:
    return "different";
  case Outcome::Ran:
    return "ran";
  case Outcome::Failed:
    return "failed";
  }
  llvm_unreachable("not a status");
}

void Session::print(raw_ostream &os) const {
  unsigned counts[4] = {};
  for (const Outcome &outcome : outcomes) {
    ++counts[outcome.status];
    os << outcome.file << ": " << outcome.kernel << ": "
       << getName(outcome.status)
       << (outcome.message.empty() ? "" : ": " + outcome.message) << "\n";
    for (const BufferComparison &buffer : outcome.buffers) {
      if (buffer.largestDistance > 0)
        os << formatv("  {0}: {1} of {2} elements differ, by at most ",
                      buffer.name, buffer.unequal, buffer.elements)
           << format("%g\n", buffer.largestDistance);
      if (buffer.wrong)
        os << formatv("  {0}: {1} of {2} elements are too far apart\n",
                      buffer.name, buffer.wrong, buffer.elements);
      for (const Difference &difference : buffer.differences)
        os << formatv("  {0}[{1}]: {2} ({3}), {4} ({5})\n", buffer.name,
                      difference.index,
                      formatBits(buffer.type, difference.first), firstName,
                      formatBits(buffer.type, difference.second), secondName);
    }
  }
  os << outcomes.size() << (outcomes.size() == 1 ? " kernel: " : " kernels: ")
     << counts[Outcome::Same] << " same, " << counts[Outcome::Different]
     << " different, " << counts[Outcome::Ran]
     << " ran with nothing to compare, " << counts[Outcome::Failed]
     << " failed\n";
}

json::Value Session::toJSON() const {
  json::Array devices;
  for (const Machine &machine : machines)
    devices.push_back(describe(machine.device->getInfo()));
  json::Array tests;
  for (const Outcome &outcome : outcomes) {
    json::Array buffers;
    for (const BufferComparison &buffer : outcome.buffers)
      buffers.push_back(buffer.toJSON());
    tests.push_back(json::Object{{"file", outcome.file},
                                 {"kernel", outcome.kernel},
                                 {"status", getName(outcome.status)},
                                 {"message", outcome.message},
                                 {"buffers", std::move(buffers)}});
  }
  return json::Object{{"devices", std::move(devices)},
                      {"tests", std::move(tests)},
                      {"passed", passed()}};
}

int tilewright::tileDiffMain(int argc, char **argv) {
  CommandLine line;
  ExitOnError check("tile-diff: error: ");
  check(line.parse(argc, argv,
                   "Tilewright's comparison of devices: runs kernels on the "
                   "GPU and in the simulator\n"));
  check(line.check());
  Session session(line, check(openMachines(line.device)));
  for (const std::string &file : line.files)
    check(session.runFile(file));
  if (line.json)
    outs() << formatv("{0:2}\n", session.toJSON());
  else
    session.print(outs());
  check(finishOutput(outs(), "-"));
  return session.passed() ? EXIT_SUCCESS : EXIT_FAILURE;
}
