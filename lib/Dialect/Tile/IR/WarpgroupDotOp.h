//===- WarpgroupDotOp.h - Products of warpgroups ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_WARPGROUPDOTOP_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_WARPGROUPDOTOP_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether nothing is done with the sums of products under way but to carry
/// them on, to add further products to them, and to wait for them.
llvm::LogicalResult verifyProductsUnderWay(KernelOp kernel);

/// Where threads have operand 0, as registers, of a product whose sums are in
/// this layout.
LinearLayout layOutA(WarpgroupDotOp dot, const LinearLayout &sums);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_WARPGROUPDOTOP_H
