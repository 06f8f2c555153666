//===- ReadLate.cpp - Reads of shared memory behind loads -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "Loads/KeptTiles.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEREADLATE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// A load of global memory and the store that puts what it has loaded into
/// shared memory: all of it is in registers in between.
struct Staged {
  Operation *load, *store;

  static std::optional<Staged> find(Operation &op) {
    if (!isPlainLoad(&op))
      return std::nullopt;
    Operation *end = &op;
    while (end->getNumResults() == 1 && end->hasOneUse()) {
      Operation *user = *end->user_begin();
      if (user->getBlock() != op.getBlock())
        break;
      if (auto store = dyn_cast<SharedAccessOpInterface>(user))
        return store.isStore() ? std::optional(Staged{&op, user})
                               : std::nullopt;
      if (!isPure(user))
        break;
      end = user;
    }
    return std::nullopt;
  }
};

/// A read of shared memory by threads, and what is computed of it before some
/// op of its block.
class Read {
public:
  explicit Read(SharedAccessOpInterface read) : read(read) {}

  /// The read of a whole tile that nothing else but such accesses knows, or
  /// null.
  static SharedAccessOpInterface match(Operation &op) {
    auto access = dyn_cast<SharedAccessOpInterface>(op);
    if (!access || access.isStore() || op.getNumResults() != 1 ||
        !endsWith(&op, AccessEnd::WithOp))
      return {};
    auto tile = access.getSharedTile().getDefiningOp<AllocSharedOp>();
    return tile && llvm::all_of(tile->getUsers(),
                                llvm::IsaPred<SharedAccessOpInterface>)
               ? access
               : SharedAccessOpInterface();
  }

  /// Whether it finds the same behind `end`, and nobody waits for it so long.
  bool mayPass(Operation *end) {
    moved.insert(read);
    for (Operation *op = read->getNextNode();; op = op->getNextNode()) {
      if (writesTile(op))
        return false;
      if (usesMoved(op)) {
        if (op == end || !isPure(op) || op->getNumRegions() != 0)
          return false;
        moved.insert(op);
      }
      if (op == end)
        return true;
    }
  }

  void moveBehind(Operation *end) {
    for (Operation *op : moved) {
      op->moveAfter(end);
      end = op;
    }
  }

private:
  bool usesMoved(Operation *op) {
    return anyOpIn(*op, [&](Operation *nested) {
      return llvm::any_of(nested->getOperands(), [&](Value operand) {
        return moved.contains(operand.getDefiningOp());
      });
    });
  }

  bool writesTile(Operation *op) {
    Value tile = read.getSharedTile();
    return anyOpIn(*op, [&](Operation *nested) {
      return llvm::is_contained(nested->getOperands(), tile) && !match(*nested);
    });
  }

  SharedAccessOpInterface read;
  llvm::SetVector<Operation *> moved;
};

//===----------------------------------------------------------------------===//
// In loops
//===----------------------------------------------------------------------===//

/// Registers for the sums of a loop's products: those that it carries, and
/// those that each iteration makes.
static int64_t countRegistersOfSums(Operation *loop) {
  int64_t registers = 0;
  loop->walk([&](ProductOpInterface product) {
    if (llvm::none_of(product->getUsers(), llvm::IsaPred<ProductOpInterface>))
      registers += countRegisters(product->getResults());
  });
  return registers;
}

/// Registers for what threads load from global memory in a trip, to store it to
/// shared memory: ptxas has all of it under way at once.
static int64_t countStaged(Operation *loop) {
  int64_t registers = 0;
  loop->walk([&](Operation *op) {
    if (Staged::find(*op))
      registers = std::max(registers, countRegisters(op->getResults()));
  });
  return registers;
}

/// The outermost loop of a block that is around an op, in branches or not.
static Operation *findLoopIn(Block *block, Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *around = op->getParentOp(); around != block->getParentOp();
       around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      outermost = around;
  return outermost;
}

/// Whether what is read waits in registers for loops of products that leave no
/// room for it, and could be read there as well.
static bool isBetterReadInLoops(SharedAccessOpInterface read) {
  Block *block = read->getBlock();
  auto isShort = [&](Operation *user) {
    Operation *loop = findLoopIn(block, user);
    return loop && countRegistersOfSums(loop) + countStaged(loop) +
                           countRegisters(read->getResults()) >
                       kMostProductRegisters;
  };
  auto isOver = [&](Operation *user) {
    return !cast<SharedAccessOpInterface>(user).isStore() ||
           (user->getBlock() == block && user->isBeforeInBlock(read));
  };
  return !read->use_empty() && llvm::all_of(read->getUsers(), isShort) &&
         llvm::all_of(read.getSharedTile().getUsers(), isOver);
}

/// Reads it once in each block that uses it.
static void readInLoops(SharedAccessOpInterface read) {
  llvm::MapVector<Block *, Operation *> firstUsers;
  for (Operation *user : read->getUsers()) {
    Operation *&first = firstUsers[user->getBlock()];
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  for (auto [block, user] : firstUsers) {
    Operation *copy = OpBuilder(user).clone(*read);
    read->getResult(0).replaceUsesWithIf(
        copy->getResult(0), [block = block](OpOperand &use) {
          return use.getOwner()->getBlock() == block;
        });
  }
  read->erase();
}

struct ReadLate : tilewright::tile::impl::TileReadLateBase<ReadLate> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<LoopLikeOpInterface> loops;
    kernel.walk([&](LoopLikeOpInterface loop) {
      if (hasProducts(loop))
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    unsigned blocks = countBlocksWithRoom(kernel);
    changeWithRoom(blocks, [&] {
      bool isChanged = false;
      for (LoopLikeOpInterface loop : loops)
        isChanged |= readLate(loop);
      return isChanged;
    });
    // What loops have no registers for goes through memory in each iteration,
    // of one block or of two.
    changeWithRoom(std::min(blocks, 1u), [&] { return readInLoops(kernel); });
  }

private:
  /// Tiles that are read later need bytes beside those of others: takes the
  /// change back where fewer blocks have room.
  void changeWithRoom(unsigned blocks, function_ref<bool()> change) {
    KernelOp kernel = getOperation();
    OwningOpRef<KernelOp> before = kernel.clone();
    if (change() && countBlocksWithRoom(kernel) < blocks)
      kernel.getBody().takeBody(before->getBody());
  }

  static bool readInLoops(KernelOp kernel) {
    SmallVector<SharedAccessOpInterface> reads;
    kernel.walk([&](Operation *op) {
      if (SharedAccessOpInterface read = Read::match(*op);
          read && isBetterReadInLoops(read))
        reads.push_back(read);
    });
    for (SharedAccessOpInterface read : reads)
      ::readInLoops(read);
    return !reads.empty();
  }

  /// Reads behind the loop what can be. Returns whether anything was moved.
  static bool readLate(LoopLikeOpInterface loop) {
    SmallVector<Staged> stagings;
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
      if (std::optional<Staged> staged = Staged::find(*op))
        stagings.push_back(*staged);
    bool isChanged = false;
    for (Staged staged : stagings)
      isChanged |= readLate(loop, staged);
    return isChanged;
  }

  /// What is read in front of the load, behind its store: ptxas has all loads
  /// under way before it computes anything, and keeps what was read for that.
  static bool readLate(LoopLikeOpInterface loop, Staged staged) {
    int64_t registers = countRegisters(loop->getResults()) +
                        countRegisters(staged.load->getResults());
    SmallVector<SharedAccessOpInterface> reads;
    for (Operation *op = loop->getNextNode(); op != staged.load;
         op = op->getNextNode())
      if (SharedAccessOpInterface read = Read::match(*op)) {
        registers += countRegisters(op->getResults());
        reads.push_back(read);
      }
    if (registers <= kMostProductRegisters)
      return false;
    bool isChanged = false;
    // In order: each goes right behind the store.
    for (SharedAccessOpInterface access : llvm::reverse(reads)) {
      Read read(access);
      if (!read.mayPass(staged.store))
        continue;
      read.moveBehind(staged.store);
      isChanged = true;
    }
    return isChanged;
  }
};
} // namespace
