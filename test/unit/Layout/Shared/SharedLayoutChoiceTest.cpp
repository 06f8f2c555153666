//===- SharedLayoutChoiceTest.cpp - Tests of the choice of a layout -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SharedLayoutChoice.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

#include <gtest/gtest.h>

#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

static SharedLayoutPolicy policy(StringRef text) {
  return cantFail(SharedLayoutPolicy::parse(text));
}

static std::string errorOf(Expected<SharedLayoutChoice> choice) {
  return choice ? "no error" : toString(choice.takeError());
}

/// A tile that is written as it is read from a row-major matrix, and read as
/// it is written to the transposed one: all of it coalesced.
struct Transpose {
  SmallVector<int64_t, 4> shape;
  unsigned elementBytes;
  std::vector<SharedAccess> accesses;

  Transpose(int64_t rows, int64_t columns, unsigned elementBytes,
            unsigned numWarps = 8)
      : shape({rows, columns}), elementBytes(elementBytes) {
    unsigned vector = 16 / elementBytes;
    accesses = {{SharedAccessKind::Store,
                 coalescedLines(shape, elementBytes, 1, vector, numWarps),
                 elementBytes},
                {SharedAccessKind::Load,
                 coalescedLines(shape, elementBytes, 0, vector, numWarps),
                 elementBytes}};
  }

  Expected<SharedLayoutChoice> choose(StringRef text) const {
    return chooseSharedLayout(shape, elementBytes, accesses, policy(text));
  }
};

/// How a layout begins: "row-major" or "column-major".
static std::string orderOf(const SharedLayout &layout) {
  auto description = layout.describe();
  if (!description)
    return "none";
  return description->order.front() == 0 ? "column-major" : "row-major";
}

static const SharedLayoutCandidate &winnerOf(const SharedLayoutChoice &choice) {
  return choice.candidates[choice.winner];
}

TEST(SharedLayoutChoice, FindsLayoutsWithoutConflictsForTransposes) {
  struct Case {
    Transpose transpose;
    StringRef winner;
  };
  Case cases[] = {{Transpose(64, 64, 4), "general swizzle"},
                  {Transpose(64, 64, 2), "swizzle<3,3,6>"},
                  {Transpose(128, 128, 1), "swizzle<3,4,7>"},
                  {Transpose(64, 64, 8), "swizzle<3,1,6>"},
                  {Transpose(128, 128, 2), "general swizzle"},
                  {Transpose(32, 32, 4), "swizzle<3,2,5>"}};
  for (const Case &it : cases) {
    auto choice = cantFail(it.transpose.choose("auto"));
    const SharedLayoutCandidate &winner = winnerOf(choice);
    EXPECT_EQ(winner.name, it.winner);
    for (const SharedAccessCost &cost : winner.costs) {
      EXPECT_TRUE(cost.isIdeal());
      EXPECT_EQ(cost.worstDegree, 1u);
    }
    // The write keeps its 16 bytes.
    EXPECT_EQ(winner.costs[0].vectorElements, 16 / it.transpose.elementBytes);
  }
}

TEST(SharedLayoutChoice, GivesItsReason) {
  auto reason = [](StringRef text) {
    return cantFail(Transpose(64, 64, 4).choose(text)).reason;
  };
  EXPECT_EQ(reason("auto"),
            "general swizzle costs 256 wavefronts (the ideal) in 64 "
            "instructions for 16384 bytes; as is: 1152 in 160 instructions; "
            "best swizzle swizzle<3,2,6>: 256 in 160 instructions; best "
            "padding pad:1: 256 in 256 instructions but 16636 bytes");
  EXPECT_EQ(reason("none"), "as is costs 1152 wavefronts (ideal: 256) in 160 "
                            "instructions for 16384 bytes");
  EXPECT_EQ(reason("pad:4"), "pad:4 costs 640 wavefronts (ideal: 256) in 160 "
                             "instructions for 17392 bytes; as is: 1152 and "
                             "16384 bytes");
  EXPECT_EQ(cantFail(Transpose(32, 32, 4).choose("auto")).reason,
            "swizzle<3,2,5> costs 64 wavefronts (the ideal) in 40 "
            "instructions for 4096 bytes; as is: 288; best padding pad:1: 64 "
            "in 64 instructions but 4220 bytes; no layout costs less: of "
            "access 1, no layout gives both it and access 0 the widest "
            "vectors they could have alone");
}

/// In registers of 64 x 64 floats over 8 warps, a thread that writes by rows
/// and one that reads by columns both hold elements that are 32 rows or columns
/// apart: put these side by side, and both have vectors of 16 bytes.
TEST(SharedLayoutChoice, FindsVectorsForWriterAndReader) {
  auto choice = cantFail(Transpose(64, 64, 4).choose("auto"));
  const SharedLayoutCandidate &winner = winnerOf(choice);
  for (const SharedAccessCost &cost : winner.costs) {
    EXPECT_EQ(cost.vectorElements, 4u);
    EXPECT_TRUE(cost.isIdeal());
  }
  EXPECT_EQ(winner.layout.offset({0, 32}), 1);
  EXPECT_EQ(winner.layout.offset({32, 0}), 2);
  EXPECT_EQ(winner.cost, choice.lowerBound);
  EXPECT_TRUE(choice.isProven);
  for (const SharedAccessBound &bound : choice.bounds)
    EXPECT_EQ(bound.whyNotReached, "");
}

/// The textbook's transpose, a warp that moves scalars.
TEST(SharedLayoutChoice, TextbookTranspose) {
  LinearLayout rows =
      productOf(Factors{{"lane", {1, 32}}, {"register", {32, 1}}}, 2);
  SharedAccess write{SharedAccessKind::Store, rows, 4, 1, 1};
  SharedAccess read{SharedAccessKind::Load, rows.transpose({1, 0}), 4, 1, 1};
  auto degree = [&](StringRef text) {
    auto choice =
        cantFail(chooseSharedLayout({32, 32}, 4, {write, read}, policy(text)));
    return winnerOf(choice).costs[1].worstDegree;
  };
  EXPECT_EQ(degree("none"), 32u);
  EXPECT_EQ(degree("pad:1"), 1u);
  EXPECT_EQ(degree("pad:2"), 2u);
  EXPECT_EQ(degree("pad"), 1u);
  EXPECT_EQ(degree("swizzle"), 1u);
  EXPECT_EQ(degree("auto"), 1u);
}

TEST(SharedLayoutChoice, LeavesWellAlone) {
  LinearLayout rows = coalescedLines({64, 64}, 4, 1, 4, 4);
  SharedAccess write{SharedAccessKind::Store, rows, 4};
  SharedAccess read{SharedAccessKind::Load, rows, 4};
  for (StringRef text : {"auto", "none", "pad", "swizzle"}) {
    auto choice =
        cantFail(chooseSharedLayout({64, 64}, 4, {write, read}, policy(text)));
    EXPECT_EQ(winnerOf(choice).name, "as is");
    EXPECT_EQ(choice.reason, "as is costs 256 wavefronts (the ideal) in 64 "
                             "instructions for 16384 bytes");
  }
}

/// Accesses only along columns: another order of the dimensions serves best.
TEST(SharedLayoutChoice, TurnsTheTileWhereThatIsEnough) {
  LinearLayout columns = coalescedLines({64, 64}, 4, 0, 4, 4);
  SharedAccess write{SharedAccessKind::Store, columns, 4};
  auto choice =
      cantFail(chooseSharedLayout({64, 64}, 4, {write}, policy("auto")));
  EXPECT_EQ(winnerOf(choice).name, "column-major");
  EXPECT_EQ(winnerOf(choice).costs[0].vectorElements, 4u);
  EXPECT_EQ(winnerOf(cantFail(chooseSharedLayout({64, 64}, 4, {write},
                                                 policy("none"))))
                .name,
            "as is");
}

TEST(SharedLayoutChoice, TripsDecideBetweenAccesses) {
  // Threads hold 4 elements of a row, or of a column: only one can be wide.
  LinearLayout rows = coalescedLines({32, 32}, 4, 1, 4, 8);
  LinearLayout columns = rows.transpose({1, 0});
  auto order = [&](int64_t rowTrips, int64_t columnTrips) {
    SharedAccess byRow{SharedAccessKind::Load, rows, 4, rowTrips};
    SharedAccess byColumn{SharedAccessKind::Load, columns, 4, columnTrips};
    auto choice = cantFail(
        chooseSharedLayout({32, 32}, 4, {byRow, byColumn}, policy("auto")));
    return orderOf(winnerOf(choice).layout);
  };
  EXPECT_EQ(order(100, 1), "row-major");
  EXPECT_EQ(order(1, 100), "column-major");
}

//===----------------------------------------------------------------------===//
// Where the textbook's swizzle conflicts
//===----------------------------------------------------------------------===//

/// Lanes over `rows` x `columns` elements of a tile, the last first; registers
/// over the rest.
static LinearLayout lanesOver(ArrayRef<int64_t> shape, int64_t rows,
                              int64_t columns) {
  return productOf(Factors{{"lane", {rows, columns}},
                           {"register", {shape[0] / rows, shape[1] / columns}}},
                   2);
}

/// col ^ row has conflicts, and the choice has none.
static void checkBeatsColXorRow(ArrayRef<int64_t> shape, unsigned bytes,
                                ArrayRef<LinearLayout> reads) {
  std::vector<SharedAccess> accesses;
  for (const LinearLayout &read : reads)
    accesses.push_back({SharedAccessKind::Load, read, bytes, 1, 1});
  unsigned columnBits = Log2_64(shape[1]);
  unsigned bankBits =
      std::min({columnBits, 7 - Log2_32(bytes), Log2_64(shape[0])});
  SharedLayout colXorRow =
      SharedLayout::rowMajor(shape).withSwizzle(bankBits, 0, columnBits);
  bool conflicts = false;
  for (const SharedAccess &access : accesses)
    conflicts |= !costOfSharedAccess(access, colXorRow).isIdeal();
  EXPECT_TRUE(conflicts);
  auto choice =
      cantFail(chooseSharedLayout(shape, bytes, accesses, policy("swizzle")));
  for (const SharedAccessCost &cost : winnerOf(choice).costs)
    EXPECT_TRUE(cost.isIdeal()) << choice.reason;
}

TEST(SharedLayoutChoice, FewerRowsThanBanks) {
  // 8 rows of 16 floats: 4 columns are read at once.
  SmallVector<int64_t, 4> shape = {8, 16};
  checkBeatsColXorRow(shape, 4,
                      {lanesOver(shape, 2, 16), lanesOver(shape, 8, 4)});
}

TEST(SharedLayoutChoice, TwoColumnsAtOnce) {
  SmallVector<int64_t, 4> shape = {32, 32};
  checkBeatsColXorRow(shape, 4,
                      {lanesOver(shape, 1, 32), lanesOver(shape, 32, 1),
                       lanesOver(shape, 16, 2)});
}

TEST(SharedLayoutChoice, ElementsOf8And16Bytes) {
  SmallVector<int64_t, 4> shape = {32, 32};
  for (unsigned bytes : {8, 16})
    checkBeatsColXorRow(shape, bytes,
                        {lanesOver(shape, 1, 32), lanesOver(shape, 16, 2)});
}

/// Three lines in a plane of two bits: a row that tells two apart from 0 is 0
/// on the third.
TEST(SharedLayoutChoice, ProvesWhatCannotBe) {
  auto lanes = [](ArrayRef<LinearLayout::Point> bases) {
    std::vector<LinearLayout::Point> all = {{0, 1}, {0, 2}};
    all.insert(all.end(), bases.begin(), bases.end());
    std::vector<LinearLayout::Point> registers = {{1, 0}, {2, 0}};
    return layoutOf({{"register", registers}, {"lane", all}}, {4, 4});
  };
  std::vector<SharedAccess> accesses;
  for (const LinearLayout::Point &third :
       {LinearLayout::Point{1, 0}, {2, 0}, {3, 0}})
    accesses.push_back({SharedAccessKind::Load, lanes({third}), 16});
  auto choice =
      cantFail(chooseSharedLayout({4, 4}, 16, accesses, policy("swizzle")));
  EXPECT_EQ(choice.lowerBound, 24);
  EXPECT_EQ(winnerOf(choice).cost, 28);
  EXPECT_TRUE(choice.isProven);
  EXPECT_EQ(choice.reason,
            "as is costs 16 wavefronts (ideal: 12) in 12 instructions for 256 "
            "bytes; best swizzle column-major swizzle<1,0,3>: 16; no layout "
            "without padding costs less: of access 1, the "
            "other accesses together leave it no better layout");
  // Each two of four rows would have to be half of the banks apart: no padding
  // does that either.
  choice = cantFail(chooseSharedLayout({4, 4}, 16, accesses, policy("auto")));
  EXPECT_EQ(winnerOf(choice).cost, 28);
}

TEST(SharedLayoutChoice, RequirementsRuleCandidatesOut) {
  LinearLayout rows =
      productOf(Factors{{"lane", {1, 32}}, {"register", {32, 1}}}, 2);
  SharedAccess write{SharedAccessKind::Store, rows, 4};
  SharedAccess read{SharedAccessKind::Load, rows.transpose({1, 0}), 4, 1, 4};
  std::vector<SharedAccess> accesses = {write, read};
  EXPECT_EQ(errorOf(chooseSharedLayout({32, 32}, 4, accesses, policy("pad:1"))),
            "no shared layout of policy 'pad:1' serves all accesses: pad:1: "
            "access 1 needs vectors of 4 elements (16 bytes), but padding of 1 "
            "element every 32 does not keep vectors of 2 elements whole and "
            "aligned");
  auto choice =
      cantFail(chooseSharedLayout({32, 32}, 4, accesses, policy("pad")));
  EXPECT_EQ(winnerOf(choice).name, "pad:4");
  for (const SharedLayoutCandidate &candidate : choice.candidates)
    EXPECT_EQ(candidate.isLegal(), candidate.costs[1].vectorElements == 4);
  accesses[0].requiredVector = 4;
  accesses[1].requiredVector = 0;
  choice = cantFail(chooseSharedLayout({32, 32}, 4, accesses, policy("auto")));
  EXPECT_EQ(orderOf(winnerOf(choice).layout), "column-major");
  // A policy that leaves no choice has the order in which they have them.
  choice = cantFail(chooseSharedLayout({32, 32}, 4, accesses, policy("none")));
  EXPECT_EQ(winnerOf(choice).name, "column-major");
  choice = cantFail(chooseSharedLayout({32, 32}, 4, accesses, policy("pad:4")));
  EXPECT_EQ(winnerOf(choice).name, "column-major pad:4");
  // Nothing helps where accesses require them along both dimensions.
  accesses[1].requiredVector = 4;
  EXPECT_EQ(errorOf(chooseSharedLayout({32, 32}, 4, accesses, policy("none"))),
            "no shared layout of policy 'none' serves all accesses: as is: "
            "access 0 needs vectors of 4 elements (16 bytes), but a thread "
            "holds runs of 1 element; what follows is in another lane");
}

/// A tile of 64x64 f16, stored as it is loaded, and read by ldmatrix as an
/// operand of mma.sync.
static std::vector<SharedAccess> operandOfProduct() {
  LinearLayout operand = productOf(Factors{{"register", {1, 2}},
                                           {"lane", {8, 4}},
                                           {"register", {2, 2}},
                                           {"warp", {4, 1}},
                                           {"register", {1, 4}}},
                                   2);
  return {
      {SharedAccessKind::Store, coalescedLines({64, 64}, 2, 1, 8, 4), 2, 1, 8},
      {SharedAccessKind::LoadMatrix, operand, 2, 4}};
}

TEST(SharedLayoutChoice, ServesMatrixLoads) {
  std::vector<SharedAccess> accesses = operandOfProduct();
  auto choice =
      cantFail(chooseSharedLayout({64, 64}, 2, accesses, policy("auto")));
  EXPECT_EQ(winnerOf(choice).name, "swizzle<3,3,3>");
  for (const SharedAccessCost &cost : winnerOf(choice).costs)
    EXPECT_TRUE(cost.isIdeal());
  EXPECT_EQ(errorOf(chooseSharedLayout({64, 64}, 2, accesses, policy("pad:2"))),
            "no shared layout of policy 'pad:2' serves all accesses: pad:2: "
            "access 0 needs vectors of 8 elements (16 bytes), but padding of 2 "
            "elements every 64 does not keep vectors of 4 elements whole and "
            "aligned");
  EXPECT_EQ(
      errorOf(chooseSharedLayout({64, 64}, 2, {accesses[1]}, policy("pad:2"))),
      "no shared layout of policy 'pad:2' serves all accesses: pad:2: "
      "access 0 is an ldmatrix, but padding of 2 elements every 64 does "
      "not keep rows of 16 bytes whole and aligned");
}

TEST(SharedLayoutChoice, WinsByCostThenBytesThenOrder) {
  // In the last, padding each of 16 columns is cheaper than each of 64 rows.
  for (const Transpose &transpose :
       {Transpose(64, 64, 4), Transpose(16, 8, 2), Transpose(64, 16, 8)})
    for (StringRef text : {"auto", "pad", "swizzle", "none", "pad:3"}) {
      auto choice = cantFail(transpose.choose(text));
      const SharedLayoutCandidate &winner = winnerOf(choice);
      for (auto [index, candidate] : enumerate(choice.candidates)) {
        int64_t cost = 0;
        for (auto [access, of] : zip(transpose.accesses, candidate.costs))
          cost += access.trips * (of.wavefronts + of.instructions * of.warps);
        EXPECT_EQ(candidate.cost, cost);
        // A general one pays for arithmetic: see the next test.
        if (candidate.form == SharedLayoutCandidate::Form::General)
          continue;
        EXPECT_LE(std::make_tuple(winner.cost, winner.bytes, choice.winner),
                  std::make_tuple(candidate.cost, candidate.bytes, index));
      }
    }
}

/// 64 x 64 doubles: vectors of elements 32 rows apart save 64 of 192
/// instructions, but a thread has these elements in registers that lie apart,
/// and bringing them together takes 512 moves, four in a cycle.
TEST(SharedLayoutChoice, GeneralSwizzlesPayForMoves) {
  Transpose transpose(64, 64, 8);
  auto choice = cantFail(transpose.choose("auto"));
  auto general = find_if(choice.candidates, [](const auto &candidate) {
    return candidate.form == SharedLayoutCandidate::Form::General;
  });
  ASSERT_NE(general, choice.candidates.end());
  EXPECT_EQ(general->cost, 512 + 128);
  EXPECT_EQ(general->moveInstructions, 512);
  EXPECT_EQ(winnerOf(choice).cost, 512 + 192);
  EXPECT_EQ(winnerOf(choice).moveInstructions, 0);
  EXPECT_NE(choice.reason.find("general swizzle: 512 in 128 instructions but "
                               "512 instructions for addresses and moves"),
            std::string::npos)
      << choice.reason;
  // Of floats, it saves more than it takes.
  auto floats = cantFail(Transpose(64, 64, 4).choose("auto"));
  EXPECT_EQ(winnerOf(floats).moveInstructions, 256);
  EXPECT_EQ(winnerOf(floats).cost, 320);
}

//===----------------------------------------------------------------------===//
// What else decides
//===----------------------------------------------------------------------===//

/// Lanes over two rows of 16 floats of a tile with rows of 32: 2-way.
static std::vector<SharedAccess> twoWayConflict() {
  SharedAccess access{SharedAccessKind::Load, lanesOver({32, 32}, 2, 16), 4, 1,
                      1};
  return {access};
}

TEST(SharedLayoutChoice, PaddingPaysForLostBlocks) {
  SharedLayoutSetting setting;
  auto choose = [&](StringRef text) {
    return cantFail(chooseSharedLayout({32, 32}, 4, twoWayConflict(),
                                       policy(text), setting));
  };
  auto choice = choose("pad");
  EXPECT_EQ(winnerOf(choice).name, "column-major pad:2");
  EXPECT_FALSE(winnerOf(choice).blocksPerSM.has_value());
  // Four blocks without, two with padding: 64 cycles of these are 128, and 96
  // are as it is.
  setting.blocksPerSM = [](int64_t bytes) { return bytes > 4096 ? 2 : 4; };
  choice = choose("pad");
  EXPECT_EQ(winnerOf(choice).name, "as is");
  EXPECT_EQ(winnerOf(choice).blocksPerSM, 4);
  EXPECT_EQ(choice.reason,
            "as is costs 64 wavefronts (ideal: 32) in 32 instructions for 4096 "
            "bytes; best padding column-major pad:2: 32 but 4344 bytes and 2 "
            "blocks an SM, not 4");
  // Where shared memory is tight, a swizzle costs none.
  choice = choose("auto");
  EXPECT_EQ(winnerOf(choice).form, SharedLayoutCandidate::Form::Swizzled);
  EXPECT_EQ(winnerOf(choice).cost, 64);
  // Room for no block at all.
  setting.blocksPerSM = [](int64_t bytes) { return bytes > 4096 ? 0 : 1; };
  EXPECT_EQ(winnerOf(choose("pad")).name, "as is");
  EXPECT_EQ(errorOf(chooseSharedLayout({32, 32}, 4, twoWayConflict(),
                                       policy("pad:16"), setting)),
            "no shared layout of policy 'pad:16' serves all accesses: pad:16: "
            "6080 bytes do not fit into an SM");
}

TEST(SharedLayoutChoice, TakesOnlyModesOfTheHardware) {
  auto choice = cantFail(
      chooseSharedLayout({64, 64}, 2, operandOfProduct(),
                         SharedLayoutPolicy{SharedLayoutPolicy::Hardware}));
  EXPECT_EQ(winnerOf(choice).name, "128B");
  EXPECT_EQ(winnerOf(choice).layout.toString(), "swizzle<3,3,3>");
  for (const SharedAccessCost &cost : winnerOf(choice).costs)
    EXPECT_TRUE(cost.isIdeal());
  EXPECT_EQ(
      errorOf(chooseSharedLayout(
          {4, 4}, 2, {}, SharedLayoutPolicy{SharedLayoutPolicy::Hardware})),
      "no shared layout of policy 'hardware' exists for a tile of this "
      "shape");
}

/// An address is a sum of a thread's part and a constant where they share no
/// bits; the rest are XORs.
TEST(SharedLayoutChoice, CountsXorsOfAddresses) {
  auto indexInstructions = [](const LinearLayout &read, StringRef text) {
    SharedAccess access{SharedAccessKind::Load, read, 4, 1, 1};
    SharedAccess down{SharedAccessKind::Load, lanesOver({32, 32}, 32, 1), 4, 1,
                      1};
    auto choice =
        cantFail(chooseSharedLayout({32, 32}, 4, {access, down}, policy(text)));
    return winnerOf(choice).indexInstructions;
  };
  EXPECT_EQ(indexInstructions(lanesOver({32, 32}, 1, 32), "none"), 0);
  // swizzle<5,0,5>: a row r of 31 has its columns at c ^ r, and so for columns.
  EXPECT_EQ(indexInstructions(lanesOver({32, 32}, 1, 32), "swizzle"), 62);
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

/// The least cost over every swizzle<bits,base,shift> and padding in every
/// order, by the bank model alone.
static int64_t bestByHand(ArrayRef<int64_t> shape, unsigned bytes,
                          ArrayRef<SharedAccess> accesses) {
  int64_t best = INT64_MAX;
  auto consider = [&](const SharedLayout &layout) {
    int64_t total = 0;
    for (const SharedAccess &access : accesses) {
      SharedAccessCost cost = costOfSharedAccess(access, layout);
      if (!isServedBy(access, cost.vectorElements))
        return;
      total += access.trips * (cost.wavefronts + cost.instructionsOfBlock());
    }
    best = std::min(best, total);
  };
  unsigned numBits = Log2_64(elementsOf(shape));
  for (const SmallVector<int64_t, 2> &order :
       {SmallVector<int64_t, 2>{0, 1}, {1, 0}}) {
    SharedLayout plain = SharedLayout::ordered(shape, order);
    consider(plain);
    for (unsigned bits = 1; bits <= 5; ++bits)
      for (unsigned base = 0; base < 7; ++base)
        for (unsigned shift = bits; shift + base + bits <= numBits; ++shift)
          consider(plain.withSwizzle(bits, base, shift));
    for (int64_t amount = 1; amount * bytes <= 128; ++amount)
      consider(plain.withPadding(shape[order[0]], amount));
  }
  return best;
}

TEST(SharedLayoutChoice, NeverLosesToTextbooks) {
  Random random(71);
  unsigned better = 0;
  for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
    unsigned bytes = 1u << random.below(5);
    SmallVector<int64_t, 4> shape = {int64_t(2) << random.below(6),
                                     int64_t(2) << random.below(6)};
    std::vector<SharedAccess> accesses;
    unsigned warpBits = random.below(3);
    for (uint64_t count = 1 + random.below(4); count > 0; --count) {
      SharedAccess &access = accesses.emplace_back();
      access.kind =
          random.chance(50) ? SharedAccessKind::Load : SharedAccessKind::Store;
      access.registers =
          random.chance(50)
              ? coalescedLines(shape, bytes, random.below(2), 16 / bytes,
                               1u << warpBits)
              : randomRegisterLayout(random, shape, warpBits, false);
      access.elementBytes = bytes;
      access.trips = random.below(4);
    }
    auto choice =
        cantFail(chooseSharedLayout(shape, bytes, accesses, policy("auto")));
    const SharedLayoutCandidate &winner = winnerOf(choice);
    int64_t byHand = bestByHand(shape, bytes, accesses);
    EXPECT_LE(winner.cost, byHand) << choice.reason;
    better += winner.cost < byHand;

    EXPECT_GE(winner.cost, choice.lowerBound);
    int64_t sumOfBounds = 0;
    for (auto [bound, access, cost] :
         zip_equal(choice.bounds, accesses, winner.costs)) {
      int64_t reached =
          access.trips * (cost.wavefronts + cost.instructionsOfBlock());
      EXPECT_LE(bound.cost, reached);
      EXPECT_EQ(bound.whyNotReached.empty(), bound.cost == reached);
      sumOfBounds += bound.cost;
    }
    EXPECT_LE(sumOfBounds, choice.lowerBound);

    // A place of its own for each element.
    std::set<int64_t> offsets;
    for (int64_t at = 0; at < elementsOf(shape); ++at)
      offsets.insert(winner.layout.offset(pointAt(at, shape)));
    EXPECT_EQ(int64_t(offsets.size()), elementsOf(shape));
    EXPECT_LE((*offsets.rbegin() + 1) * bytes, winner.bytes);
    EXPECT_GE(*offsets.begin(), 0);
  }
  EXPECT_GT(better, 10u);
}

/// The same layout for the same question.
TEST(SharedLayoutChoice, IsTheSameEachTime) {
  Transpose transpose(128, 64, 2);
  auto first = cantFail(transpose.choose("auto"));
  auto second = cantFail(transpose.choose("auto"));
  EXPECT_EQ(winnerOf(first).layout, winnerOf(second).layout);
  EXPECT_EQ(first.tried, second.tried);
}

/// Every candidate gives each element bytes of its own within its size.
TEST(SharedLayoutChoice, CandidatesAreBijections) {
  for (const SmallVector<int64_t, 4> &shape : {SmallVector<int64_t, 4>{32, 16},
                                               {8, 64},
                                               {4, 8, 16},
                                               {1, 64},
                                               {64, 1},
                                               {2, 2},
                                               {256},
                                               {1},
                                               {}})
    for (unsigned bytes : {1, 2, 4, 8, 16}) {
      auto choice =
          cantFail(chooseSharedLayout(shape, bytes, {}, policy("auto")));
      std::set<std::string> names, layouts;
      for (const SharedLayoutCandidate &candidate : choice.candidates) {
        EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
        EXPECT_TRUE(layouts.insert(candidate.layout.toString()).second)
            << candidate.name;
        std::set<int64_t> offsets;
        for (int64_t at = 0; at < elementsOf(shape); ++at)
          offsets.insert(candidate.layout.offset(pointAt(at, shape)));
        EXPECT_EQ(int64_t(offsets.size()), elementsOf(shape));
        EXPECT_EQ((*offsets.rbegin() + 1) * bytes, candidate.bytes);
        EXPECT_GE(*offsets.begin(), 0);
      }
      EXPECT_EQ(winnerOf(choice).name, "as is");
      EXPECT_EQ(choice.reason, "as is: nothing accesses the tile");
    }
}

TEST(SharedLayoutChoice, PolicyGoesRound) {
  for (StringRef text : {"auto", "none", "pad", "pad:1", "pad:64", "swizzle"})
    EXPECT_EQ(policy(text).toString(), text);
  EXPECT_EQ(policy("pad:8").padElements, 8);
}

TEST(SharedLayoutChoice, PolicyErrorsSayWhatIsExpected) {
  auto error = [](StringRef text) {
    auto parsed = SharedLayoutPolicy::parse(text);
    return parsed ? "no error" : toString(parsed.takeError());
  };
  for (StringRef text :
       {"", "Auto", " pad", "pad ", "padding", "swizzle<3,2,3>", "none\n",
        "hardware", "pad-4", "pad:4 ", "\xff\xfe"}) {
    if (text.starts_with("pad:"))
      continue;
    EXPECT_EQ(error(text), "unknown shared layout policy '" + text.str() +
                               "'; expected auto, none, pad, pad:N or "
                               "swizzle");
  }
  for (StringRef number : {"", "0", "-1", "+1", "4 ", "4x", "0x4", "1048577",
                           "99999999999999999999999999", ":4"})
    EXPECT_EQ(error(("pad:" + number).str()),
              "'" + number.str() +
                  "' in shared layout policy 'pad:" + number.str() +
                  "' is not a number of elements from 1 to "
                  "1048576");
}

TEST(SharedLayoutChoice, ErrorsNameTheTileOrTheAccess) {
  LinearLayout rows = coalescedLines({32, 32}, 4, 1, 4, 4);
  SharedAccess good{SharedAccessKind::Store, rows, 4};
  auto error = [&](ArrayRef<int64_t> shape, unsigned bytes,
                   const std::vector<SharedAccess> &accesses) {
    return errorOf(chooseSharedLayout(shape, bytes, accesses, policy("auto")));
  };
  EXPECT_EQ(error({32, 32}, 4, {good}), "no error");
  EXPECT_EQ(
      error({32, 33}, 4, {}),
      "extent 33 of dimension 1 of the shared tile is not a power of two");
  EXPECT_EQ(error({0}, 4, {}),
            "extent 0 of dimension 0 of the shared tile is not a power of two");
  EXPECT_EQ(error({1 << 20, 1 << 20, 1 << 30}, 4, {}),
            "the shared tile is larger than 1048576 bytes");
  EXPECT_EQ(error({int64_t(1) << 62}, 16, {}),
            "the shared tile is larger than 1048576 bytes");
  EXPECT_EQ(error({32, 32}, 3, {}),
            "elements of 3 bytes; expected 1, 2, 4, 8 or 16");
  EXPECT_EQ(error({32, 64}, 4, {good}),
            "access 0: its register layout, " + rows.toString() +
                ", is not of the shape of the tile");
  auto withChange = [&](auto change) {
    SharedAccess bad = good;
    change(bad);
    return error({32, 32}, 4, {good, bad});
  };
  EXPECT_EQ(withChange([](SharedAccess &bad) { bad.elementBytes = 2; }),
            "access 1: elements of 2 bytes in a tile of elements of 4 bytes");
  EXPECT_EQ(withChange([](SharedAccess &bad) { bad.trips = -1; }),
            "access 1: it happens -1 times");
  EXPECT_EQ(withChange([](SharedAccess &bad) { bad.requiredVector = 8; }),
            "access 1: no instruction moves vectors of 8 elements of 4 bytes");
  EXPECT_EQ(withChange([](SharedAccess &bad) { bad.requiredVector = 3; }),
            "access 1: no instruction moves vectors of 3 elements of 4 bytes");
  std::vector<LinearLayout::Point> six(6, {0, 1});
  EXPECT_EQ(withChange([&](SharedAccess &bad) {
              bad.registers = layoutOf({{"lane", six}}, {32, 32});
            }),
            "access 1: a warp has 32 lanes, not 64");
  std::vector<LinearLayout::Point> ten(10, {0, 1});
  EXPECT_EQ(withChange([&](SharedAccess &bad) {
              bad.registers = layoutOf({{"warp", ten}}, {32, 32});
            }),
            "access 1: a program has at most 512 warps, not 1024");
  EXPECT_EQ(withChange([&](SharedAccess &bad) {
              bad.registers = layoutOf({{"cta", six}}, {32, 32});
            }),
            "access 1: its register layout has an input 'cta'; expected "
            "register, lane and warp");
  std::vector<LinearLayout::Point> many(21, {0, 1});
  EXPECT_EQ(withChange([&](SharedAccess &bad) {
              bad.registers = layoutOf({{"register", many}}, {32, 32});
            }),
            "access 1: a thread holds 2097152 elements, more than the largest "
            "tile has");
  EXPECT_EQ(errorOf(chooseSharedLayout({32, 32}, 4, {},
                                       {SharedLayoutPolicy::PadBy, -3})),
            "padding of -3 elements; expected 1 to 1048576");
}

/// Trip counts that would overflow make a cost large, not negative.
TEST(SharedLayoutChoice, CostsSaturate) {
  Transpose transpose(32, 32, 4);
  for (SharedAccess &access : transpose.accesses)
    access.trips = INT64_MAX;
  auto choice = cantFail(transpose.choose("auto"));
  EXPECT_EQ(winnerOf(choice).cost, INT64_MAX);
}
