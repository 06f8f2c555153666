//===- MachineCode.cpp - What a device loads, kept on disk ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/KernelCache.h"
#include "tilewright/Jit/LoadedCompiler.h"
#include "tilewright/Target/Ptxas.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace tilewright;
using namespace tilewright::jit;

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

std::string jit::getBuildIdentity() {
  auto digest = llvm::MemoryBuffer::getFile(getCompilerPath() + ".sha256");
  if (!digest)
    return "";
  return ("tilewright " TILEWRIGHT_VERSION " LLVM " LLVM_VERSION_STRING " " +
          (*digest)->getBuffer())
      .str();
}

//===----------------------------------------------------------------------===//
// The assembler
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

/// The ptxas that TILEWRIGHT_PTXAS names. One that is merely there may be newer
/// than the driver, which would refuse what it makes. The driver itself makes
/// slower code of PTX when it links than when it loads
/// (docs/decisions/0020-the-cache-on-disk.md).
static std::optional<Ptxas> findNamedPtxas() {
  if (!llvm::sys::Process::GetEnv("TILEWRIGHT_PTXAS"))
    return std::nullopt;
  llvm::Expected<std::optional<Ptxas>> found = Ptxas::find();
  if (found)
    return std::move(*found);
  llvm::consumeError(found.takeError()); // Reports tell of it.
  return std::nullopt;
}

llvm::Expected<std::unique_ptr<runtime::LoadedKernel>>
jit::loadCached(const KernelCache &cache, runtime::Device &device,
                const GpuTarget &target, const VariantKey &variant,
                const runtime::KernelImage &image) {
  std::optional<Ptxas> ptxas;
  if (device.takesMachineCode())
    ptxas = findNamedPtxas();
  if (!ptxas)
    return device.load(image);
  std::string identity = "ptxas " + describeFile(ptxas->getPath());
  std::optional<std::string> code = cache.loadMachineCode(variant, identity);
  bool isNew = !code;
  if (isNew) {
    llvm::Expected<PtxasOutput> made = ptxas->assemble(image.code, target);
    if (!made) {
      // To load the PTX says why, or does without.
      llvm::consumeError(made.takeError());
      return device.load(image);
    }
    code.emplace(made->cubin.begin(), made->cubin.end());
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
