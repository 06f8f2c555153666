//===- RoleRegisters.h - Registers of warps that copy -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp of a block begins with as many registers as the others. Where a
// warpgroup only copies, it gives some of its own to those that keep sums of
// products (setmaxnreg); so registers decide whether a kernel has warps that
// copy, how many, and whether two teams compute.
//
//   128 x 256 sums by eight warps, one block on a multiprocessor: each thread
//   of 12 warps begins with 168; main goes on with 232, copy with 40
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROLEREGISTERS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROLEREGISTERS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// How many blocks a multiprocessor runs without warps that copy, where these
/// are more than with them; else 0. What threads make of products in each
/// iteration is hidden by other blocks, and a warp more costs the registers
/// of four. Then a thread that computes starts the copies.
int64_t countBlocksWithoutCopyWarps(KernelOp kernel);

/// Whether products by instructions of a warpgroup need more registers than
/// threads have where there is a warp more.
bool needRegistersOfCopyWarps(KernelOp kernel);

/// Has ptxas leave registers for so many blocks without roles: one too many
/// would cost a block. Where many blocks leave few of them, spills might cost
/// more: there ptxas decides.
void askForBlocksOfProducts(KernelOp kernel, int64_t blocks);

/// Gives the kernel one warp that copies, or a warpgroup where sums need many
/// registers: these are given to warps by fours, and one that copies would cost
/// as many as four that compute.
void divideRegisters(KernelOp kernel, RolesOp roles);

/// Whether a multiprocessor has registers for two teams that compute.
bool haveRegistersForTeams(RolesOp roles);
/// Divides them among both and a warpgroup that copies.
void giveRegistersToTeams(RolesOp roles);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROLEREGISTERS_H
