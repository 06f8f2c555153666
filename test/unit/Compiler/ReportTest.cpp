//===- ReportTest.cpp - What a report says ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/KernelReport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/Compiler/Registration.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "gtest/gtest.h"

using namespace tilewright;

static GpuTarget getTarget(llvm::StringRef name) {
  return llvm::cantFail(GpuTarget::parse(name));
}

static std::string print(const KernelReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return text;
}

static std::vector<std::string> getLine(const KernelReport &report,
                                        llvm::StringRef key) {
  for (const SummaryLine &line : report.summarize())
    if (line.key == key)
      return line.texts;
  return {};
}

/// Of the only kernel of a program.
static KernelReport makeReportOf(llvm::StringRef source,
                                 llvm::StringRef target) {
  mlir::DialectRegistry registry;
  registerAll(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  EXPECT_TRUE(module);
  return makeReport(*module->getOps<tile::KernelOp>().begin(),
                    getTarget(target));
}

/// A kernel with one product, of which passes left a reason.
static KernelReport makeProduct(llvm::StringRef target) {
  return makeReportOf(R"mlir(
    tile.kernel @k(%x: f16, %y: f32) {
      %a = tile.splat %x : f16 -> tensor<64x32xf16>
      %b = tile.splat %x : f16 -> tensor<32x16xf16>
      %c = tile.splat %y : f32 -> tensor<64x16xf32>
      %d = tile.dot %a, %b, %c {tile.engine_reason = "b comes from far away"}
           : tensor<64x32xf16>, tensor<32x16xf16>, tensor<64x16xf32>
      tile.return
    })mlir",
                      target);
}

TEST(Report, SaysWhyAProductHasItsEngine) {
  KernelReport report = makeProduct("sm_90a");
  ASSERT_EQ(report.products.size(), 1u);
  EXPECT_EQ(report.products[0].engineReason, "b comes from far away");
  EXPECT_NE(getLine(report, "products")[0].find(
                "64x16x32 of f16 by mma.sync: b comes from far away"),
            std::string::npos);
  EXPECT_NE(print(report).find("no better instruction: b comes from far away"),
            std::string::npos);
  llvm::json::Value json = report.toJSON();
  const llvm::json::Array &products = *json.getAsObject()->getArray("products");
  EXPECT_EQ(products[0].getAsObject()->getString("engine_reason"),
            "b comes from far away");
  report.products[0].engineReason.clear();
  EXPECT_NE(getLine(report, "products")[0].find(
                "by mma.sync, the best there is for sm_90a"),
            std::string::npos);
}

// 64 x 16 x 32 multiplications with addition, 2048 in a clock.
TEST(Report, CountsClocksOfProducts) {
  EXPECT_DOUBLE_EQ(makeProduct("sm_90a").time.tensorCores, 16);
  EXPECT_DOUBLE_EQ(makeProduct("sm_80").time.tensorCores, 32);
}

/// Two tiles of two stages that are filled together, and a third one that is
/// not; passes left a reason.
static KernelReport makeCopies(llvm::StringRef target) {
  return makeReportOf(R"mlir(
    #bytes = #tile.shared_layout<1024>
    #lanes = #tile.register_layout<register[4] lane[32] warp[4] register[2]>
    tile.kernel @k(%A: !tile.ptr<f32>, %N: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tile.view %A, shape [%N], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
      %s = tile.alloc_shared {offset = 0 : i64, tile.copy_reason = "it is too far"} : !tile.shared<2x1024xf32, #bytes>
      %t = tile.alloc_shared {offset = 8192 : i64, tile.copy_reason = "it is too far"} : !tile.shared<2x1024xf32, #bytes>
      %u = tile.alloc_shared {offset = 16384 : i64} : !tile.shared<1024xf32, #bytes>
      %s0 = tile.subview %s[%c0] : !tile.shared<2x1024xf32, #bytes> -> !tile.shared<1024xf32, #bytes>
      %t0 = tile.subview %t[%c0] : !tile.shared<2x1024xf32, #bytes> -> !tile.shared<1024xf32, #bytes>
      %s1 = tile.subview %s[%c1] : !tile.shared<2x1024xf32, #bytes> -> !tile.shared<1024xf32, #bytes>
      tile.copy_async %v[%c0], %s0 {registers = #lanes, vector_width = 4 : i64} : !tile.view<?xf32, [1]>, !tile.shared<1024xf32, #bytes>
      tile.copy_async %v[%c0], %t0 {registers = #lanes, vector_width = 4 : i64} : !tile.view<?xf32, [1]>, !tile.shared<1024xf32, #bytes>
      tile.async_commit
      tile.copy_async %v[%c0], %s1 {registers = #lanes, vector_width = 4 : i64} : !tile.view<?xf32, [1]>, !tile.shared<1024xf32, #bytes>
      tile.async_commit
      tile.copy_async %v[%c0], %u {registers = #lanes, vector_width = 4 : i64} : !tile.view<?xf32, [1]>, !tile.shared<1024xf32, #bytes>
      tile.async_commit
      tile.async_wait 0
      tile.return
    })mlir",
                      target);
}

TEST(Report, FindsWhatIsCopiedAheadByItsGroups) {
  KernelReport report = makeCopies("sm_90a");
  ASSERT_EQ(report.copies.size(), 1u);
  EXPECT_EQ(report.copies[0].stages, 2);
  EXPECT_EQ(report.copies[0].slotBytes, 8192);
  EXPECT_EQ(report.copies[0].getBytesInFlight(), 16384);
  EXPECT_FALSE(report.copies[0].isBulk);
  EXPECT_EQ(report.copies[0].whyNotBulk, "it is too far");
  ASSERT_EQ(getLine(report, "copies").size(), 1u);
  EXPECT_NE(getLine(report, "copies")[0].find(
                "2 slots of 8192 bytes ahead, by all threads (cp.async): it is "
                "too far"),
            std::string::npos);
  EXPECT_NE(print(report).find("no bulk copies: it is too far"),
            std::string::npos);
  report.copies[0].isBulk = true;
  report.copies[0].copyWarps = 2;
  report.isPersistent = true;
  EXPECT_NE(getLine(report, "copies")[0].find(
                "by bulk copies of 2 warps of their own; blocks stay for "
                "several programs"),
            std::string::npos);
}

// What was placed for another target may be compiled for one without them.
TEST(Report, GivesNoReasonWhereThereAreNoBulkCopies) {
  KernelReport report = makeCopies("sm_80");
  ASSERT_EQ(report.copies.size(), 1u);
  EXPECT_EQ(report.copies[0].whyNotBulk, "");
  EXPECT_EQ(print(report).find("too far"), std::string::npos);
}

TEST(TimeBound, NamesWhatTakesLongest) {
  TimeBound bound;
  EXPECT_EQ(bound.getLimit(true), "");
  bound.l2 = 100;
  bound.memory = 400;
  bound.tensorCores = 50;
  EXPECT_EQ(bound.getLimit(true), "memory");
  EXPECT_EQ(bound.getLimit(false), "L2");
  bound.tensorCores = 119;
  EXPECT_EQ(bound.getLimit(false), "tensor cores and L2");
  bound.tensorCores = 126;
  EXPECT_EQ(bound.getLimit(false), "tensor cores");
}

// Candidates were weighed by shared memory alone; what came of the chosen one
// is what ptxas allows.
TEST(Report, CandidatesHaveTheBlocksThatRegistersLeave) {
  GpuTarget target = getTarget("sm_90a");
  KernelReport report;
  report.numWarps = 4;
  report.threads = 128;
  report.maxWarpsPerSM = target.maxWarpsPerSM();
  report.sharedBytes = 16 * 1024;
  SharedTileReport &tile = report.tiles.emplace_back();
  tile.scores.emplace();
  LayoutScore chosen, large;
  chosen.blocksPerSM = 13;
  large.blocksPerSM = 1;
  tile.scores->candidates = {chosen, large};
  PtxasResources resources;
  resources.registers = 128;
  addResources(report, resources, target);
  EXPECT_EQ(report.occupancy->blocksPerSM, 4u);
  EXPECT_EQ(tile.scores->candidates[0].blocksPerSM, 4);
  EXPECT_EQ(tile.scores->candidates[1].blocksPerSM, 1);
  EXPECT_EQ(getLine(report, "registers")[0],
            "128 a thread, none spilled; 4 blocks (16 of 64 warps) an SM, "
            "limited by registers");
  EXPECT_EQ(getLine(report, "registers").size(), 1u);
  resources.whySerialized = "too few registers";
  addResources(report, resources, target);
  EXPECT_EQ(getLine(report, "registers")[1],
            "each wgmma waits for the one before, says ptxas: too few "
            "registers");
  resources.whySerialized.clear();
  resources.spillStoreBytes = 8;
  addResources(report, resources, target);
  EXPECT_EQ(getLine(report, "registers")[0].substr(0, 30),
            "128 a thread, 8 bytes spilled;");
  EXPECT_EQ(getLine(report, "registers")[1],
            "more warps or smaller tiles leave a thread fewer values to hold");
}
