//===- Kernel.cpp - Kernels and their place in the grid -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Exchanges/Exchanges.h"
#include "Threads/Clusters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/FirstThread.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Dialect/Tile/IR/ProgramOrder.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Shared memory begins at a whole 128-byte line: bank 0, and the alignment
/// that the widest accesses of any kind ask for.
static constexpr int kSharedAlignment = 128;

/// The type of a kernel parameter. What LLVM does not know as a number, an
/// index or fp8, has integers of its size.
static Type getParameterType(const spec::Argument &argument, Type type,
                             const TypeConverter &converter) {
  if (argument.isPointer())
    return converter.convertType(type);
  unsigned bits = 8 * argument.getByteSize();
  if (type.isIndex() || (isa<FloatType>(type) && bits == 8))
    return IntegerType::get(type.getContext(), bits);
  return converter.convertType(type);
}

/// Small shared memory is part of the kernel; more is asked for at launch, and
/// then its size does not stand in the code.
static void createSharedGlobal(OpBuilder &builder, KernelOp kernel,
                               const LoweringContext &context) {
  int64_t bytes = kernel.getSharedBytes().value_or(0);
  if (bytes == 0)
    return;
  bool isDynamic = bytes > int64_t(context.target.staticSharedLimit);
  int64_t alignment = std::max<int64_t>(
      kSharedAlignment, context.sharedAlignments.lookup(kernel));
  LLVM::GlobalOp::create(
      builder, kernel.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), isDynamic ? 0 : bytes),
      /*isConstant=*/false,
      isDynamic ? LLVM::Linkage::External : LLVM::Linkage::Internal,
      getSharedSymbol(kernel), /*value=*/Attribute(), alignment, kSharedSpace);
}

/// Tensor maps stand behind the arguments, 128 bytes each at multiples of 64
/// (CUDA Driver API, CUtensorMap), and are used where they are.
static void setTensorMaps(OpBuilder &builder, LLVM::LLVMFuncOp function,
                          unsigned first, unsigned count) {
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
  for (unsigned index = first; index < first + count; ++index) {
    function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(bytes));
    function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
}

/// Beside so many words that a loop carries, or so many elements of a row,
/// ptxas 13.0 may give up, with 32 registers, unless it is told that
/// one block of a multiprocessor will do.
static constexpr int64_t kWordsOfFullThreads = 192;

std::array<int32_t, 3>
LoweringContext::getLaunchedPrograms(Operation *inFunction) const {
  auto function = inFunction->getParentOfType<LLVM::LLVMFuncOp>();
  auto programs = blockPrograms.find(function.getSymNameAttr());
  return programs == blockPrograms.end() ? std::array<int32_t, 3>{1, 1, 1}
                                         : programs->second;
}

namespace {

struct KernelPattern : ContextPattern<KernelOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(KernelOp kernel, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = kernel.getLoc();
    TypeConverter::SignatureConversion signature(kernel.getNumArguments());
    SmallVector<Type> parameters;
    SmallVector<unsigned> pointers;
    for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      std::optional<spec::Argument> argument =
          describeArgument(kernel.getArgName(index), type);
      if (!argument)
        return rewriter.notifyMatchFailure(
            kernel, "an argument that a launch cannot pass");
      parameters.push_back(
          getParameterType(*argument, type, *getTypeConverter()));
      signature.addInputs(index, parameters.back());
      if (argument->isPointer())
        pointers.push_back(index);
    }
    createSharedGlobal(rewriter, kernel, context);
    size_t numArguments = parameters.size();
    auto map = LLVM::LLVMPointerType::get(rewriter.getContext());
    unsigned numMaps = context.numTensorMaps.lookup(kernel.getSymNameAttr());
    parameters.append(numMaps, map);
    parameters.append(context.numGridParameters.lookup(kernel.getSymNameAttr()),
                      rewriter.getI32Type());
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, loc, kernel.getSymName(),
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(rewriter.getContext()), parameters));
    setLaunchBounds(rewriter, kernel, function);
    if (kernel.getClusterBlocks())
      beginExchanges(rewriter, kernel, context);
    setTensorMaps(rewriter, function, numArguments, numMaps);
    for (unsigned index : pointers)
      function.setArgAttr(
          index, LLVM::LLVMDialect::getAlignAttrName(),
          rewriter.getI64IntegerAttr(kernel.getArgDivisibility(index)));
    rewriter.inlineRegionBefore(kernel.getBody(), function.getBody(),
                                function.end());
    Block *entry = rewriter.applySignatureConversion(
        &function.getBody().front(), signature, getTypeConverter());
    for (Type parameter : ArrayRef(parameters).drop_front(numArguments))
      entry->addArgument(parameter, loc);
    rewriter.setInsertionPointToStart(entry);
    prefetchTensorMaps(rewriter, loc,
                       entry->getArguments().slice(numArguments, numMaps));
    if (kernel.getBeginsEarly() && context.target.earlyLaunches)
      waitForKernels(rewriter, loc);
    if (kernel->hasAttr(kFirstThreadAttr)) {
      endOtherThreads(rewriter, loc);
      function->setAttr(kFirstThreadAttr, rewriter.getUnitAttr());
    }
    rewriter.eraseOp(kernel);
    return success();
  }

private:
  /// The kernels in front have written all they write. The next one may have
  /// the room that is left, as it waits for this one likewise.
  static void waitForKernels(OpBuilder &builder, Location loc) {
    emitPtx(builder, loc, nullptr, {}, "griddepcontrol.launch_dependents;", "");
    emitPtx(builder, loc, nullptr, {}, "griddepcontrol.wait;", "~{memory}");
  }

  static void endOtherThreads(OpBuilder &builder, Location loc) {
    Value isOther = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type()),
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    emitPtx(builder, loc, nullptr, isOther, "@$0 exit;", "b");
  }

  /// The most words that a thread carries in tiles of a loop.
  static int64_t countCarriedWords(KernelOp kernel) {
    int64_t most = 0;
    kernel.walk([&](LoopLikeOpInterface loop) {
      int64_t bytes = 0;
      for (Type type : loop->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type))
          bytes += getRegisterLayout(tile).getNumRegisters() *
                   getElementBytes(tile.getElementType());
      most = std::max(most, bytes / bytesPerWord);
    });
    return most;
  }

  /// Elements of a row that a thread has, which it keeps while they are
  /// combined.
  static int64_t countKeptElements(KernelOp kernel) {
    return combinesRows(kernel)
               ? countElementsOfRow(kernel) / kernel.getNumThreads()
               : 0;
  }

  static void setCluster(OpBuilder &builder, KernelOp kernel,
                         LLVM::LLVMFuncOp function) {
    auto wholes = static_cast<int32_t>(getProductParts(kernel) *
                                       countClusterPrograms(kernel));
    int32_t blocks = kernel.getClusterBlocksOrOne() * wholes;
    if (blocks > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        builder.getDenseI32ArrayAttr({blocks, 1, 1}));
    if (wholes > 1)
      function->setAttr(kWholeProgramsAttr, builder.getUnitAttr());
  }

  /// What launches and ptxas must know of the function.
  void setLaunchBounds(OpBuilder &builder, KernelOp kernel,
                       LLVM::LLVMFuncOp function) const {
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({countThreads(kernel)}));
    if (context.rowKernels.contains(kernel.getSymNameAttr()))
      function->setAttr(kSharedBytesAttr,
                        builder.getI64IntegerAttr(static_cast<int64_t>(
                            kernel.getSharedBytes().value_or(0))));
    GpuTarget target = getTargetOrDefault(kernel);
    int64_t ofBlock = kernel.getSharedBytes().value_or(0) +
                      target.reservedSharedBytesPerBlock;
    if (2 * ofBlock > target.sharedBytesPerSM &&
        countThreads(kernel) <= WarpgroupMma::threads)
      function->setAttr(kOneWarpgroupAttr, builder.getUnitAttr());
    std::optional<int64_t> blocks = getAskedBlocks(kernel);
    if (!blocks && std::max(countCarriedWords(kernel),
                            countKeptElements(kernel)) >= kWordsOfFullThreads)
      blocks = 1;
    if (blocks)
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        builder.getI32IntegerAttr(*blocks));
    if (kernel->hasAttr(kSecondAxisFirstAttr))
      function->setAttr(kSecondAxisFirstAttr, builder.getUnitAttr());
    setCluster(builder, kernel, function);
  }
};

struct ReturnPattern : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// Reads a register of which the hardware has one for each axis.
template <typename X, typename Y, typename Z>
static Value readAxis(OpBuilder &builder, Location loc, unsigned axis,
                      LLVM::ConstantRangeAttr range = {}) {
  Type i32 = builder.getI32Type();
  return axis == 0   ? Value(X::create(builder, loc, i32, range))
         : axis == 1 ? Value(Y::create(builder, loc, i32, range))
                     : Value(Z::create(builder, loc, i32, range));
}

/// Numbers of the grid are indices of the dialect, and 32 bits in a register.
static void replaceByNumber(Operation *op, Value number,
                            ConversionPatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, rewriter.getIndexType(),
                                                    number);
}

/// On a branch whose results are the numbers of a block's program along the
/// first two axes.
static constexpr StringLiteral kNumbersAcrossAttr = "tilewright.numbers_across";

/// Both numbers, where blocks run programs along the second axis first. Those
/// of few programs along the first one are near each other anyhow, and so many
/// that 32 bits do not count them are run as they come.
static Operation *getNumbersAcross(OpBuilder &builder,
                                   LLVM::LLVMFuncOp function) {
  Block &entry = function.getBody().front();
  for (Operation &op : entry)
    if (op.hasAttr(kNumbersAcrossAttr))
      return &op;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  ImplicitLocOpBuilder located(function.getLoc(), builder);
  auto read = [&](unsigned axis) {
    return readAxis<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(
        located, function.getLoc(), axis);
  };
  using Predicate = arith::CmpIPredicate;
  auto compare = [&](Predicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(located, predicate, a, b);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(located, value, /*width=*/32);
  };
  Value x = getProgramNumber(located, function.getLoc(), 0),
        y = getProgramNumber(located, function.getLoc(), 1);
  Value numX = read(0), numY = read(1);
  auto all = arith::MulUIExtendedOp::create(located, numX, numY);
  Value isAcross = compare(Predicate::eq, all.getHigh(), constant(0));
  for (Value gains : {compare(Predicate::ugt, numY, constant(1)),
                      compare(Predicate::ugt, numX, numY)})
    isAcross = arith::AndIOp::create(located, isAcross, gains);
  auto yieldAcross = [&](OpBuilder &inner, Location loc) {
    auto make = [&](auto op, Value a, Value b) -> Value {
      return decltype(op)::create(inner, loc, a, b);
    };
    Value place = make(arith::AddIOp(), make(arith::MulIOp(), y, numX), x);
    scf::YieldOp::create(inner, loc,
                         ValueRange{make(arith::DivUIOp(), place, numY),
                                    make(arith::RemUIOp(), place, numY)});
  };
  auto yieldAsTheyCome = [&](OpBuilder &inner, Location loc) {
    scf::YieldOp::create(inner, loc, ValueRange{x, y});
  };
  auto branch =
      scf::IfOp::create(located, isAcross, yieldAcross, yieldAsTheyCome);
  branch->setAttr(kNumbersAcrossAttr, builder.getUnitAttr());
  return branch;
}

/// That of the first one, where a block or a cluster runs several.
struct ProgramIdPattern : ContextPattern<ProgramIdOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(ProgramIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "its kernel is no function yet");
    Value number =
        function->hasAttr(kSecondAxisFirstAttr) && op.getAxis() < 2
            ? getNumbersAcross(rewriter, function)->getResult(op.getAxis())
            : getProgramNumber(rewriter, op.getLoc(), op.getAxis());
    int32_t programs = context.getLaunchedPrograms(op)[op.getAxis()];
    if (programs > 1)
      number = arith::MulIOp::create(
          rewriter, op.getLoc(), number,
          arith::ConstantIntOp::create(rewriter, op.getLoc(), programs, 32));
    replaceByNumber(op, number, rewriter);
    return success();
  }
};

/// A parameter where the grid has fewer blocks than programs.
struct NumProgramsPattern : ContextPattern<NumProgramsOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(NumProgramsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "its kernel is no function yet");
    unsigned numParameters =
        context.numGridParameters.lookup(function.getSymNameAttr());
    Value number;
    if (numParameters != 0)
      number = function.getArgument(function.getNumArguments() - numParameters +
                                    op.getAxis());
    else if (op.getAxis() == 0 && hasClusters(function))
      number = getNumClusters(rewriter, op.getLoc());
    else
      number = readAxis<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(
          rewriter, op.getLoc(), op.getAxis());
    replaceByNumber(op, number, rewriter);
    return success();
  }
};

/// Blocks of a persistent kernel, or clusters of them.
struct BlockIdPattern : OpConversionPattern<BlockIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BlockIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    replaceByNumber(op, getProgramNumber(rewriter, op.getLoc(), /*axis=*/0),
                    rewriter);
    return success();
  }
};

struct NumBlocksPattern : OpConversionPattern<NumBlocksOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(NumBlocksOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value number = hasClusters(op)
                       ? getNumClusters(rewriter, op.getLoc())
                       : NVVM::GridDimXOp::create(rewriter, op.getLoc(),
                                                  rewriter.getI32Type());
    replaceByNumber(op, number, rewriter);
    return success();
  }
};

} // namespace

Value tonvvm::getProgramNumber(OpBuilder &builder, Location loc,
                               unsigned axis) {
  Operation *around = builder.getInsertionBlock()->getParentOp();
  if (axis == 0 && hasClusters(around))
    return getClusterOfBlock(builder, loc);
  // Grids have 2^31 - 1 blocks along x and 65535 along y and z at the most
  // (Device.h).
  auto range =
      LLVM::ConstantRangeAttr::get(builder.getContext(), APInt(32, 0),
                                   APInt(32, axis == 0 ? 2147483647 : 65535));
  return readAxis<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(
      builder, loc, axis, range);
}

std::string tonvvm::getSharedSymbol(Operation *kernel) {
  return getSymbolOf(SymbolTable::getSymbolName(kernel), "shared");
}

std::optional<int64_t> tonvvm::getNumThreads(Operation *function) {
  auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  return threads ? std::optional<int64_t>(threads[0]) : std::nullopt;
}

int64_t tonvvm::getAskedBlocks(Operation *function) {
  auto asked = function->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMinctasmAttrName());
  return asked ? asked.getInt() : 1;
}

int64_t tonvvm::countRegistersPerThread(Operation *function) {
  int64_t most = 0;
  function->walk([&](NVVM::SetMaxRegisterOp op) {
    most = std::max<int64_t>(most, op.getRegCount());
  });
  if (most > 0)
    return most;
  std::optional<int64_t> threads = getNumThreads(function);
  if (!threads)
    return std::numeric_limits<int64_t>::max();
  return getTargetOrDefault(function).registersPerThread(
      getAskedBlocks(function) * *threads);
}

void tonvvm::populateKernelPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter,
                                    const LoweringContext &context) {
  patterns.add<KernelPattern, ProgramIdPattern, NumProgramsPattern>(
      converter, patterns.getContext(), context);
  patterns.add<ReturnPattern, BlockIdPattern, NumBlocksPattern>(
      converter, patterns.getContext());
}
