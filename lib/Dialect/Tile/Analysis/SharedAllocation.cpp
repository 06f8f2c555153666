//===- SharedAllocation.cpp - Which bytes a shared tile gets ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"

#include "tilewright/Layout/Shared/HardwareSwizzle.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

bool tilewright::tile::isAlone(const GpuTarget &gpu, int64_t bytes) {
  return 2 * (bytes + gpu.reservedSharedBytesPerBlock) > gpu.sharedBytesPerSM;
}

/// Tiles begin at whole 128-byte lines: at bank 0, as the bank model supposes.
static constexpr int64_t kTileAlignment = 128;

/// Bytes of a tile that has no layout yet, without padding.
static int64_t getLeastSize(SharedType type) {
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    bytes *= extent;
  return bytes;
}

/// What products ask of a tile that has no layout yet, at the most.
static int64_t getMostAlignment(AllocSharedOp tile) {
  return getProducts(tile).empty() ? 1
                                   : HardwareSwizzle::all().front().alignment;
}

SharedRequest::SharedRequest(const LiveRange &live) : live(live) {
  AllocSharedOp tile = live.tile;
  SharedType type = tile.getType();
  bool hasLayout = static_cast<bool>(type.getLayout());
  bytes = hasLayout ? type.getSizeInBytes() : getLeastSize(type);
  alignment = std::max(kTileAlignment, hasLayout ? getHardwareAlignment(tile)
                                                 : getMostAlignment(tile));
  if (std::optional<uint64_t> fixed = tile.getOffset())
    offset = static_cast<int64_t>(*fixed);
}

/// Gives tiles that stand between the stages of others their bytes there.
static void addHosts(MutableArrayRef<SharedRequest> requests) {
  for (SharedRequest &request : requests) {
    AllocSharedOp host = request.live.tile;
    while (AllocSharedOp before = getTileBefore(host)) {
      request.behind += before.getType().getStageBytes();
      host = before;
    }
    if (request.behind == 0 || request.offset)
      continue;
    auto *found = llvm::find_if(requests, [&](const SharedRequest &other) {
      return other.live.tile == host;
    });
    request.host = found - requests.begin();
    found->bytes = std::max(found->bytes, request.behind + request.bytes);
    found->live.include(request.live);
  }
}

SmallVector<SharedRequest>
tilewright::tile::getSharedRequests(KernelOp kernel) {
  SmallVector<SharedRequest> requests =
      llvm::map_to_vector(getLiveRanges(kernel), [](const LiveRange &live) {
        return SharedRequest(live);
      });
  addHosts(requests);
  return requests;
}

namespace {
/// A request with its bytes.
struct PlacedTile {
  const SharedRequest *request;
  int64_t begin, end;
};
} // namespace

/// The bytes of all tiles where none of them share any.
static int64_t getTotalSize(ArrayRef<const SharedRequest *> requests) {
  int64_t total = 0;
  for (const SharedRequest *request : requests)
    total = llvm::alignTo(total, request->alignment) +
            llvm::alignTo(request->bytes, kTileAlignment);
  return total;
}

/// A number for each request, which those have in common that live at one time,
/// or with others that do. Tiles with other numbers may have the same bytes.
static SmallVector<unsigned>
groupByLives(ArrayRef<const SharedRequest *> requests) {
  auto byBegin = llvm::to_vector(llvm::seq<unsigned>(0, requests.size()));
  llvm::sort(byBegin, [&](unsigned a, unsigned b) {
    return requests[a]->live.begin < requests[b]->live.begin;
  });
  SmallVector<unsigned> groups(requests.size());
  unsigned group = 0, end = 0;
  for (unsigned index : byBegin) {
    const LiveRange &live = requests[index]->live;
    if (live.begin > end)
      ++group;
    end = std::max(end, live.end);
    groups[index] = group;
  }
  return groups;
}

/// Where the lowest bytes begin that no neighbour has. `placed` is in the order
/// of bytes.
static int64_t findGap(const SharedRequest &request,
                       ArrayRef<PlacedTile> placed, bool mayShare) {
  int64_t begin = 0;
  for (const PlacedTile &other : placed) {
    if (mayShare && !other.request->live.overlaps(request.live))
      continue;
    if (begin + request.bytes <= other.begin)
      break;
    begin =
        std::max<int64_t>(begin, llvm::alignTo(other.end, request.alignment));
  }
  return begin;
}

SharedPlan tilewright::tile::planSharedMemory(ArrayRef<SharedRequest> requests,
                                              int64_t freeBytes) {
  // Large tiles first: small ones fit the gaps between them. Offsets that are
  // written already stand.
  SmallVector<const SharedRequest *> order;
  for (const SharedRequest &request : requests)
    if (!request.host)
      order.push_back(&request);
  llvm::sort(order, [](const SharedRequest *a, const SharedRequest *b) {
    auto rank = [](const SharedRequest *of) {
      return std::make_tuple(!of->offset, -of->bytes, of->live.begin, of);
    };
    return rank(a) < rank(b);
  });
  bool mayShare = getTotalSize(order) > freeBytes;
  SharedPlan plan;
  plan.offsets.resize(requests.size());
  // Unrolled loops have many tiles, of which few live at one time.
  SmallVector<unsigned> groups(order.size(), 0);
  if (mayShare)
    groups = groupByLives(order);
  std::vector<SmallVector<PlacedTile>> placedOfGroups(order.size() + 1);
  for (auto [request, group] : llvm::zip_equal(order, groups)) {
    SmallVector<PlacedTile> &placed = placedOfGroups[group];
    int64_t begin = request->offset ? *request->offset
                                    : findGap(*request, placed, mayShare);
    PlacedTile tile{request, begin, begin + request->bytes};
    placed.insert(
        llvm::upper_bound(placed, tile,
                          [](const PlacedTile &a, const PlacedTile &b) {
                            return a.begin < b.begin;
                          }),
        tile);
    plan.offsets[request - requests.data()] = begin;
    plan.total = std::max(plan.total, tile.end);
  }
  for (auto [request, offset] : llvm::zip_equal(requests, plan.offsets))
    if (request.host)
      offset = plan.offsets[*request.host] + request.behind;
  return plan;
}
