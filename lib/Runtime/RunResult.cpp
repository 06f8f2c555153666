//===- RunResult.cpp - What a run of a kernel showed ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/RunResult.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::runtime;
namespace json = llvm::json;

Timing Timing::fromSamples(std::vector<double> samples, bool flushedCache) {
  Timing timing;
  timing.flushedCache = flushedCache;
  if (samples.empty())
    return timing;
  std::vector<double> sorted = samples;
  llvm::sort(sorted);
  size_t middle = sorted.size() / 2;
  timing.median = sorted.size() % 2 ? sorted[middle]
                                    : (sorted[middle - 1] + sorted[middle]) / 2;
  timing.min = sorted.front();
  timing.max = sorted.back();
  timing.samples = std::move(samples);
  return timing;
}

bool RunResult::passed() const {
  return violations.empty() && llvm::all_of(outputs, [](const OutputReport &r) {
           return r.isRight();
         });
}

std::optional<double> RunResult::getGigabytesPerSecond() const {
  if (!timing || timing->median <= 0)
    return std::nullopt;
  return static_cast<double>(bytesMoved) / timing->median / 1e3;
}

static llvm::StringRef getName(TensorRole role) {
  switch (role) {
  case TensorRole::Input:
    return "input";
  case TensorRole::Output:
    return "output";
  case TensorRole::InOut:
    return "in/out";
  case TensorRole::Unknown:
    return "unknown";
  }
  llvm_unreachable("not a role");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no infinity and no NaN.
static json::Value toJSON(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static json::Value toJSON(const std::optional<unsigned> &value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}

template <typename Range> static json::Array toArray(const Range &values) {
  json::Array array;
  for (const auto &value : values)
    array.push_back(value);
  return array;
}

static json::Object toJSON(const DeviceInfo &device) {
  return json::Object{{"name", device.name},
                      {"architecture", device.architecture},
                      {"multiprocessors", device.multiprocessors},
                      {"memory_bytes", device.memoryBytes},
                      {"l2_bytes", device.l2Bytes},
                      {"driver_version", device.driverVersion}};
}

static json::Object toJSON(const KernelResources &resources) {
  return json::Object{
      {"registers", toJSON(resources.registers)},
      {"local_bytes", toJSON(resources.localBytes)},
      {"static_shared_bytes", resources.staticSharedBytes},
      {"dynamic_shared_bytes", resources.dynamicSharedBytes},
      {"blocks_per_multiprocessor", toJSON(resources.blocksPerMultiprocessor)}};
}

static json::Object toJSON(const OutputReport &output) {
  json::Array mismatches;
  for (const Mismatch &mismatch : output.mismatches)
    mismatches.push_back(json::Object{
        {"index", toArray(mismatch.index)},
        {"expected", mismatch.expected},
        {"got", mismatch.got},
        {"got_bits", "0x" + llvm::utohexstr(mismatch.gotBits, true)},
        {"error", toJSON(mismatch.error)},
        {"bound", toJSON(mismatch.bound)}});
  return json::Object{{"name", output.name},
                      {"elements", output.elements},
                      {"checked", output.checked},
                      {"wrong", output.wrong},
                      {"unwritten", output.unwritten},
                      {"undefined", output.undefined},
                      {"max_error", toJSON(output.maxError)},
                      {"max_error_share", toJSON(output.maxErrorShare)},
                      {"mismatches", std::move(mismatches)}};
}

static json::Object toJSON(const TensorReport &tensor) {
  return json::Object{{"name", tensor.name},
                      {"type", spec::getName(tensor.type)},
                      {"extents", toArray(tensor.extents)},
                      {"role", getName(tensor.role)}};
}

static json::Object toJSON(const Timing &timing) {
  return json::Object{{"median_microseconds", timing.median},
                      {"min_microseconds", timing.min},
                      {"max_microseconds", timing.max},
                      {"samples", toArray(timing.samples)},
                      {"flushed_cache", timing.flushedCache}};
}

json::Object RunResult::toJSON() const {
  json::Object scalarValues;
  for (const auto &[name, value] : scalars)
    scalarValues[name] = value;
  json::Array tensorValues;
  for (const TensorReport &tensor : tensors)
    tensorValues.push_back(::toJSON(tensor));
  json::Array outputValues;
  for (const OutputReport &output : outputs)
    outputValues.push_back(::toJSON(output));

  json::Object result{{"kernel", kernel},
                      {"device", ::toJSON(device)},
                      {"scalars", std::move(scalarValues)},
                      {"tensors", std::move(tensorValues)},
                      {"grid", toArray(grid)},
                      {"threads_per_block", threadsPerBlock},
                      {"launched", launched},
                      {"resources", ::toJSON(resources)},
                      {"passed", passed()},
                      {"outputs", std::move(outputValues)},
                      {"violations", toArray(violations)},
                      {"bytes_moved", bytesMoved}};
  if (timing) {
    result["timing"] = ::toJSON(*timing);
    if (std::optional<double> rate = getGigabytesPerSecond())
      result["gigabytes_per_second"] = *rate;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printResources(const KernelResources &resources,
                           llvm::raw_ostream &os) {
  os << "resources ";
  if (resources.registers)
    os << *resources.registers << " registers, ";
  if (resources.localBytes)
    os << *resources.localBytes << " bytes of local memory, ";
  os << resources.staticSharedBytes + resources.dynamicSharedBytes
     << " bytes of shared memory";
  if (resources.blocksPerMultiprocessor)
    os << ", " << *resources.blocksPerMultiprocessor
       << " blocks a multiprocessor";
  os << '\n';
}

static void printMismatch(const OutputReport &output, const Mismatch &mismatch,
                          llvm::raw_ostream &os) {
  os << "          " << output.name << '[' << llvm::interleaved(mismatch.index)
     << "]: expected " << mismatch.expected << ", got " << mismatch.got
     << llvm::formatv(" (0x{0})", llvm::utohexstr(mismatch.gotBits, true));
  if (std::isfinite(mismatch.error) && mismatch.bound > 0)
    os << llvm::format("; off by %.3g, may be %.3g", mismatch.error,
                       mismatch.bound);
  os << '\n';
}

static void printOutput(const OutputReport &output, llvm::raw_ostream &os) {
  os << "check     " << output.name << ": ";
  if (output.isRight())
    os << "correct";
  else
    os << output.wrong << " WRONG";
  if (output.unwritten)
    os << " (" << output.unwritten << " never written)";
  os << ", checked " << output.checked << " of " << output.elements
     << " elements";
  if (output.checked < output.elements)
    os << " (all corners, edges, the rest at random)";
  if (output.undefined)
    os << ", " << output.undefined
       << " of them without a value (rounding decides whether there is a "
          "number, or an index is outside its range)";
  if (output.isRight() && output.maxError > 0)
    os << llvm::format(", largest error %.3g (%.0f%% of the bound)",
                       output.maxError, 100 * output.maxErrorShare);
  if (output.maxWrongShare > 0 && std::isfinite(output.maxWrongShare))
    os << llvm::format(", largest error %.3g (%.3g times the bound)",
                       output.maxWrongError, output.maxWrongShare);
  os << '\n';
  for (const Mismatch &mismatch : output.mismatches)
    printMismatch(output, mismatch, os);
  if (output.wrong > output.mismatches.size() && !output.mismatches.empty())
    os << "          ... and " << output.wrong - output.mismatches.size()
       << " more\n";
  if (output.mayBeRounded())
    os << "hint      errors of this size come from rounding an intermediate "
          "result to few bits. If the kernel does, say so\n"
          "          in the reference: f16(e) where it rounds e itself, "
          "within(f16, e) where it rounds e in another way, such\n"
          "          as scaled; or allow for it by --tolerance=REL or "
          "--tolerance=REL,ABS\n";
}

void RunResult::print(llvm::raw_ostream &os) const {
  os << "kernel    " << kernel;
  for (const auto &[name, value] : scalars)
    os << ' ' << name << '=' << value;
  os << "\ndevice    " << device.name;
  if (!device.architecture.empty())
    os << " (" << device.architecture << ')';
  os << "\nlaunch    ";
  if (launched)
    os << "grid " << toString(grid) << ", " << threadsPerBlock
       << " threads a block\n";
  else
    os << "none: the grid is empty (" << toString(grid) << ")\n";
  printResources(resources, os);

  for (const OutputReport &output : outputs)
    printOutput(output, os);
  for (const std::string &violation : violations)
    os << "check     " << violation << '\n';
  if (outputs.empty() && violations.empty())
    os << "check     none\n";
  if (!timing)
    return;
  os << llvm::format("time      median %.2f us, from %.2f to %.2f us in ",
                     timing->median, timing->min, timing->max)
     << timing->samples.size() << " runs"
     << (timing->flushedCache ? ", caches flushed before each" : "") << '\n';
  if (std::optional<double> rate = getGigabytesPerSecond())
    os << llvm::format("rate      %.1f GB/s", *rate) << " (" << bytesMoved
       << " bytes: every input read once, every output written once)\n";
}
