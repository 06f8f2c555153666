//===- MemoryTouch.cpp - What an access touches ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/HandOverCount.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Layout/Registers/LanesOfWarps.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright::tile;

bool MemoryTouch::operator==(const MemoryTouch &other) const {
  return isGlobal == other.isGlobal && isWrite == other.isWrite &&
         bytes == other.bytes && root == other.root && place == other.place &&
         movedIn == other.movedIn && extents == other.extents &&
         registers == other.registers &&
         isOfFirstThread == other.isOfFirstThread &&
         warpgroupDim == other.warpgroupDim && warpBytes == other.warpBytes &&
         orderedIn == other.orderedIn && allocation == other.allocation &&
         isStage == other.isStage && turn == other.turn &&
         isOtherTurn == other.isOtherTurn && end == other.end &&
         groupsSince == other.groupsSince;
}

/// A coordinate as another number and a constant, up to multiples of 2^32: sums
/// of 32 bits may have wrapped before they were extended.
static Count getCoordinate(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isSignedCast(op))
      break;
    Value from = op->getOperand(0);
    if (auto type = dyn_cast<IntegerType>(from.getType());
        type && type.getWidth() < 32)
      break;
    value = from;
  }
  return Count::of(value);
}

/// Whether `extent` elements from `begin` end before `other`, wrapped or not.
static bool endsBefore(Count begin, int64_t extent, Count other) {
  constexpr int64_t most = int64_t(1) << 31;
  int64_t distance = other.offset - begin.offset;
  return extent <= distance && distance < most;
}

/// The pointer that a view of elements side by side begins at, and how many
/// elements behind it a block of it does; a null pointer where that is not
/// known.
static std::pair<Value, int64_t> getStartOfBlock(const MemoryTouch &touch) {
  auto view = touch.place.front().getDefiningOp<ViewOp>();
  APInt index;
  if (!view || touch.extents.size() != 1 ||
      view.getType().getContiguousDim() != 0u ||
      !matchPattern(touch.place[1], m_ConstantInt(&index)))
    return {nullptr, 0};
  auto [pointer, distance] = getStart(view.getBase());
  return {pointer, distance + index.getSExtValue()};
}

/// Whether no two elements of a view share bytes, as those of one row do not.
static bool isSideBySide(Value base) {
  auto view = base.getDefiningOp<ViewOp>();
  return view && view.getType().getRank() == 1 &&
         view.getType().getContiguousDim() == 0u;
}

// Along one dimension that is enough: %n and %n + 128, 128 elements from there.
// Rows of a view that is written do not overlap (docs/language.md).
bool MemoryTouch::isApartFrom(const MemoryTouch &later) const {
  if (extents.empty() || later.extents.empty())
    return false;
  if (movedIn || later.movedIn)
    return !later.movedIn && place == later.place && extents == later.extents &&
           (later.isWrite || isSideBySide(place.front()));
  if (place.front() != later.place.front()) {
    auto [pointer, start] = getStartOfBlock(*this);
    auto [other, otherStart] = getStartOfBlock(later);
    return pointer && pointer == other &&
           (start + extents[0] <= otherStart ||
            otherStart + later.extents[0] <= start);
  }
  if (!isWrite || !later.isWrite)
    return false;
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    Count begin = getCoordinate(place[dim + 1]);
    Count other = getCoordinate(later.place[dim + 1]);
    if (begin.base == other.base &&
        (endsBefore(begin, extents[dim], other) ||
         endsBefore(other, later.extents[dim], begin)))
      return true;
  }
  return false;
}

/// The loop in whose iterations a number is 0 and 1 in turn, or null.
static Operation *getAlternating(Value number) {
  auto argument = dyn_cast<BlockArgument>(number);
  auto loop =
      argument
          ? dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp())
          : LoopLikeOpInterface();
  OpOperand *next = loop ? loop.getTiedLoopYieldedValue(argument) : nullptr;
  auto other = next ? next->get().getDefiningOp<arith::SubIOp>() : nullptr;
  return other && other.getRhs() == argument &&
                 matchPattern(other.getLhs(), m_One())
             ? loop.getOperation()
             : nullptr;
}

static bool isOf(Value turn, Operation *loop) {
  return turn && turn.getParentBlock()->getParentOp() == loop;
}

/// Whether a bound of a loop is a number of so many bits.
static bool hasBits(OpFoldResult bound, unsigned bits) {
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return llvm::isIntN(bits, *constant);
  auto value = dyn_cast_or_null<Value>(bound);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return value &&
         (getNumberBits(value) <= bits ||
          (op && isSignedCast(op) && getNumberBits(op->getOperand(0)) <= bits));
}

/// Whether the cast gives each number that the loop counts through as it is.
static bool keepsCounter(Operation *cast, LoopLikeOpInterface loop) {
  unsigned bits = getNumberBits(cast->getResult(0));
  if (bits >= getNumberBits(cast->getOperand(0)))
    return true;
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> upper = loop.getLoopUpperBounds();
  return cast->getOperand(0) == *loop.getSingleInductionVar() && lower &&
         upper && hasBits(lower->front(), bits) &&
         hasBits(upper->front(), bits);
}

/// Whether sums do not come back within what a loop goes through.
static bool isWide(Value number) { return getNumberBits(number) >= 32; }

/// By how much a number grows in each iteration of a loop; null where that is
/// not known. Numbers of iterations do not wrap around.
static OpFoldResult getStep(Value number, LoopLikeOpInterface loop) {
  std::optional<Value> counter = loop.getSingleInductionVar();
  if (!counter)
    return {};
  while (!loop.isDefinedOutsideOfLoop(number)) {
    if (number == *counter)
      return *loop.getSingleStep();
    Operation *op = number.getDefiningOp();
    if (!op)
      return {};
    if (isSignedCast(op) && keepsCounter(op, loop))
      number = op->getOperand(0);
    else if (!isa<arith::AddIOp>(op) || !isWide(number))
      return {};
    else if (loop.isDefinedOutsideOfLoop(op->getOperand(0)))
      number = op->getOperand(1);
    else if (loop.isDefinedOutsideOfLoop(op->getOperand(1)))
      number = op->getOperand(0);
    else
      return {};
  }
  return {};
}

/// Whether a step, which is positive, is so many elements or more: a multiple
/// of them is.
static bool isAtLeast(OpFoldResult step, int64_t extent) {
  if (!step || extent == 1)
    return static_cast<bool>(step);
  if (std::optional<int64_t> constant = getConstantIntValue(step))
    return *constant >= extent;
  Value number = cast<Value>(step);
  while (Operation *op = number.getDefiningOp()) {
    if (!isSignedCast(op))
      break;
    number = op->getOperand(0);
  }
  auto product = number.getDefiningOp<arith::MulIOp>();
  APInt factor;
  return product && llvm::isPowerOf2_64(extent) &&
         (matchPattern(product.getLhs(), m_ConstantInt(&factor)) ||
          matchPattern(product.getRhs(), m_ConstantInt(&factor))) &&
         static_cast<int64_t>(factor.countr_zero()) >=
             llvm::countr_zero(static_cast<uint64_t>(extent));
}

/// By how many elements a pointer moves on in each iteration of a loop.
static OpFoldResult getStepOfPointer(Value pointer, LoopLikeOpInterface loop) {
  OpFoldResult step;
  while (!loop.isDefinedOutsideOfLoop(pointer)) {
    auto moved = pointer.getDefiningOp<AddPtrOp>();
    if (!moved)
      return {};
    pointer = moved.getPtr();
    if (loop.isDefinedOutsideOfLoop(moved.getOffset()))
      continue;
    if (step)
      return {};
    step = getStep(moved.getOffset(), loop);
    if (!step)
      return {};
  }
  return step;
}

bool MemoryTouch::movesOn(LoopLikeOpInterface loop) const {
  if (!isGlobal || !isWrite || extents.empty())
    return false;
  ArrayRef<Value> begin = ArrayRef(place).slice(1, extents.size());
  if (!loop.isDefinedOutsideOfLoop(place.front())) {
    // Elements side by side from a pointer that moves on.
    return isSideBySide(place.front()) &&
           loop.isDefinedOutsideOfLoop(begin[0]) &&
           isAtLeast(getStepOfPointer(
                         place.front().getDefiningOp<ViewOp>().getBase(), loop),
                     extents[0]);
  }
  return llvm::any_of(llvm::zip_equal(extents, begin), [&](auto along) {
    auto [extent, coordinate] = along;
    return isAtLeast(getStep(coordinate, loop), extent);
  });
}

void MemoryTouch::passIteration(Operation *loop) {
  if (isOf(turn, loop))
    isOtherTurn = !isOtherTurn;
  // What the body computes names other elements in its next iteration.
  if (movedIn == loop || !llvm::any_of(place, [&](Value value) {
        return loop->isAncestor(value.getParentRegion()->getParentOp());
      }))
    return;
  auto iterations = dyn_cast<LoopLikeOpInterface>(loop);
  if (!movedIn && iterations && movesOn(iterations))
    movedIn = loop;
  else
    forgetPlace();
}

void MemoryTouch::leave(Operation *loop) {
  if (!isOf(turn, loop))
    return;
  turn = nullptr;
  isOtherTurn = false;
}

bool MemoryTouch::conflictsWith(const MemoryTouch &later) const {
  if (isGlobal != later.isGlobal || (!isWrite && !later.isWrite))
    return false;
  if (isGlobal)
    return mayOverlap(root, later.root) && !isApartFrom(later);
  bool areTurns = turn && turn == later.turn && allocation == later.allocation;
  return bytes.overlaps(later.bytes) &&
         !(areTurns && isOtherTurn != later.isOtherTurn);
}

BarrierScope MemoryTouch::getBarrierBefore(const MemoryTouch &later) const {
  if (groupsSince || !conflictsWith(later) || staysInWarps(later) ||
      (isOfFirstThread && later.isOfFirstThread))
    return BarrierScope::None;
  BarrierScope scope = keepsToWarps(later)        ? BarrierScope::Warp
                       : keepsToWarpgroups(later) ? BarrierScope::Warpgroup
                                                  : BarrierScope::Program;
  if (scope <= orderedIn)
    return BarrierScope::None;
  if (!staysInThreads(later))
    return scope;
  // Of an element that several threads store, one that is stored last stays in
  // any case. But one that is loaded may be another thread's.
  bool areSame = !place.empty() && !movedIn && place == later.place;
  if (areSame && (!isGlobal || (isWrite && later.isWrite)))
    return BarrierScope::None;
  std::optional<ApartRange> range = findApartRange(later);
  return !range || range->number ? scope : BarrierScope::None;
}

bool MemoryTouch::staysInThreads(const MemoryTouch &later) const {
  return registers && registers == later.registers && isHeldOnce;
}

std::optional<ApartRange>
MemoryTouch::findApartRange(const MemoryTouch &later) const {
  if (!isGlobal || !later.isGlobal || movedIn || place.empty() ||
      later.place.empty() || !staysInThreads(later))
    return std::nullopt;
  auto getElements = [](const MemoryTouch &touch) {
    ArrayRef<Value> indices = ArrayRef(touch.place).drop_front();
    return TouchedElements{touch.place.front(),
                           indices.take_front(touch.extents.size()),
                           touch.extents};
  };
  return tile::findApartRange(getElements(*this), getElements(later));
}

bool MemoryTouch::staysInWarps(const MemoryTouch &later) const {
  return !isGlobal && warpBytes && warpBytes == later.warpBytes &&
         bytes.begin == later.bytes.begin && !isStage && !later.isStage;
}

bool MemoryTouch::keepsToWarps(const MemoryTouch &later) const {
  if (isGlobal || isStage || later.isStage || !warpElements ||
      warpElements != later.warpElements || bytes.begin != later.bytes.begin)
    return false;
  // Shared types have the layout, so that elements lie in the same bytes.
  return allocation->getResult(0).getType() ==
         later.allocation->getResult(0).getType();
}

bool MemoryTouch::keepsToWarpgroups(const MemoryTouch &later) const {
  return allocation && allocation == later.allocation && !isStage &&
         !later.isStage && warpgroupDim && warpgroupDim == later.warpgroupDim;
}

bool MemoryTouch::isOverwrittenUnderWay(const MemoryTouch &later) const {
  bool areStages = isStage && later.isStage && later.groupsSince;
  bool isOrderedByChannel = allocation == later.allocation &&
                            (end == AccessEnd::WithGroup || areStages);
  return groupsSince && conflictsWith(later) &&
         (isGlobal || !isOrderedByChannel);
}

static MemoryTouch describeGlobal(const MemoryAccess &access) {
  MemoryTouch touch;
  touch.isGlobal = true;
  touch.root = getRoot(access.base);
  return touch;
}

/// The bytes of one stage, or of all where the stage is not a constant.
static MemoryTouch describeShared(const MemoryAccess &access) {
  AllocSharedOp tile = getAllocation(access.base);
  MemoryTouch touch;
  touch.bytes =
      SharedBytes::of(tile.getType(), static_cast<int64_t>(*tile.getOffset()));
  touch.allocation = tile;
  Value stage;
  if (auto parts = access.base.getDefiningOp<SharedPartOpInterface>())
    stage = parts.getStageOf(cast<OpResult>(access.base));
  touch.isStage = static_cast<bool>(stage);
  if (stage && tile.getType().getNumStages() == 2 && getAlternating(stage))
    touch.turn = stage;
  APInt number;
  if (stage && matchPattern(stage, m_ConstantInt(&number)))
    touch.bytes = touch.bytes.getStage(number.getSExtValue());
  return touch;
}

static DenseI32ArrayAttr getElementsOfWarps(RegisterLayoutAttr registers) {
  SmallVector<int32_t> name =
      tilewright::nameElementsOfWarps(registers.getLayout());
  return name.empty() ? nullptr
                      : DenseI32ArrayAttr::get(registers.getContext(), name);
}

/// Whether one block runs a program by itself.
static bool isOfOneBlock(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && !kernel.getClusterBlocks() && getProductParts(kernel) == 1;
}

SmallVector<MemoryTouch, 2> tilewright::tile::getTouches(Operation *op) {
  SmallVector<MemoryTouch, 2> touches;
  for (const MemoryAccess &access : getMemoryAccesses(op)) {
    if (access.end == AccessEnd::WithHandOver)
      continue;
    MemoryTouch touch = access.space == MemorySpace::Global
                            ? describeGlobal(access)
                            : describeShared(access);
    touch.isWrite = access.isWrite;
    if (access.base)
      touch.place = {access.base};
    llvm::append_range(touch.place, access.indices);
    touch.extents = access.extents;
    // Of pointers that are equal, a mask may leave one to store through: what
    // others have loaded is named by another mask.
    if (access.mask)
      touch.place.push_back(access.mask);
    touch.registers = cast_or_null<RegisterLayoutAttr>(access.registers);
    // Asked of each pair of touches.
    touch.isHeldOnce =
        touch.registers && touch.registers.getLayout().isInjective();
    touch.isOfFirstThread = access.isOfFirstThread;
    touch.warpgroupDim = access.warpgroupDim;
    touch.warpBytes = access.warpBytes;
    if (touch.registers && !touch.isGlobal) {
      touch.warpgroupDim = getWarpgroupDim(touch.registers.getLayout());
      // Where several blocks run a program, the accesses of warps are theirs.
      if (isOfOneBlock(op))
        touch.warpElements = getElementsOfWarps(touch.registers);
    }
    touch.end = access.end;
    if (access.end == AccessEnd::WithGroup)
      touch.groupsSince = 0;
    if (access.end == AccessEnd::WithProduct ||
        access.end == AccessEnd::WithStore)
      touch.groupsSince = 1;
    touches.push_back(touch);
  }
  return touches;
}

static LogicalResult checkMemoryAccess(Operation *op) {
  if (!tellsMemoryAccesses(op))
    return op->emitOpError("may touch memory and does not say what it touches: "
                           "no barrier can order it "
                           "(MemoryAccessOpInterface)");
  Operation *parent = op->getParentOp();
  if (isa<MemoryAccessOpInterface, MemoryOrderOpInterface>(op) &&
      !isa<KernelOp, RolesOp, RegionBranchOpInterface>(parent))
    return op->emitOpError("touches memory inside of '")
           << parent->getName()
           << "', which does not say when its regions run: no barrier can "
              "order it (RegionBranchOpInterface)";
  return success();
}

LogicalResult tilewright::tile::checkMemoryAccesses(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk(
      [](Operation *op) -> WalkResult { return checkMemoryAccess(op); });
  return failure(result.wasInterrupted());
}
