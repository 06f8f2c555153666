//===- BareLaunch.cpp - What the driver takes for a launch ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BareLaunch.h"

#include "Errors.h"
#include "tilewright/Runtime/CudaDriver.h"
#include "llvm/ADT/bit.h"
#include <chrono>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tilewright;
using namespace tilewright::python;
using namespace tilewright::runtime;

namespace {
/// A kernel of the context that is current.
class BareKernel {
public:
  BareKernel(const cuda::Driver &driver, const std::string &ptx,
             const std::string &name)
      : driver(driver) {
    check(driver.moduleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr),
          "loading a kernel");
    check(driver.moduleGetFunction(&function, module, name.c_str()), name);
  }
  ~BareKernel() { driver.moduleUnload(module); }
  BareKernel(const BareKernel &) = delete;
  BareKernel &operator=(const BareKernel &) = delete;

  /// Nanoseconds of so many launches.
  double time(const cuda::LaunchConfig &config, void **arguments,
              unsigned count) const {
    cuda::Result result = cuda::success;
    auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < count && result == cuda::success; ++i)
      result = driver.launchKernelEx(&config, function, arguments, nullptr);
    auto end = std::chrono::steady_clock::now();
    check(result, "launching a kernel");
    check(driver.ctxSynchronize(), "waiting for a kernel");
    return std::chrono::duration<double, std::nano>(end - begin).count();
  }

private:
  void check(cuda::Result result, const llvm::Twine &what) const {
    if (llvm::Error error = driver.check(result, what))
      raise(std::move(error), "LaunchError");
  }

  const cuda::Driver &driver;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
};
} // namespace

static std::vector<double>
timeBareLaunches(const std::string &ptx, const std::string &name,
                 std::tuple<unsigned, unsigned, unsigned> grid,
                 unsigned threads, std::vector<uint64_t> arguments,
                 uintptr_t stream, unsigned count, unsigned rounds) {
  const cuda::Driver &driver = *unwrap(cuda::Driver::get(), "LaunchError");
  BareKernel kernel(driver, ptx, name);
  std::vector<void *> addresses;
  addresses.reserve(arguments.size());
  for (uint64_t &bits : arguments)
    addresses.push_back(&bits);
  cuda::LaunchConfig config = {};
  std::tie(config.gridDim[0], config.gridDim[1], config.gridDim[2]) = grid;
  config.blockDim[0] = threads;
  config.blockDim[1] = config.blockDim[2] = 1;
  config.stream = llvm::bit_cast<cuda::Stream>(stream);
  kernel.time(config, addresses.data(), count);
  std::vector<double> times;
  times.reserve(rounds);
  for (unsigned round = 0; round < rounds; ++round)
    times.push_back(kernel.time(config, addresses.data(), count) / count);
  return times;
}

void python::bindBareLaunch(nb::module_ &module) {
  module.def("time_bare_launches", &timeBareLaunches, "ptx"_a, "name"_a,
             "grid"_a, "threads"_a, "arguments"_a, "stream"_a, "count"_a,
             "rounds"_a,
             "Nanoseconds that the driver takes for a launch, in each of some "
             "rounds of so many launches: what is left of a launch from Python "
             "where Python and this package take no time. The arguments are "
             "bits, and the context is the one that is current.");
}
