//===- CudaDriver.cpp - The CUDA Driver API, loaded at run time -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/CudaDriver.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace tilewright::runtime::cuda;

llvm::Expected<Driver> Driver::load(llvm::StringRef library) {
  std::string reason;
  llvm::sys::DynamicLibrary handle =
      llvm::sys::DynamicLibrary::getPermanentLibrary(library.str().c_str(),
                                                     &reason);
  if (!handle.isValid())
    return llvm::createStringError(
        "no NVIDIA driver found: " + library + " could not be loaded (" +
        reason + "); install the driver, or run the kernel in the simulator");
  Driver driver;
#define TILEWRIGHT_FIND(member, symbol, parameters)                            \
  driver.member = reinterpret_cast<decltype(driver.member)>(                   \
      handle.getAddressOfSymbol(symbol));                                      \
  if (!driver.member)                                                          \
    return llvm::createStringError(                                            \
        library + " has no function " symbol                                   \
                  "; a driver for CUDA 12.0 or newer is needed");
  TILEWRIGHT_CUDA_FUNCTIONS(TILEWRIGHT_FIND)
#undef TILEWRIGHT_FIND
#define TILEWRIGHT_LOOK_FOR(member, symbol, parameters)                        \
  driver.member = reinterpret_cast<decltype(driver.member)>(                   \
      handle.getAddressOfSymbol(symbol));
  TILEWRIGHT_CUDA_OPTIONAL_FUNCTIONS(TILEWRIGHT_LOOK_FOR)
#undef TILEWRIGHT_LOOK_FOR
  return driver;
}

static llvm::Expected<Driver> loadAndInitialise() {
  llvm::Expected<Driver> driver = Driver::load("libcuda.so.1");
  if (!driver)
    return driver;
  Result result = driver->init(0);
  if (result == errorNoDevice)
    return llvm::createStringError(
        "the NVIDIA driver finds no GPU; run the kernel in the simulator");
  if (llvm::Error error =
          driver->check(result, "the NVIDIA driver does not start"))
    return error;
  return driver;
}

llvm::Expected<const Driver *> Driver::get() {
  // Kept apart as text: an Error can be taken only once.
  static std::string failure;
  static const Driver driver = [] {
    llvm::Expected<Driver> loaded = loadAndInitialise();
    if (loaded)
      return *loaded;
    failure = llvm::toString(loaded.takeError());
    return Driver();
  }();
  if (!failure.empty())
    return llvm::createStringError(failure);
  return &driver;
}

/// What to do about errors that come of how a process uses CUDA.
static llvm::StringRef getRemedy(Result result) {
  switch (result) {
  case errorNotInitialized:
    return "; a process that was forked from one with a GPU in use cannot use "
           "it: start the process anew, as multiprocessing does with "
           "set_start_method('spawn')";
  case errorStreamCaptureUnsupported:
  case errorStreamCaptureInvalidated:
  case errorStreamCaptureImplicit:
    return "; while a CUDA graph is captured only launches on its stream are "
           "possible: launch the kernel once before, as a warmup, on arrays of "
           "the GPU, and pass stream= where they name none";
  default:
    return "";
  }
}

llvm::Error Driver::check(Result result, const llvm::Twine &what) const {
  if (result == success)
    return llvm::Error::success();
  const char *name = nullptr;
  const char *description = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &description);
  std::string code =
      name ? name : "unknown CUDA error " + llvm::Twine(result).str();
  return llvm::createStringError(
      what + ": " + code + (description ? ": " : "") +
      (description ? description : "") + getRemedy(result));
}
