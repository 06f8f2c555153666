//===- Parser.h - PTX text to statements ------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_PARSER_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_PARSER_H

#include "Ptx/Ast.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace tilewright::sim {

/// Parses one PTX module. The result refers to `text`, which must outlive
/// it. Registers, variables and scopes are resolved; opcodes are not looked
/// at. Errors read "line 12: what is wrong".
llvm::Expected<ParsedModule> parsePtx(llvm::StringRef text);

/// ", of file.py:12", for messages; nothing where the place is not known.
std::string describeSource(const LocRef &loc,
                           llvm::ArrayRef<std::string> files);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_PARSER_H
