//===- Module.cpp - The extension module tilewright._core -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BareLaunch.h"
#include "DiskCache.h"
#include "Dispatcher.h"
#include "Errors.h"
#include "ForkGuard.h"
#include "IrBuilder.h"
#include "Kernel.h"

#include "tilewright/Compiler/NearestName.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "tilewright/Runtime/LaunchChoices.h"
#include "llvm/ADT/SmallVector.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tilewright;

/// The target whose code runs best on the first GPU; nothing where there is
/// none, or none that is supported.
static std::optional<std::string> getGpuTarget() {
  llvm::Expected<std::string> architecture = runtime::getCudaArchitecture();
  if (!architecture) {
    llvm::consumeError(architecture.takeError());
    return std::nullopt;
  }
  std::optional<GpuTarget> target = GpuTarget::forDevice(*architecture);
  if (!target)
    return std::nullopt;
  return target->name.str();
}

/// The first of the GPUs has the number 0.
static nb::tuple describeGpu(unsigned number) {
  llvm::Expected<runtime::Device *> device = jit::openGpu(number);
  if (!device)
    python::raise(device.takeError(), "LaunchError");
  const runtime::DeviceInfo &info = (*device)->getInfo();
  return nb::make_tuple(info.name, info.driverVersion);
}

static unsigned countMultiprocessors(unsigned number) {
  llvm::Expected<runtime::Device *> device = jit::openGpu(number);
  if (!device)
    python::raise(device.takeError(), "LaunchError");
  return (*device)->getInfo().multiprocessors;
}

static nb::tuple describeTarget(const std::string &name) {
  llvm::Expected<GpuTarget> target = GpuTarget::parse(name);
  if (!target)
    python::raise(PyExc_ValueError, llvm::toString(target.takeError()));
  return nb::make_tuple(target->computeMajor * 10 + target->computeMinor,
                        target->maxSharedBytesPerBlock, target->registersPerSM,
                        target->warpSize, target->multiprocessors);
}

/// Of products that tensor cores make.
static unsigned choosePartsOfLaunch(int64_t programs, int64_t trips,
                                    unsigned multiprocessors) {
  return runtime::chooseProductParts({programs, 1, 1}, trips, /*areFull=*/false,
                                     multiprocessors);
}

static std::string suggest(const std::string &unknown,
                           const std::vector<std::string> &known) {
  return suggestName(unknown, llvm::to_vector_of<llvm::StringRef>(known));
}

NB_MODULE(_core, module) {
  // Kernels are globals of modules, which may outlive this one at Python's end.
  nb::set_leak_warnings(false);
  module.doc() = "The compiler and the runtime of Tilewright.";
  module.attr("version") = TILEWRIGHT_VERSION;
  module.def("get_gpu_target", &getGpuTarget,
             "The target for the GPU of this machine, or None.");
  python::bindDiskCache(module);
  module.def("describe_gpu", &describeGpu, nb::arg("number"),
             nb::sig("def describe_gpu(number: int) -> tuple[str, str]"),
             "The name of a GPU, and the version of CUDA that its driver has.");
  module.def("count_multiprocessors", &countMultiprocessors, nb::arg("number"),
             "How many multiprocessors a GPU has.");
  module.def("describe_target", &describeTarget, nb::arg("name"),
             nb::sig("def describe_target(name: str) -> tuple[int, int, int, "
                     "int, int]"),
             "Of a target 90 for sm_90a, the most shared memory of a block in "
             "bytes, registers of a multiprocessor, threads of a warp, and the "
             "multiprocessors of the GPU whose memory reports go by.");
  module.def(
      "choose_product_parts", &choosePartsOfLaunch, nb::arg("programs"),
      nb::arg("trips"), nb::arg("multiprocessors"),
      "How many blocks divide the steps along K of each program, but for "
      "clusters that do not all run at once.");
  module.def("suggest_name", &suggest, nb::arg("unknown"), nb::arg("known"),
             "What follows a name that is not there: empty where none is like "
             "it.");
  python::bindIrBuilder(module);
  python::bindKernel(module);
  python::bindDispatcher(module);
  python::bindBareLaunch(module);
  python::bindForkGuard(module);
  python::prepareUnwinding();
}
