//===- KernelClauses.h - The clauses of tile.kernel, as text ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clause is a list of strings in the index notation. While a kernel is parsed
// it is known where each string stands, so a mistake is shown at its very
// character:
//
//   axpy.mlir:5:27: error: reference: 'Q' is no argument of the kernel
//       reference ["Y[i] = alpha * Q[i]"]
//                                  ^
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_KERNELCLAUSES_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_KERNELCLAUSES_H

#include "mlir/IR/OpImplementation.h"
#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/SpecError.h"

namespace tilewright::tile {

/// The optional clauses, in the order they are printed; they are read in any.
inline constexpr llvm::StringRef kClauses[] = {"shapes", "grid", "reference"};

class ClauseParser {
public:
  explicit ClauseParser(mlir::OpAsmParser &parser) : parser(parser) {}

  /// Reads all clauses into the attributes of \p result.
  mlir::ParseResult parse(mlir::OperationState &result);

  /// Checks them against the arguments. Arguments of a type that a launch
  /// cannot pass are the verifier's to report.
  mlir::ParseResult
  check(llvm::StringRef kernel, llvm::SMLoc kernelLoc,
        llvm::ArrayRef<mlir::OpAsmParser::Argument> arguments);

private:
  struct Clause {
    std::vector<std::string> texts;
    /// Of the strings' opening quotation marks.
    std::vector<llvm::SMLoc> locs;
  };

  mlir::ParseResult parseTexts(llvm::StringRef name,
                               mlir::OperationState &result);
  Clause &get(llvm::StringRef name);
  llvm::SMLoc findPlace(const spec::SpecError &error, llvm::SMLoc kernelLoc,
                        llvm::ArrayRef<mlir::OpAsmParser::Argument> arguments);

  mlir::OpAsmParser &parser;
  Clause clauses[std::size(kClauses)];
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_KERNELCLAUSES_H
