//===- ModuleCompiler.cpp - A module down the levels ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleCompiler.h"

#include "Chains.h"
#include "Functions.h"
#include "ReportFields.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutScoresAttr.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Spec/PairedAxes.h"
#include "tilewright/Target/PtxEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

InFlightDiagnostic ModuleCompiler::emitError() {
  for (Operation &op : module.getOps())
    if (isa<KernelOp, LLVM::LLVMFuncOp>(op))
      return op.emitError();
  // The module of a file begins at its first line.
  auto place = module.getLoc()->findInstanceOf<FileLineColLoc>();
  if (place && place.getLine() == 0)
    return mlir::emitError(FileLineColLoc::get(place.getFilename(), 1, 1));
  return module.emitError();
}

//===----------------------------------------------------------------------===//
// What a module may have
//===----------------------------------------------------------------------===//

/// Bytes of a kernel's parameters, each at a multiple of its size.
static uint64_t countParameterBytes(KernelOp kernel) {
  uint64_t bytes = 0;
  for (Type type : kernel.getArgumentTypes()) {
    uint64_t size = getElementBytes(type);
    bytes = llvm::alignTo(bytes, size) + size;
  }
  return bytes;
}

static LogicalResult checkKernel(KernelOp kernel) {
  // Of PTX 8.1, from sm_70 on.
  constexpr uint64_t mostParameterBytes = 32764;
  // PTX allows more, but LLVM renames what C does not allow.
  StringRef name = kernel.getSymName();
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) && name != "_" &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier)
    return kernel.emitError("a kernel's name is made of letters, digits and "
                            "_, and does not begin with a digit; '")
           << name << "' is no name";
  // What PTX predefines, what printing and assertions call, and what LLVM asks
  // for the target.
  if (name == "WARP_SZ" || name == "vprintf" || name == "__assertfail" ||
      name.starts_with("__nvvm_reflect"))
    return kernel.emitError("'")
           << name << "' is a name of the GPU's own: give the kernel another";
  if (succeeded(describeKernel(kernel))) {
    uint64_t bytes = countParameterBytes(kernel);
    if (bytes <= mostParameterBytes)
      return success();
    return kernel.emitOpError("has arguments of ")
           << bytes << " bytes, and a GPU takes " << mostParameterBytes
           << ": pass some of them in an array";
  }
  return kernel.emitOpError(
      "has an argument of a type that a launch cannot pass: integers have 1, "
      "8, 16, 32 or 64 bits, floats are f8E4M3FN, f8E5M2, f16, bf16, f32 or "
      "f64");
}

LogicalResult ModuleCompiler::checkOps() {
  for (Operation &op : module.getOps())
    if (!isa<KernelOp, func::FuncOp>(op))
      return op.emitOpError("stands outside of a tile.kernel; a file has "
                            "kernels, private functions that they call, and "
                            "nothing beside them");
  return success();
}

LogicalResult ModuleCompiler::checkKernels() {
  if (module.getOps<KernelOp>().empty())
    return emitError() << "there is no tile.kernel to compile";
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (failed(checkKernel(kernel)) || failed(checkChains(kernel)))
      return failure();
  return success();
}

LogicalResult ModuleCompiler::dropOtherKernels() {
  if (options.kernel.empty())
    return success();
  if (!module.lookupSymbol<KernelOp>(options.kernel))
    return emitError() << "there is no tile.kernel @" << options.kernel;
  for (KernelOp kernel : llvm::make_early_inc_range(module.getOps<KernelOp>()))
    if (kernel.getSymName() != options.kernel)
      kernel.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

static void printTo(llvm::raw_ostream &os, ModuleOp module) {
  module.print(os);
  os << "\n";
}
static void printTo(llvm::raw_ostream &os, const llvm::Module &module) {
  module.print(os, /*AAW=*/nullptr);
}

template <typename Printable>
LogicalResult ModuleCompiler::print(const Printable &printable) {
  llvm::raw_string_ostream os(result.output);
  printTo(os, printable);
  return success();
}

spec::KernelDescription ModuleCompiler::describeGiven(KernelOp kernel) const {
  spec::KernelDescription description = *describeKernel(kernel);
  // Other targets have no clusters, or products that gain nothing by them.
  if (!target.wgmma || target.maxClusterBlocks == 1)
    for (spec::Argument &argument : description.arguments)
      argument.productStep = 0;
  return description;
}

LogicalResult ModuleCompiler::run() {
  result.target = target;
  if (failed(checkOps()) || failed(inlineFunctions(module)) ||
      failed(checkKernels()) || failed(dropOtherKernels()))
    return failure();
  for (KernelOp kernel : module.getOps<KernelOp>())
    result.kernels.emplace_back().description = describeGiven(kernel);
  if (options.emit == Level::Tile)
    return print(module);
  return lower();
}

LogicalResult ModuleCompiler::lower() {
  if (failed(place()))
    return failure();
  describePlacedKernels();
  if (options.emit == Level::Placed) {
    // Numbers for the report, which is made; too many to read the code with.
    module.walk(
        [](AllocSharedOp tile) { tile->removeAttr(kLayoutScoresAttr); });
    return print(module);
  }
  if (failed(runPipeline(buildLoweringPipeline)))
    return failure();
  describeSharedMemory();
  return options.emit == Level::NVVM ? print(module) : makeCode();
}

/// Writes on the kernels of `module` how many programs and stages there is room
/// for, as far as that was found of those of `tried`. False where nothing new
/// was.
static bool takeOverRoom(ModuleOp tried, ModuleOp module) {
  bool isNew = false;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    auto of = tried.lookupSymbol<KernelOp>(kernel.getSymName());
    for (StringRef name :
         {StringRef(kMostProgramsAttr), StringRef(kMostStagesAttr),
          StringRef(kStagesReasonAttr)})
      if (Attribute found = of->getAttr(name);
          found && found != kernel->getAttr(name)) {
        kernel->setAttr(name, found);
        isNew = true;
      }
  }
  return isNew;
}

LogicalResult ModuleCompiler::place() {
  bool isPlaced = false, goesOn = true;
  // What a try says that is not the last one is of no interest.
  std::vector<Diagnostic> said;
  while (goesOn && !isPlaced) {
    OwningOpRef<ModuleOp> given = module.clone();
    said.clear();
    {
      ScopedDiagnosticHandler handler(
          module.getContext(),
          [&](Diagnostic &text) { said.push_back(std::move(text)); });
      isPlaced = succeeded(runPipeline(buildPlacementPipeline));
    }
    goesOn = !isPlaced && !isInterrupted() && takeOverRoom(module, *given);
    if (goesOn)
      module.getBodyRegion().takeBody(given->getBodyRegion());
  }
  for (Diagnostic &text : said)
    module.getContext()->getDiagEngine().emit(std::move(text));
  if (!isPlaced)
    return failure();
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (std::string why = describeFewerStages(kernel); !why.empty())
      kernel.emitRemark() << why;
  return success();
}

LogicalResult ModuleCompiler::runPipeline(
    void (*build)(OpPassManager &, const PipelineOptions &)) {
  PassManager manager(module.getContext());
  // Once at the end instead of after each pass: it takes as long as they do.
  manager.enableVerifier(false);
  build(manager, options.pipeline);
  if (failed(manager.run(module)))
    return failure();
  // Then some of the passes did not run, and nothing is as they leave it.
  if (isInterrupted())
    return emitError() << "compiling was interrupted";
  return verify(module);
}

/// The axes along which a cluster has several programs, but one along which the
/// last pair was asked to do without a program.
static unsigned findEvenAxes(KernelOp kernel, int pairedAxes) {
  spec::PairedAxes asked{static_cast<unsigned>(pairedAxes)};
  unsigned axes = 0;
  for (auto [axis, programs] : llvm::enumerate(getClusterPrograms(kernel)))
    if (programs > 1 && !asked.isUneven(axis))
      axes |= 1u << axis;
  return axes;
}

void ModuleCompiler::describePlacedKernels() {
  for (auto [kernel, compiled] :
       llvm::zip_equal(module.getOps<KernelOp>(), result.kernels)) {
    // Loops, tiles and divisions are those of the program that was given, whose
    // launches go by them.
    describeReliance(kernel, compiled.description);
    compiled.report = makeReport(kernel, target);
    compiled.threadsPerBlock = tile::countThreads(kernel);
    compiled.tensorMaps = tile::describeTensorMaps(kernel);
    compiled.isPersistent = kernel.getPersistent();
    llvm::copy(getLaunchedPrograms(kernel), compiled.blockPrograms.begin());
    compiled.clusterBlocks =
        kernel.getClusterBlocksOrOne() *
        static_cast<unsigned>(getProductParts(kernel) *
                              countClusterPrograms(kernel));
    compiled.beginsEarly = kernel.getBeginsEarly() && target.earlyLaunches;
    compiled.evenAxes = findEvenAxes(kernel, options.pipeline.pairedAxes);
    auto bytes = static_cast<int64_t>(kernel.getSharedBytes().value_or(0));
    bool isStatic = bytes <= static_cast<int64_t>(target.staticSharedLimit);
    (isStatic ? compiled.staticSharedBytes : compiled.dynamicSharedBytes) =
        bytes;
  }
}

namespace {
/// Shared memory that the code itself has, of tiles and of mbarriers where
/// blocks of a cluster meet; and where that which a launch asks for begins.
struct StaticSharedMemory {
  explicit StaticSharedMemory(LLVM::LLVMFuncOp function) {
    auto module = function->getParentOfType<ModuleOp>();
    SetVector<Operation *> variables;
    function.walk([&](LLVM::AddressOfOp address) {
      variables.insert(module.lookupSymbol(address.getGlobalName()));
    });
    DataLayout layout(module);
    for (Operation *variable : variables) {
      auto global = dyn_cast_or_null<LLVM::GlobalOp>(variable);
      if (!global || global.getAddrSpace() !=
                         static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
        continue;
      uint64_t alignment = global.getAlignment().value_or(1);
      if (global.getLinkage() == LLVM::Linkage::External) {
        dynamicAlignment = std::max(dynamicAlignment, alignment);
        continue;
      }
      bytes = llvm::alignTo(bytes, alignment) +
              layout.getTypeSize(global.getGlobalType());
    }
  }

  uint64_t bytes = 0, dynamicAlignment = 1;
};
} // namespace

void ModuleCompiler::describeSharedMemory() {
  for (CompiledKernel &compiled : result.kernels) {
    auto function =
        module.lookupSymbol<LLVM::LLVMFuncOp>(compiled.description.name);
    if (auto bytes = function->getAttrOfType<IntegerAttr>(kSlotBytesAttr))
      compiled.dynamicSharedBytes = bytes.getInt();
    StaticSharedMemory memory(function);
    compiled.staticSharedBytes = memory.bytes;
    compiled.report.sharedBytes =
        llvm::alignTo(memory.bytes, memory.dynamicAlignment) +
        compiled.dynamicSharedBytes;
  }
}

LogicalResult ModuleCompiler::makeCode() {
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  bool isText = options.emit == Level::LLVM;
  // emitPtx verifies the module itself, which takes a thirtieth of the time.
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, *llvmContext, "LLVMDialectModule",
                              /*disableVerification=*/!isText);
  if (!llvmModule)
    return failure();
  if (isText)
    return print(*llvmModule);
  PtxOptions ptxOptions;
  ptxOptions.optimize = options.pipeline.optimize;
  ptxOptions.isInterrupted = options.isInterrupted;
  llvm::Expected<std::string> ptx = emitPtx(
      std::move(llvmContext), std::move(llvmModule), target, ptxOptions);
  if (!ptx)
    return emitError() << llvm::toString(ptx.takeError());
  result.output = std::move(*ptx);
  return askPtxas();
}

LogicalResult ModuleCompiler::askPtxas() {
  bool needsPtxas = options.emit == Level::Cubin;
  if (!options.askPtxas && !needsPtxas)
    return success();
  llvm::Expected<std::optional<PtxasOutput>> assembled =
      assemble(result.output, target, result.kernels);
  if (!assembled)
    return emitError() << llvm::toString(assembled.takeError());
  tellShortages();
  if (!needsPtxas)
    return success();
  if (!*assembled)
    return emitError() << "a cubin needs ptxas, and none was found: set "
                          "TILEWRIGHT_PTXAS to one";
  const PtxasOutput &output = **assembled;
  result.output.assign(output.cubin.begin(), output.cubin.end());
  return success();
}

void ModuleCompiler::tellShortages() {
  for (const CompiledKernel &kernel : result.kernels) {
    Operation *function = module.lookupSymbol(kernel.description.name);
    if (!function || !kernel.report.resources)
      continue;
    if (std::string what = describeShortage(*kernel.report.resources);
        !what.empty())
      function->emitRemark() << what;
  }
}
