//===- AssignSharedLayouts.cpp - Layouts of shared tiles --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/LayoutScoresAttr.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/TripCount.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEASSIGNSHAREDLAYOUTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Gives the type of a shared tile, and of its parts, the layout.
static void setLayout(Value sharedTile, SharedLayoutAttr layout) {
  auto type = cast<SharedType>(sharedTile.getType());
  sharedTile.setType(type.withLayout(layout));
  for (OpOperand &use : sharedTile.getUses())
    if (auto parts = dyn_cast<SharedPartOpInterface>(use.getOwner()))
      for (Value part : parts.getPartsOf(use))
        setLayout(part, layout);
}

/// Says at each access what the layout costs it.
static void remarkOnAccesses(const LayoutScores &scores,
                             const SharedLayoutChoice &choice,
                             ArrayRef<SharedAccessOpInterface> ops) {
  ArrayRef<SharedAccessCost> costs = choice.candidates[choice.winner].costs;
  for (auto [index, op] : llvm::enumerate(ops)) {
    const SharedAccessBound &bound = scores.bounds[index];
    InFlightDiagnostic remark = SharedAccessOpInterface(op)->emitRemark();
    remark << "access " << index << " of the tile: " << costs[index].wavefronts
           << " wavefronts (ideal: " << costs[index].idealWavefronts << ") in "
           << costs[index].instructionsOfBlock() << " instructions";
    if (!bound.whyNotReached.empty())
      remark << ", more than in a layout for it alone: " << bound.whyNotReached;
  }
}

namespace {
struct AssignSharedLayouts
    : tilewright::tile::impl::TileAssignSharedLayoutsBase<AssignSharedLayouts> {
  using TileAssignSharedLayoutsBase::TileAssignSharedLayoutsBase;

  void runOnOperation() override {
    llvm::Expected<SharedLayoutPolicy> policy =
        SharedLayoutPolicy::parse(layout);
    if (!policy) {
      getOperation().emitError(llvm::toString(policy.takeError()));
      return signalPassFailure();
    }
    if (failed(checkSharedTiles(getOperation())))
      return signalPassFailure();
    gpu = getTarget(getOperation());
    threads = countThreads(getOperation());
    requests = getSharedRequests(getOperation());
    std::vector<Scored> scored;
    for (size_t index = 0; index < requests.size(); ++index) {
      AllocSharedOp tile = requests[index].live.tile;
      if (tile.getType().getLayout() && !isStoredInBulk(tile))
        continue;
      FailureOr<Scored> scores = assign(index, *policy);
      if (failed(scores))
        return signalPassFailure();
      requests[index] = SharedRequest(requests[index].live);
      scored.push_back(std::move(*scores));
    }
    // Where they do not fit, tile-allocate-shared says so.
    bool tilesFit = gpu && countBytes(requests) <= gpu->maxSharedBytesPerBlock;
    for (Scored &choice : scored)
      writeScores(choice, tilesFit);
  }

private:
  /// What became of a tile, by its place among the requests.
  struct Scored {
    size_t index;
    int64_t stages;
    LayoutScores scores;
  };

  /// The best layout for these accesses.
  using ChooseFunction = llvm::function_ref<llvm::Expected<SharedLayoutChoice>(
      ArrayRef<SharedAccess>)>;

  /// Returns whether there were any.
  static bool dropMatrixLoads(ArrayRef<SharedAccessOpInterface> ops,
                              StringRef why) {
    bool dropped = false;
    for (SharedAccessOpInterface op : ops) {
      if (!op.getMatrix())
        continue;
      op.setMatrix(false);
      op->emitRemark() << "is not read by ldmatrix: " << why;
      dropped = true;
    }
    return dropped;
  }

  /// A choice with matrix loads, for people: its winner beside the candidates
  /// without such loads, of which more serve.
  static SharedLayoutChoice withCandidatesOf(const SharedLayoutChoice &ordinary,
                                             SharedLayoutChoice matrix,
                                             ArrayRef<SharedAccess> accesses) {
    SharedLayoutCandidate winner = std::move(matrix.candidates[matrix.winner]);
    winner.name += ", ldmatrix";
    int64_t wavefronts = 0, instructions = 0;
    for (auto [access, cost] : llvm::zip_equal(accesses, winner.costs)) {
      wavefronts += access.trips * cost.wavefronts;
      instructions += access.trips * cost.instructionsOfBlock();
    }
    matrix.reason =
        llvm::formatv("{0} costs {1} wavefronts in {2} instructions for {3} "
                      "bytes; with ordinary loads, {4}",
                      winner.name, wavefronts, instructions, winner.bytes,
                      ordinary.reason)
            .str();
    matrix.candidates = ordinary.candidates;
    matrix.candidates.insert(matrix.candidates.begin(), std::move(winner));
    matrix.winner = 0;
    return matrix;
  }

  /// Makes those loads matrix loads with which a layout costs less: ldmatrix
  /// also hands the elements of 16 bytes to 8 lanes, and so transposes what no
  /// layout can both write and read by wide vectors.
  static void tryMatrixLoads(ArrayRef<SharedAccessOpInterface> ops,
                             MutableArrayRef<SharedAccess> accesses,
                             SharedLayoutChoice &best, ChooseFunction choose) {
    if (llvm::all_of(best.bounds, [](const SharedAccessBound &bound) {
          return bound.whyNotReached.empty();
        }))
      return;
    for (auto [op, access] : llvm::zip_equal(ops, accesses)) {
      SharedAccessOpInterface load = op;
      if (!load.mayLoadMatrices() || load.getMatrix() ||
          access.requiredVector != 0)
        continue;
      access.kind = SharedAccessKind::LoadMatrix;
      llvm::Expected<SharedLayoutChoice> choice = choose(accesses);
      bool isBetter = choice && choice->candidates[choice->winner].cost <
                                    best.candidates[best.winner].cost;
      load.setMatrix(isBetter);
      if (isBetter)
        best = withCandidatesOf(best, std::move(*choice), accesses);
      else
        access.kind = SharedAccessKind::Load;
      if (!choice)
        llvm::consumeError(choice.takeError());
    }
  }

  /// What products read where it lies has a layout of the hardware; elements of
  /// other sizes than 2 bytes are only read by rows along K.
  static FailureOr<SharedLayoutPolicy>
  getPolicyOf(AllocSharedOp tile, ArrayRef<SharedOperand> products) {
    if (std::optional<StringRef> pinned = tile.getLayout())
      return tile.emitOpError("a product reads this tile where it lies, in a "
                              "layout of the hardware: it cannot have '")
             << *pinned << "'";
    SharedLayoutPolicy policy{SharedLayoutPolicy::Hardware};
    if (getElementBytes(tile.getType().getElementType()) == 2)
      return policy;
    for (SharedOperand read : products) {
      unsigned rowDim = read.product.getSummedDim(read.operand);
      if (policy.rowDim.value_or(rowDim) != rowDim)
        return tile.emitOpError(
                   "products sum over both dimensions of this tile; "
                   "elements of ")
               << tile.getType().getElementType()
               << " are read by rows along one only";
      policy.rowDim = rowDim;
    }
    return policy;
  }

  static SharedLayoutPolicy getPolicyOfStores(AllocSharedOp tile) {
    TensorBoxes boxes = *tile.getType().getTensorBoxes();
    SharedLayoutPolicy policy{SharedLayoutPolicy::Hardware};
    policy.rowDim = boxes.rowDim;
    policy.rowBytes = boxes.rowBytes;
    return policy;
  }

  static int64_t countStages(AllocSharedOp tile, ArrayRef<int64_t> shape) {
    ArrayRef<int64_t> whole = tile.getType().getShape();
    return shape.size() < whole.size() ? whole.front() : 1;
  }

  /// What a block needs with those.
  int64_t countBytes(ArrayRef<SharedRequest> asked) {
    return planSharedMemory(asked, gpu->freeSharedBytesPerBlock()).total;
  }

  /// Blocks that an SM holds where the stages of a tile have `bytes` each, and
  /// the other tiles what they have now. Registers are not known before ptxas;
  /// one a thread is no limit.
  int64_t countBlocks(size_t index, int64_t stages, int64_t bytes) {
    SmallVector<SharedRequest> asked = requests;
    asked[index].bytes = stages * bytes;
    constexpr int64_t most = std::numeric_limits<unsigned>::max();
    int64_t total = std::min(countBytes(asked), most);
    return gpu->occupancy(threads, /*registersPerThread=*/1, total).blocksPerSM;
  }

  /// What the GPU says about the bytes of a tile, beside the others.
  SharedLayoutSetting makeSetting(size_t index, int64_t stages) {
    // Where not even tiles without padding fit, tile-allocate-shared says so.
    if (!gpu || countBlocks(index, stages, requests[index].bytes / stages) < 1)
      return {};
    return {[this, index, stages,
             known = std::map<int64_t, int64_t>()](int64_t bytes) mutable {
      auto [entry, isNew] = known.try_emplace(bytes);
      if (isNew)
        entry->second = countBlocks(index, stages, bytes);
      return entry->second;
    }};
  }

  /// Keeps the scores with the tile. What was not known when its layout was
  /// chosen, the padding of later tiles, is known now.
  void writeScores(Scored &choice, bool tilesFit) {
    AllocSharedOp tile = requests[choice.index].live.tile;
    if (tilesFit)
      for (LayoutScore &score : choice.scores.candidates)
        score.blocksPerSM =
            countBlocks(choice.index, choice.stages, score.bytes);
    tile->setAttr(kLayoutScoresAttr, toAttr(&getContext(), choice.scores));
  }

  /// The policy of the pass, or what the tile and who uses it leave of it.
  FailureOr<SharedLayoutPolicy> narrow(SharedLayoutPolicy policy,
                                       AllocSharedOp tile) {
    if (std::optional<StringRef> pinned = tile.getLayout())
      policy = llvm::cantFail(SharedLayoutPolicy::parse(*pinned)); // Verified.
    SmallVector<SharedOperand> products = getProducts(tile);
    if (!products.empty()) {
      FailureOr<SharedLayoutPolicy> ofProducts = getPolicyOf(tile, products);
      if (failed(ofProducts))
        return failure();
      policy = *ofProducts;
    }
    // The mode was chosen with the boxes that it is stored by.
    return isStoredInBulk(tile) ? getPolicyOfStores(tile) : policy;
  }

  /// `whyNoMatrixLoads`: what kept ldmatrix, which was wanted, from being used.
  FailureOr<Scored> assign(size_t index, SharedLayoutPolicy ofPass,
                           StringRef whyNoMatrixLoads = "") {
    AllocSharedOp tile = requests[index].live.tile;
    FailureOr<SharedLayoutPolicy> narrowed = narrow(ofPass, tile);
    if (failed(narrowed))
      return failure();
    SharedLayoutPolicy policy = *narrowed;
    SmallVector<SharedAccessOpInterface> ops = getAccesses(tile);
    SmallVector<SharedAccess> accesses;
    for (SharedAccessOpInterface op : ops) {
      if (!getRegisterLayout(op.getTileType())) {
        op.emitOpError("needs a register layout before a shared layout can be "
                       "chosen: run tile-assign-register-layouts");
        return failure();
      }
      accesses.push_back(describeSharedAccess(op, getTripCount(op).count));
      // Runs are wished of a layout that is chosen.
      if (policy.isPinned())
        accesses.back().runDim = op.getRunDim();
    }
    FailureOr<ArrayRef<int64_t>> shape = getStageShape(tile);
    if (failed(shape))
      return failure();
    unsigned bytes = getElementBytes(tile.getType().getElementType());
    int64_t stages = countStages(tile, *shape);
    SharedLayoutSetting setting;
    if (policy.kind != SharedLayoutPolicy::PadBy) // That leaves no choice.
      setting = makeSetting(index, stages);
    auto choose = [&](ArrayRef<SharedAccess> accesses) {
      return chooseSharedLayout(*shape, bytes, accesses, policy, setting);
    };
    llvm::Expected<SharedLayoutChoice> choice = choose(accesses);
    if (choice && policy.kind == SharedLayoutPolicy::Auto)
      tryMatrixLoads(ops, accesses, *choice, choose);
    if (!choice) {
      // Matrix loads ask much of a layout: rather ordinary loads than none.
      std::string why = llvm::toString(choice.takeError());
      if (dropMatrixLoads(ops, why))
        return assign(index, policy, why);
      emitNoChoice(tile, *shape, ops, accesses, policy, setting);
      return failure();
    }
    if (!whyNoMatrixLoads.empty())
      choice->reason += ("; not read by ldmatrix: " + whyNoMatrixLoads).str();
    setLayout(tile,
              SharedLayoutAttr::get(&getContext(),
                                    choice->candidates[choice->winner].layout));
    tile->setAttr(kLayoutReasonAttr,
                  StringAttr::get(&getContext(), choice->reason));
    LayoutScores scores = scoresOf(*choice, accesses);
    tile.emitRemark() << choice->reason;
    remarkOnAccesses(scores, *choice, ops);
    return Scored{index, stages, std::move(scores)};
  }

  /// The shape of what a layout is for: one stage, where the tile is only used
  /// by stages, or the whole tile.
  static FailureOr<ArrayRef<int64_t>> getStageShape(AllocSharedOp tile) {
    ArrayRef<int64_t> shape = tile.getType().getShape();
    bool hasStages = isUsedByStages(tile);
    if (hasStages)
      for (Operation *user : tile->getUsers())
        if (!isa<SharedPartOpInterface>(user))
          return user->emitOpError("accesses all stages of a tile of which "
                                   "others take one: it has one layout, so use "
                                   "tile.subview everywhere or nowhere");
    // A tile that nothing uses has stages if it cannot be a tile otherwise.
    if (hasStages || !llvm::isPowerOf2_64(shape.front()))
      return shape.drop_front();
    return shape;
  }

  /// Says which access, the first in program order, leaves no layout for the
  /// tile; or that there is none even without accesses.
  static void emitNoChoice(AllocSharedOp tile, ArrayRef<int64_t> shape,
                           ArrayRef<SharedAccessOpInterface> ops,
                           ArrayRef<SharedAccess> accesses,
                           const SharedLayoutPolicy &policy,
                           const SharedLayoutSetting &setting) {
    unsigned bytes = getElementBytes(tile.getType().getElementType());
    for (size_t count = 0; count <= accesses.size(); ++count) {
      llvm::Expected<SharedLayoutChoice> choice = chooseSharedLayout(
          shape, bytes, accesses.take_front(count), policy, setting);
      if (choice)
        continue;
      std::string why = llvm::toString(choice.takeError());
      if (count == 0) {
        tile.emitOpError(why);
        return;
      }
      InFlightDiagnostic error =
          SharedAccessOpInterface(ops[count - 1])->emitOpError(why);
      error.attachNote(tile.getLoc()) << "the shared tile";
      return;
    }
    tile.emitOpError("has accesses that no shared layout serves all");
  }

  std::optional<GpuTarget> gpu;
  /// The threads of a block.
  int threads = 0;
  /// What all tiles of the kernel ask for, with the layouts that they have so
  /// far.
  SmallVector<SharedRequest> requests;
};
} // namespace
