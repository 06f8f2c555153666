//===- BankDrawing.cpp - Pictures of bank maps ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Drawing/BankDrawing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::banks;

/// A mark for each element: 0 where the instruction leaves it alone, 1 where it
/// moves it, 2 where it waits for others.
static std::vector<unsigned> marksOf(const BankMap &map) {
  std::vector<unsigned> marks(map.bankOf.size(), 0);
  for (const BankMap::Lane &lane : map.lanes)
    for (int64_t element : lane.elements)
      marks[element] = std::max(marks[element], lane.conflicts ? 2u : 1u);
  return marks;
}

/// What the marks of a cell mean, by their numbers.
static constexpr StringLiteral legend[] = {
    "an element, in the colour and with the number of the bank of its first "
    "byte",
    "the instruction moves it",
    "the instruction moves it, and its lane waits: another lane wants another "
    "word of that bank"};

static std::string summaryOf(const BankMap &map) {
  return formatv("{0} bytes a lane: {1} {2}, ideal {3}", map.bytesPerLane,
                 map.wavefronts,
                 map.wavefronts == 1 ? "wavefront" : "wavefronts", map.ideal);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// One of the 216 colours that terminals have in a cube of 6 x 6 x 6, starting
/// at 16: neighbouring banks differ.
static unsigned terminalColor(unsigned bank) { return 17 + bank * 67 % 214; }

void tilewright::banks::drawText(raw_ostream &os, const BankMap &map,
                                 bool withColors, int64_t maxRows,
                                 int64_t maxColumns) {
  os << map.title << "\n" << summaryOf(map) << "\n";
  std::vector<unsigned> marks = marksOf(map);
  int64_t columns = std::min(map.columns, maxColumns);
  int64_t rows = std::min(map.rows, maxRows);
  for (int64_t row = 0; row < rows; ++row) {
    os << formatv("row {0,4}", row);
    for (int64_t column = 0; column < columns; ++column) {
      int64_t element = row * map.columns + column;
      unsigned mark = marks[element], bank = map.bankOf[element];
      os << ' ';
      if (withColors)
        os << "\x1b[48;5;" << terminalColor(bank) << "m\x1b[97m";
      os << (mark ? '[' : ' ') << formatv("{0,2}", bank)
         << (mark == 2   ? '*'
             : mark == 1 ? ']'
                         : ' ');
      if (withColors)
        os << "\x1b[0m";
    }
    os << (columns < map.columns ? " ...\n" : "\n");
  }
  if (rows < map.rows)
    os << "...\n";
}

void tilewright::banks::drawTextLegend(raw_ostream &os) {
  os << " 0   " << legend[0] << "\n[ 0]  " << legend[1] << "\n[ 0*  "
     << legend[2] << "\n";
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

static std::string colorOf(unsigned bank) {
  return formatv("hsl({0},70%,{1}%)", bank * 360 / 32, bank % 2 ? 72 : 82);
}

static std::string escaped(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  printHTMLEscaped(text, os);
  return result;
}

/// Pixels of a cell, and of what stands around the cells: the names of rows to
/// the left; title, summary and the names of columns above.
static constexpr int64_t cell = 18, left = 44, heading = 62;

static void drawSvgText(raw_ostream &os, int64_t x, int64_t y, int64_t size,
                        StringRef anchor, StringRef text) {
  os << formatv("<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" "
                "text-anchor=\"{3}\">{4}</text>\n",
                x, y, size, anchor, escaped(text));
}

static void drawSvgCell(raw_ostream &os, int64_t x, int64_t y, unsigned bank,
                        unsigned mark) {
  StringRef stroke = mark == 2 ? "#d00000" : mark == 1 ? "#000000" : "none";
  os << formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" "
                "fill=\"{3}\" stroke=\"{4}\" stroke-width=\"2\"/>",
                x + 1, y + 1, cell - 2, colorOf(bank), stroke);
  drawSvgText(os, x + cell / 2, y + cell / 2 + 3, 9, "middle",
              std::to_string(bank));
}

static void drawSvgMap(raw_ostream &os, const BankMap &map, int64_t top) {
  drawSvgText(os, left, top + 18, 14, "start", map.title);
  drawSvgText(os, left, top + 36, 12, "start", summaryOf(map));
  for (int64_t column = 0; column < map.columns; ++column)
    drawSvgText(os, left + column * cell + cell / 2, top + heading - 4, 9,
                "middle", std::to_string(column));
  for (int64_t row = 0; row < map.rows; ++row)
    drawSvgText(os, left - 6, top + heading + row * cell + cell / 2 + 3, 9,
                "end", "row " + std::to_string(row));
  std::vector<unsigned> marks = marksOf(map);
  for (auto [element, bank] : enumerate(map.bankOf))
    drawSvgCell(os, left + int64_t(element) % map.columns * cell,
                top + heading + int64_t(element) / map.columns * cell, bank,
                marks[element]);
}

void tilewright::banks::drawSvg(raw_ostream &os, ArrayRef<BankMap> maps) {
  constexpr int64_t rowOfLegend = cell + 4;
  int64_t width = 640, height = 10 + rowOfLegend * std::size(legend);
  for (const BankMap &map : maps) {
    width = std::max(width, left + map.columns * cell + 20);
    height += map.rows * cell + heading + 10;
  }
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1}\" font-family=\"sans-serif\">\n",
                width, height);
  int64_t top = 0;
  for (const BankMap &map : maps) {
    drawSvgMap(os, map, top);
    top += map.rows * cell + heading + 10;
  }
  for (auto [mark, meaning] : enumerate(legend)) {
    drawSvgCell(os, left, top, /*bank=*/0, mark);
    drawSvgText(os, left + cell + 8, top + cell / 2 + 4, 12, "start", meaning);
    top += rowOfLegend;
  }
  os << "</svg>\n";
}

//===----------------------------------------------------------------------===//
// HTML
//===----------------------------------------------------------------------===//

/// What is drawn of a map without its access: many accesses have the same.
static json::Value gridOf(const BankMap &map) {
  return json::Object{{"title", json::fixUTF8(map.title)},
                      {"columns", map.columns},
                      {"banks", json::Array(map.bankOf)}};
}

static json::Value lanesOf(const BankMap &map, size_t grid) {
  json::Array lanes;
  for (const BankMap::Lane &lane : map.lanes)
    lanes.push_back(json::Object{
        {"lane", lane.lane},
        {"group", lane.group},
        {"address", lane.address},
        {"elements", json::Array(lane.elements)},
        {"wavefront", lane.wavefront},
        {"conflicts", lane.conflicts},
    });
  return json::Object{{"grid", grid},
                      {"summary", summaryOf(map)},
                      {"bytes", map.bytesPerLane},
                      {"lanes", std::move(lanes)}};
}

/// {grids: [...], scenes: [{name, maps: [{grid, lanes, ...}]}]}
static json::Value toJson(ArrayRef<BankScene> scenes) {
  std::map<std::pair<std::string, std::vector<unsigned>>, size_t> known;
  json::Array grids, all;
  for (const BankScene &scene : scenes) {
    json::Array maps;
    for (const BankMap &map : scene.maps) {
      auto [at, isNew] = known.insert({{map.title, map.bankOf}, known.size()});
      if (isNew)
        grids.push_back(gridOf(map));
      maps.push_back(lanesOf(map, at->second));
    }
    all.push_back(json::Object{{"name", json::fixUTF8(scene.name)},
                               {"maps", std::move(maps)}});
  }
  return json::Object{{"grids", std::move(grids)}, {"scenes", std::move(all)}};
}

static constexpr StringLiteral pageBegin = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<style>
body { font-family: sans-serif; margin: 1em; }
table { border-collapse: collapse; margin: 0.5em 0; }
th, td { text-align: left; padding: 2px 10px 2px 0; vertical-align: top; }
td.number, th.number { text-align: right; }
tr.chosen { font-weight: bold; }
.labelled { display: grid; grid-template-columns: max-content max-content; gap: 1px; font-size: 9px; }
.rows { display: grid; gap: 1px; margin-right: 4px; }
.rows div { height: 18px; line-height: 18px; text-align: right; }
.columns { display: grid; gap: 1px; }
.columns div { width: 18px; text-align: center; }
.legend .cell { display: inline-block; background: hsl(0,70%,82%); font-size: 9px; }
.map { display: inline-block; margin: 0 2em 2em 0; vertical-align: top; }
.grid { display: grid; gap: 1px; font-size: 9px; }
.cell { width: 18px; height: 18px; line-height: 18px; text-align: center; box-sizing: border-box; }
.past { outline: 2px solid #000; }
.wait { outline: 2px solid #d00000; }
.now { outline: 3px solid #0040ff; font-weight: bold; }
.meter { display: grid; grid-template-columns: repeat(32, 18px); gap: 1px; font-size: 9px; margin: 6px 0; }
.steps { position: sticky; top: 0; background: #fff; padding: 4px 0; }
</style>
<title>)html";

static constexpr StringLiteral pageScript =
    R"html(<p class="steps"><select id="scene" aria-label="access"></select>
<button id="back">back</button> <button id="next">next lane</button> <button id="all">all lanes</button>
<span id="where"></span></p>
<p class="legend"><span class="cell">0</span> an element, in the colour and with the number of the bank of its first byte
<span class="cell now">0</span> moved by the lane of this step <span class="cell past">0</span> moved by a lane before
<span class="cell wait">0</span> moved by a lane that waits, since another lane wants another word of that bank; the row of 32
numbers counts the words that the group of this lane has asked of each bank</p>
<div id="maps"></div>
<script type="application/json" id="data">)html";

static constexpr StringLiteral pageEnd = R"html(</script>
<script>
"use strict";
const page = JSON.parse(document.getElementById("data").textContent);
const picker = document.getElementById("scene");
let maps = [], most = 0, step = 0;
const color = bank => `hsl(${Math.floor(bank * 360 / 32)},70%,${bank % 2 ? 72 : 82}%)`;
function add(parent, kind, name, text) {
  const child = parent.appendChild(document.createElement(kind));
  if (name) child.className = name;
  if (text !== undefined) child.textContent = text;
  return child;
}
function draw(map) {
  const grid = page.grids[map.grid];
  const box = add(document.getElementById("maps"), "div", "map");
  add(box, "h3", "", grid.title);
  add(box, "p", "", map.summary);
  const note = add(box, "p", "note", "");
  const meter = add(box, "div", "meter");
  const counters = Array.from({length: 32}, (_, bank) => {
    const counter = add(meter, "div", "cell", "");
    counter.style.background = color(bank);
    return counter;
  });
  const labelled = add(box, "div", "labelled");
  add(labelled, "div", "");
  const columns = add(labelled, "div", "columns");
  const rows = add(labelled, "div", "rows");
  const cells = add(labelled, "div", "grid");
  cells.style.gridTemplateColumns = columns.style.gridTemplateColumns = `repeat(${grid.columns}, 18px)`;
  for (let column = 0; column < grid.columns; ++column) add(columns, "div", "", column);
  for (let row = 0; row * grid.columns < grid.banks.length; ++row) add(rows, "div", "", `row ${row}`);
  return {...map, note, meter: counters, cells: grid.banks.map(bank => {
    const cell = add(cells, "div", "cell", bank);
    cell.style.background = color(bank);
    return cell;
  })};
}
// Words of each bank that the group of the last lane has asked for so far.
function wordsSoFar(map, shown) {
  const last = shown[shown.length - 1];
  const words = Array.from({length: 32}, () => new Set());
  for (const lane of shown)
    if (last && lane.group === last.group)
      for (let word = Math.floor(lane.address / 4); word * 4 < lane.address + map.bytes; ++word)
        words[word % 32].add(word);
  return words;
}
function show() {
  for (const map of maps) {
    const shown = map.lanes.slice(0, step);
    for (const cell of map.cells) cell.classList.remove("past", "wait", "now");
    shown.forEach((lane, index) => {
      for (const element of lane.elements)
        map.cells[element].classList.add(index === shown.length - 1 ? "now" : lane.conflicts ? "wait" : "past");
    });
    wordsSoFar(map, shown).forEach((words, bank) => { map.meter[bank].textContent = words.size || ""; });
    const lane = shown[shown.length - 1];
    map.note.textContent = lane ? `lane ${lane.lane}, group ${lane.group}, byte ${lane.address}: served in wavefront ` +
      `${lane.wavefront + 1} of its group${lane.conflicts ? ", in conflict" : ""}` : "";
  }
  document.getElementById("where").textContent = `${step} of ${most} lanes`;
}
const move = to => { step = Math.max(0, Math.min(most, to)); show(); };
function pick(index) {
  picker.value = index;
  document.getElementById("maps").replaceChildren();
  maps = page.scenes[index].maps.map(draw);
  most = Math.max(...maps.map(map => map.lanes.length));
  move(0);
}
document.getElementById("next").onclick = () => move(step + 1);
document.getElementById("back").onclick = () => move(step - 1);
document.getElementById("all").onclick = () => move(most);
document.onkeydown = event => {
  if (event.target === picker) return;
  if (event.key === "ArrowRight") move(step + 1);
  if (event.key === "ArrowLeft") move(step - 1);
};
page.scenes.forEach((scene, index) => { add(picker, "option", "", scene.name).value = index; });
picker.onchange = () => pick(picker.value);
pick(0);
</script>
)html";

void tilewright::banks::drawHtml(raw_ostream &os, const PageHead &head,
                                 ArrayRef<BankScene> scenes) {
  os << pageBegin << escaped(head.title) << "</title>\n</head>\n<body>\n"
     << head.body;
  if (!scenes.empty()) {
    std::string data;
    raw_string_ostream(data) << toJson(scenes);
    os << pageScript;
    // Nothing in the data may end the script that holds it.
    for (char c : data)
      if (c == '<')
        os << "\\u003c";
      else
        os << c;
    os << pageEnd;
  }
  os << "</body>\n</html>\n";
}
