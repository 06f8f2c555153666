//===- SharedLayoutChoice.cpp - The best layout of a shared tile ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SharedLayoutChoice.h"

#include "SharedLayoutCandidates.h"
#include "SharedLayoutReason.h"
#include "tilewright/Layout/Shared/SwizzleSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>
#include <tuple>

using namespace llvm;
using namespace tilewright;

using Candidate = SharedLayoutCandidate;

/// 1024 threads a block, the limit of every GPU that CUDA supports, and up to
/// 16 blocks in a cluster.
static constexpr int64_t maxWarpsPerProgram = 512;
/// The same on all GPUs since Volta.
static constexpr uint64_t schedulersPerSM = 4;

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
  case Hardware:
    return "hardware";
  }
  llvm_unreachable("all kinds are handled");
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
  if (access.kind == SharedAccessKind::StoreMatrix)
    text += " is an stmatrix";
  if (access.requiredVector)
    text +=
        (" needs vectors of " + Twine(access.requiredVector) + " elements (" +
         Twine(access.requiredVector * access.elementBytes) + " bytes)")
            .str();
  return text + ", but " + why;
}

/// The offset of an instruction is that of the thread XOR that of its first
/// register. Where these have no bit in common the XOR is a sum, and the
/// register's part is the constant of the address. Each other set of common
/// bits takes an XOR.
static int64_t indexInstructionsOf(const SharedAccess &access,
                                   const SharedLayout &layout) {
  SharedAccessPlan plan = planSharedAccess(access, layout);
  uint64_t ofThreads = 0;
  for (StringRef input : {"lane", "warp"})
    for (const LinearLayout::Point &basis : plan.addresses.bases(input))
      ofThreads |= layout.linearOffset(basis);
  std::set<uint64_t> common;
  for (const auto &registers : plan.instructions)
    common.insert(ofThreads & layout.linearOffset(plan.addresses.apply(
                                  {{"register", registers.front()}})));
  common.erase(0);
  return int64_t(common.size()) * access.registers.inputSize("warp");
}

/// Moves that one trip of an access takes where the registers of the tile stay
/// where they are: registers of an instruction that are no aligned run are
/// brought together word by word, and a part of a word comes out of its word.
static uint64_t moveInstructionsOf(const SharedAccess &access,
                                   const SharedLayout &layout) {
  if (isMatrixAccess(access.kind) || access.runDim)
    return 0; // Nothing has them in registers of another order.
  SharedAccessPlan plan = planSharedAccess(access, layout);
  uint64_t moves = 0;
  for (const auto &registers : plan.instructions) {
    unsigned bytes = registers.size() * access.elementBytes;
    bool isRun = registers.front() % registers.size() == 0;
    for (auto [index, reg] : enumerate(registers))
      isRun &= reg == registers.front() + index;
    bool beginsWord =
        int64_t(registers.front()) * access.elementBytes % bytesPerWord == 0;
    if (!isRun || !beginsWord)
      moves += divideCeil(bytes, bytesPerWord);
  }
  return moves * access.registers.inputSize("warp");
}

namespace {

/// A choice in the making.
class Chooser {
public:
  Chooser(ArrayRef<int64_t> shape, unsigned elementBytes,
          ArrayRef<SharedAccess> accesses, const SharedLayoutPolicy &policy,
          const SharedLayoutSetting &setting)
      : shape(shape), elementBytes(elementBytes), accesses(accesses),
        policy(policy), setting(setting),
        subspaces(accesses.begin(), accesses.end()),
        tiles(OrderedTile::all(shape, elementBytes)) {}

  Expected<SharedLayoutChoice> run();

private:
  void add(Candidate candidate);
  void add(std::vector<Candidate> candidates) {
    for (Candidate &candidate : candidates)
      add(std::move(candidate));
  }
  void addGeneralSwizzle();
  void addFurtherPaddings(const OrderedTile &tile);
  void addAll();
  /// The order of the dimensions that a policy has which leaves no choice.
  const OrderedTile &pinnedOrder() const;
  /// The least cost of a legal candidate so far.
  uint64_t leastCost() const;
  std::tuple<bool, uint64_t, int64_t> rankOf(const Candidate &candidate) const;
  uint64_t arithmeticPrice(const Candidate &general) const;
  void setWinner();

  ArrayRef<int64_t> shape;
  unsigned elementBytes;
  ArrayRef<SharedAccess> accesses;
  const SharedLayoutPolicy &policy;
  const SharedLayoutSetting &setting;
  std::vector<AccessSubspaces> subspaces;
  std::vector<OrderedTile> tiles;
  SharedLayoutChoice choice;
  /// No layout without padding costs less than this.
  uint64_t linearBound = 0;
};

} // namespace

/// Fills in costs, bytes, cost and obstacle.
void Chooser::add(Candidate candidate) {
  ++choice.tried;
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
  if (setting.blocksPerSM) {
    candidate.blocksPerSM = setting.blocksPerSM(candidate.bytes);
    if (candidate.isLegal() && *candidate.blocksPerSM < 1)
      candidate.obstacle =
          std::to_string(candidate.bytes) + " bytes do not fit into an SM";
  }
  choice.candidates.push_back(std::move(candidate));
}

uint64_t Chooser::leastCost() const {
  uint64_t least = UINT64_MAX;
  for (const Candidate &candidate : choice.candidates)
    if (candidate.isLegal())
      least = std::min<uint64_t>(least, candidate.cost);
  return least;
}

/// Searches for a swizzle that beats the candidates so far, none of which is
/// padded.
void Chooser::addGeneralSwizzle() {
  SwizzleSearchResult found =
      searchSwizzles(shape, elementBytes, subspaces, leastCost());
  choice.tried += found.steps;
  linearBound = found.isProven ? found.cost : found.lowerBound;
  if (!found.best)
    return;
  Candidate general;
  general.layout = found.best->toLayout(shape);
  general.form = Candidate::Form::General;
  general.name = "general swizzle";
  if (general.layout.describe()) {
    // As OrderedTile names them.
    general.form = Candidate::Form::Swizzled;
    general.name = general.layout.toString();
    llvm::erase(general.name, ',');
  }
  add(std::move(general));
}

/// Row-major, unless that breaks vectors that accesses require: copies along
/// another dimension were made before there was a layout.
const OrderedTile &Chooser::pinnedOrder() const {
  auto found = find_if(tiles, [&](const OrderedTile &tile) {
    return all_of(accesses, [&](const SharedAccess &access) {
      return access.requiredVector == 0 ||
             isServedBy(access, widestVector(access, tile.layout));
    });
  });
  return found == tiles.end() ? tiles.front() : *found;
}

void Chooser::addAll() {
  bool isAuto = policy.kind == SharedLayoutPolicy::Auto;
  switch (policy.kind) {
  case SharedLayoutPolicy::None:
    add(pinnedOrder().asIs());
    return;
  case SharedLayoutPolicy::PadBy: {
    const OrderedTile &tile = pinnedOrder();
    add(tile.padded(tile.rowElements, policy.padElements));
    return;
  }
  case SharedLayoutPolicy::Hardware:
    add(hardwareCandidates(shape, elementBytes, policy.rowDim,
                           policy.rowBytes));
    return;
  case SharedLayoutPolicy::Auto:
  case SharedLayoutPolicy::Pad:
  case SharedLayoutPolicy::Swizzle:
    break;
  }
  for (const OrderedTile &tile : tiles)
    add(tile.asIs());
  if (isAuto || policy.kind == SharedLayoutPolicy::Swizzle) {
    add(bestTextbookSwizzles(tiles, subspaces, choice.tried));
    addGeneralSwizzle();
  }
  if (isAuto || policy.kind == SharedLayoutPolicy::Pad) {
    add(commonPaddings(tiles));
    if (leastCost() > uint64_t(choice.lowerBound))
      for (const OrderedTile &tile : tiles)
        addFurtherPaddings(tile);
  }
}

/// Adds those that cost less than what there is. Most are ruled out by what the
/// widths which they leave cost at the least.
void Chooser::addFurtherPaddings(const OrderedTile &tile) {
  uint64_t least = leastCost();
  for (Candidate &candidate : furtherPaddings(tile)) {
    ++choice.tried;
    uint64_t bound = 0;
    for (auto [access, of] : zip_equal(accesses, subspaces))
      bound = SaturatingAdd(
          bound, of.leastCost(widestVector(access, candidate.layout)));
    if (bound >= least)
      continue;
    add(std::move(candidate));
    const Candidate &added = choice.candidates.back();
    if (added.isLegal() && uint64_t(added.cost) < least)
      least = added.cost;
    else
      choice.candidates.pop_back();
  }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// What addresses and moves of a general swizzle cost more than those of the
/// best other candidate, in cycles of the data banks: an SM issues four
/// arithmetic instructions, one a scheduler, in a cycle.
uint64_t Chooser::arithmeticPrice(const Candidate &general) const {
  const Candidate *simple = nullptr;
  for (const Candidate &candidate : choice.candidates)
    if (candidate.form != Candidate::Form::General && candidate.isLegal() &&
        (!simple || candidate.cost < simple->cost))
      simple = &candidate;
  auto instructionsOf = [](const Candidate &of) {
    return SaturatingAdd<uint64_t>(of.indexInstructions, of.moveInstructions);
  };
  if (!simple || instructionsOf(*simple) >= instructionsOf(general))
    return 0;
  return divideCeil(instructionsOf(general) - instructionsOf(*simple),
                    schedulersPerSM);
}

/// Orders candidates: legal ones first, then as the top of the header says.
/// The earlier of equal ones is kept by whoever compares with `<`.
std::tuple<bool, uint64_t, int64_t>
Chooser::rankOf(const Candidate &candidate) const {
  uint64_t cost = candidate.cost;
  if (candidate.form == Candidate::Form::General)
    cost = SaturatingAdd(cost, arithmeticPrice(candidate));
  if (candidate.blocksPerSM && *candidate.blocksPerSM > 0) {
    int64_t most = 0;
    for (const Candidate &other : choice.candidates)
      most = std::max(most, other.blocksPerSM.value_or(0));
    cost = SaturatingMultiply<uint64_t>(cost, most) / *candidate.blocksPerSM;
  }
  return {!candidate.isLegal(), cost, candidate.bytes};
}

void Chooser::setWinner() {
  for (Candidate &candidate : choice.candidates)
    if (candidate.isLegal())
      for (const SharedAccess &access : accesses) {
        candidate.indexInstructions +=
            indexInstructionsOf(access, candidate.layout);
        candidate.moveInstructions = std::min<uint64_t>(
            SaturatingMultiplyAdd<uint64_t>(
                access.trips, moveInstructionsOf(access, candidate.layout),
                candidate.moveInstructions),
            INT64_MAX);
      }
  for (auto [index, candidate] : enumerate(choice.candidates))
    if (rankOf(candidate) < rankOf(choice.candidates[choice.winner]))
      choice.winner = index;
}

Expected<SharedLayoutChoice> Chooser::run() {
  // Without a step, the search says only what it knows from ranks.
  SwizzleSearchResult ranks =
      searchSwizzles(shape, elementBytes, subspaces, UINT64_MAX, 0);
  choice.lowerBound = std::min<uint64_t>(ranks.lowerBound, INT64_MAX);
  linearBound = ranks.lowerBound;

  addAll();
  if (choice.candidates.empty())
    return createStringError("no shared layout of policy '" +
                             policy.toString() +
                             "' exists for a tile of this shape");
  setWinner();
  const Candidate &winner = choice.candidates[choice.winner];
  if (!winner.isLegal())
    return createStringError(
        "no shared layout of policy '" + policy.toString() +
        "' serves all accesses: " + winner.name + ": " + winner.obstacle);
  choice.isProven = uint64_t(winner.cost) <= linearBound;

  if (!is_contained({SharedLayoutPolicy::Auto, SharedLayoutPolicy::None,
                     SharedLayoutPolicy::Pad, SharedLayoutPolicy::Swizzle},
                    policy.kind))
    add(tiles.front().asIs()); // to compare with
  bool isFree = policy.kind == SharedLayoutPolicy::Auto ||
                policy.kind == SharedLayoutPolicy::Swizzle;
  choice.bounds =
      boundAccesses(shape, elementBytes, accesses, subspaces, choice, isFree);
  choice.reason = explainChoice(choice, accesses);
  return std::move(choice);
}

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
  if (access.registers.inputSize("warp") > maxWarpsPerProgram)
    return error("a program has at most " + Twine(maxWarpsPerProgram) +
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
                               const SharedLayoutPolicy &policy,
                               const SharedLayoutSetting &setting) {
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
  return Chooser(shape, elementBytes, accesses, policy, setting).run();
}
