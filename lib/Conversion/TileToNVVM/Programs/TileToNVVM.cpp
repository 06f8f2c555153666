//===- TileToNVVM.cpp - From a placed program to threads ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Exchanges/Exchanges.h"
#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Dialect/Tile/Analysis/AccessByWords.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTTILETONVVM
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

void tonvvm::populateTypeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](PtrType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
  });
  converter.addConversion([](SharedType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  });
  // Parameters of a kernel are LLVM's integers.
  converter.addSourceMaterialization([](OpBuilder &builder, IndexType type,
                                        ValueRange values,
                                        Location loc) -> Value {
    if (values.size() != 1 || !values[0].getType().isSignlessInteger())
      return nullptr;
    return arith::IndexCastOp::create(builder, loc, type, values[0]);
  });
  converter.addSourceMaterialization([](OpBuilder &builder, FloatType type,
                                        ValueRange values,
                                        Location loc) -> Value {
    if (values.size() != 1 || !values[0].getType().isInteger(8))
      return nullptr;
    return arith::BitcastOp::create(builder, loc, type, values[0]);
  });
  // A parameter of the kernel, of which only the address is used.
  converter.addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  // A view is its base, then the extents and the strides that are no constants.
  converter.addConversion([](ViewType type,
                             SmallVectorImpl<Type> &parts) -> LogicalResult {
    MLIRContext *context = type.getContext();
    parts.push_back(LLVM::LLVMPointerType::get(context, kGlobalSpace));
    size_t numDynamic = llvm::count(type.getShape(), ShapedType::kDynamic) +
                        llvm::count(type.getStrides(), ShapedType::kDynamic);
    parts.append(numDynamic, IndexType::get(context));
    return success();
  });
  // A tile is the registers that one thread has of it.
  converter.addConversion(
      [&converter](RankedTensorType type,
                   SmallVectorImpl<Type> &registers) -> LogicalResult {
        RegisterLayoutAttr layout = getRegisterLayout(type);
        if (!layout)
          return failure();
        registers.append(layout.getNumRegisters(),
                         converter.convertType(type.getElementType()));
        return success();
      });
}

namespace {
struct ConvertTileToNVVM
    : tilewright::impl::ConvertTileToNVVMBase<ConvertTileToNVVM> {
  void runOnOperation() override {
    LoweringContext context;
    context.target = getTargetOrDefault(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      return WalkResult(success(succeeded(checkTarget(op, context.target)) &&
                                succeeded(checkPlaced(op))));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](KernelOp kernel) { collect(kernel, context); });
    if (failed(convert(context)))
      return signalPassFailure();
    getOperation().walk([](Operation *op) { op->removeAttr(kTeamsAttr); });
  }

private:
  /// What is known of a kernel before it is a function.
  static void collect(KernelOp kernel, LoweringContext &context) {
    collectDims(kernel, context);
    collectReadOnly(kernel, context);
    collectKnownColumns(kernel, context);
    if (isOfRows(kernel))
      context.rowKernels.insert(kernel.getSymNameAttr());
    if (hasProducts(kernel))
      context.productKernels.insert(kernel.getSymNameAttr());
    collectRoles(kernel, context);
    gatherJoinedProducts(kernel, context);
    findExchanges(kernel, context);
    // Those of a function are over numbers like others.
    kernel.walk([](LoopLikeOpInterface loop) {
      loop->removeAttr(TileDialect::kProgramsAttr);
    });
  }

  LogicalResult convert(LoweringContext &context) {
    TypeConverter converter;
    populateTypeConversions(converter);
    RewritePatternSet patterns(&getContext());
    populatePatterns(patterns, converter, context);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addIllegalDialect<TileDialect>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    // Constants are folded where it is known which of MLIR's folders are right.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    return applyPartialConversion(getOperation(), target, std::move(patterns),
                                  config);
  }

  static void populatePatterns(RewritePatternSet &patterns,
                               const TypeConverter &converter,
                               LoweringContext &context) {
    populateKernelPatterns(patterns, converter, context);
    populateElementwisePatterns(patterns, converter, context);
    populateTilePatterns(patterns, converter);
    populatePromisePatterns(patterns, converter, context);
    populateConvertLayoutPatterns(patterns, converter);
    populateMmaDotPatterns(patterns, converter, context);
    populateWarpgroupDotPatterns(patterns, converter, context);
    populateFmaDotPatterns(patterns, converter);
    populateReducePatterns(patterns, converter);
    populateScanPatterns(patterns, converter);
    populateGlobalMemoryPatterns(patterns, converter, context);
    populateAtomicPatterns(patterns, converter, context);
    populatePointerPatterns(patterns, converter, context);
    populateAssertPatterns(patterns, converter);
    populatePrintPatterns(patterns, converter);
    populateInlineAsmPatterns(patterns, converter);
    populateSharedMemoryPatterns(patterns, converter, context);
    populateProductPartPatterns(patterns, converter);
    populateClusterPatterns(patterns, converter, context);
    populateBulkCopyPatterns(patterns, converter, context);
    populateMbarrierPatterns(patterns, converter);
    populateRolePatterns(patterns, converter, context);
    populateAsyncCopyPatterns(patterns, converter);
    populateMovedRowCopyPatterns(patterns, converter, context);
    populateMovedRowStorePatterns(patterns, converter, context);
    populateMovedRowWalkPatterns(patterns, converter, context);
    populateRowCopyPatterns(patterns, converter, context);
    populateRowRunPatterns(patterns, converter, context);
  }

  /// Whether the target has what the op needs.
  static LogicalResult checkTarget(Operation *op, const GpuTarget &target) {
    if (isa<WarpgroupDotOp, DotWaitOp>(op) && !target.wgmma)
      return op->emitOpError("needs wgmma, which the target does not have: "
                             "sm_90a does");
    if (isa<TensorMapOp>(op) && !target.tma)
      return op->emitOpError("needs bulk tensor copies, which the target does "
                             "not have: sm_90a and newer do");
    if (auto dot = dyn_cast<DotOp>(op))
      return checkDot(dot, target);
    if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
      return checkGlobalWidth(access, target);
    return success();
  }

  /// Whether the target has accesses as wide as this one.
  static LogicalResult checkGlobalWidth(GlobalAccessOpInterface access,
                                        const GpuTarget &target) {
    int64_t bytes = access.getVectorWidth().value_or(1) *
                    getElementBytes(access.getTileType().getElementType());
    if (bytes > kMaxWideVectorBytes)
      return access.emitOpError("moves ")
             << bytes << " bytes a thread; no GPU moves more than "
             << kMaxWideVectorBytes;
    if (bytes > target.globalVectorBytes())
      return access.emitOpError("moves ")
             << bytes
             << " bytes a thread, which takes sm_100 or newer; the target is "
             << target.name;
    int64_t most = access.getMaxElements(target);
    if (access.getVectorWidth().value_or(1) > most)
      return access.emitOpError("is done to ")
             << *access.getVectorWidth()
             << " elements at once, which one instruction of " << target.name
             << " does to " << most << " at the most";
    return success();
  }

  /// Whether the kernel has the bytes of its tile.
  static LogicalResult checkBytes(AllocSharedOp tile) {
    int64_t end = static_cast<int64_t>(*tile.getOffset()) +
                  tile.getType().getSizeInBytes();
    auto kernel = tile->getParentOfType<KernelOp>();
    auto bytes = static_cast<int64_t>(kernel.getSharedBytes().value_or(0));
    if (end <= bytes)
      return success();
    return tile.emitOpError("ends at byte ")
           << end << " of shared memory, of which the kernel has " << bytes
           << " (shared_bytes): run tile-allocate-shared first";
  }

  /// Whether a shared tile has its layout, and its bytes.
  static LogicalResult checkShared(AllocSharedOp tile) {
    if (!tile.getOffset() || !tile.getType().getLayout())
      return tile.emitOpError(
          "has no layout or no offset: run tile-assign-shared-layouts "
          "and tile-allocate-shared first");
    return success(succeeded(checkBytes(tile)) &&
                   succeeded(checkAlignment(tile)));
  }

  /// Whether an op can be made of instructions with the layouts of its tiles.
  static LogicalResult checkLayouts(Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op);
        reduce && getRegisterLayout(reduce.getTileType()) &&
        failed(checkReduce(reduce)))
      return failure();
    if (auto product = dyn_cast<SharedProductOpInterface>(op);
        product && failed(checkJoined(product)))
      return failure();
    if (auto scan = dyn_cast<ScanOp>(op); scan && failed(checkScan(scan)))
      return failure();
    auto once = dyn_cast<OnceOpInterface>(op);
    return once ? checkOnce(once) : success();
  }

  /// Whether threads have words of what is to go by words.
  static LogicalResult checkWords(GlobalAccessOpInterface access) {
    auto step = access->getAttrOfType<IntegerAttr>(kByWordsAttr);
    if (step && std::abs(step.getInt()) == 1 && findWordsOfThreads(access))
      return success();
    return access.emitOpError("cannot go by words (")
           << kByWordsAttr
           << "): no row of the tile has two words of 32 bits in each lane of "
              "a warp; tile-check-vector-width says which accesses can";
  }

  static bool lacksVectorWidth(Operation *op) {
    if (auto access = dyn_cast<SharedAccessOpInterface>(op))
      return !access.getVectorWidth();
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    return access && !access.getVectorWidth();
  }

  /// What the passes before this one must have decided.
  static LogicalResult checkPlaced(Operation *op) {
    if (isa_and_nonnull<TileDialect>(op->getDialect()) && !isa<KernelOp>(op) &&
        !op->getParentOfType<KernelOp>())
      return op->emitOpError(
          "stands outside of a tile.kernel: only kernels have tiles");
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type) && !getRegisterLayout(type))
        return op->emitOpError("has no register layout: run "
                               "tile-assign-register-layouts first");
    if (isa<ChannelOp>(op))
      return op->emitOpError("is no group of copies yet: run "
                             "tile-lower-channels first");
    if (auto tile = dyn_cast<AllocSharedOp>(op);
        tile && failed(checkShared(tile)))
      return failure();
    if (failed(checkLayouts(op)))
      return failure();
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    if (access && access->hasAttr(kByWordsAttr) && failed(checkWords(access)))
      return failure();
    if (lacksVectorWidth(op))
      return op->emitOpError(
          "has no vector width: run tile-check-vector-width first");
    return success();
  }

  static void collectRoles(KernelOp kernel, LoweringContext &context) {
    unsigned &numMaps = context.numTensorMaps[kernel.getSymNameAttr()];
    constexpr unsigned numAxes = 3;
    bool hasOthers =
        kernel.getBlockPrograms() || countClusterPrograms(kernel) > 1;
    if (kernel.getPersistent() || hasOthers)
      context.numGridParameters[kernel.getSymNameAttr()] = numAxes;
    if (hasOthers)
      llvm::copy(getLaunchedPrograms(kernel),
                 context.blockPrograms[kernel.getSymNameAttr()].begin());
    kernel.walk([&](Operation *op) {
      if (isa<TensorMapOp>(op))
        context.tensorMaps[op] = numMaps++;
      if (isa<RolesOp, CopyRowsOp, StoreRowsOp, CopySectorsOp, StoreSectorsOp,
              WalkRowsOp, CopyRowOp, StoreRowOp, LoadRunOp, StoreRunOp>(op))
        context.computingThreads[op] =
            static_cast<int>(kernel.getNumThreads()) *
            (isa<RolesOp>(op) ? getNumTeams(kernel) : 1);
    });
  }

  static bool isOfRows(KernelOp kernel) {
    return combinesRows(kernel) && !kernel.getCopyWarps() &&
           !hasProducts(kernel);
  }

  static void collectReadOnly(KernelOp kernel, LoweringContext &context) {
    DenseMap<Value, bool> isWritten;
    kernel.walk([&](GlobalAccessOpInterface access) {
      Value array =
          getRoot(findMemoryAccess(access, MemorySpace::Global)->base);
      auto [entry, isNew] = isWritten.try_emplace(array);
      if (isNew)
        entry->second = mayWriteThrough(kernel, array);
      if (!entry->second)
        context.readOnly.insert(access);
    });
  }

  static void collectDims(KernelOp kernel, LoweringContext &context) {
    AxisInfoAnalysis axes(kernel);
    kernel.walk([&](GlobalAccessOpInterface access) {
      context.vectorDims[access] = getAddressVector(access, axes).dim;
    });
    kernel.walk([&](Operation *op) {
      if (op->getNumResults() != 1 || !isTile(op->getResult(0)))
        return;
      SmallVector<Value, 3> tiles;
      if (op->hasTrait<OpTrait::Elementwise>() ||
          getElementTypeOrSelf(op->getResult(0)).isInteger(1))
        tiles.push_back(op->getResult(0));
      else if (auto load = dyn_cast<LoadOp>(op); load && !load.getIsVolatile())
        tiles.assign(op->operand_begin(), op->operand_end());
      if (tiles.empty())
        return;
      SmallVector<int64_t, 2> constancies(
          cast<RankedTensorType>(op->getResult(0).getType()).getShape());
      for (auto [dim, constancy] : llvm::enumerate(constancies))
        for (Value tile : tiles)
          constancy = std::gcd(constancy, axes.get(tile).axis(dim).constancy);
      if (llvm::any_of(constancies, [](int64_t each) { return each > 1; }))
        context.constancies[op] = constancies;
    });
    int64_t &alignment = context.sharedAlignments[kernel];
    kernel.walk([&](AllocSharedOp tile) {
      alignment = std::max(alignment, getHardwareAlignment(tile));
    });
  }
};
} // namespace
