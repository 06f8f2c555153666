//===- AsyncCopy.cpp - The instruction cp.async ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/AsyncCopy.h"

#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// The operand that says how many bytes are read, or whether none is.
static constexpr unsigned bytesOperand = 2;
/// The one without which nothing is copied.
static constexpr unsigned maskOperand = 3;

/// Whole 16-byte pieces pass by the first-level cache, which has no use of
/// them.
static std::string getText(unsigned bytes, bool isMasked) {
  return llvm::formatv("{0}cp.async.{1}.shared.global [$0], [$1], {2}, $2;",
                       isMasked ? "@$3 " : "",
                       bytes == tile::kMaxVectorBytes ? "cg" : "ca", bytes);
}

void AsyncCopy::emit(OpBuilder &builder, Location loc, Value dest, Value source,
                     unsigned bytes, Value inside, Value mask) {
  // Not the predicate that cp.async can take instead: fewer instructions, and
  // up to 5 % slower (docs/decisions/0003-gemm.md).
  Value count = arith::ConstantIntOp::create(builder, loc, bytes, 32);
  if (inside) {
    Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
    count = arith::SelectOp::create(builder, loc, inside, count, none);
  }
  std::string text = getText(bytes, static_cast<bool>(mask));
  SmallVector<Value> operands = {dest, source, count};
  std::string constraints = "r,l,r";
  if (mask) {
    operands.push_back(mask);
    constraints += ",b";
  }
  emitPtx(builder, loc, nullptr, operands, text, constraints + ",~{memory}");
}

std::optional<AsyncCopy> AsyncCopy::get(Operation *op) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!text)
    return std::nullopt;
  // There are others, such as of rows that begin anywhere, with other operands.
  for (unsigned bytes : {4, 8, 16})
    for (bool isMasked : {false, true})
      if (text.getAsmString() == getText(bytes, isMasked))
        return AsyncCopy(text);
  return std::nullopt;
}

bool AsyncCopy::isWide() { return op.getAsmString().contains("cp.async.cg"); }

Value AsyncCopy::getMask() {
  return op.getNumOperands() > maskOperand ? op.getOperand(maskOperand)
                                           : Value();
}

arith::SelectOp AsyncCopy::getChoice() {
  if (op.getNumOperands() <= bytesOperand)
    return nullptr;
  auto choice = op.getOperand(bytesOperand).getDefiningOp<arith::SelectOp>();
  return choice && matchPattern(choice.getFalseValue(), m_Zero())
             ? choice
             : arith::SelectOp();
}

void AsyncCopy::setChoice(arith::SelectOp choice) {
  op->setOperand(bytesOperand, choice);
}

/// The first PTX in which the operand may be a predicate.
static constexpr unsigned firstPtxWithConditions = 75;

void AsyncCopy::takeCondition(unsigned ptxVersion) {
  arith::SelectOp choice = getChoice();
  APInt bytes;
  if (!choice || !matchPattern(choice.getTrueValue(), m_ConstantInt(&bytes)) ||
      !op.getAsmString().contains(
          (", " + Twine(bytes.getZExtValue()) + ", $2;").str()))
    return;
  SmallVector<StringRef> constraints;
  op.getConstraints().split(constraints, ',');
  if (constraints[bytesOperand] != "r")
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value isOutside =
      arith::XOrIOp::create(builder, loc, choice.getCondition(),
                            arith::ConstantIntOp::create(builder, loc, 1, 1));
  if (ptxVersion >= firstPtxWithConditions) {
    constraints[bytesOperand] = "b";
    op.setConstraints(llvm::join(constraints, ","));
    op.setOperand(bytesOperand, isOutside);
    return;
  }
  // LLVM would choose twice where several copies share a part of the condition,
  // and ptxas takes only a choice between constants back.
  op.setOperand(
      bytesOperand,
      emitPurePtx(
          builder, loc, choice.getType(), isOutside,
          llvm::formatv("selp.b32 $0, 0, {0}, $1;", bytes.getZExtValue()).str(),
          "=r,b"));
}

static StringRef getWaitForStores(bool read) {
  return read ? "cp.async.bulk.wait_group.read 0;"
              : "cp.async.bulk.wait_group 0;";
}

void tonvvm::emitWaitForStores(OpBuilder &builder, Location loc, bool read) {
  emitPtx(builder, loc, nullptr, {}, getWaitForStores(read), "~{memory}");
}

bool tonvvm::isWaitForStores(Operation &op) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && (text.getAsmString() == getWaitForStores(true) ||
                  text.getAsmString() == getWaitForStores(false));
}
