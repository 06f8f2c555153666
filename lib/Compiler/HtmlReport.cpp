//===- HtmlReport.cpp - The report as a page --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Report.h"
#include "tilewright/Layout/BankDrawing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::banks;

/// Instructions of an access that can be stepped through: the others of its
/// warp, and those of other warps, are much the same.
static constexpr size_t maxInstructions = 8;

namespace {
/// Writes HTML, with all text escaped.
class HtmlWriter {
public:
  explicit HtmlWriter(raw_ostream &os) : os(os) {}

  void text(StringRef tag, const Twine &contents) {
    os << "<" << tag << ">";
    printHTMLEscaped(contents.str(), os);
    os << "</" << tag << ">\n";
  }
  void beginTable(ArrayRef<StringRef> headings) {
    os << "<table>\n<tr>";
    for (StringRef heading : headings) {
      os << "<th>";
      printHTMLEscaped(heading, os);
      os << "</th>";
    }
    os << "</tr>\n";
  }
  void row(ArrayRef<std::string> cells, bool isChosen = false) {
    os << (isChosen ? "<tr class=\"chosen\">" : "<tr>");
    for (const std::string &cell : cells) {
      // Columns of numbers are read from the right.
      bool isNumber = !cell.empty() && all_of(cell, isDigit);
      os << (isNumber ? "<td class=\"number\">" : "<td>");
      printHTMLEscaped(cell, os);
      os << "</td>";
    }
    os << "</tr>\n";
  }
  void endTable() { os << "</table>\n"; }

private:
  raw_ostream &os;
};
} // namespace

static std::string lineOf(const SourcePlace &place) {
  return place.line ? std::to_string(place.line) : "";
}

static void writeTile(HtmlWriter &html, size_t index,
                      const SharedTileReport &tile) {
  html.text("h3", "Shared tile " + Twine(index) + ": " + tile.type + ", " +
                      tile.layout);
  std::string line = lineOf(tile.place);
  html.text("p", (line.empty() ? "" : "Line " + line + ", ") +
                     Twine(tile.bytes) + " bytes at " + Twine(tile.offset) +
                     ". " + tile.reason);
  if (!tile.scores)
    return;
  html.beginTable({"layout", "wavefronts", "ideal", "instructions", "bytes",
                   "cost", "for addresses", "for moves", "blocks an SM", ""});
  for (const LayoutScore &score : tile.scores->candidates)
    html.row({score.name, std::to_string(score.wavefronts),
              std::to_string(score.ideal), std::to_string(score.instructions),
              std::to_string(score.bytes), std::to_string(score.cost),
              std::to_string(score.indexInstructions),
              std::to_string(score.moveInstructions),
              score.blocksPerSM ? std::to_string(*score.blocksPerSM) : "",
              score.obstacle},
             &score == &tile.scores->candidates.front());
  html.endTable();
  html.text("p", "Of all layouts: " + tile.scores->getProof() + ".");
}

static std::string whyOf(const AccessReport &access) {
  SmallVector<std::string, 2> why;
  if (!access.limit.empty())
    why.push_back("no wider: " + access.limit);
  if (access.bound && !access.bound->whyNotReached.empty())
    why.push_back("no cheaper: " + access.bound->whyNotReached);
  return join(why, "; ");
}

static void writeAccesses(HtmlWriter &html, const KernelReport &kernel) {
  html.text("h3", "Accesses of one block");
  html.beginTable({"line", "access", "tile", "bytes a lane", "instructions",
                   "wavefronts or sectors", "ideal", "trips", "cost",
                   "least alone", "why"});
  for (const AccessReport &access : kernel.accesses) {
    bool isShared = access.isShared;
    html.row(
        {lineOf(access.place), access.op,
         isShared ? std::to_string(access.tile) : "",
         std::to_string(access.vectorBytes),
         std::to_string(access.instructions),
         access.isCountKnown ? std::to_string(access.count) : "unknown",
         access.isCountKnown ? std::to_string(access.ideal) : "unknown",
         (access.areTripsKnown ? "" : "about ") + std::to_string(access.trips),
         isShared ? std::to_string(access.getCost()) : "",
         access.bound ? std::to_string(access.bound->cost) : "",
         whyOf(access)});
  }
  html.endTable();
}

static void writeConversions(HtmlWriter &html, const KernelReport &kernel) {
  if (kernel.conversions.empty())
    return;
  html.text("h3", "Conversions by shuffles");
  html.beginTable(
      {"line", "tile", "shuffles a warp", "selects", "moves", "trips", "why"});
  for (const ConversionReport &conversion : kernel.conversions) {
    const ShufflePlan &plan = *conversion.choice.plan;
    html.row({lineOf(conversion.place), conversion.type,
              std::to_string(plan.countShuffles()),
              std::to_string(plan.countSelects()),
              std::to_string(plan.countMoves()),
              (conversion.areTripsKnown ? "" : "about ") +
                  std::to_string(conversion.trips),
              conversion.choice.getReason()});
  }
  html.endTable();
}

static void writeKernel(HtmlWriter &html, const KernelReport &kernel) {
  html.text("h2", "Kernel " + kernel.name + " for " + kernel.target);
  std::string summary =
      (Twine(kernel.numWarps) + " warps, " + Twine(kernel.sharedBytes) +
       " bytes of shared memory, " + Twine(kernel.barriers) +
       (kernel.barriers == 1 ? " barrier" : " barriers"))
          .str();
  if (kernel.resources && kernel.occupancy)
    summary +=
        (", " + Twine(kernel.resources->registers) + " registers a thread, " +
         Twine(kernel.resources->spillStoreBytes) + " bytes spilled, " +
         Twine(kernel.occupancy->blocksPerSM) + " blocks an SM, limited by " +
         stringifyOccupancyLimiter(kernel.occupancy->limiter))
            .str();
  html.text("p", summary);
  for (size_t index = 0; index < kernel.tiles.size(); ++index)
    writeTile(html, index, kernel.tiles[index]);
  writeAccesses(html, kernel);
  writeConversions(html, kernel);
}

/// The map of an instruction in both layouts, as far as these serve it.
static BankScene makeScene(const SharedAccess &access,
                           const SharedLayout &chosen, size_t instruction) {
  BankScene scene;
  SharedLayout before = SharedLayout::rowMajor(chosen.shape());
  SmallVector<const SharedLayout *, 2> layouts = {&chosen};
  if (chosen != before)
    layouts.insert(layouts.begin(), &before);
  for (const SharedLayout *layout : layouts) {
    Expected<BankMap> map = mapBanks(access, *layout, instruction, /*warp=*/0);
    if (map)
      scene.maps.push_back(std::move(*map));
    else // Too large to draw, or row-major does not serve a matrix load.
      consumeError(map.takeError());
  }
  return scene;
}

static void addScenes(const KernelReport &kernel,
                      std::vector<BankScene> &scenes) {
  for (const AccessReport &access : kernel.accesses) {
    if (!access.isShared)
      continue;
    const SharedLayout &layout = kernel.tiles[access.tile].sharedLayout;
    size_t count = planSharedAccess(access.shared, layout).instructions.size();
    for (size_t number = 0; number < std::min(count, maxInstructions);
         ++number) {
      // The widest of the layout before may be another.
      SharedAccess any = access.shared;
      any.requiredVector = 0;
      BankScene scene = makeScene(any, layout, number);
      if (scene.maps.empty())
        continue;
      std::string line = lineOf(access.place);
      scene.name =
          (kernel.name + ", " + (line.empty() ? "" : "line " + line + ": ") +
           access.op + " of tile " + Twine(access.tile) + ", instruction " +
           Twine(number) + " of warp 0")
              .str();
      scenes.push_back(std::move(scene));
    }
  }
}

void tilewright::printHtml(raw_ostream &os, StringRef source,
                           ArrayRef<const KernelReport *> kernels) {
  PageHead head;
  head.title = ("Tilewright: " + source).str();
  raw_string_ostream body(head.body);
  HtmlWriter html(body);
  html.text("h1", source);
  std::vector<BankScene> scenes;
  for (const KernelReport *kernel : kernels) {
    writeKernel(html, *kernel);
    addScenes(*kernel, scenes);
  }
  if (!scenes.empty()) {
    html.text("h2", "Banks");
    html.text("p", "The bank of each element; where the compiler chose a "
                   "layout, beside what row-major would be. Step through the "
                   "lanes with the buttons or the arrow keys: blue is what a "
                   "lane moves, red what waits for others.");
  }
  drawHtml(os, head, scenes);
}
