//===- TextConstant.h - Texts in a module -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_TEXTCONSTANT_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_TEXTCONSTANT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::tonvvm {

/// The address of a text with a 0 behind it, in the module.
mlir::Value makeTextConstant(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::ModuleOp module, llvm::StringRef text);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_TEXTCONSTANT_H
