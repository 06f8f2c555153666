//===- SharedLayoutChoiceTest.cpp - Tests of the choice of a layout -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/SharedLayoutChoice.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/GlobalAccess.h"

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
                 coalescedLayout(shape, elementBytes, 1, vector, numWarps),
                 elementBytes},
                {SharedAccessKind::Load,
                 coalescedLayout(shape, elementBytes, 0, vector, numWarps),
                 elementBytes}};
  }

  Expected<SharedLayoutChoice> choose(StringRef text) const {
    return chooseSharedLayout(shape, elementBytes, accesses, policy(text));
  }
};

/// How a layout begins: "row-major" or "column-major".
static std::string orderOf(const SharedLayout &layout) {
  return StringRef(layout.toString()).split(',').first.str();
}

static const SharedLayoutCandidate &winnerOf(const SharedLayoutChoice &choice) {
  return choice.candidates[choice.winner];
}

TEST(SharedLayoutChoice, FindsLayoutsWithoutConflictsForTransposes) {
  struct Case {
    Transpose transpose;
    StringRef winner;
  };
  Case cases[] = {{Transpose(64, 64, 4), "swizzle<3,2,6>"},
                  {Transpose(64, 64, 2), "swizzle<3,3,6>"},
                  {Transpose(128, 128, 1), "swizzle<3,4,7>"},
                  {Transpose(64, 64, 8), "swizzle<3,1,6>"},
                  {Transpose(128, 128, 2), "swizzle<3,3,7>"},
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
            "swizzle<3,2,6> costs 256 wavefronts (the ideal) in 160 "
            "instructions for 16384 bytes; as is: 1152; best padding pad:1: "
            "256 in 256 instructions but 16636 bytes");
  EXPECT_EQ(reason("none"), "as is costs 1152 wavefronts (ideal: 256) in 160 "
                            "instructions for 16384 bytes");
  EXPECT_EQ(reason("pad:4"), "pad:4 costs 640 wavefronts (ideal: 256) in 160 "
                             "instructions for 17392 bytes; as is: 1152 and "
                             "16384 bytes");
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
  LinearLayout rows = coalescedLayout({64, 64}, 4, 1, 4, 4);
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
  LinearLayout columns = coalescedLayout({64, 64}, 4, 0, 4, 4);
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
  // Without vectors of their own kind, only one of these can be wide.
  LinearLayout rows = coalescedLayout({64, 64}, 4, 1, 4, 4);
  LinearLayout columns = rows.transpose({1, 0});
  auto order = [&](int64_t rowTrips, int64_t columnTrips) {
    SharedAccess byRow{SharedAccessKind::Load, rows, 4, rowTrips};
    SharedAccess byColumn{SharedAccessKind::Load, columns, 4, columnTrips};
    auto choice = cantFail(
        chooseSharedLayout({64, 64}, 4, {byRow, byColumn}, policy("auto")));
    return orderOf(winnerOf(choice).layout);
  };
  EXPECT_EQ(order(100, 1), "row-major");
  EXPECT_EQ(order(1, 100), "column-major");
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
  // Nothing helps an access whose threads have no such vectors.
  accesses[0].requiredVector = 4;
  accesses[1].requiredVector = 0;
  choice = cantFail(chooseSharedLayout({32, 32}, 4, accesses, policy("auto")));
  EXPECT_EQ(orderOf(winnerOf(choice).layout), "column-major");
  EXPECT_EQ(errorOf(chooseSharedLayout({32, 32}, 4, accesses, policy("none"))),
            "no shared layout of policy 'none' serves all accesses: as is: "
            "access 0 needs vectors of 4 elements (16 bytes), but a thread "
            "holds runs of 1 element; what follows is in another lane");
}

TEST(SharedLayoutChoice, ServesMatrixLoads) {
  LinearLayout operand = productOf(Factors{{"register", {1, 2}},
                                           {"lane", {8, 4}},
                                           {"register", {2, 2}},
                                           {"warp", {4, 1}},
                                           {"register", {1, 4}}},
                                   2);
  SharedAccess write{SharedAccessKind::Store,
                     coalescedLayout({64, 64}, 2, 1, 8, 4), 2, 1, 8};
  SharedAccess read{SharedAccessKind::LoadMatrix, operand, 2, 4};
  auto choice =
      cantFail(chooseSharedLayout({64, 64}, 2, {write, read}, policy("auto")));
  EXPECT_EQ(winnerOf(choice).name, "swizzle<3,3,3>");
  for (const SharedAccessCost &cost : winnerOf(choice).costs)
    EXPECT_TRUE(cost.isIdeal());
  EXPECT_EQ(
      errorOf(chooseSharedLayout({64, 64}, 2, {write, read}, policy("pad:2"))),
      "no shared layout of policy 'pad:2' serves all accesses: pad:2: "
      "access 0 needs vectors of 8 elements (16 bytes), but padding of 2 "
      "elements every 64 does not keep vectors of 4 elements whole and "
      "aligned");
  EXPECT_EQ(errorOf(chooseSharedLayout({64, 64}, 2, {read}, policy("pad:2"))),
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
        EXPECT_LE(std::make_tuple(winner.cost, winner.bytes, choice.winner),
                  std::make_tuple(candidate.cost, candidate.bytes, index));
      }
    }
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
        "pad-4", "pad:4 ", "\xff\xfe"}) {
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
  LinearLayout rows = coalescedLayout({32, 32}, 4, 1, 4, 4);
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
  EXPECT_EQ(withChange([&](SharedAccess &bad) {
              bad.registers = layoutOf({{"warp", six}}, {32, 32});
            }),
            "access 1: a block has at most 32 warps, not 64");
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
