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
/// A kernel of the context that is current, with its arguments.
class BareLaunch {
public:
  BareLaunch(const std::string &ptx, const std::string &name,
             std::tuple<unsigned, unsigned, unsigned> grid, unsigned threads,
             std::vector<uint64_t> bits, uintptr_t stream);
  ~BareLaunch() { driver.moduleUnload(module); }
  BareLaunch(const BareLaunch &) = delete;
  BareLaunch &operator=(const BareLaunch &) = delete;

  /// Nanoseconds of a launch, of so many.
  double time(unsigned count) const;

private:
  void check(cuda::Result result, const llvm::Twine &what) const {
    if (llvm::Error error = driver.check(result, what))
      raise(std::move(error), "LaunchError");
  }

  const cuda::Driver &driver;
  std::vector<uint64_t> bits;
  std::vector<void *> addresses;
  cuda::LaunchConfig config = {};
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
};
} // namespace

BareLaunch::BareLaunch(const std::string &ptx, const std::string &name,
                       std::tuple<unsigned, unsigned, unsigned> grid,
                       unsigned threads, std::vector<uint64_t> given,
                       uintptr_t stream)
    : driver(*unwrap(cuda::Driver::get(), "LaunchError")),
      bits(std::move(given)) {
  for (uint64_t &each : bits)
    addresses.push_back(&each);
  std::tie(config.gridDim[0], config.gridDim[1], config.gridDim[2]) = grid;
  config.blockDim[0] = threads;
  config.blockDim[1] = config.blockDim[2] = 1;
  config.stream = llvm::bit_cast<cuda::Stream>(stream);
  check(driver.moduleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr),
        "loading a kernel");
  check(driver.moduleGetFunction(&function, module, name.c_str()), name);
}

double BareLaunch::time(unsigned count) const {
  cuda::Result result = cuda::success;
  auto **arguments = const_cast<void **>(addresses.data());
  auto begin = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < count && result == cuda::success; ++i)
    result = driver.launchKernelEx(&config, function, arguments, nullptr);
  auto end = std::chrono::steady_clock::now();
  check(result, "launching a kernel");
  check(driver.ctxSynchronize(), "waiting for a kernel");
  return std::chrono::duration<double, std::nano>(end - begin).count() / count;
}

void python::bindBareLaunch(nb::module_ &module) {
  nb::class_<BareLaunch>(
      module, "BareLaunch",
      "A kernel that the driver launches with nothing around it: what is left "
      "of a launch from Python where Python and this package take no time. The "
      "arguments are bits, and the context is the one that is current.")
      .def(nb::init<std::string, std::string,
                    std::tuple<unsigned, unsigned, unsigned>, unsigned,
                    std::vector<uint64_t>, uintptr_t>(),
           "ptx"_a, "name"_a, "grid"_a, "threads"_a, "arguments"_a, "stream"_a)
      .def("time", &BareLaunch::time, "count"_a,
           "Nanoseconds that the driver takes for a launch, of so many in a "
           "row; then waits for them.");
}
