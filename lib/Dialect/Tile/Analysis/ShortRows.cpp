//===- ShortRows.cpp - Rows of several programs, by pointers --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Of a word a lane has all anyway.
static constexpr int64_t kMostElementBytes = 2;

/// A warp has many rows of so few columns: what is loaded besides is little for
/// each, and vectors of two elements are no better than single ones.
static constexpr int64_t kFewColumns = 96;
static constexpr int64_t kShortVector = 2;
/// Of wider tiles all lanes of a warp have each row.
static constexpr int64_t kWideTile = 512;
/// Of so few elements twice as many lanes cost little, and rows that are nearly
/// a multiple of all banks apart meet in fewer of them.
static constexpr int64_t kFewElements = 32;
/// Of so many rows of a warp, lanes have two with one copy of what programs
/// share, which are nearer to each other than to those of other lanes: rows
/// that are nearly a multiple of all banks apart meet in fewer of them.
static constexpr int64_t kManyRows = 16;

namespace {
/// A tile of one dimension whose elements another one has along `dim`.
struct Spread {
  Value source;
  unsigned dim;
};
} // namespace

static std::optional<Spread> findSpread(Value tile) {
  int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
  SmallVector<std::optional<unsigned>> from;
  for (unsigned dim = 0; dim < rank; ++dim)
    from.push_back(dim);
  while (auto op = tile.getDefiningOp<DimensionMapOpInterface>()) {
    for (std::optional<unsigned> &dim : from)
      if (dim)
        dim = op.getSourceDim(*dim);
    tile = op->getOperand(0);
    if (!isTile(tile))
      return std::nullopt;
    if (cast<RankedTensorType>(tile.getType()).getRank() != 1)
      continue;
    for (auto [dim, source] : llvm::enumerate(from))
      if (source)
        return Spread{tile, static_cast<unsigned>(dim)};
    return std::nullopt;
  }
  return std::nullopt;
}

/// Whether the tile has numbers of columns, in each row the same.
static bool countsColumns(Value tile) {
  std::optional<Spread> spread = findSpread(tile);
  auto iota = spread ? spread->source.getDefiningOp<IotaOp>() : IotaOp();
  return iota && spread->dim == 1 && iota.getStart() == 0;
}

/// The number that columns are less than where the mask is true.
static Value findCount(Value mask) {
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return nullptr;
  auto iota = compare.getLhs().getDefiningOp<IotaOp>();
  auto end = compare.getRhs().getDefiningOp<SplatOp>();
  return iota && iota.getStart() == 0 && end ? end->getOperand(0) : Value();
}

/// Takes a mask apart into one of rows and one of columns.
static bool findMasks(Value mask, ShortRows &rows) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return findMasks(both.getLhs(), rows) && findMasks(both.getRhs(), rows);
  std::optional<Spread> spread = findSpread(mask);
  if (!spread)
    return false;
  Value &found = spread->dim == 0 ? rows.active : rows.inside;
  if (found)
    return false;
  found = mask;
  if (spread->dim == 1)
    rows.count = findCount(spread->source);
  return true;
}

std::optional<ShortRows>
tilewright::tile::findShortRows(GlobalAccessOpInterface op) {
  RankedTensorType tile = op.getTileType();
  MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
  auto add = access.base.getDefiningOp<AddPtrOp>();
  if (tile.getRank() != 2 ||
      getElementBytes(tile.getElementType()) > kMostElementBytes || !add ||
      !access.mask || access.isAtomic() || access.isVolatile ||
      !countsColumns(add.getOffset()))
    return std::nullopt;
  std::optional<Spread> starts = findSpread(add.getPtr());
  ShortRows rows;
  rows.pointers = add.getPtr();
  if (!starts || starts->dim != 0 || !findMasks(access.mask, rows) ||
      !rows.active || !rows.inside || !rows.count)
    return std::nullopt;
  return rows;
}

RunsOfKernel::RunsOfKernel(KernelOp kernel) {
  kernel.walk([&](GlobalAccessOpInterface access) {
    if (std::optional<ShortRows> found = findShortRows(access))
      rows.try_emplace(access, *found);
    RankedTensorType tile = access.getTileType();
    if (!access.isStore() && tile.getRank() == 1)
      sharedColumns.insert(tile.getDimSize(0));
  });
}

std::optional<LanesOfRuns>
RunsOfKernel::getLanes(GlobalAccessOpInterface access, int64_t vector) const {
  auto found = rows.find(access);
  if (found == rows.end() || vector > kShortVector)
    return std::nullopt;
  RankedTensorType tile = access.getTileType();
  int64_t columns = tile.getDimSize(1);
  int64_t most = std::min(
      columns, NumberRanges().get(found->second.count).smax().getSExtValue());
  auto kernel = access->getParentOfType<KernelOp>();
  int64_t ofWarp = tile.getDimSize(0) / kernel.getNumWarpsOrDefault();
  int64_t fewest = lanesPerWarp / std::clamp<int64_t>(ofWarp, 1, lanesPerWarp);
  bool isShort = most <= kFewColumns;
  if (vector > 1 && !isShort)
    return std::nullopt;
  bool isShared = sharedColumns.contains(columns);
  if (isShared && ofWarp == kManyRows)
    return LanesOfRuns{2 * fewest, 1, /*areApart=*/true};
  if (isShort)
    return LanesOfRuns{fewest, 1};
  if (isShared) {
    int64_t lanes = std::min<int64_t>(4 * fewest, lanesPerWarp);
    return LanesOfRuns{lanes, lanes == lanesPerWarp ? kShortVector : 1};
  }
  int64_t times = most <= kFewElements * fewest ? 2 : 1;
  int64_t lanes = std::min<int64_t>(times * fewest, lanesPerWarp);
  return LanesOfRuns{columns > kWideTile ? lanesPerWarp : lanes, 1};
}
