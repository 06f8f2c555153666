//===- KernelDescription.cpp - A kernel for the Spec library ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/KernelDescription.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static std::optional<spec::ElementType> getElementType(Type type) {
  using spec::ElementType;
  using Result = std::optional<ElementType>;
  if (type.isIndex())
    return ElementType::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return ElementType::I1;
    case 8:
      return ElementType::I8;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    case 64:
      return ElementType::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, Result>(type)
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Default([](Type) { return std::nullopt; });
}

static std::vector<std::string> getTexts(std::optional<ArrayAttr> clause) {
  std::vector<std::string> texts;
  if (clause)
    for (StringRef text : clause->getAsValueRange<StringAttr>())
      texts.push_back(text.str());
  return texts;
}

std::optional<spec::Argument> tilewright::tile::describeArgument(StringRef name,
                                                                 Type type) {
  auto pointer = dyn_cast<PtrType>(type);
  std::optional<spec::ElementType> elementType =
      getElementType(pointer ? pointer.getElementType() : type);
  if (!elementType)
    return std::nullopt;
  return pointer ? spec::pointer(name, *elementType)
                 : spec::scalar(name, *elementType);
}

static void describePromises(KernelOp kernel,
                             MutableArrayRef<spec::Argument> arguments) {
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    argument.divisibility = kernel.getArgDivisibility(index);
    argument.isDisjoint = kernel.isArgDisjoint(index);
    if (std::optional<ArgumentBounds> bounds = getArgBounds(kernel, index)) {
      argument.least = bounds->least;
      argument.most = bounds->most;
    }
  }
}

/// Without tensor maps none of these holds.
static bool requiresTensorMaps(KernelOp kernel) {
  return llvm::any_of(
      std::array{Requirement::Tma, Requirement::Roles, Requirement::Persistent},
      [&](Requirement word) { return kernel.hasRequirement(word); });
}

FailureOr<spec::KernelDescription>
tilewright::tile::describeClauses(KernelOp kernel) {
  spec::KernelDescription description;
  description.name = kernel.getSymName().str();
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::optional<spec::Argument> argument =
        describeArgument(kernel.getArgName(index), type);
    if (!argument)
      return failure();
    description.arguments.push_back(std::move(*argument));
  }
  describePromises(kernel, description.arguments);
  description.shapes = getTexts(kernel.getShapes());
  description.grid = getTexts(kernel.getGrid());
  description.references = getTexts(kernel.getReference());
  description.requiresTensorMaps = requiresTensorMaps(kernel);
  return description;
}

/// The arguments that the kernel may write through: all, where what it writes
/// through is not known.
static BitVector getWritten(KernelOp kernel) {
  BitVector written(kernel.getNumArguments());
  kernel.getBody().walk([&](Operation *op) {
    if (!tellsMemoryAccesses(op))
      written.set();
    for (const MemoryAccess &access : getMemoryAccesses(op)) {
      // One to all that there is only orders what others do.
      if (access.space != MemorySpace::Global || !access.isWrite ||
          !access.base)
        continue;
      if (auto root = cast_or_null<BlockArgument>(getRoot(access.base)))
        written.set(root.getArgNumber());
      else
        written.set();
    }
  });
  return written;
}

static void describeWrites(KernelOp kernel,
                           MutableArrayRef<spec::Argument> arguments) {
  BitVector written = getWritten(kernel);
  for (auto [index, argument] : llvm::enumerate(arguments))
    argument.isWritten = argument.isPointer() && written.test(index);
}

void tilewright::tile::describeReliance(KernelOp kernel,
                                        spec::KernelDescription &description) {
  describePromises(kernel, description.arguments);
  describeWrites(kernel, description.arguments);
  description.requiresTensorMaps = requiresTensorMaps(kernel);
}

/// What the results of an op are made of, and what its regions begin with.
static void addSources(Operation *op, llvm::SetVector<Value> &sources) {
  sources.insert_range(op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        sources.insert_range(block.getTerminator()->getOperands());
}

/// The arguments of which numbers are made that the kernel divides by.
static BitVector getDivisors(KernelOp kernel) {
  BitVector divisors(kernel.getNumArguments());
  llvm::SetVector<Value> parts;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      parts.insert(op->getOperand(1));
  });
  for (size_t index = 0; index < parts.size(); ++index) {
    Value part = parts[index];
    Operation *op = part.getDefiningOp();
    if (!op)
      op = part.getParentBlock()->getParentOp();
    if (op == kernel)
      divisors.set(cast<BlockArgument>(part).getArgNumber());
    else
      addSources(op, parts);
  }
  return divisors;
}

/// Writes down by which arguments rows lie apart that a loop reads.
static void describeRows(Operation *loop,
                         MutableArrayRef<spec::Argument> arguments) {
  loop->walk([&](Operation *op) {
    for (const MemoryAccess &access : getMemoryAccesses(op)) {
      auto view = access.base ? access.base.getDefiningOp<ViewOp>() : ViewOp();
      if (!view || !access.isRead)
        continue;
      for (OpFoldResult stride : view.getMixedStrides())
        if (BlockArgument argument = getArgument(stride))
          arguments[argument.getArgNumber()].rowBytes =
              getElementBytes(view.getType().getElementType());
    }
  });
}

FailureOr<spec::KernelDescription>
tilewright::tile::describeKernel(KernelOp kernel) {
  FailureOr<spec::KernelDescription> description = describeClauses(kernel);
  if (failed(description))
    return failure();
  describeWrites(kernel, description->arguments);
  BitVector divisors = getDivisors(kernel);
  for (auto [index, argument] : llvm::enumerate(description->arguments))
    argument.isDivisor = !argument.isPointer() && divisors.test(index);
  for (auto [argument, columns] :
       llvm::zip_equal(description->arguments, findRowColumns(kernel)))
    argument.columns = columns;
  for (const RowLoops &loops : findRowLoops(kernel)) {
    if (!loops.end)
      continue;
    spec::Argument &argument = description->arguments[loops.end.getArgNumber()];
    // Of several steps the widest one goes by the trips that there are.
    argument.loopStep =
        std::max(argument.loopStep, static_cast<unsigned>(loops.step));
    argument.maxTrips = std::max<unsigned>(
        argument.maxTrips, loops.sharedBytes ? RowLoops::kMaxTrips : 1);
  }
  if (std::optional<ProductLoop> products = findProductLoop(kernel)) {
    spec::Argument &end = description->arguments[products->end.getArgNumber()];
    end.productStep = static_cast<unsigned>(products->step);
    end.hasFullProducts = products->isFull;
    describeRows(products->loop, description->arguments);
  }
  return description;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Multiplies `number` by a value that a launch knows; fails on another one.
static LogicalResult multiplyBy(spec::LaunchNumber &number, Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return success(!llvm::MulOverflow(number.constant, constant.getSExtValue(),
                                      number.constant));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!isa<KernelOp>(argument.getOwner()->getParentOp()) ||
        !value.getType().isSignlessIntOrIndex())
      return failure();
    number.arguments.push_back(argument.getArgNumber());
    return success();
  }
  // What is computed in fewer than 64 bits may wrap.
  if (auto product = value.getDefiningOp<arith::MulIOp>();
      product && value.getType().isIndex())
    return failure(failed(multiplyBy(number, product.getLhs())) ||
                   failed(multiplyBy(number, product.getRhs())));
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return multiplyBy(number, cast.getIn());
  if (auto cast = value.getDefiningOp<arith::ExtSIOp>())
    return multiplyBy(number, cast.getIn());
  return failure();
}

std::optional<spec::LaunchNumber>
tilewright::tile::describeNumber(OpFoldResult value) {
  spec::LaunchNumber number;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    number.constant = *constant;
  else if (failed(multiplyBy(number, cast<Value>(value))))
    return std::nullopt;
  return number;
}

std::optional<spec::TensorMap>
tilewright::tile::describeTensorMap(Value tensor, ArrayRef<int64_t> box,
                                    int64_t rowBytes, bool moves, bool last) {
  auto view = tensor.getDefiningOp<ViewOp>();
  auto base = view ? dyn_cast<BlockArgument>(view.getBase()) : BlockArgument();
  std::optional<spec::ElementType> type =
      getElementType(cast<ViewType>(tensor.getType()).getElementType());
  if (!base || !isa<KernelOp>(base.getOwner()->getParentOp()) || !type)
    return std::nullopt;
  spec::TensorMap result;
  result.pointer = base.getArgNumber();
  result.type = *type;
  result.isLast = last;
  // A mode whose rows are one atom moves nothing about.
  result.swizzleBytes = rowBytes == HardwareSwizzle::atomBytes ? 0 : rowBytes;
  unsigned rowDim = *view.getType().getContiguousDim();
  for (unsigned dim : TensorBoxes::getOrder(box.size(), rowDim)) {
    auto extent = describeNumber(view.getMixedShape()[dim]);
    auto stride = describeNumber(view.getMixedStrides()[dim]);
    if (!extent || !stride)
      return std::nullopt;
    result.extents.push_back(*extent);
    if (dim != rowDim)
      result.strides.push_back(*stride);
    result.box.push_back(box[dim]);
  }
  if (moves)
    result.addMoveDims();
  return result;
}

std::vector<spec::TensorMap>
tilewright::tile::describeTensorMaps(KernelOp kernel) {
  std::vector<spec::TensorMap> maps;
  kernel.walk([&](TensorMapOp map) {
    maps.push_back(*describeTensorMap( // It was verified.
        map.getView(), map.getBox(), map.getRowBytes(), map.getMoves(),
        map.getLast()));
  });
  return maps;
}
