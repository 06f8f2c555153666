//===- RoleRegisters.cpp - Registers of warps that copy -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/RoleRegisters.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Sums of a thread that leave a block without enough registers.
static constexpr int64_t kManySums = 96;
/// What is enough beside them for a thread of a team
/// (docs/decisions/0045-programs-in-turn.md).
static constexpr int64_t kBesideSumsOfTeam = 40;
/// What ptxas wants beside the sums of an instruction, of the registers that
/// a thread has when the block begins (C7602).
static constexpr int64_t kBesideInstruction = 26;
/// Fewer are no limit that a loop of products should have.
static constexpr int64_t kMinLimitedRegisters = 128;
/// Registers of a thread that copies: enough for a loop with coordinates.
static constexpr int64_t kCopyRegisters = 40;
/// Of a thread of a team, and of one that copies for two: with two teams and
/// four warps that copy these are all of a multiprocessor.
static constexpr int32_t kTeamRegisters = RolesOp::kMostRegisters;
static constexpr int32_t kCopyRegistersForTeams = RolesOp::kLeastRegisters;

//===----------------------------------------------------------------------===//
// Sums that a thread keeps
//===----------------------------------------------------------------------===//

/// Whether threads make something of what is multiplied, before they go on.
static bool isAskedAtOnce(Operation *product) {
  return !endsWith(product, AccessEnd::WithProduct) &&
         llvm::any_of(product->getUsers(), [](Operation *user) {
           return !user->hasTrait<OpTrait::IsTerminator>();
         });
}

/// All sums of a loop that goes on with some of them in each iteration; 0 where
/// there is none.
static int64_t countSumsAskedAtOnce(KernelOp kernel) {
  int64_t most = 0;
  kernel.walk([&](LoopLikeOpInterface loop) {
    int64_t sums = 0;
    bool isOne = false;
    for (Operation &op : loop.getLoopRegions().front()->front())
      if (isa<SharedProductOpInterface>(op)) {
        sums += cast<ProductOpInterface>(op).countSumsOfThread();
        isOne |= isAskedAtOnce(&op);
      }
    if (isOne)
      most = std::max(most, sums);
  });
  return most;
}

/// How many sums a thread has of products that are there at once, at the most.
static int64_t countSums(KernelOp kernel) {
  int64_t sums = countSumsAskedAtOnce(kernel);
  kernel.walk([&](ProductOpInterface product) {
    sums = std::max(sums, product.countSumsOfThread());
  });
  return sums;
}

/// How many sums a thread has of all products.
static int64_t countAllSums(RolesOp roles) {
  int64_t sums = 0;
  roles.getMain().walk(
      [&](ProductOpInterface product) { sums += product.countSumsOfThread(); });
  return sums;
}

/// The columns of a product, and of those that its instructions make too.
static int64_t countColumns(SharedProductOpInterface product) {
  auto type = cast<ShapedType>(product->getResult(0).getType());
  SharedProductOpInterface before = product.getProductBefore();
  return type.getShape().back() + (before ? countColumns(before) : 0);
}

/// How many sums a thread has of the widest product that is one instruction.
static int64_t countSumsOfInstruction(KernelOp kernel) {
  int64_t sums = 0;
  kernel.walk([&](SharedProductOpInterface product) {
    int64_t columns = std::min(countColumns(product), WarpgroupMma::mostN);
    sums = std::max(sums, columns * WarpgroupMma::m / WarpgroupMma::threads);
  });
  return sums;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// How many blocks a multiprocessor has shared memory for.
static int64_t countBlocksWithMemory(KernelOp kernel, const GpuTarget &target) {
  return target.sharedBytesPerSM / (kernel.getSharedBytes().value_or(0) +
                                    target.reservedSharedBytesPerBlock);
}

int64_t tilewright::tile::countBlocksWithoutCopyWarps(KernelOp kernel) {
  GpuTarget target = getTargetOrDefault(kernel);
  int64_t sums = countSumsAskedAtOnce(kernel);
  if (sums == 0)
    return 0;
  int64_t main = kernel.getNumThreads();
  auto countBlocks = [&](int64_t copying) {
    for (int64_t blocks = countBlocksWithMemory(kernel, target); blocks > 0;
         --blocks) {
      int64_t each = target.registersPerThread((main + copying) * blocks);
      if (copying != 0 && countSums(kernel) >= kManySums) // They are divided.
        each = (each * (main + copying) - kCopyRegisters * copying) / main;
      if (each >= sums + kRegistersBesideProducts)
        return blocks;
    }
    return int64_t(0);
  };
  int64_t without = countBlocks(0);
  return without > std::max<int64_t>(countBlocks(WarpgroupMma::threads), 1)
             ? without
             : 0;
}

bool tilewright::tile::needRegistersOfCopyWarps(KernelOp kernel) {
  GpuTarget target = getTargetOrDefault(kernel);
  int64_t sums = countSumsOfInstruction(kernel);
  return sums != 0 &&
         target.registersPerThread(kernel.getNumThreads() + lanesPerWarp) <
             sums + kBesideInstruction;
}

void tilewright::tile::askForBlocksOfProducts(KernelOp kernel, int64_t blocks) {
  GpuTarget target = getTargetOrDefault(kernel);
  int64_t threads = kernel.getNumThreads();
  while (blocks > 1 &&
         target.registersPerThread(threads * blocks) < kMinLimitedRegisters)
    --blocks;
  askForBlocks(kernel, blocks);
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Has a warpgroup copy, and says what each thread has of so many blocks.
static void setRegisters(KernelOp kernel, RolesOp roles, int64_t ofMain,
                         int64_t ofCopy, int64_t blocks) {
  Builder builder(kernel.getContext());
  kernel.setCopyWarps(WarpgroupMma::warps);
  roles.setMainRegistersAttr(builder.getI32IntegerAttr(ofMain));
  roles.setCopyRegistersAttr(builder.getI32IntegerAttr(ofCopy));
  roles.setBlocksAttr(builder.getI32IntegerAttr(blocks));
}

void tilewright::tile::divideRegisters(KernelOp kernel, RolesOp roles) {
  kernel.setCopyWarps(1);
  GpuTarget target = getTargetOrDefault(kernel);
  int64_t sums = countSums(kernel);
  int64_t main = kernel.getNumThreads();
  if (sums < kManySums || main % WarpgroupMma::threads != 0)
    return;
  int64_t threads = main + WarpgroupMma::threads;
  for (int64_t blocks = countBlocksWithMemory(kernel, target); blocks > 0;
       --blocks) {
    // What each thread has when the block begins.
    int64_t each = target.registersPerThread(threads * blocks);
    if (each >= target.maxRegistersPerThread) // There is enough for all.
      return;
    if (each < countSumsOfInstruction(kernel) + kBesideInstruction)
      continue;
    int64_t most = llvm::alignDown(
        (each * threads - kCopyRegisters * WarpgroupMma::threads) / main, 8);
    if (most < sums + kRegistersBesideProducts)
      continue;
    return setRegisters(kernel, roles,
                        std::min<int64_t>(most, RolesOp::kMostRegisters),
                        kCopyRegisters, blocks);
  }
}

bool tilewright::tile::haveRegistersForTeams(RolesOp roles) {
  auto kernel = roles->getParentOfType<KernelOp>();
  GpuTarget target = getTargetOrDefault(kernel);
  int64_t threads = (kMostTeams + 1) * WarpgroupMma::threads;
  return kernel.getNumWarpsOrDefault() == WarpgroupMma::warps &&
         countAllSums(roles) + kBesideSumsOfTeam <= kTeamRegisters &&
         target.registersPerThread(threads) * threads >=
             (kMostTeams * kTeamRegisters + kCopyRegistersForTeams) *
                 WarpgroupMma::threads;
}

void tilewright::tile::giveRegistersToTeams(RolesOp roles) {
  setRegisters(roles->getParentOfType<KernelOp>(), roles, kTeamRegisters,
               kCopyRegistersForTeams, /*blocks=*/1);
}
