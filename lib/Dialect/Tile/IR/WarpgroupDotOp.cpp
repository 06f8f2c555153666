//===- WarpgroupDotOp.cpp - Verification of warpgroups' products ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpgroupDotOp.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static bool isSupportedPair(Type operand, Type sum) {
  const ProductType *type =
      findProductType(operand, sum, /*isTf32=*/operand.isF32());
  return type && type->isMadeBy(Engine::Wgmma);
}

static LogicalResult verifyShapesOfWarpgroup(WarpgroupDotOp dot) {
  auto c = cast<RankedTensorType>(dot.getC().getType());
  ArrayRef<int64_t> a = cast<ShapedType>(dot.getA().getType()).getShape();
  ArrayRef<int64_t> b = dot.getB().getType().getShape();
  if (a.size() != 2 || b.size() != 2 || c.getRank() != 2)
    return dot.emitOpError("multiplies tiles of two dimensions");
  unsigned kOfA = dot.getSummedDim(0), kOfB = dot.getSummedDim(1);
  if (a[kOfA] != b[kOfB])
    return dot.emitOpError("the extents that are summed over differ: ")
           << a[kOfA] << " of a, " << b[kOfB] << " of b";
  if (a[1 - kOfA] != c.getDimSize(0) || b[1 - kOfB] != c.getDimSize(1))
    return dot.emitOpError("a product of ")
           << a[1 - kOfA] << "x" << b[1 - kOfB]
           << " needs an accumulator of that shape, not " << c.getDimSize(0)
           << "x" << c.getDimSize(1);
  return success();
}

/// Operand 0 or 1, whose tile has a layout; the error says why wgmma cannot
/// read it.
static llvm::Expected<WarpgroupOperand> describeOperand(WarpgroupDotOp dot,
                                                        unsigned operand) {
  SharedType type = dot.getOperandTile(operand).getType();
  return WarpgroupOperand::create(type.getLayout().getLayout(),
                                  getElementBytes(type.getElementType()),
                                  dot.getSummedDim(operand));
}

WarpgroupOperand WarpgroupDotOp::describe(unsigned operand) {
  return llvm::cantFail(describeOperand(*this, operand)); // Verified.
}

// Fragments of A are those of mma.sync (PTX ISA, "Register Fragments for
// wgmma.mma_async").
LinearLayout tile::layOutA(WarpgroupDotOp dot, const LinearLayout &sums) {
  return mmaOperandLayout(0, dot.getK(), getElementBytes(dot.getOperandType()),
                          sums);
}

static LogicalResult verifyInRegisters(WarpgroupDotOp dot) {
  if (dot.getATransposed())
    return dot.emitOpError("takes a in registers as M x K: turn it by "
                           "tile.trans");
  RegisterLayoutAttr sums = getRegisterLayout(dot.getC().getType());
  if (!sums)
    return success();
  LinearLayout ofA = layOutA(dot, sums.getLayout());
  if (failed(checkOperand(dot, 0, ofA)))
    return failure();
  auto expected = RegisterLayoutAttr::get(dot.getContext(), ofA);
  if (getRegisterLayout(dot.getA().getType()) == expected)
    return success();
  return dot.emitOpError("operand 0 of this accumulator has the layout ")
         << expected;
}

static LogicalResult verifyOperand(WarpgroupDotOp dot, unsigned operand) {
  if (!dot.getOperandTile(operand))
    return verifyInRegisters(dot);
  if (!dot.getOperandTile(operand).getType().getLayout())
    return success();
  auto read = describeOperand(dot, operand);
  if (!read)
    return dot.emitOpError("operand ")
           << operand << ": " << llvm::toString(read.takeError());
  return success();
}

/// Says which layout the accumulator of a placed program has.
static LogicalResult emitAccumulatorError(WarpgroupDotOp dot,
                                          RankedTensorType c) {
  auto kernel = dot->getParentOfType<KernelOp>();
  int numWarps = kernel ? kernel.getNumWarpsOrDefault() : WarpgroupMma::warps;
  if (!fitsWarpgroups(c.getShape(), numWarps))
    return dot.emitOpError("a product of ")
           << c.getDimSize(0) << "x" << c.getDimSize(1)
           << " cannot be shared out to " << numWarps
           << " warps: warpgroups are 4 warps, and have 64x8 each at least";
  return dot.emitOpError("the accumulator of a placed program has the layout ")
         << RegisterLayoutAttr::get(
                dot.getContext(),
                warpgroupAccumulatorLayout(c.getShape(), numWarps));
}

SmallVector<MemoryAccess, 2> WarpgroupDotOp::getMemoryAccesses() {
  MemoryAccess read;
  read.space = MemorySpace::Shared;
  read.isRead = true;
  read.proxy = MemoryProxy::Async;
  read.end = getAsync() ? AccessEnd::WithProduct : AccessEnd::WithOp;
  SmallVector<MemoryAccess, 2> reads;
  for (unsigned operand : {0u, 1u}) {
    read.base = getOperandTile(operand);
    if (read.base)
      reads.push_back(read);
  }
  return reads;
}

SharedProductOpInterface WarpgroupDotOp::getProductBefore() {
  if (!getJoined())
    return nullptr;
  return cast<SharedProductOpInterface>((*this)->getPrevNode()); // Verified.
}

/// Columns of all products of which `dot` is the last.
static int64_t countJoinedColumns(WarpgroupDotOp dot) {
  int64_t columns = cast<RankedTensorType>(dot.getType()).getDimSize(1);
  auto before = dyn_cast_or_null<WarpgroupDotOp>(dot->getPrevNode());
  return columns + (dot.getJoined() && before ? countJoinedColumns(before) : 0);
}

/// Checks products of tiles that have layouts; the error says why no
/// instruction makes both.
static llvm::Error checkColumns(WarpgroupDotOp before, WarpgroupDotOp dot) {
  auto getColumns = [](WarpgroupDotOp product) {
    return cast<RankedTensorType>(product.getType()).getDimSize(1);
  };
  for (WarpgroupDotOp product : {before, dot})
    if (getInstructionN(getRegisterLayout(product.getType()).getLayout()) !=
        getColumns(product))
      return llvm::createStringError(
          "a warpgroup has a part of the columns only");
  int64_t columns = countJoinedColumns(before) + getColumns(dot);
  if (!hasInstruction(columns, getElementBytes(dot.getOperandType())))
    return llvm::createStringError("there is no wgmma of " + Twine(columns) +
                                   " columns");
  if (!dot.describe(1).continues(before.describe(1)))
    return llvm::createStringError(
        "b does not continue the tile of the product before");
  return llvm::Error::success();
}

static bool areAlike(WarpgroupDotOp before, WarpgroupDotOp dot) {
  return before.getA() == dot.getA() && before.getAsync() && dot.getAsync() &&
         before.getOperandType() == dot.getOperandType() &&
         before.getATransposed() == dot.getATransposed() &&
         before.getBTransposed() == dot.getBTransposed();
}

/// Whether its sums, and its tile of b, have layouts.
static bool isPlaced(WarpgroupDotOp product) {
  return getRegisterLayout(product.getType()) &&
         product.getB().getType().getLayout();
}

bool WarpgroupDotOp::canJoin(SharedProductOpInterface other) {
  auto before = dyn_cast<WarpgroupDotOp>(*other);
  if (!before || !areAlike(before, *this) || !isPlaced(before) ||
      !isPlaced(*this))
    return false;
  llvm::Error error = checkColumns(before, *this);
  bool isRight = !error;
  llvm::consumeError(std::move(error));
  return isRight;
}

static LogicalResult verifyJoined(WarpgroupDotOp dot) {
  auto before = dyn_cast_or_null<WarpgroupDotOp>(dot->getPrevNode());
  if (!before || !areAlike(before, dot))
    return dot.emitOpError(
        "is joined to the product directly in front of it, "
        "with the same a and a b of its type, transposed alike, "
        "both async");
  if (!isPlaced(before) || !isPlaced(dot))
    return success();
  if (llvm::Error error = checkColumns(before, dot))
    return dot.emitOpError("cannot be joined to the product before: ")
           << llvm::toString(std::move(error));
  return success();
}

/// Each instruction reads its part of both operands anew, copies too.
int64_t WarpgroupDotOp::countOperandWavefronts() {
  auto c = cast<RankedTensorType>(getType());
  RegisterLayoutAttr sums = getRegisterLayout(c);
  int64_t n = getInstructionN(sums.getLayout());
  int64_t copies = sums.getNumRegisters() * lanesPerWarp *
                   sums.getLayout().inputSize("warp") / c.getNumElements();
  int64_t instructions =
      copies * c.getDimSize(0) / WarpgroupMma::m * (c.getDimSize(1) / n) *
      getK() * getElementBytes(getOperandType()) / WarpgroupMma::kBytes;
  int64_t rows = n + (isAInRegisters() || getJoined() ? 0 : WarpgroupMma::m);
  return instructions * rows * WarpgroupMma::kBytes / bytesPerWavefront;
}

static LogicalResult verifyImpreciseSums(WarpgroupDotOp dot) {
  auto c = cast<RankedTensorType>(dot.getC().getType());
  bool isImprecise = findProductType(dot.getOperandType(), c.getElementType(),
                                     dot.roundsToTf32())
                         ->hasImpreciseSums;
  std::optional<uint64_t> steps = dot.getImprecise();
  if (steps.has_value() != isImprecise)
    return dot.emitOpError("of ")
           << dot.getOperandType()
           << (isImprecise ? " says how many elements of K it adds up with "
                             "fewer bits than f32 has (imprecise)"
                           : " is not imprecise: that is for 8-bit floats");
  if (steps.value_or(0) % WarpgroupMma::kBytes != 0)
    return dot.emitOpError("is imprecise by a multiple of ")
           << WarpgroupMma::kBytes << ", not by " << *steps;
  if (dot.getAsync() && dot.addsWithinK())
    return dot.emitOpError("adds in f32 after each ")
           << *steps << " of " << dot.getK()
           << " elements of K: it cannot be under way (async)";
  return success();
}

LogicalResult WarpgroupDotOp::verify() {
  Type operand = cast<ShapedType>(getA().getType()).getElementType();
  auto c = cast<RankedTensorType>(getC().getType());
  if (!mayMultiply(operand, getOperandType()) ||
      !isSupportedPair(operand, c.getElementType()))
    return emitOpError("there is no product of ")
           << operand << " and " << getOperandType() << " into "
           << c.getElementType()
           << ": operands are both f16, bf16 or f32 with f32, each f8E4M3FN "
              "or f8E5M2 with f32, or both i8 with i32";
  if (failed(verifyShapesOfWarpgroup(*this)) ||
      failed(verifyImpreciseSums(*this)))
    return failure();
  if (c.getDimSize(0) < WarpgroupMma::m ||
      c.getDimSize(1) < WarpgroupMma::leastN ||
      getK() * getElementBytes(operand) < WarpgroupMma::kBytes)
    return emitOpError("a product of warpgroups is at least ")
           << WarpgroupMma::m << "x" << WarpgroupMma::leastN << "x"
           << WarpgroupMma::kBytes / getElementBytes(operand)
           << " (M x N x K), not " << c.getDimSize(0) << "x" << c.getDimSize(1)
           << "x" << getK();
  RegisterLayoutAttr layout = getRegisterLayout(c);
  if (layout && !isWarpgroupAccumulatorLayout(layout.getLayout()))
    return emitAccumulatorError(*this, c);
  return failure(failed(verifyOperand(*this, 0)) ||
                 failed(verifyOperand(*this, 1)) ||
                 (getJoined() && failed(verifyJoined(*this))));
}

//===----------------------------------------------------------------------===//
// Products under way
//===----------------------------------------------------------------------===//

LogicalResult DotWaitOp::verify() {
  if (!getSums().empty() && getPending() != 0)
    return emitOpError("gives sums of products that may be under way: it waits "
                       "for all of them (tile.dot_wait 0)");
  for (Type type : getSums().getTypes()) {
    Type element = getElementTypeOrSelf(type);
    RegisterLayoutAttr layout = getRegisterLayout(type);
    if ((!element.isF32() && !element.isInteger(32)) ||
        (layout && !isWarpgroupAccumulatorLayout(layout.getLayout())))
      return emitOpError("takes the sums of tile.warpgroup_dot, and ")
             << type << " is none";
  }
  return success();
}

namespace {
/// Follows sums under way to all that is done with them.
class SumsUnderWay {
public:
  LogicalResult follow(Value sums) {
    if (!seen.insert(sums).second)
      return success();
    if (!sums.use_empty() && !sums.hasOneUse())
      return emitCopyError(*sums.user_begin());
    for (OpOperand &use : sums.getUses())
      if (failed(check(use)))
        return failure();
    return success();
  }

private:
  LogicalResult check(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<DotWaitOp>(user))
      return success();
    if (auto dot = dyn_cast<WarpgroupDotOp>(user);
        dot && dot.getAsync() && &use == &dot.getCMutable())
      return success();
    if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) {
      BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
      if (carried)
        return followCarried(loop, carried);
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp()))
      for (BlockArgument carried : loop.getRegionIterArgs())
        if (loop.getTiedLoopYieldedValue(carried) == &use)
          return getStart(use.get()) == carried ||
                         isTakenBefore(carried, use.get())
                     ? followCarried(loop, carried)
                     : emitCopyError(user);
    return user->emitOpError("uses sums of a product that is under way: wait "
                             "for it first (tile.dot_wait 0)");
  }

  /// Whether the sums that a loop carries are only waited for, before these are
  /// made: then both have the same registers.
  static bool isTakenBefore(BlockArgument carried, Value sums) {
    if (!carried.hasOneUse())
      return false;
    Operation *wait = *carried.user_begin();
    Operation *made = sums.getDefiningOp();
    return isa<DotWaitOp>(wait) && made &&
           wait->getBlock() == made->getBlock() && wait->isBeforeInBlock(made);
  }

  /// What the products that make these sums began to add to.
  static Value getStart(Value sums) {
    while (auto dot = sums.getDefiningOp<WarpgroupDotOp>())
      sums = dot.getC();
    return sums;
  }

  static LogicalResult emitCopyError(Operation *user) {
    return user->emitOpError("would have sums copied that a product under way "
                             "still writes: wait for it first (tile.dot_wait "
                             "0)");
  }

  LogicalResult followCarried(LoopLikeOpInterface loop, BlockArgument carried) {
    if (!loop.getTiedLoopResult(carried))
      return loop->emitOpError("carries sums of a product under way between "
                               "its regions: wait for it first (tile.dot_wait "
                               "0)");
    return failure(failed(follow(carried)) ||
                   failed(follow(loop.getTiedLoopResult(carried))));
  }

  DenseSet<Value> seen;
};
} // namespace

LogicalResult tilewright::tile::verifyProductsUnderWay(KernelOp kernel) {
  SumsUnderWay sums;
  WalkResult result = kernel.walk([&](WarpgroupDotOp dot) -> WalkResult {
    if (!dot.getAsync())
      return WalkResult::advance();
    if (isa<BlockArgument>(dot.getC()) && !dot.getC().hasOneUse())
      return dot.emitOpError("is under way and adds to what is used by others, "
                             "too: its registers would be copied");
    return sums.follow(dot.getResult());
  });
  return failure(result.wasInterrupted());
}
