//===- CompiledKernel.cpp - What a compilation gives ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Compile.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilewright;

llvm::Expected<Level> tilewright::parseLevel(llvm::StringRef name) {
  auto level = llvm::StringSwitch<std::optional<Level>>(name)
                   .Case("tile", Level::Tile)
                   .Case("placed", Level::Placed)
                   .Case("nvvm", Level::NVVM)
                   .Case("llvm", Level::LLVM)
                   .Case("ptx", Level::PTX)
                   .Case("cubin", Level::Cubin)
                   .Default(std::nullopt);
  if (level)
    return *level;
  return llvm::createStringError("unknown output '" + name +
                                 "': tile, placed, nvvm, llvm, ptx and cubin "
                                 "are known");
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

char CompileFailure::ID = 0;

const CompileDiagnostic &CompileFailure::getFirstError() const {
  for (const CompileDiagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == CompileDiagnostic::Severity::Error)
      return diagnostic;
  llvm_unreachable("a failure without an error");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

llvm::Expected<std::optional<PtxasOutput>>
tilewright::assemble(llvm::StringRef ptx, const GpuTarget &target,
                     llvm::MutableArrayRef<CompiledKernel> kernels) {
  llvm::Expected<std::optional<Ptxas>> ptxas = Ptxas::find();
  if (!ptxas)
    return ptxas.takeError();
  if (!*ptxas)
    return std::nullopt;
  llvm::Expected<PtxasOutput> assembled = (*ptxas)->assemble(ptx, target);
  if (!assembled)
    return assembled.takeError();
  for (const PtxasResources &resources : assembled->kernels)
    for (CompiledKernel &kernel : kernels)
      if (kernel.description.name == resources.name)
        addResources(kernel.report, resources, target);
  return std::move(*assembled);
}

llvm::json::Value CompiledKernel::toJSON() const {
  llvm::json::Object object = *report.toJSON().getAsObject();
  object["launch"] =
      llvm::json::Object{{"threads", threadsPerBlock},
                         {"static_shared_bytes", staticSharedBytes},
                         {"dynamic_shared_bytes", dynamicSharedBytes},
                         {"tensor_maps", llvm::json::Array(tensorMaps)},
                         {"persistent", isPersistent},
                         {"block_programs", llvm::json::Array(blockPrograms)},
                         {"cluster_blocks", clusterBlocks},
                         {"begins_early", beginsEarly},
                         {"even_axes", evenAxes}};
  llvm::json::Array arguments;
  for (const spec::Argument &argument : description.arguments)
    arguments.push_back(spec::toJSON(argument));
  object["arguments"] = std::move(arguments);
  object["shapes"] = llvm::json::Array(description.shapes);
  object["grid"] = llvm::json::Array(description.grid);
  object["reference"] = llvm::json::Array(description.references);
  return object;
}
