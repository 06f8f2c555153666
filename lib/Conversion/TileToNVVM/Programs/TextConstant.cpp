//===- TextConstant.cpp - Texts in a module -------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs/TextConstant.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tilewright;

Value tonvvm::makeTextConstant(OpBuilder &builder, Location loc,
                               ModuleOp module, StringRef text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  SymbolTable symbols(module);
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    // Not the place of the op: places of what was inlined are those of a
    // function, and MLIR looks for that around whatever has one.
    global = LLVM::GlobalOp::create(
        builder, module.getLoc(),
        LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Private, "text",
        builder.getStringAttr(bytes));
  }
  symbols.insert(global);
  return LLVM::AddressOfOp::create(builder, loc, global);
}
