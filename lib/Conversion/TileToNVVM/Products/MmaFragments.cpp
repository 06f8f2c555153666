//===- MmaFragments.cpp - What products multiply, in registers ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products/MmaFragments.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Registers/MmaLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// A word of zeros for an instruction that multiplies more of K than there is.
/// Where a GPU has products of f8 by those of f16, ptxas (13.0) takes the upper
/// half of a zero that it knows for the bytes 0x34, 0.25 of e5m2: of f8 it is
/// one that ptxas does not know, as no lane is below itself.
static Value createPadding(OpBuilder &builder, Location loc, Type element,
                           Type word) {
  if (!element.isFloat(8))
    return LLVM::ZeroOp::create(builder, loc, word);
  Value own = NVVM::LaneMaskEqOp::create(builder, loc, builder.getI32Type());
  Value below = NVVM::LaneMaskLtOp::create(builder, loc, builder.getI32Type());
  Value zero = LLVM::AndOp::create(builder, loc, own, below);
  return word == zero.getType()
             ? zero
             : LLVM::BitcastOp::create(builder, loc, word, zero);
}

MmaFragments::MmaFragments(OpBuilder &builder, Location loc,
                           ValueRange registers, RankedTensorType tile,
                           unsigned operand, bool isA) {
  const LinearLayout &layout = getRegisterLayout(tile).getLayout();
  MmaShape mma = MmaShape::get(getElementBytes(tile.getElementType()));
  int64_t wordsEach = isA ? MmaShape::wordsOfA : MmaShape::wordsOfB;
  // Where K is half of the instruction's, the last words are zeros.
  int64_t given = wordsEach;
  if (tile.getDimSize(1 - operand) < mma.k)
    given /= 2;
  int64_t each = given * mma.perWord;
  for (int64_t first = 0; first < layout.inputSize("register"); first += each) {
    SmallVector<Value> elements(registers.slice(first, each).begin(),
                                registers.slice(first, each).end());
    SmallVector<Value> &fragment = words[layout.apply({{"register", first}})];
    fragment = packWords(builder, loc, elements);
    if (given < wordsEach)
      fragment.append(wordsEach - given,
                      createPadding(builder, loc, tile.getElementType(),
                                    fragment.front().getType()));
  }
}

void MmaFragments::appendTo(SmallVectorImpl<Value> &values) const {
  for (const auto &[point, fragment] : words)
    llvm::append_range(values, fragment);
}

void MmaFragments::takeFrom(ArrayRef<Value> values) {
  for (auto &[point, fragment] : words) {
    llvm::copy(values.take_front(fragment.size()), fragment.begin());
    values = values.drop_front(fragment.size());
  }
}
