//===- ShortRows.cpp - Short rows of a block, by pointers -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/Conjunctions.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static constexpr int64_t kMostElementBytes = 4;

/// A warp has many rows of so few columns: what is loaded besides is little for
/// each, and vectors of two elements are no better than single ones.
static constexpr int64_t kFewColumns = 96;
static constexpr int64_t kShortVector = 2;
/// Vectors of four are, where rows leave a quarter of tiles of so many columns,
/// and have few more than half of them.
static constexpr int64_t kShortestTile = 32, kFewMoreThanHalf = 16;
/// Rows of tiles that are wider belong to all lanes of a warp.
static constexpr int64_t kWideTile = 512;
/// Rows of so many words are moved as runs, and longer ones word by word.
static constexpr int64_t kWideTileOfWords = 256;
/// Of so few elements twice as many lanes cost little, where a row is only
/// loaded, and rows that are nearly a multiple of all banks apart meet in fewer
/// of them.
static constexpr int64_t kFewElements = 32;
/// Where rows are loaded and stored an access takes so many wavefronts at the
/// most, half of the time each of rows that begin with a word, and do not.
static constexpr unsigned kMostWavefronts = 5;
/// Rows that a kernel combines in tiles of its own are moved as runs from so
/// many columns to so many; wider ones, by which programs wait for one run
/// after the other, are loaded ahead by elements.
static constexpr int64_t kFewestOwnColumns = 8;
static constexpr int64_t kMostOwnColumns = 36, kMostOwnWords = 12;
/// Of so many rows of a warp, lanes have two with one copy of what programs
/// share, which are nearer to each other than to those of other lanes: rows
/// that are nearly a multiple of all banks apart meet in fewer of them.
static constexpr int64_t kManyRows = 16;

namespace {
/// A tile of one dimension, or of none but one that is longer than 1, whose
/// elements another one has along `dim`.
struct Spread {
  Value source;
  unsigned dim;
};
} // namespace

/// The only dimension that is longer than 1.
static std::optional<unsigned> findOnlyDim(RankedTensorType tile) {
  std::optional<unsigned> only;
  for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
    if (tile.getDimSize(dim) == 1 && tile.getRank() > 1)
      continue;
    if (only)
      return std::nullopt;
    only = dim;
  }
  return only;
}

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
    if (cast<RankedTensorType>(tile.getType()).getRank() == 1)
      break;
  }
  std::optional<unsigned> only =
      findOnlyDim(cast<RankedTensorType>(tile.getType()));
  if (!only)
    return std::nullopt;
  for (auto [dim, source] : llvm::enumerate(from))
    if (source == only)
      return Spread{tile, static_cast<unsigned>(dim)};
  return std::nullopt;
}

namespace {
/// Numbers of columns, from a scalar on; null for 0.
struct Columns {
  Value start;
};
} // namespace

static std::optional<Columns> findColumns(Value tile) {
  auto isCount = [](Value value) {
    // None is negative.
    while (auto wider = value.getDefiningOp<arith::ExtSIOp>())
      value = wider.getIn();
    auto iota = value.getDefiningOp<IotaOp>();
    return iota && iota.getStart() == 0;
  };
  if (isCount(tile))
    return Columns();
  auto sum = tile.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [count, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())})
    if (auto start = other.getDefiningOp<SplatOp>(); start && isCount(count))
      return Columns{start->getOperand(0)};
  return std::nullopt;
}

/// Columns of a tile, in each row the same; where it counts down, from `last`
/// on.
static std::optional<Columns> findColumnsOfRows(Value tile, Value &last) {
  std::optional<Spread> spread = findSpread(tile);
  if (!spread || spread->dim != 1)
    return std::nullopt;
  auto back = spread->source.getDefiningOp<arith::SubIOp>();
  if (!back)
    return findColumns(spread->source);
  auto from = back.getLhs().getDefiningOp<SplatOp>();
  std::optional<Spread> places = findSpread(back.getRhs());
  if (!from || !places)
    return std::nullopt;
  last = from->getOperand(0);
  return findColumns(places->source);
}

/// The number that columns from `start` on are less than where the mask is
/// true.
static Value findCount(Value mask, Value start) {
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return nullptr;
  std::optional<Spread> places = findSpread(compare.getLhs());
  std::optional<Columns> columns =
      places ? findColumns(places->source) : std::nullopt;
  auto end = compare.getRhs().getDefiningOp<SplatOp>();
  return columns && columns->start == start && end ? end->getOperand(0)
                                                   : Value();
}

/// Takes a mask apart into one of rows and one of columns.
static bool findMasks(Value mask, ShortRows &rows) {
  return llvm::all_of(takeApart(mask), [&](Value part) {
    std::optional<Spread> spread = findSpread(part);
    if (!spread)
      return false;
    Value &found = spread->dim == 0 ? rows.active : rows.inside;
    if (found)
      return false;
    found = part;
    if (spread->dim == 1)
      rows.count = findCount(spread->source, rows.start);
    return true;
  });
}

std::optional<ShortRows>
tilewright::tile::findShortRows(GlobalAccessOpInterface op) {
  RankedTensorType tile = op.getTileType();
  MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
  auto add = access.base.getDefiningOp<AddPtrOp>();
  if (tile.getRank() != 2 ||
      getElementBytes(tile.getElementType()) > kMostElementBytes || !add ||
      !access.mask || access.isAtomic() || access.isVolatile)
    return std::nullopt;
  std::optional<Spread> starts = findSpread(add.getPtr());
  ShortRows rows;
  std::optional<Columns> columns =
      findColumnsOfRows(add.getOffset(), rows.last);
  if (!columns)
    return std::nullopt;
  rows.pointers = add.getPtr();
  rows.start = columns->start;
  if (!starts || starts->dim != 0 || !findMasks(access.mask, rows) ||
      !rows.active || !rows.inside || !rows.count ||
      (rows.last && rows.last.getType() != rows.count.getType()))
    return std::nullopt;
  return rows;
}

/// Whether rows have no more columns than the tile, and their numbers do not
/// wrap around.
static bool fitInTile(const ShortRows &rows, RankedTensorType tile) {
  NumberRanges numbers;
  int64_t columns = tile.getDimSize(1);
  auto isBelow = [](const ConstantIntRanges &range, int64_t most) {
    return !range.smin().isNegative() && range.smax().sle(most);
  };
  return isBelow(numbers.get(rows.count), columns) &&
         (!rows.start ||
          isBelow(numbers.get(rows.start),
                  std::numeric_limits<int32_t>::max() - columns)) &&
         (!rows.last || !numbers.get(rows.last).smin().isNegative());
}

/// Whether rows have few columns, if the kernel combines them in its own tiles.
static bool areWorthRuns(const ShortRows &rows, RankedTensorType tile) {
  const ConstantIntRanges columns = NumberRanges().get(rows.count);
  int64_t most = getElementBytes(tile.getElementType()) == bytesPerWord
                     ? kMostOwnWords
                     : kMostOwnColumns;
  return columns.smin().sge(kFewestOwnColumns) && columns.smax().sle(most);
}

/// Whether all rows that a kernel moves are no longer than its tiles, and some
/// are stored. Which it combines must have few columns besides.
static bool movesShortRows(KernelOp kernel, bool isElementwise) {
  bool isStored = false;
  return !anyOpIn<ProductOpInterface>(kernel) &&
         !anyOpIn(kernel,
                  [&](GlobalAccessOpInterface access) {
                    RankedTensorType tile = access.getTileType();
                    if (tile.getRank() < 2 || findOnlyDim(tile))
                      return false;
                    isStored |= access.isStore();
                    std::optional<ShortRows> rows = findShortRows(access);
                    return !rows || hangsOnLoads(rows->pointers) ||
                           !fitInTile(*rows, tile) ||
                           !(isElementwise || areWorthRuns(*rows, tile));
                  }) &&
         isStored;
}

RunsOfKernel::RunsOfKernel(KernelOp kernel) {
  computesOnly = isElementwise(kernel);
  if (!kernel.getBlockPrograms() && !movesShortRows(kernel, computesOnly))
    return;
  areOwn = !kernel.getBlockPrograms() && !computesOnly;
  kernel.walk([&](CombineOpInterface combine) {
    isInOrder |= !combine.combinesInAnyOrder();
  });
  kernel.walk([&](GlobalAccessOpInterface access) {
    if (std::optional<ShortRows> found = findShortRows(access)) {
      rows.try_emplace(access, *found);
      isStored |= access.isStore();
    }
    RankedTensorType tile = access.getTileType();
    if (!access.isStore() && tile.getRank() == 1)
      sharedColumns.insert(tile.getDimSize(0));
  });
}

/// The wavefronts of two accesses to shared memory by a warp whose lanes have
/// `lanes` elements side by side of every `step`th row: the first row begins
/// with a word, and an element behind one.
static unsigned countWavefrontsOfTwo(int64_t length, int64_t lanes,
                                     int64_t step, int64_t bytes) {
  unsigned count = 0;
  for (int64_t start : {0, 1}) {
    auto addresses = llvm::map_to_vector(
        llvm::seq<int64_t>(lanesPerWarp), [&](int64_t lane) {
          int64_t row = lane / lanes * step;
          return bytes * (row * length + lane % lanes + start);
        });
    count +=
        tilewright::countWavefronts(SharedAccessKind::Load, bytes, addresses);
  }
  return count;
}

/// As few lanes as do not meet in banks much, whatever the length of rows,
/// which is no multiple of twice `vector`.
LanesOfRuns RunsOfKernel::avoidConflicts(RankedTensorType tile, Value end,
                                         int64_t vector, int64_t ofWarp) const {
  int64_t columns = tile.getDimSize(1),
          bytes = getElementBytes(tile.getElementType());
  const ConstantIntRanges range = NumberRanges().get(end);
  int64_t most = std::clamp<int64_t>(range.smax().getSExtValue(), 1, columns);
  int64_t least =
      std::clamp<int64_t>(range.smin().getSExtValue(), columns / 2 + 1, most);
  // Of all lengths, or none where one has too many.
  auto count = [&](int64_t lanes, int64_t step) -> std::optional<unsigned> {
    unsigned sum = 0;
    for (int64_t length = llvm::alignTo(least, 2 * vector, vector);
         length <= most; length += 2 * vector) {
      unsigned ofLength = countWavefrontsOfTwo(length, lanes, step, bytes);
      if (ofLength > kMostWavefronts)
        return std::nullopt;
      sum += ofLength;
    }
    return sum;
  };
  for (int64_t lanes = lanesPerWarp / ofWarp; lanes < lanesPerWarp;
       lanes *= 2) {
    std::optional<unsigned> inOrder = count(lanes, 1),
                            apart = count(lanes, ofWarp * lanes / lanesPerWarp);
    if (inOrder || apart)
      return {lanes, 1, /*areApart=*/apart && (!inOrder || *apart < *inOrder)};
  }
  return {lanesPerWarp, 1};
}

/// The lanes of words that are only loaded: no sector is wanted twice, and
/// where one lies beside the next one in a row that a warp has, no two meet in
/// a bank.
std::optional<LanesOfRuns>
RunsOfKernel::getLanesOfWords(int64_t columns) const {
  if (!isStored || isInOrder || columns > kWideTileOfWords)
    return std::nullopt;
  return LanesOfRuns{lanesPerWarp, 1};
}

bool tilewright::tile::leavesTile(int64_t most, int64_t columns) {
  return kShortestTile <= columns && columns <= kShortTile &&
         4 * most <= 3 * columns && most <= columns / 2 + kFewMoreThanHalf;
}

std::optional<LanesOfRuns>
RunsOfKernel::getLanes(GlobalAccessOpInterface access, int64_t vector) const {
  auto found = rows.find(access);
  if (found == rows.end() || (areOwn && vector > 1))
    return std::nullopt;
  RankedTensorType tile = access.getTileType();
  int64_t columns = tile.getDimSize(1);
  int64_t most = std::min(
      columns, NumberRanges().get(found->second.count).smax().getSExtValue());
  auto kernel = access->getParentOfType<KernelOp>();
  int64_t ofWarp = tile.getDimSize(0) / kernel.getNumWarpsOrDefault();
  int64_t fewest = lanesPerWarp / std::clamp<int64_t>(ofWarp, 1, lanesPerWarp);
  bool isShort = most <= kFewColumns;
  bool areWords = getElementBytes(tile.getElementType()) == bytesPerWord;
  if (vector > 1 && (areWords || !isShort))
    return std::nullopt;
  bool mayBeFour = !computesOnly && leavesTile(most, columns);
  if (vector > (mayBeFour ? kVectorOfFour : kShortVector))
    return std::nullopt;
  if (areWords && !isShort)
    return getLanesOfWords(columns);
  bool isShared = sharedColumns.contains(columns);
  if (isShared && ofWarp == kManyRows)
    return LanesOfRuns{2 * fewest, 1, /*areApart=*/true};
  if (!isShared && !isInOrder && rows.size() > 1 && columns <= kWideTile)
    return avoidConflicts(tile, found->second.count, vector,
                          lanesPerWarp / fewest);
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

bool RunsOfKernel::moveAll(const AxisInfoAnalysis &axes) const {
  return !rows.empty() && llvm::all_of(rows, [&](const auto &entry) {
    auto access = cast<GlobalAccessOpInterface>(entry.first);
    return getLanes(access, getAddressVector(access, axes).width.elements);
  });
}
