//===- Atomics.cpp - Atomic accesses to global memory ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are one `atom`, or `red` where nobody wants what stood there, as
// many at once as the op says and the target has a form for
// (Target/AtomicForms.h). What has no instruction is computed by the thread,
// and exchanged for as long as somebody else was faster:
//
//   old = ld.volatile [p]
//   do { seen = old; old = atom.cas [p], seen, f(seen, value); }
//   while (old != seen)
//   bar.warp.sync
//
// The order stands on the instruction if there is one; several, and loops, have
// a fence in front of them and behind them.
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/RegisterValues.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static Value compute(OpBuilder &builder, Location loc, AtomicKind kind,
                     Value old, Value value) {
  bool isFloat = isa<FloatType>(old.getType());
  switch (kind) {
  case AtomicKind::Add:
    return isFloat ? Value(arith::AddFOp::create(builder, loc, old, value))
                   : Value(arith::AddIOp::create(builder, loc, old, value));
  case AtomicKind::Max:
    return isFloat ? Value(arith::MaximumFOp::create(builder, loc, old, value))
                   : Value(arith::MaxSIOp::create(builder, loc, old, value));
  case AtomicKind::Min:
    return isFloat ? Value(arith::MinimumFOp::create(builder, loc, old, value))
                   : Value(arith::MinSIOp::create(builder, loc, old, value));
  case AtomicKind::UMax:
    return arith::MaxUIOp::create(builder, loc, old, value);
  case AtomicKind::UMin:
    return arith::MinUIOp::create(builder, loc, old, value);
  case AtomicKind::And:
    return arith::AndIOp::create(builder, loc, old, value);
  case AtomicKind::Or:
    return arith::OrIOp::create(builder, loc, old, value);
  case AtomicKind::Xor:
    return arith::XOrIOp::create(builder, loc, old, value);
  case AtomicKind::Xchg:
    return value;
  }
  llvm_unreachable("a kind");
}

namespace {
/// Writes the accesses of one op.
class AtomicWriter {
public:
  template <typename Op>
  AtomicWriter(Op op, const GpuTarget &target, OpBuilder &builder)
      : target(target), builder(builder), loc(op.getLoc()),
        scope(stringifyAtomicScope(op.getScope())),
        order(stringifyAtomicOrder(op.getOrder())), releases(op.releases()),
        acquires(op.acquires()), isUsed(!op.getResult().use_empty()) {}

  /// Where the order stands from now on.
  void putOrder(bool onInstruction) { isOrdered = onInstruction; }
  /// `isMade`, which may be null: whether the thread makes any access. One that
  /// makes none has nothing to order: barriers order what it does with those
  /// that do.
  void begin(Value isMade) { fence(!isOrdered && releases, isMade); }
  void end(Value isMade) {
    if (hasLoop)
      joinLanes();
    fence(!isOrdered && acquires, isMade);
  }

  /// The words that were there; 0 where the predicate, which may be null, does
  /// not hold. An operand is as many words.
  SmallVector<Value> write(Value pointer, const AtomicForm &form,
                           ArrayRef<SmallVector<Value>> operands,
                           Value predicate) {
    Type word = operands.front().front().getType();
    unsigned count = operands.front().size();
    hasLoop |= count * word.getIntOrFloatBitWidth() < kLeastBits;
    std::string type = getRegisterClass(word.getIntOrFloatBitWidth()).str();
    // red does not acquire.
    bool isRed = !isUsed && form.reduces && !(isOrdered && acquires);
    std::string text, constraints;
    unsigned next = isRed ? 0 : count;
    for (unsigned index = 0; index < next; ++index) {
      if (predicate)
        text += llvm::formatv("mov.b{0} ${1}, 0;\n",
                              word.getIntOrFloatBitWidth(), index);
      // Written before the address is read: they must not share.
      constraints += (predicate ? "=&" : "=") + type + ",";
    }
    SmallVector<Value> inputs;
    if (predicate) {
      inputs.push_back(predicate);
      text += llvm::formatv("@${0} ", next++);
      constraints += "b,";
    }
    text += llvm::formatv("{0}.{1}.{2}.global.{3} {4}[${5}]",
                          isRed ? "red" : "atom", isOrdered ? order : "relaxed",
                          scope, form.instruction,
                          isRed ? "" : listOperands(0, count) + ", ", next++);
    constraints += "l";
    inputs.push_back(pointer);
    for (const SmallVector<Value> &words : operands) {
      text += ", " + listOperands(next, count);
      next += count;
      for (Value value : words) {
        constraints += "," + type;
        inputs.push_back(value);
      }
    }
    Value old =
        emitPtx(builder, loc, isRed ? Type() : getResultType(word, count),
                inputs, text + ";", constraints + ",~{memory}");
    return isRed ? SmallVector<Value>(count, makeZero(word))
                 : unpackResults(builder, loc, old, count);
  }

  /// What an operation finds that would write it back: a load does the same.
  Value read(Value pointer, Type word, Value predicate) {
    unsigned bits = word.getIntOrFloatBitWidth();
    std::string type = getRegisterClass(bits).str();
    std::string load = llvm::formatv("ld.{0}.{1}.global.b{2} $0, [${3}];",
                                     isOrdered ? order : "relaxed", scope, bits,
                                     predicate ? 2 : 1);
    if (!predicate)
      return emitPtx(builder, loc, word, pointer, load,
                     "=" + type + ",l,~{memory}");
    return emitPtx(builder, loc, word, {predicate, pointer},
                   llvm::formatv("mov.b{0} $0, 0;\n@$1 {1}", bits, load).str(),
                   "=&" + type + ",b,l,~{memory}");
  }

  /// The same by exchanges.
  Value exchange(Value pointer, AtomicKind kind, Value value, Value predicate) {
    Type bits = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
    if (!predicate)
      return exchange(pointer, kind, value);
    auto branch = scf::IfOp::create(builder, loc, TypeRange(bits), predicate,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, makeZero(bits));
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, exchange(pointer, kind, value));
    return branch.getResult(0);
  }

private:
  Value exchange(Value pointer, AtomicKind kind, Value value) {
    hasLoop = true;
    unsigned width = value.getType().getIntOrFloatBitWidth();
    const AtomicForm &cas = *findAtomicForm(
        target, "cas", llvm::formatv("i{0}", width).str(), /*elements=*/1);
    Type bits = builder.getIntegerType(width);
    Value first = LLVM::LoadOp::create(builder, loc, bits, pointer,
                                       /*alignment=*/width / 8,
                                       /*isVolatile=*/true);
    auto loop = scf::WhileOp::create(
        builder, loc, TypeRange(bits), ValueRange(first),
        [&](OpBuilder &, Location, ValueRange arguments) {
          Value seen = arguments.front();
          Value next =
              compute(builder, loc, kind,
                      fromBits(builder, loc, seen, value.getType()), value);
          Value old =
              write(pointer, cas, {{seen}, {toBits(builder, loc, next)}},
                    /*predicate=*/nullptr)
                  .front();
          Value isStale = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ne, old, seen);
          scf::ConditionOp::create(builder, loc, isStale, old);
        },
        [&](OpBuilder &, Location, ValueRange arguments) {
          scf::YieldOp::create(builder, loc, arguments);
        });
    return loop.getResult(0);
  }

  /// Lanes leave a loop one by one; ptxas would take them for together behind
  /// the next shuffle (docs/decisions/0016-atomics.md).
  void joinLanes() { syncWarp(builder, loc); }

  void fence(bool isNeeded, Value isMade) {
    if (!isNeeded)
      return;
    std::string text = llvm::formatv("fence.acq_rel.{0};", scope).str();
    if (isMade)
      emitPtx(builder, loc, nullptr, isMade, "@$0 " + text, "b,~{memory}");
    else
      emitPtx(builder, loc, nullptr, {}, text, "~{memory}");
  }

  Value makeZero(Type type) {
    return arith::ConstantIntOp::create(builder, loc, type, 0);
  }

  const GpuTarget &target;
  OpBuilder &builder;
  Location loc;
  StringRef scope, order;
  bool releases, acquires, isUsed;
  bool isOrdered = false;
  bool hasLoop = false;

  /// What the hardware exchanges at once; ptxas makes a loop of less.
  static constexpr unsigned kLeastBits = 32;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Which registers are written by one instruction each, and by which threads.
struct Holders {
  SmallVector<SmallVector<unsigned>> instructions;
  Value isHolder;

  Holders(Operation *op, const LoweringContext &context, OpBuilder &builder) {
    ThreadIndex thread(builder, op->getLoc());
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    if (!access) {
      instructions = {{0}};
      isHolder = thread.isFirst();
      return;
    }
    SharedAccessPlan plan = makePlan(access, context);
    for (ArrayRef<unsigned> instruction : plan.instructions)
      instructions.emplace_back(instruction);
    isHolder = thread.isCanonical(plan.idleLanes, plan.idleWarps);
  }
};

template <typename Op> struct AtomicPattern : OpConversionPattern<Op> {
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;
  AtomicPattern(const TypeConverter &converter, MLIRContext *mlirContext,
                const LoweringContext &context)
      : OpConversionPattern<Op>(converter, mlirContext), context(context) {}

  LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Holders holders(op, context, rewriter);
    AtomicWriter writer(op, context.target, rewriter);
    writer.putOrder(holders.instructions.size() == 1 &&
                    op.getForm(context.target));
    SmallVector<Value> predicates;
    for (ArrayRef<unsigned> registers : holders.instructions)
      predicates.push_back(combine(rewriter, loc, holders.isHolder,
                                   adaptor.getMask().empty()
                                       ? Value()
                                       : adaptor.getMask()[registers.front()]));
    Value isMade = findAny(predicates, rewriter, loc);
    writer.begin(isMade);
    SmallVector<Value> olds(adaptor.getPtr().size());
    for (auto [registers, predicate] :
         llvm::zip_equal(holders.instructions, predicates)) {
      SmallVector<Value> old =
          write(op, adaptor, registers, predicate, writer, rewriter);
      for (auto [reg, value] : llvm::zip_equal(registers, old))
        olds[reg] = value;
    }
    writer.end(isMade);
    if (RegisterLayoutAttr layout = getRegisterLayout(op.getResult().getType()))
      olds = takeRegisters(olds, canonicalRegisters(layout.getLayout()));
    rewriter.replaceOpWithMultiple(op, {olds});
    return success();
  }

private:
  /// Whether any holds; null where one is null, and so always holds.
  static Value findAny(ArrayRef<Value> predicates, OpBuilder &builder,
                       Location loc) {
    if (llvm::is_contained(predicates, Value()))
      return nullptr;
    Value any = predicates.front();
    for (Value predicate : predicates.drop_front())
      any = arith::OrIOp::create(builder, loc, any, predicate);
    return any;
  }

  /// What was there, in these registers.
  SmallVector<Value> write(Op op, Adaptor adaptor, ArrayRef<unsigned> registers,
                           Value predicate, AtomicWriter &writer,
                           OpBuilder &builder) const {
    Value pointer = adaptor.getPtr()[registers.front()];
    Type type = getElementTypeOrSelf(op.getResult());
    if (onlyReads(op) && registers.size() == 1)
      return {writer.read(pointer, type, predicate)};
    const AtomicForm *form = op.getForm(context.target, registers.size());
    if (!form)
      return {fromBits(
          builder, op.getLoc(),
          exchange(op, adaptor, registers.front(), predicate, writer), type)};
    SmallVector<SmallVector<Value>> operands;
    for (ValueRange tile : getOperands(adaptor))
      operands.push_back(
          pack(builder, op.getLoc(), takeRegisters(tile, registers)));
    return unpack(builder, op.getLoc(),
                  writer.write(pointer, *form, operands, predicate), type);
  }

  /// Whether it leaves what it finds, as programs do that ask for a flag of
  /// others again and again, and orders nothing that came before.
  static bool onlyReads(Op op) {
    if constexpr (std::is_same_v<Op, AtomicCASOp>) {
      return false;
    } else {
      Type type = getElementTypeOrSelf(op.getResult());
      return (type.isInteger(32) || type.isInteger(64)) &&
             llvm::is_contained(
                 {AtomicKind::Add, AtomicKind::Or, AtomicKind::Xor},
                 op.getKind()) &&
             isZero(op.getValue()) && !op.releases();
    }
  }

  static SmallVector<ValueRange, 2> getOperands(Adaptor adaptor) {
    if constexpr (std::is_same_v<Op, AtomicCASOp>)
      return {adaptor.getExpected(), adaptor.getDesired()};
    else
      return {adaptor.getValue()};
  }

  static Value exchange(Op op, Adaptor adaptor, unsigned reg, Value predicate,
                        AtomicWriter &writer) {
    if constexpr (std::is_same_v<Op, AtomicCASOp>)
      llvm_unreachable("there are exchanges of all sizes");
    else
      return writer.exchange(adaptor.getPtr()[reg], op.getKind(),
                             adaptor.getValue()[reg], predicate);
  }

  const LoweringContext &context;
};
} // namespace

LogicalResult tonvvm::checkOnce(OnceOpInterface op) {
  if (!isHeldByOthers(op))
    return success();
  return op.emitOpError("leaves its result in one of the threads that hold it: "
                        "run tile-share-results first");
}

void tonvvm::populateAtomicPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter,
                                    const LoweringContext &context) {
  patterns.add<AtomicPattern<AtomicRMWOp>, AtomicPattern<AtomicCASOp>>(
      converter, patterns.getContext(), context);
}
