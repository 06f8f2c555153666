//===- PtxRepairs.cpp - PTX that ptxas understands right ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxRepairs.h"

#include "llvm/Support/raw_ostream.h"
#include <tuple>

using namespace llvm;

/// "d, a" of an instruction that begins `line` (without what stands in front);
/// empty if it is another one.
static StringRef getOperands(StringRef line, StringRef mnemonic) {
  line = line.ltrim();
  if (!line.consume_front(mnemonic) || !line.starts_with(" "))
    return "";
  return line.take_until([](char c) { return c == ';'; }).trim();
}

std::string tilewright::repairNarrowNegations(StringRef ptx) {
  std::string repaired;
  repaired.reserve(ptx.size());
  raw_string_ostream os(repaired);
  for (StringRef separator; !ptx.empty(); separator = "\n") {
    StringRef line;
    std::tie(line, ptx) = ptx.split('\n');
    os << separator;
    StringRef negated = getOperands(line, "neg.s16");
    StringRef absolute = getOperands(line, "abs.s16");
    if (negated.empty() && absolute.empty()) {
      os << line;
      continue;
    }
    auto [target, source] = (negated.empty() ? absolute : negated).split(',');
    os << "\tmul.lo.s16 \t" << target << "," << source << ", -1;";
    if (!absolute.empty())
      os << "\n\tmax.s16 \t" << target << ", " << target << "," << source
         << ";";
  }
  os << "\n";
  return repaired;
}
