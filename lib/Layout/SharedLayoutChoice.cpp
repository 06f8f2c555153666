//===- SharedLayoutChoice.cpp - The best layout of a shared tile ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/SharedLayoutChoice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace llvm;
using namespace tilewright;

using Candidate = SharedLayoutCandidate;

/// 1024 threads, the limit of every GPU that CUDA supports.
static constexpr int64_t maxWarpsPerBlock = 32;

//===----------------------------------------------------------------------===//
// Policy
//===----------------------------------------------------------------------===//

Expected<SharedLayoutPolicy> SharedLayoutPolicy::parse(StringRef text) {
  if (text == "auto")
    return SharedLayoutPolicy{Auto};
  if (text == "none")
    return SharedLayoutPolicy{None};
  if (text == "pad")
    return SharedLayoutPolicy{Pad};
  if (text == "swizzle")
    return SharedLayoutPolicy{Swizzle};
  StringRef number = text;
  if (!number.consume_front("pad:"))
    return createStringError("unknown shared layout policy '" + text +
                             "'; expected auto, none, pad, pad:N or swizzle");
  int64_t elements = 0;
  if (!all_of(number, isDigit) || number.getAsInteger(10, elements) ||
      elements < 1 || elements > maxSharedTileBytes)
    return createStringError("'" + number + "' in shared layout policy '" +
                             text + "' is not a number of elements from 1 to " +
                             Twine(maxSharedTileBytes));
  return SharedLayoutPolicy{PadBy, elements};
}

std::string SharedLayoutPolicy::toString() const {
  switch (kind) {
  case Auto:
    return "auto";
  case None:
    return "none";
  case Pad:
    return "pad";
  case PadBy:
    return "pad:" + std::to_string(padElements);
  case Swizzle:
    return "swizzle";
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// Candidates
//
// Each generator appends its candidates, the simpler first, without costs. A
// new family of layouts is one more generator and a line in generate().
//===----------------------------------------------------------------------===//

namespace {

/// A tile whose dimensions are in some order, fastest first.
struct OrderedTile {
  SharedLayout layout;
  /// Goes before the name of a candidate: empty if row-major.
  std::string order;
  /// Extent of the fastest dimension that has one.
  int64_t rowElements = 1;
  unsigned elementBytes = 1;

  OrderedTile(ArrayRef<int64_t> shape, unsigned elementBytes,
              std::optional<int64_t> fastest);

  Candidate candidate(Candidate::Form form, const Twine &name,
                      SharedLayout of) const {
    Candidate result;
    result.name = (order + (order.empty() ? "" : " ") + name).str();
    result.layout = std::move(of);
    result.form = form;
    return result;
  }
};

} // namespace

/// `fastest` comes first, then the others in row-major order.
OrderedTile::OrderedTile(ArrayRef<int64_t> shape, unsigned elementBytes,
                         std::optional<int64_t> fastest)
    : elementBytes(elementBytes) {
  SmallVector<int64_t, 4> dims;
  if (fastest)
    dims.push_back(*fastest);
  for (int64_t dim = shape.size(); dim-- > 0;)
    if (dim != fastest)
      dims.push_back(dim);
  layout = SharedLayout::ordered(shape, dims);
  if (fastest)
    order = layout.toString();
  for (int64_t dim : dims)
    if (shape[dim] > 1) {
      rowElements = shape[dim];
      break;
    }
}

/// Row-major, then each other dimension as the fastest.
static std::vector<OrderedTile> ordersOf(ArrayRef<int64_t> shape,
                                         unsigned elementBytes) {
  std::vector<OrderedTile> tiles;
  tiles.emplace_back(shape, elementBytes, std::nullopt);
  bool isFirst = true;
  for (int64_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 1)
      continue;
    if (!isFirst)
      tiles.emplace_back(shape, elementBytes, dim);
    isFirst = false;
  }
  return tiles;
}

static void appendAsIs(const OrderedTile &tile, std::vector<Candidate> &to) {
  to.push_back(tile.candidate(Candidate::Form::AsIs,
                              tile.order.empty() ? "as is" : "", tile.layout));
  to.back().name = StringRef(to.back().name).rtrim().str();
}

static void appendPadded(const OrderedTile &tile, int64_t amount,
                         std::vector<Candidate> &to) {
  to.push_back(
      tile.candidate(Candidate::Form::Padded, "pad:" + Twine(amount),
                     tile.layout.withPadding(tile.rowElements, amount)));
}

/// One element, and what keeps accesses of 4 to 64 bytes aligned.
static void appendPaddings(const OrderedTile &tile,
                           std::vector<Candidate> &to) {
  if (tile.rowElements == tile.layout.numElements())
    return;
  SmallVector<int64_t, 8> amounts = {1};
  for (int64_t bytes : {4, 8, 16, 32, 64})
    if (bytes > amounts.back() * tile.elementBytes)
      amounts.push_back(bytes / tile.elementBytes);
  for (int64_t amount : amounts)
    appendPadded(tile, amount, to);
}

/// Swizzle<bits, base, shift> for chunks (2^base elements) of 4 to 64 bytes
/// that move within lines of 128 bytes, all banks. The layouts that XOR the
/// chunk with the row, or with the row / k, are among them: `shift` says where
/// the bits of the row begin. A chunk of 16 bytes comes first, for it keeps
/// the widest accesses whole.
static void appendSwizzles(const OrderedTile &tile,
                           std::vector<Candidate> &to) {
  unsigned offsetBits = Log2_64(tile.layout.numElements());
  for (unsigned chunkBytes : {16, 8, 4, 32, 64}) {
    if (chunkBytes < tile.elementBytes)
      continue;
    unsigned base = Log2_32(chunkBytes / tile.elementBytes);
    for (unsigned bits = 1; chunkBytes << bits <= bytesPerWavefront; ++bits)
      for (unsigned shift = bits; shift + base + bits <= offsetBits; ++shift)
        to.push_back(
            tile.candidate(Candidate::Form::Swizzled,
                           "swizzle<" + Twine(bits) + "," + Twine(base) + "," +
                               Twine(shift) + ">",
                           tile.layout.withSwizzle(bits, base, shift)));
  }
}

static std::vector<Candidate> generate(ArrayRef<int64_t> shape,
                                       unsigned elementBytes,
                                       const SharedLayoutPolicy &policy) {
  std::vector<Candidate> candidates;
  std::vector<OrderedTile> tiles = ordersOf(shape, elementBytes);
  auto fromEachOrder = [&](auto append) {
    for (const OrderedTile &tile : tiles)
      append(tile, candidates);
  };
  bool isAuto = policy.kind == SharedLayoutPolicy::Auto;
  switch (policy.kind) {
  case SharedLayoutPolicy::None:
    appendAsIs(tiles.front(), candidates);
    break;
  case SharedLayoutPolicy::PadBy:
    appendPadded(tiles.front(), policy.padElements, candidates);
    break;
  case SharedLayoutPolicy::Auto:
  case SharedLayoutPolicy::Pad:
  case SharedLayoutPolicy::Swizzle:
    fromEachOrder(appendAsIs);
    if (isAuto || policy.kind == SharedLayoutPolicy::Swizzle)
      fromEachOrder(appendSwizzles);
    if (isAuto || policy.kind == SharedLayoutPolicy::Pad)
      fromEachOrder(appendPaddings);
    break;
  }
  return candidates;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static std::string obstacleOf(size_t index, const SharedAccess &access,
                              const SharedLayout &layout) {
  std::string why;
  planSharedAccess(access, layout, &why);
  std::string text = ("access " + Twine(index)).str();
  if (access.kind == SharedAccessKind::LoadMatrix)
    text += " is an ldmatrix";
  if (access.requiredVector)
    text +=
        (" needs vectors of " + Twine(access.requiredVector) + " elements (" +
         Twine(access.requiredVector * access.elementBytes) + " bytes)")
            .str();
  return text + ", but " + why;
}

/// Fills in costs, bytes, cost and obstacle.
static void score(ArrayRef<SharedAccess> accesses, unsigned elementBytes,
                  Candidate &candidate) {
  candidate.bytes = candidate.layout.sizeInElements() * elementBytes;
  uint64_t total = 0;
  for (auto [index, access] : enumerate(accesses)) {
    const SharedAccessCost &cost = candidate.costs.emplace_back(
        costOfSharedAccess(access, candidate.layout));
    if (candidate.isLegal() && !isServedBy(access, cost.vectorElements))
      candidate.obstacle = obstacleOf(index, access, candidate.layout);
    total = SaturatingMultiplyAdd<uint64_t>(
        access.trips, cost.wavefronts + cost.instructionsOfBlock(), total);
  }
  candidate.cost = std::min<uint64_t>(total, INT64_MAX);
}

//===----------------------------------------------------------------------===//
// Reason
//===----------------------------------------------------------------------===//

namespace {
/// Sums over all accesses and trips.
struct Totals {
  uint64_t wavefronts = 0, ideal = 0, instructions = 0;

  Totals(const Candidate &candidate, ArrayRef<SharedAccess> accesses) {
    for (auto [cost, access] : zip_equal(candidate.costs, accesses)) {
      auto add = [trips = access.trips](uint64_t &sum, uint64_t count) {
        sum = SaturatingMultiplyAdd<uint64_t>(trips, count, sum);
      };
      add(wavefronts, cost.wavefronts);
      add(ideal, cost.idealWavefronts);
      add(instructions, cost.instructionsOfBlock());
    }
  }
};
} // namespace

/// Orders candidates: legal ones first, then as the top of the header says.
/// The earlier of equal ones is kept by whoever compares with `<`.
static auto rankOf(const Candidate &candidate) {
  return std::make_tuple(!candidate.isLegal(), candidate.cost, candidate.bytes);
}

static const Candidate *bestOf(ArrayRef<Candidate> candidates,
                               Candidate::Form form) {
  const Candidate *best = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.form == form && candidate.isLegal() &&
        (!best || rankOf(candidate) < rankOf(*best)))
      best = &candidate;
  return best;
}

static std::string explain(const Candidate &winner, const Candidate &asIs,
                           ArrayRef<Candidate> candidates,
                           ArrayRef<SharedAccess> accesses) {
  if (accesses.empty())
    return winner.name + ": nothing accesses the tile";
  std::string text;
  raw_string_ostream os(text);
  Totals won(winner, accesses);
  os << winner.name << " costs " << won.wavefronts << " wavefronts (";
  if (won.wavefronts == won.ideal)
    os << "the ideal";
  else
    os << "ideal: " << won.ideal;
  os << ") in " << won.instructions << " instructions for " << winner.bytes
     << " bytes";

  auto compare = [&](StringRef prefix, const Candidate *other) {
    if (!other || other == &winner || other->name == winner.name)
      return;
    os << "; " << prefix << other->name << ": ";
    if (!other->isLegal()) {
      os << other->obstacle;
      return;
    }
    Totals totals(*other, accesses);
    os << totals.wavefronts;
    if (totals.instructions != won.instructions)
      os << " in " << totals.instructions << " instructions";
    if (other->bytes != winner.bytes)
      os << (totals.wavefronts <= won.wavefronts ? " but " : " and ")
         << other->bytes << " bytes";
  };
  compare("", &asIs);
  if (winner.form == Candidate::Form::AsIs && won.wavefronts == won.ideal)
    return text;
  if (winner.form != Candidate::Form::Swizzled)
    compare("best swizzle ", bestOf(candidates, Candidate::Form::Swizzled));
  if (winner.form != Candidate::Form::Padded)
    compare("best padding ", bestOf(candidates, Candidate::Form::Padded));
  return text;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static Error checkTile(ArrayRef<int64_t> shape, unsigned elementBytes) {
  if (!is_contained({1u, 2u, 4u, 8u, 16u}, elementBytes))
    return createStringError("elements of " + Twine(elementBytes) +
                             " bytes; expected 1, 2, 4, 8 or 16");
  int64_t bytes = elementBytes;
  for (auto [dim, extent] : enumerate(shape)) {
    if (extent <= 0 || !isPowerOf2_64(extent))
      return createStringError("extent " + Twine(extent) + " of dimension " +
                               Twine(dim) +
                               " of the shared tile is not a power of two");
    if (extent > maxSharedTileBytes / bytes)
      return createStringError("the shared tile is larger than " +
                               Twine(maxSharedTileBytes) + " bytes");
    bytes *= extent;
  }
  return Error::success();
}

static Error checkAccess(size_t index, const SharedAccess &access,
                         ArrayRef<int64_t> shape, unsigned elementBytes) {
  auto error = [&](const Twine &what) {
    return createStringError("access " + Twine(index) + ": " + what);
  };
  if (access.registers.shape() != shape)
    return error("its register layout, " + access.registers.toString() +
                 ", is not of the shape of the tile");
  if (access.elementBytes != elementBytes)
    return error("elements of " + Twine(access.elementBytes) +
                 " bytes in a tile of elements of " + Twine(elementBytes) +
                 " bytes");
  if (access.trips < 0)
    return error("it happens " + Twine(access.trips) + " times");
  if (access.requiredVector > maxBytesPerLane / elementBytes ||
      (access.requiredVector && !isPowerOf2_32(access.requiredVector)))
    return error("no instruction moves vectors of " +
                 Twine(access.requiredVector) + " elements of " +
                 Twine(elementBytes) + " bytes");
  for (const LinearLayout::Input &input : access.registers.inputs())
    if (!is_contained({"register", "lane", "warp"}, input.name))
      return error("its register layout has an input '" + input.name +
                   "'; expected register, lane and warp");
  if (access.registers.inputSize("lane") > lanesPerWarp)
    return error("a warp has 32 lanes, not " +
                 Twine(access.registers.inputSize("lane")));
  if (access.registers.inputSize("warp") > maxWarpsPerBlock)
    return error("a block has at most " + Twine(maxWarpsPerBlock) +
                 " warps, not " + Twine(access.registers.inputSize("warp")));
  if (access.registers.inputSize("register") > maxSharedTileBytes)
    return error("a thread holds " +
                 Twine(access.registers.inputSize("register")) +
                 " elements, more than the largest tile has");
  return Error::success();
}

Expected<SharedLayoutChoice>
tilewright::chooseSharedLayout(ArrayRef<int64_t> shape, unsigned elementBytes,
                               ArrayRef<SharedAccess> accesses,
                               const SharedLayoutPolicy &policy) {
  if (Error error = checkTile(shape, elementBytes))
    return error;
  for (auto [index, access] : enumerate(accesses))
    if (Error error = checkAccess(index, access, shape, elementBytes))
      return error;

  if (policy.kind == SharedLayoutPolicy::PadBy &&
      (policy.padElements < 1 || policy.padElements > maxSharedTileBytes))
    return createStringError("padding of " + Twine(policy.padElements) +
                             " elements; expected 1 to " +
                             Twine(maxSharedTileBytes));

  SharedLayoutChoice choice;
  choice.candidates = generate(shape, elementBytes, policy);
  for (auto [index, candidate] : enumerate(choice.candidates)) {
    score(accesses, elementBytes, candidate);
    if (rankOf(candidate) < rankOf(choice.candidates[choice.winner]))
      choice.winner = index;
  }
  const Candidate &winner = choice.candidates[choice.winner];
  if (!winner.isLegal())
    return createStringError(
        "no shared layout of policy '" + policy.toString() +
        "' serves all accesses: " + winner.name + ": " + winner.obstacle);

  std::vector<Candidate> asIs;
  appendAsIs(OrderedTile(shape, elementBytes, std::nullopt), asIs);
  score(accesses, elementBytes, asIs.front());
  choice.reason = explain(winner, asIs.front(), choice.candidates, accesses);
  return choice;
}
