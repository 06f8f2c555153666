//===- Print.cpp - Lines that a running kernel prints ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread calls vprintf for each element that is its own, and not the copy of
// another thread's. The arguments stand in local memory as C passes variable
// ones: integers of 32 bits or more, floats as f64.
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Programs/TextConstant.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// What C's format has for an element.
static std::string getConversion(PrintOp op, Type element) {
  if (isa<PtrType>(element))
    return "%p";
  if (isa<FloatType>(element))
    return "%f";
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  StringRef length = bits > 32 ? "ll" : "";
  if (op.getHex())
    return llvm::formatv("0x%0{0}{1}x", llvm::divideCeil(bits, 4), length);
  return llvm::formatv("%{0}{1}", length, op.getIsUnsigned() ? "u" : "d");
}

/// "pid (%u, %u, %u) idx (%d) prefix%f"
static std::string getFormat(PrintOp op) {
  std::string text = "pid (%u, %u, %u)";
  if (op.getValue()) {
    auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
    SmallVector<StringRef> places(tile ? tile.getRank() : 0, "%d");
    text += " idx (" + llvm::join(places, ", ") + ")";
  }
  for (char letter : op.getPrefix())
    text += letter == '%' ? "%%" : std::string(1, letter);
  if (op.getValue())
    text += getConversion(op, getElementTypeOrSelf(op.getValue().getType()));
  return text + "\n";
}

/// An element as C passes it to a function of variable arguments.
static Value promote(OpBuilder &builder, Location loc, Value value,
                     bool isUnsigned) {
  Type type = value.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      value);
  if (isa<FloatType>(type)) {
    if (type.getIntOrFloatBitWidth() < 32)
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return type.isF64() ? value
                        : arith::ExtFOp::create(builder, loc,
                                                builder.getF64Type(), value);
  }
  if (!type.isInteger())
    return value;
  unsigned bits = type.getIntOrFloatBitWidth(), wide = bits <= 32 ? 32 : 64;
  Type wideType = builder.getIntegerType(wide);
  if (bits == wide)
    return value;
  // A boolean is 0 or 1.
  if (isUnsigned || bits == 1)
    return arith::ExtUIOp::create(builder, loc, wideType, value);
  return arith::ExtSIOp::create(builder, loc, wideType, value);
}

namespace {
/// Writes calls of vprintf with one text.
class Printer {
public:
  Printer(OpBuilder &builder, PrintOp op, LLVM::LLVMFuncOp vprintf)
      : builder(builder), op(op), vprintf(vprintf) {
    Location loc = op.getLoc();
    text = makeTextConstant(builder, loc, op->getParentOfType<ModuleOp>(),
                            getFormat(op));
    for (unsigned axis = 0; axis < 3; ++axis)
      program.push_back(getProgramNumber(builder, loc, axis));
  }

  /// Where the condition holds, or always where it is null.
  void print(Value condition, ArrayRef<Value> values) {
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(builder);
    if (condition) {
      auto branch = scf::IfOp::create(builder, loc, condition);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    SmallVector<Value> arguments = llvm::to_vector(ArrayRef(program));
    llvm::append_range(arguments, values);
    auto type = LLVM::LLVMStructType::getLiteral(
        op.getContext(), llvm::to_vector(ValueRange(arguments).getTypes()));
    Value buffer = allocate(type);
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      Value place = LLVM::GEPOp::create(
          builder, loc, buffer.getType(), type, buffer,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
      LLVM::StoreOp::create(builder, loc, argument, place);
    }
    LLVM::CallOp::create(builder, loc, vprintf, ValueRange{text, buffer});
  }

private:
  /// Once, where the kernel begins: a thread's stack does not grow.
  Value allocate(Type type) {
    if (buffer)
      return buffer;
    OpBuilder::InsertionGuard guard(builder);
    Operation *kernel = op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>();
    builder.setInsertionPointToStart(&kernel->getRegion(0).front());
    Value one = arith::ConstantIntOp::create(builder, op.getLoc(), 1, 32);
    buffer = LLVM::AllocaOp::create(builder, op.getLoc(),
                                    LLVM::LLVMPointerType::get(op.getContext()),
                                    type, one);
    return buffer;
  }

  OpBuilder &builder;
  PrintOp op;
  LLVM::LLVMFuncOp vprintf;
  Value text, buffer;
  SmallVector<Value, 3> program;
};

struct PrintPattern : OpConversionPattern<PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PrintOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type pointer = LLVM::LLVMPointerType::get(getContext());
    FailureOr<LLVM::LLVMFuncOp> vprintf = LLVM::lookupOrCreateFn(
        rewriter, op->getParentOfType<ModuleOp>(), "vprintf",
        {pointer, pointer}, rewriter.getI32Type());
    if (failed(vprintf))
      return failure();
    Printer printer(rewriter, op, *vprintf);
    ThreadIndex thread(rewriter, op.getLoc());
    if (op.getValue() && isa<RankedTensorType>(op.getValue().getType()))
      printTile(op, adaptor.getValue(), thread, printer, rewriter);
    else
      printer.print(thread.isFirst(),
                    promoteAll(op, adaptor.getValue(), rewriter));
    rewriter.eraseOp(op);
    return success();
  }

private:
  static SmallVector<Value> promoteAll(PrintOp op, ValueRange values,
                                       OpBuilder &builder) {
    return llvm::map_to_vector(values, [&](Value value) {
      return promote(builder, op.getLoc(), value,
                     op.getIsUnsigned() || op.getHex());
    });
  }

  static void printTile(PrintOp op, ValueRange registers, ThreadIndex &thread,
                        Printer &printer, OpBuilder &builder) {
    const LinearLayout &layout =
        getRegisterLayout(op.getValue().getType()).getLayout();
    Value isHolder = thread.isCanonical(layout.zeroBasisMask("lane"),
                                        layout.zeroBasisMask("warp"));
    SmallVector<ThreadCoordinate> coordinates;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      coordinates.push_back(thread.getCoordinate(layout, dim));
    SmallVector<Value> values = promoteAll(op, registers, builder);
    for (auto [reg, first] : llvm::enumerate(canonicalRegisters(layout))) {
      if (reg != first)
        continue;
      LinearLayout::Point point =
          layout.apply({{"register", static_cast<int64_t>(reg)}});
      SmallVector<Value> arguments;
      for (auto [coordinate, part] : llvm::zip_equal(coordinates, point))
        arguments.push_back(coordinate.get(builder, op.getLoc(), part));
      arguments.push_back(values[reg]);
      printer.print(isHolder, arguments);
    }
  }
};
} // namespace

void tonvvm::populatePrintPatterns(RewritePatternSet &patterns,
                                   const TypeConverter &converter) {
  patterns.add<PrintPattern>(converter, patterns.getContext());
}
