//===- VectorWidth.cpp - How wide an access may be, and why -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

#include "LikelySteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Layout/Algebra/CountOf.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Narrower vectors of a row take too many instructions.
static constexpr int64_t kLeastRotatedBytes = 8;

int64_t tilewright::tile::getGlobalVectorBytes(Operation *op) {
  std::optional<GpuTarget> target = getTarget(op);
  return target ? target->globalVectorBytes() : kMaxVectorBytes;
}

int64_t tilewright::tile::getWidestVector(GlobalAccessOpInterface access) {
  RankedTensorType tile = access.getTileType();
  int64_t ofThread =
      tile.getDimSize(0) / access->getParentOfType<KernelOp>().getNumThreads();
  return std::min(getGlobalVectorBytes(access) /
                      getElementBytes(tile.getElementType()),
                  std::max<int64_t>(ofThread, 1));
}

//===----------------------------------------------------------------------===//
// Bounds with reasons
//===----------------------------------------------------------------------===//

namespace {
/// A width that only shrinks, and keeps the reason of the last time it did.
class Bound {
public:
  Bound(unsigned elementBytes, int64_t maxBytes) {
    width.elements = std::max<int64_t>(1, maxBytes / elementBytes);
  }
  /// `elements` is a power of two, or 0 for less than one element.
  template <typename... Args>
  void apply(int64_t elements, const char *format, Args &&...args) {
    elements = std::max<int64_t>(1, elements);
    if (elements >= width.elements)
      return;
    width.elements = elements;
    width.limit = llvm::formatv(format, std::forward<Args>(args)...).str();
  }
  const VectorWidth &get() const { return width; }

private:
  VectorWidth width;
};
} // namespace

/// A name for a scalar in a reason: its argument's, its value, or what it is.
static std::string nameOf(OpFoldResult value, StringRef what) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return llvm::formatv("{0} {1}", what, *constant);
  auto number = cast<Value>(value);
  while (Operation *op = number.getDefiningOp()) {
    if (!isSignedCast(op))
      break;
    number = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(number);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : nullptr;
  if (!kernel)
    return what.str();
  return llvm::formatv("{0} {1}", what,
                       kernel.getArgName(argument.getArgNumber()));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static AddressVector getViewVector(ViewOp view, ValueRange offsets,
                                   RankedTensorType tile,
                                   const AxisInfoAnalysis &axes,
                                   int64_t maxBytes) {
  unsigned bytes = getElementBytes(tile.getElementType());
  Bound bound(bytes, maxBytes);
  std::optional<unsigned> dim = view.getType().getContiguousDim();
  if (!dim) {
    bound.apply(1, "no stride of the view is the constant 1");
    return {static_cast<unsigned>(tile.getRank() - 1), bound.get(),
            /*hasConsecutiveRows=*/false};
  }
  bound.apply(tile.getDimSize(*dim),
              "the tile has only {0} elements along dimension {1}",
              tile.getDimSize(*dim), *dim);
  OpFoldResult base = view.getBase();
  int64_t baseBytes = axes.getDivisibility(base);
  bound.apply(baseBytes / bytes,
              "the {0} is only known to be a multiple of {1} bytes",
              nameOf(base, "base"), baseBytes);
  for (auto [other, stride] : llvm::enumerate(view.getMixedStrides())) {
    if (other == *dim || tile.getDimSize(other) == 1)
      continue;
    int64_t multiple = axes.getDivisibility(stride);
    bound.apply(multiple, "the {0} is only known to be a multiple of {1}",
                nameOf(stride, "stride"), multiple);
  }
  for (auto [other, stride, offset] :
       llvm::enumerate(view.getMixedStrides(), offsets)) {
    if (other == *dim)
      continue;
    // Of a tile of one row the stride alone need not keep rows aligned.
    int64_t multiple = std::min(AxisInfo::kMaxDivisibility,
                                axes.getDivisibility(stride) *
                                    axes.getDivisibility(OpFoldResult(offset)));
    bound.apply(multiple,
                "the row that the tile begins in is only known to be at a "
                "multiple of {0} elements",
                multiple);
  }
  int64_t column = axes.getDivisibility(OpFoldResult(offsets[*dim]));
  bound.apply(column,
              "the coordinate along dimension {0} is only known to be a "
              "multiple of {1}",
              *dim, column);
  OpFoldResult extent = view.getMixedShape()[*dim];
  int64_t multiple = axes.getDivisibility(extent);
  bound.apply(multiple,
              "the {0} is only known to be a multiple of {1}, and a wider "
              "vector could cross the edge",
              nameOf(extent, "extent"), multiple);
  return {*dim, bound.get()};
}

static AddressVector getViewVector(Value view, ValueRange offsets,
                                   RankedTensorType tile,
                                   const AxisInfoAnalysis &axes,
                                   int64_t maxBytes) {
  if (auto op = view.getDefiningOp<ViewOp>())
    return getViewVector(op, offsets, tile, axes, maxBytes);
  Bound bound(getElementBytes(tile.getElementType()), maxBytes);
  bound.apply(1, "the view is not made where it is used");
  return {static_cast<unsigned>(tile.getRank() - 1), bound.get()};
}

/// Registers of a thread of which some thread has elements of the row, where
/// threads have vectors of so many.
static int64_t countFilledRegisters(int64_t places, int64_t threads,
                                    int64_t vector) {
  return llvm::divideCeil(places, threads * vector) * vector;
}

/// Whether programs are taken in phases, all of one of which have rows that
/// begin alike.
static bool isInPhases(Operation *op) {
  Operation *loop = nullptr;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isOverPrograms(parent))
      loop = parent;
  return loop && llvm::any_of(loop->getRegion(0).front(), [](Operation &inner) {
           return isOverPrograms(&inner);
         });
}

/// Bytes of a column of what all programs of a phase load once, and of a row.
static std::pair<int64_t, int64_t> countColumnBytes(KernelOp kernel) {
  int64_t shared = 0, ofRow = 0;
  kernel.walk([&](GlobalAccessOpInterface access) {
    if (access.isStore() || !getMemoryAccesses(access).front().isRotated)
      return;
    int64_t bytes = getElementBytes(access.getTileType().getElementType());
    if (isOverPrograms(access->getParentOp()))
      shared += bytes;
    else
      ofRow = std::max(ofRow, bytes);
  });
  return {shared, ofRow};
}

/// Whether copies of less than 16 bytes, of the next row of all blocks that
/// have room, find room in the first-level cache, which they go through: it has
/// what is left of shared memory (docs/decisions/0053-rows-ahead-in-slots.md).
static bool findCache(KernelOp kernel, int64_t registers, int64_t threads) {
  GpuTarget target = getTargetOrDefault(kernel);
  threads /= kernel.getClusterBlocksOrOne();
  int64_t blocks =
      target.registersPerSM / ((registers + kRegistersInPhases) * threads);
  auto [shared, ofRow] = countColumnBytes(kernel);
  return blocks * registers * threads * (shared + 2 * ofRow) <=
         int64_t(target.sharedBytesPerSM);
}

/// Vectors of a rotated tile are looked at when they are moved. All threads of
/// a cluster have a vector of the row's last part, or wait for those that do:
/// vectors are narrower where that makes this part a smaller one.
static AddressVector getRotatedVector(Operation *op, RankedTensorType tile,
                                      int64_t maxBytes) {
  int64_t bytes = getElementBytes(tile.getElementType());
  Bound bound(bytes, maxBytes);
  bound.apply(tile.getDimSize(0), "the tile has only {0} elements",
              tile.getDimSize(0));
  auto access = dyn_cast<GlobalAccessOpInterface>(op);
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t vector = bound.get().elements;
  if (!access || !kernel || kernel.getClusterBlocksOrOne() == 1 ||
      vector * bytes <= kLeastRotatedBytes)
    return {0, bound.get()};
  int64_t columns = countColumnsAtMost(access);
  int64_t places =
      std::min(columns + bytesPerLine / bytes - 1, tile.getNumElements());
  int64_t threads = kernel.getNumThreads();
  int64_t narrow = countFilledRegisters(places, threads, vector / 2);
  if (narrow < countFilledRegisters(places, threads, vector) &&
      (!isInPhases(op) || findCache(kernel, narrow, threads)))
    bound.apply(vector / 2,
                "threads have fewer registers for rows of at most {0} elements",
                columns);
  return {0, bound.get()};
}

/// The dimension along which most pointers are consecutive, or, where none are,
/// likely the nearest: equal ones are no line, but rather than what is far.
static unsigned getNearestDim(Value pointers, const AxisInfo &info,
                              const AxisInfoAnalysis &axes) {
  auto getDistance = [&](unsigned dim) -> std::pair<int64_t, int64_t> {
    int64_t run = info.axis(dim).contiguity;
    int64_t step = run > 1 ? 1 : getLikelyStep(pointers, dim, axes);
    return {-run, step == 0 ? kFarStep - 1 : step};
  };
  unsigned nearest = info.rank() - 1;
  if (nearest == 0)
    return nearest;
  std::pair<int64_t, int64_t> least = getDistance(nearest);
  for (unsigned dim = 0; dim + 1 < info.rank(); ++dim)
    if (std::pair<int64_t, int64_t> distance = getDistance(dim);
        distance < least) {
      nearest = dim;
      least = distance;
    }
  return nearest;
}

static AddressVector getPointerVector(Value pointers, Value mask,
                                      RankedTensorType tile,
                                      const AxisInfoAnalysis &axes,
                                      int64_t maxBytes) {
  unsigned bytes = getElementBytes(tile.getElementType());
  Bound bound(bytes, maxBytes);
  AxisInfo info = axes.get(pointers);
  unsigned dim = getNearestDim(pointers, info, axes);
  const AxisInfo::Axis &axis = info.axis(dim);
  bound.apply(axis.contiguity,
              "only {0} pointers in a row are known to be consecutive",
              axis.contiguity);
  bound.apply(axis.divisibility / bytes,
              "the pointers are only known to begin at multiples of {0} bytes",
              axis.divisibility);
  if (mask) {
    int64_t constancy = axes.get(mask).axis(dim).constancy;
    bound.apply(constancy,
                "the mask is only known to be the same for {0} in a row",
                constancy);
  }
  return {dim, bound.get(), axis.contiguity >= tile.getDimSize(dim)};
}

static AddressVector getAddressVector(Operation *op, RankedTensorType tile,
                                      const AxisInfoAnalysis &axes,
                                      int64_t maxBytes) {
  std::optional<MemoryAccess> access =
      findMemoryAccess(op, MemorySpace::Global);
  assert(access && "touches no global memory");
  if (access->isRotated)
    return getRotatedVector(op, tile, maxBytes);
  if (isa<ViewType>(access->base.getType()))
    return getViewVector(access->base, access->indices, tile, axes, maxBytes);
  return getPointerVector(access->base, access->mask, tile, axes, maxBytes);
}

AddressVector tilewright::tile::getAddressVector(GlobalAccessOpInterface access,
                                                 const AxisInfoAnalysis &axes,
                                                 int64_t maxBytes) {
  RankedTensorType tile = access.getTileType();
  GpuTarget target = getTargetOrDefault(access);
  int64_t most = access.getMaxElements(target);
  int64_t bytes = most * getElementBytes(tile.getElementType());
  AddressVector vector =
      ::getAddressVector(access, tile, axes, std::min(bytes, maxBytes));
  if (bytes < maxBytes && vector.width.limit.empty())
    vector.width.limit =
        llvm::formatv("one instruction of {0} does it to {1} at the most",
                      target.name, countOf(most, "element"));
  return vector;
}

AddressVector tilewright::tile::getAddressVector(SharedAccessOpInterface copy,
                                                 const AxisInfoAnalysis &axes) {
  return ::getAddressVector(copy, copy.getTileType(), axes, kMaxVectorBytes);
}

//===----------------------------------------------------------------------===//
// Addresses and registers
//===----------------------------------------------------------------------===//

VectorWidth tilewright::tile::getVectorWidth(GlobalAccessOpInterface access,
                                             const AxisInfoAnalysis &axes,
                                             int64_t maxBytes) {
  AddressVector addresses = getAddressVector(access, axes, maxBytes);
  RankedTensorType tile = access.getTileType();
  unsigned bytes = getElementBytes(tile.getElementType());
  SharedAccessPlan plan = planGlobalAccess(
      getRegisterLayout(tile).getLayout(), bytes, addresses.dim,
      addresses.width.elements, access.isStore());
  if (plan.vectorElements >= addresses.width.elements)
    return addresses.width;
  Bound bound(bytes, maxBytes);
  bound.apply(
      plan.vectorElements,
      "a thread holds only {0} consecutive elements along dimension {1}",
      plan.vectorElements, addresses.dim);
  return bound.get();
}

/// Whether a tile is only an operand, under this name or another, of products
/// by FMA. The registers of a read are then those of one step along K
/// (docs/decisions/0032-fma-products.md).
static bool isReadByFma(Value tile) {
  return !tile.use_empty() &&
         llvm::all_of(tile.getUsers(), [](Operation *user) {
           if (auto product = dyn_cast<ProductOpInterface>(user))
             return product.getEngineOrDefault() == Engine::Fma;
           auto dimensions = dyn_cast<DimensionMapOpInterface>(user);
           return dimensions && dimensions.findPermutation() &&
                  isReadByFma(user->getResult(0));
         });
}

/// The dimension along which the first registers of a thread lie.
static std::optional<unsigned> getFirstRun(const LinearLayout &registers) {
  for (const LinearLayout::Point &basis : registers.bases("register"))
    for (auto [dim, part] : llvm::enumerate(basis))
      if (part != 0)
        return dim;
  return std::nullopt;
}

/// Whether elements that follow one another along `dim` do so in the shared
/// tile, as long as its layout does not say otherwise. Asked for where they do
/// not, runs would be scalars, which ptxas joins to vectors along another.
static bool mayKeepRuns(SharedAccessOpInterface access, unsigned dim) {
  SharedLayoutAttr attr = access.getSharedTile().getType().getLayout();
  if (!attr)
    return true;
  const SharedLayout &layout = attr.getLayout();
  LinearLayout::Point next(layout.shape().size(), 0);
  next[dim] = 1;
  return layout.shape()[dim] > 1 && layout.linearOffset(next) == 1;
}

SharedAccess
tilewright::tile::describeSharedAccess(SharedAccessOpInterface access,
                                       int64_t trips) {
  RankedTensorType tile = access.getTileType();
  SharedAccess description;
  description.kind = access.isStore()     ? SharedAccessKind::Store
                     : access.getMatrix() ? SharedAccessKind::LoadMatrix
                                          : SharedAccessKind::Load;
  description.registers = getRegisterLayout(tile).getLayout();
  description.elementBytes = getElementBytes(tile.getElementType());
  description.trips = trips;
  description.requiredVector = access.getVectorWidth().value_or(0);
  description.runDim = access.getRunDim();
  if (!access.isStore() && access->getNumResults() == 1 &&
      isBoundByRegisters(access) && isReadByFma(access->getResult(0)))
    if (std::optional<unsigned> dim = getFirstRun(description.registers);
        dim && mayKeepRuns(access, *dim))
      description.runDim = dim;
  return description;
}

/// The widest that the registers and the shared layout allow.
static VectorWidth getSharedWidth(SharedAccessOpInterface access) {
  SharedAccess description = describeSharedAccess(access);
  description.requiredVector = 0;
  VectorWidth width;
  const SharedLayout &layout =
      access.getSharedTile().getType().getLayout().getLayout();
  width.elements =
      planSharedAccess(description, layout, &width.limit).vectorElements;
  if (width.elements * description.elementBytes >= kMaxVectorBytes)
    width.limit.clear();
  return width;
}

VectorWidth tilewright::tile::getVectorWidth(SharedAccessOpInterface access,
                                             const AxisInfoAnalysis &axes) {
  VectorWidth shared = getSharedWidth(access);
  if (!findMemoryAccess(access, MemorySpace::Global))
    return shared;
  VectorWidth global = getAddressVector(access, axes).width;
  // Register layouts follow the addresses: these come first where both agree.
  return global.elements <= shared.elements ? global : shared;
}
