//===- WarpgroupDot.cpp - Products that read shared tiles -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Threads/Patterns.h"

#include "Products/MmaFragments.h"
#include "Threads/Clusters.h"
#include "Threads/ThreadIndex.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Addresses of shared memory have 18 bits.
static constexpr int64_t kSharedAddresses = 1 << 18;

namespace {

/// Whether the product runs in a loop, or a branch, that finds the tile there:
/// what its descriptors are is known in front of that.
bool isMadeBefore(Value tile, Operation *product) {
  Operation *made = tile.getDefiningOp();
  return made && made->getBlock() != product->getBlock();
}

/// The matrix descriptors of one operand.
class Descriptors {
public:
  /// `isWide`: each is one addition of 64 bits. Else the lower half is added
  /// to, which is cheaper where ptxas makes each right in front of its use.
  Descriptors(const OpBuilder &atProduct, WarpgroupDotOp op, unsigned operand,
              Value tile, bool isWide)
      : builder(atProduct), loc(op.getLoc()), operand(operand),
        kDim(op.getSummedDim(operand)), isWide(isWide),
        read(op.describe(operand)) {
    if (isMadeBefore(tile, op))
      builder.setInsertionPointAfter(tile.getDefiningOp());
    const LinearLayout &sums =
        getRegisterLayout(op.getResult().getType()).getLayout();
    Value address =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), tile);
    address = arith::AddIOp::create(builder, loc, address,
                                    getPartOfWarpgroup(op, sums));
    // 14 bits of a descriptor, in units of 16 bytes. Above its own 18 bits, the
    // address has the number of the block in its cluster.
    if (hasClusters(op))
      address = arith::AndIOp::create(builder, loc, address,
                                      i32(kSharedAddresses - 1));
    Value start = arith::ShRUIOp::create(builder, loc, address, i32(4));
    low = arith::OrIOp::create(
        builder, loc, start,
        i32(static_cast<int32_t>(read.getDescriptor() & UINT32_MAX)));
  }

  /// The descriptor of the part that begins at step `k` of the dimension that
  /// is summed over and at `other` of the other one.
  Value get(int64_t k, int64_t other) {
    // Starts stay in their 14 bits, so the upper half is a constant.
    int64_t start = read.getStartBytes(makePoint(k, other)) / 16;
    auto high =
        static_cast<int64_t>(read.getDescriptor() & ~uint64_t(UINT32_MAX));
    if (isWide)
      return arith::AddIOp::create(builder, loc, extend(low),
                                   i64(high + start));
    Value half = arith::AddIOp::create(builder, loc, low, i32(start));
    return arith::OrIOp::create(builder, loc, extend(half), i64(high));
  }

  NVVM::MMALayout getLayout() const {
    bool isRow = (operand == 0) != read.isTransposed();
    return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col;
  }

private:
  Value extend(Value word) {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), word);
  }
  Value i32(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  SmallVector<int32_t, 2> makePoint(int64_t k, int64_t other) const {
    SmallVector<int32_t, 2> point(2);
    point[kDim] = static_cast<int32_t>(k);
    point[1 - kDim] = static_cast<int32_t>(other);
    return point;
  }

  /// Where the rows (of operand 0) or columns of a thread's warpgroup begin, in
  /// bytes. The first row of the mode has no XOR, nor any 8 rows on: parts add
  /// up.
  Value getPartOfWarpgroup(Operation *op, const LinearLayout &sums) {
    LinearLayout::Input warps{"warp", {}};
    for (auto [bit, basis] : llvm::enumerate(sums.bases("warp"))) {
      bool isInside = bit < llvm::Log2_32(WarpgroupMma::warps);
      int64_t bytes =
          isInside ? 0 : read.getStartBytes(makePoint(0, basis[operand]));
      warps.bases.push_back({static_cast<int32_t>(bytes)});
    }
    auto toBytes =
        llvm::cantFail(LinearLayout::create({warps}, {kSharedAddresses}));
    // All lanes have the same. They are told so where the kernel begins, for
    // ptxas to compute addresses once for a warp.
    Operation *function = op->getParentOfType<FunctionOpInterface>();
    OpBuilder entry = OpBuilder::atBlockBegin(&function->getRegion(0).front());
    Value part =
        ThreadIndex(entry, loc).getCoordinate(toBytes, 0).getThreadPart();
    return shuffleFromLane(entry, loc, part,
                           arith::ConstantIntOp::create(entry, loc, 0, 32));
  }

  OpBuilder builder;
  Location loc;
  unsigned operand, kDim;
  bool isWide;
  WarpgroupOperand read;
  /// The lower half of the descriptor of the whole.
  Value low;
};

/// What NVVM calls the type of operands.
NVVM::WGMMATypes getOperandType(Type element) {
  return llvm::TypeSwitch<Type, NVVM::WGMMATypes>(element)
      .Case([](Float16Type) { return NVVM::WGMMATypes::f16; })
      .Case([](BFloat16Type) { return NVVM::WGMMATypes::bf16; })
      .Case([](Float32Type) { return NVVM::WGMMATypes::tf32; })
      .Case([](Float8E4M3FNType) { return NVVM::WGMMATypes::e4m3; })
      .Case([](Float8E5M2Type) { return NVVM::WGMMATypes::e5m2; })
      .Case([](IntegerType) { return NVVM::WGMMATypes::s8; })
      .Default([](Type) -> NVVM::WGMMATypes {
        llvm::reportFatalInternalError("wgmma has no such type");
      });
}

/// An instruction that values stand before and after, in the same registers.
SmallVector<Value> passThrough(OpBuilder &builder, Location loc,
                               ArrayRef<Value> values, StringRef instruction) {
  std::string constraints;
  for (Value value : values)
    constraints += value.getType().isF32() ? "=f," : "=r,";
  for (size_t index = 0; index < values.size(); ++index)
    constraints += std::to_string(index) + ",";
  constraints.pop_back();
  Type result = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), llvm::to_vector(ValueRange(values).getTypes()));
  Value passed =
      emitPtx(builder, loc, result, values, instruction, constraints);
  return unpackResults(builder, loc, passed, values.size());
}

/// LLVM sees no other reason to use the sums after the wait.
SmallVector<Value> waitForProducts(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> sums) {
  return passThrough(builder, loc, sums, kWaitForProducts);
}

/// Makes the instructions of a product.
class Multiplier {
public:
  Multiplier(OpBuilder &builder, WarpgroupDotOp op, int64_t n, int64_t kStep,
             Value a, Value b)
      : builder(builder), loc(op.getLoc()), n(n), kStep(kStep),
        element(op.getOperandType()),
        leftType(getOperandType(getElementTypeOrSelf(op.getA().getType()))),
        rightType(getOperandType(element)),
        right(builder, op, 1, b, hasLeftBefore(op, a)) {
    if (!op.isAInRegisters())
      left.emplace(builder, op, 0, a, hasLeftBefore(op, a));
  }

  /// sums + a * b, of the parts that begin at `k` and at `point` of the sums;
  /// a * b where they do not add.
  Value multiply(Value sums, bool adds, int64_t k,
                 const LinearLayout::Point &point) {
    MLIRContext *context = builder.getContext();
    auto add = adds ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero;
    auto result = NVVM::WGMMATypesAttr::get(
        context,
        element.isInteger() ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32);
    auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto shape = NVVM::MMAShapeAttr::get(context, WarpgroupMma::m, n, kStep);
    return NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, sums.getType(), sums, left->get(k, point[0]),
        right.get(k, point[1]), shape,
        NVVM::WGMMATypesAttr::get(context, leftType),
        NVVM::WGMMATypesAttr::get(context, rightType), result,
        NVVM::WGMMAScaleOutAttr::get(context, add), plus, plus,
        NVVM::MMALayoutAttr::get(context, left->getLayout()),
        NVVM::MMALayoutAttr::get(context, right.getLayout()),
        NVVM::MMAIntOverflowAttr());
  }

  /// The same with `words` of A, for which NVVM has no op.
  Value multiply(Value sums, bool adds, ArrayRef<Value> words, int64_t k,
                 const LinearLayout::Point &point) {
    auto type = cast<LLVM::LLVMStructType>(sums.getType());
    auto count = static_cast<unsigned>(type.getBody().size());
    SmallVector<Value> operands = unpackResults(builder, loc, sums, count);
    auto firstWord = static_cast<int32_t>(operands.size());
    llvm::append_range(operands, words);
    operands.push_back(right.get(k, point[1]));
    std::string constraints;
    for (unsigned index = 0; index < count; ++index)
      constraints += element.isInteger() ? "=r," : "=f,";
    for (unsigned index = 0; index < count; ++index)
      constraints += std::to_string(index) + ",";
    constraints += "r,r,r,r,l";
    Value product = emitPtx(builder, loc, type, operands, getText(count, adds),
                            constraints);
    product.getDefiningOp()->setAttr(
        kLeftWordsAttr, builder.getDenseI32ArrayAttr(
                            {firstWord, static_cast<int32_t>(words.size())}));
    return product;
  }

private:
  /// Then ptxas computes the descriptors of all steps of K ahead, and nothing
  /// stands between the instructions of a product.
  static bool hasLeftBefore(WarpgroupDotOp op, Value a) {
    return !op.isAInRegisters() && isMadeBefore(a, op);
  }

  /// The text of an instruction with `count` sums, which are given and taken,
  /// four words and a descriptor.
  std::string getText(unsigned count, bool adds) const {
    StringRef sum = element.isInteger() ? "s32" : "f32";
    std::string scales = element.isInteger() ? "" : ", 1, 1";
    if (getElementBytes(element) == 2)
      scales += right.getLayout() == NVVM::MMALayout::row ? ", 1" : ", 0";
    return llvm::formatv(
        "{{\n.reg .pred p;\nsetp.ne.b32 p, {9}, 0;\n"
        "wgmma.mma_async.sync.aligned.m{0}n{1}k{2}.{3}.{4}.{10}"
        " {5}, {6}, ${7}, p{8};\n}",
        WarpgroupMma::m, n, kStep, sum, NVVM::stringifyWGMMATypes(leftType),
        listOperands(0, count), listOperands(2 * count, MmaShape::wordsOfA),
        2 * static_cast<int64_t>(count) + MmaShape::wordsOfA, scales,
        adds ? 1 : 0, NVVM::stringifyWGMMATypes(rightType));
  }

  OpBuilder &builder;
  Location loc;
  int64_t n, kStep;
  Type element;
  NVVM::WGMMATypes leftType, rightType;
  std::optional<Descriptors> left;
  Descriptors right;
};

struct WarpgroupDotPattern : OpConversionPattern<WarpgroupDotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupDotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<JoinedSums> columns = {{op, adaptor.getC()}};
    for (ValueRange sums : adaptor.getBeside())
      columns.emplace_back(
          cast<WarpgroupDotOp>(columns.back().product->getNextNode()), sums);
    int64_t n = 0;
    for (const JoinedSums &sums : columns)
      n += 2 * static_cast<int64_t>(sums.registersEach);
    int64_t step = WarpgroupMma::kBytes / getElementBytes(op.getOperandType());
    Multiplier multiplier(rewriter, op, n, step, adaptor.getA().front(),
                          adaptor.getB().front());
    std::optional<MmaFragments> left;
    if (op.isAInRegisters())
      left.emplace(rewriter, loc, adaptor.getA(),
                   cast<RankedTensorType>(op.getA().getType()), /*operand=*/0,
                   /*isA=*/true);
    if (op.addsWithinK()) {
      SmallVector<Value> sums = addParts(
          rewriter, op, adaptor.getC(),
          [&](ValueRange partial, int64_t from, int64_t to) {
            columns.front().registers = llvm::to_vector(partial);
            multiply(rewriter, multiplier, columns, left, {from, to, step},
                     /*adds=*/false);
            return waitForProducts(rewriter, loc, columns.front().registers);
          });
      rewriter.replaceOpWithMultiple(op, {sums});
      return success();
    }
    multiply(rewriter, multiplier, columns, left, {0, op.getK(), step},
             /*adds=*/true);
    for (JoinedSums &sums : columns) {
      if (!op.getAsync())
        sums.registers = waitForProducts(rewriter, loc, sums.registers);
      rewriter.replaceOpWithMultiple(sums.product, {sums.registers});
    }
    return success();
  }

private:
  /// The sums of one of the products that the same instructions make.
  struct JoinedSums {
    WarpgroupDotOp product;
    SmallVector<Value> registers;
    LinearLayout layout;
    /// Registers for the sums of an instruction.
    unsigned registersEach;

    JoinedSums(WarpgroupDotOp product, ValueRange registers)
        : product(product), registers(registers),
          layout(getRegisterLayout(product.getType()).getLayout()),
          registersEach(static_cast<unsigned>(getInstructionN(layout) / 2)) {}

    LinearLayout::Point getPoint(size_t part) const {
      return layout.apply(
          {{"register", static_cast<int64_t>(part) * registersEach}});
    }
    /// Nothing may touch sums that a loop carries under way.
    bool isUnderWay() {
      Value sums = product.getC();
      auto before = sums.getDefiningOp<WarpgroupDotOp>();
      return product.getAsync() &&
             (isa<BlockArgument>(sums) || (before && before.getAsync()));
    }
  };

  /// What one group of instructions has of K.
  struct Steps {
    int64_t from, to, step;
  };

  /// A group of instructions: the products of these steps, added to the sums or
  /// in their place.
  static void multiply(OpBuilder &builder, Multiplier &multiplier,
                       MutableArrayRef<JoinedSums> columns,
                       std::optional<MmaFragments> &left, Steps steps,
                       bool adds) {
    Location loc = columns.front().product.getLoc();
    // LLVM would copy sums that are constants, or used later, behind the fence.
    fence(builder, loc, columns, left);
    SmallVector<Value> parts = pack(builder, loc, columns);
    // All of K for a part of the sums, then for the next one: what describes
    // the right operand stays in uniform registers from part to part. With the
    // parts in the inner loop ptxas makes each descriptor in one and the same
    // pair, and an instruction waits until the one before has read it.
    auto multiplyAllOfK = [&](size_t begin, size_t end) {
      for (int64_t k = steps.from; k < steps.to; k += steps.step)
        for (size_t part = begin; part < end; ++part) {
          LinearLayout::Point point = columns.front().getPoint(part);
          Value &sums = parts[part];
          bool addsHere = adds || k != steps.from;
          sums = left ? multiplier.multiply(sums, addsHere,
                                            left->at(point[0], k), k, point)
                      : multiplier.multiply(sums, addsHere, k, point);
        }
    };
    size_t together = left ? parts.size() : 1;
    for (size_t part = 0; part < parts.size(); part += together)
      multiplyAllOfK(part, part + together);
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
    unpack(builder, loc, parts, columns);
  }

  /// Adds up in f32 what tensor cores made of parts of K, each in the registers
  /// of the one before.
  static SmallVector<Value>
  addParts(OpBuilder &builder, WarpgroupDotOp op, ValueRange sums,
           function_ref<SmallVector<Value>(ValueRange partial, int64_t from,
                                           int64_t to)>
               multiplyPart) {
    Location loc = op.getLoc();
    SmallVector<Value> total = llvm::to_vector(sums);
    Value zero = LLVM::ConstantOp::create(
        builder, loc, builder.getZeroAttr(total.front().getType()));
    SmallVector<Value> partial(total.size(), zero);
    auto each = static_cast<int64_t>(*op.getImprecise());
    for (int64_t k = 0; k < op.getK(); k += each) {
      partial = multiplyPart(partial, k, std::min(k + each, op.getK()));
      for (auto [sum, part] : llvm::zip_equal(total, partial))
        sum = LLVM::FAddOp::create(builder, loc, sum, part);
    }
    return total;
  }

  /// Orders what was done with the registers of the sums and of A.
  static void fence(OpBuilder &builder, Location loc,
                    MutableArrayRef<JoinedSums> columns,
                    std::optional<MmaFragments> &left) {
    SmallVector<Value> passed;
    for (JoinedSums &sums : columns)
      if (!sums.isUnderWay())
        llvm::append_range(passed, sums.registers);
    if (passed.empty()) {
      NVVM::WgmmaFenceAlignedOp::create(builder, loc);
      return;
    }
    if (left)
      left->appendTo(passed);
    passed = passThrough(builder, loc, passed, "wgmma.fence.sync.aligned;");
    ArrayRef<Value> rest = passed;
    for (JoinedSums &sums : columns)
      if (!sums.isUnderWay()) {
        size_t count = sums.registers.size();
        sums.registers = llvm::to_vector(rest.take_front(count));
        rest = rest.drop_front(count);
      }
    if (left)
      left->takeFrom(rest);
  }

  /// The registers of each instruction as a value.
  static SmallVector<Value> pack(OpBuilder &builder, Location loc,
                                 ArrayRef<JoinedSums> columns) {
    const JoinedSums &first = columns.front();
    SmallVector<Value> parts;
    for (size_t part = 0; part < first.registers.size() / first.registersEach;
         ++part) {
      SmallVector<Value> registers;
      for (const JoinedSums &sums : columns)
        llvm::append_range(registers, ArrayRef(sums.registers)
                                          .slice(part * sums.registersEach,
                                                 sums.registersEach));
      Value packed = LLVM::UndefOp::create(
          builder, loc,
          getResultType(registers.front().getType(),
                        static_cast<unsigned>(registers.size())));
      for (auto [index, value] : llvm::enumerate(registers))
        packed =
            LLVM::InsertValueOp::create(builder, loc, packed, value, index);
      parts.push_back(packed);
    }
    return parts;
  }

  static void unpack(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                     MutableArrayRef<JoinedSums> columns) {
    for (JoinedSums &sums : columns)
      sums.registers.clear();
    for (Value part : parts) {
      auto type = cast<LLVM::LLVMStructType>(part.getType());
      SmallVector<Value> registers =
          unpackResults(builder, loc, part, type.getBody().size());
      ArrayRef<Value> rest = registers;
      for (JoinedSums &sums : columns) {
        llvm::append_range(sums.registers, rest.take_front(sums.registersEach));
        rest = rest.drop_front(sums.registersEach);
      }
    }
  }
};

struct DotWaitPattern : OpConversionPattern<DotWaitOp> {
  DotWaitPattern(const TypeConverter &converter, MLIRContext *context,
                 const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult
  matchAndRewrite(DotWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getSums().empty()) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(
          op, lowering.groupsLeft.lookup(op));
      return success();
    }
    SmallVector<SmallVector<Value>> results;
    for (ValueRange sums : adaptor.getSums())
      results.push_back(
          waitForProducts(rewriter, op.getLoc(), llvm::to_vector(sums)));
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  const LoweringContext &lowering;
};

} // namespace

/// The groups of the `products` last ones before the wait. Of others than in
/// its block nothing is known: better to wait for them.
static int64_t countGroups(DotWaitOp wait, int64_t products) {
  int64_t groups = 0;
  for (Operation *op = wait->getPrevNode(); op && products > 0;
       op = op->getPrevNode())
    if (endsWith(op, AccessEnd::WithProduct)) {
      --products;
      groups += !cast<SharedProductOpInterface>(op).getProductBefore();
    }
  return groups;
}

void tonvvm::gatherJoinedProducts(KernelOp kernel, LoweringContext &context) {
  bool hasJoined = false;
  WarpgroupDotOp first;
  kernel.walk([&](WarpgroupDotOp dot) {
    hasJoined |= dot.getJoined();
    if (dot.getJoined())
      first.getBesideMutable().append(dot.getC());
    else
      first = dot;
  });
  kernel.walk([&](DotWaitOp wait) {
    auto products = static_cast<int64_t>(wait.getPending());
    context.groupsLeft[wait] =
        hasJoined ? countGroups(wait, products) : products;
  });
}

LogicalResult tonvvm::checkJoined(SharedProductOpInterface product) {
  SharedProductOpInterface before = product.getProductBefore();
  if (!before)
    return success();
  AllocSharedOp tile = getAllocation(product.getOperandTile(1));
  AllocSharedOp front = getAllocation(before.getOperandTile(1));
  auto bytes = [](AllocSharedOp of) {
    return SharedBytes::of(of.getType(),
                           static_cast<int64_t>(of.getOffset().value_or(0)));
  };
  if (bytes(tile).begin == bytes(front).begin + bytes(front).stage &&
      (bytes(tile).every == bytes(front).every ||
       tile.getType().getNumStages() == 1))
    return success();
  InFlightDiagnostic error = product->emitOpError(
      "is joined to the product before, whose right tile does not stand in "
      "front of its own in each stage");
  error.attachNote(tile.getLoc()) << "its tile";
  error.attachNote(front.getLoc()) << "that of the product before";
  return error;
}

void tonvvm::populateWarpgroupDotPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const LoweringContext &context) {
  patterns.add<WarpgroupDotPattern>(converter, patterns.getContext());
  patterns.add<DotWaitPattern>(converter, patterns.getContext(), context);
}
