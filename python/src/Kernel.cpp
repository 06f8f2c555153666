//===- Kernel.cpp - The class tilewright.Kernel ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "CompileInterrupt.h"
#include "DiskCache.h"
#include "Errors.h"
#include "ForkGuard.h"
#include "tilewright/Jit/LoadedCompiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// What is wrong with the other options, the passes that take them say.
static GpuTarget parseTarget(const std::string &name) {
  llvm::Expected<GpuTarget> target = GpuTarget::parse(name);
  if (!target)
    raise(PyExc_ValueError, llvm::toString(target.takeError()));
  return *target;
}

/// To where Python prints, which need not be the output of the process.
static void printText(llvm::StringRef text) {
  nb::gil_scoped_acquire lock;
  nb::module_::import_("sys").attr("stdout").attr("write")(
      nb::steal(PyUnicode_DecodeUTF8(text.data(), text.size(), "replace")));
}

/// What arguments are multiples of.
using Divisibility = std::vector<std::pair<std::string, int64_t>>;

static CompileOptions
makeOptions(const std::string &target, const std::string &kernel,
            const std::string &sharedLayout, int numWarps, int numStages,
            bool warpgroupDots, bool optimize, const Divisibility &divisibility,
            const std::vector<std::string> &require, bool batchPrograms) {
  CompileOptions options;
  options.pipeline.target = parseTarget(target);
  options.pipeline.sharedLayout = sharedLayout;
  options.pipeline.numWarps = numWarps;
  options.pipeline.numStages = numStages;
  options.pipeline.warpgroupDots = warpgroupDots;
  options.pipeline.optimize = optimize;
  options.pipeline.require = require;
  options.pipeline.batchPrograms = batchPrograms;
  for (const auto &[argument, divisor] : divisibility)
    options.pipeline.divisibility.push_back({argument, divisor});
  options.kernel = kernel;
  return options;
}

static jit::Kernel::Settings makeSettings(bool specialize, bool isLazy) {
  return {specialize,
          isLazy,
          /*kernelOption=*/"kernel=",
          /*limitOption=*/"instruction_limit=",
          /*racesOption=*/"races=",
          &printText};
}

/// Nothing where nothing is to be kept.
static std::optional<jit::KernelCache> openCache(const std::string &key) {
  if (key.empty())
    return std::nullopt;
  std::optional<jit::DiskCache> disk = openDiskCache();
  if (!disk)
    return std::nullopt;
  return jit::KernelCache(std::move(*disk), key);
}

static std::unique_ptr<jit::Kernel> compileKernel(
    const nb::bytes &source, const std::string &name, const std::string &target,
    const std::string &kernel, const std::string &sharedLayout, int numWarps,
    int numStages, bool warpgroupDots, bool optimize,
    const Divisibility &divisibility, bool specialize, bool isLazy,
    const std::vector<std::string> &require, const std::string &cacheKey,
    const std::string &notes, bool batchPrograms) {
  CompileOptions options = makeOptions(target, kernel, sharedLayout, numWarps,
                                       numStages, warpgroupDots, optimize,
                                       divisibility, require, batchPrograms);
  // The compiler says where text is no text.
  std::string text(source.c_str(), source.size());
  std::optional<jit::KernelCache> cache = openCache(cacheKey);
  return unwrap(doLongWork([&] {
                  return jit::Kernel::create(
                      jit::fromTextWhenNeeded(text, name), options,
                      makeSettings(specialize, isLazy), cache, notes);
                }),
                "CompileError");
}

/// The kernel, which compiles nothing that is in the cache, and its notes; None
/// where its program is not there.
static nb::object
findKernel(const std::string &cacheKey, const std::string &name,
           const std::string &target, const std::string &kernel,
           const std::string &sharedLayout, int numWarps, int numStages,
           bool warpgroupDots, bool optimize, const Divisibility &divisibility,
           bool specialize, bool isLazy,
           const std::vector<std::string> &require, bool batchPrograms) {
  CompileOptions options = makeOptions(target, kernel, sharedLayout, numWarps,
                                       numStages, warpgroupDots, optimize,
                                       divisibility, require, batchPrograms);
  std::optional<jit::KernelCache> cache = openCache(cacheKey);
  std::optional<jit::KernelCache::Program> program;
  std::optional<llvm::Expected<std::unique_ptr<jit::Kernel>>> made;
  {
    LongWork work;
    if (cache)
      program = cache->loadProgram();
    if (cache && program)
      made.emplace(jit::Kernel::restore(
          jit::fromTextWhenNeeded(std::move(program->text), name),
          std::move(options), makeSettings(specialize, isLazy),
          std::move(*cache), std::move(program->description)));
  }
  if (!made || !program)
    return nb::none();
  return nb::make_tuple(unwrap(std::move(*made), "CompileError"),
                        program->notes);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static nb::object toPython(const llvm::json::Value &value) {
  return nb::module_::import_("json").attr("loads")(
      llvm::formatv("{0}", value).str());
}

/// The variant that stands for the kernel; it may have to be compiled.
static jit::Variant &getFirst(jit::Kernel &kernel) {
  return *unwrap(doLongWork([&] { return kernel.getVariants().getFirst(); }),
                 "CompileError");
}

/// Makes sure that the report of a variant has what ptxas says.
static const KernelReport &getReport(jit::Kernel &kernel,
                                     jit::Variant &variant) {
  return *unwrap(
      doLongWork([&] { return kernel.getVariants().getReport(variant); }),
      "LaunchError");
}

static nb::object getReportObject(jit::Kernel &kernel, jit::Variant &variant) {
  getReport(kernel, variant);
  return toPython(variant.kernel.toJSON());
}

/// What ptxas said of the registers; none where there was no ptxas.
static const std::optional<PtxasResources> &getResources(jit::Kernel &kernel) {
  return getReport(kernel, getFirst(kernel)).resources;
}

static std::optional<unsigned> getRegisters(jit::Kernel &kernel) {
  const std::optional<PtxasResources> &resources = getResources(kernel);
  return resources ? std::optional(resources->registers) : std::nullopt;
}

static std::optional<unsigned> getSpilledWords(jit::Kernel &kernel) {
  const std::optional<PtxasResources> &resources = getResources(kernel);
  return resources ? std::optional(resources->stackFrameBytes / 4)
                   : std::nullopt;
}

static unsigned getSharedBytes(jit::Kernel &kernel) {
  const CompiledKernel &compiled = getFirst(kernel).kernel;
  return compiled.staticSharedBytes + compiled.dynamicSharedBytes;
}

/// The kernel's metadata, by the names that Triton has for it.
static nb::object getMetadata(jit::Kernel &kernel) {
  nb::object metadata = nb::module_::import_("types").attr("SimpleNamespace")();
  metadata.attr("name") = kernel.getName().str();
  metadata.attr("shared") = getSharedBytes(kernel);
  metadata.attr("num_warps") = getReport(kernel, getFirst(kernel)).numWarps;
  metadata.attr("num_ctas") = 1;
  metadata.attr("target") = kernel.getTarget().name.str();
  return metadata;
}

static std::string getReportText(jit::Kernel &kernel, jit::Variant &variant) {
  std::string text;
  llvm::raw_string_ostream os(text);
  getReport(kernel, variant).print(os);
  return text;
}

/// The page of all variants so far.
static std::string getReportPage(jit::Kernel &kernel) {
  getFirst(kernel);
  llvm::SmallVector<const KernelReport *> reports;
  for (jit::Variant *variant : kernel.getVariants().getAll())
    reports.push_back(&getReport(kernel, *variant));
  std::string page;
  llvm::raw_string_ostream os(page);
  printHtml(os, kernel.getName(), reports);
  return page;
}

/// For a notebook: in a frame, so that the page's style and program stay with
/// it.
static std::string getReportFrame(jit::Kernel &kernel) {
  std::string frame;
  llvm::raw_string_ostream os(frame);
  os << "<iframe style=\"width: 100%; height: 600px; border: 1px solid #ccc\" "
        "srcdoc=\"";
  llvm::printHTMLEscaped(getReportPage(kernel), os);
  os << "\"></iframe>";
  return frame;
}

static std::string getIr(jit::Kernel &kernel, const std::string &name) {
  llvm::Expected<Level> level = parseLevel(name);
  if (!level || *level == Level::Cubin) {
    llvm::consumeError(level.takeError());
    raise(PyExc_ValueError, "there is no ir '" + name +
                                "': tile, placed, nvvm, llvm and ptx are "
                                "known");
  }
  if (*level == Level::Tile)
    return llvm::json::fixUTF8(kernel.getVariants().getSource().getText());
  jit::Variant &variant = getFirst(kernel);
  if (*level == Level::PTX)
    return variant.image.code;
  return unwrap(
      doLongWork([&] { return kernel.getVariants().emit(variant, *level); }),
      "CompileError");
}

static nb::list getWritten(jit::Kernel &kernel) {
  nb::list names;
  for (const spec::Argument &argument : kernel.getArguments())
    if (argument.isWritten)
      names.append(argument.name);
  return names;
}

static nb::list getVariants(jit::Kernel &kernel) {
  nb::list list;
  for (jit::Variant *variant : kernel.getVariants().getAll()) {
    nb::dict divisibility, constants, trips, bounds;
    nb::list disjoint;
    for (auto [index, argument] :
         llvm::enumerate(variant->kernel.description.arguments)) {
      divisibility[argument.name.c_str()] = argument.divisibility;
      if (variant->key.isOne(index))
        constants[argument.name.c_str()] = 1;
      if (unsigned count = variant->key.getTrips(index))
        trips[argument.name.c_str()] = count;
      if (argument.hasBounds())
        bounds[argument.name.c_str()] =
            nb::make_tuple(argument.least, argument.most);
      if (argument.isDisjoint)
        disjoint.append(argument.name);
    }
    nb::dict entry;
    entry["divisibility"] = divisibility;
    entry["constants"] = constants;
    entry["trips"] = trips;
    entry["bounds"] = bounds;
    entry["disjoint"] = disjoint;
    entry["ptx"] = variant->image.code;
    entry["report"] = getReportObject(kernel, *variant);
    list.append(entry);
  }
  return list;
}

static nb::object getSimulation(jit::Kernel &kernel) {
  std::optional<llvm::json::Value> counts;
  {
    // A launch may hold the simulator.
    LongWork work;
    counts = kernel.getSimulation();
  }
  return counts ? toPython(*counts) : nb::none();
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static constexpr const char *launchDoc = R"(Runs the kernel.

Arrays come in the kernel's order, then the scalars; sizes that the shapes of the
arrays tell may be left out or given by name. Arrays of a GPU (PyTorch, CuPy, any
with ``__cuda_array_interface__`` or DLPack) are used in place on their owner's
current stream. Arrays of the host (NumPy, PyTorch) are used in place by the
simulator, or with ``device="cuda"`` are copied to a GPU and back.

    kernel(a, b)
    kernel(a, b, M=300, N=200, stream=torch.cuda.Stream())

The simulator ends a launch after ``instruction_limit`` warp instructions of one
block, and at Ctrl-C. Then, and after a defect, host arrays are as they were.

Arrays may share memory where the kernel only reads it, or allows it; else a
launch is a ValueError.

Raises TypeError and ValueError for arguments that do not fit, CompileError where
the kernel cannot be compiled for them, LaunchError where the device refuses, and
SimulatorError where the simulator finds a defect.)";

static constexpr const char *launchSignature =
    "def launch(self, *args: object, stream: object = None, device: str | "
    "None = None, grid: int | tuple[int, ...] | None = None, "
    "instruction_limit: int | None = None, **arguments: object) -> None";

static constexpr const char *callSignature =
    "def __call__(self, *args: object, stream: object = None, device: str | "
    "None = None, grid: int | tuple[int, ...] | None = None, "
    "instruction_limit: int | None = None, **arguments: object) -> None";

/// What it is, and what the compiler has said of it.
static void bindReports(nb::class_<jit::Kernel> &kernel) {
  kernel
      .def_prop_ro(
          "name", [](jit::Kernel &kernel) { return kernel.getName().str(); },
          "The name of the kernel in its source and in the PTX.")
      .def_prop_ro(
          "target",
          [](jit::Kernel &kernel) { return kernel.getTarget().name.str(); },
          "The GPU architecture it was compiled for: \"sm_90a\".")
      .def_prop_ro("signature", &getSignature,
                   "What it takes: \"copy(X: f32[n], Y: f32[n], n: i64)\".")
      .def_prop_ro("writes", &getWritten,
                   nb::sig("def writes(self) -> list[str]"),
                   "The arrays that it may write.")
      .def_prop_ro(
          "ptx",
          [](jit::Kernel &kernel) { return getFirst(kernel).image.code; },
          "The code: the general one, or that of the first launch where none "
          "was compiled before.")
      .def_prop_ro(
          "report",
          [](jit::Kernel &kernel) {
            return getReportObject(kernel, getFirst(kernel));
          },
          nb::sig("def report(self) -> dict[str, typing.Any]"),
          "What the compiler decided, and why.")
      .def_prop_ro(
          "report_text",
          [](jit::Kernel &kernel) {
            return getReportText(kernel, getFirst(kernel));
          },
          "The report for people.")
      .def_prop_ro("report_html", &getReportPage,
                   "The report as a page for a browser, with the banks of "
                   "each shared tile to step through.")
      .def("_repr_html_", &getReportFrame, "The same for notebooks.");
}

/// What its code is like.
static void bindCode(nb::class_<jit::Kernel> &kernel) {
  kernel
      .def(
          "ir", &getIr, "level"_a,
          "The kernel on its way through the compiler: \"tile\", the source as "
          "it was given, \"placed\", \"nvvm\", \"llvm\" or \"ptx\".")
      .def_prop_ro(
          "variants", &getVariants,
          nb::sig("def variants(self) -> list[dict[str, typing.Any]]"),
          "Every variant so far, the first one first: what it relies on "
          "(divisibility; constants: integers that are 1; trips: of loops "
          "along rows that end there; bounds: of where a tile's row ends; "
          "disjoint: whose memory no other array shares), its ptx and its "
          "report.")
      .def_prop_ro(
          "simulation", &getSimulation,
          nb::sig("def simulation(self) -> dict[str, typing.Any] | None"),
          "What the simulator counted in the last launch there.")
      .def_prop_ro("shared_bytes", &getSharedBytes, "Shared memory of a block.")
      .def_prop_ro("n_regs", &getRegisters,
                   "Registers of a thread; None where there is no ptxas.")
      .def_prop_ro("n_spills", &getSpilledWords,
                   "Words of a thread that are in memory for want of "
                   "registers; None where there is no ptxas.")
      .def_prop_ro("metadata", &getMetadata,
                   nb::sig("def metadata(self) -> types.SimpleNamespace"),
                   "Facts by Triton's names: name, shared, num_warps, "
                   "num_ctas, target.")
      .def_prop_ro(
          "block",
          [](jit::Kernel &kernel) {
            return nb::make_tuple(getFirst(kernel).kernel.threadsPerBlock, 1,
                                  1);
          },
          nb::sig("def block(self) -> tuple[int, int, int]"),
          "Threads of a block along x, y and z.")
      .def("grid", &getGrid,
           nb::sig("def grid(self, **scalars: int) -> tuple[int, int, int]"),
           "Blocks of a launch: kernel.grid(M=300, N=200).")
      .def("__repr__", [](jit::Kernel &kernel) {
        return "<tilewright.Kernel " + getSignature(kernel) + " for " +
               kernel.getTarget().name.str() + ">";
      });
}

static void bindCompiler(nb::module_ &module) {
  module.def("compile_kernel", &compileKernel, "source"_a, "name"_a, "target"_a,
             "kernel"_a, "shared_layout"_a, "num_warps"_a, "num_stages"_a,
             "warpgroup_dots"_a, "optimize"_a, "divisibility"_a, "specialize"_a,
             "lazy"_a = false, "require"_a = std::vector<std::string>(),
             "cache_key"_a = "", "notes"_a = "", "batch_programs"_a = true,
             "The compiler behind tilewright.compile(). What it makes becomes "
             "part of the cache on disk under a key, with notes.");
  module.def(
      "find_kernel", &findKernel, "cache_key"_a, "name"_a, "target"_a,
      "kernel"_a, "shared_layout"_a, "num_warps"_a, "num_stages"_a,
      "warpgroup_dots"_a, "optimize"_a, "divisibility"_a, "specialize"_a,
      "lazy"_a = false, "require"_a = std::vector<std::string>(),
      "batch_programs"_a = true,
      nb::sig("def find_kernel(cache_key: str, name: str, target: str, kernel: "
              "str, shared_layout: str, num_warps: int, num_stages: int, "
              "warpgroup_dots: bool, optimize: bool, divisibility: "
              "collections.abc.Sequence[tuple[str, int]], specialize: bool, "
              "lazy: bool = False, require: collections.abc.Sequence[str] = "
              "(), batch_programs: bool = True) -> tuple[Kernel, str] | None"),
      "The kernel that was compiled under a key, from the cache on disk, and "
      "its notes.");
}

void python::bindKernel(nb::module_ &module) {
  nb::class_<jit::Kernel> kernel(
      module, "Kernel", "A compiled kernel. tilewright.compile() makes it.");
  kernel.def("launch", &launch, nb::sig(launchSignature), launchDoc)
      .def("__call__", &launch, nb::sig(callSignature), "The same as launch().")
      .def(
          "__getitem__",
          [](const nb::object &self, const nb::object &grid) {
            return nb::module_::import_("functools")
                .attr("partial")(self, nb::arg("grid") = grid);
          },
          nb::sig("def __getitem__(self, grid: int | tuple[int, ...]) -> "
                  "collections.abc.Callable[..., None]"),
          "The kernel with its grid: kernel[grid](x) is kernel(x, grid=grid).");
  bindReports(kernel);
  bindCode(kernel);
  bindCompiler(module);
}
