//===- tile-compile.cpp - From tile IR to PTX, with a report --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "common/CompilerCommandLine.h"
#include "common/NamedParser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace tilewright;

namespace {
/// The tool's own options beside those that all compiling tools have.
struct CommandLine : CompilerCommandLine {
  cl::opt<std::string> output{
      "o", cl::value_desc("OUT"),
      cl::desc("Output file (default: standard output)"), cl::cat(category)};
  cl::opt<std::string> emit{"emit", cl::init("ptx"),
                            cl::value_desc("tile|placed|nvvm|llvm|ptx|cubin"),
                            cl::desc("What to write (default: ptx)"),
                            cl::cat(category)};
  NamedOption<ReportFormat> report{
      "report",
      cl::ValueOptional,
      cl::init(ReportFormat::None),
      cl::desc("Say what was decided, and why"),
      cl::cat(category),
      cl::values(clEnumValN(ReportFormat::Text, "", ""),
                 clEnumValN(ReportFormat::Text, "text", "For people"),
                 clEnumValN(ReportFormat::FullText, "full",
                            "With all candidates of the layouts"),
                 clEnumValN(ReportFormat::JSON, "json", "For programs"),
                 clEnumValN(ReportFormat::HTML, "html",
                            "A page, with the banks of each shared tile; "
                            "without --emit, -o names it"))};
  cl::opt<std::string> reportFile{
      "report-file", cl::value_desc("PATH"),
      cl::desc("Where the report goes (default: standard output, or standard "
               "error if the code goes there)"),
      cl::cat(category)};

  /// Only the report is wanted, not the code.
  bool isReportOnly() const {
    return report != ReportFormat::None && emit.getNumOccurrences() == 0 &&
           (output.getNumOccurrences() == 0 || isPageOnly());
  }
  /// -o is where the page goes.
  bool isPageOnly() const {
    return report == ReportFormat::HTML && emit.getNumOccurrences() == 0 &&
           reportFile.empty();
  }
};
} // namespace

/// Opens PATH for writing; "-" is standard output.
static Expected<std::unique_ptr<ToolOutputFile>> openOutput(StringRef path) {
  std::error_code error;
  auto file = std::make_unique<ToolOutputFile>(path, error, sys::fs::OF_None);
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  return std::move(file);
}

static Error writeFile(StringRef path, StringRef contents) {
  Expected<std::unique_ptr<ToolOutputFile>> file = openOutput(path);
  if (!file)
    return file.takeError();
  (*file)->os() << contents;
  if (Error error = finishOutput((*file)->os(), path))
    return error;
  (*file)->keep();
  return Error::success();
}

static std::string printReport(const CompiledModule &module, StringRef source,
                               ReportFormat format) {
  std::string text;
  raw_string_ostream os(text);
  if (format == ReportFormat::HTML) {
    SmallVector<const KernelReport *> reports;
    for (const CompiledKernel &kernel : module.kernels)
      reports.push_back(&kernel.report);
    printHtml(os, sys::path::filename(source), reports);
    return text;
  }
  if (format == ReportFormat::JSON) {
    json::Array kernels;
    for (const CompiledKernel &kernel : module.kernels)
      kernels.push_back(kernel.toJSON());
    os << formatv("{0:2}\n",
                  json::Value(json::Object{{"kernels", std::move(kernels)}}));
    return text;
  }
  interleave(
      module.kernels, os,
      [&](const CompiledKernel &kernel) {
        kernel.report.print(os, format == ReportFormat::FullText);
      },
      "\n");
  return text;
}

static Error writeOutputs(const CommandLine &line,
                          const CompiledModule &module) {
  StringRef output = line.output.empty() ? StringRef("-") : line.output;
  if (!line.isReportOnly())
    if (Error error = writeFile(output, module.output))
      return error;
  if (line.report == ReportFormat::None)
    return Error::success();
  std::string report = printReport(module, line.file, line.report);
  if (line.isPageOnly())
    return writeFile(output, report);
  if (!line.reportFile.empty())
    return writeFile(line.reportFile, report);
  bool isStdoutFree = line.isReportOnly() || output != "-";
  if (isStdoutFree)
    return writeFile("-", report);
  errs() << report;
  return Error::success();
}

/// With --kernel, only that one; with --args, the promises that hold for these
/// values, which come back.
static Expected<std::optional<spec::ArgumentBlock>>
specialize(const CommandLine &line, StringRef source, CompileOptions &options) {
  if (line.kernel.empty() && !line.hasArguments())
    return std::nullopt;
  Expected<spec::KernelDescription> declared =
      line.declareKernel(jit::fromText(source.str(), line.file), options);
  // The real compilation says what is wrong.
  if (declared.errorIsA<CompileFailure>()) {
    consumeError(declared.takeError());
    return std::nullopt;
  }
  if (!declared)
    return declared.takeError();
  options.kernel = declared->name;
  if (!line.hasArguments())
    return std::nullopt;
  Expected<spec::KernelSpec> spec = spec::KernelSpec::create(*declared);
  if (!spec)
    return spec.takeError();
  Expected<spec::ScalarValues> values =
      spec::ScalarValues::parse(*spec, line.arguments);
  if (!values)
    return values.takeError();
  spec::ArgumentBlock block = makeLaunchValues(*spec, *values);
  jit::VariantKey::ofLaunch(spec->getArguments(), block,
                            runtime::Overlap(/*areDisjoint=*/true),
                            options.pipeline.target.globalVectorBytes())
      .withProductParts(static_cast<unsigned>(options.pipeline.productParts))
      .withPairedAxes(static_cast<unsigned>(options.pipeline.pairedAxes))
      .applyTo(options.pipeline, spec->getArguments());
  return block;
}

/// Code that takes no tensor maps which a launch with these values, if any,
/// cannot have.
static std::optional<CompiledModule>
compileFor(const std::optional<spec::ArgumentBlock> &values, StringRef source,
           StringRef name, CompileOptions options) {
  std::optional<CompiledModule> module = compile(source, name, options, errs());
  if (!module || !values ||
      spec::canHave(module->kernels.front().tensorMaps, *values))
    return module;
  const CompiledKernel &kernel = module->kernels.front();
  if (kernel.description.requiresTensorMaps)
    if (Error error = spec::refuseWithoutMaps(kernel.description.name,
                                              kernel.description.arguments,
                                              kernel.tensorMaps, *values)) {
      errs() << "tile-compile: error: " << toString(std::move(error)) << "\n";
      return std::nullopt;
    }
  options.pipeline.tensorMaps = false;
  options.pipeline.lacksTensorMaps = true;
  return compile(source, name, options, errs());
}

/// What the options that are this tool's own say of the compilation.
static Error completeOptions(const CommandLine &line, CompileOptions &options) {
  Expected<Level> level = parseLevel(line.emit);
  if (!level)
    return level.takeError();
  bool wantsReport = line.report != ReportFormat::None;
  if (wantsReport && *level == Level::Tile)
    return createStringError("there is nothing to report before anything is "
                             "decided: --report needs --emit=placed or a later "
                             "one");
  if (!wantsReport && !line.reportFile.empty())
    return createStringError("--report-file needs --report");
  options.emit = *level;
  // Remarks tell of spills, too.
  options.askPtxas = wantsReport || (line.remarks && *level == Level::PTX);
  return Error::success();
}

int tilewright::tileCompileMain(int argc, char **argv) {
  CommandLine line;
  ExitOnError check("tile-compile: error: ");
  check(line.parse(argc, argv, "Tilewright's compiler: from tile IR to PTX\n"));
  CompileOptions options =
      check(line.makeOptions(GpuTarget::getDefault().name));
  check(completeOptions(line, options));
  std::unique_ptr<MemoryBuffer> source = check(line.readSource());
  std::optional<spec::ArgumentBlock> values =
      check(specialize(line, source->getBuffer(), options));
  std::optional<CompiledModule> module =
      compileFor(values, source->getBuffer(), line.file, options);
  if (!module)
    return EXIT_FAILURE;
  check(writeOutputs(line, *module));
  return EXIT_SUCCESS;
}
