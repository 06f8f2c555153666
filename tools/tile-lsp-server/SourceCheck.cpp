//===- SourceCheck.cpp - The compiler's messages for an editor ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceCheck.h"

#include "tilewright/Compiler/Compile.h"
#include "tilewright/Compiler/SourceLimits.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilewright;

/// The word at the place; lines and columns count from 0 in the protocol.
static json::Value makeRange(ArrayRef<StringRef> lines,
                             const SourcePlace &place) {
  int64_t line = std::max(1u, place.line) - 1;
  int64_t begin = std::max(1u, place.column) - 1;
  StringRef rest;
  if (line < static_cast<int64_t>(lines.size()))
    rest = lines[line].substr(begin);
  StringRef word = rest.take_while(
      [](char c) { return isAlnum(c) || StringRef("%@!#_.$").contains(c); });
  int64_t end = begin + static_cast<int64_t>(std::max<size_t>(1, word.size()));
  return json::Object{
      {"start", json::Object{{"line", line}, {"character", begin}}},
      {"end", json::Object{{"line", line}, {"character", end}}}};
}

static int64_t getSeverity(CompileDiagnostic::Severity severity) {
  switch (severity) {
  case CompileDiagnostic::Severity::Error:
    return 1;
  case CompileDiagnostic::Severity::Warning:
    return 2;
  case CompileDiagnostic::Severity::Remark:
  case CompileDiagnostic::Severity::Note:
    return 3;
  }
  llvm_unreachable("unknown severity");
}

bool tilewright::canBeParsed(StringRef text) {
  // The compiler will say why not.
  return succeeded(checkSourceLimits({text, /*Identifier=*/""}, nulls()));
}

json::Array tilewright::checkSource(StringRef text, StringRef uri,
                                    const GpuTarget &target) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  json::Array diagnostics;
  CompileOptions options;
  options.pipeline.target = target;
  // What comes after is LLVM's, and slow.
  options.emit = Level::NVVM;
  options.onDiagnostic = [&](const CompileDiagnostic &diagnostic) {
    json::Array notes;
    for (const CompileDiagnostic &note : diagnostic.notes)
      notes.push_back(json::Object{
          {"location", json::Object{{"uri", uri.str()},
                                    {"range", makeRange(lines, note.place)}}},
          {"message", note.message}});
    json::Object result{{"range", makeRange(lines, diagnostic.place)},
                        {"severity", getSeverity(diagnostic.severity)},
                        {"source", "tilewright"},
                        {"message", diagnostic.message}};
    if (!notes.empty())
      result["relatedInformation"] = std::move(notes);
    diagnostics.push_back(std::move(result));
  };
  compile(text, uri, options, nulls());
  return diagnostics;
}
