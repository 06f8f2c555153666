//===- PtxRepairs.cpp - PTX that ptxas understands right ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxRepairs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <tuple>

using namespace llvm;

namespace {
/// "max.s16 %rs1, %rs2, 7;"
struct PtxInstruction {
  StringRef mnemonic;
  SmallVector<StringRef, 3> operands;

  explicit PtxInstruction(StringRef text) {
    StringRef rest;
    std::tie(mnemonic, rest) = getToken(text, " \t");
    for (StringRef operand : split(rest.rtrim(';'), ','))
      operands.push_back(operand.trim());
  }
};
} // namespace

/// An operand of 16 bits in 32: a register that is made here, or the constant.
static std::string widen(raw_ostream &os, StringRef operand, bool isSigned,
                         StringRef wide) {
  int64_t value;
  if (!operand.getAsInteger(0, value))
    return isSigned ? itostr(static_cast<int16_t>(value))
                    : utostr(static_cast<uint16_t>(value));
  os << (isSigned ? " cvt.s32.s16 " : " cvt.u32.u16 ") << wide << ", "
     << operand << ";";
  return wide.str();
}

/// The larger or the smaller of two numbers: `kind` is what stands in front of
/// the type.
static void writeExtremum(raw_ostream &os, StringRef kind, bool isSigned,
                          StringRef target, StringRef a, StringRef b) {
  os << "\t{ .reg .b32 %wide<2>;";
  std::string wideA = widen(os, a, isSigned, "%wide0");
  std::string wideB = widen(os, b, isSigned, "%wide1");
  os << ' ' << kind << (isSigned ? ".s32" : ".u32") << " %wide0, " << wideA
     << ", " << wideB << "; cvt.u16.u32 " << target << ", %wide0; }";
}

/// The number with the other sign.
static void writeNegation(raw_ostream &os, StringRef target, StringRef a) {
  os << "\tmul.lo.s16 \t" << target << ", " << a << ", -1;";
}

/// `target` may be `a`, which is needed twice.
static void writeAbsolute(raw_ostream &os, StringRef target, StringRef a) {
  os << "\t{ .reg .b16 %negated;\n";
  writeNegation(os, "%negated", a);
  os << '\n';
  writeExtremum(os, "max", /*isSigned=*/true, target, "%negated", a);
  os << "\n\t}";
}

/// Whether the text was an instruction to repair. What it stands in may be
/// somebody's own PTX, with parts that are none.
static bool writeRepaired(raw_ostream &os, StringRef text) {
  if (!text.ends_with(";") || text.size() == 1)
    return false;
  PtxInstruction instruction(text);
  auto [kind, type] = instruction.mnemonic.split('.');
  ArrayRef<StringRef> operands = instruction.operands;
  bool isExtremum =
      (kind == "max" || kind == "min") && (type == "s16" || type == "u16");
  if (isExtremum && operands.size() == 3) {
    writeExtremum(os, kind, type == "s16", operands[0], operands[1],
                  operands[2]);
    return true;
  }
  if (operands.size() != 2)
    return false;
  if (instruction.mnemonic == "cvt.u64.u16")
    os << "\t{ .reg .b32 %wide; cvt.u32.u16 %wide, " << operands[1]
       << "; cvt.u64.u32 " << operands[0] << ", %wide; }";
  else if (instruction.mnemonic == "neg.s16")
    writeNegation(os, operands[0], operands[1]);
  else if (instruction.mnemonic == "abs.s16")
    writeAbsolute(os, operands[0], operands[1]);
  else
    return false;
  return true;
}

/// LLVM writes an instruction a line, others may write several.
static void repairLine(raw_ostream &os, StringRef line) {
  bool isNarrow = line.contains(".s16") || line.contains(".u16");
  StringRef code =
      isNarrow && !line.contains("/*") ? line.take_front(line.find("//")) : "";
  StringRef behind = line.drop_front(code.size());
  while (!code.empty()) {
    size_t end = code.find(';');
    StringRef text = code.take_front(end == StringRef::npos ? end : end + 1);
    code = code.drop_front(text.size());
    if (!writeRepaired(os, text))
      os << text;
  }
  os << behind;
}

std::string tilewright::repairNarrowIntegers(StringRef ptx) {
  std::string repaired;
  repaired.reserve(ptx.size());
  raw_string_ostream os(repaired);
  for (StringRef separator; !ptx.empty(); separator = "\n") {
    StringRef line;
    std::tie(line, ptx) = ptx.split('\n');
    os << separator;
    repairLine(os, line);
  }
  os << "\n";
  return repaired;
}
