//===- Pointers.cpp - Arithmetic and casts of pointers --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// Offsets that count up along a dimension, as numbers of columns do: where one
/// is a constant behind the thread's first one, so is the address. Written as
/// sums of pointers and numbers, each is one of its own, which LLVM does not
/// take apart where it is extended.
///
/// Not beside products: the addresses of what is loaded once cost little there,
/// and ptxas orders the loop of products by all that stands before it.
class CountedOffsets {
public:
  CountedOffsets() = default;
  CountedOffsets(OpBuilder &builder, Location loc, Value tile) {
    std::optional<Counted> counted = find(tile);
    if (!counted)
      return;
    layout =
        getRegisterLayout(cast<RankedTensorType>(tile.getType())).getLayout();
    dim = counted->dim;
    thread = ThreadIndex(builder, loc).getCoordinate(*layout, dim);
    first = thread.getThreadPart();
    if (counted->start != 0)
      first = arith::AddIOp::create(
          builder, loc, first,
          arith::ConstantIntOp::create(builder, loc, counted->start, 32),
          arith::IntegerOverflowFlags::nsw);
    first = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), first);
  }

  /// How far a register's offset is behind the first one of the thread, if that
  /// is a constant.
  std::optional<int32_t> getBehind(unsigned reg) const {
    if (!layout)
      return std::nullopt;
    int32_t part = layout->apply({{"register", reg}})[dim];
    return thread.isDisjoint(part) ? std::optional(part) : std::nullopt;
  }
  /// i64.
  Value getFirst() const { return first; }

private:
  struct Counted {
    unsigned dim;
    int32_t start;
  };

  /// The dimension along which a tile counts, and from where.
  static std::optional<Counted> find(Value tile) {
    Operation *op = isTile(tile) ? tile.getDefiningOp() : nullptr;
    if (auto iota = dyn_cast_or_null<IotaOp>(op)) {
      auto end = static_cast<int64_t>(iota.getStart()) +
                 cast<RankedTensorType>(iota.getType()).getNumElements();
      Type type = getElementTypeOrSelf(iota.getType());
      bool isWide = type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
      return isWide && llvm::isInt<32>(end)
                 ? std::optional(Counted{0, int32_t(iota.getStart())})
                 : std::nullopt;
    }
    auto dimensions = dyn_cast_or_null<DimensionMapOpInterface>(op);
    std::optional<Counted> source =
        dimensions ? find(op->getOperand(0)) : std::nullopt;
    if (!source)
      return std::nullopt;
    auto type = cast<RankedTensorType>(tile.getType());
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (dimensions.getSourceDim(dim) == source->dim)
        return Counted{dim, source->start};
    return std::nullopt;
  }

  std::optional<LinearLayout> layout;
  unsigned dim = 0;
  ThreadCoordinate thread;
  Value first;
};

struct AddPtrPattern : ContextPattern<AddPtrOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(AddPtrOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "its kernel is no function yet");
    Location loc = op.getLoc();
    auto pointee =
        cast<PtrType>(getElementTypeOrSelf(op.getType())).getElementType();
    Type elementType = rewriter.getIntegerType(8 * getElementBytes(pointee));
    auto add = [&](Value pointer, LLVM::GEPArg offset) -> Value {
      return LLVM::GEPOp::create(rewriter, loc, pointer.getType(), elementType,
                                 pointer, ArrayRef<LLVM::GEPArg>{offset});
    };
    CountedOffsets counted;
    if (!context.productKernels.contains(function.getSymNameAttr()))
      counted = CountedOffsets(rewriter, loc, op.getOffset());
    SmallVector<Value> pointers;
    for (auto [reg, pointer, offset] :
         llvm::enumerate(adaptor.getPtr(), adaptor.getOffset())) {
      if (std::optional<int32_t> behind = counted.getBehind(reg)) {
        Value first = add(pointer, counted.getFirst());
        pointers.push_back(*behind == 0 ? first : add(first, *behind));
        continue;
      }
      Value wide = offset;
      Type i64 = rewriter.getI64Type();
      if (offset.getType().isIndex())
        wide = arith::IndexCastOp::create(rewriter, loc, i64, offset);
      else if (offset.getType().getIntOrFloatBitWidth() < 64)
        wide = arith::ExtSIOp::create(rewriter, loc, i64, offset);
      pointers.push_back(add(pointer, wide));
    }
    rewriter.replaceOpWithMultiple(op, {pointers});
    return success();
  }
};

/// An address is 64 bits, whatever it is of.
template <typename Op, typename LLVMOp>
struct CastPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getType()));
    SmallVector<Value> values =
        llvm::map_to_vector(adaptor.getSource(), [&](Value value) -> Value {
          return LLVMOp::create(rewriter, op.getLoc(), type, value);
        });
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

void tonvvm::populatePointerPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const LoweringContext &context) {
  patterns.add<AddPtrPattern>(converter, patterns.getContext(), context);
  // Pointers of the lowered program do not say to what.
  patterns
      .add<RenamePattern<PtrCastOp>, CastPattern<PtrToIntOp, LLVM::PtrToIntOp>,
           CastPattern<IntToPtrOp, LLVM::IntToPtrOp>>(converter,
                                                      patterns.getContext());
}
