//===- Teams.h - Teams of warps with programs in turn -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops by which two teams of warps do the programs of a block in turn, and
// how many teams a kernel has.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TEAMS_H
#define TILEWRIGHT_DIALECT_TILE_IR_TEAMS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// On `tile.roles`: how many teams do `main`.
inline constexpr llvm::StringLiteral kTeamsAttr = "tile.teams";

/// More would need registers that no multiprocessor has.
inline constexpr int kMostTeams = 2;

/// Parts of a program that teams do in turn.
inline constexpr int kPartsOfProgram = 2;

/// The teams of the roles, or of the roles of a kernel; 1 where nothing is
/// said.
int getNumTeams(RolesOp roles);
int getNumTeams(KernelOp kernel);

/// Threads of a block: of all teams, and of those that copy.
int countThreads(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_TEAMS_H
