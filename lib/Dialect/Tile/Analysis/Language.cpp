//===- Language.cpp - What programs are made of ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/Language.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

bool tile::isInLanguage(OperationName name) {
  Dialect *dialect = name.getDialect();
  if (isa_and_nonnull<TileDialect>(dialect))
    return true;
  if (isa_and_nonnull<scf::SCFDialect>(dialect))
    return llvm::is_contained(
        {scf::ForOp::getOperationName(), scf::WhileOp::getOperationName(),
         scf::ConditionOp::getOperationName(), scf::IfOp::getOperationName(),
         scf::YieldOp::getOperationName()},
        name.getStringRef());
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(dialect) &&
         (name.hasTrait<OpTrait::Elementwise>() ||
          name.hasTrait<OpTrait::ConstantLike>());
}

bool tile::isScalarOfLanguage(Type type) {
  if (type.isSignlessInteger())
    return type.getIntOrFloatBitWidth() <= 64;
  return isa<IndexType, PtrType, Float8E4M3FNType, Float8E5M2Type, Float16Type,
             BFloat16Type, Float32Type, Float64Type>(type);
}

static LogicalResult checkTile(Operation *op, Type type, int numWarps) {
  if (!isTileType(type) || !isScalarOfLanguage(getElementTypeOrSelf(type)))
    return op->emitOpError("has ")
           << type << ", which is no tile: a tile has 1 to " << kMaxTileElements
           << " elements in one or more dimensions, whose extents are powers "
              "of two, and elements are integers of 1 to 64 bits, index, "
              "f8E4M3FN, f8E5M2, f16, bf16, f32, f64 or pointers";
  auto tile = cast<RankedTensorType>(type);
  int64_t perThread =
      tile.getNumElements() / (int64_t(lanesPerWarp) * numWarps);
  if (perThread > kMaxElementsPerThread)
    return op->emitOpError("lets a thread hold ")
           << perThread << " elements of " << tile << ", more than "
           << kMaxElementsPerThread << ": use smaller tiles or more warps";
  if (tile.getEncoding() && !getRegisterLayout(tile))
    return op->emitOpError("has a tile whose encoding is no "
                           "#tile.register_layout: ")
           << tile.getEncoding();
  return success();
}

static LogicalResult checkType(Operation *op, Type type, int numWarps) {
  if (isa<TensorType>(type))
    return checkTile(op, type, numWarps);
  if (isScalarOfLanguage(type) || isa<TileDialect>(type.getDialect()))
    return success();
  return op->emitOpError("makes a value of type ")
         << type
         << ", which the language does not have: scalars are index, integers "
            "of 1 to 64 bits, f8E4M3FN, f8E5M2, f16, bf16, f32 and f64, and "
            "all else is tiles, pointers and views";
}

LogicalResult tile::checkInLanguage(Operation *op, int numWarps) {
  if (!isInLanguage(op->getName())) {
    InFlightDiagnostic error = op->emitOpError("is not part of the language: ")
                               << kLanguage;
    if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()))
      return error << "; loops are scf.for and scf.while, choices are "
                      "scf.if";
    return error << ", and does not say what a thread does";
  }
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() != 1)
    return op->emitOpError("is not part of the language: arithmetic has one "
                           "result");
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type, numWarps)))
      return failure();
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && isa<TensorType>(constant.getType()) &&
      !isa<SplatElementsAttr>(constant.getValue()))
    return op->emitOpError("a constant tile holds one value everywhere; load a "
                           "table from memory instead");
  return success();
}
