//===- InlinePtx.h - Instructions that LLVM lacks ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that LLVM has no intrinsic for, or would take apart, as text:
//
//   emitPurePtx(builder, loc, i32, {%a, %b}, "prmt.b32 $0, $1, $2, 0x5410;",
//               "=r,r,r")
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_INLINEPTX_H
#define TILEWRIGHT_CONVERSION_INLINEPTX_H

#include "mlir/IR/Builders.h"

namespace tilewright::tonvvm {

/// PTX text that reads or writes memory and keeps its place among others such.
/// `constraints` are LLVM's: results first, then operands, then what is
/// clobbered. `result` is null, a type, or a literal struct of types.
mlir::Value emitPtx(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Type result, mlir::ValueRange operands,
                    llvm::StringRef text, llvm::StringRef constraints);

/// PTX text that only computes: it may be moved and left out like arithmetic,
/// but neither MLIR nor LLVM looks into it.
mlir::Value emitPurePtx(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type result, mlir::ValueRange operands,
                        llvm::StringRef text, llvm::StringRef constraints);

/// The values that an instruction with `count` results gives: itself, or the
/// fields of the struct it gives.
llvm::SmallVector<mlir::Value> unpackResults(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value result,
                                             unsigned count);

/// The result type of an instruction with `count` results of a type.
mlir::Type getResultType(mlir::Type type, unsigned count);

/// "{$2, $3}": operands of PTX text from the first on, or "$2" for one.
std::string listOperands(unsigned first, unsigned count);

/// What LLVM's constraints call a register of so many bits. There are none of
/// 8.
llvm::StringRef getRegisterClass(unsigned bits);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_CONVERSION_INLINEPTX_H
