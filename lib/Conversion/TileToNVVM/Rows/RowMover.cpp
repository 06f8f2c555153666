//===- RowMover.cpp - What copies and stores of odd rows have -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RowMover.h"

#include "Threads/VectorAccess.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

Value RowMover::loadRegister(Value pointer) {
  Value value = load(pointer);
  if (bytes >= 4)
    return value;
  return builder.createOrFold<arith::ExtUIOp>(builder.getI32Type(), value);
}

Value RowMover::pack(ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return elements.front();
  auto permute = [&](Value a, Value b, StringRef selector) {
    return emitPurePtx(
        builder, builder.getLoc(), builder.getI32Type(), {a, b},
        llvm::formatv("prmt.b32 $0, $1, $2, {0};", selector).str(), "=r,r,r");
  };
  if (elements.size() == 2)
    return permute(elements[0], elements[1], "0x5410");
  return permute(permute(elements[0], elements[1], "0x0040"),
                 permute(elements[2], elements[3], "0x0040"), "0x5410");
}

void RowMover::copyWhole(Value dest, Value source, Value condition,
                         bool isCached, Value fetchesLines) {
  Value pointer = getGlobal(source);
  auto copyIf = [&](Value is, StringRef hint) {
    emitPtx(builder, builder.getLoc(), nullptr, {dest, pointer, is},
            llvm::formatv("@$2 cp.async.{0}.shared.global{1} [$0], [$1], "
                          "{2};",
                          isCached ? "ca" : "cg", hint, RowBuffer::pieceBytes)
                .str(),
            "r,l,b,~{memory}");
  };
  if (!fetchesLines)
    return copyIf(condition, "");
  copyIf(both(condition, fetchesLines), ".L2::128B");
  copyIf(both(condition, make<arith::XOrIOp>(fetchesLines, 1)), "");
}

void RowMover::copyElements(Value at, Value source, Value dest, Value begin,
                            Value end) {
  SmallVector<Value> inside, elements;
  for (int64_t byte = 0; byte < RowBuffer::pieceBytes; byte += bytes) {
    Value element = add(at, byte);
    inside.push_back(both(isAtMost(begin, element), isLess(element, end)));
    Value pointer = getGlobal(add(source, byte));
    elements.push_back(
        loadVector(builder, builder.getLoc(), pointer, type, 1, inside.back())
            .front());
  }
  for (auto [index, element] : llvm::enumerate(elements))
    storeVector(builder, builder.getLoc(),
                addBytes(builder, builder.getLoc(), dest, index * bytes),
                element, inside[index]);
}
