//===- Teams.cpp - Teams of warps with programs in turn -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/Teams.h"

#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

int tilewright::tile::getNumTeams(RolesOp roles) {
  auto teams = roles->getAttrOfType<IntegerAttr>(kTeamsAttr);
  return teams ? static_cast<int>(teams.getInt()) : 1;
}

int tilewright::tile::getNumTeams(KernelOp kernel) {
  for (auto roles : kernel.getBody().front().getOps<RolesOp>())
    return getNumTeams(roles);
  return 1;
}

int tilewright::tile::countThreads(KernelOp kernel) {
  int warps = getNumTeams(kernel) * kernel.getWarpsPerBlock() +
              kernel.getCopyWarps().value_or(0);
  return warps * static_cast<int>(lanesPerWarp);
}

static LogicalResult verifyInTeam(Operation *op) {
  auto roles = op->getParentOfType<RolesOp>();
  if (roles && getNumTeams(roles) > 1 &&
      roles.getMain().isAncestor(op->getParentRegion()))
    return success();
  return op->emitOpError("is of a team: it stands in main of tile.roles with "
                         "'")
         << kTeamsAttr << "'";
}

LogicalResult TeamOp::verify() { return verifyInTeam(*this); }
LogicalResult TeamEnterOp::verify() { return verifyInTeam(*this); }
LogicalResult TeamLeaveOp::verify() { return verifyInTeam(*this); }

void TeamOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                               SetIntRangeFn setResultRange) {
  unsigned bits = IndexType::kInternalStorageBitWidth;
  setResultRange(getResult(), ConstantIntRanges::fromUnsigned(
                                  APInt(bits, 0), APInt(bits, kMostTeams - 1)));
}
