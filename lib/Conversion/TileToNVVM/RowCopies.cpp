//===- RowCopies.cpp - Rows that are copied ahead -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   copy_row    each thread copies 16 bytes at a time, so many as the row has
//               there, of which the rest are zeros
//   load_row    each thread reads its elements, at places that differ from row
//               to row by one number alone
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowCopies.h"

#include "AsyncCopy.h"
#include "Patterns.h"
#include "RegisterValues.h"
#include "RowBlock.h"
#include "SharedAddresses.h"
#include "ThreadIndex.h"
#include "VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

static constexpr int64_t kPieceBytes = RowBuffer::pieceBytes;

/// i64.
static Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) {
  return LLVM::PtrToIntOp::create(builder, builder.getI64Type(), pointer);
}

namespace {

/// The lowering of `tile.copy_row`.
class RowPieces : NumberBuilder {
public:
  RowPieces(ImplicitLocOpBuilder &builder, SharedType tile, Value row,
            Value count, Value array, Value shared, int64_t numThreads)
      : NumberBuilder(builder), bytes(getElementBytes(tile.getElementType())),
        numPieces((tile.getNumElements() * bytes + kPieceBytes - 2) /
                      kPieceBytes +
                  1),
        numThreads(numThreads), shared(shared) {
    Value address = getAddress(builder, row);
    behind = both(narrow(address), kPieceBytes - 1);
    begin = both(address, -kPieceBytes);
    count = narrow(fromIndex(count));
    hasElements = isLess(constant(0), count);
    end = builder.createOrFold<arith::SelectOp>(
        hasElements, add(behind, mul(count, bytes)), constant(0));
    Value first = make<arith::MinUIOp>(address, getAddress(builder, array));
    isHeadWhole = builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule,
                                                      first, begin);
  }

  void copy() {
    ThreadIndex thread(builder, builder.getLoc());
    Value index = add(mul(thread.getWarp(), lanesPerWarp), thread.getLane());
    Value isFirst = builder.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::eq, index, constant(0));
    Value isPart = both(isFirst, make<arith::XOrIOp>(isHeadWhole, 1));
    Value source = add(begin, mul(widen(index), kPieceBytes));
    Value at = mul(index, kPieceBytes);
    for (int64_t done = 0; done < numPieces; done += numThreads) {
      Value mask = done == 0 ? make<arith::XOrIOp>(isPart, 1) : Value();
      if (numPieces - done < numThreads)
        mask = combine(builder, builder.getLoc(), mask,
                       isLess(index, constant(numPieces - done)));
      int64_t distance = done * kPieceBytes;
      Value place = add(at, distance);
      AsyncCopy::emitPart(builder, builder.getLoc(), getShared(place),
                          getGlobal(add(source, distance)), kPieceBytes,
                          clampToPiece(sub(end, place)), mask);
    }
    copyHead(isPart);
  }

private:
  Value clampToPiece(Value number) {
    return make<arith::MinSIOp>(make<arith::MaxSIOp>(number, 0), kPieceBytes);
  }
  Value getShared(Value byte) {
    return addBytes(builder, builder.getLoc(), shared, byte);
  }
  Value getGlobal(Value address) {
    auto pointer =
        LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace);
    return LLVM::IntToPtrOp::create(builder, pointer, address);
  }

  /// Copies the elements of the first piece one by one, where not all of it is
  /// of the array.
  void copyHead(Value isPart) {
    OpBuilder::InsertionGuard guard(builder);
    auto branch = scf::IfOp::create(builder, isPart, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    Type type = builder.getIntegerType(8 * bytes);
    SmallVector<Value> elements;
    for (int64_t byte = 0; byte < kPieceBytes; byte += bytes) {
      Value place = constant(byte);
      Value inside = both(isAtMost(behind, place), isLess(place, end));
      elements.push_back(loadVector(builder, builder.getLoc(),
                                    getGlobal(add(begin, byte)), type, 1,
                                    inside)
                             .front());
    }
    for (auto [number, element] : llvm::enumerate(elements))
      storeVector(builder, builder.getLoc(),
                  getShared(constant(number * bytes)), element,
                  /*predicate=*/nullptr);
  }

  int64_t bytes, numPieces, numThreads;
  Value shared;
  /// i64: the first piece of the row. i32: where in it the row begins, and ends
  /// behind its beginning; 0 where there is none.
  Value begin, behind, end;
  /// i1: whether there is a row, and whether its first piece is all of the
  /// array.
  Value hasElements, isHeadWhole;
};

struct CopyRowPattern : OpConversionPattern<CopyRowOp> {
  CopyRowPattern(const TypeConverter &converter, MLIRContext *mlirContext,
                 const LoweringContext &context)
      : OpConversionPattern(converter, mlirContext), context(context) {}

  LogicalResult
  matchAndRewrite(CopyRowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RowPieces(builder, op.getDest().getType(), adaptor.getSource(),
              adaptor.getCount(), adaptor.getArray(), adaptor.getDest(),
              context.computingThreads.lookup(op))
        .copy();
    rewriter.eraseOp(op);
    return success();
  }

  const LoweringContext &context;
};

struct LoadRowPattern : OpConversionPattern<LoadRowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadRowOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    NumberBuilder numbers(builder);
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    const LinearLayout &layout = getRegisterLayout(tile).getLayout();
    unsigned dim = tile.getRank() - 1;
    int64_t bytes = getElementBytes(tile.getElementType());
    ThreadIndex thread(builder, builder.getLoc());
    ThreadCoordinate coordinate = thread.getCoordinate(layout, dim);
    Value address = getAddress(builder, adaptor.getFrom().front());
    Value behind = numbers.both(numbers.narrow(address), kPieceBytes - 1);
    Value row = addBytes(builder, builder.getLoc(), adaptor.getSource().front(),
                         behind);
    auto getPointer = [&](int32_t column) {
      return addBytes(
          builder, builder.getLoc(), row,
          numbers.mul(coordinate.get(builder, builder.getLoc(), column),
                      bytes));
    };
    Value ofThread = getPointer(0);
    RegisterValues registers(layout);
    for (unsigned reg : llvm::SmallSetVector<unsigned, 32>(
             llvm::from_range, canonicalRegisters(layout))) {
      int32_t column = layout.apply({{"register", reg}})[dim];
      Value pointer =
          coordinate.isDisjoint(column)
              ? addBytes(builder, builder.getLoc(), ofThread, column * bytes)
              : getPointer(column);
      registers.set(reg, loadVector(builder, builder.getLoc(), pointer,
                                    tile.getElementType(), 1,
                                    /*predicate=*/nullptr));
    }
    rewriter.replaceOpWithMultiple(op, {registers.take()});
    return success();
  }
};

} // namespace

void tonvvm::populateRowCopyPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const LoweringContext &context) {
  patterns.add<CopyRowPattern>(converter, patterns.getContext(), context);
  patterns.add<LoadRowPattern>(converter, patterns.getContext());
}
