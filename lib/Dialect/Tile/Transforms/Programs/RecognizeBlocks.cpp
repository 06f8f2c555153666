//===- RecognizeBlocks.cpp - Pointers that are a block of a view ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/PointerBlocks.h"
#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILERECOGNIZEBLOCKS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {

/// Writes the view and the coordinates of a recognised access.
class BlockWriter {
public:
  BlockWriter(Operation *access, RankedTensorType tile)
      : builder(access->getLoc(), access->getContext()), tile(tile) {
    builder.setInsertionPoint(access);
  }

  void write(const AffineForm &pointers, const MaskForm &mask) {
    Value base = pointers.start;
    SmallVector<OpFoldResult> shape, strides;
    for (int64_t dim = 0; dim < tile.getRank(); ++dim) {
      OpFoldResult stride = getStride(pointers.coefficients[dim]);
      MaskForm::Bounds bounds = mask.bounds[dim];
      Value coordinate = constant(0);
      OpFoldResult extent = builder.getIndexAttr(tile.getDimSize(dim));
      if (bounds.lower) {
        // The view begins where the mask does.
        Value lower = clamp(bounds.lower, dim);
        Value upper = bounds.upper ? clamp(bounds.upper, dim)
                                   : constant(tile.getDimSize(dim));
        coordinate = arith::SubIOp::create(builder, coordinate, lower);
        Value skipped = arith::MulIOp::create(builder, lower, toValue(stride));
        base = AddPtrOp::create(builder, base.getType(), base, skipped);
        Value any = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                          lower, upper);
        Value places = arith::SubIOp::create(builder, upper, lower);
        extent = arith::SelectOp::create(builder, any, places, constant(0))
                     .getResult();
      } else if (bounds.upper) {
        extent = bounds.upper;
      }
      if (mask.all && dim == 0)
        extent = arith::SelectOp::create(builder, mask.all, toValue(extent),
                                         constant(0))
                     .getResult();
      if (auto known = getConstantIntValue(extent))
        extent = builder.getIndexAttr(*known);
      coordinates.push_back(coordinate);
      shape.push_back(extent);
      strides.push_back(stride);
    }
    SmallVector<int64_t> staticShape, staticStrides;
    SmallVector<Value> dynamicShape, dynamicStrides;
    dispatchIndexOpFoldResults(shape, dynamicShape, staticShape);
    dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
    auto type = ViewType::get(builder.getContext(), staticShape,
                              tile.getElementType(), staticStrides);
    view = ViewOp::create(builder, type, base, dynamicShape, dynamicStrides,
                          staticShape, staticStrides);
  }

  ImplicitLocOpBuilder builder;
  Value view;
  SmallVector<Value> coordinates;

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }

  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), value);
  }

  /// What a type can say is said there.
  OpFoldResult getStride(Value coefficient) {
    if (!coefficient)
      return builder.getIndexAttr(0);
    std::optional<int64_t> known = getConstantIntValue(coefficient);
    if (known && *known >= 0)
      return builder.getIndexAttr(*known);
    return coefficient;
  }

  Value clamp(Value places, int64_t dim) {
    return arith::MinUIOp::create(builder, places,
                                  constant(tile.getDimSize(dim)));
  }

  RankedTensorType tile;
};

struct RecognizeBlocks
    : tilewright::tile::impl::TileRecognizeBlocksBase<RecognizeBlocks> {
  using TileRecognizeBlocksBase::TileRecognizeBlocksBase;

  void runOnOperation() override {
    // One analysis for all: forms lead to what the program had, and to results
    // of loads, of which nothing is known anyway.
    AxisInfoAnalysis axes(getOperation());
    // Masks of rows that go by runs are asked for by what else is loaded.
    if (!getOperation().getBlockPrograms() &&
        RunsOfKernel(getOperation()).moveAll(axes))
      return;
    SmallVector<Operation *> accesses;
    getOperation().walk([&](GlobalAccessOpInterface access) {
      MemoryAccess pointers = *findMemoryAccess(access, MemorySpace::Global);
      if (isTile(pointers.base) && !pointers.isAtomic() &&
          !getRegisterLayout(access.getTileType()))
        accesses.push_back(access);
    });
    bool areShort = shortArrays && multipliesBlocks(axes);
    SmallVector<Operation *> replaced;
    for (Operation *access : accesses) {
      PointerBlocks blocks(axes, areShort);
      auto load = dyn_cast<LoadOp>(access);
      auto store = dyn_cast<StoreOp>(access);
      if ((load && rewrite(load, blocks)) || (store && rewrite(store, blocks)))
        replaced.push_back(access);
      else if (!blocks.getReason().empty())
        access->setAttr(kNoBlockAttr,
                        StringAttr::get(&getContext(), blocks.getReason()));
    }
    // Not before: the analysis knows values by their addresses.
    for (Operation *access : replaced)
      access->erase();
  }

private:
  using Forms = std::pair<AffineForm, MaskForm>;

  static std::optional<Forms> findForms(Value pointers, Value mask,
                                        PointerBlocks &blocks) {
    auto form = blocks.find(pointers);
    if (!form)
      return std::nullopt;
    MaskForm bounds;
    bounds.bounds.resize(form->coefficients.size());
    if (mask) {
      auto found = blocks.findMask(mask);
      if (!found)
        return std::nullopt;
      bounds = *found;
    }
    if (!blocks.isExactInside(*form, bounds))
      return std::nullopt;
    return Forms(*form, bounds);
  }

  static bool find(Value pointers, Value mask, PointerBlocks &blocks,
                   BlockWriter &writer) {
    std::optional<Forms> forms = findForms(pointers, mask, blocks);
    if (forms)
      writer.write(forms->first, forms->second);
    return forms.has_value();
  }

  /// Whether the operand is loaded as it is multiplied, by a block of a view if
  /// arrays are short.
  static bool isLoadedBlock(Value operand, const AxisInfoAnalysis &axes) {
    Operation *op = operand.getDefiningOp();
    while (op && op->hasTrait<MovesElements>() && isTile(op->getOperand(0)))
      op = op->getOperand(0).getDefiningOp();
    auto access = dyn_cast_or_null<GlobalAccessOpInterface>(op);
    if (!access)
      return false;
    MemoryAccess memory = *findMemoryAccess(access, MemorySpace::Global);
    if (!isTile(memory.base))
      return true;
    auto load = dyn_cast<LoadOp>(op);
    PointerBlocks blocks(axes, /*areShort=*/true);
    return load && !load.getIsVolatile() &&
           findForms(load.getPtr(), load.getMask(), blocks).has_value();
  }

  /// Whether all that the kernel multiplies is such: of other products it was
  /// not measured whether threads copy some of it better.
  bool multipliesBlocks(const AxisInfoAnalysis &axes) {
    bool all = true, any = false;
    getOperation().walk([&](DotOp dot) {
      any = true;
      all = all && isLoadedBlock(dot.getA(), axes) &&
            isLoadedBlock(dot.getB(), axes);
    });
    return any && all;
  }

  /// Whether the load is another one now, which makes what it made.
  static bool rewrite(LoadOp load, PointerBlocks &blocks) {
    if (load.getIsVolatile())
      return false;
    BlockWriter writer(load, load.getTileType());
    Value other = load.getOther();
    if (other && isZero(other))
      other = nullptr;
    // In a loop of products, what is outside is filled in after the copy, by
    // the mask; rows are not copied.
    if (other && isa<scf::ForOp>(load->getParentOp()) &&
        load.getTileType().getRank() > 1 &&
        anyOpIn<DotOp>(*load->getParentOp()))
      return false;
    if (other) {
      other = blocks.getUniform(other);
      if (!other)
        return false;
    }
    if (!find(load.getPtr(), load.getMask(), blocks, writer))
      return false;
    auto block = LoadViewOp::create(writer.builder, load.getType(), writer.view,
                                    writer.coordinates, other,
                                    load.getVectorWidthAttr());
    load.replaceAllUsesWith(block.getResult());
    return true;
  }

  static bool rewrite(StoreOp store, PointerBlocks &blocks) {
    if (store.getIsVolatile())
      return false;
    BlockWriter writer(store, store.getTileType());
    if (!find(store.getPtr(), store.getMask(), blocks, writer))
      return false;
    StoreViewOp::create(writer.builder, store.getValue(), writer.view,
                        writer.coordinates, store.getVectorWidthAttr());
    return true;
  }
};

} // namespace
