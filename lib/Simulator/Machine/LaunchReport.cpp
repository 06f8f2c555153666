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
      "broken-promise",    "interrupted"};
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

static raw_ostream &operator<<(raw_ostream &os, const Dim3 &point) {
  return os << point.x << "," << point.y << "," << point.z;
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
  return os << ")";
}

void FindingSink::add(FindingKind kind, uint32_t pc, uint32_t otherPc,
                      Dim3 block, Dim3 thread, uint64_t address,
                      std::string message) {
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
  finding.message = std::move(message);
  if (pc < program.infos.size()) {
    const InstrInfo &info = program.infos[pc];
    finding.line = info.line;
    finding.text = info.shortText();
    if (info.loc.line != 0 && info.loc.file < program.files.size()) {
      finding.sourceFile = program.files[info.loc.file];
      finding.sourceLine = info.loc.line;
    }
  }
  findings[{pc, kind, otherPc}] = std::move(finding);
}

std::vector<Finding> FindingSink::take() {
  std::vector<Finding> list;
  list.reserve(findings.size());
  for (auto &[key, finding] : findings)
    list.push_back(std::move(finding));
  return list;
}

static json::Value pointJSON(const Dim3 &point) {
  return json::Array{point.x, point.y, point.z};
}

json::Value toJSON(const LaunchReport &report) {
  json::Array findings;
  for (const Finding &finding : report.findings)
    findings.push_back(json::Object{
        {"kind", findingKindName(finding.kind)},
        {"kernel", finding.kernel},
        {"line", finding.line},
        {"text", finding.text},
        {"source_file", finding.sourceFile},
        {"source_line", finding.sourceLine},
        {"block", pointJSON(finding.block)},
        {"thread", pointJSON(finding.thread)},
        {"address", finding.address},
        {"message", finding.message},
        {"occurrences", finding.occurrences},
    });
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
