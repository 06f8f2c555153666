//===- InlineAsm.cpp - PTX that the user writes ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread runs the text for groups of its elements. Elements of less than 32
// bits are packed into the registers of the text:
//
//   pack 4, i8, "=r,r"    4 elements -> one i32 -> text -> one i32 -> 4
//   elements pack 4, f16, "=r,=r,r,r"                two i32s each
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Conversion/InlinePtx.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// What a register of that letter holds.
static Type getRegisterType(OpBuilder &builder, char letter) {
  switch (letter) {
  case 'h':
    return builder.getI16Type();
  case 'r':
    return builder.getI32Type();
  case 'l':
    return builder.getI64Type();
  case 'f':
    return builder.getF32Type();
  default:
    return builder.getF64Type();
  }
}

/// Elements of one register, as it holds them.
static Value makeRegister(OpBuilder &builder, Location loc,
                          ArrayRef<Value> elements, char letter) {
  Type type = getRegisterType(builder, letter);
  Value bits = elements.front();
  if (bits.getType().isIndex())
    bits = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), bits);
  else if (isa<LLVM::LLVMPointerType>(bits.getType()))
    bits = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), bits);
  else
    bits = pack(builder, loc, elements).front();
  if (bits.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtUIOp::create(builder, loc, type, bits);
  return type.isInteger() ? bits
                          : arith::BitcastOp::create(builder, loc, type, bits);
}

/// The elements of one register, `count` of them.
static SmallVector<Value> takeRegister(OpBuilder &builder, Location loc,
                                       Value value, Type element,
                                       unsigned count) {
  bool isAddress = isa<LLVM::LLVMPointerType>(element);
  unsigned bits = isAddress || element.isIndex()
                      ? 64
                      : count * element.getIntOrFloatBitWidth();
  Type wide = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  if (value.getType() != wide)
    value = arith::BitcastOp::create(builder, loc, wide, value);
  if (wide.getIntOrFloatBitWidth() > bits)
    value = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits),
                                    value);
  if (isAddress)
    return {LLVM::IntToPtrOp::create(builder, loc, element, value)};
  if (element.isIndex())
    return {arith::IndexCastOp::create(builder, loc, element, value)};
  return unpack(builder, loc, value, element);
}

namespace {
struct InlineAsmPattern : OpConversionPattern<InlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(InlineAsmOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    size_t count = 1;
    if (RegisterLayoutAttr layout =
            getRegisterLayout(op->getResult(0).getType()))
      count = layout.getNumRegisters();
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (size_t first = 0; first < count; first += op.getPack()) {
      SmallVector<SmallVector<Value>> sources;
      for (ValueRange registers : adaptor.getSources()) {
        SmallVector<Value> &group = sources.emplace_back();
        for (size_t each = 0; each < size_t(op.getPack()); ++each)
          group.push_back(registers[std::min(first + each, count - 1)]);
      }
      for (auto [all, group] :
           llvm::zip_equal(results, run(op, sources, rewriter)))
        llvm::append_range(all, ArrayRef(group).take_front(count - first));
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// Runs the text for `pack` elements of each operand; gives those of each
  /// result.
  SmallVector<SmallVector<Value>> run(InlineAsmOp op,
                                      ArrayRef<SmallVector<Value>> sources,
                                      OpBuilder &builder) const {
    Location loc = op.getLoc();
    SmallVector<SmallVector<char>> letters = op.getRegisterLetters();
    SmallVector<Type> types;
    for (ArrayRef<char> own : ArrayRef(letters).take_front(op->getNumResults()))
      for (char letter : own)
        types.push_back(getRegisterType(builder, letter));
    SmallVector<Value> operands;
    for (auto [index, group] : llvm::enumerate(sources)) {
      ArrayRef<char> own = letters[op->getNumResults() + index];
      size_t each = group.size() / own.size();
      for (auto [number, letter] : llvm::enumerate(own))
        operands.push_back(makeRegister(
            builder, loc, ArrayRef(group).slice(number * each, each), letter));
    }
    Type type = types.size() == 1
                    ? types.front()
                    : LLVM::LLVMStructType::getLiteral(op.getContext(), types);
    auto emit = op.getPure() ? emitPurePtx : emitPtx;
    Value value =
        emit(builder, loc, type, operands, op.getText(), op.getConstraints());
    return takeResults(op, unpackResults(builder, loc, value, types.size()),
                       builder);
  }

  SmallVector<SmallVector<Value>> takeResults(InlineAsmOp op,
                                              ArrayRef<Value> registers,
                                              OpBuilder &builder) const {
    SmallVector<SmallVector<Value>> results;
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      int64_t each = op.getElementsPerRegister(element);
      Type converted = getTypeConverter()->convertType(element);
      SmallVector<Value> &group = results.emplace_back();
      for (int64_t taken = 0; taken < op.getPack(); taken += each) {
        llvm::append_range(group,
                           takeRegister(builder, op.getLoc(), registers.front(),
                                        converted, each));
        registers = registers.drop_front();
      }
    }
    return results;
  }
};
} // namespace

void tonvvm::populateInlineAsmPatterns(RewritePatternSet &patterns,
                                       const TypeConverter &converter) {
  patterns.add<InlineAsmPattern>(converter, patterns.getContext());
}
