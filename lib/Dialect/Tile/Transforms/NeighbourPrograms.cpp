//===- NeighbourPrograms.cpp - Who stores what is beside a block ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeighbourPrograms.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright::tile;

/// What the values are computed by, in order; none where something of it is not
/// the same when it is computed again.
static std::optional<SetVector<Operation *>> findSlice(ArrayRef<Value> values) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  for (Value value : values)
    if (value.getDefiningOp() &&
        failed(getBackwardSlice(value, &slice, options)))
      return std::nullopt;
  bool isPlain = llvm::all_of(slice, [](Operation *op) {
    return op->getNumRegions() == 0 && isMemoryEffectFree(op);
  });
  return isPlain ? std::optional(slice) : std::nullopt;
}

/// The one axis of the grid that the values hang on.
static std::optional<unsigned> findAxis(ArrayRef<Value> values) {
  std::optional<SetVector<Operation *>> slice = findSlice(values);
  if (!slice)
    return std::nullopt;
  std::optional<unsigned> axis;
  for (Operation *op : *slice)
    if (auto id = dyn_cast<ProgramIdOp>(op)) {
      if (axis && *axis != id.getAxis())
        return std::nullopt;
      axis = id.getAxis();
    }
  return axis;
}

static OpFoldResult getExtent(ViewOp view, unsigned dim) {
  return getMixedValues(view.getType().getShape(), view.getShape(),
                        view.getContext())[dim];
}

static OpFoldResult getStride(ViewOp view, unsigned dim) {
  return getMixedValues(view.getType().getStrides(), view.getStrides(),
                        view.getContext())[dim];
}

std::optional<NeighbourPrograms>
NeighbourPrograms::find(GlobalAccessOpInterface load,
                        GlobalAccessOpInterface store,
                        ArrayRef<int64_t> order) {
  auto kernel = store->getParentOfType<KernelOp>();
  MemoryAccess from = *findMemoryAccess(load, MemorySpace::Global);
  MemoryAccess to = *findMemoryAccess(store, MemorySpace::Global);
  NeighbourPrograms programs;
  programs.store = store;
  programs.read = from.base.getDefiningOp<ViewOp>();
  programs.written = to.base.getDefiningOp<ViewOp>();
  // Each program does what stands in the kernel itself.
  if (!programs.read || !programs.written || store->getParentOp() != kernel ||
      kernel.getPersistent() || kernel.getBlockPrograms() ||
      kernel.getClusterBlocksOrOne() != 1)
    return std::nullopt;
  programs.readOffsets = llvm::to_vector(from.indices);
  programs.writtenOffsets = llvm::to_vector(to.indices);
  programs.writtenDim = *programs.written.getType().getContiguousDim();
  programs.readDim = order[programs.writtenDim];
  SmallVector<Value> ofRow = {programs.writtenOffsets[programs.writtenDim]};
  OpFoldResult extent = getExtent(programs.written, programs.writtenDim);
  if (auto value = dyn_cast<Value>(extent))
    ofRow.push_back(value);
  std::optional<unsigned> axis = findAxis(ofRow);
  if (!axis || !findSlice(programs.getNumbers()))
    return std::nullopt;
  programs.axis = *axis;
  return programs;
}

SmallVector<Value> NeighbourPrograms::getNumbers() {
  SmallVector<Value> numbers(read->getOperands());
  llvm::append_range(numbers, written->getOperands());
  llvm::append_range(numbers, readOffsets);
  llvm::append_range(numbers, writtenOffsets);
  return numbers;
}

namespace {
/// What another program computes in place of this one.
class OtherProgram {
public:
  OtherProgram(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Computes what `slice` does, for the program with that number.
  void compute(const SetVector<Operation *> &slice, unsigned axis,
               Value number) {
    for (Operation *op : slice) {
      auto id = dyn_cast<ProgramIdOp>(op);
      if (id && id.getAxis() == axis)
        mapping.map(id.getResult(), number);
      else if (llvm::any_of(op->getOperands(), [&](Value operand) {
                 return mapping.contains(operand);
               }))
        builder.clone(*op, mapping);
    }
  }

  Value get(Value value) { return mapping.lookupOrDefault(value); }
  Value get(OpFoldResult number) {
    return get(getValueOrCreateConstantIndexOp(builder, loc, number));
  }

  /// The address of an element of a view, in bytes.
  Value getAddress(ViewOp view, ArrayRef<Value> offsets) {
    int64_t bytes = getElementBytes(view.getType().getElementType());
    Value address = PtrToIntOp::create(builder, loc, builder.getI64Type(),
                                       get(view.getBase()));
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      if (isZero(offset))
        continue;
      Value elements = builder.createOrFold<arith::MulIOp>(
          loc, get(offset), get(getStride(view, dim)));
      Value behind = arith::IndexCastOp::create(builder, loc,
                                                builder.getI64Type(), elements);
      behind = arith::MulIOp::create(
          builder, loc, behind,
          arith::ConstantIntOp::create(builder, loc, bytes, 64));
      address = arith::AddIOp::create(builder, loc, address, behind);
    }
    return address;
  }

private:
  OpBuilder &builder;
  Location loc;
  IRMapping mapping;
};
} // namespace

NeighbourPrograms::Place NeighbourPrograms::getPlaceOf(OpBuilder &builder,
                                                       Value number) {
  OtherProgram other(builder, store.getLoc());
  if (number)
    other.compute(*findSlice(getNumbers()), axis, number);
  Place place;
  place.stored = other.getAddress(written, writtenOffsets);
  place.loaded = other.getAddress(read, readOffsets);
  place.front = other.get(writtenOffsets[writtenDim]);
  place.rest = builder.createOrFold<arith::SubIOp>(
      store.getLoc(), other.get(getExtent(written, writtenDim)), place.front);
  for (size_t dim = 0; dim < writtenOffsets.size(); ++dim) {
    place.others.push_back(other.get(getStride(read, dim)));
    place.others.push_back(other.get(getStride(written, dim)));
    if (dim == writtenDim)
      continue;
    place.others.push_back(other.get(writtenOffsets[dim]));
    place.others.push_back(other.get(getExtent(written, dim)));
  }
  return place;
}

/// What is read has the same extents and coordinates as what is written.
Value NeighbourPrograms::goesOn(OpBuilder &builder, const Place &before,
                                const Place &behind) {
  Location loc = store.getLoc();
  Value is;
  auto also = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value next = arith::CmpIOp::create(builder, loc, predicate, a, b);
    is = is ? arith::AndIOp::create(builder, loc, is, next).getResult() : next;
  };
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  RankedTensorType tile = store.getTileType();
  Value row = getIndex(tile.getDimSize(writtenDim));
  also(arith::CmpIPredicate::eq,
       arith::AddIOp::create(builder, loc, behind.rest, row), before.rest);
  also(arith::CmpIPredicate::sgt, behind.rest, getIndex(0));
  also(arith::CmpIPredicate::sge, before.front, getIndex(0));
  also(arith::CmpIPredicate::sge, behind.front, getIndex(0));
  auto follows = [&](Value first, Value second, OpFoldResult stride) {
    Value elements = arith::MulIOp::create(
        builder, loc, row,
        getValueOrCreateConstantIndexOp(builder, loc, stride));
    Value bytes =
        arith::MulIOp::create(builder, loc, elements,
                              getIndex(getElementBytes(tile.getElementType())));
    bytes =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), bytes);
    also(arith::CmpIPredicate::eq, second,
         arith::AddIOp::create(builder, loc, first, bytes));
  };
  follows(before.stored, behind.stored, builder.getIndexAttr(1));
  follows(before.loaded, behind.loaded, getStride(read, readDim));
  for (auto [first, second] : llvm::zip_equal(before.others, behind.others))
    if (!isEqualConstantIntOrValue(first, second))
      also(arith::CmpIPredicate::eq, first, second);
  return is;
}

std::pair<Value, Value> NeighbourPrograms::compare(OpBuilder &builder) {
  Location loc = store.getLoc();
  Value number = ProgramIdOp::create(builder, loc, axis);
  Value programs = NumProgramsOp::create(builder, loc, axis);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value before = arith::SubIOp::create(builder, loc, number, one);
  Value behind = arith::AddIOp::create(builder, loc, number, one);
  Value hasBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, zero, number);
  Value hasBehind = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, behind, programs);
  Place here = getPlaceOf(builder, nullptr);
  // What there is no program for is computed as this one does: no block goes on
  // in itself.
  auto getPlace = [&](Value other, Value exists) {
    return getPlaceOf(
        builder, arith::SelectOp::create(builder, loc, exists, other, number));
  };
  Value continues = goesOn(builder, getPlace(before, hasBefore), here);
  Value continued = goesOn(builder, here, getPlace(behind, hasBehind));
  return {continues, continued};
}
