//===- InlinePtx.cpp - Instructions that LLVM lacks -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

static Value emitText(OpBuilder &builder, Location loc, Type result,
                      ValueRange operands, StringRef text,
                      StringRef constraints, bool hasSideEffects) {
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, hasSideEffects, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  return result ? op.getResult(0) : Value();
}

Value tonvvm::emitPtx(OpBuilder &builder, Location loc, Type result,
                      ValueRange operands, StringRef text,
                      StringRef constraints) {
  return emitText(builder, loc, result, operands, text, constraints,
                  /*hasSideEffects=*/true);
}

Value tonvvm::emitPurePtx(OpBuilder &builder, Location loc, Type result,
                          ValueRange operands, StringRef text,
                          StringRef constraints) {
  return emitText(builder, loc, result, operands, text, constraints,
                  /*hasSideEffects=*/false);
}

SmallVector<Value> tonvvm::unpackResults(OpBuilder &builder, Location loc,
                                         Value result, unsigned count) {
  if (count == 1)
    return {result};
  SmallVector<Value> values;
  for (unsigned index = 0; index < count; ++index)
    values.push_back(LLVM::ExtractValueOp::create(builder, loc, result, index));
  return values;
}

Type tonvvm::getResultType(Type type, unsigned count) {
  if (count == 1)
    return type;
  return LLVM::LLVMStructType::getLiteral(type.getContext(),
                                          SmallVector<Type>(count, type));
}

std::string tonvvm::listOperands(unsigned first, unsigned count) {
  std::string list;
  for (unsigned index = 0; index < count; ++index)
    list += (index == 0 ? "$" : ", $") + std::to_string(first + index);
  return count == 1 ? list : "{" + list + "}";
}

StringRef tonvvm::getRegisterClass(unsigned bits) {
  return bits == 64 ? "l" : bits == 32 ? "r" : "h";
}
