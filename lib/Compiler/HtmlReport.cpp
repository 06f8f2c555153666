//===- HtmlReport.cpp - The report as a page --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportFields.h"

#include "tilewright/Layout/Drawing/BankDrawing.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

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
  /// Begins a table, without headings where there are none.
  void beginTable(ArrayRef<StringRef> headings) {
    os << "<table>\n";
    if (headings.empty())
      return;
    os << "<tr>";
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

/// One table; columns in which no record says anything are left out.
static void writeRecords(HtmlWriter &html, ArrayRef<ReportRecord> records,
                         bool isFirstChosen = false) {
  SmallVector<size_t> columns;
  for (size_t column = 0; column < records.front().size(); ++column)
    if (any_of(records, [&](const ReportRecord &record) {
          return !toText(record[column].value).empty();
        }))
      columns.push_back(column);
  html.beginTable(map_to_vector(
      columns, [&](size_t column) { return records.front()[column].heading; }));
  for (const ReportRecord &record : records)
    html.row(map_to_vector(
                 columns,
                 [&](size_t column) { return toText(record[column].value); }),
             isFirstChosen && &record == &records.front());
  html.endTable();
}

static void writeSummary(HtmlWriter &html, const KernelReport &kernel) {
  html.text("h3", "Summary");
  html.beginTable({});
  for (const SummaryLine &line : kernel.summarize()) {
    StringRef title = line.title;
    for (const std::string &text : line.texts) {
      html.row({title.str(), text});
      title = "";
    }
  }
  html.endTable();
}

static void writeCandidates(HtmlWriter &html, size_t index,
                            const SharedTileReport &tile) {
  if (!tile.scores)
    return;
  html.text("h3", "Shared tile " + Twine(index) + ": " + tile.type + ", " +
                      tile.layout);
  writeRecords(html, candidatesOf(tile), /*isFirstChosen=*/true);
  html.text("p", "Of all layouts: " + tile.scores->getProof() + ".");
}

static void writeKernel(HtmlWriter &html, const KernelReport &kernel) {
  html.text("h2", "Kernel " + kernel.name + " for " + kernel.target);
  writeSummary(html, kernel);
  for (const ReportSection &section : sectionsOf(kernel)) {
    if (section.records.empty())
      continue;
    html.text("h3", section.title);
    writeRecords(html, section.records);
  }
  for (size_t index = 0; index < kernel.tiles.size(); ++index)
    writeCandidates(html, index, kernel.tiles[index]);
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
