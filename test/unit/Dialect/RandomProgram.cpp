//===- RandomProgram.cpp - Kernels of random arithmetic ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright::tile;
using llvm::APInt;

static bool isPointer(Type type) {
  return isa<PtrType>(getElementTypeOrSelf(type));
}
static bool isInteger(Type type) {
  return getElementTypeOrSelf(type).isIntOrIndex();
}
static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

/// `element`, or a tile of it in the shape of `like`.
static Type withShapeOf(Type like, Type element) {
  auto tile = dyn_cast<RankedTensorType>(like);
  return tile ? Type(tile.clone(element)) : element;
}

static constexpr llvm::StringLiteral kArgumentTypes[] = {"!tile.ptr<i8>",
                                                         "!tile.ptr<f32>",
                                                         "!tile.ptr<f64>",
                                                         "i1",
                                                         "i1",
                                                         "i8",
                                                         "i8",
                                                         "i16",
                                                         "i32",
                                                         "i32",
                                                         "i64",
                                                         "index",
                                                         "index"};

RandomProgram::RandomProgram(MLIRContext *context, unsigned seed)
    : random(seed), loc(UnknownLoc::get(context)) {
  std::string arguments;
  for (auto [index, type] : llvm::enumerate(kArgumentTypes))
    arguments += llvm::formatv(
        "{0}%a{1}: {2} {{tile.divisibility = {3} : i64}", index ? ", " : "",
        index, type, type == "i1" ? 1 : 1 << pick({0, 0, 1, 3, 4, 9}));
  module = parseSourceString<ModuleOp>(
      "tile.kernel @k(" + arguments + ") { tile.return }", context);
  Block &body = getKernel().getBody().front();
  OpBuilder builder(body.getTerminator());
  Pool pool(body.args_begin(), body.args_end());
  addOps(builder, pool, /*count=*/40, /*depth=*/0);
}

Elements RandomProgram::makeArgument(BlockArgument argument) {
  Type type = argument.getType();
  uint64_t divisibility =
      getKernel().getArgDivisibility(argument.getArgNumber());
  if (auto pointer = dyn_cast<PtrType>(type))
    divisibility = std::max<uint64_t>(
        divisibility, getElementBytes(pointer.getElementType()));
  APInt number =
      isPointer(type) ? APInt(64, below(int64_t(1) << 40)) : makeNumber(type);
  // Loops count from such numbers: their ends must not wrap around.
  if (type.isIndex())
    number = number.ashr(8);
  return {number & ~(APInt(64, divisibility) - 1).trunc(number.getBitWidth())};
}

Value RandomProgram::pick(const Pool &pool,
                          llvm::function_ref<bool(Type)> isSo) {
  Pool fitting;
  for (Value value : pool)
    if (isSo(value.getType()))
      fitting.push_back(value);
  return fitting.empty() ? Value() : fitting[below(fitting.size())];
}

APInt RandomProgram::makeNumber(Type type) {
  unsigned bits = getElementBits(type);
  APInt number(64, random());
  switch (below(5)) {
  case 0: // A small one.
    number = APInt(64, below(20) - 4, /*isSigned=*/true);
    break;
  case 1: // A power of two, or its negative.
    number = APInt::getOneBitSet(64, below(bits));
    if (below(2))
      number.negate();
    break;
  case 2: // At an end of the type.
    number = APInt::getSignedMinValue(bits).sext(64) + (below(9) - 4);
    break;
  case 3: // A multiple of something.
    number <<= below(bits);
    break;
  default: // Any.
    break;
  }
  return number.trunc(bits);
}

Type RandomProgram::makeElementType() {
  MLIRContext *context = loc.getContext();
  unsigned bits = pick({8, 8, 16, 32, 32, 64, 0});
  return bits ? Type(IntegerType::get(context, bits))
              : Type(IndexType::get(context));
}

SmallVector<int64_t> RandomProgram::makeShape() {
  if (below(2))
    return {pick<int64_t>({1, 8, 8, 16})};
  return {pick<int64_t>({1, 4, 8}), pick<int64_t>({1, 8, 8})};
}

//===----------------------------------------------------------------------===//
// One op of each kind
//===----------------------------------------------------------------------===//

/// Constants, iota and splats.
Value RandomProgram::makeSource(OpBuilder &builder, const Pool &pool) {
  Type element = makeElementType();
  auto tile = RankedTensorType::get(makeShape(), element);
  switch (below(4)) {
  case 0:
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(element, makeNumber(element)));
  case 1:
    return arith::ConstantOp::create(
        builder, loc, tile, DenseElementsAttr::get(tile, makeNumber(element)));
  case 2: {
    int64_t extent = pick<int64_t>({1, 8, 8, 16, 64});
    // All of the numbers fit the type.
    int64_t start = makeNumber(builder.getI8Type()).getSExtValue();
    start = std::min<int64_t>(start, 128 - extent);
    return IotaOp::create(builder, loc,
                          RankedTensorType::get({extent}, element), start);
  }
  default:
    Value scalar = pick(pool, [](Type type) { return !isTensor(type); });
    return SplatOp::create(builder, loc,
                           RankedTensorType::get(makeShape(), scalar.getType()),
                           scalar);
  }
}

Value RandomProgram::makeBinary(OpBuilder &builder, const Pool &pool) {
  Value lhs = pick(pool, isInteger);
  Value rhs = pick(pool, [&](Type type) { return type == lhs.getType(); });
  switch (below(12)) {
  case 0:
  case 1:
  case 2:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case 3:
    return arith::SubIOp::create(builder, loc, lhs, rhs);
  case 4:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case 5:
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case 6:
    return arith::MaxUIOp::create(builder, loc, lhs, rhs);
  case 7:
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  case 8:
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  case 9:
    return arith::XOrIOp::create(builder, loc, lhs, rhs);
  default:
    return makeCompare(builder, pool);
  }
}

Value RandomProgram::makeDivision(OpBuilder &builder, const Pool &pool) {
  Value lhs = pick(pool, isInteger);
  Type element = getElementTypeOrSelf(lhs.getType());
  APInt number = makeNumber(element);
  // Division by zero, and of the least number by -1, has no result.
  if (number.isZero() || number.isAllOnes())
    number = APInt::getOneBitSet(number.getBitWidth(), 0);
  TypedAttr attr = builder.getIntegerAttr(element, number);
  if (isTensor(lhs.getType()))
    attr = DenseElementsAttr::get(cast<ShapedType>(lhs.getType()), number);
  Value rhs = arith::ConstantOp::create(builder, loc, lhs.getType(), attr);
  switch (below(9)) {
  case 6:
    return arith::CeilDivUIOp::create(builder, loc, lhs, rhs);
  case 7:
    return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
  case 8:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  case 0:
    return arith::DivSIOp::create(builder, loc, lhs, rhs);
  case 1:
    return arith::RemSIOp::create(builder, loc, lhs, rhs);
  case 2:
  case 3:
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  default:
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  }
}

Value RandomProgram::makeCompare(OpBuilder &builder, const Pool &pool) {
  Value lhs = pick(pool, isInteger);
  Value rhs = pick(pool, [&](Type type) { return type == lhs.getType(); });
  auto predicate = static_cast<arith::CmpIPredicate>(
      below(arith::getMaxEnumValForCmpIPredicate() + 1));
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value RandomProgram::makeSelect(OpBuilder &builder, const Pool &pool) {
  Value condition = makeCompare(builder, pool);
  auto fits = [&](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    auto mask = dyn_cast<RankedTensorType>(condition.getType());
    return !mask || (tile && tile.getShape() == mask.getShape());
  };
  Value first = pick(pool, fits), second;
  if (below(2)) // Alternatives of one number each: only the condition varies.
    for (Value *side : {&first, &second}) {
      Type type = withShapeOf(condition.getType(), builder.getI32Type());
      Value scalar = pick(pool, [](Type type) { return type.isInteger(32); });
      *side =
          isTensor(type) ? SplatOp::create(builder, loc, type, scalar) : scalar;
    }
  if (!first)
    return nullptr;
  if (!second)
    second = pick(pool, [&](Type type) { return type == first.getType(); });
  return arith::SelectOp::create(builder, loc, condition, first, second);
}

Value RandomProgram::makeCast(OpBuilder &builder, const Pool &pool) {
  Value value = pick(pool, isInteger);
  Type from = getElementTypeOrSelf(value.getType());
  Type to = below(8) ? makeElementType() : builder.getI1Type();
  Type type = withShapeOf(value.getType(), to);
  if (from.isIndex() && to.isIndex())
    return nullptr;
  if (from.isIndex() || to.isIndex()) {
    if (below(2))
      return arith::IndexCastOp::create(builder, loc, type, value);
    return arith::IndexCastUIOp::create(builder, loc, type, value);
  }
  unsigned fromBits = getElementBits(from), toBits = getElementBits(to);
  if (fromBits == toBits)
    return nullptr;
  if (fromBits > toBits)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (below(2))
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::ExtUIOp::create(builder, loc, type, value);
}

Value RandomProgram::makeMove(OpBuilder &builder, const Pool &pool) {
  Value source = pick(pool, isTensor);
  if (!source)
    return nullptr;
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() == 1 && below(2)) {
    unsigned axis = below(2);
    shape.insert(shape.begin() + axis, 1);
    return ExpandDimsOp::create(builder, loc, type.clone(shape), source, axis);
  }
  if (shape.size() == 2 && below(2))
    return TransOp::create(builder, loc, type.clone({shape[1], shape[0]}),
                           source, ArrayRef<int64_t>{1, 0});
  if (shape.size() == 2 && below(3) == 0)
    return ReshapeOp::create(builder, loc, type.clone({shape[0] * shape[1]}),
                             source);
  bool grows = false;
  for (int64_t &extent : shape)
    if (extent == 1) {
      extent = pick<int64_t>({1, 4, 8});
      grows |= extent > 1;
    }
  if (!grows)
    return nullptr;
  return BroadcastOp::create(builder, loc, type.clone(shape), source);
}

Value RandomProgram::makePointer(OpBuilder &builder, const Pool &pool) {
  Value pointer = pick(pool, isPointer);
  Value offset = pick(pool, [&](Type type) {
    auto pointers = dyn_cast<RankedTensorType>(pointer.getType());
    auto offsets = dyn_cast<RankedTensorType>(type);
    if (!isInteger(type) || !pointers != !offsets)
      return false;
    return !pointers || pointers.getShape() == offsets.getShape();
  });
  if (!offset)
    return nullptr;
  return AddPtrOp::create(builder, loc, pointer.getType(), pointer, offset);
}

Value RandomProgram::makeLoop(OpBuilder &builder, const Pool &pool, int depth) {
  Value lower = pick(pool, [](Type type) { return type.isIndex(); });
  if (!isa<BlockArgument>(lower)) // Others may be close to wrapping around.
    lower = arith::ConstantIndexOp::create(builder, loc, below(9) - 4);
  int64_t stride = pick<int64_t>({1, 2, 4, 6, 64});
  Value step = arith::ConstantIndexOp::create(builder, loc, stride);
  Value length =
      arith::ConstantIndexOp::create(builder, loc, below(3 * stride + 1));
  Value upper = arith::AddIOp::create(builder, loc, lower, length);
  Value init = pick(pool, [](Type) { return true; });
  scf::ForOp loop = scf::ForOp::create(
      builder, loc, lower, upper, step, ValueRange{init},
      [&](OpBuilder &inner, Location, Value induction, ValueRange carried) {
        Pool inside = pool;
        inside.push_back(induction);
        inside.push_back(carried[0]);
        addOps(inner, inside, /*count=*/6, depth + 1);
        Value next =
            pick(inside, [&](Type type) { return type == init.getType(); });
        scf::YieldOp::create(inner, loc, next);
      });
  return loop.getResult(0);
}

Value RandomProgram::makeBranch(OpBuilder &builder, const Pool &pool,
                                int depth) {
  Value condition = pick(pool, [](Type type) { return type.isInteger(1); });
  Value sample = pick(pool, [](Type) { return true; });
  auto makeSide = [&](OpBuilder &inner, Location) {
    Pool inside = pool;
    addOps(inner, inside, /*count=*/4, depth + 1);
    Value value =
        pick(inside, [&](Type type) { return type == sample.getType(); });
    scf::YieldOp::create(inner, loc, value);
  };
  return scf::IfOp::create(builder, loc, condition, makeSide, makeSide)
      .getResult(0);
}

void RandomProgram::addOps(OpBuilder &builder, Pool &pool, int count,
                           int depth) {
  for (int i = 0; i < count; ++i) {
    Value value;
    switch (below(depth < 2 ? 12 : 10)) {
    case 0:
    case 1:
      value = makeSource(builder, pool);
      break;
    case 2:
    case 3:
    case 4:
      value = makeBinary(builder, pool);
      break;
    case 5:
      value = makeDivision(builder, pool);
      break;
    case 6:
      value = makeSelect(builder, pool);
      break;
    case 7:
      value = makeCast(builder, pool);
      break;
    case 8:
      value = makeMove(builder, pool);
      break;
    case 9:
      value = makePointer(builder, pool);
      break;
    case 10:
      value = makeLoop(builder, pool, depth);
      break;
    default:
      value = makeBranch(builder, pool, depth);
    }
    if (value)
      pool.push_back(value);
  }
}
