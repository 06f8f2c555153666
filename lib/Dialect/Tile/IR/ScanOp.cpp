//===- ScanOp.cpp - tile.scan and tile.carry ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/CombineRegion.h"

#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Registers/AxisScan.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The tiles that are scanned together, and the axis.
static LogicalResult verifySources(Operation *op, ValueRange sources,
                                   unsigned axis) {
  if (sources.empty())
    return op->emitOpError("has nothing to scan");
  auto tile = cast<RankedTensorType>(sources.front().getType());
  for (Type type : sources.getTypes()) {
    auto other = cast<RankedTensorType>(type);
    if (other.getShape() != tile.getShape() ||
        other.getEncoding() != tile.getEncoding())
      return op->emitOpError("tiles that are scanned together have one shape "
                             "and one layout");
    if (isa<PtrType>(other.getElementType()))
      return op->emitOpError("does not scan pointers: scan what is added to "
                             "them");
  }
  if (axis >= tile.getRank())
    return op->emitOpError("axis ")
           << axis << " is outside of tiles of rank " << tile.getRank();
  RegisterLayoutAttr layout = getRegisterLayout(tile);
  if (layout && !AxisScan::create(layout.getLayout(), axis))
    return op->emitOpError(
        "some bits of the layout move along the axis and across it, or not by "
        "powers of two, or those of lanes in another order, or beyond warps");
  return success();
}

static LogicalResult verifyTypes(Operation *op, StringRef what,
                                 TypeRange actual, TypeRange expected) {
  if (actual == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError(what) << " are ";
  llvm::interleaveComma(expected, error);
  error << ", not ";
  llvm::interleaveComma(actual, error);
  return error;
}

static LogicalResult verifyCombiner(CombineOpInterface op, ValueRange sources) {
  return CombineRegion(op).verify(
      llvm::map_to_vector(sources.getTypes(), [](Type type) {
        return getElementTypeOrSelf(type);
      }));
}

static LogicalResult verifyExclusive(ScanOp scan) {
  if (scan.getPerWarp())
    return scan.emitOpError("is of each warp, or exclusive");
  RegisterLayoutAttr layout = getRegisterLayout(scan.getTileType());
  if (layout &&
      AxisScan::create(layout.getLayout(), scan.getAxis())->servesExclusive())
    return success();
  return scan.emitOpError(
      "exclusive needs a layout in which the axis is in "
      "one warp, and a thread has what follows one another");
}

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSources(), getAxis())))
    return failure();
  SmallVector<Type> expected = llvm::to_vector(getSources().getTypes());
  if (getPerWarp()) {
    RegisterLayoutAttr layout = getRegisterLayout(getTileType());
    if (!layout)
      return emitOpError("per_warp needs a layout, which says what a warp has");
    auto steps = AxisScan::create(layout.getLayout(), getAxis());
    llvm::append_range(expected, getTilesOf(getSources(), steps->partTotals()));
  }
  if (getExclusive() && failed(verifyExclusive(*this)))
    return failure();
  return verifyTypes(*this, "results", getResultTypes(), expected);
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombiner(*this, getSources());
}

LogicalResult CarryOp::verify() {
  if (failed(verifySources(*this, getSources(), getAxis())))
    return failure();
  RegisterLayoutAttr layout = getRegisterLayout(getTileType());
  if (!layout)
    return emitOpError("is of placed programs: its tiles have layouts");
  auto steps = AxisScan::create(layout.getLayout(), getAxis());
  if (failed(verifyTypes(*this, "values before parts", getBefore().getTypes(),
                         getTilesOf(getSources(), steps->partTotals()))))
    return failure();
  return verifyTypes(*this, "results", getResultTypes(),
                     getSources().getTypes());
}

LogicalResult CarryOp::verifyRegions() {
  return verifyCombiner(*this, getSources());
}
