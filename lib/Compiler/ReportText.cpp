//===- ReportText.cpp - The report for people -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportFields.h"

#include "tilewright/Layout/Algebra/CountOf.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tilewright;

static void printPlace(raw_ostream &os, const SourcePlace &place) {
  if (place.line)
    os << "line " << place.line << ": ";
}

static void printTrips(raw_ostream &os, int64_t trips, bool areKnown) {
  if (!areKnown)
    os << "; in a loop of unknown length, weighed as "
       << countOf(trips, "trip");
  else if (trips != 1)
    os << "; " << countOf(trips, "trip");
}

static void printSummary(raw_ostream &os, ArrayRef<SummaryLine> lines) {
  size_t width = 0;
  for (const SummaryLine &line : lines)
    width = std::max(width, line.title.size());
  os << "\nsummary\n";
  for (const SummaryLine &line : lines) {
    StringRef title = line.title;
    for (StringRef text : line.texts) {
      os << "  " << left_justify(title, width + 2) << text << "\n";
      title = "";
    }
  }
}

/// Numbers to the right, under their headings; the first column and texts to
/// the left.
static void printTable(raw_ostream &os, ArrayRef<ReportRecord> records) {
  if (records.empty())
    return;
  SmallVector<size_t> widths;
  for (size_t column = 0; column < records.front().size(); ++column) {
    size_t width = records.front()[column].heading.size();
    for (const ReportRecord &record : records)
      width = std::max(width, toText(record[column].value).size());
    widths.push_back(width);
  }
  auto printRow = [&](function_ref<std::string(size_t)> cell) {
    std::string row;
    for (auto [column, width] : enumerate(widths)) {
      bool isText = column == 0 || column + 1 == widths.size();
      row += "  ";
      std::string text = cell(column);
      std::string fill(width - text.size(), ' ');
      row += isText ? text + fill : fill + text;
    }
    os << "  " << StringRef(row).rtrim() << "\n";
  };
  printRow(
      [&](size_t column) { return records.front()[column].heading.str(); });
  for (const ReportRecord &record : records)
    printRow([&](size_t column) { return toText(record[column].value); });
}

static void printTile(raw_ostream &os, size_t index,
                      const SharedTileReport &tile, bool isFull) {
  os << "  tile " << index << ": ";
  printPlace(os, tile.place);
  os << tile.type << ", " << tile.layout << ", " << tile.bytes << " bytes at "
     << tile.offset << "\n";
  if (!tile.reason.empty())
    os << "    " << tile.reason << "\n";
  if (!tile.scores || !isFull)
    return;
  printTable(os, candidatesOf(tile));
  os << "    " << tile.scores->getProof() << "\n";
}

static void printAccess(raw_ostream &os, const AccessReport &access) {
  os << "  ";
  printPlace(os, access.place);
  os << access.op;
  if (access.isShared)
    os << " of tile " << access.tile;
  os << "\n    vector of " << access.vectorElements << " ("
     << countOf(access.vectorBytes, "byte") << ")";
  if (!access.limit.empty())
    os << ": " << access.limit;
  if (!access.noBlock.empty())
    os << "\n    by pointers, not as a block of a view: " << access.noBlock;
  if (!access.whyNotAhead.empty())
    os << "\n    asked for when the loop is over: " << access.whyNotAhead;
  os << "\n    ";
  auto printCount = [&](const AccessCount &of, StringRef unit) {
    os << countOf(of.count, unit) << ", ideal " << of.ideal;
  };
  if (access.wavefronts)
    printCount(*access.wavefronts, "wavefront");
  else if (access.sectors)
    printCount(*access.sectors, "sector");
  else
    os << "sectors that hang on addresses not known here";
  os << ", by " << countOf(access.instructions, "warp instruction");
  if (access.isShared && access.worstDegree > 1)
    os << "; " << access.worstDegree << "-way bank conflicts";
  if (access.wavefronts && access.sectors) {
    os << "; ";
    printCount(*access.sectors, "sector");
  }
  printTrips(os, access.trips, access.areTripsKnown);
  os << "\n";
  if (!access.bound)
    return;
  os << "    cost " << access.getCost() << ", in a layout for it alone "
     << access.bound->cost;
  if (!access.bound->whyNotReached.empty())
    os << ": " << access.bound->whyNotReached;
  os << "\n";
}

static void printConversion(raw_ostream &os,
                            const ConversionReport &conversion) {
  os << "  ";
  printPlace(os, conversion.place);
  os << "tile.convert_layout of " << conversion.type << "\n    "
     << conversion.choice.getReason();
  printTrips(os, conversion.trips, conversion.areTripsKnown);
  os << "\n";
}

static void printCopies(raw_ostream &os, const CopyReport &copies) {
  os << "  ";
  printPlace(os, copies.place);
  os << countOf(copies.stages, "slot") << " of "
     << countOf(copies.slotBytes, "byte") << ", "
     << countOf(copies.getBytesInFlight(), "byte") << " in flight at most\n"
     << "    by ";
  if (copies.copyWarps > 0)
    os << "bulk copies, of " << countOf(copies.copyWarps, "warp")
       << " beside those that compute\n";
  else if (copies.isBulk)
    os << "bulk copies, which a thread that computes begins\n";
  else
    os << "asynchronous copies of all threads (cp.async)\n";
  if (copies.isBehindLoop())
    os << "    asked for while the loop in front still runs\n";
  if (!copies.whyNotBulk.empty())
    os << "    no bulk copies: " << copies.whyNotBulk << "\n";
  if (!copies.whyNoRoles.empty())
    os << "    no warps of their own: " << copies.whyNoRoles << "\n";
}

static void printRole(raw_ostream &os, const RoleReport &role) {
  os << "  " << role.name << ": " << countOf(role.warps, "warp");
  if (role.registers)
    os << ", " << *role.registers << " registers a thread";
  os << "\n";
}

static void printLoop(raw_ostream &os, const KernelReport &kernel,
                      size_t number) {
  const LoopReport &loop = kernel.loops[number];
  LoopFacts facts = kernel.getFacts(number);
  os << "  ";
  printPlace(os, loop.place);
  os << (facts.instruction.empty() ? "no products"
                                   : "products by " + facts.instruction);
  printTrips(os, loop.trips, loop.areTripsKnown);
  os << "\n    ";
  if (facts.stages == 0)
    os << "nothing is copied ahead\n";
  else
    os << countOf(facts.stages, "slot") << " by " << facts.copiesBy << ", "
       << countOf(facts.bytesInFlight, "byte") << " in flight at most\n";
  if (!facts.whyNotBulk.empty())
    os << "    no bulk copies, and no warps of their own for copies: "
       << facts.whyNotBulk << "\n";
  if (!facts.whyNoRoles.empty())
    os << "    no warps of their own for copies: " << facts.whyNoRoles << "\n";
  std::string limit = loop.time.getLimit(/*withMemory=*/false);
  std::string limitWithMemory = loop.time.getLimit(/*withMemory=*/true);
  if (limitWithMemory.empty())
    return;
  os << "    clocks of all its trips on an SM, at least: "
     << describeClocks(loop.time) << "\n    bound by " << limit;
  if (limit != limitWithMemory)
    os << ", if the L2 holds what blocks share; else by " << limitWithMemory;
  os << "\n";
}

static void printProduct(raw_ostream &os, const ProductReport &product) {
  os << "  ";
  printPlace(os, product.place);
  os << "tile.dot of ";
  if (product.batch != 1)
    os << product.batch << " times ";
  os << product.m << "x" << product.n << "x" << product.k << ", "
     << product.operandType << " into " << product.accumulatorType << ", by "
     << product.instruction
     << (product.isExchanged ? ", operands exchanged" : "");
  if (!product.turned.empty())
    os << ", " << product.turned << " turned by threads";
  os << "\n    " << product.getOperations() << " operations on "
     << countOf(product.operandBytes, "byte")
     << " of operands: " << format("%.4g", product.getIntensity())
     << " a byte; each element of a is used " << product.n
     << " times, each of b " << product.m << " times";
  if (product.barriersInLoop)
    os << "; " << countOf(*product.barriersInLoop, "barrier")
       << " a trip of the loop";
  os << "\n";
  if (!product.engineReason.empty())
    os << "    no better instruction: " << product.engineReason << "\n";
}

template <typename T>
static void printAll(raw_ostream &os, StringRef title,
                     const std::vector<T> &items,
                     void (*print)(raw_ostream &, const T &)) {
  if (items.empty())
    return;
  os << "\n" << title << "\n";
  for (const T &item : items)
    print(os, item);
}

void KernelReport::print(raw_ostream &os, bool isFull) const {
  os << "kernel " << name << " for " << target << ": " << numWarps
     << " warps, ";
  if (programsPerBlock > 1)
    os << countOf(programsPerBlock, "program") << " a block, ";
  if (blocksPerProgram > 1)
    os << "in " << blocksPerProgram << " blocks a program, ";
  os << sharedBytes << " bytes of shared memory, "
     << countOf(barriers, "barrier") << "\n";
  printSummary(os, summarize());
  if (!tiles.empty())
    os << "\nshared tiles\n";
  for (auto [index, tile] : enumerate(tiles))
    printTile(os, index, tile, isFull);
  printAll(os, "accesses of one block", accesses, printAccess);
  printAll(os, "conversions by shuffles", conversions, printConversion);
  if (roles.size() > 1) {
    printAll(os, "roles of warps", roles, printRole);
    if (blocksOfRoles)
      os << "  registers are those of " << countOf(*blocksOfRoles, "block")
         << " on a multiprocessor\n";
  }
  if (!loops.empty())
    os << "\nloops\n";
  for (size_t number = 0; number < loops.size(); ++number)
    printLoop(os, *this, number);
  printAll(os, "copies ahead of loops", copies, printCopies);
  printAll(os, "products of one block", products, printProduct);
  os << "\nresources\n";
  if (!resources) {
    os << "  unknown: no ptxas was found (set TILEWRIGHT_PTXAS to one)\n";
    return;
  }
  os << "  " << resources->registers << " registers a thread, "
     << resources->spillStoreBytes << " bytes spilled, "
     << resources->stackFrameBytes << " bytes of stack\n";
  if (!resources->whySerialized.empty())
    os << "  each wgmma waits for the one before, says ptxas: "
       << resources->whySerialized << "\n";
  os << "  " << countOf(occupancy->blocksPerSM, "block") << " ("
     << occupancy->warpsPerSM << " warps) an SM, limited by "
     << stringifyOccupancyLimiter(occupancy->limiter) << "\n";
}
