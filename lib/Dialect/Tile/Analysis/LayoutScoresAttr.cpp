//===- LayoutScoresAttr.cpp - Scores kept with a tile -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/LayoutScoresAttr.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static DictionaryAttr toAttr(Builder &builder, const LayoutScore &score) {
  NamedAttrList list;
  auto add = [&](StringRef name, int64_t value) {
    list.append(name, builder.getI64IntegerAttr(value));
  };
  list.append("name", builder.getStringAttr(score.name));
  add("wavefronts", score.wavefronts);
  add("ideal", score.ideal);
  add("instructions", score.instructions);
  add("bytes", score.bytes);
  add("cost", score.cost);
  add("index_instructions", score.indexInstructions);
  add("move_instructions", score.moveInstructions);
  if (score.blocksPerSM)
    add("blocks_per_sm", *score.blocksPerSM);
  if (!score.obstacle.empty())
    list.append("obstacle", builder.getStringAttr(score.obstacle));
  return list.getDictionary(builder.getContext());
}

DictionaryAttr tile::toAttr(MLIRContext *context, const LayoutScores &scores) {
  Builder builder(context);
  SmallVector<Attribute> candidates, bounds;
  for (const LayoutScore &score : scores.candidates)
    candidates.push_back(::toAttr(builder, score));
  for (const SharedAccessBound &bound : scores.bounds)
    bounds.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("cost", builder.getI64IntegerAttr(bound.cost)),
         builder.getNamedAttr("why",
                              builder.getStringAttr(bound.whyNotReached))}));
  NamedAttrList list;
  list.append("candidates", builder.getArrayAttr(candidates));
  list.append("bounds", builder.getArrayAttr(bounds));
  list.append("lower_bound", builder.getI64IntegerAttr(scores.lowerBound));
  if (scores.isProven)
    list.append("proven", builder.getUnitAttr());
  return list.getDictionary(context);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads entries of dictionaries; remembers whether one was not as expected.
struct Reader {
  bool isGood = true;

  int64_t getInt(DictionaryAttr from, StringRef name) {
    auto attr = from.getAs<IntegerAttr>(name);
    isGood &= attr && attr.getType().isInteger(64);
    return isGood ? attr.getInt() : 0;
  }
  std::string getString(DictionaryAttr from, StringRef name) {
    auto attr = from.getAs<StringAttr>(name);
    isGood &= static_cast<bool>(attr);
    return attr ? attr.str() : "";
  }
  template <typename Visit>
  void forEach(DictionaryAttr from, StringRef name, Visit visit) {
    auto array = from.getAs<ArrayAttr>(name);
    isGood &= static_cast<bool>(array);
    if (!array)
      return;
    for (Attribute attr : array)
      if (auto entry = dyn_cast<DictionaryAttr>(attr))
        visit(entry);
      else
        isGood = false;
  }
};
} // namespace

static LayoutScore readScore(Reader &reader, DictionaryAttr from) {
  LayoutScore score;
  score.name = reader.getString(from, "name");
  score.wavefronts = reader.getInt(from, "wavefronts");
  score.ideal = reader.getInt(from, "ideal");
  score.instructions = reader.getInt(from, "instructions");
  score.bytes = reader.getInt(from, "bytes");
  score.cost = reader.getInt(from, "cost");
  score.indexInstructions = reader.getInt(from, "index_instructions");
  score.moveInstructions = reader.getInt(from, "move_instructions");
  if (from.contains("blocks_per_sm"))
    score.blocksPerSM = reader.getInt(from, "blocks_per_sm");
  if (from.contains("obstacle"))
    score.obstacle = reader.getString(from, "obstacle");
  return score;
}

std::optional<LayoutScores> tile::getLayoutScores(AllocSharedOp tile) {
  auto from = tile->getAttrOfType<DictionaryAttr>(kLayoutScoresAttr);
  if (!from)
    return std::nullopt;
  Reader reader;
  LayoutScores scores;
  reader.forEach(from, "candidates", [&](DictionaryAttr entry) {
    scores.candidates.push_back(readScore(reader, entry));
  });
  reader.forEach(from, "bounds", [&](DictionaryAttr entry) {
    scores.bounds.push_back(
        {reader.getInt(entry, "cost"), reader.getString(entry, "why")});
  });
  scores.lowerBound = reader.getInt(from, "lower_bound");
  scores.isProven = from.contains("proven");
  if (!reader.isGood || scores.candidates.empty())
    return std::nullopt;
  return scores;
}
