//===- Patterns.h - The families of patterns of the lowering ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file an op family; each gives one populate function. A tile is converted
// to as many values as a thread has registers of it, in the order of the
// layout's `register`.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_PATTERNS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_PATTERNS_H

#include "Threads/KnownColumns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Shared/SharedAccess.h"

namespace tilewright::tonvvm {

/// What all warps of a program tell each other, across the blocks that run it
/// (Exchanges.h).
struct Exchange {
  /// The symbol of its mbarrier.
  std::string mbarrier;
  /// That come to each block.
  int64_t bytes = 0;
  /// Whether the op at hand is its first store.
  bool isFirst = false;
  /// Whether readers say when the next one may begin, and no barrier of the
  /// cluster does.
  bool isInOrder = false;
  /// The symbol of the mbarrier at which warps, or blocks, tell the one that
  /// waits for them that they have read all, and how many do.
  std::string readers;
  int64_t numReaders = 0;
  /// Where warps store to their own block's tiles, and the block then sends
  /// them to the others: these tiles.
  llvm::SmallVector<mlir::Value, 2> sentTiles;

  bool tellsReaders() const { return !readers.empty(); }
  bool isSentByBlocks() const { return !sentTiles.empty(); }
};

/// What the lowering knows beside the op at hand.
struct LoweringContext {
  GpuTarget target;
  /// What shared memory is aligned to in a kernel, where it is more than lines.
  llvm::DenseMap<mlir::Operation *, int64_t> sharedAlignments;
  /// For each access through a tile of pointers, the dimension of its vectors.
  llvm::DenseMap<mlir::Operation *, unsigned> vectorDims;
  /// Names of kernels that combine elements, and multiply no matrices.
  llvm::DenseSet<mlir::Attribute> rowKernels;
  /// Names of kernels that multiply matrices.
  llvm::DenseSet<mlir::Attribute> productKernels;
  /// Accesses to arrays that the kernel does not write.
  llvm::DenseSet<mlir::Operation *> readOnly;
  /// Of ops whose elements are masks, and of loads by pointers: how many
  /// neighbours along each dimension are the same, at multiples of that.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 2>> constancies;
  /// For each register of such an op's result, the first one whose element is
  /// known to be the same.
  llvm::SmallVector<unsigned> findAlike(mlir::Operation *op,
                                        size_t numRegisters) const;
  /// Of ops whose elements are masks: what they are in each register, where
  /// that is known; and of accesses to blocks of views, where these may be.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::optional<bool>>>
      knownMasks;
  llvm::DenseMap<mlir::Operation *, BlockRanges> blocks;
  /// For each register of such ops the first one that is known to have the same
  /// mask.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> alikeMasks;
  /// Which of its kernel's tensor maps each is, how many a kernel has, and how
  /// many threads compute where others copy, or move rows.
  llvm::DenseMap<mlir::Operation *, unsigned> tensorMaps;
  llvm::DenseMap<mlir::Attribute, unsigned> numTensorMaps;
  llvm::DenseMap<mlir::Operation *, int> computingThreads;
  /// How many groups of instructions a wait for products leaves under way.
  llvm::DenseMap<mlir::Operation *, int64_t> groupsLeft;
  /// By the name of a kernel: what a launch passes behind the tensor maps, the
  /// numbers of programs along three axes, or nothing.
  llvm::DenseMap<mlir::Attribute, unsigned> numGridParameters;
  /// By the name of a kernel: the programs along each axis that a block runs at
  /// once, or a cluster, where these are several.
  llvm::DenseMap<mlir::Attribute, std::array<int32_t, 3>> blockPrograms;
  /// The same of the function that an op is in; ones where it has no entry.
  std::array<int32_t, 3> getLaunchedPrograms(mlir::Operation *inFunction) const;
  /// Which of a kernel's exchanges a store or a barrier is of, or the last load
  /// of what was stored.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Exchange>> exchanges;
  llvm::DenseMap<mlir::Operation *, Exchange> exchangeOf;
  /// Barriers that order nothing but what exchanges do.
  llvm::DenseSet<mlir::Operation *> needlessBarriers;
  /// How many are written for the simulator, which tells them apart by number.
  int64_t numPromises = 0;
};

/// A pattern that knows the lowering's context.
template <typename Op> struct ContextPattern : mlir::OpConversionPattern<Op> {
  ContextPattern(const mlir::TypeConverter &converter,
                 mlir::MLIRContext *mlirContext, const LoweringContext &context)
      : mlir::OpConversionPattern<Op>(converter, mlirContext),
        context(context) {}
  const LoweringContext &context;
};

/// Lowers an op whose result has the registers of its source, as the verifier
/// has made sure where their layouts say it.
template <typename Op> struct RenamePattern : mlir::OpConversionPattern<Op> {
  using mlir::OpConversionPattern<Op>::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(
      Op op,
      typename Op::template GenericAdaptor<llvm::ArrayRef<mlir::ValueRange>>
          adaptor,
      mlir::ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getSource()});
    return mlir::success();
  }
};

/// The values of operands that are one value each.
inline llvm::SmallVector<mlir::Value>
getSingleValues(llvm::ArrayRef<mlir::ValueRange> ranges) {
  return llvm::map_to_vector(
      ranges, [](mlir::ValueRange range) { return range.front(); });
}

/// Address spaces of NVPTX.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
/// Shared memory of the blocks of a cluster.
inline constexpr unsigned kClusterSpace = 7;

/// Begins the text that waits for a warpgroup's products and gives their sums.
inline constexpr llvm::StringLiteral kWaitForProducts =
    "wgmma.wait_group.sync.aligned 0;";

/// The name of the module's symbol for something of a kernel: no kernel has a
/// `$` in its own.
inline std::string getSymbolOf(mlir::StringAttr kernel,
                               const llvm::Twine &what) {
  return (kernel.getValue() + "$" + what).str();
}
/// That for its shared memory; the kernel is given in its old or its new form.
std::string getSharedSymbol(mlir::Operation *kernel);

/// Threads of a block, of a function that says so.
std::optional<int64_t> getNumThreads(mlir::Operation *function);
/// How many blocks ptxas is asked to have room for on a multiprocessor; 1 where
/// nobody asks.
int64_t getAskedBlocks(mlir::Operation *function);
/// Registers that each thread can have of a launch of such blocks; of roles,
/// those of the one that has most.
int64_t countRegistersPerThread(mlir::Operation *function);

/// i32: the number along an axis of the program that a block runs, or the first
/// of several counted in such numbers.
mlir::Value getProgramNumber(mlir::OpBuilder &builder, mlir::Location loc,
                             unsigned axis);

/// Has a thread of the block fetch descriptors of tensors, so that the first
/// copies by them need not wait for these.
void prefetchTensorMaps(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange maps);

void populateTypeConversions(mlir::TypeConverter &converter);
void populateKernelPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter,
                            const LoweringContext &context);
/// Whether that target has `what` ("products") of 8-bit floats at all; an error
/// at the op if not.
mlir::LogicalResult checkFloat8Target(mlir::Operation *op, llvm::StringRef what,
                                      mlir::Type type, const GpuTarget &target);
void populateElementwisePatterns(mlir::RewritePatternSet &patterns,
                                 const mlir::TypeConverter &converter,
                                 const LoweringContext &context);
void populateTilePatterns(mlir::RewritePatternSet &patterns,
                          const mlir::TypeConverter &converter);
void populatePromisePatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             LoweringContext &context);
void populateConvertLayoutPatterns(mlir::RewritePatternSet &patterns,
                                   const mlir::TypeConverter &converter);
void populateMmaDotPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter,
                            const LoweringContext &context);
void populateWarpgroupDotPatterns(mlir::RewritePatternSet &patterns,
                                  const mlir::TypeConverter &converter,
                                  const LoweringContext &context);
/// Joined products are one group, and their sums are gathered with the first.
void gatherJoinedProducts(tile::KernelOp kernel, LoweringContext &context);
/// Whether the right tile of a joined product stands behind the one before.
mlir::LogicalResult checkJoined(tile::SharedProductOpInterface product);
void populateFmaDotPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter);
void populateReducePatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter);
/// Whether each warp can do a reduction by itself.
mlir::LogicalResult checkReduce(tile::ReduceOp reduce);
void populateScanPatterns(mlir::RewritePatternSet &patterns,
                          const mlir::TypeConverter &converter);
/// Whether each warp can do a scan by itself.
mlir::LogicalResult checkScan(tile::ScanOp scan);
/// The registers of a thread of one product of a `tile.dot`, which may be many.
struct MatrixRegisters {
  mlir::ValueRange a, b, c;
};
/// The sums of all of them, in the order of their registers.
llvm::SmallVector<mlir::Value> multiplyEach(
    tile::DotOp dot, mlir::ValueRange a, mlir::ValueRange b, mlir::ValueRange c,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const MatrixRegisters &)>
        multiply);
/// Whether the target has such a product.
mlir::LogicalResult checkDot(tile::DotOp dot, const GpuTarget &target);
/// The instructions of an access to global memory, of the width that it says.
SharedAccessPlan makePlan(tile::GlobalAccessOpInterface access,
                          const LoweringContext &context);
void populateGlobalMemoryPatterns(mlir::RewritePatternSet &patterns,
                                  const mlir::TypeConverter &converter,
                                  const LoweringContext &context);
void populateAtomicPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter,
                            const LoweringContext &context);
/// Whether all who hold the result of the op have it.
mlir::LogicalResult checkOnce(tile::OnceOpInterface op);
void populatePointerPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const LoweringContext &context);
void populateAssertPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter);
void populatePrintPatterns(mlir::RewritePatternSet &patterns,
                           const mlir::TypeConverter &converter);
void populateInlineAsmPatterns(mlir::RewritePatternSet &patterns,
                               const mlir::TypeConverter &converter);
void populateAsyncCopyPatterns(mlir::RewritePatternSet &patterns,
                               const mlir::TypeConverter &converter);
void populateMovedRowCopyPatterns(mlir::RewritePatternSet &patterns,
                                  const mlir::TypeConverter &converter,
                                  const LoweringContext &context);
void populateMovedRowWalkPatterns(mlir::RewritePatternSet &patterns,
                                  const mlir::TypeConverter &converter,
                                  const LoweringContext &context);
void populateMovedRowStorePatterns(mlir::RewritePatternSet &patterns,
                                   const mlir::TypeConverter &converter,
                                   const LoweringContext &context);
void populateRowCopyPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const LoweringContext &context);
void populateRowRunPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter,
                            const LoweringContext &context);
void populateBulkCopyPatterns(mlir::RewritePatternSet &patterns,
                              const mlir::TypeConverter &converter,
                              const LoweringContext &context);
void populateClusterPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const LoweringContext &context);
void populateMbarrierPatterns(mlir::RewritePatternSet &patterns,
                              const mlir::TypeConverter &converter);
void populateRolePatterns(mlir::RewritePatternSet &patterns,
                          const mlir::TypeConverter &converter,
                          const LoweringContext &context);
/// Patterns of blocks that make parts of a program's products.
void populateProductPartPatterns(mlir::RewritePatternSet &patterns,
                                 const mlir::TypeConverter &converter);
void populateSharedMemoryPatterns(mlir::RewritePatternSet &patterns,
                                  const mlir::TypeConverter &converter,
                                  const LoweringContext &context);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_PATTERNS_H
