//===- tilewright.cpp - All tools in one program --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The package holds one copy of LLVM and MLIR for all tools. Which tool runs is
// the name that the program is called by (through a symbolic link), or else the
// first argument: `tile-opt x.mlir` and `tilewright tile-opt x.mlir` are one.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

struct Tool {
  StringRef name;
  int (*entry)(int argc, char **argv);
};

} // namespace

static constexpr Tool tools[] = {
#define TILEWRIGHT_TOOL(NAME, ENTRY) {NAME, tilewright::ENTRY},
#include "ToolTable.inc"
#undef TILEWRIGHT_TOOL
};

static const Tool *findTool(StringRef name) {
  const Tool *tool =
      find_if(tools, [&](const Tool &t) { return t.name == name; });
  return tool == std::end(tools) ? nullptr : tool;
}

static void printUsage(raw_ostream &os) {
  os << "usage: tilewright <tool> [arguments]\n       <tool> [arguments], "
        "through a symbolic link of that name\ntools:";
  for (const Tool &tool : tools)
    os << ' ' << tool.name;
  os << "\n'<tool> --help' lists its arguments.\n";
}

int main(int argc, char **argv) {
  tilewright::installVersion();
  StringRef self = argc > 0 ? sys::path::filename(argv[0]) : "";
  if (const Tool *tool = findTool(self))
    return tool->entry(argc, argv);

  StringRef first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h") {
    printUsage(outs());
    return 0;
  }
  if (first == "--version") {
    tilewright::printVersion(outs());
    return 0;
  }
  if (const Tool *tool = findTool(first))
    return tool->entry(argc - 1, argv + 1);

  if (first.empty())
    errs() << "tilewright: no tool named\n";
  else
    errs() << "tilewright: unknown tool '" << first << "'\n";
  printUsage(errs());
  return 1;
}
