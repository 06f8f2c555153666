//===- RowReport.cpp - What moves of rows that begin anywhere cost --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReport.h"

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Shared/RowBuffer.h"
#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static constexpr char kAnywhere[] = "rows begin anywhere";

/// The view whose rows are copied into the tile.
static ViewOp findCopiedView(AllocSharedOp tile) {
  ViewOp found;
  tile->getParentOfType<KernelOp>().walk([&](Operation *op) {
    auto write = findMemoryAccess(op, MemorySpace::Shared);
    auto read = findMemoryAccess(op, MemorySpace::Global);
    if (write && read && write->isWrite && getAllocation(write->base) == tile)
      found = read->base.getDefiningOp<ViewOp>();
  });
  return found;
}

/// The dimension of the tile along which rows of so many elements are stored:
/// another one than that of copied rows. None where several may be it.
static std::optional<unsigned> findStoredDim(SharedType tile, unsigned copied,
                                             int64_t elements) {
  std::optional<unsigned> found;
  for (auto [dim, extent] : llvm::enumerate(tile.getShape())) {
    if (dim == copied || extent != elements)
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// How many lanes meet in a bank that read the words of a stored row of so many
/// elements.
static int64_t countWays(AllocSharedOp alloc, int64_t elements,
                         const AxisInfoAnalysis &axes) {
  SharedType tile = alloc.getType();
  int64_t bytes = getElementBytes(tile.getElementType());
  ViewOp copied = findCopiedView(alloc);
  if (!copied)
    return 1;
  unsigned rowDim = *copied.getType().getContiguousDim();
  RowBuffer buffer(tile.getShape(), rowDim, bytes);
  std::optional<unsigned> dim = findStoredDim(tile, rowDim, elements);
  if (!dim)
    return 1;
  int64_t stride = axes.getDivisibility(copied.getMixedStrides()[*dim]);
  return buffer.countWays(*dim, stride * bytes);
}

/// One run of so many bytes, which begins anywhere.
static RowBuffer::Copies countCopiesOfRun(int64_t bytes) {
  int64_t pieces = RowBuffer::countPieces(bytes);
  constexpr int64_t ofWavefront = bytesPerWavefront / RowBuffer::pieceBytes;
  return {llvm::divideCeilSigned(pieces, int64_t(lanesPerWarp)),
          llvm::divideCeilSigned(pieces, ofWavefront),
          llvm::divideCeilSigned(bytes, int64_t(bytesPerWavefront))};
}

/// What copies of rows into the tile take.
static RowBuffer::Copies countCopies(const MemoryAccess &global,
                                     SharedType tile,
                                     const AxisInfoAnalysis &axes) {
  int64_t bytes = getElementBytes(tile.getElementType());
  auto view = global.base.getDefiningOp<ViewOp>();
  if (!view) {
    // One row, by its pointer; words of its first piece are copied alone.
    RowBuffer::Copies copies = countCopiesOfRun(tile.getNumElements() * bytes);
    ++copies.instructions;
    ++copies.wavefronts;
    return copies;
  }
  // Of what is copied: more rows than the tile has, for whole sectors.
  ArrayRef<int64_t> shape = tile.getShape();
  if (!global.extents.empty())
    shape = global.extents;
  RowBuffer buffer(shape, *view.getType().getContiguousDim(), bytes);
  // Such rows are mostly one run of memory.
  if (buffer.hasShortRows() || buffer.order.size() == 1)
    return countCopiesOfRun(llvm::product_of(shape) * bytes);
  OpFoldResult stride = view.getMixedStrides()[buffer.order[1]];
  return buffer.countCopies(axes.getDivisibility(stride) * bytes);
}

/// What reads of stored rows take beside those of whole words: a row that
/// begins within a word has one that is cut, in whose place a lane reads a word
/// of another bank; and elements at ends, of four rows at a time.
static int64_t countReadsOfEnds(ViewOp view, int64_t numRows,
                                const AxisInfoAnalysis &axes) {
  if (!view)
    return 0;
  ViewType type = view.getType();
  int64_t bytes = getElementBytes(type.getElementType()), apart = bytesPerWord;
  for (auto [dim, stride] : llvm::enumerate(view.getMixedStrides()))
    if (dim != *type.getContiguousDim())
      apart = std::min(apart, axes.getDivisibility(stride) * bytes);
  int64_t cut = numRows - numRows * apart / bytesPerWord;
  return cut == 0 ? 0
                  : cut * bytesPerWord / bytes +
                        llvm::divideCeilSigned(numRows, RowBuffer::rowsOfEnds);
}

/// Rows that are copied go by pieces of 16 bytes, and a row that goes out as it
/// lies, too. Other words are put together of elements.
void tilewright::addMoveOfRows(AccessReport &report, Operation *op,
                               const AxisInfoAnalysis &axes) {
  MemoryAccess global = *findMemoryAccess(op, MemorySpace::Global);
  MemoryAccess shared = *findMemoryAccess(op, MemorySpace::Shared);
  auto tile = cast<SharedType>(shared.base.getType());
  ArrayRef<int64_t> shape = tile.getShape();
  if (!global.extents.empty())
    shape = global.extents;
  int64_t bytes = getElementBytes(tile.getElementType());
  // One row goes by its pointer.
  auto view = dyn_cast<ViewType>(global.base.getType());
  size_t rowDim = view ? *view.getContiguousDim() : shape.size() - 1;
  // A store that ends with sectors has more of a row, and no parts of them.
  int64_t rowBytes = llvm::bit_floor<uint64_t>(shape[rowDim]) * bytes;
  bool hasWholeSectors = rowBytes != shape[rowDim] * bytes;
  if (global.isRead && rowBytes <= RowBuffer::pieceBytes)
    rowBytes = report.globalBytes;
  int64_t numRows = report.globalBytes / rowBytes;
  report.vectorBytes = RowBuffer::pieceBytes;
  if (global.isRead) {
    RowBuffer::Copies copies = countCopies(global, tile, axes);
    report.instructions = copies.instructions;
    report.wavefronts = {copies.wavefronts, copies.fewestWavefronts};
  } else if (!view) {
    RowBuffer::Copies stores = countCopiesOfRun(report.globalBytes);
    report.instructions = stores.instructions;
    report.wavefronts = {stores.wavefronts, stores.fewestWavefronts};
  } else {
    report.vectorBytes = std::max<int64_t>(bytes, bytesPerWord);
    report.limit = kAnywhere;
    report.instructions =
        llvm::divideCeil(report.globalBytes, lanesPerWarp * report.vectorBytes);
    int64_t elements = llvm::divideCeil(tile.getNumElements(), lanesPerWarp);
    int64_t ways =
        countWays(getAllocation(shared.base), rowBytes / bytes, axes);
    int64_t ends = hasWholeSectors
                       ? 0
                       : countReadsOfEnds(global.base.getDefiningOp<ViewOp>(),
                                          numRows, axes);
    report.wavefronts = {elements * ways + ends, elements};
  }
  report.vectorElements = report.vectorBytes / bytes;
  int64_t sectors = llvm::divideCeil(report.globalBytes, bytesPerSector);
  report.sectors = {hasWholeSectors ? sectors
                                    : numRows * (rowBytes / bytesPerSector + 1),
                    sectors};
}

/// Pieces of a granule are a line of shared memory. Elements of a column, of
/// which words are put together, are as far apart as rows are in memory.
void tilewright::addWalkAlongRows(AccessReport &report, Operation *op,
                                  const AxisInfoAnalysis &axes) {
  MemoryAccess shared = *findMemoryAccess(op, MemorySpace::Shared);
  auto tile = cast<SharedType>(shared.base.getType());
  int64_t bytes = getElementBytes(tile.getElementType());
  int64_t sectors = llvm::divideCeil(report.globalBytes, bytesPerSector);
  report.sectors = {sectors, sectors};
  report.vectorBytes = report.isLoad ? RowBuffer::pieceBytes : bytesPerWord;
  report.vectorElements = report.vectorBytes / bytes;
  report.instructions =
      llvm::divideCeil(report.globalBytes, lanesPerWarp * report.vectorBytes);
  if (report.isLoad) {
    int64_t lines = llvm::divideCeil(report.globalBytes, bytesPerWavefront);
    report.wavefronts = {lines, lines};
    return;
  }
  report.limit = kAnywhere;
  auto view =
      findMemoryAccess(op, MemorySpace::Global)->base.getDefiningOp<ViewOp>();
  int64_t ways = 1;
  if (view)
    for (auto [dim, stride] : llvm::enumerate(view.getMixedStrides()))
      if (dim != *view.getType().getContiguousDim() &&
          tile.getDimSize(dim) != 1)
        ways = std::gcd<int64_t>(axes.getDivisibility(stride), numBanks);
  int64_t elements = llvm::divideCeil(tile.getNumElements(), lanesPerWarp);
  report.wavefronts = {elements * ways, elements};
}

std::optional<MemoryAccess> tilewright::findRowAccess(Operation *op) {
  auto shared = findMemoryAccess(op, MemorySpace::Shared);
  bool isOfRow = shared && shared->registers &&
                 !isa<SharedAccessOpInterface>(op) &&
                 !findMemoryAccess(op, MemorySpace::Global);
  return isOfRow ? shared : std::nullopt;
}

void tilewright::addRowAccess(AccessReport &report,
                              const MemoryAccess &access) {
  auto tile = cast<SharedType>(access.base.getType());
  SharedAccess &shared = report.shared;
  shared.kind =
      access.isWrite ? SharedAccessKind::Store : SharedAccessKind::Load;
  shared.registers = cast<RegisterLayoutAttr>(access.registers).getLayout();
  shared.elementBytes = getElementBytes(tile.getElementType());
  // Whose rows begin behind a word has no wider ones.
  shared.requiredVector = 1;
  report.vectorBytes = shared.elementBytes;
  report.limit = kAnywhere;
  SharedAccessCost cost =
      costOfSharedAccess(shared, tile.getLayout().getLayout());
  report.instructions = cost.instructionsOfBlock();
  report.wavefronts = {cost.wavefronts, cost.idealWavefronts};
  report.worstDegree = cost.worstDegree;
}
