//===- Ptxas.cpp - PTX to machine code with NVIDIA's assembler ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/Ptxas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Finding the program
//===----------------------------------------------------------------------===//

/// Folders of `parent` whose name is `prefix` and a version, newest first.
static SmallVector<std::string> versionedFolders(StringRef parent,
                                                 StringRef prefix) {
  SmallVector<std::pair<VersionTuple, std::string>> found;
  std::error_code error;
  for (sys::fs::directory_iterator it(parent, error), end; !error && it != end;
       it.increment(error)) {
    StringRef name = sys::path::filename(it->path());
    VersionTuple version;
    if (name.consume_front(prefix) && !version.tryParse(name))
      found.push_back({version, it->path()});
  }
  sort(found, [](const auto &a, const auto &b) { return a.first > b.first; });
  return map_to_vector(found, [](auto &entry) { return entry.second; });
}

/// Where CUDA toolkits and the Python wheels keep their programs.
static SmallVector<std::string> toolkitFolders() {
  SmallVector<std::string> folders = {"/usr/local/cuda/bin"};
  for (const std::string &toolkit : versionedFolders("/usr/local", "cuda-"))
    folders.push_back(toolkit + "/bin");
  std::optional<std::string> environment = sys::Process::GetEnv("VIRTUAL_ENV");
  if (!environment || environment->empty())
    return folders;
  for (const std::string &python :
       versionedFolders(*environment + "/lib", "python")) {
    std::string wheels = python + "/site-packages/nvidia/";
    // The wheel of CUDA 13 has one folder a toolkit, that of CUDA 12 one a
    // component.
    for (const std::string &toolkit : versionedFolders(wheels, "cu"))
      folders.push_back(toolkit + "/bin");
    folders.push_back(wheels + "cuda_nvcc/bin");
  }
  return folders;
}

Expected<std::optional<Ptxas>> Ptxas::find() {
  if (std::optional<std::string> named =
          sys::Process::GetEnv("TILEWRIGHT_PTXAS")) {
    ErrorOr<std::string> program = sys::findProgramByName(*named);
    if (program && sys::fs::can_execute(*program))
      return Ptxas(*program);
    return createStringError("TILEWRIGHT_PTXAS is '" + *named +
                             "', which is not a program that can be run; set "
                             "it to the path of ptxas or unset it");
  }
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas"))
    return Ptxas(*program);
  SmallVector<std::string> folders = toolkitFolders();
  SmallVector<StringRef> paths(folders.begin(), folders.end());
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas", paths))
    return Ptxas(*program);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reading its log
//===----------------------------------------------------------------------===//

/// The number that stands right before `unit`, such as 24 in "Used 24
/// registers" for " registers"; 0 where `unit` does not occur.
static unsigned numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef digits = line.take_front(end);
  digits = digits.take_back(digits.size() - 1 -
                            digits.find_last_not_of("0123456789"));
  unsigned value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

/// Of a line such as "... instructions are serialized due to REASON in the
/// function 'NAME'", reason and name; empty where it is another line.
static std::pair<StringRef, StringRef> readSerialized(StringRef line) {
  StringRef said =
      line.split("wgmma.mma_async instructions are serialized due to ").second;
  auto [reason, name] = said.split(" in the function '");
  return {reason.trim(), name.split('\'').first};
}

SmallVector<PtxasResources, 1> tilewright::parsePtxasLog(StringRef log) {
  SmallVector<PtxasResources, 1> kernels;
  StringMap<StringRef> serialized;
  // Device functions have property lines too: only those under an entry count.
  bool inEntry = false;
  for (StringRef line : split(log, '\n')) {
    if (auto [reason, name] = readSerialized(line); !name.empty()) {
      serialized[name] = reason;
    } else if (line.contains("Compiling entry function '")) {
      kernels.emplace_back().name = line.split('\'').second.split('\'').first;
    } else if (size_t at = line.find("Function properties for ");
               at != StringRef::npos) {
      StringRef name = line.substr(at).rtrim().rsplit(' ').second;
      inEntry = !kernels.empty() && kernels.back().name == name;
    } else if (inEntry && line.contains("bytes stack frame")) {
      kernels.back().stackFrameBytes = numberBefore(line, " bytes stack frame");
      kernels.back().spillStoreBytes =
          numberBefore(line, " bytes spill stores");
      kernels.back().spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (!kernels.empty() && line.contains(": Used ")) {
      kernels.back().registers = numberBefore(line, " registers");
      kernels.back().staticSharedBytes = numberBefore(line, " bytes smem");
    }
  }
  for (PtxasResources &kernel : kernels)
    kernel.whySerialized = serialized.lookup(kernel.name).str();
  return kernels;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

namespace {

/// A file with a fresh name that is removed at the end, and if the process is
/// stopped.
struct TemporaryFile {
  SmallString<128> path;
  std::optional<CleanupInstaller> cleanup;

  Error create(StringRef suffix, StringRef contents = "") {
    int descriptor = -1;
    if (std::error_code error = sys::fs::createTemporaryFile(
            "tilewright", suffix, descriptor, path))
      return createStringError(error, "cannot make a temporary file");
    cleanup.emplace(path);
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << contents;
    stream.close();
    if (!stream.has_error())
      return Error::success();
    std::error_code error = stream.error();
    stream.clear_error();
    return createStringError(error, "cannot write the temporary file " + path);
  }

  /// Its contents now; nothing where it cannot be read.
  std::string read() const {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
};

} // namespace

/// No kernel needs this long; a ptxas that hangs must not hang the compiler.
static constexpr unsigned timeLimitSeconds = 600;

/// Why ptxas made no cubin. `status` is what ExecuteAndWait gives: -1 where it
/// could not be run, -2 where a signal or the time limit ended it.
static Error describeFailure(StringRef path, const GpuTarget &target,
                             int status, StringRef reason, StringRef log) {
  if (status == -1)
    return createStringError(path + " cannot be run: " + reason +
                             "; let TILEWRIGHT_PTXAS name another ptxas");
  std::string said = log.empty() ? "" : (":\n" + log).str();
  if (status == -2)
    return createStringError(
        path + " did not finish with this PTX for " + target.name + " (" +
        reason.rtrim(": ") +
        "), a defect of its own and no mistake of the kernel's: let "
        "TILEWRIGHT_PTXAS name another version of ptxas" +
        said);
  return createStringError(path + " does not accept this PTX for " +
                           target.name + said);
}

/// Roles without the registers that they were given would spill, or have half
/// as many blocks: a mistake of who wrote the PTX, of which ptxas only informs
/// (C7508).
static Error checkRegistersOfRoles(StringRef path, const GpuTarget &target,
                                   StringRef log) {
  for (StringRef line : split(log, '\n'))
    if (line.contains("'setmaxnreg' ignored"))
      return createStringError(path +
                               " ignores the setmaxnreg of this PTX "
                               "for " +
                               target.name + ":\n" + line.trim());
  return Error::success();
}

Expected<PtxasOutput> Ptxas::assemble(StringRef ptx,
                                      const GpuTarget &target) const {
  TemporaryFile source, cubin, log;
  if (Error error = source.create("ptx", ptx))
    return error;
  if (Error error = cubin.create("cubin"))
    return error;
  if (Error error = log.create("log"))
    return error;

  std::string arch = ("-arch=" + target.name).str();
  StringRef arguments[] = {path,        arch, "-v",      "--warn-on-spills",
                           source.path, "-o", cubin.path};
  // No input; one file for both outputs, in the order they were printed.
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log.path),
                                          StringRef(log.path)};
  std::string reason;
  int status = sys::ExecuteAndWait(path, arguments, std::nullopt, redirects,
                                   timeLimitSeconds, 0, &reason);

  PtxasOutput output;
  output.log = log.read();
  // The temporary name means nothing to the reader and is gone by now.
  for (size_t at;
       (at = StringRef(output.log).find(source.path)) != StringRef::npos;)
    output.log.replace(at, source.path.size(), "<ptx>");
  if (status != 0)
    return describeFailure(path, target, status, reason,
                           StringRef(output.log).rtrim());
  if (Error error = checkRegistersOfRoles(path, target, output.log))
    return error;
  std::string bytes = cubin.read();
  output.cubin.assign(bytes.begin(), bytes.end());
  output.kernels = parsePtxasLog(output.log);
  return output;
}
