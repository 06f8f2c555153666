//===- BulkTensor.cpp - cp.async.bulk.tensor ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of a box of a tensor, as a tensor map describes both (TensorMap.h):
//
//   box of 64 x 8 elements of f16 at {c0, c1}, 128B:
//     row r of shared memory is tensor[c1 + r][c0 ... c0 + 63], 128 bytes,
//     and its atoms of 16 bytes change places: address bits 4-6 ^= bits 7-9
//
// What lies outside of the tensor is filled, or not written, and its bytes
// count all the same. Prefetches of boxes and of maps are checked and do
// nothing.
//
//===----------------------------------------------------------------------===//

#include "Families/Bulk.h"
#include "tilewright/Layout/Shared/HardwareSwizzle.h"
#include "tilewright/Simulator/TensorMap.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

using Coordinates = std::array<int64_t, TensorMap::maximumRank>;

const HardwareSwizzle &swizzleOf(const TensorMap &map) {
  static constexpr int64_t rowBytes[] = {16, 32, 64, 128};
  return HardwareSwizzle::get(rowBytes[static_cast<size_t>(map.swizzle)]);
}

/// The map at a generic address; none with a finding.
std::optional<TensorMap> readMap(Warp &warp, unsigned lane, uint64_t address,
                                 unsigned rank) {
  constexpr unsigned part = TensorMap::encodedAlign;
  std::array<uint8_t, TensorMap::encodedBytes> bytes;
  for (unsigned at = 0; at != TensorMap::encodedBytes; at += part) {
    LaneAccess lanes;
    lanes.kind = AccessKind::Load;
    lanes.bytes = part;
    lanes.mask = 1u << lane;
    lanes.addresses[lane] = address + at;
    if (warp.access(lanes) == 0)
      return std::nullopt;
    std::memcpy(bytes.data() + at, lanes.pointers[lane], part);
  }
  const std::optional<TensorMap> map = TensorMap::decode(bytes);
  if (!map)
    warp.report(FindingKind::InvalidOperand, lane,
                "there is no tensor map at this address", address);
  else if (rank != 0 && map->rank != rank)
    warp.report(FindingKind::InvalidOperand, lane,
                "the copy has " + Twine(rank) +
                    " dimensions, and the tensor map " + Twine(map->rank));
  else
    return map;
  return std::nullopt;
}

/// A box at some coordinates, in shared memory from `start` on.
class Box {
public:
  Box(const TensorMap &map, const Coordinates &at, uint64_t start)
      : map(map), at(at), start(start) {}

  std::vector<BulkPiece> pieces() const;

private:
  std::optional<uint64_t> rowAddress(uint64_t row) const;
  void addPiece(std::vector<BulkPiece> &pieces, uint64_t row, int64_t first,
                int64_t end, std::optional<uint64_t> address) const;

  const TensorMap &map;
  const Coordinates &at;
  const uint64_t start; ///< a shared address
};

/// Where coordinate 0 of a row of the box is in global memory; none outside.
std::optional<uint64_t> Box::rowAddress(uint64_t row) const {
  uint64_t address = map.address;
  for (unsigned dim = 1; dim != map.rank; ++dim) {
    const uint64_t rows = map.boxRows(dim);
    const int64_t coordinate =
        at[dim] + static_cast<int64_t>(row % rows * map.elementStrides[dim]);
    row /= rows;
    if (coordinate < 0 || uint64_t(coordinate) >= map.extents[dim])
      return std::nullopt;
    address += uint64_t(coordinate) * map.strides[dim - 1];
  }
  return address;
}

/// Elements [first, end) of a row, by their coordinate in the tensor, which may
/// be outside; in parts that the swizzle keeps together.
void Box::addPiece(std::vector<BulkPiece> &pieces, uint64_t row, int64_t first,
                   int64_t end, std::optional<uint64_t> address) const {
  const HardwareSwizzle &mode = swizzleOf(map);
  const int64_t bytes = map.elementBytes();
  const uint64_t rowStart = start + row * map.rowBytes();
  for (int64_t from = first * bytes; from < end * bytes;) {
    const uint64_t linear = rowStart + uint64_t(from - at[0] * bytes);
    uint64_t size = uint64_t(end * bytes - from);
    uint64_t place = linear;
    if (mode.atomBits != 0) {
      size = std::min<uint64_t>(size, mode.atomBytes - linear % mode.atomBytes);
      const uint64_t mask = (1u << mode.atomBits) - 1;
      place ^= (linear >> 7 & mask) << 4;
    }
    BulkPiece piece;
    piece.shared = place - firstOffset;
    piece.other = address ? *address + uint64_t(from) : 0;
    piece.bytes = size;
    piece.isOutside = !address;
    pieces.push_back(piece);
    from += static_cast<int64_t>(size);
  }
}

std::vector<BulkPiece> Box::pieces() const {
  std::vector<BulkPiece> pieces;
  const uint64_t rows = map.boxBytes() / map.rowBytes();
  const int64_t begin = at[0], end = begin + map.box[0];
  const auto extent = static_cast<int64_t>(map.extents[0]);
  for (uint64_t row = 0; row != rows; ++row) {
    const std::optional<uint64_t> address = rowAddress(row);
    const int64_t insideBegin =
        address ? std::clamp<int64_t>(0, begin, end) : end;
    const int64_t insideEnd =
        address ? std::clamp(extent, insideBegin, end) : end;
    addPiece(pieces, row, begin, insideBegin, std::nullopt);
    addPiece(pieces, row, insideBegin, insideEnd, address);
    addPiece(pieces, row, insideEnd, end, std::nullopt);
  }
  return pieces;
}

/// The NaN is the one of arithmetic; that of the hardware is not documented.
BulkFill fillOf(const TensorMap &map) {
  if (map.fill == TensorMap::Fill::Zeros)
    return {};
  const unsigned bytes = map.elementBytes();
  static constexpr uint64_t half = 0x7fff, single = 0x7fffffff,
                            twice = 0x7fffffffffffffff;
  return {bytes == 2 ? half : bytes == 4 ? single : twice, bytes};
}

Type typeOf(TensorMap::Element element) {
  static constexpr Type types[] = {Type::U8,  Type::U16, Type::U32, Type::S32,
                                   Type::U64, Type::S64, Type::F16, Type::BF16,
                                   Type::F32, Type::F64};
  return types[static_cast<size_t>(element)];
}

/// What an instruction says, apart from what differs among copies.
enum Attr : uint8_t { Rank, IsMulticast, IsSum };
/// ops: the map's address and its coordinates come first.
constexpr unsigned mapOps = 2 + TensorMap::maximumRank;

/// Bytes: where boxes begin in a row. An H200 takes others for illegal
/// instructions; no page of CUDA's says so.
constexpr int64_t coordinateAlign = 16;

/// With a finding, none of boxes that GPUs refuse.
std::optional<TensorMap> mapOf(Warp &warp, const Instr &instr, unsigned lane,
                               Coordinates &at) {
  for (unsigned dim = 0; dim != TensorMap::maximumRank; ++dim)
    at[dim] = warp.value<int32_t>(instr.ops[2 + dim], lane);
  const BulkAddress address = {instr.ops[0], instr.ops[1]};
  std::optional<TensorMap> map =
      readMap(warp, lane, address.get(warp, lane), instr.attr[Rank]);
  if (map &&
      !checkBulkAlignment(
          warp, lane, uint64_t(at[0] * int64_t(map->elementBytes())),
          coordinateAlign, "the innermost coordinate of a box, in bytes,"))
    return std::nullopt;
  return map;
}

/// PTX ISA: 128 bytes; with a swizzle, the period of its pattern, so that the
/// pattern begins with the box.
bool isAligned(Warp &warp, unsigned lane, const TensorMap &map,
               uint64_t shared) {
  const HardwareSwizzle &mode = swizzleOf(map);
  return checkBulkAlignment(
      warp, lane, shared % window::blockSize, uint64_t(mode.alignment),
      mode.atomBits == 0
          ? "the shared address of a box"
          : "the shared address of a box with swizzle " + mode.name.str());
}

/// Adds the address of the map and the coordinates to the operands.
void decodeMap(Decoder &d, Instr &i, size_t index) {
  const int dims = d.takeOneOf({"1d", "2d", "3d", "4d", "5d"}) + 1;
  i.attr[Rank] = static_cast<uint8_t>(dims);
  d.take("tile");
  const Operand &operand = d.operand(index);
  if (dims == 0 || operand.kind != Operand::Kind::Address ||
      operand.elements.size() != 2 ||
      operand.elements[1].kind != Operand::Kind::Vector ||
      operand.elements[1].elements.size() != static_cast<size_t>(dims))
    return d.error("a box is [map, {coordinates}], as many as .1d to .5d says");
  const Operand &base = operand.elements[0];
  const bool isParameter = base.kind == Operand::Kind::Symbol &&
                           d.variable(base.symbol).space == Space::Param;
  const BulkAddress address = BulkAddress::decode(d, index);
  i.ops.push_back(address.base);
  i.ops.push_back(
      isParameter
          ? d.constant(window::param + static_cast<uint64_t>(operand.offset))
          : address.offset);
  for (const Operand &coordinate : operand.elements[1].elements)
    i.ops.push_back(d.source(coordinate, Type::S32));
  i.ops.resize(mapOps, d.constant(0));
}

void addAddress(Decoder &d, Instr &i, size_t index) {
  const BulkAddress address = BulkAddress::decode(d, index);
  i.ops.append({address.base, address.offset});
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void loadTo(Warp &warp, unsigned lane, const TensorMap &map,
            const Coordinates &at, uint64_t to, uint64_t barrier) {
  const std::optional<BarrierPlace> place =
      findBulkTarget(warp, lane, to, barrier);
  if (!place)
    return;
  BulkCopy(warp, lane)
      .load(Box(map, at, to).pieces(), *place, map.boxBytes(),
            /*isFromShared=*/false, fillOf(map));
}

/// ops: {map..., target, its offset, mbarrier, its offset, blocks}.
Step loadExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    Coordinates at;
    const std::optional<TensorMap> map = mapOf(warp, instr, lane, at);
    auto shared = [&](unsigned first) {
      return BulkAddress{instr.ops[first], instr.ops[first + 1]}.getShared(
          warp, lane);
    };
    const uint64_t to = shared(mapOps), barrier = shared(mapOps + 2);
    if (!map || !isAligned(warp, lane, *map, to))
      return;
    const bool isMulticast = instr.attr[IsMulticast];
    const uint32_t blocks = warp.value<uint16_t>(instr.ops[mapOps + 4], lane);
    for (auto [target, counter] :
         zip(multicastAddresses(to, isMulticast, blocks),
             multicastAddresses(barrier, isMulticast, blocks)))
      loadTo(warp, lane, *map, at, target, counter);
  });
  return Step::Next;
}

void decodeLoad(Decoder &d, Instr &i) {
  i.exec = &loadExec;
  i.attr[IsMulticast] = d.take("multicast::cluster");
  const size_t count = 3 + i.attr[IsMulticast] + d.take("L2::cache_hint");
  d.expectOperands(count, count);
  decodeMap(d, i, 1);
  if (d.failed())
    return;
  addAddress(d, i, 0);
  addAddress(d, i, 2);
  i.ops.push_back(i.attr[IsMulticast] ? d.source(3, Type::B16) : d.constant(0));
}

//===----------------------------------------------------------------------===//
// Stores and sums
//===----------------------------------------------------------------------===//

/// ops: {map..., source, its offset}.
Step storeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    Coordinates at;
    const std::optional<TensorMap> map = mapOf(warp, instr, lane, at);
    const BulkAddress source = {instr.ops[mapOps], instr.ops[mapOps + 1]};
    uint64_t from = source.getShared(warp, lane);
    if (!map || !findBulkSource(warp, lane, from) ||
        !isAligned(warp, lane, *map, from))
      return;
    const Type type = typeOf(map->element);
    if (instr.attr[IsSum] && typeBytes(type) == 1)
      return warp.report(FindingKind::InvalidOperand, lane,
                         "there is no sum of ." + typeName(type));
    BulkCopy(warp, lane)
        .store(Box(*map, at, from).pieces(),
               instr.attr[IsSum] ? type : Type::None);
  });
  return Step::Next;
}

void decodeStore(Decoder &d, Instr &i) {
  i.exec = &storeExec;
  const size_t count = d.take("L2::cache_hint") ? 3 : 2;
  d.expectOperands(count, count);
  decodeMap(d, i, 0);
  if (!d.failed())
    addAddress(d, i, 1);
}

void decodeCopy(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  d.requireArchitecture(90);
  const bool hasBarrier = d.take("mbarrier::complete_tx::bytes");
  const bool hasGroup = d.take("bulk_group");
  const Space target = d.takeCopyTarget();
  const bool isLoad = target == Space::Shared && hasBarrier && !hasGroup;
  const bool isStore = target == Space::Global && hasGroup && !hasBarrier;
  if (!isLoad && !isStore)
    return d.error("a tensor copy is from .global to .shared with "
                   ".mbarrier::complete_tx::bytes, or from .shared::cta to "
                   ".global with .bulk_group");
  if (isLoad)
    decodeLoad(d, i);
  else
    decodeStore(d, i);
}

void decodeReduce(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  d.requireArchitecture(90);
  if (d.takeCopyTarget() != Space::Global || !d.take("bulk_group") ||
      !d.take("add"))
    return d.error("only sums from .shared::cta to .global are supported");
  i.attr[IsSum] = true;
  // The map alone knows the type, and sums of floats depend on their order.
  i.seesOtherBlocks = true;
  decodeStore(d, i);
}

//===----------------------------------------------------------------------===//
// Prefetches
//===----------------------------------------------------------------------===//

Step prefetchExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    Coordinates at;
    mapOf(warp, instr, lane, at);
  });
  return Step::Next;
}

void decodePrefetch(Decoder &d, Instr &i) {
  decodePrefetchModifiers(d, i, &prefetchExec, "a prefetch of a box", 1);
  decodeMap(d, i, 0);
}

/// prefetch.tensormap, of a generic address or one of `.param`.
Step prefetchMapExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const BulkAddress address = {instr.ops[0], instr.ops[1]};
  forLanes(mask, [&](unsigned lane) {
    readMap(warp, lane, address.get(warp, lane) + instr.extra, /*rank=*/0);
  });
  return Step::Next;
}

void decodePrefetchMap(Decoder &d, Instr &i, uint64_t base) {
  i.kind = InstrKind::Other;
  i.exec = &prefetchMapExec;
  d.requireArchitecture(90);
  i.extra = base;
  d.expectOperands(1, 1);
  if (!d.failed())
    addAddress(d, i, 0);
}

} // namespace

void registerBulkTensor(OpcodeTable &table) {
  table.add("cp.async.bulk.tensor", decodeCopy);
  table.add("cp.reduce.async.bulk.tensor", decodeReduce);
  table.add("cp.async.bulk.prefetch.tensor", decodePrefetch);
  table.add("prefetch.tensormap",
            [](Decoder &d, Instr &i) { decodePrefetchMap(d, i, 0); });
  table.add("prefetch.const.tensormap",
            [](Decoder &d, Instr &i) { decodePrefetchMap(d, i, 0); });
  table.add("prefetch.param.tensormap", [](Decoder &d, Instr &i) {
    decodePrefetchMap(d, i, window::param);
  });
}

} // namespace tilewright::sim
