//===- CarriedTiles.cpp - Tiles that go through region ops ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/CarriedTiles.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright::tile;

/// Puts in one class what an iteration of a loop gets and what the loop gives:
/// they have one type, even where its bounds say which of them is never used.
static void tieIterations(LoopLikeOpInterface loop,
                          llvm::EquivalenceClasses<Value> &classes) {
  if (auto results = loop.getLoopResults())
    for (auto [argument, result] :
         llvm::zip_equal(loop.getRegionIterArgs(), *results))
      classes.unionSets(argument, result);
}

/// The operands of terminators, then those of the op.
static SmallVector<OpOperand *> getOperandsInside(Operation *op) {
  SmallVector<OpOperand *> operands;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (OpOperand &operand : block.getTerminator()->getOpOperands())
        operands.push_back(&operand);
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(&operand);
  return operands;
}

SmallVector<CarriedTile>
tilewright::tile::getCarriedTiles(RegionBranchOpInterface op) {
  RegionBranchSuccessorMapping inputsOf;
  op.getSuccessorOperandInputMapping(inputsOf);
  llvm::EquivalenceClasses<Value> classes;
  llvm::MapVector<Value, CarriedTile> tiles; // By the leader of the class.
  for (auto &[operand, inputs] : inputsOf)
    for (Value input : inputs)
      classes.unionSets(inputs.front(), input);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op.getOperation()))
    tieIterations(loop, classes);

  auto add = [&](Value input) {
    if (isTile(input) && classes.contains(input))
      tiles[classes.getLeaderValue(input)].inputs.push_back(input);
  };
  for (Region &region : op->getRegions())
    llvm::for_each(region.getArguments(), add);
  llvm::for_each(op->getResults(), add);
  for (OpOperand *operand : getOperandsInside(op)) {
    auto inputs = inputsOf.find(operand);
    if (inputs != inputsOf.end() && isTile(operand->get()))
      tiles[classes.getLeaderValue(inputs->second.front())].feeders.push_back(
          operand);
  }
  return llvm::map_to_vector(tiles, [](auto &entry) { return entry.second; });
}
