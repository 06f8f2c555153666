//===- CompilerCommandLine.cpp - Options of tools that compile --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/CompilerCommandLine.h"

#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"
#include "tilewright/Spec/PairedAxes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilewright;

CompilerCommandLine::CompilerCommandLine(Files taken)
    : files(cl::Positional, cl::ZeroOrMore,
            cl::desc(taken == Files::One ? "FILE" : "FILE..."),
            cl::cat(category)),
      kernel("kernel", cl::value_desc("NAME"),
             cl::desc("The only kernel of the file that matters"),
             cl::cat(category)),
      target("target", cl::value_desc("sm_NN"),
             cl::desc("GPU to compile for (default: the device's, or sm_90a)"),
             cl::cat(category)),
      numWarps("num-warps", cl::init(0), cl::value_desc("N"),
               cl::desc("Warps a program; 0: as the kernel says"),
               cl::cat(category)),
      numStages("num-stages", cl::init(0), cl::value_desc("N"),
                cl::desc("Stages of pipelined loops; 0: as the kernel says"),
                cl::cat(category)),
      warpgroupDots("warpgroup-dots", cl::init(true),
                    cl::desc("Products by wgmma, where the target has it"),
                    cl::cat(category)),
      tensorMaps("tensor-maps", cl::init(true),
                 cl::desc("Bulk copies by tensor maps, in warps of their own, "
                          "where the target has them"),
                 cl::cat(category)),
      require("require", cl::CommaSeparated, cl::value_desc("WORD,..."),
              cl::desc("What the code must be, or there is none: wgmma, tma, "
                       "roles, persistent"),
              cl::cat(category)),
      batchPrograms("batch-programs", cl::init(true),
                    cl::desc("Several programs a block, where each takes a "
                             "short row"),
                    cl::cat(category)),
      productParts("product-parts", cl::init(1), cl::value_desc("N"),
                   cl::desc("Blocks that sum parts of a program's products, "
                            "where it can be divided"),
                   cl::cat(category)),
      pairedAxes("paired-axes", cl::init(0), cl::value_desc("N"),
                 cl::desc("Axes along which a cluster has two programs, which "
                          "copy together: 1, 2, or 3 for both, of an even "
                          "number each; 4 more than 1 or 3: the last one of "
                          "the first may be missing; 9, 10: four along one"),
                 cl::cat(category)),
      optimize("optimize", cl::init(true),
               cl::desc("Let MLIR and LLVM simplify the program; without it, "
                        "results are the same, and slower"),
               cl::cat(category)),
      sharedLayout("shared-layout", cl::init("auto"),
                   cl::value_desc("auto|none|pad|pad:N|swizzle"),
                   cl::desc("Layouts that shared tiles may have"),
                   cl::cat(category)),
      argumentTexts("args", cl::value_desc("NAME=VALUE ..."),
                    cl::desc("Values of the kernel's scalar arguments"),
                    cl::cat(category)),
      remarks("remarks",
              cl::desc("Say why layouts and vector widths were chosen"),
              cl::cat(category)),
      taken(taken) {}

Error CompilerCommandLine::parse(int argc, const char *const *argv,
                                 StringRef overview) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (files.empty())
    return createStringError("no FILE is named; - stands for standard input");
  if (taken == Files::One && files.size() > 1) {
    StringRef second = files[1];
    return createStringError(
        "'" + second + "' is a second file, after '" + files[0] + "'" +
        (second.contains('=')
             ? "; quote what belongs to --args: --args \"M=5 N=6\""
             : ""));
  }
  file = files.front();
  arguments = join(argumentTexts, " ");
  return Error::success();
}

void CompilerCommandLine::reset() {
  files.reset();
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (is_contained(option->Categories, &category))
      option->reset();
}

Expected<std::unique_ptr<MemoryBuffer>>
CompilerCommandLine::readSource() const {
  if (StringRef(file).split(":").first.ends_with(".py"))
    return createStringError(
        "'" + file +
        "' is a program of Python, which launches its kernels itself; "
        "tilewright compile FILE.py:NAME compiles one of them");
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  return createStringError("cannot read '" + file +
                           "': " + buffer.getError().message());
}

Expected<CompileOptions>
CompilerCommandLine::makeOptions(StringRef defaultTarget) const {
  Expected<GpuTarget> gpu = GpuTarget::parse(
      target.getNumOccurrences() == 0 ? defaultTarget : StringRef(target));
  if (!gpu)
    return gpu.takeError();
  Expected<SharedLayoutPolicy> policy = SharedLayoutPolicy::parse(sharedLayout);
  if (!policy)
    return policy.takeError();
  if (numWarps != 0 && !tile::KernelOp::isLegalNumWarps(numWarps))
    return createStringError("--num-warps is a power of two from 1 to " +
                             Twine(tile::KernelOp::kMaxWarpsPerBlock) +
                             ", not " + Twine(numWarps));
  if (numStages != 0 && !tile::KernelOp::isLegalNumStages(numStages))
    return createStringError("--num-stages is a number from 1 to " +
                             Twine(tile::KernelOp::kMaxNumStages) + ", not " +
                             Twine(numStages));
  if (productParts < 1 || productParts > tile::kMostProductParts)
    return createStringError("--product-parts is a number from 1 to " +
                             Twine(tile::kMostProductParts) + ", not " +
                             Twine(productParts));
  if (!spec::PairedAxes::isLegal(pairedAxes))
    return createStringError("--paired-axes is " +
                             Twine(spec::PairedAxes::legalBits) + ", not " +
                             Twine(pairedAxes));
  CompileOptions options;
  options.pipeline.target = *gpu;
  options.pipeline.sharedLayout = sharedLayout;
  options.pipeline.numWarps = numWarps;
  options.pipeline.numStages = numStages;
  options.pipeline.warpgroupDots = warpgroupDots;
  options.pipeline.tensorMaps = tensorMaps;
  options.pipeline.require = {require.begin(), require.end()};
  options.pipeline.batchPrograms = batchPrograms;
  options.pipeline.productParts = productParts;
  options.pipeline.pairedAxes = pairedAxes;
  options.pipeline.optimize = optimize;
  options.showRemarks = remarks;
  return options;
}

Expected<spec::KernelDescription>
CompilerCommandLine::declareKernel(const jit::KernelSource &source,
                                   CompileOptions options) const {
  options.kernel = kernel;
  return jit::declareKernel(source, std::move(options), "--kernel");
}

Expected<std::unique_ptr<jit::VariantSet>>
CompilerCommandLine::declareVariants(jit::KernelSource source,
                                     CompileOptions options) const {
  options.kernel = kernel;
  return jit::VariantSet::create(std::move(source), std::move(options),
                                 "--kernel", /*compilesBase=*/false);
}

spec::ArgumentBlock
tilewright::makeLaunchValues(const spec::KernelSpec &spec,
                             const spec::ScalarValues &values,
                             uint64_t offset) {
  const uint64_t address = runtime::Device::allocationAlignment + offset;
  spec::ArgumentBlock block(spec.getArguments());
  for (auto [index, argument] : enumerate(spec.getArguments()))
    block.set(index, argument.isPointer() ? address : values.getBits(index));
  return block;
}

Expected<jit::Variant *>
tilewright::getForLaunch(jit::VariantSet &variants,
                         const spec::KernelSpec &spec,
                         const spec::ScalarValues &values, uint64_t offset) {
  return variants.getForLaunch(makeLaunchValues(spec, values, offset),
                               runtime::Overlap(/*areDisjoint=*/true),
                               variants.getTarget().globalVectorBytes());
}

Error tilewright::finishOutput(raw_fd_ostream &os, StringRef path) {
  os.flush();
  if (!os.has_error())
    return Error::success();
  std::error_code error = os.error();
  os.clear_error();
  return createStringError("cannot write '" + path + "': " + error.message());
}
