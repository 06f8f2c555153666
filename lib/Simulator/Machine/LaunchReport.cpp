//===- LaunchReport.cpp - What a simulated launch found and counted -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/LaunchReport.h"
#include "Machine/LaunchContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tilewright::sim {

StringRef findingKindName(FindingKind kind) {
  static constexpr StringRef names[] = {
      "out-of-bounds",     "misaligned",
      "use-after-free",    "uninitialized",
      "read-only-write",   "race",
      "pending-copy",      "pending-product",
      "missing-fence",     "divergent-barrier",
      "invalid-operand",   "deadlock",
      "instruction-limit", "trap",
      "broken-promise",    "interrupted",
      "not-resident"};
  return names[static_cast<size_t>(kind)];
}

StringRef instrKindName(InstrKind kind) {
  static constexpr StringRef names[instrKindCount] = {
      "integer",    "float16", "float32", "float64", "approximate",
      "convert",    "compare", "move",    "control", "barrier",
      "fence",      "load",    "store",   "atomic",  "warp-exchange",
      "async-copy", "matrix",  "other"};
  return names[static_cast<size_t>(kind)];
}

raw_ostream &operator<<(raw_ostream &os, const Dim3 &point) {
  return os << point.x << "," << point.y << "," << point.z;
}

/// The line of the source, and a caret below its column.
static void printSource(raw_ostream &os, const Finding &finding) {
  const StringRef text = StringRef(finding.sourceText).rtrim();
  if (text.ltrim().empty())
    return;
  os << "\n  " << text;
  if (finding.sourceColumn == 0 || finding.sourceColumn > text.size())
    return;
  os << "\n  ";
  for (char c : text.take_front(finding.sourceColumn - 1))
    os << (c == '\t' ? '\t' : ' ');
  os << '^';
}

raw_ostream &operator<<(raw_ostream &os, const Finding &finding) {
  os << finding.kernel << ": ";
  if (!finding.sourceFile.empty())
    os << finding.sourceFile << ":" << finding.sourceLine << ": ";
  os << findingKindName(finding.kind) << ": ";
  if (finding.line != 0)
    os << "PTX line " << finding.line << " `" << finding.text << "` ";
  os << finding.message << " (block " << finding.block << ", thread "
     << finding.thread;
  if (finding.address != 0)
    os << ", address 0x" << utohexstr(finding.address, /*LowerCase=*/true);
  if (finding.occurrences > 1)
    os << ", " << finding.occurrences << " times";
  os << ")";
  printSource(os, finding);
  for (const SourcePlace &caller : finding.calledFrom)
    os << "\n  called from " << caller.file << ":" << caller.line;
  return os;
}

void FindingSink::add(FindingKind kind, uint32_t pc, uint32_t otherPc,
                      Dim3 block, Dim3 thread, uint64_t address,
                      std::string message, bool isGlobalRace) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = findings.find({pc, kind, otherPc});
  if (it != findings.end()) {
    ++it->second.occurrences;
    return;
  }
  if (findings.size() >= maximum)
    return;
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel;
  finding.block = block;
  finding.thread = thread;
  finding.address = address;
  finding.isGlobalRace = isGlobalRace;
  finding.message = std::move(message);
  if (pc < program.infos.size()) {
    const InstrInfo &info = program.infos[pc];
    finding.line = info.line;
    finding.text = info.shortText();
    std::vector<SourcePlace> places = program.sourcesOf(pc);
    if (!places.empty()) {
      finding.sourceFile = places[0].file;
      finding.sourceLine = places[0].line;
      finding.sourceColumn = places[0].column;
      finding.calledFrom.assign(places.begin() + 1, places.end());
    }
  }
  findings[{pc, kind, otherPc}] = std::move(finding);
}

/// Lines of source files, which are read once.
namespace {
class SourceLines {
public:
  StringRef get(const std::string &file, unsigned line) {
    const auto [found, isNew] = files.try_emplace(file);
    if (isNew)
      if (auto buffer = MemoryBuffer::getFile(file, /*IsText=*/true))
        found->second = std::move(*buffer);
    StringRef rest = found->second ? found->second->getBuffer() : StringRef();
    for (; line > 1 && !rest.empty(); --line)
      rest = rest.split('\n').second;
    return rest.split('\n').first;
  }

private:
  std::map<std::string, std::unique_ptr<MemoryBuffer>> files;
};
} // namespace

/// What the instructions of one place in the source have in common; those of
/// which no place is known are told apart.
static std::string keyOfPlace(const Program &program, uint32_t pc) {
  std::string key;
  raw_string_ostream os(key);
  for (const SourcePlace &place : pc < program.infos.size()
                                      ? program.sourcesOf(pc)
                                      : std::vector<SourcePlace>())
    os << place.file << ":" << place.line << ":" << place.column << " ";
  if (key.empty())
    os << pc;
  return key;
}

std::vector<Finding> FindingSink::take() {
  std::vector<Finding> list;
  list.reserve(findings.size());
  SourceLines lines;
  std::map<std::tuple<FindingKind, std::string, std::string>, size_t> known;
  for (auto &[key, finding] : findings) {
    const auto &[pc, kind, otherPc] = key;
    const auto [found, isNew] = known.try_emplace(
        {kind, keyOfPlace(program, pc), keyOfPlace(program, otherPc)},
        list.size());
    if (!isNew) {
      list[found->second].occurrences += finding.occurrences;
      continue;
    }
    if (!finding.sourceFile.empty())
      finding.sourceText =
          lines.get(finding.sourceFile, finding.sourceLine).str();
    list.push_back(std::move(finding));
  }
  return list;
}

static json::Value pointJSON(const Dim3 &point) {
  return json::Array{point.x, point.y, point.z};
}

json::Value toJSON(const LaunchReport &report) {
  json::Array findings;
  for (const Finding &finding : report.findings) {
    json::Array callers;
    for (const SourcePlace &caller : finding.calledFrom)
      callers.push_back(
          json::Object{{"file", caller.file}, {"line", caller.line}});
    findings.push_back(json::Object{
        {"kind", findingKindName(finding.kind)},
        {"kernel", finding.kernel},
        {"line", finding.line},
        {"text", finding.text},
        {"source_file", finding.sourceFile},
        {"source_line", finding.sourceLine},
        {"source_column", finding.sourceColumn},
        {"source_text", finding.sourceText},
        {"called_from", std::move(callers)},
        {"block", pointJSON(finding.block)},
        {"thread", pointJSON(finding.thread)},
        {"address", finding.address},
        {"message", finding.message},
        {"occurrences", finding.occurrences},
    });
  }
  const LaunchCounts &counts = report.counts;
  json::Object kinds;
  for (auto [index, count] : enumerate(counts.warpInstructionsByKind))
    kinds[instrKindName(static_cast<InstrKind>(index))] = count;
  json::Array accesses;
  for (const AccessCount &access : counts.accesses)
    accesses.push_back(json::Object{
        {"line", access.line},
        {"text", access.text},
        {"warps", access.warps},
        {"threads", access.threads},
        {"global_sectors", access.globalSectors},
        {"shared_wavefronts", access.sharedWavefronts},
    });
  return json::Object{
      {"completed", report.completed},
      {"findings", std::move(findings)},
      {"counts",
       json::Object{
           {"warp_instructions", counts.warpInstructions},
           {"thread_instructions", counts.threadInstructions},
           {"warp_instructions_by_kind", std::move(kinds)},
           {"global_load_sectors", counts.globalLoadSectors},
           {"global_store_sectors", counts.globalStoreSectors},
           {"shared_load_wavefronts", counts.sharedLoadWavefronts},
           {"shared_store_wavefronts", counts.sharedStoreWavefronts},
           {"shared_copy_wavefronts", counts.sharedCopyWavefronts},
           {"accesses", std::move(accesses)},
       }},
  };
}

} // namespace tilewright::sim
