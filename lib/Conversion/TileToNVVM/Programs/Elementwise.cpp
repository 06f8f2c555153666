//===- Elementwise.cpp - Arithmetic on tiles, register by register --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

LogicalResult tonvvm::checkFloat8Target(Operation *op, StringRef what,
                                        Type type, const GpuTarget &target) {
  if (target.float8)
    return success();
  return op->emitOpError() << what << " of " << type
                           << " need sm_89 or newer; the target is "
                           << target.name;
}

SmallVector<unsigned> LoweringContext::findAlike(Operation *op,
                                                 size_t numRegisters) const {
  auto firsts = llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(numRegisters)));
  if (auto known = alikeMasks.find(op); known != alikeMasks.end())
    return llvm::to_vector(known->second);
  auto found = constancies.find(op);
  if (found == constancies.end())
    return firsts;
  const LinearLayout &layout =
      getRegisterLayout(cast<RankedTensorType>(op->getResult(0).getType()))
          .getLayout();
  std::map<SmallVector<int64_t, 2>, unsigned> groups;
  for (unsigned &reg : firsts) {
    SmallVector<int64_t, 2> group;
    for (auto [coordinate, constancy] :
         llvm::zip_equal(layout.apply({{"register", reg}}), found->second))
      group.push_back(coordinate / constancy);
    reg = groups.try_emplace(group, reg).first->second;
  }
  return firsts;
}

namespace {

/// Any elementwise op on tiles: the same op on each register. A choice between
/// pointers or views is one for each of their parts. What is known to be the
/// same is computed once, as a mask where a row ends with a vector of memory,
/// or the row that a place is in; masks that are known are not computed at all.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &converter, MLIRContext *mlirContext,
                     const LoweringContext &context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          mlirContext),
        context(context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        !isa<RankedTensorType, PtrType, ViewType>(op->getResult(0).getType()))
      return failure();
    SmallVector<Type> types;
    if (failed(
            getTypeConverter()->convertType(op->getResult(0).getType(), types)))
      return failure();
    SmallVector<unsigned> alike = context.findAlike(op, types.size());
    auto known = context.knownMasks.find(op);
    SmallVector<Value> results;
    for (auto [index, type] : llvm::enumerate(types)) {
      if (known != context.knownMasks.end() && known->second[index]) {
        results.push_back(arith::ConstantIntOp::create(
            rewriter, op->getLoc(), *known->second[index], /*width=*/1));
        continue;
      }
      if (alike[index] != index) {
        results.push_back(results[alike[index]]);
        continue;
      }
      OperationState state(op->getLoc(), op->getName());
      state.addTypes(type);
      state.addAttributes(op->getAttrs());
      for (auto [operand, values] :
           llvm::zip_equal(op->getOperands(), operands))
        // arith.select may choose by one scalar.
        state.operands.push_back(
            values.size() == types.size() ? values[index] : values.front());
      results.push_back(isa<arith::AndIOp>(op) && type.isInteger(1)
                            ? rewriter.createOrFold<arith::AndIOp>(
                                  op->getLoc(), state.operands)
                            : rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  const LoweringContext &context;
};

/// A constant tile of one value.
struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RegisterLayoutAttr layout = getRegisterLayout(op.getType());
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!layout || !dense)
      return failure();
    if (!dense.isSplat())
      return op.emitOpError(
          "a constant tile holds one value everywhere; load a "
          "table from memory instead");
    Value scalar = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(layout.getNumRegisters(), scalar)});
    return success();
  }
};

} // namespace

void tonvvm::populateElementwisePatterns(RewritePatternSet &patterns,
                                         const TypeConverter &converter,
                                         const LoweringContext &context) {
  patterns.add<ElementwisePattern>(converter, patterns.getContext(), context);
  patterns.add<ConstantPattern>(converter, patterns.getContext());
}
