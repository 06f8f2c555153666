//===- RunEnds.cpp - Where runs of elements begin and end -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RunEnds.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

RunEnd tonvvm::findRunEnd(ImplicitLocOpBuilder &builder, Value index,
                          Value behind, Value end, int64_t bytes) {
  NumberBuilder n(builder);
  int64_t inPiece = kPieceBytes / bytes;
  Value element = n.mul(n.both(index, inPiece - 1), bytes);
  Value last = n.both(end, -kPieceBytes);
  Value isOfFirst = n.isLess(index, n.constant(inPiece));
  Value place = n.select(isOfFirst, element, n.add(last, element));
  Value isInside = n.both(n.isAtMost(behind, place), n.isLess(place, end));
  // One that is whole has gone; one in which the run begins and ends, too, is
  // the first.
  Value isFirstCut = n.make<arith::OrIOp>(
      n.isLess(n.constant(0), behind), n.isLess(end, n.constant(kPieceBytes)));
  Value isLastApart = n.both(n.isLess(n.constant(0), last),
                             n.isLess(index, n.constant(2 * inPiece)));
  Value isCut = n.select(isOfFirst, isFirstCut, isLastApart);
  return {place, n.both(isInside, isCut)};
}
