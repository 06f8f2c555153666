//===- MachineCode.cpp - What a device loads, kept on disk --------*- C++ -*-
//===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/KernelCache.h"
#include "tilewright/Jit/LoadedCompiler.h"
#include "tilewright/Target/Ptxas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace tilewright;
using namespace tilewright::jit;

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

/// A file by its path, size and time; empty where there is none.
static std::string describeFile(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "";
  return (path + " " + llvm::Twine(status.getSize()) + " " +
          llvm::Twine(
              status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

std::string jit::getBuildIdentity() {
  auto digest = llvm::MemoryBuffer::getFile(getCompilerPath() + ".sha256");
  if (!digest)
    return "";
  std::string identity =
      "tilewright " TILEWRIGHT_VERSION " LLVM " LLVM_VERSION_STRING " ";
  identity += (*digest)->getBuffer();
  // Those that the compiler's library loads, where it is not of one piece.
  for (llvm::StringRef library : llvm::split(TILEWRIGHT_SHARED_LIBRARIES, ' '))
    identity += describeFile(library);
  return identity;
}

//===----------------------------------------------------------------------===//
// Assemblers
//===----------------------------------------------------------------------===//

namespace {

/// Makes machine code of PTX for a device: the ptxas that TILEWRIGHT_PTXAS
/// names, and else the device, where it has an assembler. A ptxas that is
/// merely there may be newer than the driver, which would refuse what it makes.
class Assembler {
public:
  Assembler(runtime::Device &device, const GpuTarget &target)
      : device(device), target(target) {
    if (!llvm::sys::Process::GetEnv("TILEWRIGHT_PTXAS"))
      return;
    llvm::Expected<std::optional<Ptxas>> found = Ptxas::find();
    if (found)
      ptxas = std::move(*found);
    else // Reports tell of it.
      llvm::consumeError(found.takeError());
  }

  /// Code of equal identities is the same; empty where there is no assembler.
  std::string getIdentity() const {
    if (ptxas)
      return "ptxas " + describeFile(ptxas->getPath());
    return device.getAssembler();
  }

  llvm::Expected<std::string> assemble(const runtime::KernelImage &image) {
    if (!ptxas)
      return device.assemble(image);
    llvm::Expected<PtxasOutput> output = ptxas->assemble(image.code, target);
    if (!output)
      return output.takeError();
    return std::string(output->cubin.begin(), output->cubin.end());
  }

private:
  runtime::Device &device;
  const GpuTarget &target;
  std::optional<Ptxas> ptxas;
};

} // namespace

llvm::Expected<std::unique_ptr<runtime::LoadedKernel>>
jit::loadCached(const KernelCache &cache, runtime::Device &device,
                const GpuTarget &target, const VariantKey &variant,
                const runtime::KernelImage &image) {
  if (!device.takesMachineCode())
    return device.load(image);
  Assembler assembler(device, target);
  std::string identity = assembler.getIdentity();
  if (identity.empty())
    return device.load(image);
  std::optional<std::string> code = cache.loadMachineCode(variant, identity);
  bool isNew = !code;
  if (isNew) {
    llvm::Expected<std::string> made = assembler.assemble(image);
    if (!made) {
      // To load the PTX says why, or does without.
      llvm::consumeError(made.takeError());
      return device.load(image);
    }
    code = std::move(*made);
  }
  runtime::KernelImage binary = image;
  binary.code = *code;
  llvm::Expected<std::unique_ptr<runtime::LoadedKernel>> kernel =
      device.load(binary);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return device.load(image);
  }
  if (isNew)
    cache.saveMachineCode(variant, identity, *code);
  return kernel;
}
