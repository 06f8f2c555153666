//===- OrderAddresses.cpp - What is added to pointers first ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/LoopInvariants.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include <set>

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEORDERADDRESSES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Aligned groups of so many coordinates along each dimension are the same.
using Constancies = SmallVector<int64_t, 2>;

namespace {
/// What is added to a pointer, under the coordinates that `maps` give it.
struct Addend {
  /// How much of it a thread gets for nothing behind all others.
  enum class Kind { Computed, CountsUp, Constant };

  Value offset;
  /// The first one first.
  SmallVector<DimensionMapOpInterface> maps;
  Kind kind = Kind::Computed;
  Constancies constancies;
  /// Whether it is the same in all trips of the loop that adds it.
  bool isInvariant = false;
};

/// `base`, a scalar, and what is added to it.
struct AddressSum {
  Value base;
  bool isInvariant = false;
  SmallVector<Addend> addends;
};
} // namespace

/// The numbers from 0 on that a tile counts, or 0.
static int64_t countNumbers(Value tile) {
  auto iota = tile.getDefiningOp<IotaOp>();
  return iota && static_cast<int64_t>(iota.getStart()) == 0
             ? getTileShape(tile).front()
             : 0;
}

/// The scalar that a tile repeats, or null.
static Value getRepeated(Value tile) {
  auto maps = tile.getDefiningOp<DimensionMapOpInterface>();
  return maps && !isTile(maps->getOperand(0)) ? maps->getOperand(0) : Value();
}

/// An addition is saved where it is one for so many accesses: others that share
/// what is added first add it anew, each for itself.
static constexpr int64_t kAccessesOfAddition = 2;
/// Fewer accesses of a thread are not worth another order of all else.
static constexpr int64_t kFewestAccesses = 8;

namespace {
/// Takes apart and orders the sums that make the pointers of a kernel.
class Addresses {
public:
  explicit Addresses(KernelOp kernel)
      : axes(kernel), countsForNothing(!anyOpIn<ProductOpInterface>(kernel)) {}

  void order(Value pointers) {
    layout = getRegisterLayout(cast<RankedTensorType>(pointers.getType()));
    if (!layout || layout.getNumRegisters() < kFewestAccesses)
      return;
    rank = getTileShape(pointers).size();
    std::optional<AddressSum> sum = takeApart(pointers);
    if (!sum)
      return;
    findInvariants(*sum, pointers);
    int64_t before = countSteps(*sum);
    splitRuns(sum->addends);
    findInvariants(*sum, pointers);
    sort(sum->addends);
    int64_t saved = before - countSteps(*sum);
    if (saved * kAccessesOfAddition >= layout.getNumRegisters())
      put(*sum, pointers);
  }

private:
  static bool isOnlyMoved(Value pointers) {
    return llvm::all_of(pointers.getUsers(),
                        llvm::IsaPred<AddPtrOp, DimensionMapOpInterface>);
  }

  std::optional<AddressSum> takeApart(Value pointers) const {
    AddressSum sum;
    // The last one first.
    SmallVector<DimensionMapOpInterface> maps;
    Value value = pointers;
    while (isTile(value)) {
      Operation *op = value.getDefiningOp();
      // What is accessed itself is computed anyway.
      if (value != pointers && !isOnlyMoved(value))
        return std::nullopt;
      if (auto add = dyn_cast_or_null<AddPtrOp>(op)) {
        sum.addends.push_back(makeAddend(add.getOffset(), maps));
        value = add.getPtr();
      } else if (auto map = dyn_cast_or_null<DimensionMapOpInterface>(op)) {
        maps.push_back(map);
        value = op->getOperand(0);
      } else {
        return std::nullopt;
      }
    }
    if (sum.addends.empty())
      return std::nullopt;
    sum.base = value;
    std::reverse(sum.addends.begin(), sum.addends.end());
    return sum;
  }

  /// `maps`: the last one first.
  Addend makeAddend(Value offset,
                    SmallVector<DimensionMapOpInterface> maps) const {
    while (auto map = offset.getDefiningOp<DimensionMapOpInterface>()) {
      if (!isTile(map->getOperand(0)))
        break;
      maps.push_back(map);
      offset = map->getOperand(0);
    }
    std::reverse(maps.begin(), maps.end());
    Addend addend;
    addend.offset = offset;
    addend.maps = maps;
    if (offset.getDefiningOp<arith::ConstantOp>())
      addend.kind = Addend::Kind::Constant;
    else if (countsForNothing && countNumbers(offset) > 0)
      addend.kind = Addend::Kind::CountsUp;
    addend.constancies = findConstancies(addend);
    return addend;
  }

  Constancies findConstancies(const Addend &addend) const {
    Constancies constancies(getTileShape(addend.offset).size());
    for (auto [dim, constancy] : llvm::enumerate(constancies))
      constancy = axes.isSameAlong(addend.offset, dim)
                      ? kAll
                      : axes.get(addend.offset).axis(dim).constancy;
    for (DimensionMapOpInterface map : addend.maps) {
      Constancies renamed;
      ArrayRef<int64_t> before = getTileShape(map->getOperand(0));
      for (unsigned dim = 0; dim < getTileShape(map->getResult(0)).size();
           ++dim) {
        std::optional<unsigned> from = map.getSourceDim(dim);
        renamed.push_back(from && before[*from] > 1 ? constancies[*from]
                                                    : kAll);
      }
      constancies = renamed;
    }
    return constancies;
  }

  /// `first + iota`, where no number wraps around, is a scalar and what counts
  /// up.
  void splitRuns(SmallVector<Addend> &addends) const {
    if (!countsForNothing)
      return;
    SmallVector<Addend> split;
    for (const Addend &addend : addends) {
      SmallVector<Value, 2> parts = findRun(addend.offset);
      if (parts.empty())
        split.push_back(addend);
      SmallVector<DimensionMapOpInterface> maps(llvm::reverse(addend.maps));
      for (Value part : parts)
        split.push_back(makeAddend(part, maps));
    }
    addends = std::move(split);
  }

  SmallVector<Value, 2> findRun(Value offset) const {
    auto sum = offset.getDefiningOp<arith::AddIOp>();
    if (!sum)
      return {};
    Value first = sum.getLhs(), run = sum.getRhs();
    if (!getRepeated(first))
      std::swap(first, run);
    Value repeated = getRepeated(first);
    int64_t numbers = countNumbers(run);
    if (!repeated || numbers == 0 || axes.getDivisibility(repeated) < numbers)
      return {};
    return {first, run};
  }

  /// How many different ones a thread has.
  int64_t countDifferent(ArrayRef<int64_t> constancies) const {
    std::set<SmallVector<int64_t, 2>> groups;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
      SmallVector<int64_t, 2> group;
      for (auto [coordinate, constancy] :
           llvm::zip_equal(layout.getLayout().apply(
                               {{"register", static_cast<int32_t>(reg)}}),
                           constancies))
        group.push_back(coordinate / constancy);
      groups.insert(group);
    }
    return static_cast<int64_t>(groups.size());
  }

  static Constancies join(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    Constancies joined;
    for (auto [x, y] : llvm::zip_equal(a, b))
      joined.push_back(std::min(x, y));
    return joined;
  }

  Constancies everywhere() const { return Constancies(rank, kAll); }

  static void findInvariants(AddressSum &sum, Value pointers) {
    auto loop =
        pointers.getDefiningOp()->getParentOfType<LoopLikeOpInterface>();
    if (!loop)
      return;
    LoopInvariants invariants(loop);
    sum.isInvariant = invariants.contains(sum.base);
    for (Addend &addend : sum.addends)
      addend.isInvariant = invariants.contains(addend.offset);
  }

  /// Additions of a thread, in a trip of the loop around them. Behind all
  /// others constants are part of the instruction that accesses memory, and so
  /// is how far a place is behind the thread's first one.
  int64_t countSteps(const AddressSum &sum) const {
    Constancies soFar = everywhere();
    bool isInvariant = sum.isInvariant;
    int64_t steps = 0;
    for (ArrayRef<Addend> addends = sum.addends; !addends.empty();
         addends = addends.drop_front()) {
      auto isLast = [&](Addend::Kind least) {
        return llvm::all_of(
            addends, [&](const Addend &each) { return each.kind >= least; });
      };
      if (isLast(Addend::Kind::Constant))
        break;
      Constancies joined = join(soFar, addends.front().constancies);
      isInvariant &= addends.front().isInvariant;
      if (!isInvariant)
        steps +=
            countDifferent(isLast(Addend::Kind::CountsUp) ? soFar : joined);
      soFar = joined;
    }
    return steps;
  }

  /// Each time what leaves the fewest different sums; constants behind all.
  void sort(SmallVector<Addend> &addends) const {
    SmallVector<Addend> sorted;
    Constancies soFar = everywhere();
    while (!addends.empty()) {
      auto *next =
          llvm::min_element(addends, [&](const Addend &a, const Addend &b) {
            auto key = [&](const Addend &each) {
              return std::tuple(each.kind,
                                countDifferent(join(soFar, each.constancies)),
                                !getRepeated(each.offset));
            };
            return key(a) < key(b);
          });
      soFar = join(soFar, next->constancies);
      sorted.push_back(std::move(*next));
      addends.erase(next);
    }
    addends = std::move(sorted);
  }

  /// The offset under the coordinates of the pointers.
  static Value rename(OpBuilder &builder, const Addend &addend) {
    Value offset = addend.offset;
    for (DimensionMapOpInterface map : addend.maps) {
      IRMapping mapping;
      mapping.map(map->getOperand(0), offset);
      Operation *clone = builder.clone(*map, mapping);
      clone->getResult(0).setType(
          cast<RankedTensorType>(map->getResult(0).getType())
              .clone(getElementTypeOrSelf(offset.getType())));
      offset = clone->getResult(0);
    }
    return offset;
  }

  static void put(const AddressSum &sum, Value pointers) {
    Operation *op = pointers.getDefiningOp();
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    builder.setInsertionPointAfter(op);
    Value address = sum.base;
    for (const Addend &addend : sum.addends) {
      Value repeated = getRepeated(addend.offset);
      if (!isTile(address) && repeated) {
        address =
            AddPtrOp::create(builder, address.getType(), address, repeated);
        continue;
      }
      if (!isTile(address))
        address = SplatOp::create(builder, pointers.getType(), address);
      address = AddPtrOp::create(builder, pointers.getType(), address,
                                 rename(builder, addend));
    }
    if (!isTile(address))
      address = SplatOp::create(builder, pointers.getType(), address);
    pointers.replaceUsesWithIf(address, [](OpOperand &use) {
      return !isa<AddPtrOp, DimensionMapOpInterface>(use.getOwner());
    });
    eraseUnused(op);
  }

  static void eraseUnused(Operation *op) {
    if (!op || !isOpTriviallyDead(op))
      return;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      eraseUnused(operand.getDefiningOp());
  }

  static constexpr int64_t kAll = AxisInfo::kMaxDivisibility;

  AxisInfoAnalysis axes;
  bool countsForNothing;
  /// The layout of the pointers that are looked at.
  RegisterLayoutAttr layout;
  size_t rank = 0;
};

/// Whether a loop of products loads elements of operands one at a time, by
/// addresses of which much is the same in all trips.
static bool loadsOperandsAlone(LoopLikeOpInterface loop) {
  auto isAlone = [](GlobalAccessOpInterface access) {
    return isPlainLoad(access) && isTile(access->getResult(0)) &&
           access.getVectorWidth().value_or(1) == 1;
  };
  return hasOwnProducts(loop) &&
         llvm::any_of(loop.getLoopRegions(), [&](Region *region) {
           return llvm::any_of(region->getOps<GlobalAccessOpInterface>(),
                               isAlone);
         });
}

struct OrderAddresses
    : tilewright::tile::impl::TileOrderAddressesBase<OrderAddresses> {
  void runOnOperation() override {
    getOperation().walk([](LoopLikeOpInterface loop) {
      if (loadsOperandsAlone(loop))
        moveLoopInvariantCode(loop);
    });
    SetVector<Value> pointers;
    getOperation().walk([&](GlobalAccessOpInterface access) {
      // Of a vector, one address is computed.
      if (access.getVectorWidth().value_or(1) > 1)
        return;
      for (Value operand : access->getOperands())
        if (isTile(operand) && isa<PtrType>(getElementTypeOrSelf(operand)))
          pointers.insert(operand);
    });
    if (pointers.empty())
      return;
    Addresses addresses(getOperation());
    for (Value each : pointers)
      addresses.order(each);
  }
};
} // namespace
