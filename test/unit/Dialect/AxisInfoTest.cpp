//===- AxisInfoTest.cpp - What is claimed of axes holds ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

#include "RandomProgram.h"
#include "TileInterpreter.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright::tile;
using llvm::APInt;

namespace {

/// One axis of a tile: the elements along it, for each position of the others.
class AxisView {
public:
  AxisView(const Elements &elements, ArrayRef<int64_t> shape, unsigned dim)
      : elements(elements), extent(shape[dim]),
        stride(ShapedType::getNumElements(shape.drop_front(dim + 1))) {}

  /// Whether `holds(first, element, distance)` for each aligned group of
  /// `size` elements.
  bool allOf(int64_t size,
             llvm::function_ref<bool(const APInt &, const APInt &, int64_t)>
                 holds) const {
    for (int64_t at = 0, end = elements.size(); at < end; ++at) {
      int64_t distance = at / stride % extent % size;
      if (!holds(elements[at - distance * stride], elements[at], distance))
        return false;
    }
    return true;
  }

private:
  const Elements &elements;
  int64_t extent, stride;
};

/// What of the claims about a dimension does not hold; empty if all does.
std::string findFalseClaim(const AxisInfo::Axis &axis, const AxisView &view,
                           int64_t extent, unsigned bits, int64_t unit) {
  if (axis.contiguity < 1 || axis.contiguity > extent || axis.constancy < 1 ||
      axis.constancy > extent || !llvm::isPowerOf2_64(axis.divisibility))
    return "nonsense";
  if (!view.allOf(axis.constancy, [](auto &first, auto &element, int64_t) {
        return first == element;
      }))
    return "constancy " + std::to_string(axis.constancy);
  if (!view.allOf(axis.contiguity,
                  [&](auto &first, auto &element, int64_t distance) {
                    APInt step = APInt(64, distance * unit).zextOrTrunc(bits);
                    return first + step == element;
                  }))
    return "contiguity " + std::to_string(axis.contiguity);
  if (!view.allOf(axis.contiguity, [&](auto &first, auto &, int64_t) {
        return first.isZero() ||
               first.countr_zero() >= llvm::Log2_64(axis.divisibility);
      }))
    return "divisibility " + std::to_string(axis.divisibility);
  return "";
}

/// Compares what the analysis claims of a value with its elements.
void checkClaims(Value value, const AxisInfo &info, const Elements &elements) {
  Type type = value.getType();
  SmallVector<int64_t> shape = {1};
  if (auto tile = dyn_cast<RankedTensorType>(type))
    shape.assign(tile.getShape().begin(), tile.getShape().end());
  int64_t unit = 1;
  if (auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type)))
    unit = getElementBytes(pointer.getElementType());
  ASSERT_EQ(info.rank(), shape.size());
  for (unsigned dim = 0; dim < info.rank(); ++dim) {
    std::string claim =
        findFalseClaim(info.axis(dim), AxisView(elements, shape, dim),
                       shape[dim], getElementBits(type), unit);
    if (claim.empty())
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << value << "\nhas no " << claim << " along dimension " << dim << ":";
    for (const APInt &element : elements)
      os << " " << element;
    ADD_FAILURE() << text;
  }
}

class AxisInfoTest : public testing::Test {
protected:
  AxisInfoTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<arith::ArithDialect, scf::SCFDialect, TileDialect>();
  }

  /// What is known of the last value of a kernel with this body, as text.
  std::string analyze(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "tile.kernel @k(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, "
        "%n: i32, %n8: i32 {tile.divisibility = 8 : i64}, %c: i1, %i: index) "
        "{" +
            body + "\n tile.return }",
        &context);
    if (!module)
      return "no kernel";
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    AxisInfoAnalysis axes(kernel);
    Operation *last = kernel.getBody().front().getTerminator()->getPrevNode();
    std::string text;
    llvm::raw_string_ostream os(text);
    axes.get(last->getResult(0)).print(os);
    return text;
  }

  /// Compares all claims about a random program with what it computes.
  void checkRandomProgram(RandomProgram &program, unsigned seed) {
    ASSERT_TRUE(succeeded(verify(program.getModule()))) << "seed " << seed;
    KernelOp kernel = program.getKernel();
    AxisInfoAnalysis axes(kernel);
    for (int run = 0; run < 4; ++run) {
      TileInterpreter interpreter([&](Value value, const Elements &elements) {
        if (!HasFailure()) // One is enough to look at.
          checkClaims(value, axes.get(value), elements);
      });
      for (BlockArgument argument : kernel.getBody().getArguments())
        interpreter.set(argument, program.makeArgument(argument));
      interpreter.run(kernel.getBody().front());
    }
    if (HasFailure()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      program.getModule().print(os);
      ADD_FAILURE() << "seed " << seed << "\n" << text;
    }
  }

  MLIRContext context;
};

TEST_F(AxisInfoTest, HoldsForRandomPrograms) {
  for (unsigned seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    RandomProgram program(&context, seed);
    checkRandomProgram(program, seed);
  }
}

// What the compiler promises by itself is true, too.
TEST_F(AxisInfoTest, HoldsForWhatIsPromisedOfDivisions) {
  int numPromises = 0;
  for (unsigned seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    RandomProgram program(&context, seed);
    PassManager passes(&context);
    passes.nest<KernelOp>().addPass(createTileSettlePromises());
    ASSERT_TRUE(succeeded(passes.run(program.getModule()))) << "seed " << seed;
    program.getModule().walk([&](AssumeOp) { ++numPromises; });
    checkRandomProgram(program, seed);
  }
  EXPECT_GT(numPromises, 0);
}

// Claims that hold are worth nothing where they are too weak: what accesses
// live on must be found.

TEST_F(AxisInfoTest, BelievesPromises) {
  EXPECT_EQ(analyze(R"(
    %n1 = tile.splat %n : i32 -> tensor<128xi32>
    %r = tile.assume %n1 divisibility [16] contiguity [32] : tensor<128xi32>)"),
            "contiguity 32 divisibility 16 constancy 128");
  // Of groups that are known, what was known of them stays.
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<128xi32>
    %b = tile.splat %n8 : i32 -> tensor<128xi32>
    %o = arith.addi %b, %r : tensor<128xi32>
    %q = tile.assume %o constancy [1] : tensor<128xi32>)"),
            "contiguity 128 divisibility 8 constancy 1");
  EXPECT_EQ(analyze("%m = tile.assume %n divisibility [64] : i32"),
            "contiguity 1 divisibility 64 constancy 1");
}

TEST_F(AxisInfoTest, FindsConsecutivePointers) {
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<128xi32>
    %b = tile.splat %n8 : i32 -> tensor<128xi32>
    %o = arith.addi %b, %r : tensor<128xi32>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %q = tile.addptr %ps, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>)"),
            "contiguity 8 divisibility 16 constancy 1");
}

TEST_F(AxisInfoTest, KeepsRunsThroughProgramIds) {
  EXPECT_EQ(analyze(R"(
    %c128 = arith.constant 128 : index
    %id = tile.program_id 0
    %first = arith.muli %id, %c128 : index
    %f = tile.splat %first : index -> tensor<128xindex>
    %r = tile.iota 0 : tensor<128xindex>
    %o = arith.addi %f, %r : tensor<128xindex>)"),
            "contiguity 128 divisibility 128 constancy 1");
}

TEST_F(AxisInfoTest, KnowsWhereMasksChange) {
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<128xi32>
    %b = tile.splat %n8 : i32 -> tensor<128xi32>
    %m = arith.cmpi slt, %r, %b : tensor<128xi32>)"),
            "contiguity 1 divisibility 1 constancy 8");
}

TEST_F(AxisInfoTest, KnowsCountersOfLoops) {
  // A multiple of 8, and fours, whichever loop counts.
  EXPECT_EQ(analyze(R"(
    %c4 = arith.constant 4 : i32
    %r = scf.for %k = %n8 to %n step %c4 iter_args(%x = %n8) -> i32 : i32 {
      scf.yield %k : i32
    })"),
            "contiguity 1 divisibility 4 constancy 1");
  EXPECT_EQ(analyze(R"(
    %c4 = arith.constant 4 : i32
    %r = scf.while (%x = %n8) : (i32) -> i32 {
      %more = arith.cmpi slt, %x, %n : i32
      scf.condition(%more) %x : i32
    } do {
    ^bb0(%x: i32):
      %next = arith.addi %x, %c4 : i32
      scf.yield %next : i32
    })"),
            "contiguity 1 divisibility 4 constancy 1");
}

TEST_F(AxisInfoTest, CutsRunsWhereNarrowNumbersWrap) {
  // 100 + 0..15 in i8 wraps around at 128, 4 * 7 further on.
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<16xi8>
    %b = arith.constant dense<100> : tensor<16xi8>
    %o = arith.addi %r, %b : tensor<16xi8>
    %w = arith.extsi %o : tensor<16xi8> to tensor<16xi32>)"),
            "contiguity 4 divisibility 4 constancy 1");
}

TEST_F(AxisInfoTest, ComparesRunsThatWrapAround) {
  // 0..255 cut to i8 is 0..127, then -128..-1: two answers, not one.
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<256xi32>
    %b = arith.trunci %r : tensor<256xi32> to tensor<256xi8>
    %z = arith.constant dense<0> : tensor<256xi8>
    %m = arith.cmpi slt, %b, %z : tensor<256xi8>)"),
            "contiguity 1 divisibility 1 constancy 128");
}

TEST_F(AxisInfoTest, SelectsNoMoreThanTheConditionAllows) {
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<128xi32>
    %a = tile.splat %n : i32 -> tensor<128xi32>
    %b = tile.splat %n8 : i32 -> tensor<128xi32>
    %m = arith.cmpi slt, %r, %a : tensor<128xi32>
    %s = arith.select %m, %a, %b : tensor<128xi1>, tensor<128xi32>)"),
            "contiguity 1 divisibility 1 constancy 1");
}

TEST_F(AxisInfoTest, DividesAndTakesRemainders) {
  const char *flat = R"(
    %r = tile.iota 0 : tensor<128xi32>
    %d = arith.constant dense<16> : tensor<128xi32>
    %o = arith.)";
  EXPECT_EQ(analyze(std::string(flat) + "divui %r, %d : tensor<128xi32>"),
            "contiguity 1 divisibility 1 constancy 16");
  EXPECT_EQ(analyze(std::string(flat) + "remui %r, %d : tensor<128xi32>"),
            "contiguity 16 divisibility 16 constancy 1");
}

TEST_F(AxisInfoTest, DividesSignedNumbers) {
  // -8..7: a quotient toward zero is 0 seven times, a remainder is negative.
  auto by = [](const char *op, const char *first, const char *divisor) {
    return std::string("%r = tile.iota ") + first + " : tensor<16xi32>\n" +
           "%d = arith.constant dense<" + divisor + "> : tensor<16xi32>\n" +
           "%o = arith." + op + " %r, %d : tensor<16xi32>";
  };
  EXPECT_EQ(analyze(by("floordivsi", "-8", "4")),
            "contiguity 1 divisibility 1 constancy 4");
  EXPECT_EQ(analyze(by("divsi", "-8", "4")),
            "contiguity 1 divisibility 1 constancy 1");
  EXPECT_EQ(analyze(by("remsi", "-8", "4")),
            "contiguity 1 divisibility 1 constancy 1");
  EXPECT_EQ(analyze(by("ceildivui", "8", "4")),
            "contiguity 1 divisibility 1 constancy 1");
}

TEST_F(AxisInfoTest, DividesMultiples) {
  auto of = [](const char *op) {
    return std::string("%c4 = arith.constant 4 : i32\n%o = arith.") + op +
           " %n8, %c4 : i32";
  };
  for (const char *op :
       {"divui", "divsi", "ceildivui", "ceildivsi", "floordivsi"})
    EXPECT_EQ(analyze(of(op)), "contiguity 1 divisibility 2 constancy 1") << op;
  for (const char *op : {"remui", "remsi"})
    EXPECT_EQ(analyze(of(op)), "contiguity 1 divisibility 4 constancy 1") << op;
}

TEST_F(AxisInfoTest, KeepsMultiplesThroughMinimaAndSelections) {
  for (const char *op : {"minsi", "minui", "maxsi", "maxui"})
    EXPECT_EQ(analyze(std::string("%c4 = arith.constant 4 : i32\n%o = arith.") +
                      op + " %n8, %c4 : i32"),
              "contiguity 1 divisibility 4 constancy 1")
        << op;
  EXPECT_EQ(analyze("%c4 = arith.constant 4 : i32\n"
                    "%o = arith.select %c, %n8, %c4 : i32"),
            "contiguity 1 divisibility 4 constancy 1");
  // One condition for all: either tile has its runs.
  EXPECT_EQ(analyze(R"(
    %r = tile.iota 0 : tensor<128xi32>
    %d = arith.constant dense<64> : tensor<128xi32>
    %s = arith.addi %r, %d : tensor<128xi32>
    %o = arith.select %c, %r, %s : tensor<128xi32>)"),
            "contiguity 128 divisibility 64 constancy 1");
}

TEST_F(AxisInfoTest, KeepsRunsOfPointersAroundLoops) {
  // A pointer that walks on by 8 elements keeps its runs of 4.
  EXPECT_EQ(analyze(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.iota 0 : tensor<128xi64>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %q = tile.addptr %ps, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
    %step = arith.constant dense<8> : tensor<128xi64>
    %l = scf.for %k = %c0 to %i step %c1 iter_args(%x = %q) -> tensor<128x!tile.ptr<f32>> {
      %y = tile.addptr %x, %step : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
      scf.yield %y : tensor<128x!tile.ptr<f32>>
    })"),
            "contiguity 128 divisibility 16 constancy 1");
}

TEST_F(AxisInfoTest, CountsTheStepsOfLoops) {
  EXPECT_EQ(analyze(R"(
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %z = arith.constant 64 : index
    %l = scf.for %k = %c0 to %i step %c32 iter_args(%x = %z) -> index {
      scf.yield %k : index
    })"),
            "contiguity 1 divisibility 32 constancy 1");
}

TEST_F(AxisInfoTest, FindsInSharedMemoryWhatIsStoredThere) {
  std::string stored = R"(
    %row = tile.iota 0 : tensor<128xi32>
    %sixteen = arith.constant dense<16> : tensor<128xi32>
    %many = arith.muli %row, %sixteen : tensor<128xi32>
    %place = tile.alloc_shared : !tile.shared<128xi32>
    tile.local_store %many, %place : tensor<128xi32>, !tile.shared<128xi32>)";
  std::string loaded = R"(
    %found = tile.local_load %place : !tile.shared<128xi32> -> tensor<128xi32>)";
  EXPECT_EQ(analyze(stored + loaded),
            "contiguity 1 divisibility 16 constancy 1");
  // Not where something else is, too.
  EXPECT_EQ(analyze(stored + R"(
    tile.local_store %row, %place : tensor<128xi32>, !tile.shared<128xi32>)" +
                    loaded),
            "contiguity 1 divisibility 1 constancy 1");
}

TEST_F(AxisInfoTest, FindsInSharedMemoryWhatALoopStoresLater) {
  // The runs of the first trip begin with 0, those of others anywhere.
  EXPECT_EQ(analyze(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %k = arith.index_cast %i : index to i32
    %row = tile.iota 0 : tensor<128xi32>
    %place = tile.alloc_shared : !tile.shared<128xi32>
    %l:2 = scf.for %t = %c0 to %i step %c1 iter_args(%o = %zero, %x = %row) -> (i32, tensor<128xi32>) {
      %found = tile.local_load %place : !tile.shared<128xi32> -> tensor<128xi32>
      %so = tile.splat %o : i32 -> tensor<128xi32>
      %stored = arith.addi %row, %so : tensor<128xi32>
      tile.local_store %stored, %place : tensor<128xi32>, !tile.shared<128xi32>
      %next = arith.addi %o, %k : i32
      scf.yield %next, %found : i32, tensor<128xi32>
    }
    %sixteen = arith.constant dense<16> : tensor<128xi32>
    %last = arith.addi %l#1, %sixteen : tensor<128xi32>)"),
            "contiguity 128 divisibility 1 constancy 1");
}

TEST_F(AxisInfoTest, ReadsExtremeConstants) {
  EXPECT_EQ(analyze("%x = arith.constant -9223372036854775808 : i64"),
            "contiguity 1 divisibility 1073741824 constancy 1");
  EXPECT_EQ(analyze("%x = arith.constant 170141183460469231731687303715884105"
                    "720 : i128"),
            "contiguity 1 divisibility 8 constancy 1");
  EXPECT_EQ(analyze("%x = tile.iota -9223372036854775808 : tensor<2xi64>"),
            "contiguity 2 divisibility 1073741824 constancy 1");
}

} // namespace
